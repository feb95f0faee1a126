"""PDF to the one document model: words by PDFium, structure by us.

Running headers and footers are left out, lines become paragraphs again, tables pipe tables where places tell their
columns, and every page keeps its place in the text (`page_begins`). Sections come from the outline, else from looks.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from knarr.documents.decode import Limits
from knarr.documents.ocr import PageReader
from knarr.documents.ocr.notes import nothing_read, reading_notes
from knarr.documents.ocr.words import ReadPage
from knarr.documents.pdf import worker
from knarr.documents.pdf.beside import comment_lines, notes_beside
from knarr.documents.pdf.boxes import word_boxes
from knarr.documents.pdf.furniture import without_furniture
from knarr.documents.pdf.garbled import is_garbled, readable_words
from knarr.documents.pdf.grid import PlacedTable, placed_table
from knarr.documents.pdf.headings import OutlineEntry, PdfHeading, find_headings
from knarr.documents.pdf.lines import CELL_SEPARATOR, Line, page_lines, unknown_symbols
from knarr.documents.pdf.paragraphs import MAX_LINES, Hyphenation, goes_on, leading, right_end, stand_together
from knarr.documents.pdf.tables import FEWEST_ROWS, TextRow, find_tables, goes_on_over_page
from knarr.documents.sections import Document, Table
from knarr.documents.symbols import UNKNOWN
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line
from knarr.types import PageShape

_NO_SHAPE = PageShape(0.0, 0.0, 0.0, 0.0)
_TAIL_BYTES = 8192
_SHOWN_TEXTS, _SHOWN_CHARS = 12, 80


@dataclass(slots=True)
class Page:
    """A page before its furniture is known.

    blank:   nothing else is on it
    lost:    it could not be loaded
    unreadable: characters left out since nobody can say what they show
    garbled: its words were not what a reader sees; `lines` has those that can be read
    beside:  what else the worker's message says of it
    read:    what OCR read on it, which is what `lines` has then
    """

    lines: list[Line]
    shape: PageShape = _NO_SHAPE
    blank: bool = False
    lost: bool = False
    unknown_symbols: int = 0
    unreadable: int = 0
    garbled: bool = False
    beside: Mapping[str, Any] = field(default_factory=dict)
    read: ReadPage | None = None


def parse(data: bytes, name: str, limits: Limits, ocr: PageReader | None = None) -> Document:
    """Read a PDF file. The worker's own bounds (see `words`) apply beside `limits`. Pages without text that can be
    used are read by `ocr`.

    Status is "partial" when pages gave no text. Raises DocumentError with status "encrypted",
    "corrupt", "limit" or "no_text".
    """
    head, pages = worker.read(data, _page)
    _refuse_cut(data)
    failure = ""
    if ocr is not None:
        kept, _ = without_furniture([page.lines for page in pages])
        found, failure = ocr.pages(data, _textless(pages, kept), worker.draw)
        for at, read in found.items():
            pages[at] = replace(pages[at], lines=page_lines(read.words, at), read=read)
    return pages_document("pdf", head, pages, tried=ocr is not None, failure=failure)


def pages_document(
    format: str, head: Mapping[str, Any], pages: list[Page], *, tried: bool, failure: str = ""
) -> Document:
    """The document of pages, of which `head` has the outline; `tried`: whether OCR looked at those without text, and
    `failure`: why it could not read one."""
    kept, furniture = without_furniture([page.lines for page in pages])
    missing = tuple(at + 1 for at in _textless(pages, kept))
    if head.get("placeholder"):
        missing = tuple(range(1, len(pages) + 1))
    garbled = [at for at, page in enumerate(pages, 1) if page.garbled and page.read is None]
    for at, page in enumerate(pages):
        kept[at] = kept[at] + comment_lines(page.beside.get("comments", ()), at, kept[at])
    if not any(page.lines or page.beside.get("comments") for page in pages) or len(garbled) == len(pages):
        raise DocumentError(nothing_read(len(pages), len(garbled), tried, failure), "no_text")
    lines = [line for page_kept in kept for line in page_kept]
    entries = [
        OutlineEntry(depth, title, page, y)
        for depth, title, page, y in head["outline"]
        if 0 <= page < len(pages)
    ]
    headings, source = find_headings(lines, entries)
    flow = _Flow(Hyphenation(lines))
    flow.write(lines, headings)
    flow.writer.turn_to(len(pages) - 1)
    read = {at: page.read for at, page in enumerate(pages, 1) if page.read is not None and page.read.words}
    notes = (
        *_notes(pages, furniture, source, missing),
        *reading_notes(read, () if head.get("placeholder") else missing, garbled, tried, failure),
        *notes_beside(head, [page.beside for page in pages]),
    )
    # The title in a PDF's metadata is more often a template's than the document's: the file's name counts.
    document = flow.writer.document(format, "", notes, missing)
    document.recognised = {page: found.confidence for page, found in read.items()}
    document.pages = tuple(page.shape for page in pages)
    document.boxes = word_boxes(document, lines)
    return document


def _page(message: dict[str, Any]) -> Page:
    words = message.pop("words", ())
    garbled = is_garbled(words, message.get("unmapped", 0))
    unknown = unknown_symbols(words)
    words, unreadable = readable_words(words)
    lines = page_lines(words, message["page"])
    blank, lost = bool(message.get("blank")), bool(message.get("lost"))
    shape = PageShape(*message["shape"]) if message.get("shape") else _NO_SHAPE
    return Page(lines, shape, blank, lost, unknown, 0 if garbled else unreadable, garbled, message)


def _textless(pages: list[Page], kept: list[list[Line]]) -> list[int]:
    """The pages (from 0) without text that can be used. A scanned page under a printed header gives none either."""
    return [
        at
        for at, page in enumerate(pages)
        if (page.garbled and page.read is None) or (not kept[at] and not page.blank)
    ]


def _refuse_cut(data: bytes) -> None:
    """PDFium repairs a file that was cut off and shows the rest; such a file is refused as damaged."""
    tail = data[-_TAIL_BYTES:]
    if b"%%EOF" not in tail and b"startxref" not in tail:
        raise DocumentError("the file ends before its end mark: it was cut off or damaged", "corrupt")


def _notes(
    pages: list[Page], furniture: tuple[str, ...], source: str, missing: tuple[int, ...]
) -> tuple[str, ...]:
    notes = []
    if furniture:
        shown = ", ".join(f"“{text[:_SHOWN_CHARS]}”" for text in furniture[:_SHOWN_TEXTS])
        more = len(furniture) - _SHOWN_TEXTS
        notes.append(
            f"running headers and footers left out: {shown}{f' and {more} more' if more > 0 else ''}"
        )
    if source == "looks":
        notes.append("no outline in the file: sections drawn from how headings look")
    if missing:
        notes.append(f"pages that gave no text: {len(missing)} of {len(pages)}")
    if lost := sum(page.lost for page in pages):
        notes.append(f"damaged pages: {lost}")
    if blank := sum(page.blank and not page.lines for page in pages):
        notes.append(f"blank pages: {blank}")
    if unknown := sum(page.unknown_symbols for page in pages):
        notes.append(f"{UNKNOWN}: {unknown}")
    if unreadable := sum(page.unreadable for page in pages):
        notes.append(f"characters left out whose font does not say what they show: {unreadable}")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Lines that are one paragraph, and whether it stands a blank line apart from what is before it."""

    lines: Sequence[Line]
    apart: bool


class _Flow:
    """Lines and headings in order, on their way to the writer."""

    def __init__(self, hyphenation: Hyphenation) -> None:
        self.writer = MarkdownWriter()
        self._hyphenation = hyphenation
        self._after_table = False  # what was written last is a pipe table, below which a line is blank

    def write(self, lines: Sequence[Line], headings: dict[int, list[PdfHeading]]) -> None:
        """All lines, from heading to heading."""
        at = 0
        for stop in sorted({*headings, len(lines)}):
            if stop > at:
                self._body(lines[at:stop])
            at = stop
            for heading in headings.get(stop, ()):
                self._heading(heading, lines[at : at + heading.lines])
                at += heading.lines

    def _heading(self, heading: PdfHeading, lines: Sequence[Line]) -> None:
        self.writer.gap()
        self.writer.turn_to(lines[0].page if lines else heading.page)
        shown = one_line(" ".join(line.text.replace("\xad", "-") for line in lines)) or heading.title
        self.writer.heading(heading.level, shown, heading.title)
        self._after_table = False

    def _body(self, lines: Sequence[Line]) -> None:
        """Paragraphs and tables between two headings. A table that goes on over the end of a page is one on each."""
        last: PlacedTable | None = None
        usual = leading(lines)
        begin = 0
        stretch: list[_Paragraph] = []
        apart = True
        for at in range(1, len(lines) + 1):
            more = at < len(lines) and at - begin < MAX_LINES
            if more and goes_on(lines[at - 1], lines[at], usual, right_end(lines, at - 1)):
                continue
            if stretch and lines[begin].page != lines[begin - 1].page:
                last = self._stretch(stretch, last)
                stretch = []
            stretch.append(_Paragraph(lines[begin:at], apart))
            apart = at == len(lines) or not stand_together(*(lines[n] for n in (begin, at - 1, at)))
            begin = at
        self._stretch(stretch, last)

    def _stretch(self, paragraphs: Sequence[_Paragraph], before: PlacedTable | None) -> PlacedTable | None:
        """What stands together on one page: tables, and the paragraphs between them. `before`, and what is returned:
        the table that the end of the page cuts."""
        rows = [self._row(paragraph.lines) for paragraph in paragraphs]
        done = 0
        last: PlacedTable | None = None
        if before is not None and (table := goes_on_over_page(rows)):
            last = placed_table((), rows[: table.end], before)
            if last is not None:
                self._placed(last, paragraphs[0], continued=True)
                done = table.end
        written = done
        for table in find_tables(rows[done:]):
            begin, first, end = (at + done for at in (table.begin, table.first, table.end))
            self._paragraphs(paragraphs[written:begin])
            written = end
            last = placed_table(rows[begin:first], rows[first:end])
            if last is None:
                self._lines_of_table(paragraphs[begin:end], first - begin)
            else:
                self._placed(last, paragraphs[begin])
        self._paragraphs(paragraphs[written:])
        return last if written == len(rows) else None

    def _row(self, lines: Sequence[Line]) -> TextRow:
        """A paragraph as a row of a table; only a single line has several cells."""
        if len(lines) == 1:
            return TextRow(tuple(lines[0].text.replace("\xad", "-").split(CELL_SEPARATOR)), lines[0].places)
        text = lines[0].text
        for line in lines[1:]:
            text = self._hyphenation.join(text, line.text)
        ends = min(line.x0 for line in lines), max(line.x1 for line in lines)
        return TextRow((text.replace("\xad", "-"),), (ends,))

    def _paragraphs(self, paragraphs: Sequence[_Paragraph]) -> list[int]:
        """Written one after the other; the bytes where they begin."""
        begins = []
        for paragraph in paragraphs:
            if paragraph.apart or self._after_table:
                self.writer.gap()
            self._after_table = False
            begins.append(self._paragraph(paragraph.lines))
        return begins

    def _lines_of_table(self, paragraphs: Sequence[_Paragraph], first: int) -> None:
        """A table whose cells stand in no columns: its rows are lines, those before `first` its header."""
        begins = self._paragraphs(paragraphs)
        if first and len(paragraphs) - first >= FEWEST_ROWS:
            header = "".join(f"{one.lines[0].text}\n" for one in paragraphs[:first])
            self.writer.tables.append(Table(begins[0], self.writer.size_bytes, header, tuple(begins[first:])))

    def _placed(self, placed: PlacedTable, first: _Paragraph, *, continued: bool = False) -> None:
        self.writer.gap()
        self.writer.turn_to(first.lines[0].page)
        units = "".join(f"{line}\n" for line in placed.units) + "\n" if placed.units else ""
        begin_byte = self.writer.put("" if continued else units)
        self.writer.table(placed.text)
        table = self.writer.tables.pop()
        self.writer.tables.append(replace(table, begin_byte=begin_byte, header=units + table.header))
        self._after_table = True

    def _paragraph(self, lines: Sequence[Line]) -> int:
        self.writer.turn_to(lines[0].page)
        text = lines[0].text
        for above, line in itertools.pairwise(lines):
            text = self._hyphenation.join(text, line.text)
            if line.page != above.page:
                # What stands on the page before is written first, so that the page begins in its place.
                head = text[: len(text) - len(line.text)]
                self.writer.put(head)
                self.writer.turn_to(line.page)
                text = text[len(head) :]
        text = text.replace("\xad", "-")
        return self.writer.put(f"{text}\n")
