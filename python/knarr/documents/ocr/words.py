"""Recognised lines as words at their places, like those of any page.

A line comes as four corners and a text. Its words take their share of its length, the base line lies a little above
its lower edge, and its height tells the size of its letters. A page that was laid on the glass askew is set straight
by the angle of most of its text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_LEAST_CONFIDENCE = 0.5  # a line below is more often a picture than text
_SIZE_OF_HEIGHT, _DESCENT_OF_HEIGHT = 0.75, 0.22
_STRAIGHT = 0.002  # radians, within which a page is straight
_ASKEW = math.radians(15)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was recognised. `words` as `pdf.words.read_words` gives them; `confidence` is the mean of its
    characters', 0 where nothing was read; `left_out` the lines that were too doubtful; `of` the pages of its file, where
    only reading it told."""

    words: list[list[Any]]
    confidence: float
    left_out: int = 0
    of: int = 0


def read_page(message: dict[str, Any], dot: float) -> ReadPage:
    """A page of which `child` tells; `dot` is the side of a dot in points."""
    lines = [(text, score, corners) for text, score, corners in message["lines"] if text.strip()]
    sure = [line for line in lines if line[1] >= _LEAST_CONFIDENCE]
    chars = sum(len(text) for text, _, _ in sure)
    if not chars:
        return ReadPage([], 0.0, len(lines))
    angle = _angle([corners for _, _, corners in sure])
    height = message["height"] * dot
    words: list[list[Any]] = []
    for text, _, corners in sure:
        words += _words(text, [value * dot for value in corners], angle, height)
    return ReadPage(words, sum(len(text) * score for text, score, _ in sure) / chars, len(lines) - len(sure))


def _angle(boxes: Sequence[Sequence[float]]) -> float:
    """The slope of the text, in the middle of that of its lines by their length."""
    slopes = sorted(
        (math.atan2(box[3] - box[1], box[2] - box[0]), math.hypot(box[2] - box[0], box[3] - box[1]))
        for box in boxes
    )
    half = sum(length for _, length in slopes) / 2
    for slope, length in slopes:
        half -= length
        if half <= 0:
            return slope if _STRAIGHT < abs(slope) < _ASKEW else 0.0
    return 0.0


def _words(text: str, corners: Sequence[float], angle: float, page_height: float) -> list[list[Any]]:
    cos, sin = math.cos(angle), math.sin(angle)
    xs = [x * cos + y * sin for x, y in zip(corners[::2], corners[1::2], strict=True)]
    ys = [y * cos - x * sin for x, y in zip(corners[::2], corners[1::2], strict=True)]
    left, right = min(xs), max(xs)
    top, bottom = (ys[0] + ys[1]) / 2, (ys[2] + ys[3]) / 2
    height = max(bottom - top, 0.1)
    char = (right - left) / max(1, len(text))
    size, y = _SIZE_OF_HEIGHT * height, page_height - bottom + _DESCENT_OF_HEIGHT * height
    found: list[list[Any]] = []
    at = 0
    for word in text.split(" "):
        if word.strip():
            x0, x1 = left + at * char, left + (at + len(word)) * char
            found.append([word.strip(), round(x0, 1), round(x1, 1), round(y, 1), round(size, 1), 0, 0])
        at += len(word) + 1
    return found
