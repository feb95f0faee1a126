"""The cells of a table in a PDF under each other, by where they stand on the page.

A row of a page says nothing of its blank cells; a figure belongs to the column that it stands in. Columns are
the places where cells of the body overlap from row to row, whichever side they are aligned on; labels at the
left edge are as long as they like, so they make a column of their own. Heads stand over one column or over
several, which all get their words. Where two cells of one row would share a column, the table is none that
places explain, and its lines stay as they are.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.tables import FEWEST_ROWS, TextRow, is_figure, is_period, is_unit, is_year
from knarr.documents.tables import TableText, pipe_text

Place = tuple[float, float]
_GLUED = re.compile(r"(.*[^\s$€£¥(]) ([$€£¥(]?[$€£¥( ]{0,2}\d[\d,.]*(?: ?[)%]){0,2})")
_NEAR = 1.0
_TOUCHING = 3.0
_MUCH_NEARER, _OFF = 2.5, 4.0
_MOST_UNDER_ONE = 24
_CENTRAL, _CENTRED = 0.15, 0.04
_FAR = 1e6
_SPANNING_CHARS, _ROWS_A_SPAN = 80, 5
_WHOLE_RULE = 0.97
_LEAST_FILLED = 0.5
_FEW_CELLS, _MOST_BLANK = 2_000, 12
_UNENDED = re.compile(r"(?:[/,&–-]|\b(?:and|or|of|the|for|to|in|with|by))$")
_LABEL_ENDS = (":", ".", ";")


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table as pipe rows. `units`: lines that stand before it and say in what it counts; `header`, `body`: the lines
    it was made of, by which a table that goes on over the page knows its columns; `columns`: their number."""

    units: tuple[str, ...]
    text: TableText
    header: Sequence[TextRow]
    body: Sequence[TextRow]
    columns: int


def placed_table(
    header: Sequence[TextRow], body: Sequence[TextRow], before: PlacedTable | None = None
) -> PlacedTable | None:
    """The lines of a table as one whose cells are in columns; None where places do not make columns. With the table
    `before` they must continue it, in its columns and under its heads."""
    if before is not None:
        header = before.header
    known = [*before.body, *body] if before is not None else body
    columns = _Columns(known, header)
    placed = columns.rows(known)
    if placed is None:
        # A cell with words may reach over others of its table; figures rarely do.
        columns = _Columns(known, header, figures_only=True)
        placed = columns.rows(known)
    if placed is None or columns.count < 2 or (len(known) < FEWEST_ROWS and not columns.all_headed):
        return None
    if before is not None and columns.count != before.columns:
        return None
    if not header and not (columns.count > 2 and any(map(_has_hole, placed))):
        return None
    filled = sum(bool(cell) for row in placed for cell in row)
    if not header and filled < _LEAST_FILLED * columns.count * len(placed):
        return None
    units = 0
    while units < len(header) and len(header[units].cells) == 1 and is_unit(header[units].text):
        units += 1
    heads = columns.heads(header[units:])
    rows = _whole_labels(placed[len(known) - len(body) :])
    # Without heads an empty first row keeps their place: a pipe table has a header.
    text = pipe_text([heads or [""] * columns.count, *rows])
    return PlacedTable(tuple(row.text for row in header[:units]), text, header, body, columns.count)


def _has_hole(row: Sequence[str]) -> bool:
    """Whether a cell with a filled one right of it is blank."""
    filled = [at for at, cell in enumerate(row) if cell]
    return bool(filled) and filled[-1] + 1 > len(filled)


def _cells(row: TextRow) -> list[tuple[int, str, Place]]:
    return [(at, *cell) for at, cell in enumerate(zip(row.cells, row.places, strict=True))]


class _Columns:
    """The columns of a table's body, where the `places` of its cells are: words left of them are labels."""

    def __init__(
        self, body: Sequence[TextRow], header: Sequence[TextRow], *, figures_only: bool = False
    ) -> None:
        several = [cell for row in body if len(row.cells) > 1 for cell in _cells(row)]
        cells = [place for at, cell, place in several if at and (is_figure(cell) or not figures_only)]
        self._left = min(row.places[0][0] for row in body)
        # A figure that begins a line is in a column where one is above or below it; else it is a label, as a year.
        reach = min((begin for begin, _ in cells), default=_FAR) - _NEAR
        firsts = [(cell, place) for at, cell, place in several if not at]
        if any(not is_figure(cell) or is_year(cell) for cell, _ in firsts):
            firsts = [(cell, place) for cell, place in firsts if is_figure(cell) and place[1] > reach]
        self._set(_merged([*cells, *(place for _, place in firsts)]))
        self._body_begin = self._begins[0] if self._begins else _FAR
        labels = [place for at, cell, place in several if at == 0 and self._is_label(cell, place)]
        self._labels_end = min(max((end for _, end in labels), default=-_FAR), self._body_begin)
        self._labels = int(any(self._is_label(row.cells[0], row.places[0]) for row in body))
        lowest = [place for place in header[-1].places if not self._heads_labels(place)] if header else []
        if len(lowest) > len(self._places):
            self._set(sorted([*self._places, *self._unclaimed(lowest)]))
        self._lowest = lowest
        self._spanning = 0
        self.all_headed = 1 < len(lowest) == len(self._places)
        self.count = self._labels + len(self._places)

    def _set(self, places: list[Place]) -> None:
        self._places = places
        self._begins = [begin for begin, _ in places]
        self._ends = [end for _, end in places]

    def _unclaimed(self, heads: Sequence[Place]) -> list[Place]:
        """The heads of columns that no line of the body has a cell in: each column takes the head nearest to it."""
        claimed = {min(range(len(heads)), key=lambda at: _apart(heads[at], place)) for place in self._places}
        return [head for at, head in enumerate(heads) if at not in claimed]

    def _is_label(self, cell: str, place: Place) -> bool:
        if not self._places or place[1] < self._begins[0] - _NEAR:
            return True
        return place[0] < self._begins[0] - _NEAR and not is_figure(cell)

    def rows(self, body: Sequence[TextRow]) -> list[list[str]] | None:
        """The body as rows of all columns; None where there are none, two cells of a line would share one, or nearly all
        would be blank: rows whose cells are nowhere under each other are no table."""
        if not self._places or self.count * len(body) > max(
            _FEW_CELLS, _MOST_BLANK * sum(len(line.cells) for line in body)
        ):
            return None
        self._spanning = 0
        rows = [row for line in body if (row := self._row(line)) is not None]
        return (
            rows if len(rows) == len(body) and self._spanning <= max(1, len(rows) // _ROWS_A_SPAN) else None
        )

    def _row(self, line: TextRow) -> list[str] | None:
        row = [""] * self.count
        for at, cell, place in _cells(line):
            if at == 0 and self._is_label(cell, place):
                label, figure = self._label(cell, place, len(line.cells) > 1)
                row[0] = label
                if figure:
                    row[self._labels] = figure
                continue
            over = self._over(place)
            if sum(_apart(self._places[one], place) < -_NEAR for one in over) > 1:
                if self._labels and len(line.cells) == 1 and not is_figure(cell):
                    row[0] = cell  # above the rows below it, in the middle of the table
                    continue
                if (
                    is_figure(cell)
                    or len(cell) > _SPANNING_CHARS
                    or any(row[self._labels + one] for one in over)
                ):
                    return None
                self._spanning += 1
                for one in over:
                    row[self._labels + one] = cell
                continue
            column = self._labels + min(over, key=lambda one: _apart(self._places[one], place))
            if row[column]:
                return None
            row[column] = cell
        return row

    def _label(self, cell: str, place: Place, beside: bool) -> tuple[str, str]:
        """A label, and the figure of the first column where they stand so close that they were one cell."""
        match = (
            _GLUED.fullmatch(cell) if beside and self._places and place[1] > self._begins[0] + _NEAR else None
        )
        return (match[1], match[2]) if match else (cell, "")

    def heads(self, header: Sequence[TextRow]) -> list[str]:
        """One head for each column, of the words that stand above it from top to bottom; [] without header."""
        if not header:
            return []
        heads: list[list[str]] = [[] for _ in range(self.count)]
        middles = self._middles()
        for line in header:
            over = self._over_line(line, lowest=line is header[-1])
            if line is not header[-1]:
                over = [_widened(at, over, place, middles) for at, place in enumerate(line.places)]
                over = self._for_all(line, over, middles)
            ruled = [self._ruled(line, place) for place in line.places]
            over = [by_rule or by_place for by_rule, by_place in zip(ruled, over, strict=True)]
            for cell, columns in zip(line.cells, over, strict=True):
                for column in columns:
                    heads[self._labels + column].append(cell)
        return [" ".join(words) for words in heads]

    def _ruled(self, line: TextRow, place: Place) -> range:
        """The columns above which a rule below a head is drawn; none where there is no rule of its own."""
        middle = sum(place) / 2
        width = self._ends[-1] - self._begins[0]
        for begin, end in line.under:
            if begin - _NEAR <= middle <= end + _NEAR and end - begin < _WHOLE_RULE * width:
                first = bisect.bisect_left(self._places, begin, key=_middle)
                last = bisect.bisect_right(self._places, end, key=_middle)
                if last - first > 1:
                    return range(first, last)
        return range(0)

    def _middles(self) -> list[Place]:
        """Where the lowest heads are, or the cells of a column without one: what higher heads are in the middle of."""
        middles = list(self._places)
        for place in self._lowest:
            if len(columns := self._over(place, between=True)) == 1:
                middles[columns[0]] = place
        return middles

    def _over_line(self, line: TextRow, *, lowest: bool) -> list[range]:
        """The columns that each head of a line stands over, -1 for the labels. When there is one for each
        column, each has its own, though figures at the right edge may be past the head in the middle."""
        over = [
            range(-1, 0) if self._heads_labels(place) else self._over(place, between=True)
            for place in line.places
        ]
        if lowest and len(self._lowest) == len(self._places):
            own = iter(range(len(self._places)))
            over = [columns if columns.start < 0 else range(at := next(own), at + 1) for columns in over]
        return over

    def _heads_labels(self, place: Place) -> bool:
        if not self._labels or place[1] > self._body_begin or place[0] >= self._labels_end:
            return False
        return place[0] - self._left <= self._body_begin - place[1]

    def _for_all(self, line: TextRow, over: list[range], lower: Sequence[Place]) -> list[range]:
        """A head alone on its line, in the middle of the table, is that of all columns where it is a period or wider than
        what is below it."""
        heads = [at for at, columns in enumerate(over) if columns.start >= 0]
        if len(heads) != 1:
            return over
        place = line.places[heads[0]]
        wide = sum(one[0] < place[1] and place[0] < one[1] for one in lower) > 1
        period = is_period(line.cells[heads[0]])
        if not wide and not period:
            return over
        begin, end = (self._begins[0], self._ends[-1]) if period else (lower[0][0], lower[-1][1])
        off = abs(sum(place) - begin - end) / 2
        if off > (_CENTRAL if period else _CENTRED) * (end - begin):
            return over
        return [range(len(self._places)) if at in heads else columns for at, columns in enumerate(over)]

    def _over(self, place: Place, *, between: bool = False) -> range:
        """The columns that a place overlaps; where it overlaps none, the nearest one, or, when `between`, both
        that it is in the middle of."""
        begin, end = place
        first, last = bisect.bisect_right(self._ends, begin), bisect.bisect_left(self._begins, end)
        if first < last:
            return range(first, last)
        if first == 0:
            return range(1)
        if first == len(self._places):
            return range(first - 1, first)
        left, right = begin - self._ends[first - 1], self._begins[first] - end
        if between and min(left, right) > 0.5 * max(left, right):
            return range(first - 1, first + 1)
        return range(first - 1, first) if left < right else range(first, first + 1)


def _widened(at: int, over: Sequence[range], place: Place, heads: Sequence[Place]) -> range:
    """The columns of a head above other `heads`. It is in the middle of its columns, so it has more than it
    overlaps as far as that brings their middle much nearer and no other head of its line has them."""
    columns = over[at]
    low = max(0, over[at - 1].stop if at else 0)
    high = over[at + 1].start if at + 1 < len(over) else len(heads)
    if columns.start < low or columns.stop > high or high - low > _MOST_UNDER_ONE:
        return columns

    def off(one: range) -> float:
        return abs(sum(place) - heads[one.start][0] - heads[one.stop - 1][1])

    wider = [
        range(begin, end) for begin in range(low, columns.start + 1) for end in range(columns.stop, high + 1)
    ]
    nearest = min(map(off, wider))
    if _MUCH_NEARER * nearest >= off(columns) and (len(columns) < 2 or nearest + _OFF < off(columns)):
        return columns
    return max((one for one in wider if off(one) <= nearest + _OFF), key=len)


def _middle(place: Place) -> float:
    return sum(place) / 2


def _apart(one: Place, other: Place) -> float:
    """How far two places are from each other; less than nothing, by what they share, where they overlap."""
    return max(one[0], other[0]) - min(one[1], other[1])


def _merged(places: Sequence[Place]) -> list[Place]:
    """The union of places: those that overlap or touch, as a dash and the figures above it do, become one."""
    merged: list[Place] = []
    for begin, end in sorted(places):
        if merged and begin < merged[-1][1] + _TOUCHING:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _whole_labels(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows whose labels went on in the next line as one.

    A label that ends in the middle of words ("Indian/", "and") goes on in the label alone below it. Else a line with a
    label alone goes on in the line below when that begins with a small letter; else it belongs to
    the line above when it begins with one itself."""
    whole: list[list[str]] = []
    open_label = False
    for at, row in enumerate(rows):
        alone = bool(row[0]) and not any(row[1:])
        small = row[0][:1].islower()
        if alone and whole and any(whole[-1][1:]) and _UNENDED.search(whole[-1][0]):
            whole[-1][0] += row[0] if whole[-1][0].endswith("/") and row[0][:1].islower() else f" {row[0]}"
            continue
        joined = small and (
            open_label or (alone and bool(whole) and bool(whole[-1][0]) and not _goes_on_below(rows, at))
        )
        if joined and open_label:
            whole[-1] = [f"{whole[-1][0]} {row[0]}", *row[1:]]
        elif joined:
            whole[-1][0] += f" {row[0]}"
        else:
            whole.append(list(row))
        open_label = alone and not row[0].endswith(_LABEL_ENDS) and (open_label or not joined)
    return whole


def _goes_on_below(rows: Sequence[list[str]], at: int) -> bool:
    return at + 1 < len(rows) and rows[at + 1][0][:1].islower()
