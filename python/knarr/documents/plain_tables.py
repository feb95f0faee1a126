"""Tables in plain text: where they are, which line names their columns, and where their rows begin.

The text stays as it is; the records keep rows whole and heads with them. Four kinds are recognised: grids of `+--+`
and `|`, columns below a line of dashes ("=====  ====="), columns of figures that white parts in every line, and lines
of the same number of fields between tabs, semicolons or commas. Prose, lists, code and contents lists with dot leaders
are none: each kind asks for several lines of one shape that prose has not.

Cost: each line is looked at a few times; a run of lines is looked at once for its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from knarr.documents.sections import Table

_MOST_LINES = 200_000
_LINE_CHARS = 1_000
_FEWEST_ROWS, _FEWEST_FIELDS, _FIELD_CHARS = 3, 3, 60
_BORDER = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
_DASHES = re.compile(r"\s*(?:[-=]{2,}\s+)+[-=]{2,}\s*")
_GAP = re.compile(r"\s{2,}|\t")
_FIGURE = re.compile(r"[$€£¥(+–—−-]*\d[\d.,' ]*[%)]*|[–—-]{1,2}|n/?a", re.IGNORECASE)
_YEARS = re.compile(r"(?:(?:FY ?)?(?:19|20)\d\d(?:[–/-]\d{2,4})?\s*)+")
_LEADERS = re.compile(r"(?:\. ?){4,}|_{4,}")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|[A-Za-z][.)])\s")
_SENTENCE = re.compile(r"[.!?]\s+[A-Z]|[.!?]$")

_Found = tuple[int, int, int, list[int]]
"""First line of the header, first row, line after the last row, and the lines where rows begin."""


def plain_tables(text: str) -> tuple[Table, ...]:
    """The tables of a text, in order."""
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    begins = [0, *accumulate(len(line.encode("utf-8")) + 1 for line in lines)]
    begins[-1] = min(begins[-1], len(text.encode("utf-8")))
    tables = []
    for begin, end in _runs(lines):
        for header, body, after, rows in _tables(lines, begin, end):
            named = "".join(f"{line}\n" for line in lines[header:body])
            tables.append(Table(begins[header], begins[after], named, tuple(begins[row] for row in rows)))
    return tuple(tables)


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of lines without a blank one; a line too long for a table ends a run too."""
    begin = 0
    for at, line in enumerate([*lines, ""]):
        if not line.strip() or len(line) > _LINE_CHARS:
            if at - begin >= _FEWEST_ROWS:
                yield begin, at
            begin = at + 1


def _tables(lines: Sequence[str], begin: int, end: int) -> list[_Found]:
    for kind in (_grid, _dashed, _fields, _aligned):
        if found := kind(lines, begin, end):
            return [found]
    return []


def _grid(lines: Sequence[str], begin: int, end: int) -> _Found | None:
    """Cells between borders, the first of which ends the header."""
    borders = [at for at in range(begin, end) if _BORDER.fullmatch(lines[at])]
    if len(borders) < 2:
        return None
    inside = all(lines[at].lstrip().startswith(("|", "+")) for at in range(borders[0], borders[-1]))
    if not inside or borders[1] + 1 >= borders[-1]:
        return None
    body = borders[1] + 1
    known, by_border = set(borders), len(borders) > 3
    rows = [at for at in range(body, borders[-1]) if at not in known and (not by_border or at - 1 in known)]
    return (borders[0], body, borders[-1] + 1, rows) if rows else None


def _dashed(lines: Sequence[str], begin: int, end: int) -> _Found | None:
    """Columns below heads that a line of dashes underlines."""
    rule = next((at for at in range(begin, min(end, begin + 4)) if _DASHES.fullmatch(lines[at])), None)
    if rule is None:
        return None
    if rule == begin:  # a line of dashes above the heads too
        rule = next(
            (at for at in range(begin + 1, min(end, begin + 5)) if _DASHES.fullmatch(lines[at])), rule
        )
        if rule == begin:
            return None
    rows = [at for at in range(rule + 1, end) if not _DASHES.fullmatch(lines[at]) and lines[at][:1].strip()]
    parted = sum(len(_cells(lines[at])) > 1 for at in rows)
    return (begin, rule + 1, end, rows) if len(rows) >= 2 and 2 * parted >= len(rows) else None


def _fields(lines: Sequence[str], begin: int, end: int) -> _Found | None:
    """The same number of short fields in every line, between tabs, semicolons or commas."""
    run = range(begin, end)
    parts: Sequence[Callable[[str], list[str]]] = [
        lambda line: line.split("\t"),
        lambda line: line.split(";"),
        lambda line: line.split(","),
    ]
    for part in parts:
        counts = {len(part(lines[at])) for at in run}
        if len(counts) != 1 or counts.pop() < _FEWEST_FIELDS:
            continue
        fields = [field.strip() for at in run for field in part(lines[at])]
        short = all(len(field) <= _FIELD_CHARS for field in fields)
        prose = any(_SENTENCE.search(lines[at]) or _ITEM.match(lines[at]) for at in run)
        figures = sum(bool(_FIGURE.fullmatch(field)) for field in fields)
        if short and not prose and figures >= len(run) - 1:
            return begin, begin + 1, end, list(range(begin + 1, end))
    return None


def _aligned(lines: Sequence[str], begin: int, end: int) -> _Found | None:
    """Rows of figures in columns that white parts in every row, below the line that names them."""
    rows = [at for at in range(begin, end) if _states_figures(lines[at])]
    if len(rows) > 1 and _YEARS.fullmatch(" ".join(_cells(lines[rows[0]])[1:])):
        del rows[0]
    if len(rows) < _FEWEST_ROWS or any(_LEADERS.search(lines[at]) or _ITEM.match(lines[at]) for at in rows):
        return None
    first, last = rows[0], rows[-1] + 1
    if 2 * len(rows) < last - first or not _columns([lines[at] for at in rows]):
        return None
    header = first
    while header > begin and first - header < 3 and len(_cells(lines[header - 1])) > 1:
        header -= 1
    return header, first, last, list(range(first, last))


def _states_figures(line: str) -> bool:
    cells = _cells(line)
    return len(cells) > 1 and any(_FIGURE.fullmatch(cell) for cell in cells[1:])


def _columns(rows: Sequence[str]) -> bool:
    """Whether white goes down through (nearly) all of the rows, left of their figures."""
    width = max(map(len, rows))
    filled = [0] * (width + 1)
    for row in rows:
        for at, char in enumerate(row.expandtabs()[:width]):
            filled[at] += char != " "
    most = len(rows) // 10
    edges = [at for at in range(1, width) if filled[at - 1] <= most < filled[at]]
    return bool(edges and edges[-1] > 1)


def _cells(line: str) -> list[str]:
    return [cell for cell in _GAP.split(line.strip()) if cell]
