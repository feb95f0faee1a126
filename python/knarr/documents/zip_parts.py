"""A file that is a zip of parts (DOCX, PPTX, XLSX, ODF, EPUB): its parts, read and parsed within bounds.

Nothing the file declares about itself is trusted: inflated bytes are counted while they come,
members are counted before the directory is read, and a part's elements and attributes are
counted before a tree is built from it. All bounds are on work, not on time, so that a file is read or
refused alike on every machine.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knarr.documents.xml import charge, parse_part, parse_text
from knarr.errors import DocumentError

if TYPE_CHECKING:
    from lxml import etree

MAX_MEMBERS = 10_000
MAX_PART_BYTES = 64 << 20
MAX_PACKAGE_BYTES = 128 << 20
MAX_TREE_BYTES = 300 << 20
MAX_STREAM_BYTES = 512 << 20
_BLOCK_BYTES = 1 << 18

_CENTRAL_RECORD = b"PK\x01\x02"


class ZipParts:
    """The parts of one file, by their path without regard to case. `kind` is what errors call the file.

    Raises DocumentError with status "encrypted", "limit" or "corrupt"."""

    def __init__(self, data: bytes, kind: str) -> None:
        self._kind = kind
        members = data.count(_CENTRAL_RECORD)
        if members > MAX_MEMBERS:
            raise DocumentError(f"{members} members in the package, at most {MAX_MEMBERS} are read", "limit")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (
            zipfile.BadZipFile,
            ValueError,
            NotImplementedError,
            EOFError,
            OSError,
            struct.error,
        ) as error:
            raise DocumentError(f"not a whole {kind} package: {error}") from error
        self._data = data
        self._names = {name.lower(): name for name in self._zip.namelist()}
        self._left_bytes = MAX_PACKAGE_BYTES
        self._left_tree_bytes = MAX_TREE_BYTES
        self._left_stream = MAX_STREAM_BYTES

    @property
    def names(self) -> list[str]:
        """The paths of all parts, in the order of the package's directory."""
        return list(self._names.values())

    def has(self, path: str) -> bool:
        return path.lower() in self._names

    def read(self, path: str) -> bytes | None:
        """The bytes of a part; None when the package has no such part."""
        name = self._names.get(path.lower())
        return None if name is None else self._inflate(name)

    def blocks(self, path: str) -> Iterator[bytes]:
        """The bytes of a part that is read as a stream, so that it may be far larger than others; the reader may stop."""
        name = self._names.get(path.lower())
        if name is None:
            return
        info, packed = self._packed(name)
        size = crc = 0
        for block in _inflated_blocks(packed, info.compress_type):
            self._left_stream -= len(block)
            if self._left_stream < 0:
                raise DocumentError(f"{name} inflates to more than {MAX_STREAM_BYTES >> 20} MiB", "limit")
            size, crc = size + len(block), zlib.crc32(block, crc)
            yield block
        if size != info.file_size or crc != info.CRC:
            raise DocumentError(f"{name} is damaged: its size or checksum is not what it declares")

    def xml(self, path: str) -> etree._Element | None:
        """The root element of a part whose kind has no document types; None when there is no such part."""
        data = self.read(path)
        if data is None:
            return None
        self._charge(path, data)
        return parse_part(data, path, self._kind)

    def loose_xml(self, path: str) -> etree._Element | None:
        """The same where document types and other encodings are usual."""
        data = self.read(path)
        if data is None:
            return None
        self._charge(path, data)
        return parse_text(data, path)[0]

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part: id → (kind, target). The kind is the last word of the type's URI,
        the target a path in the package or an outside address."""
        folder, name = posixpath.split(part)
        found = self._relations(posixpath.join(folder, "_rels", name + ".rels"), folder)
        return {id_: (kind.rpartition("/")[2], target) for kind, target, id_ in found}

    def office_document(self, default: str) -> str:
        """The path of the main part of an Office file, by the package's relationships."""
        for kind, target, _ in self._relations("_rels/.rels", ""):
            if kind.endswith("/officeDocument"):
                return target
        return default

    def _relations(self, path: str, folder: str) -> list[tuple[str, str, str]]:
        root = self.xml(path)
        found = []
        for element in () if root is None else root.iterchildren("{*}Relationship"):
            target = element.get("Target", "")
            if element.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found.append((element.get("Type", ""), target, element.get("Id", "")))
        return found

    def _packed(self, name: str) -> tuple[zipfile.ZipInfo, bytes]:
        """A part as it is packed."""
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise DocumentError(f"{name} is protected by a password", "encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DocumentError(f"{name} is compressed in a way that {self._kind} does not know")
        # ZipFile.open would stop at the size that the file declares.
        begin = info.header_offset + _local_header_bytes(self._data, info.header_offset)
        return info, self._data[begin : begin + info.compress_size]

    def _inflate(self, name: str) -> bytes:
        info, packed = self._packed(name)
        limit = min(MAX_PART_BYTES, self._left_bytes)
        try:
            data = packed if info.compress_type == zipfile.ZIP_STORED else _inflated(packed, limit)
        except zlib.error as error:
            raise DocumentError(f"{name} cannot be inflated: {error}") from error
        if len(data) > limit:
            raise DocumentError(f"{name} inflates to more than {limit >> 20} MiB", "limit")
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise DocumentError(f"{name} is damaged: its size or checksum is not what it declares")
        self._left_bytes -= len(data)
        return data

    def _charge(self, name: str, data: bytes) -> None:
        self._left_tree_bytes -= charge(data)
        if self._left_tree_bytes < 0:
            raise DocumentError(f"{name} holds more elements than are read", "limit")


def _local_header_bytes(data: bytes, at: int) -> int:
    """The size of a member's own header, from the lengths of its name and its extra field."""
    if data[at : at + 4] != b"PK\x03\x04" or len(data) < at + 30:
        raise DocumentError("the package's directory points at no member")
    name, extra = struct.unpack_from("<HH", data, at + 26)
    return int(30 + name + extra)


def _inflated(packed: bytes, limit: int) -> bytes:
    """The inflated data, cut off one byte after `limit`."""
    squeezed = zlib.decompressobj(-zlib.MAX_WBITS)
    return squeezed.decompress(packed, limit + 1)


def _inflated_blocks(packed: bytes, method: int) -> Iterator[bytes]:
    """The inflated data piece by piece."""
    if method == zipfile.ZIP_STORED:
        for at in range(0, len(packed), _BLOCK_BYTES):
            yield packed[at : at + _BLOCK_BYTES]
        return
    squeezed = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _BLOCK_BYTES):
        rest = packed[at : at + _BLOCK_BYTES]
        while rest and not squeezed.eof:
            try:
                block = squeezed.decompress(rest, _BLOCK_BYTES)
            except zlib.error as error:
                raise DocumentError(f"a part cannot be inflated: {error}") from error
            rest = squeezed.unconsumed_tail
            if block:
                yield block
    while not squeezed.eof and (block := squeezed.decompress(squeezed.unconsumed_tail, _BLOCK_BYTES)):
        yield block
