"""Small files of Office before 2007: records and streams, as they lie in a compound file."""

from __future__ import annotations

import struct
from collections.abc import Mapping


def record(kind: int, data: bytes) -> bytes:
    """A record of a workbook."""
    return struct.pack("<HH", kind, len(data)) + data


def workbook() -> bytes:
    """The stream of a workbook (BIFF8) of one sheet: a header, a row of figures, merged cells, a date."""

    def begin(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 1996, 0, 6))

    def text(row: int, column: int, value: str) -> bytes:
        return record(0x0204, struct.pack("<HHHHB", row, column, 15, len(value), 0) + value.encode("latin-1"))

    def figure(row: int, column: int, value: float, look: int = 15) -> bytes:
        return record(0x0203, struct.pack("<HHHd", row, column, look, value))

    name = b"Fares"
    fonts = (
        record(0x0031, struct.pack("<HHHHHBBBBBB", 200, 0, 32767, 400, 0, 0, 0, 0, 0, 5, 0) + b"Arial") * 5
    )
    formats = record(0x041E, struct.pack("<HHB", 164, 10, 0) + b"yyyy-mm-dd")
    looks = b"".join(
        record(
            0x00E0,
            struct.pack(
                "<HHHBBBBIIH", 0, 164 if at == 16 else 0, 0x0001 if at > 14 else 0xFFF5, 0, 0, 0, 0, 0, 0, 0
            ),
        )
        for at in range(17)
    )
    head = (
        begin(0x0005)
        + record(0x0042, struct.pack("<H", 1200))
        + record(0x0022, b"\0\0")
        + fonts
        + formats
        + looks
    )
    sheet_at = len(head) + 4 + 8 + len(name) + 4
    head += record(0x0085, struct.pack("<IBBBB", sheet_at, 0, 0, len(name), 0) + name) + record(0x000A, b"")
    body = begin(0x0010) + record(0x0200, struct.pack("<IIHHH", 0, 3, 0, 3, 0))
    body += record(0x0208, struct.pack("<HHHHHHI", 1, 0, 3, 255, 0, 0, 0x0120))
    body += (
        text(0, 0, "Line") + text(0, 1, "Fare") + text(0, 2, "From") + text(1, 0, "Isle") + figure(1, 1, 22.5)
    )
    body += figure(1, 2, 45292, 16) + record(0x0205, struct.pack("<HHHBB", 2, 1, 15, 1, 0))
    body += record(0x00E5, struct.pack("<HHHHH", 1, 2, 2, 0, 0)) + record(0x000A, b"")
    return head + body


def word(text: str = "Rules\rPay \x13HYPERLINK x\x14here\x15 now.\ra\x07b\x07\x07") -> Mapping[str, bytes]:
    """The streams of a Word file whose first paragraph is a heading."""
    main = bytearray(2048)
    struct.pack_into("<H", main, 0, 0xA5EC)
    struct.pack_into("<H", main, 0x0A, 0x0200)
    struct.pack_into("<I", main, 0x4C, len(text) - 6)
    struct.pack_into("<I", main, 0x50, 6)
    pieces = struct.pack("<IIHIH", 0, len(text), 0, 0x40000000 | 2 * 1024, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    main[1024 : 1024 + len(text)] = text.encode("cp1252")
    page = bytearray(512)
    page[511] = 2
    struct.pack_into("<III", page, 0, 1024, 1024 + text.index("\r") + 1, 1024 + len(text))
    page[12], page[25] = 100, 0
    page[200:204] = bytes((2, 1, 0, 0))
    main[1536:2048] = page
    runs = struct.pack("<III", 1024, 1024 + len(text), 3)
    struct.pack_into("<II", main, 0x102, 0, len(runs))
    struct.pack_into("<II", main, 0x1A2, len(runs), len(table))
    return {"WordDocument": bytes(main), "1Table": runs + table}


def presentation() -> bytes:
    """The stream of a presentation: two slides in the list with titles and bodies, one of them with a box and notes."""

    def atom(kind: int, data: bytes, instance: int = 0) -> bytes:
        return struct.pack("<HHI", instance << 4, kind, len(data)) + data

    def container(kind: int, data: bytes, instance: int = 0) -> bytes:
        return struct.pack("<HHI", (instance << 4) | 15, kind, len(data)) + data

    def listed(number: int, title: str, body: str) -> bytes:
        texts = atom(0x0F9F, struct.pack("<I", 0)) + atom(0x0FA0, title.encode("utf-16-le"))
        texts += atom(0x0F9F, struct.pack("<I", 1)) + atom(0x0FA8, body.encode("latin-1"))
        return atom(0x03F3, struct.pack("<IIIII", number, 0, 0, 256, 0)) + texts

    slides = container(0x0FF0, listed(2, "Fares", "Isle\rCape") + listed(3, "Rules", "Pay now"))
    notes = container(0x0FF0, listed(4, "", "say this"), 2)
    document = container(0x03E8, slides + notes)
    box = container(0xF00D, atom(0x0F9F, struct.pack("<I", 4)) + atom(0x0FA0, "in a box".encode("utf-16-le")))
    slide = container(0x03EE, container(0xF004, box))
    places = (0, len(document), len(document) + len(slide))
    directory = atom(0x1772, struct.pack("<I3I", (3 << 20) | 1, *places))
    edit = atom(0x0FF5, struct.pack("<7I", 0, 0, 0, 0, 1, 4, 0))
    return document + slide + directory + edit
