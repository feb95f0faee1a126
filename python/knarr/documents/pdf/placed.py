"""Words at their places on a page, before they are lines, and runs of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

_RAISED = 0.45
_WORD_GAP = 1.0
_OVERLAP = 0.4
_LETTERS_OF_WORD = 4
_LETTER = re.compile("[A-Za-z]")
_SIZE = attrgetter("size")
_FIRST_LEFTWARDS = "\u0590"
_LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


@dataclass(slots=True)
class PlacedWord:
    """A word with its place (in points, y growing upwards), its look, its rank in the order of writing, and by how
    many radians it is turned anticlockwise: its place is that on the page turned back."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    italic: bool
    order: int
    angle: float = 0.0


Cells = list[list[PlacedWord]]
"""A row parted into cells, each a run of words."""


@dataclass(slots=True)
class WordRun:
    """Words beside each other on one base line that were written one after the other: all or part of a line of
    text, never more, since a writer goes to the next column with a jump.

    length: its length in words, or in groups of letters where the script writes no spaces
    going:  whether it begins as the middle of a sentence does
    stops:  whether it ends as a sentence does
    """

    words: list[PlacedWord]
    x0: float
    x1: float
    y: float
    size: float
    first: int
    last: int
    length: float
    going: bool
    stops: bool


def is_leftwards(words: Sequence[PlacedWord]) -> bool:
    """Whether most words are of a script that is written from right to left."""
    return 2 * len(
        [word for word in words if word.text >= _FIRST_LEFTWARDS and _LEFTWARDS.match(word.text)]
    ) > len(words)


def leftwards(segment: Sequence[PlacedWord]) -> list[PlacedWord]:
    """A segment of Hebrew or Arabic as it is read: in PDFium's order, which has names and figures the right way
    round; or where that is torn, or runs as the places do, in the order of places."""
    written = sorted(segment, key=lambda word: word.order)
    backwards = sum(right.x0 < left.x0 for left, right in itertools.pairwise(written))
    if written[-1].order - written[0].order < len(segment) and 2 * backwards >= len(segment) - 1:
        return written
    logical: list[PlacedWord] = []
    for turned, group in itertools.groupby(reversed(segment), key=lambda word: is_leftwards([word])):
        words = list(group)
        logical += words if turned else reversed(words)
    return logical


def runs(words: Sequence[PlacedWord]) -> list[WordRun]:
    """The words, in the order of writing, as runs, from the top of the page to its bottom."""
    found: list[list[PlacedWord]] = []
    for word in words:
        if found and _beside(found[-1][-1], word):
            found[-1].append(word)
        else:
            found.append([word])
    return sorted(map(_run, found), key=lambda run: (-run.y, run.x0))


def _beside(word: PlacedWord, other: PlacedWord) -> bool:
    """Whether `other` goes on where `word` ends, rightwards or, as in Hebrew, leftwards."""
    small, large = (word.size, other.size) if word.size < other.size else (other.size, word.size)
    if abs(word.y - other.y) > _RAISED * large:
        return False
    gap, leftwards = other.x0 - word.x1, word.x0 - other.x1
    if leftwards > gap:
        gap = leftwards
    return -_OVERLAP * large <= gap <= _WORD_GAP * (small if small > 1.0 else 1.0)


def _run(words: list[PlacedWord]) -> WordRun:
    base = max(words, key=_SIZE)
    texts = [word.text for word in words]
    start, end = texts[0], texts[-1]
    return WordRun(
        words,
        min([word.x0 for word in words]),
        max([word.x1 for word in words]),
        base.y,
        base.size,
        words[0].order,
        words[-1].order,
        _length(texts),
        start[0].isalpha() and not start[0].isupper(),
        end.endswith((".", ":", ";", "。", "؟")),
    )


def _length(texts: Sequence[str]) -> float:
    """The number of words with letters; of groups of letters where the script writes no spaces."""
    if all(map(str.isascii, texts)):
        return float(len([text for text in texts if _LETTER.search(text)]))
    lettered = sum([char.isalpha() for text in texts for char in text])
    return max(float(len(texts)), lettered / _LETTERS_OF_WORD)
