"""CSV and TSV: one table, whatever parts its fields.

The delimiter is the one that gives the first lines the same number of fields, more than one; quoted fields may hold it
and line ends. Titles above the table and notes below it, as exports have them, are lines of text. A file with
one field a line has no table to speak of, and stays text.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

from knarr.documents.characters import plain_characters
from knarr.documents.decode import Limits, decode
from knarr.documents.sections import Document
from knarr.documents.sheets.tables import MAX_SHEET_CELLS, SheetTable, write_sheet
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_DELIMITERS = ",;\t|"
_SAMPLE_LINES, _SAMPLE_CHARS = 200, 1 << 16
_MAX_FIELD_CHARS = 1 << 20
_MAX_FAULTS = 20
_LEAST_BETWEEN = 2  # records between two blank ones, where these are borders


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a table in text. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    text, notes = decoded.text, list(decoded.notes)
    declared, text = _declared(text)
    delimiter = declared or _delimiter(text, name)
    sheet = SheetTable("")
    left, blank = MAX_SHEET_CELLS, 0
    status = "ok"
    for number, fields in enumerate(_records(text, delimiter, notes)):
        left -= len(fields)
        if left < 0:
            notes.append(f"only the first {MAX_SHEET_CELLS:,} fields were read")
            status = "partial"
            break
        row = {at: cell for at, field in enumerate(fields) if (cell := one_line(plain_characters(field)))}
        if row:
            sheet.rows[number] = row
        else:
            blank += 1
    if not sheet.rows:
        raise DocumentError(f"{name}: the file holds no text", "empty")
    if len(sheet.rows) < _LEAST_BETWEEN * blank:
        # Every other record is blank: none is a border between tables.
        sheet.rows = dict(enumerate(sheet.rows.values()))
    writer = MarkdownWriter()
    write_sheet(writer, sheet, heading=False)
    document = writer.document("csv", "", tuple(dict.fromkeys(notes)))
    document.status = status
    return document


def _declared(text: str) -> tuple[str, str]:
    """The delimiter that a first line `sep=;` names for Excel, and the text without it."""
    first, _, rest = text.partition("\n")
    named = first.strip().strip('"')
    if named.lower().startswith("sep=") and len(named) == 5:
        return named[4], rest
    return ("\t", rest) if named.lower() == "sep=" else ("", text)


def _delimiter(text: str, name: str) -> str:
    sample = text[:_SAMPLE_CHARS]
    if len(text) > _SAMPLE_CHARS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, most = "\t" if name.lower().endswith((".tsv", ".tab")) else ",", 0.0
    for delimiter in _DELIMITERS:
        widths = Counter[int]()
        for number, fields in enumerate(_records(sample, delimiter, [])):
            if number >= _SAMPLE_LINES:
                break
            if any(map(str.strip, fields)):
                widths[len(fields)] += 1
        if not widths:
            continue
        width, times = max(widths.items(), key=lambda one: (one[0] > 1, one[1], one[0]))
        share = times / widths.total() if width > 1 else 0.0
        # Commas inside of numbers and sentences are common: they must be as regular as the other delimiters.
        if share > most + 1e-9:
            best, most = delimiter, share
    return best


def _records(text: str, delimiter: str, notes: list[str]) -> Iterator[list[str]]:
    """The records of a file. A quotation without an end would swallow all that follows: its line is read by itself, without
    quotation; where there are many such lines, so is the rest of the file."""
    csv.field_size_limit(_MAX_FIELD_CHARS)
    lines, at, faults = [f"{line}\n" for line in text.split("\n")], 0, 0
    while at < len(lines):
        quoted = faults < _MAX_FAULTS
        reader = csv.reader(
            lines[at:] if at else lines,
            delimiter=delimiter,
            skipinitialspace=True,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        )
        begin = 0
        try:
            for record in reader:
                if quoted and _is_open(record, lines, at + begin, at + reader.line_num):
                    raise csv.Error
                yield record
                begin = reader.line_num
            return
        except csv.Error:
            faults += 1
            yield lines[at + begin].rstrip("\r\n")[:_MAX_FIELD_CHARS].split(delimiter)
            at += begin + 1
        if faults == 1:
            notes.append("a quotation without an end: its line was read as it stands")


def _is_open(record: list[str], lines: list[str], begin: int, end: int) -> bool:
    """Whether the last record of a file goes on to the end because a quotation in it was never closed."""
    if end < len(lines) or end - begin < 2:
        return False
    marks = sum(line.count('"') for line in lines[begin:end])
    return marks % 2 == 1
