"""PDFium in a process of its own, so that no PDF can hang, crash or swell the caller.

One worker is started at the first PDF and kept; a lock makes calls take turns. It may use a bounded
amount of memory beyond what it needs to start (where the system can enforce that) and, per file, an
allowance of processor time that grows with the file's size. A worker that exceeds either ends, the file is
refused with status "limit", and the next file gets a new worker. It gets no variable of the environment that
it does not need, so no key, and gives up what rights it can (see `child`).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from knarr.errors import DocumentError

START_S = 60.0
FILE_S = 8.0
MEGABYTE_S = 10.0
MEMORY_BYTES = 400 << 20
# For a worker that neither works nor ends, as one that was stopped; work itself is counted in processor time.
STALLED_S = 600.0

# Run by path and with -P, so that the child imports PDFium and the standard library only.
_CHILD = Path(__file__).with_name("child.py")
_AHEAD_PAGES = 16
# What an interpreter and its libraries are found by. Everything else stays here: keys, proxies, settings.
_ENVIRONMENT = (
    "PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "SYSTEMROOT",
)  # fmt: skip

T = TypeVar("T")


class PdfWorker:
    """One child process. Not thread-safe; used under the lock of `read`."""

    def __init__(self) -> None:
        paths = [os.path.abspath(path) for path in sys.path if path]  # noqa: PTH100  no resolving of links
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD), str(MEMORY_BYTES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(paths)},
        )
        self._messages: queue.Queue[bytes] = queue.Queue(_AHEAD_PAGES)
        threading.Thread(target=self._listen, name="knarr-pdf", daemon=True).start()
        self._next(time.monotonic() + START_S)

    def read(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages of `words.read_words`, up to and without the closing one."""
        assert self._process.stdin is not None
        allowed = int(1e6 * (FILE_S + MEGABYTE_S * len(data) / 1e6))
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(len(data).to_bytes(8, "little") + allowed.to_bytes(8, "little") + data)
            self._process.stdin.flush()
        while not (message := self._next(time.monotonic() + STALLED_S)).get("done"):
            yield message

    def close(self) -> None:
        """Kill the child, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self._process.stdout:
                self._messages.put(line)
        with contextlib.suppress(queue.Full):
            self._messages.put(b"", timeout=START_S)

    def _next(self, deadline: float) -> dict[str, Any]:
        try:
            line = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise DocumentError("the process that reads PDFs does not answer", "limit") from None
        if not line:
            spent = self._process.wait(START_S) == -signal.SIGPROF
            # A library that gets no memory and one that a file confuses end in the same ways.
            what = (
                "processor time than is allowed" if spent else "memory than is allowed, or fails on the way"
            )
            raise DocumentError(f"reading this PDF takes more {what}", "limit")
        message: dict[str, Any] = json.loads(line)
        return message


_lock = threading.Lock()
_worker: PdfWorker | None = None
_inherited: list[PdfWorker] = []


def read(data: bytes, page: Callable[[dict[str, Any]], T]) -> tuple[dict[str, Any], list[T]]:
    """The first message about a file, and the results of `page` for each page's message (see
    `words.read_words`), which is called as they come, so that they need not all be held.

    Raises DocumentError with the status that PDFium's refusal or our bounds call for. Safe to call
    from any thread."""
    global _worker
    with _lock:
        if _worker is None:
            _worker = PdfWorker()
        refusal: DocumentError | None = None
        head: dict[str, Any] = {}
        pages: list[T] = []
        try:
            for message in _worker.read(data):
                if "error" in message:
                    refusal = DocumentError(message["error"], message["status"])
                elif "pages" in message:
                    head = message
                else:
                    pages.append(page(message))
        except BaseException:
            _close()
            raise
    if refusal is not None:
        raise refusal
    return head, pages


def _close() -> None:
    global _worker
    if _worker is not None:
        _worker.close()
        _worker = None


def _forget() -> None:
    """After a fork the worker belongs to the parent: forget it without ending it."""
    global _worker, _lock
    if _worker is not None:
        _inherited.append(_worker)
    _worker, _lock = None, threading.Lock()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
