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
from knarr.documents.pdf.beside import comment_lines, notes_beside, without_fonts
from knarr.documents.pdf.boxes import word_boxes
from knarr.documents.pdf.furniture import without_furniture
from knarr.documents.pdf.garbled import is_garbled, readable_words
from knarr.documents.pdf.headings import OutlineEntry, PdfHeading, find_headings
from knarr.documents.pdf.lines import Line, TableLine, page_lines, unknown_symbols
from knarr.documents.pdf.page_tables import with_tables
from knarr.documents.pdf.paragraphs import MAX_LINES, Hyphenation, goes_on, leading, right_end, stand_together
from knarr.documents.pdf.ranks import title_of
from knarr.documents.pdf.ruling import PageRule, rulings
from knarr.documents.properties import properties
from knarr.documents.sections import Document
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
    unfound: the glyphs that PDFium found in no font, of which the page is no picture either, and their font
    read:    what OCR read on it, which is what `lines` has then
    """

    lines: list[Line]
    shape: PageShape = _NO_SHAPE
    blank: bool = False
    lost: bool = False
    unknown_symbols: int = 0
    unreadable: int = 0
    garbled: bool = False
    unfound: tuple[int, str] = (0, "")
    beside: Mapping[str, Any] = field(default_factory=dict)
    read: ReadPage | None = None
    rules: Sequence[PageRule] = ()
    tagged: Sequence[OutlineEntry] = ()


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
            pages[at] = replace(pages[at], lines=page_lines(read.words, at), read=read, rules=())
    return pages_document("pdf", head, pages, tried=ocr is not None, failure=failure)


def pages_document(
    format: str, head: Mapping[str, Any], pages: list[Page], *, tried: bool, failure: str = ""
) -> Document:
    """The document of pages, of which `head` has the outline; `tried`: whether OCR looked at those without text, and
    `failure`: why it could not read one."""
    kept, furniture = without_furniture([page.lines for page in pages])
    textless = tuple(at + 1 for at in _textless(pages, kept))
    unfound = {at + 1: page.unfound for at, page in enumerate(pages) if page.unfound[0]}
    missing = tuple(sorted({*textless, *unfound}))
    if head.get("placeholder"):
        missing = textless = tuple(range(1, len(pages) + 1))
    garbled = [at for at, page in enumerate(pages, 1) if page.garbled and page.read is None]
    kept = with_tables(kept, [page.rules for page in pages])
    for at, page in enumerate(pages):
        kept[at] = kept[at] + comment_lines(page.beside.get("comments", ()), at, kept[at])
    if not any(page.lines or page.beside.get("comments") for page in pages) or len(garbled) == len(pages):
        raise DocumentError(nothing_read(len(pages), len(garbled), tried, failure), "no_text")
    if sum(count for count, _ in unfound.values()) > sum(len(line.text) for page in kept for line in page):
        raise DocumentError(without_fonts(unfound), "no_text")
    lines = [line for page_kept in kept for line in page_kept]
    entries = [
        OutlineEntry(depth, title, page, y)
        for depth, title, page, y in head["outline"]
        if 0 <= page < len(pages)
    ]
    tagged = [entry for page in pages for entry in page.tagged]
    headings, source = find_headings(lines, entries, tagged)
    flow = _Flow(Hyphenation(lines))
    flow.write(lines, headings)
    flow.writer.turn_to(len(pages) - 1)
    read = {at: page.read for at, page in enumerate(pages, 1) if page.read is not None and page.read.words}
    notes = (
        *_notes(pages, furniture, source, textless),
        *([without_fonts(unfound)] if unfound else ()),
        *reading_notes(read, () if head.get("placeholder") else textless, garbled, tried, failure),
        *notes_beside(head, [page.beside for page in pages]),
    )
    # The title in a PDF's metadata is more often a template's than the document's: the file's name counts.
    about = properties(head.get("about", {}).items())
    document = flow.writer.document(format, "", notes, missing, about)
    document.may_change = bool(unfound)
    document.recognised = {page: found.confidence for page, found in read.items()}
    document.pages = tuple(page.shape for page in pages)
    document.boxes = word_boxes(document, lines)
    return document


def _page(message: dict[str, Any]) -> Page:
    at, words = message["page"], message.pop("words", ())
    garbled = is_garbled(words, message.get("unmapped", 0))
    unknown = unknown_symbols(words)
    words, unreadable = readable_words(words)
    drawn = rulings(message.pop("rules", ()))
    lines = page_lines(words, at, drawn)
    # Where no line has cells, no table will ask for the rules.
    rules = drawn.across if any(line.cells > 1 for line in lines) else ()
    blank, lost = bool(message.get("blank")), bool(message.get("lost"))
    shape = PageShape(*message["shape"]) if message.get("shape") else _NO_SHAPE
    unreadable = 0 if garbled else unreadable
    tagged = [OutlineEntry(depth, title, at, y) for depth, title, y in message.pop("headings", ())]
    unfound: tuple[int, str] = tuple(message.pop("unfound", ())) or (0, "")
    return Page(
        lines, shape, blank, lost, unknown, unreadable, garbled, unfound, message, rules=rules, tagged=tagged
    )


def _textless(pages: list[Page], kept: list[list[Line]]) -> list[int]:
    """The pages (from 0) without text that can be used, which a picture of them may give. A scanned page under a
    printed header gives none either."""
    return [
        at
        for at, page in enumerate(pages)
        if (page.garbled and page.read is None) or (not kept[at] and not page.blank and not page.unfound[0])
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
        shown = one_line(title_of(lines)) or heading.title
        self.writer.heading(heading.level, shown, heading.title)
        self._after_table = False

    def _body(self, lines: Sequence[Line]) -> None:
        """Paragraphs and tables between two headings."""
        usual = leading(lines)
        begin = 0
        apart = True
        for at in range(1, len(lines) + 1):
            more = at < len(lines) and at - begin < MAX_LINES
            if more and self._one_paragraph(lines, at, usual):
                continue
            first = lines[begin]
            if isinstance(first, TableLine):
                self._table(first)
            else:
                self._write(_Paragraph(lines[begin:at], apart))
            apart = at == len(lines) or not stand_together(*(lines[n] for n in (begin, at - 1, at)))
            begin = at

    def _one_paragraph(self, lines: Sequence[Line], at: int, usual: float) -> bool:
        above, line = lines[at - 1], lines[at]
        if isinstance(above, TableLine) or isinstance(line, TableLine):
            return False
        return goes_on(above, line, usual, right_end(lines, at - 1))

    def _write(self, paragraph: _Paragraph) -> None:
        if paragraph.apart or self._after_table:
            self.writer.gap()
        self._after_table = False
        self._paragraph(paragraph.lines)

    def _table(self, line: TableLine) -> None:
        assert line.table is not None
        self.writer.gap()
        self.writer.turn_to(line.page)
        self.writer.table(
            replace(line.table, title="\n".join(filter(None, (line.title, line.table.title)))), line.units
        )
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
