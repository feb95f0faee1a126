"""Where the words of a line stand, kept small: a document has a million words, and each only waits to be told its place
in the text."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knarr.documents.pdf.placed import PlacedWord

# What fonts reach below and above the base line, in units of the size; accents on capitals included.
_BELOW, _ABOVE = 0.25, 0.95
_REACH = 8  # how far in a line's text a word may be from where the last one ended: marks that join cells

Sides = tuple[float, float, float, float]


@dataclass(slots=True)
class WordPlaces:
    """The words of a line, in its order.

    begins:  the first character of each in the line's text
    ends:    left and right end of each, along the direction of writing
    size:    of the tallest
    angle:   by which the line is turned against the page, in radians and anticlockwise
    """

    begins: array[int]
    ends: array[float]
    size: float
    angle: float

    def along(self, text: str) -> Iterator[tuple[str, float, float]]:
        """Each word of the line with this text, and its left and right end along the direction of writing."""
        begins, ends = self.begins.tolist(), self.ends.tolist()
        for begin, end, one, other in zip(
            begins, [*begins, len(text)][1:], ends[::2], ends[1::2], strict=True
        ):
            word = text[begin:end].rstrip(" \xad")
            yield (word, one, other) if one <= other else (word, other, one)

    def words(self, text: str, y: float) -> Iterator[tuple[str, Sides]]:
        """Each word of the line with this text and base line, and its sides on the page."""
        bottom, top = y - _BELOW * self.size, y + _ABOVE * self.size
        for word, left, right in self.along(text):
            sides = (left, bottom, right, top)
            yield word, self._turned(sides) if self.angle else sides

    def _turned(self, sides: Sides) -> Sides:
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        corners = [(x * cos - y * sin, x * sin + y * cos) for x in sides[::2] for y in sides[1::2]]
        return (
            min(x for x, _ in corners),
            min(y for _, y in corners),
            max(x for x, _ in corners),
            max(y for _, y in corners),
        )


def word_places(text: str, words: Sequence[PlacedWord]) -> WordPlaces:
    """The places of the words that a line's text was made of, in that order."""
    begins: list[int] = []
    ends: list[float] = []
    at = 0
    for word in words:
        bare = word.text.rstrip("\xad")
        begin = text.find(bare, at, at + len(bare) + _REACH) if bare else -1
        if begin < 0:
            continue
        begins.append(begin)
        ends += (word.x0, word.x1)
        at = begin + len(bare)
    # A size is less than nothing where the font is drawn upside down.
    size = max([abs(word.size) for word in words], default=0.0)
    return WordPlaces(array("i", begins), array("f", ends), size, words[0].angle if words else 0.0)
