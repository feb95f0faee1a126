"""The cells of a table in a PDF under each other, by where they stand on the page.

A row of a page says nothing of its blank cells; a figure belongs to the column that it stands in. Columns are
the places where cells of the body overlap from row to row, whichever side they are aligned on; labels at the
left edge are as long as they like, so they make a column of their own. Heads stand over one column or over
several, which all get their words. Where two cells of one row would share a column, the table is none that
places explain, and its lines stay as they are.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.tables import TextRow, is_figure, is_unit
from knarr.documents.tables import Cell, TableText, table_text

Place = tuple[float, float]
_NEAR = 1.0
_LABEL_ENDS = (":", ".", ";")


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table as pipe rows. `above`: lines with units that stand before it; `from_rows`: for each body row of the
    text, the index of the body line in which it begins."""

    above: tuple[str, ...]
    text: TableText
    from_rows: tuple[int, ...]


def placed_table(header: Sequence[TextRow], body: Sequence[TextRow]) -> PlacedTable | None:
    """The lines of a table as one whose cells are in columns; None where places do not make columns."""
    columns = _Columns(body)
    rows = [columns.row(line) for line in body]
    placed = [row for row in rows if row is not None]
    if len(placed) < len(rows) or columns.count < 2:
        return None
    if not header and not (columns.count > 2 and any(_has_hole(row) for row in placed)):
        return None
    units = 0
    while units < len(header) and len(header[units].cells) == 1 and is_unit(header[units].text):
        units += 1
    merged, begins = _whole_labels(placed)
    heads = columns.heads(header[units:])
    # Without heads an empty first row keeps its place: a pipe table has a header.
    text = table_text([[Cell(cell) for cell in row] for row in [heads or [" "] * columns.count, *merged]])
    if text is None or len(text.row_begins) != len(merged):
        return None
    return PlacedTable(tuple(row.text for row in header[:units]), text, tuple(begins))


def _has_hole(row: Sequence[str]) -> bool:
    """Whether a cell with a filled one right of it is blank."""
    filled = [at for at, cell in enumerate(row) if cell]
    return bool(filled) and filled[-1] + 1 > len(filled)


class _Columns:
    """The columns of a table's body: figures and words by their places, labels at the left edge."""

    def __init__(self, body: Sequence[TextRow]) -> None:
        several = [row for row in body if len(row.cells) > 1]
        cells = [
            place
            for row in several
            for at, (cell, place) in enumerate(zip(row.cells, row.places, strict=True))
            if at or is_figure(cell)
        ]
        self._places = _merged(cells)
        self._begins = [begin for begin, _ in self._places]
        self._labels = int(any(self._is_label(row.cells[0], row.places[0]) for row in body))
        self.count = self._labels + len(self._places)

    def _is_label(self, cell: str, place: Place) -> bool:
        return not self._places or (place[0] < self._begins[0] - _NEAR and not is_figure(cell))

    def row(self, line: TextRow) -> list[str] | None:
        """A body line as cells of all columns; None where two cells would share one."""
        row = [""] * self.count
        for at, (cell, place) in enumerate(zip(line.cells, line.places, strict=True)):
            label = at == 0 and self._is_label(cell, place)
            column = 0 if label else self._labels + self._over(place)[0]
            if row[column]:
                return None
            row[column] = cell
        return row

    def heads(self, header: Sequence[TextRow]) -> list[str]:
        """One head for each column, of the words that stand above it from top to bottom; [] without header."""
        heads: list[list[str]] = [[] for _ in range(self.count)]
        for line in header:
            for cell, place in zip(line.cells, line.places, strict=True):
                if self._labels and place[1] <= self._begins[0]:
                    heads[0].append(cell)
                    continue
                for column in self._over(place, between=True):
                    heads[self._labels + column].append(cell)
        return [" ".join(words) for words in heads] if header else []

    def _over(self, place: Place, *, between: bool = False) -> range:
        """The columns that a place overlaps; where it overlaps none, the nearest one, or, when `between`, both
        that it is in the middle of."""
        begin, end = place
        first = bisect.bisect_right([right for _, right in self._places], begin)
        last = bisect.bisect_left(self._begins, end)
        if first < last:
            return range(first, last)
        if first == len(self._places):
            return range(first - 1, first)
        if first == 0:
            return range(1)
        left, right = begin - self._places[first - 1][1], self._begins[first] - end
        if between and min(left, right) > 0.5 * max(left, right):
            return range(first - 1, first + 1)
        return range(first - 1, first) if left < right else range(first, first + 1)


def _merged(places: Sequence[Place]) -> list[Place]:
    """The union of places: those that overlap become one."""
    merged: list[Place] = []
    for begin, end in sorted(places):
        if merged and begin < merged[-1][1] - _NEAR:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _whole_labels(rows: Sequence[list[str]]) -> tuple[list[list[str]], list[int]]:
    """Rows whose labels went on in the next line as one, and the first line of each.

    A line with a label alone goes on in the line below when that begins with a small letter; else it belongs to
    the line above when it begins with one itself."""
    whole: list[list[str]] = []
    begins: list[int] = []
    open_label = False
    for at, row in enumerate(rows):
        alone = bool(row[0]) and not any(row[1:])
        small = row[0][:1].islower()
        if small and open_label:
            whole[-1] = [f"{whole[-1][0]} {row[0]}", *row[1:]]
        elif small and alone and whole and whole[-1][0] and not _goes_on_below(rows, at):
            whole[-1][0] += f" {row[0]}"
        else:
            whole.append(list(row))
            begins.append(at)
        open_label = (
            alone and not row[0].endswith(_LABEL_ENDS) and (open_label or not small or begins[-1] == at)
        )
    return whole, begins


def _goes_on_below(rows: Sequence[list[str]], at: int) -> bool:
    return at + 1 < len(rows) and rows[at + 1][0][:1].islower()
