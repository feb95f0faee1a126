"""A DOCX file as a package: its parts, read and parsed within bounds.

Nothing the file declares about itself is trusted: inflated bytes are counted while they come,
members are counted before the directory is read, and a part's elements and attributes are
counted before a tree is built from it. XML with a document type, and so with entities, is
refused; nothing is ever fetched. All bounds are on work, not on time, so that a file is read or
refused alike on every machine.
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib

from lxml import etree

from knarr.documents.sections import MetadataValue
from knarr.errors import DocumentError

MAX_PROPERTY_CHARS = 2_000
MAX_MEMBERS = 10_000
MAX_PART_BYTES = 64 << 20
MAX_PACKAGE_BYTES = 128 << 20
MAX_TREE_BYTES = 300 << 20

_CENTRAL_RECORD = b"PK\x01\x02"
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
# Memory that libxml2 takes for an element or a text, and for an attribute with its value, as measured.
_NODE_BYTES = 130
_ATTRIBUTE_BYTES = 230
_TEXT = re.compile(rb">[^<]")
_DOCTYPE = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E")
_PARSER_LIMITS = ("huge text node", "Excessive depth", "huge_tree", "XML_PARSE_HUGE", "Too many", "too long")


_PROPERTIES = {
    "title": "title", "creator": "author", "subject": "subject", "description": "description",
    "keywords": "keywords", "category": "category", "language": "language", "created": "created",
    "modified": "modified", "lastModifiedBy": "modified_by", "contentStatus": "status",
}  # fmt: skip


class Package:
    """The parts of one file. Raises DocumentError with status "encrypted", "limit" or "corrupt"."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE_MAGIC):
            if _ENCRYPTED_STREAM in data:
                raise DocumentError("the file is protected by a password", "encrypted")
            raise DocumentError("an old Word file (.doc); save it as .docx", "unsupported")
        members = data.count(_CENTRAL_RECORD)
        if members > MAX_MEMBERS:
            raise DocumentError(f"{members} members in the package, at most {MAX_MEMBERS} are read", "limit")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError) as error:
            raise DocumentError(f"not a whole DOCX package: {error}") from error
        self._data = data
        self._names = {name.lower(): name for name in self._zip.namelist()}
        self._left_bytes = MAX_PACKAGE_BYTES
        self._left_tree_bytes = MAX_TREE_BYTES

    def xml(self, path: str) -> etree._Element | None:
        """The root element of a part; None when the package has no such part."""
        name = self._names.get(path.lower())
        if name is None:
            return None
        data = self._inflate(name)
        self._charge(name, data)
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        parser = etree.XMLParser(
            # The encoding is fixed here, since another one could hide the characters counted above.
            encoding="utf-16" if utf16 else "utf-8",
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            status = "limit" if any(word in str(error) for word in _PARSER_LIMITS) else "corrupt"
            raise DocumentError(f"{name}: {error}", status) from error

    def main_part(self) -> str:
        """The path of the main document, by the package's relationships."""
        for kind, target, _ in self._relations("_rels/.rels", ""):
            if kind.endswith("/officeDocument"):
                return target
        return "word/document.xml"

    def properties(self) -> dict[str, MetadataValue]:
        """What the document says of itself: title, author, dates and the like, as far as somebody filled them in."""
        targets = (
            target
            for kind, target, _ in self._relations("_rels/.rels", "")
            if kind.endswith("/core-properties")
        )
        root = self.xml(next(targets, "docProps/core.xml"))
        found: dict[str, MetadataValue] = {}
        for element in () if root is None else root:
            name = _PROPERTIES.get(str(element.tag).rpartition("}")[2])
            text = " ".join((element.text or "").split())[:MAX_PROPERTY_CHARS]
            if name and text:
                found[name] = text
        return found

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part: id → (kind, target). The kind is the last word of the type's URI,
        the target a path in the package or an outside address."""
        folder, name = posixpath.split(part)
        found = self._relations(posixpath.join(folder, "_rels", name + ".rels"), folder)
        return {id_: (kind.rpartition("/")[2], target) for kind, target, id_ in found}

    def _relations(self, path: str, folder: str) -> list[tuple[str, str, str]]:
        root = self.xml(path)
        found = []
        for element in () if root is None else root.iterchildren("{*}Relationship"):
            target = element.get("Target", "")
            if element.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found.append((element.get("Type", ""), target, element.get("Id", "")))
        return found

    def _inflate(self, name: str) -> bytes:
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise DocumentError(f"{name} is protected by a password", "encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DocumentError(f"{name} is compressed in a way that DOCX does not know")
        limit = min(MAX_PART_BYTES, self._left_bytes)
        # ZipFile.open would stop at the size that the file declares.
        begin = info.header_offset + _local_header_bytes(self._data, info.header_offset)
        packed = self._data[begin : begin + info.compress_size]
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
        if _DOCTYPE.search(data):
            raise DocumentError(f"{name} declares a document type, which DOCX never does", "limit")
        nodes = data.count(b"<") - data.count(b"</") + sum(1 for _ in _TEXT.finditer(data))
        self._left_tree_bytes -= nodes * _NODE_BYTES + data.count(b"=") * _ATTRIBUTE_BYTES + len(data)
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
