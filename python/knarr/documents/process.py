"""A child process that may use so much memory and processor time and no more, and answers in lines of JSON.

What reads a format with a library of machine code runs in one of these, so that no file can hang, crash or swell the
caller. The child's program is run by its path and with -P, imports what it needs and nothing of the caller's, says
that it is ready, and bounds itself (see `pdf/child.py`). It gets no variable of the environment that it does not
need, so no key.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knarr.errors import DocumentError

START_S = 300.0
# For a child that neither works nor ends, as one that was stopped; work itself is counted in processor time.
STALLED_S = 600.0
# What an interpreter and its libraries are found by. Everything else stays here: keys, proxies, settings.
_ENVIRONMENT = (
    "PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "SYSTEMROOT",
)  # fmt: skip


class BoundedProcess:
    """One child. Not thread-safe. `what` says in messages what it is doing; `ahead` messages are taken before they
    are asked for."""

    def __init__(self, program: Path, memory_bytes: int, what: str, ahead: int) -> None:
        paths = [os.path.abspath(path) for path in sys.path if path]  # noqa: PTH100  no resolving of links
        self._what = what
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(program), str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(paths)},
        )
        self._messages: queue.Queue[bytes] = queue.Queue(ahead)
        threading.Thread(target=self._listen, name="knarr-child", daemon=True).start()
        self._next(time.monotonic() + START_S)

    def ask(self, *parts: bytes) -> Iterator[dict[str, Any]]:
        """The messages that answer what is written to the child, up to and without the closing one."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            for part in parts:
                self._process.stdin.write(part)
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
            raise DocumentError(f"the process that does the {self._what} does not answer", "limit") from None
        if not line:
            spent = self._process.wait(START_S) == -signal.SIGPROF
            # A library that gets no memory and one that a file confuses end in the same ways.
            more = (
                "processor time than is allowed" if spent else "memory than is allowed, or fails on the way"
            )
            raise DocumentError(f"{self._what} takes more {more}", "limit")
        message: dict[str, Any] = json.loads(line)
        return message
