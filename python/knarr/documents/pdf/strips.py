"""Cells of a table by the white that goes down through its rows.

Words belong to one cell where they stand as close as words do; rows of a table may stand no further apart. But
white that goes down through (nearly) all of its rows is between columns, since the spaces of words seldom come
under each other. White narrower than a letter counts only left of figures.

Dots that lead from a label to its figure are no words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from knarr.documents.pdf.lines import CELL_SEPARATOR, Line
from knarr.documents.pdf.tables import TextRow, is_figure

Word = tuple[str, float, float]
Strip = tuple[float, float]

_SPACE, _NARROWEST, _WIDE = 0.42, 0.25, 1.0
_CROSSED = 0.03
_HEAD_SPACE = 0.4
_LEADER = re.compile(r"[.·…_]{3,}|\.(?:\s?\.)*|…+")
_LEADER_END = re.compile(r"(?:\s*[.·…]){3,}\s*$|…+\s*$|(?:\s*_){3,}\s*$")
_BEFORE_FIGURE = re.compile(r"[$€£¥(]+")
_AFTER_FIGURE = re.compile(r"[)%]+")


def parted(header: Sequence[Line], body: Sequence[Line]) -> tuple[list[TextRow], list[TextRow]]:
    """The header and the body of a table as rows whose cells the white of the body parts."""
    strips = _strips(body)
    return [_head(line, strips) for line in header], [_row(line, strips) for line in body]


def text_row(line: Line) -> TextRow:
    """A line as a row of the cells that wide gaps make."""
    return TextRow(tuple(line.text.replace("\xad", "-").split(CELL_SEPARATOR)), line.places)


def _strips(body: Sequence[Line]) -> list[Strip]:
    """Where white goes down through the rows, from left to right."""
    rows = [runs for line in body if line.cells > 1 and len(runs := _runs(line)) > 1]
    if len(rows) < 2:
        return []
    size = sorted(line.size for line in body)[len(body) // 2]
    steps: Counter[float] = Counter()
    for runs in rows:
        for _, begin, end in runs:
            steps[begin] += 1
            steps[end] -= 1
    most, here = int(_CROSSED * len(rows)), 0
    strips: list[Strip] = []
    white: float | None = None
    for x in sorted(steps):
        if white is not None and here + steps[x] > most:
            if x - white >= _NARROWEST * size:
                strips.append((white, x))
            white = None
        here += steps[x]
        if white is None and here <= most:
            white = x
    return _between_columns(strips, rows, size)


def _between_columns(strips: list[Strip], rows: Sequence[Sequence[Word]], size: float) -> list[Strip]:
    """Strips without those that only words part."""
    ends = [end for _, end in strips]
    figures, others = Counter[int](), Counter[int]()
    for runs in rows:
        for text, begin, _ in runs:
            at = bisect_right(ends, begin + 0.5) - 1
            if at >= 0:
                (figures if is_figure(text) else others)[at] += 1
    return [
        strip
        for at, strip in enumerate(strips)
        if strip[1] - strip[0] >= _WIDE * size or figures[at] > others[at]
    ]


def _words(line: Line) -> list[Word]:
    """The words of a line but for leading dots."""
    words = [word for word in line.spots or () if word[0]]
    dots = [at for at, (text, _, _) in enumerate(words) if _LEADER.fullmatch(text)]
    if len(dots) < 3 and not any(len(words[at][0]) > 2 for at in dots):
        return words
    dropped = set(dots)
    return [word for at, word in enumerate(words) if at not in dropped]


def _runs(line: Line) -> list[Word]:
    """Words that stand as close as words do, as one."""
    runs: list[Word] = []
    for text, begin, end in _words(line):
        if runs and begin - runs[-1][2] <= _SPACE * line.size:
            runs[-1] = (f"{runs[-1][0]} {text}", runs[-1][1], max(end, runs[-1][2]))
        else:
            runs.append((text, begin, end))
    return runs


def _row(line: Line, strips: Sequence[Strip]) -> TextRow:
    """A row of the body: its cells parted further where a strip is between two words."""
    begins = [begin for begin, _ in strips]
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for words in _by_cell(line):
        last: float | None = None
        for text, begin, end in words:
            parts = last is None or _strip_between(strips, begins, last, begin)
            glued = cells and (
                (parts and last is not None and _BEFORE_FIGURE.fullmatch(cells[-1]))
                or (parts and last is not None and _AFTER_FIGURE.fullmatch(text))
            )
            if parts and not glued:
                cells.append(text)
                places.append((begin, end))
            else:
                close = glued and (text[0] in ")%" or cells[-1].endswith("("))
                cells[-1] += text if close else f" {text}"
                places[-1] = (places[-1][0], max(end, places[-1][1]))
            last = end
    if not cells:
        return text_row(line)
    texts = tuple(_LEADER_END.sub("", text.replace("\xad ", "-").replace("\xad", "-")) or text for text in cells)
    return TextRow(texts, tuple(places))


def _by_cell(line: Line) -> list[list[Word]]:
    """The words of a line, cell by cell."""
    found: list[list[Word]] = [[] for _ in line.places]
    begins = [begin for begin, _ in line.places]
    for word in _words(line):
        found[max(0, bisect_right(begins, word[1] + 0.5) - 1)].append(word)
    return [words for words in found if words]


def _strip_between(strips: Sequence[Strip], begins: Sequence[float], left: float, right: float) -> bool:
    at = bisect_left(begins, left - 1)
    return at < len(strips) and strips[at][1] <= right + 1


def _head(line: Line, strips: Sequence[Strip]) -> TextRow:
    """A row of the header: heads may be wider than their columns, so that words part where they are heads of two."""
    middles = [(begin + end) / 2 for begin, end in strips]
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for words in _by_cell(line):
        for at, (text, begin, end) in enumerate(words):
            gap = begin - words[at - 1][2] if at else 0.0
            other = at and bisect_right(middles, (begin + end) / 2) > bisect_right(
                middles, (words[at - 1][1] + words[at - 1][2]) / 2
            )
            if at and not (other and gap > _HEAD_SPACE * line.size):
                cells[-1] += f" {text}"
                places[-1] = (places[-1][0], max(end, places[-1][1]))
            else:
                cells.append(text)
                places.append((begin, end))
    if not cells:
        return text_row(line)
    return TextRow(tuple(text.replace("\xad", "-") for text in cells), tuple(places))
