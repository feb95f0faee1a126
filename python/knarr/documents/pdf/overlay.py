"""Texts that are written onto a page where the file names only a place for them.

Part of the worker process (see `child`). A text becomes words inside its rectangle, at a size that fits there and is
no larger than most of the page. The name of a field is written with its value only where the page shows no label.
Cost: linear in the words of the page and in the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_SIZE, _LEAST_SIZE, _CHAR_WIDTH, _LEADING, _BELOW = 12.0, 2.0, 0.5, 1.2, 0.25
_CELL_X, _CELL_Y = 36.0, 12.0
_MOST_CELLS = 64
TICKED, EMPTY = "[x]", "[ ]"

Rect = tuple[float, float, float, float]
"""Left, bottom, right and top in points."""
Word = list[Any]


@dataclass(slots=True)
class Shown:
    """A text and the place that it has. `unless_seen`: only where the merged page has no word there."""

    text: str
    rect: Rect
    size: float
    lines: bool = False
    name: str = ""
    unless_seen: bool = False


def placed_texts(texts: Iterable[Shown], words: Sequence[Word], rotation: int) -> list[Word]:
    """The words of texts on a page that has `words` and is shown turned by `rotation` quarters."""
    texts = list(texts)
    if not texts:
        return []
    page = _Occupied(words)
    sizes = sorted(word[4] for word in words if word[4] > 0)
    usual = min(_SIZE, sizes[len(sizes) // 2] if sizes else _SIZE)
    found: list[Word] = []
    for shown in texts:
        rect = _turned(shown.rect, rotation)
        if shown.unless_seen and page.holds(rect):
            continue
        text = shown.text
        if shown.name and not page.labels(rect):
            text = f"{text} {shown.name}" if text in (TICKED, EMPTY) else f"{shown.name}: {text}"
        # No larger than most of the page, or a value would look like a heading.
        height = rect[3] - rect[1] if not shown.lines else usual
        found += _laid_out(text, rect, min(usual, shown.size or 0.8 * height), shown.lines)
    return found


class _Occupied:
    """Where a page has words, in cells, so that no annotation is held against every word."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._cells: set[tuple[int, int]] = set()
        self._middles: dict[tuple[int, int], list[tuple[float, float]]] = {}
        self._ends: dict[int, tuple[float, float]] = {}
        for _, x0, x1, y, size, *_ in words:
            row = int((y + size * _BELOW) // _CELL_Y)
            left, right = self._ends.get(row, (x0, x1))
            self._ends[row] = min(left, x0), max(right, x1)
            first = int(x0 // _CELL_X)
            self._cells.update(
                (row, at) for at in range(first, min(first + _MOST_CELLS, int(x1 // _CELL_X) + 1))
            )
            middle = (x0 + x1) / 2, y + size * _BELOW
            self._middles.setdefault((row, int(middle[0] // _CELL_X)), []).append(middle)

    def holds(self, rect: Rect) -> bool:
        """Whether the middle of a word is inside."""
        left, bottom, right, top = rect
        return any(
            left <= x <= right and bottom <= y <= top
            for cell in _cells(rect)
            for x, y in self._middles.get(cell, ())[:_MOST_CELLS]
        )

    def labels(self, rect: Rect) -> bool:
        """Whether a word stands beside the place on its rows, or just above it."""
        left, bottom, right, top = rect
        for row in range(
            int(bottom // _CELL_Y), min(int(top // _CELL_Y), int(bottom // _CELL_Y) + _MOST_CELLS) + 1
        ):
            ends = self._ends.get(row)
            if ends is not None and (ends[0] < left or ends[1] > right):
                return True
        return any(cell in self._cells for cell in _cells((left, top, right, top + 2 * _CELL_Y)))


def _cells(rect: Rect) -> list[tuple[int, int]]:
    """The cells of a place, some hundreds at most."""
    left, bottom, right, top = rect
    rows = range(int(bottom // _CELL_Y), min(int(top // _CELL_Y), int(bottom // _CELL_Y) + _MOST_CELLS) + 1)
    columns = range(int(left // _CELL_X), min(int(right // _CELL_X), int(left // _CELL_X) + _MOST_CELLS) + 1)
    return [(row, column) for row in rows for column in columns]


def _turned(rect: Rect, rotation: int) -> Rect:
    """A place on a page that is shown turned, along the direction of writing, as words are placed."""
    left, bottom, right, top = rect
    if rotation == 1:
        return bottom, -right, top, -left
    if rotation == 2:
        return -right, -top, -left, -bottom
    if rotation == 3:
        return -top, left, -bottom, right
    return rect


def _laid_out(text: str, rect: Rect, size: float, lines: bool) -> list[Word]:
    """A text in a place: in one line at half its height, or in lines from its top, as narrow as they must
    be for all to be inside."""
    left, bottom, right, top = rect
    width, height = max(right - left, 1.0), max(top - bottom, 1.0)
    size = max(_LEAST_SIZE, min(size, height))
    paragraphs = [paragraph for paragraph in text.splitlines() if paragraph.strip()]
    if lines or len(paragraphs) > 1:
        most = max(1, int(width / (_CHAR_WIDTH * size)))
        rows = [row for paragraph in paragraphs for row in _wrapped(paragraph, most)]
        room = max(1, int(height / (_LEADING * size)))
        if len(rows) > room:
            rows = _wrapped(" ".join(rows), -(-sum(len(row) + 1 for row in rows) // room))
        step = _LEADING * size
        first = top - step + _BELOW * size
    else:
        rows, step, first = [text], 0.0, (top + bottom - size) / 2 + _BELOW * size
    # A row is one word, however many it has: where the page itself has words in the same place, they do not mix.
    char = _CHAR_WIDTH * size
    ends = [left + min(char * len(row), width) for row in rows]
    return [
        [row, round(left, 1), round(end, 1), round(first - at * step, 1), round(size, 1), 0, 0]
        for at, (row, end) in enumerate(zip(rows, ends, strict=True))
    ]


def _wrapped(paragraph: str, most: int) -> list[str]:
    """Lines of at most so many characters, cut between words."""
    rows: list[str] = []
    row: list[str] = []
    length = 0
    for word in paragraph.split():
        if row and length + len(word) > most:
            rows.append(" ".join(row))
            row, length = [], 0
        row.append(word)
        length += len(word) + 1
    return [*rows, " ".join(row)] if row else rows
