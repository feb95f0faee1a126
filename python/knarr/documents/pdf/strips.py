"""Cells of a table by the white that goes down through its rows.

Words belong to one cell where they stand as close as words do; rows of a table may stand no further apart. But
white that goes down through (nearly) all of its rows is between columns, since the spaces of words seldom come
under each other. White narrower than a letter counts only left of figures.

Dots that lead from a label to its figure are no words.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from knarr.documents.pdf.lines import CELL_SEPARATOR, Line
from knarr.documents.pdf.ruling import PageRule
from knarr.documents.pdf.tables import TextRow, is_figure

Word = tuple[str, float, float]
Strip = tuple[float, float]

_SPACE, _NARROWEST, _WIDE = 0.42, 0.12, 1.0
_CROSSED = 0.15
_HEAD_SPACE, _MUCH_WIDER, _WIDER, _MONOSPACED = 0.6, 1.9, 1.5, 0.62
_FLUSH, _MANY_HEADS, _FAR = 0.25, 4, 1e6
_BELOW, _MOST_RULES, _WHOLE = 0.4, 64, 0.9
_LEADER = re.compile(r"[.·…_]{3,}|\.(?:\s?\.)*|…+")
_LEADER_END = re.compile(r"(?:\s*[.·…]){3,}\s*$|…+\s*$|(?:\s*_){3,}\s*$")
_THOUSANDS = re.compile(r"\d{3}(?:[.,]\d+)?\D?")
_BEFORE_FIGURE = re.compile(r"[$€£¥(]+")
_AFTER_FIGURE = re.compile(r"[)%]+")


def parted(
    header: Sequence[Line], body: Sequence[Line], rules: Sequence[PageRule] = ()
) -> tuple[list[TextRow], list[TextRow]]:
    """The header and the body of a table as rows whose cells the white of the body parts. Among the page's `rules`,
    sorted, are those that say what columns heads are over."""
    strips = _strips(body)
    rows = [_row(line, strips) for line in body]
    columns = _zones(rows, strips)
    places = [rule.at for rule in rules]
    left, right = min(line.x0 for line in body), max(line.x1 for line in body)
    heads = []
    for line, below in zip(header, [*header[1:], *body[:1]], strict=False):
        near = rules[bisect_left(places, below.y + _BELOW * below.size) : bisect_right(places, line.y)]
        own = [rule for rule in near[:_MOST_RULES] if rule.end - rule.begin < _WHOLE * (right - left)]
        heads.append(_head(line, columns, tuple((rule.begin, rule.end) for rule in own)))
    return heads, rows


def _zones(rows: Sequence[TextRow], strips: Sequence[Strip]) -> list[Strip]:
    """Left and right end of what stands between strips; where nothing does, the place itself."""
    middles = [(begin + end) / 2 for begin, end in strips]
    edges = [-_FAR, *middles, _FAR]
    zones = [(right, left) for left, right in itertools.pairwise(edges)]
    for row in rows:
        for begin, end in row.places if len(row.cells) > 1 else ():
            at = bisect_right(middles, (begin + end) / 2)
            if edges[at] <= begin and end <= edges[at + 1]:
                zones[at] = min(zones[at][0], begin), max(zones[at][1], end)
    return zones


def text_row(line: Line) -> TextRow:
    """A line as a row of the cells that wide gaps make."""
    return TextRow(tuple(line.text.replace("\xad", "-").split(CELL_SEPARATOR)), line.places)


def _strips(body: Sequence[Line]) -> list[Strip]:
    """Where white goes down through the rows, from left to right."""
    space = _space(body)
    rows = [runs for line in body if line.cells > 1 and len(runs := _runs(line, space)) > 1]
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
    words = [word for word in line.words.along(line.text) if word[0]] if line.words else []
    dots = [at for at, (text, _, _) in enumerate(words) if _LEADER.fullmatch(text)]
    if len(dots) < 3 and not any(len(words[at][0]) > 2 for at in dots):
        return words
    dropped = set(dots)
    return [word for at, word in enumerate(words) if at not in dropped]


def _space(lines: Sequence[Line]) -> float:
    """How far words that belong together are apart at most, in units of the size; more in fonts of one width."""
    gaps = sorted(
        (right[1] - left[2]) / max(line.size, 1.0)
        for line in lines
        for left, right in itertools.pairwise(_words(line))
    )
    return max(_SPACE, min(_MONOSPACED, 1.1 * gaps[len(gaps) // 10])) if gaps else _SPACE


def _runs(line: Line, space: float) -> list[Word]:
    """Words that stand as close as words do, as one."""
    runs: list[Word] = []
    for text, begin, end in _words(line):
        close = runs and begin - runs[-1][2] <= space * line.size
        if close and not (is_figure(text) and is_figure(runs[-1][0]) and not _THOUSANDS.fullmatch(text)):
            runs[-1] = (f"{runs[-1][0]} {text}", runs[-1][1], max(end, runs[-1][2]))
        else:
            runs.append((text, begin, end))
    return runs


def _row(line: Line, strips: Sequence[Strip]) -> TextRow:
    """A row of the body: its cells parted further where a strip is between two words."""
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for words in _by_cell(line):
        last: Word | None = None
        for word in words:
            text, begin, end = word
            parts = last is None or _strip_between(strips, last, word, line.size)
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
            last = word
    if not cells:
        return text_row(line)
    texts = tuple(
        _LEADER_END.sub("", text.replace("\xad ", "-").replace("\xad", "-")) or text for text in cells
    )
    return TextRow(texts, tuple(places))


def _by_cell(line: Line) -> list[list[Word]]:
    """The words of a line, cell by cell."""
    found: list[list[Word]] = [[] for _ in line.places]
    begins = [begin for begin, _ in line.places]
    for word in _words(line):
        found[max(0, bisect_right(begins, word[1] + 0.5) - 1)].append(word)
    return [words for words in found if words]


def _strip_between(strips: Sequence[Strip], left: Word, right: Word, size: float) -> bool:
    """Whether a strip parts two words, the right one a figure where they are as close as words are."""
    if not is_figure(right[0]) and right[1] - left[2] <= _SPACE * size:
        return False
    at = bisect_left(strips, left[2] - 1, key=lambda strip: strip[1])
    if at == len(strips) or strips[at][0] > right[1] + 1:
        return False
    return (left[1] + left[2]) / 2 < (strips[at][0] + strips[at][1]) / 2 < (right[1] + right[2]) / 2


def _head(line: Line, zones: Sequence[Strip], under: tuple[tuple[float, float], ...]) -> TextRow:
    """A row of the header: heads may be wider than their columns, so that words part where they are heads of two."""
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for words in _by_cell(line):
        for run in _heads(words, zones, under, line.size):
            cells.append(" ".join(text for text, _, _ in run))
            places.append((run[0][1], max(end for _, _, end in run)))
    if not cells:
        return text_row(line)
    return TextRow(tuple(text.replace("\xad", "-") for text in cells), tuple(places), under)


def _heads(
    words: Sequence[Word], zones: Sequence[Strip], under: Sequence[Strip], size: float
) -> list[list[Word]]:
    """The words of a cell of the header as one head, or as heads of neighbouring columns: where wide white is
    between words of two columns, or where each run of words of one column is in line with it."""
    middles = [(left[1] + right[0]) / 2 for left, right in itertools.pairwise(zones)]
    runs: list[list[Word]] = []
    gaps = [right[1] - left[2] for left, right in itertools.pairwise(words)]
    least = min(gaps, default=0.0)
    far = max(_HEAD_SPACE * size, _MUCH_WIDER * least)
    for word in words:
        last = runs[-1][-1] if runs else None
        if last is None:
            runs.append([word])
            continue
        other = bisect_right(middles, (word[1] + word[2]) / 2) > bisect_right(
            middles, (last[1] + last[2]) / 2
        )
        together = any(begin <= last[1] + 1 and word[2] - 1 <= end for begin, end in under)
        if (other and not together) or word[1] - last[2] > far:
            runs.append([word])
        else:
            runs[-1].append(word)
    if len(runs) < 2 or _in_line(runs, zones, middles, size):
        return runs
    wider = max(_SPACE * size, _WIDER * least if len(runs) < _MANY_HEADS else 0.0)
    whole: list[list[Word]] = []
    for run in runs:
        gap = run[0][1] - whole[-1][-1][2] if whole else _FAR
        if gap <= wider:
            whole[-1] += run
        else:
            whole.append(run)
    return whole


def _in_line(
    runs: Sequence[Sequence[Word]], zones: Sequence[Strip], middles: Sequence[float], size: float
) -> bool:
    """Whether runs of words are flush with the columns that they are above, all on one side or in the middle."""
    off = []
    for run in runs:
        begin, end = run[0][1], run[-1][2]
        left, right = zones[bisect_right(middles, (begin + end) / 2)]
        off.append((abs(begin - left), abs(end - right), abs(begin + end - left - right) / 2))
    return any(max(side) <= _FLUSH * size for side in zip(*off, strict=True))
