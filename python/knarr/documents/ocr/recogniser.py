"""The process that recognises text on pictures, kept from its first page until a reader is closed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Protocol

from knarr.documents.process import BoundedProcess

PAGE_S = 300.0
"""Processor seconds for one page, all ways of holding it. A dense one takes about fifteen."""
MEMORY_BYTES = 3 << 30

_CHILD = Path(__file__).with_name("child.py")


class Recogniser(Protocol):
    """What `PageReader` asks. Messages are those of `child`."""

    id: str

    def picture(self, grey: bytes, width: int, height: int) -> dict[str, Any]:
        """What is read on one page."""

    def file(self, data: bytes, skip: Collection[int]) -> Iterator[dict[str, Any]]:
        """The number of pages of an image file, and what is read on those that are not to be skipped."""

    def close(self) -> None:
        """End it; the next call starts it again."""


class RapidRecogniser:
    """`rapidocr` in a child process. Not thread-safe."""

    def __init__(self, version: str) -> None:
        self.id = f"rapidocr-{version}"
        self._process: BoundedProcess | None = None

    def picture(self, grey: bytes, width: int, height: int) -> dict[str, Any]:
        [message] = self._ask(grey, {"width": width, "height": height})
        return message

    def file(self, data: bytes, skip: Collection[int]) -> Iterator[dict[str, Any]]:
        return self._ask(data, {"skip": sorted(skip)})

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, data: bytes, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if self._process is None:
            self._process = BoundedProcess(_CHILD, MEMORY_BYTES, "recognising this page", 2)
        head = {"bytes": len(data), "microseconds": int(1e6 * PAGE_S), **request}
        try:
            yield from self._process.ask(json.dumps(head).encode() + b"\n", data)
        except BaseException:
            self.close()
            raise
