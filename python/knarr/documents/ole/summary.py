"""The properties of a compound file (its SummaryInformation stream) as metadata ([MS-OLEPS])."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta

from knarr.documents.encodings import declared_codec
from knarr.documents.ole.container import CompoundFile
from knarr.documents.properties import properties
from knarr.documents.sections import MetadataValue

_KEYS = {
    2: "title",
    3: "subject",
    4: "author",
    5: "keywords",
    6: "description",
    12: "created",
    13: "modified",
}
_MAX_PROPERTIES = 200
_TEXT, _WIDE, _TIME = 0x1E, 0x1F, 0x40


def summary_metadata(file: CompoundFile) -> dict[str, MetadataValue]:
    """What the file says of itself; nothing where that is damaged."""
    try:
        return _read(file.stream("\x05SummaryInformation") or b"")
    except (struct.error, IndexError):
        return {}


def _read(data: bytes) -> dict[str, MetadataValue]:
    found: list[tuple[str, str]] = []
    if len(data) < 56:
        return {}
    begin = struct.unpack_from("<I", data, 44)[0]
    count = struct.unpack_from("<I", data, begin + 4)[0]
    places = [
        struct.unpack_from("<II", data, begin + 8 + 8 * at) for at in range(min(count, _MAX_PROPERTIES))
    ]
    codec = "cp1252"
    for key, offset in places:
        if key == 1:
            page = struct.unpack_from("<H", data, begin + offset + 4)[0]
            codec = "utf-8" if page == 65001 else declared_codec(f"cp{page}") or "cp1252"
    for key, offset in places:
        if key in _KEYS:
            found.append((_KEYS[key], _value(data, begin + offset, codec)))
    return properties(found)


def _value(data: bytes, at: int, codec: str) -> str:
    kind, size = struct.unpack_from("<II", data, at)
    if kind == _TEXT:
        return data[at + 8 : at + 8 + min(size, 8_000)].decode(codec, "replace").rstrip("\0")
    if kind == _WIDE:
        return data[at + 8 : at + 8 + min(2 * size, 8_000)].decode("utf-16-le", "replace").rstrip("\0")
    if kind == _TIME:
        ticks = struct.unpack_from("<Q", data, at + 4)[0]
        if ticks:
            try:
                return (datetime(1601, 1, 1, tzinfo=UTC) + timedelta(seconds=ticks // 10_000_000)).isoformat()
            except OverflowError:
                return ""
    return ""
