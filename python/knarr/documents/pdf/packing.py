"""The words of a page on their way through the pipe: as columns, with the places as bytes.

A page has a thousand words of four numbers each, and to write and read these as JSON costs more than all else that the
pipe does. Used on both sides of it, so nothing of the package is imported here.
"""

from __future__ import annotations

from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

_NUMBERS = 4  # left and right end, base line, size


def packed(words: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Words (see `words.read_words`) as plain values: their texts; their numbers; for each 1 where it is bold plus 2
    where it is italic; and by their places in the row, the angles of those that are turned."""
    numbers = array("d", [number for word in words for number in word[1 : 1 + _NUMBERS]])
    return {
        "texts": [word[0] for word in words],
        "numbers": b64encode(numbers).decode("ascii"),
        "looks": "".join([str(word[5] + 2 * word[6]) for word in words]),
        "turned": [(at, word[7]) for at, word in enumerate(words) if len(word) > 7],
    }


def unpacked(packed: dict[str, Any]) -> list[Sequence[Any]]:
    """The words as they were."""
    numbers = array("d", b64decode(packed["numbers"])).tolist()
    looks = [_LOOKS[look] for look in packed["looks"]]
    columns = (numbers[at::_NUMBERS] for at in range(_NUMBERS))
    bold, italic = [look[0] for look in looks], [look[1] for look in looks]
    words: list[Sequence[Any]] = list(zip(packed["texts"], *columns, bold, italic, strict=True))
    for at, angle in packed["turned"]:
        words[at] = (*words[at], angle)
    return words


_LOOKS = {"0": (0, 0), "1": (1, 0), "2": (0, 1), "3": (1, 1)}
