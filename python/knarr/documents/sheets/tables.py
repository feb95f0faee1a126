"""The tables on a sheet, and the sheet as a section.

A sheet is a plane on which people put several tables, titles above them and notes below. Blank rows part it into
bands, and a band goes on with the table above it unless it begins with a header of its own: reports leave rows blank
for the eye. Blank columns part a band only where both sides are tables by themselves, each with names of columns
and of rows, since blank columns too serve the eye.

A row must say by itself what its figures are, so a merged cell's label stands in all its places, and two
header rows become one. A table without names gets the letters of its columns. Cost: linear in the cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from knarr.documents.characters import plain_characters
from knarr.documents.tables import pipe_text
from knarr.documents.writer import MarkdownWriter
from knarr.language.plain import one_line

MAX_SHEET_CELLS = 2_500_000
_MAX_MERGED = 200_000
_MAX_HEADS = 3
# One wide row must not widen all others: a table has at most so many places, or so many for each cell.
_MAX_PLACES = 500_000
_MAX_EMPTY = 8
_LONG_CHARS = 60
_NAME_CHARS = 200
_UNIT_CHARS = 16
_FIGURE = re.compile(
    r"[-+(]?\s?[$€£¥₹]?\s?[-+]?\d[\d.,\s'’]*(?:[eE][-+]?\d+)?\s?(?:%|[$€£¥₹]|[A-Z]{3})?\)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
    r"(?:[ T]\d{1,2}:\d{2}(?::\d{2})?.{0,6})?"
)
_YEAR = re.compile(r"(?:19|20)\d\d")

Row = dict[int, str]


@dataclass(slots=True)
class SheetTable:
    """A sheet as its cells show it: row number to column to text, both from 0, no blank ones.

    merged:  ranges (top, left, bottom, right), ends included, whose text stands in the first cell
    hidden:  whether the reader sees the sheet only when asking for it
    after:   lines that follow the tables: charts, comments, pictures with their text
    """

    name: str
    rows: dict[int, Row] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden: bool = False
    after: list[str] = field(default_factory=list)
    named_header: bool | None = None  # whether the first row names the columns, where that is known


def put(rows: dict[int, Row], row: int, column: int, text: str) -> None:
    """Write a cell; one without text is none."""
    if not (text.isascii() and text.isalnum()):
        text = one_line(plain_characters(text))
    if text:
        rows.setdefault(row, {})[column] = text


def write_sheet(writer: MarkdownWriter, sheet: SheetTable, *, heading: bool = True) -> None:
    """The sheet as a section with its tables, in order."""
    writer.gap()
    if heading:
        writer.heading(1, sheet.name + (" (hidden sheet)" if sheet.hidden else ""), sheet.name)
    heads = _spread(sheet)
    for table in _tables(sheet, heads):
        _write(writer, table, sheet, heads)
    for line in sheet.after:
        writer.gap()
        writer.put(f"{line}\n")


@dataclass(slots=True)
class _Band:
    """Rows by number that hold one table, with what they show between `left` and `right`."""

    numbers: list[int]
    left: int
    right: int

    def cells(self, row: Row) -> list[tuple[int, str]]:
        return [(at, text) for at, text in sorted(row.items()) if self.left <= at <= self.right]


def _spread(sheet: SheetTable) -> dict[int, int]:
    """Repeat merged labels in all their places; by row the last row that a header beginning there covers."""
    left = _MAX_MERGED
    heads: dict[int, int] = {}
    for top, first, bottom, last in sheet.merged:
        text = sheet.rows.get(top, {}).get(first, "")
        cells = (bottom - top + 1) * (last - first + 1)
        if not text or cells <= 1 or len(text) > _NAME_CHARS or cells > left:
            continue
        used = sheet.rows.get(top, {})
        others = [at for at in used if not first <= at <= last]
        if not others and last > first:
            continue  # a title over the whole width says its words once
        if last > first and is_figure(text) and not _YEAR.fullmatch(text):
            last = first  # a figure across columns is one figure
        left -= cells
        if last > first:
            heads[top] = max(heads.get(top, top), bottom + 1)
        for row in range(top, bottom + 1):
            if row in sheet.rows or last > first:
                for column in range(first, last + 1):
                    sheet.rows.setdefault(row, {}).setdefault(column, text)
    return heads


def _tables(sheet: SheetTable, heads: dict[int, int]) -> list[_Band]:
    bands: list[_Band] = []
    numbers = sorted(number for number, row in sheet.rows.items() if row)
    begin = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] > numbers[at - 1] + 1:
            _take(sheet, bands, numbers[begin:at])
            begin = at
    return [part for band in bands for part in _beside(sheet, band)]


def _take(sheet: SheetTable, bands: list[_Band], numbers: list[int]) -> None:
    columns = [at for number in numbers for at in sheet.rows[number]]
    band = _Band(numbers, min(columns), max(columns))
    above = bands[-1] if bands else None
    if above is not None and len(above.numbers) > 1 and above.right > above.left:
        inside = above.left <= band.left and band.right <= above.right
        if inside and band.right > band.left and not _names(sheet, band):
            above.numbers += numbers
            return
    bands.append(band)


def _names(sheet: SheetTable, band: _Band) -> bool:
    """Whether a band begins with the names of columns, perhaps below a title: a row of several different words."""
    rows = [band.cells(sheet.rows[number]) for number in band.numbers[:4]]
    wide = next((at for at, row in enumerate(rows) if len(row) > 1), None)
    if wide is None:
        return True
    texts = [text for _, text in rows[wide]]
    words = [text for text in texts if not is_figure(text) or _YEAR.fullmatch(text)]
    if len(words) < len(texts) or len(set(texts)) < len(texts) or wide + 1 >= len(rows):
        return wide > 0
    below = [text for row in rows[wide + 1 :] for _, text in row]
    return wide > 0 or any(map(is_figure, below)) or len(texts) > 2


def _beside(sheet: SheetTable, band: _Band) -> list[_Band]:
    """The tables that stand side by side in a band: itself, unless a blank column parts tables in their own right."""
    used = sorted({at for number in band.numbers for at, _ in band.cells(sheet.rows[number])})
    parts: list[tuple[int, int]] = []
    begin = 0
    for at in range(1, len(used) + 1):
        if at == len(used) or used[at] > used[at - 1] + 1:
            parts.append((used[begin], used[at - 1]))
            begin = at
    if len(parts) < 2:
        return [band]
    found = []
    for left, right in parts:
        rows = [n for n in band.numbers if any(left <= at <= right for at in sheet.rows[n])]
        found.append(_Band(rows, left, right))
    apart = len({part.numbers[0] for part in found}) == len(found)
    return found if all(_stands(sheet, part, apart) for part in found) else [band]


def _stands(sheet: SheetTable, part: _Band, apart: bool) -> bool:
    """Whether columns are a table of their own: they have names in the first row, and words in the first column
    unless they begin in a row of their own."""
    rows = [part.cells(sheet.rows[number]) for number in part.numbers]
    if part.right == part.left or len(rows) < 2 or any(is_figure(text) for _, text in rows[0]):
        return False
    labels = [row[0][1] for row in rows[1:] if row[0][0] == part.left]
    return apart or (len(labels) >= (len(rows) - 1) / 2 and sum(map(is_figure, labels)) < len(labels) / 2)


def is_figure(text: str) -> bool:
    """Whether a text is a number, an amount or a date."""
    return len(text) <= 40 and _FIGURE.fullmatch(text) is not None


def _write(writer: MarkdownWriter, band: _Band, sheet: SheetTable, heads: dict[int, int]) -> None:
    rows = [(number, cells) for number in band.numbers if (cells := band.cells(sheet.rows[number]))]
    columns = sorted({at for _, cells in rows for at, _ in cells})
    begin = 0
    if len(columns) > 1:
        while begin < len(rows) and len(rows[begin][1]) == 1:
            begin += 1
    end = len(rows)
    while end > begin + 1 and len(rows[end - 1][1]) == 1 and len(rows[end - 1][1][0][1]) > _LONG_CHARS:
        end -= 1
    filled = sum(len(row) for _, row in rows)
    sparse = len(columns) * len(rows) > max(_MAX_PLACES, _MAX_EMPTY * filled)
    if len(columns) == 1 or end - begin < 2 or sparse:
        begin, end = len(rows), len(rows)
    _lines(writer, rows[:begin])
    if begin < end:
        writer.gap()
        texts = [dict(row) for _, row in rows[begin:end]]
        body = [[row.get(at, "") for at in columns] for row in texts]
        _pipe(writer, body, columns, _head_rows(rows[begin:end], heads), sheet.named_header)
    _lines(writer, rows[end:])


def _lines(writer: MarkdownWriter, rows: Sequence[tuple[int, list[tuple[int, str]]]]) -> None:
    if rows:
        writer.gap()
        writer.put("".join(f"{'  '.join(text for _, text in cells)}\n" for _, cells in rows))


def _head_rows(rows: Sequence[tuple[int, list[tuple[int, str]]]], heads: dict[int, int]) -> int:
    last = heads.get(rows[0][0])
    if last is None:
        return 2 if _has_units(rows) else 1
    count = sum(number <= last for number, _ in rows[: _MAX_HEADS + 1])
    return count if count <= _MAX_HEADS and count < len(rows) else 1


def _has_units(rows: Sequence[tuple[int, list[tuple[int, str]]]]) -> bool:
    """Whether the second row says in which units the figures below are: short words above figures, under names."""
    if len(rows) < 3 or any(is_figure(text) and not _YEAR.fullmatch(text) for _, text in rows[0][1]):
        return False
    units, below = rows[1][1], dict(rows[2][1])
    if not units or any(len(text) > _UNIT_CHARS or is_figure(text) for _, text in units):
        return False
    bare = units[0][0] > rows[0][1][0][0] or all(text[0] in "([" and text[-1] in ")]" for _, text in units)
    return bare and all(is_figure(below.get(at, "0")) for at, text in units if text[0] not in "([")


def _pipe(
    writer: MarkdownWriter, body: list[list[str]], columns: list[int], heads: int, named: bool | None
) -> None:
    names = [
        " ".join(dict.fromkeys(text for row in body[:heads] if (text := row[at])))
        for at in range(len(columns))
    ]
    if not (_is_header(body) if named is None else named):
        names, heads = [letters(at) for at in columns], 0
    writer.table(pipe_text([names, *body[heads:]]))


def _is_header(body: list[list[str]]) -> bool:
    """Whether the first row names the columns: most of it words or years, where the rows below have figures."""
    texts = [text for text in body[0] if text]
    figures = [text for text in texts if is_figure(text)]
    if not figures:
        return True
    if all(_YEAR.fullmatch(text) for text in figures):
        return len(body) < 2 or not is_figure(body[0][0]) or not any(map(_YEAR.fullmatch, body[1]))
    below = [text for row in body[1:6] for text in row if text]
    return len(figures) < len(texts) / 2 and sum(map(is_figure, below)) > len(below) / 2


def letters(column: int) -> str:
    """The letters of a column, from 0: A … Z, AA …"""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text
