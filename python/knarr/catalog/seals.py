"""Checksums of what is stored: damage is noticed before it is shown, and costs what it touches only.

A seal is a CRC-32 over values in a form that no two of them share. None is the seal of what a knarr before schema 2
wrote, which is taken as it is and gets one when it is written again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), sort_keys=True).encode


def seal(*values: Any) -> int:
    """The checksum of these values, in this order: texts, numbers, bytes and None."""
    plain = [[len(one), zlib.crc32(one)] if isinstance(one, bytes) else one for one in values]
    return zlib.crc32(_encode(plain).encode("ascii"))


def seal_rows(rows: Iterable[Sequence[Any]]) -> int:
    """The checksum of rows, in their order."""
    return seal(*(seal(*row) for row in rows))


def is_whole(stored: int | None, *values: Any) -> bool:
    """Whether values are those that were sealed."""
    return stored is None or stored == seal(*values)
