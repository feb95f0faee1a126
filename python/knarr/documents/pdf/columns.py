"""Columns of prose on a page: which x parts them, and the order in which their rows are read.

Columns of prose are distinguished from table columns by two signs: several words on both sides of one gutter,
line after line, and words that were written down the column, not across. Where many rows show that, the whole
page is parted. Where few do, as in a short notice, the rows must also read on from line to line inside each
column, as a sentence does and the cells of a table do not.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from knarr.documents.pdf.placed import Cells, PlacedWord

_COLUMN_ROWS = 6
_COLUMN_PAIRS = 400
_COLUMN_WORDS = 4
_MOST_COLUMNS = 12
_SHORT_ROWS = 2
_SHORT_WORDS = 3.5


def in_columns(rows: list[Cells], most: int = _MOST_COLUMNS) -> list[Cells]:
    """Rows in reading order: where the page, or a block of its rows, has columns of prose, the left one before
    the right one. There are at most so many columns beside each other."""
    gutter = _gutter(rows) if most > 1 else None
    if gutter is not None:
        return _parted(rows, gutter, most - 1)
    ordered: list[Cells] = []
    done = 0
    for begin, end, gutter in _short_blocks(rows) if most > 1 else ():
        ordered += [*rows[done:begin], *_parted(rows[begin:end], gutter, most - 1)]
        done = end
    return [*ordered, *rows[done:]] if done else rows


def _parted(rows: Sequence[Cells], gutter: float, most: int) -> list[Cells]:
    """Left of the gutter, then right of it, between the rows that cross it."""
    ordered: list[Cells] = []
    left: list[Cells] = []
    right: list[Cells] = []
    for row in rows:
        if _crosses(row, gutter):
            ordered += [*in_columns(left, most), *in_columns(right, most), row]
            left, right = [], []
            continue
        sides: tuple[Cells, Cells] = ([], [])
        for segment in row:
            sides[segment[0].x0 >= gutter - 1].append(segment)
        left += [sides[0]] if sides[0] else []
        right += [sides[1]] if sides[1] else []
    return [*ordered, *in_columns(left, most), *in_columns(right, most)]


def _crosses(row: Cells, gutter: float) -> bool:
    return any(segment[0].x0 < gutter - 1 and segment[-1].x1 > gutter + 1 for segment in row)


def _gutter(rows: list[Cells]) -> float | None:
    """The x between two columns of prose; None when the page has no columns."""
    pairs = [
        (left, right)
        for row in rows
        for left, right in itertools.pairwise(row)
        if len(left) >= _COLUMN_WORDS and len(right) >= _COLUMN_WORDS
    ]
    pairs = pairs[:_COLUMN_PAIRS]
    if len(pairs) < _COLUMN_ROWS or 2 * len(pairs) < len(rows) // 2:
        return None
    gutter, count = _most_crossed([(int(left[-1].x1) + 2, int(right[0].x0)) for left, right in pairs])
    if count < max(_COLUMN_ROWS, 0.6 * len(pairs)):
        return None
    here = [(left, right) for left, right in pairs if left[-1].x1 < gutter < right[0].x0]
    downwards = sum(
        right[0].order > below[0].order > left[0].order
        for (left, right), (below, _) in itertools.pairwise(here)
    )
    return float(gutter) if 2 * downwards > len(here) else None


def _most_crossed(gaps: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The first x that most of the gaps ``[begin, end)`` hold, and how many hold it; (0, 0) for none."""
    steps = Counter[int]()
    for begin, end in gaps:
        if begin < end:
            steps[begin] += 1
            steps[end] -= 1
    here, best = 0, (0, 0)
    for x in sorted(steps):
        here += steps[x]
        if here > best[1]:
            best = (x, here)
    return best


def _short_blocks(rows: Sequence[Cells]) -> list[tuple[int, int, float]]:
    """Blocks of few rows in columns of prose: begin, end and gutter of each. Cost: linear in the words, since a
    row is looked at by the block that it is in and by the one that begins after it."""
    found: list[tuple[int, int, float]] = []
    begin = 0
    while begin < len(rows):
        end, gutter = _block(rows, begin)
        if end - begin >= _SHORT_ROWS and _reads_down(rows[begin:end], gutter):
            found.append((begin, end, gutter))
        begin = end
    return found


def _block(rows: Sequence[Cells], begin: int) -> tuple[int, float]:
    """The end of the rows from `begin` that one gutter parts, or that are on one side of it, and the gutter.
    Words on the left that were written after words on the right begin something new: the next row of a table
    whose cells hold prose, or what stands below the columns."""
    if len(rows[begin]) < 2:
        return begin + 1, 0.0
    low, high = rows[begin][0][-1].x1, rows[begin][1][0].x0
    first_right = rows[begin][1][0].order
    end = begin + 1
    while end < len(rows) and (gap := _gap(rows[end], low, high)) is not None:
        for segment in rows[end]:
            if segment[0].x0 >= gap[1]:
                first_right = min(first_right, segment[0].order)
            elif segment[0].order > first_right:
                return end, (low + high) / 2
        low, high = gap
        end += 1
    return end, (low + high) / 2


def _gap(row: Cells, low: float, high: float) -> tuple[float, float] | None:
    """What of the gap from `low` to `high` the row leaves free, or None when that is not wide enough."""
    for segment in row:
        if segment[0].x0 >= high:
            continue
        if segment[-1].x1 <= low:
            continue
        middle = (segment[0].x0 + segment[-1].x1) / 2
        if middle < (low + high) / 2:
            low = max(low, segment[-1].x1)
        else:
            high = min(high, segment[0].x0)
    return (low, high) if high - low >= row[0][0].size else None


def _reads_down(rows: Sequence[Cells], gutter: float) -> bool:
    """Whether both sides are prose, and the left one was written before the right one."""
    left = [segment for row in rows for segment in row if segment[0].x0 < gutter]
    right = [segment for row in rows for segment in row if segment[0].x0 >= gutter]
    last = max(word.order for segment in left for word in segment)
    written_down = last < min(word.order for segment in right for word in segment)
    return written_down and _is_prose(left) and _has_prose(right)


def _has_prose(segments: Sequence[list[PlacedWord]]) -> bool:
    """Whether they are prose, or columns of which the first is."""
    if _is_prose(segments):
        return True
    edge = min(segment[-1].x1 for segment in segments)
    first = [segment for segment in segments if segment[0].x0 < edge]
    return len(first) < len(segments) and _is_prose(first)


def _is_prose(segments: Sequence[list[PlacedWord]]) -> bool:
    """Whether they are lines of several words that go on in the next one."""
    pairs = list(itertools.pairwise(segments))
    if not pairs or sum(map(len, segments[:-1])) < _SHORT_WORDS * len(pairs):
        return False
    going = sum(
        below[0].text[0].islower() and not above[-1].text.endswith((".", ":", ";")) for above, below in pairs
    )
    return 2 * going >= len(pairs)
