"""PDFium in a process of its own, so that no PDF can hang, crash or swell the caller.

One worker is started at the first PDF and kept; a lock makes calls take turns. It may use a bounded
amount of memory beyond what it needs to start (where the system can enforce that) and, per file, an
allowance of processor time that grows with the file's size. A worker that exceeds either ends, the file is
refused with status "limit", and the next file gets a new worker. Pages are drawn by a worker of their own, since
whoever looks at them takes much longer than drawing them. See `process` and `child`.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from knarr.documents.pdf.packing import unpacked
from knarr.documents.process import BoundedProcess
from knarr.errors import DocumentError

FILE_S = 8.0
MEGABYTE_S = 10.0
DRAWN_PAGE_S = 10.0
MEMORY_BYTES = 400 << 20

_CHILD = Path(__file__).with_name("child.py")
_AHEAD_PAGES, _AHEAD_PICTURES = 16, 2

T = TypeVar("T")


class PdfWorker(BoundedProcess):
    """One child process. Not thread-safe; used under the lock of `read`."""

    def __init__(self, ahead: int = _AHEAD_PAGES) -> None:
        super().__init__(_CHILD, MEMORY_BYTES, "reading this PDF", ahead)

    def read(self, data: bytes, drawn: Sequence[int] = ()) -> Iterator[dict[str, Any]]:
        """The messages of `words.read_words`; where pages are `drawn`, those of `pictures.draw` instead."""
        seconds = FILE_S + MEGABYTE_S * len(data) / 1e6 + DRAWN_PAGE_S * len(drawn)
        head = b"".join(
            number.to_bytes(8, "little") for number in (len(data), int(1e6 * seconds), len(drawn))
        )
        return self.ask(head, b"".join(page.to_bytes(4, "little") for page in drawn), data)


def draw(data: bytes, pages: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Pictures of pages (from 0), see `pictures.draw`. Raises DocumentError as `read` does."""
    worker = PdfWorker(_AHEAD_PICTURES)
    try:
        yield from worker.read(data, pages)
    finally:
        worker.close()


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
                    if "words" in message:
                        message["words"] = unpacked(message["words"])
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
