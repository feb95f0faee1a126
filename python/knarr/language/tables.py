"""Tables as text shows them: rows in pipes, as Markdown has them, and rows whose cells blanks or tabs set apart, as pages
of a PDF give them.

A table here is its header rows, its rows with the label in the first cell, and the caption above. A header may take
several rows ("Sales" over "2023" and "2024"): a header cell then carries the names above it, and one name above several
columns counts for each. Blank cells stay blank. In columns set apart by blanks, a blank cell has left no trace, so a row
with fewer cells than the header has unknown columns: its `fault` says so, and nothing is guessed.

One pass over the lines; the cost is linear in the text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableCell:
    """``text[begin:end]`` of the text that was read, in characters, without outer white space."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row below the header.

    label:  the first cell; blank where there is none
    cells:  the others, one for each column where `fault` is ""
    fault:  why the columns of its cells are unknown
    """

    begin: int
    end: int
    label: TableCell
    cells: tuple[TableCell, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TextTable:
    """`columns` are the header of each column but the first, names of upper header rows before lower ones; empty where
    the text shows no header. `corner` is the header of the first column, `caption` the lines above."""

    begin: int
    end: int
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


_Line = tuple[int, int]  # its range, without the newline
_CAPTION_LINES = 4
_CAPTION_CHARS = 240
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:=-]*-[\s|:=-]*")
_GAP = re.compile(r"[ \u00a0]*\t[ \t\u00a0]*|[ \u00a0]{2,}")
_FIGURE = re.compile(r"[-–−(]?\s?(?:US\$|[$€£¥])?\s?[-–−(]?\.?\d[\d,. ]*\)?\s?(?:%|x|pp|bps|pts?)?\)?%?")
_NOTHING = re.compile(r"[-–—*]{1,3}|n/?[am]\.?|nil|[$€£]\s?[-–—]")
_YEAR = re.compile(r"(?:FY|CY)?\s?['’]?(?:19|20)\d\d[AE]?|(?:FY|CY)\s?['’]?\d\d")
_DATED = re.compile(
    r"[A-Z][a-z]{2,8}\.? \d{1,2},?(?: (?:19|20)\d\d)?,?|\d{1,2} [A-Z][a-z]{2,8}(?: (?:19|20)\d\d)?"
)
_CELL_CHARS = 64


def tables(text: str) -> list[TextTable]:
    """The tables of a text, in order."""
    lines = list(_lines(text))
    found: list[TextTable] = []
    at = last = 0
    while at < len(lines):
        if text[lines[at][0] : lines[at][1]].lstrip().startswith("|"):
            end = at
            while end < len(lines) and text[lines[end][0] : lines[end][1]].lstrip().startswith("|"):
                end += 1
            table = _piped(text, lines[at:end], _caption(text, lines, at, last))
            at = last = end
        elif _is_columns(text, lines[at]):
            end = _block_end(text, lines, at)
            table = _aligned(text, lines[at:end], _caption(text, lines, at, last))
            last = end if table else last
            at = end
        else:
            at += 1
            continue
        if table is not None:
            found.append(table)
    return found


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    while at <= len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        yield at, end
        at = end + 1


def _caption(text: str, lines: Sequence[_Line], at: int, floor: int) -> str:
    """The few lines above a table, the nearest last."""
    kept: list[str] = []
    for begin, end in reversed(lines[max(floor, at - 2 * _CAPTION_LINES) : at]):
        line = text[begin : min(end, begin + _CAPTION_CHARS)].strip(" \t#*_")
        if line:
            kept.append(line)
        if len(kept) == _CAPTION_LINES:
            break
    return " / ".join(reversed(kept))


# ------------------------------------------------------------------ rows in pipes


def _piped(text: str, lines: Sequence[_Line], caption: str) -> TextTable | None:
    split = [_pipe_cells(text, line) for line in lines]
    rule = next((at for at in range(len(lines)) if _is_rule(text, lines[at])), -1)
    body = rule + 1
    while rule >= 0 and body < len(lines) and _goes_on_header(split[body]):
        body += 1
    header = [cells for at, cells in enumerate(split[:body]) if at != rule]
    width = max((len(cells) for cells in header), default=0)
    names = _stacked([[cell.text for cell in cells] for cells in header], width)
    rows = tuple(
        _row(lines[at], split[at][0], split[at][1:], width - 1 if names else -1)
        for at in range(body, len(lines))
        if split[at] and not _is_rule(text, lines[at])
    )
    if not rows and not names:
        return None
    return TextTable(lines[0][0], lines[-1][1], caption, names[0] if names else "", tuple(names[1:]), rows)


def _is_rule(text: str, line: _Line) -> bool:
    return _RULE.fullmatch(text, line[0], line[1]) is not None


def _pipe_cells(text: str, line: _Line) -> list[TableCell]:
    begin, end = line
    bars = [match.start() for match in _PIPE.finditer(text, begin, end)]
    if text[bars[-1] + 1 : end].strip():
        bars.append(end)
    return [_cell(text, left + 1, right) for left, right in itertools.pairwise(bars)]


def _cell(text: str, begin: int, end: int) -> TableCell:
    piece = text[begin:end]
    stripped = piece.strip()
    left = begin + len(piece) - len(piece.lstrip()) if stripped else begin
    return TableCell(left, left + len(stripped), stripped)


def _goes_on_header(cells: Sequence[TableCell]) -> bool:
    """Whether the row below the rule is one more row of the header: no label, and names or years in its cells."""
    told = [cell.text for cell in cells[1:] if cell.text]
    return bool(cells) and not cells[0].text and bool(told) and all(not _is_value(cell) for cell in told)


def _stacked(header: Sequence[Sequence[str]], width: int) -> list[str]:
    """One name for each column. In every row but the last, a name counts for the blank cells after it, which a cell that
    spans columns leaves."""
    names: list[list[str]] = [[] for _ in range(width)]
    for at, cells in enumerate(header):
        last = ""
        for column in range(width):
            cell = cells[column] if column < len(cells) else ""
            last = cell or (last if at < len(header) - 1 and column > 1 else "")
            if last and last not in names[column]:
                names[column].append(last)
    return [" ".join(parts) for parts in names] if any(names) else []


def _row(line: _Line, label: TableCell, cells: Sequence[TableCell], width: int) -> Row:
    fault = ""
    if width < 0:
        fault = "the header of its table is not shown"
    elif len(cells) != width:
        fault = f"{len(cells)} cells stand under {width} column names"
    elif not label.text:
        fault = "its row has no label"
    return Row(line[0], line[1], label, tuple(cells), fault)


# ------------------------------------------------------------------ columns set apart by blanks


def _is_value(cell: str) -> bool:
    """A figure and no year: what stands below a header."""
    return bool(_FIGURE.fullmatch(cell) or _NOTHING.fullmatch(cell)) and not _YEAR.fullmatch(cell)


def _is_columns(text: str, line: _Line) -> bool:
    cells = _gap_cells(text, line)
    return len(cells) > 1 and all(len(cell.text) <= _CELL_CHARS for cell in cells[1:])


def _gap_cells(text: str, line: _Line) -> list[TableCell]:
    """The cells of a line; a currency sign, a bracket or a per cent sign alone belongs to the figure beside it."""
    found: list[TableCell] = []
    begin, end = line
    while begin < end and text[begin] in " \t\u00a0":
        begin += 1
    for gap in _GAP.finditer(text, begin, end):
        if gap.start() > begin:
            found.append(_cell(text, begin, gap.start()))
        begin = gap.end()
    if begin < end and text[begin:end].strip():
        found.append(_cell(text, begin, end))
    joined: list[TableCell] = []
    for cell in found:
        before = joined[-1] if joined else None
        opens = before is not None and before.text in ("$", "€", "£", "(", "$(")
        closes = before is not None and cell.text in (")", "%", ")%") and len(joined) > 1
        if before is not None and (opens or closes):
            joined[-1] = TableCell(before.begin, cell.end, text[before.begin : cell.end])
        else:
            joined.append(cell)
    return joined


def _block_end(text: str, lines: Sequence[_Line], at: int) -> int:
    """Where a run of lines in columns ends: at two lines in sequence without columns, or a heading. A single label
    ("Operating expenses:") or a blank line stands inside of tables."""
    end, loose = at + 1, 0
    while end < len(lines) and loose < 3:
        if text.startswith("#", lines[end][0]) or text.startswith("|", lines[end][0]):
            break
        long = lines[end][1] - lines[end][0] > 90
        if _is_columns(text, lines[end]):
            loose = 0
        elif long:
            break
        else:
            loose += 1
        end += 1
    return end - loose if end < len(lines) or loose else end


def _aligned(text: str, lines: Sequence[_Line], caption: str) -> TextTable | None:
    """A table in columns, with the header that stands first; None where no row of figures follows."""
    split = [_gap_cells(text, line) for line in lines]
    body = next((at for at, cells in enumerate(split) if _has_values(cells)), len(lines))
    header = [[cell.text for cell in cells] for cells in split[:body] if cells]
    corner, columns = _aligned_header(header)
    rows = []
    group = columns
    for at in range(body, len(lines)):
        cells = split[at]
        if _has_values(cells):
            rows.append(_aligned_row(lines[at], cells, group))
        elif len(cells) > 1 and any(cell.text for cell in cells[1:]):
            # Another header: what follows stands under names that are not those of the table.
            group = _aligned_header([[cell.text for cell in cells]])[1]
            if group != columns:
                group = ()
    if not rows:
        return None
    return TextTable(lines[0][0], lines[-1][1], caption, corner, columns, tuple(rows))


def _has_values(cells: Sequence[TableCell]) -> bool:
    told = (
        [cell.text for cell in cells[1:]]
        if cells and not _is_value(cells[0].text)
        else [one.text for one in cells]
    )
    return len(cells) > 1 and bool(told) and all(_is_value(one) or _YEAR.fullmatch(one) for one in told) and any(
        _is_value(one) for one in told
    )  # fmt: skip


def _aligned_header(header: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The corner and the name of each column. The last row says how many columns there are; a row above it counts for
    them where it has as many names, or a number of names that divides theirs."""
    rows = [list(cells) for cells in header if len(cells) > 1]
    if not rows:
        return "", ()
    last = rows[-1]
    headed = all(_YEAR.fullmatch(cell) or _DATED.fullmatch(cell) for cell in last)
    corner = "" if headed else last[0]
    width = len(last) if headed else len(last) - 1
    names: list[list[str]] = [[] for _ in range(width)]
    for cells in rows:
        told = cells[1:] if len(cells) == width + 1 else cells
        if width % len(told):
            return corner, ()
        for column in range(width):
            names[column].append(told[column * len(told) // width])
    above = [cells[0] for cells in header if len(cells) == 1]
    corner = " ".join([*above[-1:], corner]).strip()
    return corner, tuple(" ".join(parts) for parts in names)


def _aligned_row(line: _Line, cells: Sequence[TableCell], columns: Sequence[str]) -> Row:
    label = cells[0]
    if _is_value(label.text):
        return Row(line[0], line[1], TableCell(line[0], line[0], ""), tuple(cells), "its row has no label")
    return _row(line, label, cells[1:], len(columns) if columns else -1)
