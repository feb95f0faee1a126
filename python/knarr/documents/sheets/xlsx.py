"""XLSX to the one document model: every sheet a section, its cells as the reader sees them.

The parts are read directly, since what a cell shows (its number format, a formula's kept value, the text of a merged
cell) and what is hidden get lost on the way through a library of values. Sheets are read as a stream, so that a
large one never stands in memory as a tree. Charts are named with their titles and series; comments stand below
the tables; macros, pictures without a description and formulas that were never computed are named in the notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from knarr.documents.charts import chart_text
from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.ole.container import refuse_encrypted_package
from knarr.documents.properties import office_metadata
from knarr.documents.raised import marked, written
from knarr.documents.sections import Document
from knarr.documents.sheets.numbers import BUILT_IN, plain, shown
from knarr.documents.sheets.tables import MAX_SHEET_CELLS, SheetTable, put, write_sheet
from knarr.documents.slides.shapes import EMPTY_WORDS
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import attribute_of, fault_status, local, refuse_doctype
from knarr.documents.zip_parts import ZipParts
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_COMMENT_CHARS = 2_000
_HEAD_BYTES = 1 << 20  # a document type can stand only before the first element
_MAX_BETWEEN_BYTES = 24 << 20


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a workbook. Raises DocumentError with status "corrupt", "encrypted", "limit" or "no_text"."""
    refuse_encrypted_package(data)
    book = _Workbook(ZipParts(data, "XLSX"))
    writer = MarkdownWriter()
    sheets = book.sheets()
    for sheet in sheets:
        if sheet.rows or sheet.after:
            write_sheet(writer, sheet)
        else:
            book.notes[f"sheets without cells: {shortened(sheet.name, 40)}"] += 1
    if not any(sheet.rows or sheet.after for sheet in sheets):
        raise DocumentError(f"{name}: the workbook holds no text", "no_text")
    metadata = office_metadata(book.parts)
    document = writer.document("xlsx", str(metadata.get("title", "")), book.said(), metadata=metadata)
    document.status = "partial" if book.cut else "ok"
    return document


class _Workbook:
    """The workbook's parts, its shared strings and formats."""

    def __init__(self, parts: ZipParts) -> None:
        self.parts = parts
        self.notes: Counter[str] = Counter()
        self.cut = False
        self._left = MAX_SHEET_CELLS
        self._main = parts.office_document("xl/workbook.xml")
        root = parts.xml(self._main)
        if root is None:
            raise DocumentError(f"the package has no {self._main}")
        self._root = root
        self._relations = parts.relations(self._main)
        self._targets = dict(self._relations.values())
        self.from_1904 = any(
            attribute_of(element, "date1904") in ("1", "true")
            for element in root.iterchildren("{*}workbookPr")
        )
        self._strings = self._shared_strings()
        self._formats = self._number_formats()

    def said(self) -> tuple[str, ...]:
        if self.parts.has("xl/vbaProject.bin"):
            self.notes["macros left out"] += 1
        return said(self.notes)

    def sheets(self) -> list[SheetTable]:
        """All sheets in the workbook's order."""
        found = []
        for element in self._root.iterfind("{*}sheets/{*}sheet"):
            kind, path = self._relations.get(attribute_of(element, "id"), ("", ""))
            title = one_line(element.get("name", "")) or "Sheet"
            sheet = SheetTable(title, hidden=element.get("state", "visible") != "visible")
            if kind == "worksheet":
                self._read(path, sheet)
            if kind in ("worksheet", "chartsheet"):
                self._beside(path, sheet)
            if sheet.hidden:
                self.notes[f"hidden sheet read: {shortened(title, 40)}"] += 1
            found.append(sheet)
        return found

    def _shared_strings(self) -> list[str]:
        path = self._targets.get("sharedStrings", "xl/sharedStrings.xml")
        strings: list[str] = []
        for element in self._stream(path, "si"):
            strings.append(_string(element))
            element.clear()
        return strings

    def _number_formats(self) -> list[str]:
        path = self._targets.get("styles", "")
        root = self.parts.xml(path) if path else None
        if root is None:
            return []
        codes = dict(BUILT_IN)
        for element in root.iterfind("{*}numFmts/{*}numFmt"):
            codes[_integer(element.get("numFmtId"))] = element.get("formatCode", "")
        return [
            codes.get(_integer(element.get("numFmtId")), "") for element in root.iterfind("{*}cellXfs/{*}xf")
        ]

    def _stream(self, path: str, *names: str) -> Iterator[etree._Element]:
        """The elements of these names as they end. Between two of them only so many bytes may come: no tree grows large."""
        parser = etree.XMLPullParser(
            events=("end",),
            tag=tuple(f"{{*}}{name}" for name in names),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        waiting, head = 0, b""
        try:
            for block in self.parts.blocks(path):
                if len(head) < _HEAD_BYTES:
                    head = (head + block)[:_HEAD_BYTES]
                    refuse_doctype(head, path, "XLSX")
                parser.feed(block)
                waiting += len(block)
                for _, element in parser.read_events():
                    waiting = 0
                    yield element
                if waiting > _MAX_BETWEEN_BYTES:
                    raise DocumentError(
                        f"{path} holds a row of more than {_MAX_BETWEEN_BYTES >> 20} MiB", "limit"
                    )
            if head:
                parser.close()
        except etree.XMLSyntaxError as error:
            raise DocumentError(f"{path}: {error}", fault_status(error)) from error

    def _read(self, path: str, sheet: SheetTable) -> None:
        at = hidden_rows = 0
        hidden_columns = 0
        for element in self._stream(path, "row", "mergeCell", "col"):
            kind = local(element)
            if kind == "mergeCell":
                merged = _RANGE.fullmatch(element.get("ref", ""))
                if merged:
                    sheet.merged.append(
                        (int(merged[2]) - 1, _column(merged[1]), int(merged[4]) - 1, _column(merged[3]))
                    )
            elif kind == "col":
                if element.get("hidden") in ("1", "true"):
                    first, last = _integer(element.get("min")), _integer(element.get("max"))
                    hidden_columns += max(1, last - first + 1) if last < 16_000 else 0
            else:
                at = _integer(element.get("r")) or at + 1
                if element.get("hidden") in ("1", "true") and len(element):
                    hidden_rows += 1
                self._row(element, at - 1, sheet)
                if self.cut:
                    break
                # What was read goes, with the empty shells of the rows before it.
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        where = shortened(sheet.name, 40)
        if hidden_rows:
            self.notes[f"hidden rows read on {where}: {hidden_rows:,}"] += 1
        if hidden_columns:
            self.notes[f"hidden columns read on {where}: {hidden_columns:,}"] += 1

    def _row(self, row: etree._Element, number: int, sheet: SheetTable) -> None:
        column = -1
        for cell in row.iterchildren("{*}c"):
            place = _PLACE.fullmatch(cell.get("r", ""))
            column = _column(place[1]) if place else column + 1
            if self._left <= 0:
                self.cut = True
                self.notes[f"only the first {MAX_SHEET_CELLS:,} cells were read"] = 1
                return
            self._left -= 1
            put(sheet.rows, number, column, self._shown(cell))

    def _shown(self, cell: etree._Element) -> str:
        kind, value, formula = cell.get("t", "n"), "", False
        for child in cell:
            name = child.tag[child.tag.rfind("}") + 1 :]
            if name == "v":
                value = child.text or ""
            elif name == "is":
                return _string(child)
            elif name == "f":
                formula = True
        if formula and not value and kind != "str":
            self.notes["formulas without a kept value left out:"] += 1
            return ""
        if kind == "s":
            at = _integer(value, -1)
            return self._strings[at] if 0 <= at < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind in ("str", "e", "d") or not value:
            return _unescaped(value)
        return self._number(value, _integer(cell.get("s")))

    def _number(self, value: str, style: int) -> str:
        code = self._formats[style] if 0 <= style < len(self._formats) else ""
        if code in ("", "General") and value.isascii() and value.isdecimal() and len(value) < 11:
            return value.lstrip("0") or "0"
        try:
            number = float(value)
        except ValueError:
            return value
        return shown(number, code, from_1904=self.from_1904) if code else plain(number)

    def _beside(self, path: str, sheet: SheetTable) -> None:
        """Comments, charts and drawings of a sheet."""
        for kind, target in self.parts.relations(path).values():
            if kind in ("comments", "threadedComment"):
                sheet.after += self._comments(target)
            elif kind == "drawing":
                self._drawing(target, sheet)

    def _comments(self, path: str) -> list[str]:
        root = self.parts.xml(path)
        if root is None:
            return []
        authors = [one_line("".join(one.itertext())) for one in root.iterfind("{*}authors/{*}author")]
        found = []
        for comment in root.iter("{*}comment", "{*}threadedComment"):
            text = shortened(
                "".join(piece.text or "" for piece in comment.iter("{*}t", "{*}text")), _MAX_COMMENT_CHARS
            )
            number = _integer(comment.get("authorId"), -1)
            by = (
                authors[number]
                if 0 <= number < len(authors) and not authors[number].startswith("tc=")
                else ""
            )
            if text:
                found.append(f"Comment{' by ' + by if by else ''} on {comment.get('ref', 'a cell')}: {text}")
        return found

    def _drawing(self, path: str, sheet: SheetTable) -> None:
        root = self.parts.xml(path)
        if root is None:
            return
        relations = self.parts.relations(path)
        for body in root.iter("{*}txBody"):
            text = one_line(" ".join("".join(p.itertext()) for p in body.iter("{*}p")))
            if text:
                sheet.after.append(text)
        for picture in root.iter("{*}pic"):
            names = picture.find(".//{*}cNvPr")
            said = one_line(names.get("descr", "")) if names is not None else ""
            if said and said.lower() not in EMPTY_WORDS:
                sheet.after.append(f"Picture: {said}")
            self.notes["pictures left out:"] += 1
        for kind, target in relations.values():
            if kind == "chart" and (chart := self.parts.xml(target)) is not None:
                sheet.after.append(chart_text(chart, with_values=False))


def _string(element: etree._Element) -> str:
    """Rich text without the phonetic guides of Japanese."""
    parts = []
    for text in element.iter("{*}t"):
        above = text.getparent()
        if local(above) == "rPh":
            continue
        align = above.find("{*}rPr/{*}vertAlign")
        is_raised = align is not None and align.get("val") == "superscript"
        parts.append(marked(text.text or "") if is_raised else text.text or "")
    return _unescaped(written("".join(parts)))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _char(int(match[1], 16)), text) if "_x" in text else text


def _char(point: int) -> str:
    return " " if point < 32 or 0xD800 <= point < 0xE000 else chr(point)


@lru_cache(maxsize=20_000)
def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _integer(text: str | None, default: int = 0) -> int:
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else default
