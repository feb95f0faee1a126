"""Small PDF files for tests, written object by object, so that damage can be done on purpose."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

WIDTH, HEIGHT = 612, 792
WORDS = [
    "the",
    "ship",
    "carried",
    "cargo",
    "from",
    "the",
    "northern",
    "harbour",
    "to",
    "the",
    "southern",
    "market",
]
IMAGE = "BI /W 8 /H 8 /BPC 8 /CS /G ID " + "x" * 64 + " EI"


@dataclass
class Page:
    """A page under construction: text at places, raw operators, or nothing."""

    operators: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, size: float = 10, *, bold: bool = False) -> Page:
        """One piece of text with its base line at y."""
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.operators.append(f"BT /{'B' if bold else 'F'} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET")
        return self

    def lines(self, x: float, y: float, lines: list[str], size: float = 10, step: float = 12) -> Page:
        """Lines below each other."""
        for at, line in enumerate(lines):
            self.text(x, y - at * step, line, size)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> Page:
        """A line from one point to the other."""
        self.operators.append(f"{x0} {y0} m {x1} {y1} l S")
        return self

    def image(self) -> Page:
        """A picture and nothing else."""
        self.operators.append(f"q 200 0 0 200 50 400 cm {IMAGE} Q")
        return self


@dataclass
class Bookmark:
    """An outline entry; page from 0."""

    title: str
    page: int
    y: float | None = None
    children: list[Bookmark] = field(default_factory=list)


def prose(lines: int, seed: int = 0) -> list[str]:
    """Lines of equal width that read like a paragraph and end like one."""
    text = [" ".join(WORDS[(at + seed + n) % len(WORDS)].lower() for n in range(14)) for at in range(lines)]
    return (
        [text[0].capitalize(), *text[1:-1], text[-1][:30] + "."]
        if lines > 1
        else [text[0].capitalize() + "."]
    )


class _Objects:
    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def add(self, body: str | bytes = b"") -> int:
        self.bodies.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(self.bodies)

    def put(self, number: int, body: str) -> None:
        self.bodies[number - 1] = body.encode("latin-1")


def widget(kind: str, rect: tuple[int, int, int, int], entries: str) -> str:
    """The entries of a form field: Tx, Ch or Btn."""
    return f"/Subtype /Widget /FT /{kind} /Rect [{' '.join(map(str, rect))}] {entries}"


def appearance(text: str, width: int = 200, height: int = 20) -> bytes:
    """A form object that shows a text: an annotation's appearance."""
    font = "/Resources << /Font << /F 1 0 R >> >>"
    return stream(
        f"BT /F 10 Tf 2 6 Td ({text}) Tj ET".encode("cp1252"),
        f"/Type /XObject /Subtype /Form /BBox [0 0 {width} {height}] {font}",
    )


def stream(data: bytes, extra: str = "") -> bytes:
    """A stream object's body."""
    return f"<< /Length {len(data)} {extra} >>\nstream\n".encode() + data + b"\nendstream"


def pdf(
    pages: list[Page],
    outline: list[Bookmark] | None = None,
    *,
    encrypted: bool = False,
    contents: bytes | None = None,
    resources: str = "",
    extra: list[bytes] | None = None,
    annotations: list[str] | None = None,
    catalog: str = "",
    page_entries: str = "",
) -> bytes:
    """A whole file. `contents`: the body of an object to use as every page's content instead;
    `extra`: objects numbered from 3 on (1 and 2 are the fonts), then the page tree, and content and page of each;
    `resources`: more page resources; `annotations`: their entries, all on the first page, the widgets being the
    form's fields; `catalog`, `page_entries`: more entries there."""
    objects = _Objects()
    objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    for body in extra or []:
        objects.add(body)
    tree = objects.add()
    numbers = []
    shared = objects.add(contents) if contents is not None else None
    marks = [objects.add(f"<< /Type /Annot {entries} >>") for entries in annotations or ()]
    for page in pages:
        content = shared or objects.add(
            stream(zlib.compress("\n".join(page.operators).encode("cp1252")), "/Filter /FlateDecode")
        )
        notes = "" if numbers else f"/Annots [{' '.join(f'{number} 0 R' for number in marks)}]"
        numbers.append(
            objects.add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R {notes} "
                f"/Resources << /Font << /F 1 0 R /B 2 0 R >> {resources} >> {page_entries} >>"
            )
        )
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects.put(tree, f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>")
    root = f"/Type /Catalog /Pages {tree} 0 R"
    if outline:
        top = objects.add()
        first, last = _bookmarks(objects, outline, top, numbers)
        objects.put(top, f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R >>")
        root += f" /Outlines {top} 0 R"
    fields = [
        number for number, entries in zip(marks, annotations or (), strict=True) if "/Widget" in entries
    ]
    if fields:
        root += f" /AcroForm << /Fields [{' '.join(f'{number} 0 R' for number in fields)}] /DA (/F 0 Tf 0 g) "
        root += "/DR << /Font << /F 1 0 R >> >> >>"
    number = objects.add(f"<< {root} {catalog} >>")
    trailer = f"/Root {number} 0 R"
    if encrypted:
        key = "00" * 31
        lock = objects.add(f"<< /Filter /Standard /V 1 /R 2 /O <{key}01> /U <{key}02> /P -4 >>")
        trailer += f" /Encrypt {lock} 0 R /ID [<01> <01>]"
    return _file(objects, trailer)


def garbled_pdf(pages: list[Page], text: str) -> bytes:
    """A file with these pages and one more, whose font does not say what its glyphs are: the number of each glyph
    is that of its letter less 29, as in fonts that keep their glyphs in the order of ASCII."""
    last = Page()
    for at in range(0, len(text), 60):
        glyphs = "".join(f"{ord(char) - 29:04x}" for char in text[at : at + 60])
        last.operators.append(f"BT /G 10 Tf 1 0 0 1 72 {720 - at // 5} Tm <{glyphs}> Tj ET")
    return _with_unknown_font([*pages, last], "AAAAAA+Some", 500)


def fontless_pdf(pages: list[Page], glyphs: int) -> bytes:
    """A file with these pages, on the last of which stand that many Chinese characters, each drawn by itself, in a
    font that is not in the file."""
    for at in range(glyphs):
        place = f"{72 + 14 * (at % 30)} {300 - 20 * (at // 30)}"
        pages[-1].operators.append(f"BT /G 12 Tf 1 0 0 1 {place} Tm <{0x4E00 + at:04x}> Tj ET")
    return _with_unknown_font(pages, "SimSun", 1000)


def _with_unknown_font(pages: list[Page], name: str, width: int) -> bytes:
    font = f"/Type /Font /BaseFont /{name}"
    box = "/FontBBox [0 0 500 700] /ItalicAngle 0 /Ascent 700 /Descent 0 /CapHeight 700 /StemV 80"
    objects = [
        f"<< {font} /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [4 0 R] >>",
        f"<< {font} /Subtype /CIDFontType2 /CIDToGIDMap /Identity /DW {width} /FontDescriptor 5 0 R "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 {box} >>",
    ]
    data = pdf(pages, extra=[body.encode() for body in objects])
    return data.replace(b"/F 1 0 R /B 2 0 R", b"/F 1 0 R /G 3 0 R")


def _bookmarks(objects: _Objects, marks: list[Bookmark], parent: int, pages: list[int]) -> tuple[int, int]:
    numbers = [objects.add() for _ in marks]
    for at, (number, mark) in enumerate(zip(numbers, marks, strict=True)):
        target = f"/XYZ 0 {mark.y} 0" if mark.y is not None else "/Fit"
        body = f"/Title ({mark.title}) /Parent {parent} 0 R /Dest [{pages[mark.page]} 0 R {target}]"
        if at:
            body += f" /Prev {numbers[at - 1]} 0 R"
        if at + 1 < len(numbers):
            body += f" /Next {numbers[at + 1]} 0 R"
        if mark.children:
            first, last = _bookmarks(objects, mark.children, number, pages)
            body += f" /First {first} 0 R /Last {last} 0 R"
        objects.put(number, f"<< {body} >>")
    return numbers[0], numbers[-1]


def _file(objects: _Objects, trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects.bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    begin, count = len(out), len(places) + 1
    out += f"xref\n0 {count}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {count} {trailer} >>\nstartxref\n{begin}\n%%EOF\n".encode()
    return bytes(out)
