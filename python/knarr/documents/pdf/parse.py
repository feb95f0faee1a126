"""PDF to the one document model: words by PDFium, structure by us.

Pages keep their places (`page_begins`), running headers and footers go, lines become paragraphs
again, rows of tables stay lines. Sections come from the outline, else from looks.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from knarr.documents.pdf import worker as pdf_worker
from knarr.documents.pdf.furniture import without_furniture
from knarr.documents.pdf.headings import Mark, find_headings
from knarr.documents.pdf.lines import CELL_SEPARATOR, Line, page_lines
from knarr.documents.pdf.outline import Entry
from knarr.documents.pdf.paragraphs import MAX_LINES, Words, goes_on, leading, right_end, stand_together
from knarr.documents.pdf.tables import Row, find_tables
from knarr.documents.sections import Document, Heading, Table, section_tree
from knarr.errors import DocumentError

_TAIL_BYTES = 8192


@dataclass(slots=True)
class _Page:
    lines: list[Line]
    blank: bool
    lost: bool


def parse(data: bytes, name: str) -> Document:
    """Read a PDF file.

    `name` is its file name, for the title. Status is "partial" when pages gave no text. Raises
    DocumentError with status "encrypted", "corrupt", "limit" or "no_text".
    """
    head, pages = pdf_worker.read(data, _page)
    _refuse_cut(data)
    if not any(page.lines for page in pages):
        raise DocumentError(f"none of {len(pages)} pages holds text; scanned pages need OCR first", "no_text")
    kept, furniture = without_furniture([page.lines for page in pages])
    # A scanned page under a printed header gives no text either.
    missing = tuple(at for at, page in enumerate(pages, 1) if not kept[at - 1] and not page.blank)
    lines = [line for page_kept in kept for line in page_kept]
    entries = [Entry(depth, title, page, y) for depth, title, page, y in head["outline"] if page >= 0]
    marks, source = find_headings(lines, entries)
    writer = _Writer(len(pages), Words(lines))
    writer.write(lines, marks)
    notes = _notes(pages, furniture, source, missing)
    return writer.document(PurePath(name).stem or "document", missing, notes)


def _page(message: dict[str, Any]) -> _Page:
    lines = page_lines(message.get("words", ()), message["page"])
    return _Page(lines, bool(message.get("blank")), bool(message.get("lost")))


def _refuse_cut(data: bytes) -> None:
    """PDFium mends a file that was cut off and shows what is left; we do not call that whole."""
    tail = data[-_TAIL_BYTES:]
    if b"%%EOF" not in tail and b"startxref" not in tail:
        raise DocumentError("the file ends before its end mark: it was cut off or damaged", "corrupt")


def _notes(
    pages: list[_Page], furniture: tuple[str, ...], source: str, missing: tuple[int, ...]
) -> tuple[str, ...]:
    notes = []
    if furniture:
        shown = ", ".join(f"“{text[:60]}”" for text in furniture[:4])
        notes.append(f"running headers and footers left out: {shown}{' …' if len(furniture) > 4 else ''}")
    if source == "looks":
        notes.append("no outline in the file: sections drawn from how headings look")
    if missing:
        notes.append(f"pages that gave no text: {len(missing)} of {len(pages)}")
    if lost := sum(page.lost for page in pages):
        notes.append(f"damaged pages: {lost}")
    if blank := sum(page.blank and not page.lines for page in pages):
        notes.append(f"blank pages: {blank}")
    return tuple(notes)


@dataclass(slots=True)
class _Writer:
    """Lines and headings to canonical text, noting where pages begin."""

    pages: int
    _words: Words
    text: list[str] = field(default_factory=list)
    size_bytes: int = 0
    page_begins: list[int] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    _apart: bool = True

    def write(self, lines: Sequence[Line], marks: dict[int, list[Mark]]) -> None:
        """All lines, from heading to heading."""
        at = 0
        stops = sorted({*marks, len(lines)})
        for stop in stops:
            if stop > at:
                self._body(lines[at:stop])
            at = stop
            for mark in marks.get(stop, ()):
                self._heading(mark, lines[at : at + mark.lines])
                at += mark.lines
        self._turn_to(self.pages - 1)

    def document(self, title: str, missing: tuple[int, ...], notes: tuple[str, ...]) -> Document:
        root = section_tree(title, self.size_bytes, self.headings)
        return Document(
            title,
            "".join(self.text),
            root,
            "pdf",
            page_begins=tuple(self.page_begins),
            tables=tuple(self.tables),
            status="partial" if missing else "ok",
            missing_pages=missing,
            notes=notes,
        )

    def _heading(self, mark: Mark, lines: Sequence[Line]) -> None:
        self._gap()
        self._turn_to(lines[0].page if lines else mark.page)
        shown = " ".join(" ".join(line.text.replace("\xad", "-") for line in lines).split()) or mark.title
        begin_byte = self.size_bytes
        self._put(f"{'#' * min(mark.level, 6)} {shown}\n")
        self.headings.append(Heading(mark.title, mark.level, begin_byte, self.size_bytes))
        self._apart = True

    def _body(self, lines: Sequence[Line]) -> None:
        usual = leading(lines)
        begin = 0
        rows: list[Row] = []
        for at in range(1, len(lines) + 1):
            more = at < len(lines) and at - begin < MAX_LINES
            if more and goes_on(lines[at - 1], lines[at], usual, right_end(lines, at - 1)):
                continue
            if rows and lines[begin].page != lines[begin - 1].page:
                self.tables += find_tables(rows)
                rows = []
            rows.append(self._paragraph(lines[begin:at]))
            self._apart = at == len(lines) or not stand_together(*(lines[n] for n in (begin, at - 1, at)))
            begin = at
        self.tables += find_tables(rows)

    def _paragraph(self, lines: Sequence[Line]) -> Row:
        if self._apart:
            self._gap()
        self._turn_to(lines[0].page)
        text = lines[0].text
        for above, line in itertools.pairwise(lines):
            text = self._words.join(text, line.text)
            if line.page != above.page:
                head = text[: len(text) - len(line.text)]
                self._put(head)
                self._turn_to(line.page)
                text = text[len(head) :]
        text = text.replace("\xad", "-")
        begin_byte = self.size_bytes
        self._put(f"{text}\n")
        return Row(begin_byte, self.size_bytes, tuple(text.split(CELL_SEPARATOR)))

    def _turn_to(self, page: int) -> None:
        self.page_begins += [self.size_bytes] * (page + 1 - len(self.page_begins))

    def _gap(self) -> None:
        if self.text:
            self._put("\n")

    def _put(self, text: str) -> None:
        self.text.append(text)
        self.size_bytes += len(text.encode("utf-8"))
