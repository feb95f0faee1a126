"""Columns of prose on a page: which gutters part it, and the order in which its parts are read.

A gutter is a vertical strip that no run of words crosses, over a band of the page, whatever the base lines on its
two sides. Most strips part no columns but the cells of a table, which must be read across. Two signs tell them
apart: columns hold prose, whose lines go on from one to the next; and they were written one after the other, while
a table is written row by row. A page is cut at its best gutter, and each part again: what crosses a gutter ends
the columns above it.

Cost: a fixed number of strips is tried on each part, and parts are nested a fixed number of times: linear.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.placed import PlacedWord, WordRun, is_leftwards, runs
from knarr.documents.pdf.strays import with_raised

_MOST_NESTED = 12
_MOST_STRIPS = 12
_STEP = 3
_MANY_LINES = 6
_FEWEST_LINES = 2
_CELL_LINES = 4
_SHORT_WORDS = 3.5
_PROSE_WORDS = 3
_PROSE_SHARE = 0.6
_ASIDE = 1.8
_FEW_FIGURES = 0.25
_ASIDE_SWITCHES = 2
_ROW = 0.5


@dataclass(slots=True)
class _Part:
    """A stretch of a page from top to bottom: runs to be read as they are, or two columns of them."""

    left: list[WordRun]
    right: list[WordRun]


def in_columns(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """The words of a page, given in the order of writing, as the parts that are read one after the other. Within
    a part, text is read across."""
    every = with_raised(runs(words))
    leftwards = is_leftwards(words)
    return [
        [word for run in part for word in run.words] for part in _in_order(every, leftwards, _MOST_NESTED)
    ]


def _in_order(region: list[WordRun], leftwards: bool, most: int) -> list[list[WordRun]]:
    parts = _best(region) if most and len(region) > _FEWEST_LINES else []
    if not parts:
        return [region] if region else []
    ordered: list[list[WordRun]] = []
    for part in parts:
        sides = (part.right, part.left) if leftwards else (part.left, part.right)
        for side in sides:
            ordered += _in_order(side, leftwards, most - 1)
    return ordered


def _best(region: list[WordRun]) -> list[_Part]:
    """The region cut at the strip that parts most of it at once; empty where no strip parts columns."""
    best: list[_Part] = []
    most = 0
    for x in _strips(region):
        bands = _bands(region, x)
        if max((len(band) for crosses, band in bands if not crosses), default=0) <= most:
            continue
        parts = _cut(bands, x)
        here = max((len(part.left) + len(part.right) for part in parts if part.right), default=0)
        if here > most:
            best, most = parts, here
    return best


def _strips(region: Sequence[WordRun]) -> list[float]:
    """Where columns may begin: the x that most text begins at, from left to right."""
    lengths: dict[int, float] = defaultdict(float)
    lefts: dict[int, float] = {}
    for run in region:
        step = int(run.x0) // _STEP
        lengths[step] += max(1.0, run.length)
        lefts[step] = min(lefts.get(step, run.x0), run.x0)
    first = min(lefts)
    weights = {step: length + lengths.get(step + 1, 0) for step, length in lengths.items() if step > first}
    likely = sorted(weights, key=lambda step: (-weights[step], step))
    return sorted(lefts[step] for step in likely[:_MOST_STRIPS])


def _bands(region: Sequence[WordRun], x: float) -> list[tuple[bool, list[WordRun]]]:
    """The region from top to bottom: runs that cross the strip that ends at x, and those that do not."""
    bands: list[tuple[bool, list[WordRun]]] = []
    for run in region:
        crosses = run.x0 < x - 1 and run.x1 > x + 1
        if not bands or bands[-1][0] != crosses:
            bands.append((crosses, []))
        bands[-1][1].append(run)
    return bands


def _cut(bands: Sequence[tuple[bool, list[WordRun]]], x: float) -> list[_Part]:
    """The bands as columns beside the strip, and what is between them."""
    parts: list[_Part] = []
    for crosses, band in bands:
        whole = crosses or len(band) < 2 * _FEWEST_LINES
        parts += [_Part(band, [])] if whole else _columns(band, x)
    return _merged(parts)


def _merged(parts: Sequence[_Part]) -> list[_Part]:
    """Neighbours that are no columns as one."""
    merged: list[_Part] = []
    for part in parts:
        if merged and not part.right and not merged[-1].right:
            merged[-1].left += part.left
        else:
            merged.append(part)
    return merged


def _columns(band: list[WordRun], x: float) -> list[_Part]:
    """A band that nothing crosses: where it is columns of prose, or a row of cells that hold prose, they are
    parted."""
    both = _sides(band, x)
    if min(len(both.left), len(both.right)) < _FEWEST_LINES:
        return [_Part(band, [])]
    if _written_across(both):
        return [both]
    parts: list[_Part] = []
    for block in _blocks(_rows(band), x):
        begin, end = _without_lone_rows(block)
        body = _sides([run for row in block[begin:end] for run in row], x)
        above = [run for row in block[:begin] for run in row]
        below = [run for row in block[end:] for run in row]
        if not _are_columns(body.left, body.right):
            body = _Part(sorted(body.left + body.right, key=lambda run: (-run.y, run.x0)), [])
        parts += [part for part in (_Part(above, []), body, _Part(below, [])) if part.left or part.right]
    return parts


def _sides(band: Sequence[WordRun], x: float) -> _Part:
    return _Part([run for run in band if run.x0 < x - 1], [run for run in band if run.x0 >= x - 1])


def _rows(band: Sequence[WordRun]) -> list[list[WordRun]]:
    """Runs grouped by base line."""
    rows: list[list[WordRun]] = []
    for run in band:
        if rows and rows[-1][0].y - run.y <= _ROW * min(run.size, rows[-1][0].size):
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _blocks(rows: Sequence[list[WordRun]], x: float) -> list[list[list[WordRun]]]:
    """Rows that were written before all rows below them, parted from these where the writer came back to the left
    side: rows of a table, whose cells may have several lines; or columns, and what stands below them."""
    later = [min([run.first for run in row]) for row in rows]
    for at in reversed(range(len(rows) - 1)):
        later[at] = min(later[at], later[at + 1])
    blocks: list[list[list[WordRun]]] = []
    last, right = -1, False
    for row, first in zip(rows, later, strict=True):
        if not blocks or (last < first and right and any(run.x0 < x - 1 for run in row)):
            blocks.append([])
            right = False
        blocks[-1].append(row)
        right = right or any(run.x0 >= x - 1 for run in row)
        last = max(last, max([run.last for run in row]))
    return blocks


def _without_lone_rows(block: Sequence[list[WordRun]]) -> tuple[int, int]:
    """Where columns begin and end among rows of which the outer ones stand apart: headers and footers."""
    begin, end = 0, len(block)
    while begin < end - 1 and _apart(block[begin], block[begin + 1]):
        begin += 1
    while end - 1 > begin and _apart(block[end - 2], block[end - 1]):
        end -= 1
    return begin, end


def _apart(above: Sequence[WordRun], below: Sequence[WordRun]) -> bool:
    low, high = min([run.y for run in above]), max([run.y for run in below])
    return low - high > _ASIDE * max([run.size for run in (*above, *below)])


def _are_columns(left: Sequence[WordRun], right: Sequence[WordRun]) -> bool:
    """Whether both sides are columns of prose, of which one was written before the other."""
    fewest = min(len(left), len(right))
    if fewest < _FEWEST_LINES:
        return False
    if fewest < _MANY_LINES:
        return _downwards(left, right) and _are_short_columns(left, right)
    switches = _switches(left, right)
    if switches > max(1, 0.2 * fewest):
        return False
    one, other = _prose(left), _prose(right)
    if one and other and _going(left) >= 0.2 and _going(right) >= 0.2:
        return True
    if not (one or other):
        return False
    if max(_figures(left), _figures(right)) > 0.5:
        # A table beside prose that goes on for itself: its rows stand where they like.
        goes_on = (one and _going(left) >= 0.2) or (other and _going(right) >= 0.2)
        return goes_on and switches <= _ASIDE_SWITCHES and _aligned(left, right) < 0.5
    at_once = (one and other) or switches == 1
    return _aligned(left, right) < (0.7 if at_once else 0.5)


def _are_short_columns(left: Sequence[WordRun], right: Sequence[WordRun]) -> bool:
    """Whether both sides read on; or one does for several lines, beside a note or a cell of more than one line."""
    one, other = _reads_on(left), _has_prose(right)
    if one and other:
        return True
    if other and len(right) >= _CELL_LINES:
        return any(run.length for run in left)
    return one and len(left) >= _CELL_LINES and all(run.length for run in right)


def _downwards(left: Sequence[WordRun], right: Sequence[WordRun]) -> bool:
    return max(run.last for run in left) < min(run.first for run in right)


def _switches(left: Sequence[WordRun], right: Sequence[WordRun]) -> int:
    """How often the writer went from one side to the other; beside text, figures in a drawing or at the foot of the
    page do not count."""
    if max(_figures(left), _figures(right)) <= _FEW_FIGURES:
        left, right = [run for run in left if run.length], [run for run in right if run.length]
    sides = sorted([(run.first, False) for run in left] + [(run.first, True) for run in right])
    return sum(one[1] != other[1] for one, other in itertools.pairwise(sides))


def _prose(side: Sequence[WordRun]) -> bool:
    """Whether most of its text is in lines of several words."""
    every = sum(max(1.0, run.length) for run in side)
    return sum(run.length for run in side if run.length >= _PROSE_WORDS) >= _PROSE_SHARE * every


def _figures(side: Sequence[WordRun]) -> float:
    """The share of runs without a word."""
    return sum(not run.length for run in side) / len(side)


def _going(side: Sequence[WordRun]) -> float:
    """The share of lines that begin in the middle of a sentence."""
    lines = [run for run in side if run.length >= _PROSE_WORDS]
    return sum(run.going for run in lines) / max(1, len(lines))


def _full(side: Sequence[WordRun]) -> float:
    """The share of runs that are about as wide as the column."""
    width = max(run.x1 for run in side) - min(run.x0 for run in side)
    return sum(run.x1 - run.x0 >= 0.75 * width for run in side) / len(side)


def _aligned(left: Sequence[WordRun], right: Sequence[WordRun]) -> float:
    """The share of the lines of the shorter side that have one on the other side on their base line."""
    few, many = sorted((left, right), key=len)
    places = {round(run.y) for run in many}
    return sum(bool(places & {round(run.y) + step for step in (-1, 0, 1)}) for run in few) / len(few)


def _written_across(part: _Part) -> bool:
    """Whether a band is columns of prose that were written line by line over both, as by a scanner."""
    left, right = part.left, part.right
    fewest = min(len(left), len(right))
    if fewest < _MANY_LINES or _switches(left, right) < fewest:
        return False
    return all(_prose(side) and _going(side) >= 0.4 and _full(side) >= 0.6 for side in (left, right))


def _has_prose(side: Sequence[WordRun]) -> bool:
    """Whether it reads on, or is columns of which the first does."""
    if _reads_on(side):
        return True
    edge = min(run.x1 for run in side)
    first = [run for run in side if run.x0 < edge]
    return len(first) < len(side) and _reads_on(first)


def _reads_on(side: Sequence[WordRun]) -> bool:
    """Whether it is lines of several words that go on in the next one."""
    pairs = list(itertools.pairwise(side))
    if not pairs or sum(run.length for run in side[:-1]) < _SHORT_WORDS * len(pairs):
        return False
    return 2 * sum(below.going and not above.stops for above, below in pairs) >= len(pairs)
