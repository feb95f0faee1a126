"""Where the words of a text stand on their pages, for formats that have pages.

Each word of the canonical text that is known to be drawn somewhere has a range of bytes, a page and four sides. They
are kept as columns of numbers, in tenths of a point, and packed page by page: a viewer that marks a quote unpacks one
page and not the document. In a line of print the next word begins where the last ended and a space on, and stands as
high, so the packed form holds differences, most of which are nought: about three bytes a word.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knarr.types import Box

_TENTHS = 10.0
_COLUMNS = 6
_LONG_BYTES = 40  # a longer word is a line of a script without spaces, of which a part can be marked

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PackedPage:
    """The boxes of one page (from 0) as they are stored, and the range of the text that its words are in."""

    page: int
    begin_byte: int
    end_byte: int
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class WordBoxes:
    """Boxes of words, in the order of the text.

    begins, ends:  the bytes of each word in the canonical text; no two overlap
    pages:         the page of each (from 0)
    sides:         left, bottom, right and top of each in tenths of a point, shape (n, 4)
    """

    begins: Ints
    ends: Ints
    pages: Ints
    sides: Ints

    @staticmethod
    def of(words: Sequence[int], sides: Sequence[float]) -> WordBoxes:
        """From begin, end and page of each word in order, one number after the other, and its sides in points."""
        placed = np.asarray(words, dtype=np.int64).reshape(-1, 3)
        tenths = np.rint(np.asarray(sides, dtype=np.float64).reshape(-1, 4) * _TENTHS)
        return WordBoxes(placed[:, 0], placed[:, 1], placed[:, 2], tenths.astype(np.int64))

    def __len__(self) -> int:
        return len(self.begins)

    def check(self, size_bytes: int) -> None:
        """Raise AssertionError when an invariant does not hold in a text of this size."""
        assert len(self.begins) == len(self.ends) == len(self.pages) == len(self.sides)
        assert (self.begins < self.ends).all() and (self.ends[:-1] <= self.begins[1:]).all()
        assert not len(self) or (self.begins[0] >= 0 and self.ends[-1] <= size_bytes)
        assert (self.pages >= 0).all()
        assert (self.sides[:, :2] <= self.sides[:, 2:]).all()

    # ------------------------------------------------------------------ what a range covers

    def within(self, begin_byte: int, end_byte: int) -> tuple[Box, ...]:
        """The boxes of the words in a range of the text; the words of a line that stand together have one. A word
        that the range cuts is marked whole."""
        if begin_byte >= end_byte:
            return ()
        first = int(np.searchsorted(self.ends, begin_byte, side="right"))
        last = int(np.searchsorted(self.begins, end_byte, side="left"))
        found: list[list[float]] = []
        spans = zip(self.begins[first:last].tolist(), self.ends[first:last].tolist(), strict=True)
        places = zip(self.pages[first:last].tolist(), self.sides[first:last].tolist(), strict=True)
        for (begin, end), (at, sides) in zip(spans, places, strict=True):
            page = at + 1
            box = [page, *_clipped(sides, begin, end, begin_byte, end_byte)]
            if found and _stand_together(found[-1], box):
                found[-1] = [page, *map(min, found[-1][1:3], box[1:3]), *map(max, found[-1][3:], box[3:])]
            else:
                found.append(box)
        return tuple(Box(int(page), *(round(side) / _TENTHS for side in sides)) for page, *sides in found)

    # ------------------------------------------------------------------ the stored form

    def packed(self) -> Iterator[PackedPage]:
        """Page by page, those with words only."""
        order = np.argsort(self.pages, kind="stable")
        cuts = np.flatnonzero(np.diff(self.pages[order])) + 1
        for chosen in np.split(order, cuts) if len(order) else ():
            begins, ends, sides = self.begins[chosen], self.ends[chosen], self.sides[chosen]
            first = int(begins[0])
            columns = np.stack(
                [
                    begins - np.concatenate(([first], ends[:-1])),
                    ends - begins,
                    sides[:, 0] - np.concatenate(([0], sides[:-1, 2])),
                    sides[:, 2] - sides[:, 0],
                    np.diff(sides[:, 1], prepend=0),
                    np.diff(sides[:, 3] - sides[:, 1], prepend=0),
                ]
            )
            # Byte by byte of the numbers, so that the high ones, all alike, are in one run.
            planes = columns.astype("<i4").view(np.uint8).reshape(-1, 4).T
            yield PackedPage(
                int(self.pages[chosen[0]]), first, int(ends[-1]), zlib.compress(planes.tobytes(), 6)
            )

    @staticmethod
    def unpacked(stored: PackedPage) -> WordBoxes:
        """The inverse of `packed`, for one page. Raises ValueError for data that is damaged."""
        try:
            planes = np.frombuffer(zlib.decompress(stored.data), dtype=np.uint8)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        numbers = np.ascontiguousarray(planes.reshape(4, -1).T).view("<i4").astype(np.int64)
        gaps, sizes, steps, widths, rises, heights = numbers.reshape(_COLUMNS, -1)
        ends = stored.begin_byte + np.cumsum(gaps + sizes)
        rights = np.cumsum(steps + widths)
        bottoms = np.cumsum(rises)
        sides = np.stack([rights - widths, bottoms, rights, bottoms + np.cumsum(heights)], axis=1)
        return WordBoxes(ends - sizes, ends, np.full(len(ends), stored.page, dtype=np.int64), sides)


def _clipped(sides: Sequence[int], begin: int, end: int, begin_byte: int, end_byte: int) -> Sequence[float]:
    """The sides of what a range has of a word; only of a long one is it less than the word."""
    if end - begin <= _LONG_BYTES:
        return sides
    left, bottom, right, top = sides
    per_byte = (right - left) / (end - begin)
    before, after = max(0, begin_byte - begin), max(0, end - end_byte)
    return left + per_byte * before, bottom, right - per_byte * after, top


def _stand_together(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two boxes are on one line of one page, at most a line's height apart; the line may be written upwards."""
    if one[0] != other[0]:
        return False
    for along, across in ((1, 2), (2, 1)):
        same_line = (one[across], one[across + 2]) == (other[across], other[across + 2])
        apart = max(one[along], other[along]) - min(one[along + 2], other[along + 2])
        if same_line and apart <= one[across + 2] - one[across]:
            return True
    return False
