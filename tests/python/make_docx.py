"""Small DOCX files for tests, from raw WordprocessingML, so that every case can be written."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def run(text: str, *, bold: bool = False, size: int | None = None, extra: str = "") -> str:
    """One `w:r`; size in half-points."""
    look = ("<w:b/>" if bold else "") + (f'<w:sz w:val="{size}"/>' if size else "") + extra
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(
    content: str = "",
    *,
    style: str = "",
    outline: int | None = None,
    list_: tuple[int, int] | None = None,
    bold: bool = False,
    size: int | None = None,
) -> str:
    """One `w:p`; content is text, or runs where it begins with `<`."""
    inner = content if content.startswith("<") else run(content, bold=bold, size=size)
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if list_ is not None:
        properties += f'<w:numPr><w:ilvl w:val="{list_[1]}"/><w:numId w:val="{list_[0]}"/></w:numPr>'
    if outline is not None:
        properties += f'<w:outlineLvl w:val="{outline}"/>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def table(rows: list[list[str]]) -> str:
    """A `w:tbl`; a cell is text, or XML where it begins with `<`."""
    cells = [
        "".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row) for row in rows
    ]
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def style(id_: str, name: str, *, based_on: str = "", outline: int | None = None, look: str = "") -> str:
    """A paragraph style."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    level = f'<w:pPr><w:outlineLvl w:val="{outline}"/></w:pPr>' if outline is not None else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{id_}"><w:name w:val="{name}"/>{base}{level}'
        f"<w:rPr>{look}</w:rPr></w:style>"
    )


def numbering(levels: dict[int, list[tuple[str, str]]]) -> str:
    """Lists by number id: (format, text) of each level."""
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{id_}">'
        + "".join(
            f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{format_}"/><w:lvlText w:val="{text}"/></w:lvl>'
            for depth, (format_, text) in enumerate(formats)
        )
        + "</w:abstractNum>"
        for id_, formats in levels.items()
    )
    return abstract + "".join(
        f'<w:num w:numId="{id_}"><w:abstractNumId w:val="{id_}"/></w:num>' for id_ in levels
    )


def docx(
    body: str,
    *,
    styles: str = "",
    lists: str = "",
    notes: dict[str, str] | None = None,
    links: dict[str, str] | None = None,
    header: str = "",
    head: str = "",
    comments: dict[str, str] | None = None,
    parts: dict[str, tuple[str, str]] | None = None,
    properties: str = "",
) -> bytes:
    """A whole file. `parts`: more parts as (kind, XML) by relationship id; `properties`: XML of the core properties. `notes`: footnotes by id; `comments`: those of "Ann", by id; `links`: outside addresses by relationship id;
    `head`: what stands before the root element of the main part."""
    more = parts or {}
    relations = {f"rId{kind}": (kind, f"{kind}.xml") for kind in ("styles", "numbering", "footnotes")}
    if header:
        relations["rIdheader"] = ("header", "header1.xml")
    if comments:
        relations["rIdcomments"] = ("comments", "comments.xml")
    rels = "".join(
        f'<Relationship Id="{id_}" Type="{_KIND}/{kind}" Target="{target}"/>'
        for id_, (kind, target) in {**relations, **{i: (k, f"{i}.xml") for i, (k, _) in more.items()}}.items()
    ) + "".join(
        f'<Relationship Id="{id_}" Type="{_KIND}/hyperlink" Target="{address}" TargetMode="External"/>'
        for id_, address in (links or {}).items()
    )
    footnotes = "".join(
        f'<w:footnote w:id="{id_}">{p(text)}</w:footnote>' for id_, text in (notes or {}).items()
    )
    members = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": _relationships(
            f'<Relationship Id="rId1" Type="{_KIND}/officeDocument" Target="word/document.xml"/>'
        ),
        "word/_rels/document.xml.rels": _relationships(rels),
        "word/document.xml": f"{head}<w:document {_SPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_SPACES}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {_SPACES}>{lists}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {_SPACES}>{footnotes}</w:footnotes>",
    }
    members |= {f"word/{id_}.xml": xml for id_, (_, xml) in more.items()}
    if properties:
        members["docProps/core.xml"] = (
            f'<core xmlns:dc="http://purl.org/dc/elements/1.1/">{properties}</core>'
        )
    if header:
        members["word/header1.xml"] = f"<w:hdr {_SPACES}>{p(header)}</w:hdr>"
    if comments:
        inner = "".join(
            f'<w:comment w:id="{id_}" w:author="Ann">{p(text)}</w:comment>' for id_, text in comments.items()
        )
        members["word/comments.xml"] = f"<w:comments {_SPACES}>{inner}</w:comments>"
    return package({name: text.encode("utf-8") for name, text in members.items()})


def _relationships(inner: str) -> str:
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'


def package(parts: dict[str, bytes]) -> bytes:
    """A zip of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def deflated(head: bytes, block: bytes, times: int, tail: bytes = b"") -> bytes:
    """Raw deflate of head + block * times + tail, made at the cost of one block."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = squeeze.compress(head) + squeeze.flush(zlib.Z_FULL_FLUSH)
    repeated = squeeze.compress(block) + squeeze.flush(zlib.Z_FULL_FLUSH)
    return first + repeated * times + squeeze.compress(tail) + squeeze.flush()


def with_bomb(data: bytes, member: str, raw: bytes, declared_bytes: int) -> bytes:
    """The package with one member replaced by raw deflate data that declares a false size."""
    out, directory = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        contents = {name: archive.read(name) for name in names}
    for name in names:
        if name == member:
            packed, size, crc = raw, declared_bytes, 0
        else:
            squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = squeeze.compress(contents[name]) + squeeze.flush()
            size, crc = len(contents[name]), zlib.crc32(contents[name])
        offset, label = out.tell(), name.encode()
        sizes = struct.pack("<IIIHH", crc, len(packed), size, len(label), 0)
        out.write(b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes + label + packed)
        directory.write(b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + sizes)
        directory.write(struct.pack("<HHHII", 0, 0, 0, 0, offset) + label)
    begin, listing = out.tell(), directory.getvalue()
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(listing), begin, 0)
    return out.getvalue() + listing + b"PK\x05\x06" + end
