"""A compound file (OLE): its streams by path, within bounds ([MS-CFB]).

A compound file is a small file system: a table of sectors chains the sectors of each stream, and a tree of
directory entries names the streams. Every chain is followed at most as far as the file has sectors, and each
sector once in it; all chains together are bounded too, so no file can make a reader run in circles.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from knarr.documents.decode import Limits
from knarr.documents.sections import Document
from knarr.errors import DocumentError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_END = 0xFFFFFFFA  # this number and those above it are no sectors
_MAX_ENTRIES = 100_000
_MOST_READ = 8  # times the file's own size, over all streams
_STORAGE, _STREAM = 1, 2

_Sector = Callable[[int], bytes]


def refuse_encrypted(data: bytes, name: str, limits: Limits) -> Document:
    """The parser of Office files that are encrypted: raises DocumentError."""
    raise DocumentError(f"{name}: the file is protected by a password", "encrypted")


def refuse_encrypted_package(data: bytes) -> None:
    """Raise DocumentError for an Office file of today that is encrypted: then it is a compound file."""
    if data.startswith(MAGIC):
        if _ENCRYPTED_STREAM in data:
            raise DocumentError("the file is protected by a password", "encrypted")
        raise DocumentError(
            "a file of Office before 2007 under the name of a newer one; save it anew", "unsupported"
        )


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """The streams of a compound file. Raises DocumentError "corrupt" for what is none."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(MAGIC) or len(data) < 512:
            raise DocumentError("not a compound file")
        self._data = data
        self._left = _MOST_READ * len(data) + (1 << 20)
        shift, small = struct.unpack_from("<HH", data, 30)
        if shift not in (9, 12) or small > 12:
            raise DocumentError("a compound file of unknown make")
        self._size, self._small_size = 1 << shift, 1 << small
        directory, self._cutoff = struct.unpack_from("<I4xI", data, 48)
        small_table, difat, difats = struct.unpack_from("<I4xII", data, 60)
        self._table = self._sector_table(difat, difats)
        self._entries = self._directory(directory)
        self._small_table = _numbers(self._chain(small_table, self._table, self._sector))
        root = self._entries[0] if self._entries else None
        self._small = self._chain(root.start, self._table, self._sector) if root else b""
        self._paths = self._walk()

    @property
    def paths(self) -> list[str]:
        """The paths of all streams, with `/` between storages."""
        return list(self._paths)

    def stream(self, path: str) -> bytes | None:
        """The bytes of a stream, by its path without regard to case; None when there is none."""
        entry = self._paths.get(path.lower())
        if entry is None:
            return None
        if entry.size < self._cutoff:
            return self._chain(entry.start, self._small_table, self._small_sector)[: entry.size]
        return self._chain(entry.start, self._table, self._sector)[: entry.size]

    def _sector(self, number: int) -> bytes:
        begin = (number + 1) * self._size
        return self._data[begin : begin + self._size]

    def _small_sector(self, number: int) -> bytes:
        begin = number * self._small_size
        return self._small[begin : begin + self._small_size]

    def _sector_table(self, difat: int, difats: int) -> tuple[int, ...]:
        numbers = list(struct.unpack_from("<109I", self._data, 76))
        seen: set[int] = set()
        while difat < _END and difat not in seen and len(seen) <= difats:
            seen.add(difat)
            block = _numbers(self._sector(difat))
            if not block:
                break
            numbers += block[:-1]
            difat = block[-1]
        blocks = list(dict.fromkeys(number for number in numbers if number < _END))
        return _numbers(b"".join(self._sector(number) for number in blocks))

    def _chain(self, start: int, table: tuple[int, ...], sector: _Sector) -> bytes:
        parts: list[bytes] = []
        seen: set[int] = set()
        while start < len(table) and start not in seen:
            seen.add(start)
            parts.append(sector(start))
            self._left -= len(parts[-1]) + 1
            if self._left < 0:
                raise DocumentError("streams of the compound file overlap", "limit")
            start = table[start]
        return b"".join(parts)

    def _directory(self, start: int) -> list[_Entry]:
        data = self._chain(start, self._table, self._sector)
        found = []
        for at in range(0, min(len(data), 128 * _MAX_ENTRIES) - 127, 128):
            length, kind = struct.unpack_from("<HB", data, at + 64)
            left, right, child = struct.unpack_from("<III", data, at + 68)
            begin, size = struct.unpack_from("<II", data, at + 116)
            name = data[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            found.append(_Entry(name, kind, left, right, child, begin, size))
        return found

    def _walk(self) -> dict[str, _Entry]:
        found: dict[str, _Entry] = {}
        seen = {0}
        stack = [(self._entries[0].child, "")] if self._entries else []
        while stack:
            number, above = stack.pop()
            if number >= len(self._entries) or number in seen:
                continue
            seen.add(number)
            entry = self._entries[number]
            path = f"{above}{entry.name}"
            stack += [(entry.left, above), (entry.right, above)]
            if entry.kind == _STORAGE and len(path) < 2_000:
                stack.append((entry.child, f"{path}/"))
            elif entry.kind == _STREAM:
                found.setdefault(path.lower(), entry)
        return found


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
