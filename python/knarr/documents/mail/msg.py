"""MSG, the messages of Outlook: properties in a compound file ([MS-OXMSG])."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta

from knarr.documents.decode import Limits
from knarr.documents.encodings import declared_codec
from knarr.documents.mail.eml import header_text
from knarr.documents.mail.letter import Attachment, Body, Letter, LetterWriter, ParseInner
from knarr.documents.ole.container import CompoundFile
from knarr.documents.rtf.packed import unpacked_rtf
from knarr.documents.rtf.parse import rtf_text
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError

_MAX_ATTACHMENTS = 500
_MAX_INNER = 5
_SUBJECT, _SENDER, _ADDRESS, _SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
_TO, _CC, _BCC, _ID = 0x0E04, 0x0E03, 0x0E02, 0x1035
_BODY, _HTML, _RTF = 0x1000, 0x1013, 0x1009
_SENT, _RECEIVED, _CODEPAGE, _BODY_CODEPAGE = 0x0039, 0x0E06, 0x3FFD, 0x3FDE
_DATA, _LONG_NAME, _SHORT_NAME, _MIME, _CONTENT_ID, _HIDDEN = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712, 0x7FFE
_TICKS_TO_SECONDS = 10_000_000


def parse(data: bytes, name: str, limits: Limits, inner: ParseInner | None) -> Document:
    """Read a message. Raises DocumentError with status "corrupt", "limit" or "no_text"."""
    file = CompoundFile(data)
    letter = _letter(file, "", 0, limits)
    writer = MarkdownWriter()
    flow = LetterWriter(writer, limits, inner)
    flow.write(letter, 1)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the message holds no text", "no_text")
    return writer.document(
        "msg", letter.subject, tuple(dict.fromkeys(flow.notes)), metadata=letter.metadata()
    )


def _letter(file: CompoundFile, at: str, inside: int, limits: Limits) -> Letter:
    properties = _Properties(file, at, 24 if inside else 32)
    letter = Letter()
    sender, address = properties.text(_SENDER), properties.text(_SMTP) or properties.text(_ADDRESS)
    shown = f"{sender} <{address}>" if sender and "@" in address and address != sender else sender or address
    values = {
        "from": shown,
        "to": properties.text(_TO),
        "cc": properties.text(_CC),
        "bcc": properties.text(_BCC),
        "subject": properties.text(_SUBJECT),
        "date": properties.time(_SENT) or properties.time(_RECEIVED),
        "message-id": properties.text(_ID),
    }
    letter.headers = {key: header_text(text) for key, text in values.items() if text.strip()}
    body = Body(
        properties.text(_BODY).replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""), properties.html()
    )
    letter.bodies.append(body)
    packed = properties.binary(_RTF)
    if packed and not body.plain.strip() and not body.html.strip():
        rtf = unpacked_rtf(packed)
        body.plain = rtf_text(rtf, limits) if rtf else ""
        if not rtf:
            letter.notes.append("the body is damaged and was left out")
    _attachments(file, at, letter, inside, limits)
    return letter


def _attachments(file: CompoundFile, at: str, letter: Letter, inside: int, limits: Limits) -> None:
    mark = f"{at}__attach_version1.0_#"
    found = dict.fromkeys(
        path[: path.index("/", len(mark))]
        for path in file.paths
        if path.startswith(mark) and "/" in path[len(mark) :]
    )
    if len(found) > _MAX_ATTACHMENTS:
        letter.notes.append(f"attachments left out: {len(found) - _MAX_ATTACHMENTS:,}")
    for folder in list(found)[:_MAX_ATTACHMENTS]:
        properties = _Properties(file, f"{folder}/", 8)
        message = f"{folder}/__substg1.0_3701000d/"
        if any(path.startswith(message) for path in file.paths):
            if inside < _MAX_INNER:
                letter.inner.append(_letter(file, message, inside + 1, limits))
            else:
                letter.notes.append("messages in messages are not read as deep as this")
            continue
        name = properties.text(_LONG_NAME) or properties.text(_SHORT_NAME)
        inline = bool(properties.text(_CONTENT_ID)) or properties.number(_HIDDEN) == 1
        kind = properties.text(_MIME)
        if inline and not kind and name.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".bmp")):
            kind = "image/"
        letter.attachments.append(Attachment(name, properties.binary(_DATA), kind, inline))


class _Properties:
    """The properties of a message or an attachment: texts in streams, numbers in a table."""

    def __init__(self, file: CompoundFile, at: str, head: int) -> None:
        self._file, self._at = file, at
        self._fixed: dict[int, bytes] = {}
        table = file.stream(f"{at}__properties_version1.0") or b""
        for begin in range(head, len(table) - 15, 16):
            tag = struct.unpack_from("<H", table, begin + 2)[0]
            self._fixed.setdefault(tag, table[begin + 8 : begin + 16])

    def text(self, tag: int) -> str:
        wide = self._stream(tag, "001f")
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(tag, "001e")
        return "" if narrow is None else self._narrow(narrow).rstrip("\0")

    def html(self) -> str:
        found = self.binary(_HTML)
        if not found:
            return self.text(_HTML)
        return self._narrow(found)

    def binary(self, tag: int) -> bytes:
        return self._stream(tag, "0102") or b""

    def number(self, tag: int) -> int:
        return int.from_bytes(self._fixed.get(tag, b"")[:4], "little")

    def time(self, tag: int) -> str:
        ticks = int.from_bytes(self._fixed.get(tag, b""), "little")
        try:
            moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(seconds=ticks // _TICKS_TO_SECONDS)
        except OverflowError:
            return ""
        return moment.isoformat(sep=" ") if ticks else ""

    def _stream(self, tag: int, kind: str) -> bytes | None:
        return self._file.stream(f"{self._at}__substg1.0_{tag:04x}{kind}")

    def _narrow(self, data: bytes) -> str:
        number = self.number(_BODY_CODEPAGE) or self.number(_CODEPAGE)
        named = "utf-8" if number == 65001 else f"cp{number}"
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode(declared_codec(named) or "cp1252", "replace")
