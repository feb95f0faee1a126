"""Reads the pages that have no usable text, each of them once.

What was read of a page is kept in a store as soon as it is there, by the bytes of the file, the page and the engine:
an `add` that was interrupted goes on where it was, and one that lays the document out anew pays nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Protocol

from knarr.documents.ocr.recogniser import RapidRecogniser, Recogniser
from knarr.documents.ocr.words import ReadPage, read_page
from knarr.errors import DocumentError

_PACKAGE = "rapidocr"
_USUAL_WIDTH = 612.0  # points of a page that does not say how large it is
_LEAST_DOTS, _MOST_DOTS = 50.0, 2_400.0
_MOST_FAILURES = 3


class PageStore(Protocol):
    """Where recognised pages are kept, by the hash of their file, their number (from 0) and the engine."""

    def get(self, file: str, page: int, engine: str) -> str | None: ...

    def put(self, file: str, page: int, engine: str, words: str) -> None: ...


def installed() -> bool:
    """Whether the extra `ocr` is there; nothing is imported."""
    return find_spec(_PACKAGE) is not None and find_spec("onnxruntime") is not None


def why_not() -> str:
    """Why no page is read where there is no reader, as the end of a sentence."""
    return "OCR is off (KNARR_OCR)" if installed() else "`pip install 'knarr[ocr]'` reads them"


class PageReader:
    """Asks a recogniser about pages that the store does not have. `progress` is told which share of a file's pages
    is done. Close it to end the process behind it."""

    def __init__(
        self,
        store: PageStore | None = None,
        recogniser: Recogniser | None = None,
    ) -> None:
        self._store = store
        self._recogniser = recogniser or RapidRecogniser(_version())
        self.progress: Callable[[float], None] = lambda share: None

    @property
    def id(self) -> str:
        """Changes when pages may be read differently."""
        return self._recogniser.id

    def close(self) -> None:
        self._recogniser.close()

    def pages(
        self,
        data: bytes,
        wanted: Collection[int],
        draw: Callable[[bytes, list[int]], Iterable[dict[str, Any]]],
    ) -> tuple[dict[int, ReadPage], str]:
        """The wanted pages (from 0) of a file, as far as they could be read, and why others could not. `draw` makes
        their pictures (see `pdf.pictures`). A page that costs too much is only not read; after `_MOST_FAILURES` in a
        row none is tried any more."""
        key = hashlib.sha256(data).hexdigest()
        found = {page: kept for page in wanted if (kept := self._kept(key, page)) is not None}
        left = [page for page in sorted(wanted) if page not in found]
        failures, why = 0, ""
        try:
            for picture in draw(data, left) if left else ():
                grey = base64.b64decode(picture["grey"])
                try:
                    message = self._recogniser.picture(grey, picture["width"], picture["height"])
                except DocumentError as error:
                    failures, why = failures + 1, str(error)
                    if failures == _MOST_FAILURES:
                        break
                    continue
                failures = 0
                found[picture["page"]] = self._keep(key, picture["page"], message, picture["dot"])
                self.progress(len(found) / len(wanted))
        except DocumentError as error:
            why = str(error)
        return found, why

    def file(self, data: bytes) -> list[ReadPage]:
        """The pages of an image file. Raises DocumentError."""
        key = hashlib.sha256(data).hexdigest()
        found: dict[int, ReadPage] = {}
        while (kept := self._kept(key, len(found))) is not None:
            found[len(found)] = kept
        count = found[0].of if found else 0
        for message in self._recogniser.file(data, found.keys()) if len(found) != count or not found else ():
            if "error" in message:
                raise DocumentError(message["error"], message["status"])
            if "pages" in message:
                count = message["pages"]
                continue
            dots = message.get("dots", 0.0)
            dot = 72 / dots if _LEAST_DOTS < dots < _MOST_DOTS else _USUAL_WIDTH / max(1, message["width"])
            found[message["page"]] = self._keep(key, message["page"], message, dot, count)
            self.progress(len(found) / max(1, count))
        return [found[page] for page in range(count)]

    def _kept(self, file: str, page: int) -> ReadPage | None:
        value = self._store.get(file, page, self.id) if self._store is not None else None
        if value is None:
            return None
        return ReadPage(*json.loads(value))

    def _keep(self, file: str, page: int, message: dict[str, Any], dot: float, of: int = 0) -> ReadPage:
        read = replace(read_page(message, dot), of=of)
        if self._store is not None:
            value = json.dumps([read.words, read.confidence, read.left_out, read.of], separators=(",", ":"))
            self._store.put(file, page, self.id, value)
        return read


def _version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "none"
