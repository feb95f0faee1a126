"""The grids that the lines of a page draw: rules that cross or touch each other, and the cells between them.

A border is often drawn in pieces, one for each cell, twice, or as a thin box, so pieces on one line become one
line first. What lines are connected is one grid; a side that is not drawn is where the lines across end.

Cost: pieces are sorted; crossings are looked at pair by pair, so a page with too many of them (a drawing, a map)
has no grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_MOST_CROSSINGS = 250_000
_SAME, _TOUCH, _SIDE = 2.5, 3.5, 8.0
_MOST_GRIDS, _MOST_PLACES = 50, 20_000
_MOST_LINES = 400  # of one grid in one direction

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PageRule:
    """A line at `at`, from `begin` to `end`."""

    at: float
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Rulings:
    """The rules of a page by direction, in order of their place."""

    across: Sequence[PageRule]
    down: Sequence[PageRule]


NO_RULINGS = Rulings((), ())


@dataclass(frozen=True, slots=True)
class RuledGrid:
    """`xs` from left to right, `ys` from top to bottom; whether a line is drawn right of each cell but those of the
    last column, and below each but those of the last row."""

    xs: Sequence[float]
    ys: Sequence[float]
    right: Bools
    below: Bools


def rulings(values: Sequence[float]) -> Rulings:
    """The rules of a page from its message (see `rules.Rules`), pieces joined."""
    across: list[PageRule] = []
    down: list[PageRule] = []
    for left, bottom, right, top in zip(*(values[at::4] for at in range(4)), strict=True):
        if right - left >= top - bottom:
            across.append(PageRule((bottom + top) / 2, left, right))
        else:
            down.append(PageRule((left + right) / 2, bottom, top))
    return Rulings(_joined(across), _joined(down))


def ruled_grids(lines: Rulings) -> list[RuledGrid]:
    """The grids with at least two columns and two rows, from the top of the page."""
    across, down = lines.across, lines.down
    if not across or not down or len(across) * len(down) > _MOST_CROSSINGS:
        return []
    groups: dict[int, tuple[list[PageRule], list[PageRule]]] = {}
    roots = _connected(across, down)
    for at, rule in enumerate(across):
        groups.setdefault(roots[at], ([], []))[0].append(rule)
    for at, rule in enumerate(down, len(across)):
        groups.setdefault(roots[at], ([], []))[1].append(rule)
    grids = [grid for rows, columns in groups.values() if (grid := _grid(rows, columns)) is not None]
    largest = sorted(grids, key=lambda grid: (grid.xs[-1] - grid.xs[0]) * (grid.ys[-1] - grid.ys[0]))[
        -_MOST_GRIDS:
    ]
    return sorted(largest, key=lambda grid: (-grid.ys[0], grid.xs[0]))


def _joined(pieces: list[PageRule]) -> list[PageRule]:
    """Pieces of one line as one rule."""
    lines: list[list[PageRule]] = []
    for piece in sorted(pieces, key=lambda piece: piece.at):
        if lines and piece.at - lines[-1][0].at <= _SAME:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    joined = []
    for line in lines:
        run: list[PageRule] = []
        for piece in sorted(line, key=lambda piece: piece.begin):
            if run and piece.begin <= run[-1].end + _TOUCH:
                run[-1] = PageRule(run[-1].at, run[-1].begin, max(run[-1].end, piece.end))
            else:
                run.append(piece)
        joined += run
    return joined


def _connected(across: Sequence[PageRule], down: Sequence[PageRule]) -> list[int]:
    """The group of each rule, those across before those down."""
    at, begin, end = (np.asarray([getattr(rule, name) for rule in across]) for name in ("at", "begin", "end"))
    parents = list(range(len(across) + len(down)))

    def root(one: int) -> int:
        while parents[one] != one:
            parents[one] = parents[parents[one]]
            one = parents[one]
        return one

    for number, rule in enumerate(down, len(across)):
        crossed = (begin - _TOUCH <= rule.at) & (rule.at <= end + _TOUCH)
        crossed &= (rule.begin - _TOUCH <= at) & (at <= rule.end + _TOUCH)
        for one in np.flatnonzero(crossed):
            parents[root(int(one))] = root(number)
    return [root(one) for one in range(len(parents))]


def _grid(across: Sequence[PageRule], down: Sequence[PageRule]) -> RuledGrid | None:
    if not across or not down:
        return None
    xs = _places(down, min(rule.begin for rule in across), max(rule.end for rule in across))
    ys = _places(across, min(rule.begin for rule in down), max(rule.end for rule in down))[::-1]
    if not 3 <= len(xs) <= _MOST_LINES or not 3 <= len(ys) <= _MOST_LINES:
        return None
    if len(xs) * len(ys) > _MOST_PLACES:
        return None
    middles_y = (np.asarray(ys[:-1]) + np.asarray(ys[1:])) / 2
    middles_x = (np.asarray(xs[:-1]) + np.asarray(xs[1:])) / 2
    right = np.zeros((len(ys) - 1, len(xs) - 2), dtype=np.bool_)
    below = np.zeros((len(ys) - 2, len(xs) - 1), dtype=np.bool_)
    for rule in down:
        column = int(np.abs(np.asarray(xs) - rule.at).argmin())
        if 0 < column < len(xs) - 1:
            right[(rule.begin <= middles_y) & (middles_y <= rule.end), column - 1] = True
    for rule in across:
        row = int(np.abs(np.asarray(ys) - rule.at).argmin())
        if 0 < row < len(ys) - 1:
            below[row - 1, (rule.begin <= middles_x) & (middles_x <= rule.end)] = True
    return RuledGrid(xs, ys, right, below)


def _places(lines: Sequence[PageRule], begin: float, end: float) -> list[float]:
    """Where the lines are, and the sides `begin` and `end` where they are not drawn."""
    places: list[float] = []
    for at in sorted(rule.at for rule in lines):
        if not places or at - places[-1] > _TOUCH:
            places.append(at)
    if begin < places[0] - _SIDE:
        places.insert(0, begin)
    if end > places[-1] + _SIDE:
        places.append(end)
    return places
