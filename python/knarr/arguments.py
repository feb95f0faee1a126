"""What the engine is given, checked or brought to one form before it goes in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from knarr.errors import InvalidArgument

Floats = npt.NDArray[np.float32]
Plan = Literal["auto", "exact", "scan", "graph"]
Precision = Literal["float32", "bfloat16", "int8"]


class Serializable(Protocol):
    """What a pyroaring.BitMap or FrozenBitMap is to the engine."""

    def serialize(self) -> bytes:
        """The set in the portable Roaring format."""
        ...


# Rows that a caller may see: a pyroaring.BitMap, its portable serialisation, or a bool for each row.
Rows = Serializable | bytes | npt.NDArray[np.bool_]
# Such rows, or (rows, generation): refused when `Engine.compact` has given rows other numbers since.
RowFilter = Rows | tuple[Rows, int]

_ESCAPED_TEXT = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_ESCAPE = re.compile(r"(%[0-7][0-9A-Fa-f])")


def count(value: int, name: str) -> int:
    """An integer that fits the engine; its range is checked there."""
    try:
        number = value.__index__()
    except AttributeError:
        raise InvalidArgument(f"{name}: expected an integer, got {value!r}") from None
    if not -(2**63) <= number < 2**63:
        raise InvalidArgument(f"{name}: {number} is out of range")
    return number


def text(value: str, name: str) -> str:
    """A str that has a UTF-8 form."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name}: expected str, got {value!r}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidArgument(f"{name} {value!a}: a lone surrogate has no UTF-8 form") from None
    return value


def array(value: Floats, name: str) -> Floats:
    """An array; its type, shape and layout are checked by the engine."""
    if not isinstance(value, np.ndarray):
        raise InvalidArgument(
            f"{name}: expected a float32 array, got {type(value).__name__}; "
            "numpy.ascontiguousarray(x, dtype=numpy.float32) converts"
        )
    return value


def nfc(uri: str) -> str:
    """The URI with its components in Unicode NFC; what else is wrong with it the engine says.

    Escapes of bytes from 0x80 on are text written in another way: they are undone first, so that
    both ways name the same node. They yield no `%`, so the rest is still decoded exactly once. An accent
    that follows another escape belongs to the sign that is meant, not to the last letter of the escape."""
    uri = text(uri, "URI")
    if "%" in uri:
        uri = _ESCAPED_TEXT.sub(_unescape, uri)
    if uri.isascii():
        return uri
    return "".join(unicodedata.normalize("NFC", piece) for piece in _ESCAPE.split(uri))


def _unescape(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]  # refused by the engine, with the whole URI in its message


def strings(values: Sequence[str] | None) -> list[str] | None:
    """A list of them, that the engine may keep."""
    return None if values is None else list(values)
