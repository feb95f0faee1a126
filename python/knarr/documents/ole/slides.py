"""PPT, the files of PowerPoint 97 to 2003 ([MS-PPT]): the text of each slide, its title and its notes.

A presentation is a tree of records. The document lists its slides with the text of their titles and bodies; other boxes
have theirs in the slide. Where a slide lies says the directory of the last time that the file was saved.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.ole.container import CompoundFile
from knarr.documents.ole.summary import summary_metadata
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

_DOCUMENT, _LIST, _PERSIST = 0x03E8, 0x0FF0, 0x03F3
_HEADER, _CHARS, _BYTES, _EDIT, _DIRECTORY = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FF5, 0x1772
_TITLES = (0, 6)
_MAX_RECORDS = 2_000_000
_MAX_DEPTH = 40


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a presentation. Raises DocumentError with status "corrupt", "encrypted" or "no_text"."""
    file = CompoundFile(data)
    stream = file.stream("PowerPoint Document")
    if stream is None:
        raise DocumentError(
            f"{name}: a presentation from before PowerPoint 97; save it as .pptx", "unsupported"
        )
    try:
        reader = _Slides(stream, name)
        slides = reader.slides()
    except (struct.error, IndexError) as error:
        raise DocumentError(f"{name}: a damaged presentation ({error})") from error
    if not any(slide.texts or slide.title for slide in slides):
        raise DocumentError(f"{name}: the slides hold no text", "no_text")
    writer = MarkdownWriter()
    for number, slide in enumerate(slides, 1):
        _write(writer, slide, number)
    reader.notes["pictures, charts and tables' lines of old PowerPoint files are not read"] = 1
    metadata = summary_metadata(file)
    title = str(metadata.get("title", "")) or next((one.title for one in slides if one.title), "")
    return writer.document("ppt", title, said(reader.notes), metadata=metadata)


@dataclass(slots=True)
class _OldSlide:
    title: str = ""
    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _write(writer: MarkdownWriter, slide: _OldSlide, number: int) -> None:
    writer.turn_to(number - 1)
    writer.gap()
    writer.heading(1, shortened(slide.title, 300) or f"Slide {number}")
    for text in slide.texts:
        writer.gap()
        writer.put(text + "\n")
    if slide.notes:
        writer.gap()
        writer.put("Notes: " + " ".join(map(one_line, slide.notes)) + "\n")


class _Slides:
    def __init__(self, stream: bytes, name: str) -> None:
        self.notes: Counter[str] = Counter()
        self._stream = stream
        self._left = _MAX_RECORDS
        self._places: dict[int, int] = {}
        self._document = 1
        for kind, _, begin, end in self._records(0, len(stream)):
            if kind == _DIRECTORY:
                self._directory(begin, end)
            elif kind == _EDIT and end - begin >= 20:
                self._document = struct.unpack_from("<I", stream, begin + 16)[0]
                if end - begin >= 32:
                    raise DocumentError(f"{name}: the file is protected by a password", "encrypted")

    def slides(self) -> list[_OldSlide]:
        place = self._places.get(self._document)
        found: list[_OldSlide] = []
        notes: list[list[str]] = []
        for kind, _, begin, end in self._at(place):
            if kind != _DOCUMENT:
                continue
            for inner, instance, first, last in self._records(begin, end):
                if inner == _LIST and instance == 0:
                    found = self._listed(first, last)
                elif inner == _LIST and instance == 2:
                    notes = [one.texts for one in self._listed(first, last)]
        for slide, texts in zip(found, notes, strict=False):
            slide.notes = [text for text in texts if text != "*" and not text.isdecimal()]
        return found

    def _listed(self, begin: int, end: int) -> list[_OldSlide]:
        """The slides in a list, each with the texts that follow it there, and those in the slide itself."""
        found: list[_OldSlide] = []
        kind_of_text = 4
        for kind, _, first, last in self._records(begin, end):
            if kind == _PERSIST:
                found.append(_OldSlide())
                place = self._places.get(struct.unpack_from("<I", self._stream, first)[0])
                for _, _, inner, outer in self._at(place):
                    for of, text in self._texts(inner, outer):
                        self._take(found[-1], of, text)
            elif kind == _HEADER:
                kind_of_text = struct.unpack_from("<I", self._stream, first)[0]
            elif kind in (_CHARS, _BYTES) and found:
                self._take(found[-1], kind_of_text, self._text(kind, first, last))
        return found

    def _take(self, slide: _OldSlide, kind: int, text: str) -> None:
        if text and kind in _TITLES and slide.title in ("", one_line(text)):
            slide.title = one_line(text)
        elif text:
            slide.texts.append(text)

    def _texts(self, begin: int, end: int) -> list[tuple[int, str]]:
        """All texts below a record, each behind the number of its kind."""
        found: list[tuple[int, str]] = []
        of = 4
        stack = [(begin, end, 0)]
        while stack:
            first, last, depth = stack.pop()
            inner = []
            for kind, _, one, other in self._records(first, last):
                if kind == _HEADER:
                    of = struct.unpack_from("<I", self._stream, one)[0]
                elif kind in (_CHARS, _BYTES):
                    found.append((of, self._text(kind, one, other)))
                elif self._is_container(one) and depth < _MAX_DEPTH:
                    inner.append((one, other, depth + 1))
            stack.extend(reversed(inner))
        return found

    def _text(self, kind: int, begin: int, end: int) -> str:
        data = self._stream[begin:end]
        text = data.decode("utf-16-le", "replace") if kind == _CHARS else data.decode("latin-1")
        return "\n".join(
            filter(None, map(one_line, text.replace("\x0b", "\r").replace("\n", "\r").split("\r")))
        )

    def _is_container(self, begin: int) -> bool:
        return self._stream[begin - 8] & 15 == 15

    def _at(self, place: int | None) -> Iterator[tuple[int, int, int, int]]:
        """The one record at a place."""
        if place is not None:
            yield from list(self._records(place, len(self._stream), most=1))

    def _directory(self, begin: int, end: int) -> None:
        at = begin
        while at + 4 <= end:
            packed = struct.unpack_from("<I", self._stream, at)[0]
            first, count = packed & 0xFFFFF, packed >> 20
            at += 4
            for number in range(min(count, (end - at) // 4)):
                self._places[first + number] = struct.unpack_from("<I", self._stream, at + 4 * number)[0]
            at += 4 * count

    def _records(self, begin: int, end: int, most: int = _MAX_RECORDS) -> Iterator[tuple[int, int, int, int]]:
        """(type, instance, begin of the content, its end) of the records in a row."""
        at, end = begin, min(end, len(self._stream))
        while at + 8 <= end and most:
            self._left -= 1
            most -= 1
            if self._left < 0:
                raise DocumentError("the presentation holds more records than are read", "limit")
            word, kind, size = struct.unpack_from("<HHI", self._stream, at)
            yield kind, word >> 4, at + 8, min(at + 8 + size, end)
            at += 8 + size
