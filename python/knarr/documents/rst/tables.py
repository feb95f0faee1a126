"""Tables of reStructuredText, drawn with rows of marks, as rows of cells.

A grid table draws every border; its cells may span columns and rows. A simple table draws its columns by gaps in a row of
``=``; a line whose first column is empty goes on with the row above. Places are columns on a screen, where an
ideograph takes two. What is drawn crooked is no table (None), and its lines stay as they are.

Cost: every place of the drawing is looked at once for each row of marks or border, so linear in its area.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from knarr.documents.rst.lines import width
from knarr.documents.tables import Cell

_BORDER = re.compile(r"=+(?: +=+)+|=+")
_RUN = re.compile(r"[=-]+")
_GRID_TOP = re.compile(r"\+(?:-+\+)+")
_SPANS = re.compile(r"-+(?: +-+)*")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of a table, and how many of them name its columns."""

    rows: list[list[Cell]]
    heads: int


def is_grid(line: str) -> bool:
    """Whether a line is the top of a grid table."""
    return bool(_GRID_TOP.fullmatch(line))


def is_border(line: str) -> bool:
    """Whether a line is the top of a simple table: two columns at least."""
    return line.startswith("=") and " " in line and bool(_BORDER.fullmatch(line))


def simple_end(lines: Sequence[str], at: int) -> int:
    """The line after a simple table that begins at `at`: after the border that a blank line follows."""
    borders = 0
    for line in range(at + 1, len(lines)):
        if lines[line].startswith("=") and _BORDER.fullmatch(lines[line]):
            borders += 1
            if borders == 2 or line + 1 == len(lines) or not lines[line + 1]:
                return line + 1
    return at


@dataclass(slots=True)
class _Open:
    """A cell of a grid that is still being drawn."""

    first: int
    last: int
    row: int
    lines: list[str] = field(default_factory=list)
    rows: int = 1


def grid_table(drawing: Sequence[str]) -> Drawn | None:
    lines = [_padded(line) for line in drawing]
    size = len(lines[0])
    if any(len(line) != size for line in lines) or len(lines) < 3:
        return None
    marks = sorted({at for line in lines if _is_parting(line) for at, char in enumerate(line) if char == "+"})
    columns = list(pairwise(marks))
    rows: list[list[tuple[int, Cell]]] = [[]]
    cells: list[_Open] = []
    heads = 0
    for line in lines[1:]:
        if not _is_parting(line):
            _fill(line, cells, columns, len(rows) - 1)
            continue
        closed = [cell for cell in cells if _closes(line, cell, columns)]
        heads = len(rows) if "=" in line and not line.strip("+=") else heads
        for cell in closed:
            text = "\n".join(part.replace("\0", "").strip() for part in cell.lines)
            rows[cell.row].append((cell.first, Cell(text.strip(), cell.last - cell.first + 1, cell.rows)))
        cells = [cell for cell in cells if cell not in closed]
        for cell in cells:
            cell.rows += 1
        if closed:
            rows.append([])
    if cells or len(rows) < 2:
        return None
    return Drawn([[cell for _, cell in sorted(row, key=lambda one: one[0])] for row in rows[:-1]], heads)


def _padded(line: str) -> str:
    """The line with a filler after each ideograph, so that places are columns on a screen."""
    return line if line.isascii() else "".join(char + "\0" if width(char) == 2 else char for char in line)


def _is_parting(line: str) -> bool:
    return "+-" in line or "+=" in line


def _closes(line: str, cell: _Open, columns: Sequence[tuple[int, int]]) -> bool:
    begin, end = columns[cell.first][0] + 1, columns[cell.last][1]
    if line[begin:end].strip("+-="):
        # The cell goes on below this row of marks, which belongs to its neighbours.
        cell.lines.append(line[begin:end])
        return False
    return True


def _fill(line: str, cells: list[_Open], columns: Sequence[tuple[int, int]], row: int) -> None:
    """Open the cells that begin in this line, and give each open one its part of it."""
    taken = {at for cell in cells for at in range(cell.first, cell.last + 1)}
    at = 0
    while at < len(columns):
        if at in taken:
            at += 1
            continue
        last = at
        while last + 1 < len(columns) and last + 1 not in taken and line[columns[last][1]] not in "|+":
            last += 1
        cells.append(_Open(at, last, row))
        at = last + 1
    for cell in cells:
        cell.lines.append(line[columns[cell.first][0] + 1 : columns[cell.last][1]])


def simple_table(drawing: Sequence[str]) -> Drawn | None:
    begins = [run.start() for run in _RUN.finditer(drawing[0])]
    borders = [at for at, line in enumerate(drawing) if line.startswith("=") and _BORDER.fullmatch(line)]
    rows: list[list[list[str]]] = []
    spans: list[list[int]] = []
    heads, new = 0, True
    for at, line in enumerate(drawing[1:-1], 1):
        if at in borders[1:]:
            heads, new = len(rows), True
            continue
        if line.startswith("-") and _SPANS.fullmatch(line):
            if rows:
                spans[-1] = [run.start() for run in _RUN.finditer(line)]
            new = True
            continue
        padded = _padded(line)
        parts = [
            padded[a:b].replace("\0", "") for a, b in zip(begins, [*begins[1:], len(padded)], strict=True)
        ]
        if not line:
            new = new or bool(rows)
            continue
        if any(begin < len(padded) and begin and padded[begin - 1] != " " for begin in begins):
            parts = []  # a text over several columns, told apart below
        if rows and not line[: begins[1] if len(begins) > 1 else 1].strip():
            _append(rows[-1], parts, padded, begins)
        else:
            rows.append([[] for _ in begins])
            spans.append(begins)
            _append(rows[-1], parts, padded, begins)
        new = False
    drawn = [_spanned(row, span, begins) for row, span in zip(rows, spans, strict=True)]
    return Drawn(drawn, heads) if drawn else None


def _append(row: list[list[str]], parts: Sequence[str], line: str, begins: Sequence[int]) -> None:
    if not parts:
        # Words that stand across a border belong to the column in which they begin.
        edges = [begin for begin in begins if begin < len(line) and (not begin or line[begin - 1] == " ")]
        for left, right in zip(edges, [*edges[1:], len(line)], strict=True):
            row[begins.index(left)].append(line[left:right].replace("\0", "").strip())
        return
    for cell, part in zip(row, parts, strict=True):
        cell.append(part.strip())


def _spanned(row: Sequence[Sequence[str]], span: Sequence[int], begins: Sequence[int]) -> list[Cell]:
    """The cells of a row; the row of ``-`` below it joins columns."""
    cells: list[Cell] = []
    for begin, cell in zip(begins, row, strict=True):
        text = (
            "\n".join(filter(None, cell)).replace("\\", "")
            if list(cell) == ["\\"]
            else "\n".join(filter(None, cell))
        )
        if cells and begin not in span:
            last = cells[-1]
            cells[-1] = Cell(f"{last.text} {text}".strip(), last.columns + 1)
        else:
            cells.append(Cell(text))
    return cells
