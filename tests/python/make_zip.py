"""Small files of zipped and compound formats for tests, from their raw parts, so that every case can be written."""

from __future__ import annotations

import io
import itertools
import struct
import zipfile
from collections.abc import Mapping

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these members, the first one stored as it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for number, (name, data) in enumerate(parts.items()):
            file.writestr(name, data, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED)
    return out.getvalue()


def relations(**targets: tuple[str, str]) -> str:
    """A part of relationships: id=(kind, target)."""
    found = "".join(
        f'<Relationship Id="{id_}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for id_, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{found}</Relationships>'


def odf(kind: str, body: str, styles: str = "", more: Mapping[str, str | bytes] | None = None) -> bytes:
    """An OpenDocument file: kind is text, spreadsheet or presentation."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name if name != "fo" else "xsl-fo-compatible"}:1.0"'
        for name in ("office", "text", "table", "style", "presentation", "meta")
    )
    spaces += (
        ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    )
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return zipped({"mimetype": mime, "content.xml": content, "META-INF/manifest.xml": "<m/>", **(more or {})})


def epub(chapters: Mapping[str, str], nav: str = "", head: str = "") -> bytes:
    """A book: name of a page to its body; `nav` is the list of the contents."""
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    items = "".join(
        f'<item id="i{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{at}"/>' for at in range(len(chapters)))
    toc = (
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' if nav else ""
    )
    package = (
        f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{head}</metadata>'
        f"<manifest>{items}{toc}</manifest><spine>{spine}</spine></package>"
    )
    pages = {
        f"OPS/{name}": f"<html><head><title/></head><body>{body}</body></html>"
        for name, body in chapters.items()
    }
    contents = {"OPS/nav.xhtml": f'<html><body><nav type="toc">{nav}</nav></body></html>'} if nav else {}
    return zipped(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OPS/book.opf": package}
        | pages
        | contents
    )


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file (OLE) of streams; a path may have one storage in it."""
    entries: list[list[object]] = [["Root Entry", 5, None, 0, 0]]
    sectors: list[bytes] = []
    table: list[int] = []

    def chain(data: bytes) -> int:
        count = max(1, -(-len(data) // 512))
        first = len(sectors)
        for at in range(count):
            sectors.append(data[512 * at : 512 * at + 512].ljust(512, b"\0"))
            table.append(first + at + 1 if at + 1 < count else 0xFFFFFFFE)
        return first

    folders: dict[str, list[int]] = {"": []}
    for path, data in streams.items():
        above, _, name = path.rpartition("/")
        if above not in folders:
            folders[above] = []
            entries.append([above, 1, above, 0, 0])
            folders[""].append(len(entries) - 1)
        entries.append([name, 2, None, chain(data), len(data)])
        folders[above].append(len(entries) - 1)
    rights = {one: other for inside in folders.values() for one, other in itertools.pairwise(inside)}
    records = []
    for at, (name, kind, folder, start, size) in enumerate(entries):
        inside = folders["" if at == 0 else str(folder)] if at == 0 or folder is not None else []
        raw = str(name).encode("utf-16-le")
        record = raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw) + 2, kind, 1)
        child = inside[0] if inside else 0xFFFFFFFF
        record += struct.pack("<III", 0xFFFFFFFF, rights.get(at, 0xFFFFFFFF), child) + bytes(36)
        records.append(record + struct.pack("<IQ", start if kind == 2 else 0xFFFFFFFE, size))
    directory = chain(b"".join(records))
    place = len(sectors)
    table.append(0xFFFFFFFD)
    sectors.append(b"".join(struct.pack("<I", one) for one in table).ljust(512, b"\xff"))
    assert len(table) <= 128
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(10)
    )
    header += struct.pack("<IIIIIIIII", 1, directory, 0, 0, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, place)
    return header.ljust(512, b"\xff") + b"".join(sectors)
