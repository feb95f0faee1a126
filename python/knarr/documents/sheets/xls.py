"""XLS, the workbooks of Excel before 2007, by xlrd (extra `office`)."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING

from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.sections import Document
from knarr.documents.sheets.numbers import plain, shown
from knarr.documents.sheets.tables import MAX_SHEET_CELLS, SheetTable, put, write_sheet
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

if TYPE_CHECKING:
    from xlrd.book import Book
    from xlrd.sheet import Cell as XlsCell
    from xlrd.sheet import Sheet

_MAX_BYTES = 64 << 20
_VISIBLE = 0
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an old workbook. Raises DocumentError, with status "unsupported" where xlrd is not installed."""
    if len(data) > _MAX_BYTES:
        raise DocumentError(f"{name}: {len(data):,} bytes, the limit for XLS is {_MAX_BYTES:,}", "limit")
    book = _opened(data, name)
    notes: Counter[str] = Counter()
    writer = MarkdownWriter()
    left = MAX_SHEET_CELLS
    for sheet in book.sheets():
        found = SheetTable(one_line(sheet.name) or "Sheet", hidden=sheet.visibility != _VISIBLE)
        left = _read(book, sheet, found, left, notes)
        if found.hidden:
            notes[f"hidden sheet read: {shortened(found.name, 40)}"] += 1
        if found.rows:
            write_sheet(writer, found)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the workbook holds no text", "no_text")
    notes["charts, pictures and comments of old Excel files are not read"] = 1
    document = writer.document("xls", "", said(notes))
    document.status = "ok" if left > 0 else "partial"
    return document


def _opened(data: bytes, name: str) -> Book:
    try:
        import xlrd
    except ImportError:
        raise DocumentError(
            f"{name}: an old Excel file; pip install 'knarr[office]'", "unsupported"
        ) from None
    try:
        return xlrd.open_workbook(
            file_contents=data, formatting_info=True, logfile=io.StringIO(), on_demand=False
        )
    except NotImplementedError:
        return xlrd.open_workbook(file_contents=data, logfile=io.StringIO())
    except MemoryError:
        raise
    # xlrd meets damage with whatever exception comes of it.
    except Exception as error:
        if "encrypted" in str(error).lower():
            raise DocumentError(f"{name}: the file is protected by a password", "encrypted") from None
        raise DocumentError(f"{name}: not a whole XLS file ({type(error).__name__}: {error})") from error


def _read(book: Book, sheet: Sheet, found: SheetTable, left: int, notes: Counter[str]) -> int:
    """Read the cells of a sheet; how many may still be read of the next ones."""
    for number in range(sheet.nrows):
        row = sheet.row(number)
        left -= len(row)
        if left < 0:
            notes[f"only the first {MAX_SHEET_CELLS:,} cells were read"] = 1
            return 0
        for column, cell in enumerate(row):
            if cell.ctype not in (0, 6):
                put(found.rows, number, column, _shown(book, cell))
        information = sheet.rowinfo_map.get(number)
        if information is not None and information.hidden and number in found.rows:
            notes[f"hidden rows read on {shortened(found.name, 40)}:"] += 1
    for top, bottom, first, last in sheet.merged_cells:
        found.merged.append((top, first, bottom - 1, last - 1))
    return left


def _shown(book: Book, cell: XlsCell) -> str:
    value = cell.value
    if cell.ctype == _TEXT:
        return str(value)
    if cell.ctype == _BOOLEAN:
        return "TRUE" if value else "FALSE"
    if cell.ctype == _ERROR:
        from xlrd import error_text_from_code

        return str(error_text_from_code.get(value, "#ERROR"))
    code = ""
    if cell.xf_index is not None and cell.xf_index < len(book.xf_list):
        format = book.format_map.get(book.xf_list[cell.xf_index].format_key)
        code = format.format_str if format is not None else ""
    if cell.ctype == _DATE and not code:
        code = "yyyy-mm-dd hh:mm" if value % 1 else "yyyy-mm-dd"
    if code in ("m/d/yy", "m/d/yyyy", "mm-dd-yy"):
        code = "yyyy-mm-dd"  # the short date, whose order depends on the reader
    return shown(value, code, from_1904=book.datemode == 1) if code and code != "General" else plain(value)
