"""What a document says of itself, as the catalog keeps it: bounded, and in values that JSON has.

A file may state anything of any size. What is longer than anyone would write down by hand is cut or left out, and the
receipt says so; the rest is kept as it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from knarr.documents.sections import MetadataValue

_Plain = str | int | float | bool
MOST_KEYS = 200
MOST_ITEMS = 200
_KEY_CHARS = 200
_VALUE_CHARS = 4_000
_ALL_CHARS = 32_000


def kept(metadata: Mapping[str, MetadataValue]) -> tuple[dict[str, MetadataValue], tuple[str, ...]]:
    """What is stored of the metadata, and a note where that is not all."""
    found: dict[str, MetadataValue] = {}
    room, cut = _ALL_CHARS, 0
    for key, value in metadata.items():
        name = _text(key, _KEY_CHARS)
        whole: tuple[_Plain, ...] = value if isinstance(value, tuple) else (value,)
        items = tuple(map(_plain, whole[:MOST_ITEMS]))
        size = len(name) + sum(len(str(item)) for item in items)
        if len(found) == MOST_KEYS or size > room:
            cut += 1
            continue
        room -= size
        cut += len(whole) > MOST_ITEMS or any(map(_is_cut, whole[:MOST_ITEMS]))
        found[name] = items if isinstance(value, tuple) else items[0]
    return found, (f"metadata: {cut:,} values were too many or too long to keep whole",) if cut else ()


def _plain(value: _Plain) -> _Plain:
    if isinstance(value, str):
        return _text(value, _VALUE_CHARS)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return hex(value)[:_VALUE_CHARS] if isinstance(value, int) and _is_cut(value) else value


def _is_cut(value: _Plain) -> bool:
    """Whether a value is longer than is kept; a whole number of hundreds of digits is none that readers of JSON
    take, so it is kept as text."""
    if isinstance(value, str):
        return len(value) > _VALUE_CHARS
    return isinstance(value, int) and value.bit_length() > 1024


def _text(text: str, most: int) -> str:
    return text[:most].encode("utf-8", "replace").decode("utf-8")
