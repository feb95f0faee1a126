"""EML and mbox: messages as mail servers pass them on (RFC 5322, MIME).

Python's parser takes messages apart and never fails; what it leaves to others is done here within bounds: encoded
words in headers and the charsets of bodies, as declared, else by `decode`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.errors import MessageError
from email.header import Header, decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import parsedate_to_datetime

from knarr.documents.decode import Limits, decode
from knarr.documents.encodings import declared_codec
from knarr.documents.inline_data import without_payloads
from knarr.documents.mail.flowed import unflowed
from knarr.documents.mail.letter import Attachment, Body, Letter, LetterWriter, ParseInner
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_MAX_BYTES = 128 << 20
_MAX_PARTS = 1_000
_MAX_DEPTH = 20
_MAX_INNER = 5
_MAX_BOUNDARIES = 2_000
_MAX_HEADER_CHARS = 20_000
_MAX_HEADERS = 2_000
_MAX_MESSAGES = 20_000
_KEPT = (
    "from", "to", "cc", "bcc", "reply-to", "date", "subject", "message-id", "in-reply-to",
)  # fmt: skip
_BEGIN = re.compile(rb"^From [^\r\n]{1,300}\r?\n(?=[!-9;-~]{1,80}:)", re.MULTILINE)
_WORD_END = "?="
_ENCRYPTED = ("application/pkcs7-mime", "application/x-pkcs7-mime")


def parse(data: bytes, name: str, limits: Limits, inner: ParseInner | None) -> Document:
    """Read a message. Raises DocumentError with status "encrypted", "limit" or "no_text"."""
    letter = read_letter(data, name, limits)
    writer = MarkdownWriter()
    flow = LetterWriter(writer, limits, inner)
    flow.write(letter, 1)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the message holds no text", "no_text")
    notes = tuple(dict.fromkeys(flow.notes))
    return writer.document("eml", letter.subject, notes, metadata=letter.metadata())


def parse_mbox(data: bytes, name: str, limits: Limits, inner: ParseInner | None) -> Document:
    """Read a folder of messages: each is a section, its attachments sections below it."""
    begins = [(match.start(), match.end()) for match in _BEGIN.finditer(data)]
    if not begins:
        raise DocumentError(f"{name}: no message begins in this file", "corrupt")
    writer = MarkdownWriter()
    flow = LetterWriter(writer, limits, inner)
    lost = 0
    ends = [begin for begin, _ in begins[1:]] + [len(data)]
    for number, ((_, begin), end) in enumerate(zip(begins, ends, strict=True), 1):
        if number > _MAX_MESSAGES:
            flow.notes.append(f"only the first {_MAX_MESSAGES:,} of {len(begins):,} messages were read")
            break
        text = re.sub(rb"^>(?=>*From )", b"", data[begin:end], flags=re.MULTILINE)
        try:
            letter = read_letter(text, f"message {number}", limits)
        except DocumentError as error:
            lost += 1
            flow.notes.append(f"not read: {error}")
            continue
        writer.gap()
        writer.heading(1, letter.subject or f"Message {number}")
        flow.next_message()
        flow.write(letter, 2)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: {flow.notes[0] if flow.notes else 'no message holds text'}", "no_text")
    document = writer.document("mbox", "", tuple(dict.fromkeys(flow.notes)))
    document.status = "partial" if lost or len(begins) > _MAX_MESSAGES else "ok"
    return document


def read_letter(data: bytes, name: str, limits: Limits) -> Letter:
    """The message in these bytes."""
    if len(data) > _MAX_BYTES:
        raise DocumentError(f"{name}: {len(data):,} bytes, the limit of a message is {_MAX_BYTES:,}", "limit")
    # The parser looks at each line for the boundaries of all parts around it.
    if data.lower().count(b"boundary=") > _MAX_BOUNDARIES:
        raise DocumentError(f"{name}: more than {_MAX_BOUNDARIES:,} parts in parts", "limit")
    try:
        message = BytesParser(policy=compat32).parsebytes(data)
    except RecursionError as error:
        raise DocumentError(f"{name}: parts are nested deeper than is read", "limit") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise DocumentError(f"{name}: not a message ({error})") from error
    kind = message.get_content_type()
    if kind == "multipart/encrypted" or (
        kind in _ENCRYPTED and "signed" not in str(message.get_param("smime-type"))
    ):
        raise DocumentError(f"{name}: the message is encrypted", "encrypted")
    return _Reader(limits).letter(message, 0)


class _Reader:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = 0

    def letter(self, message: Message, inside: int) -> Letter:
        letter = Letter()
        for key, value in list(message.items())[:_MAX_HEADERS]:
            low = key.lower()
            if low in _KEPT and low not in letter.headers:
                letter.headers[low] = header_text(value)
        letter.headers["date"] = _iso(letter.headers.get("date", ""))
        self._part(message, letter, 0, inside, None)
        return letter

    def _part(self, part: Message, letter: Letter, depth: int, inside: int, body: Body | None) -> None:
        """Take a part. `body` is the one whose forms the parts inside of alternatives are."""
        self._parts += 1
        if self._parts > _MAX_PARTS or depth > _MAX_DEPTH:
            letter.notes.append("more parts than are read")
            return
        kind = part.get_content_type()
        inner = part.get_payload()
        if kind == "message/rfc822" and isinstance(inner, list) and inner and isinstance(inner[0], Message):
            if inside < _MAX_INNER:
                letter.inner.append(self.letter(inner[0], inside + 1))
            else:
                letter.notes.append("messages in messages are not read as deep as this")
        elif kind == "message/delivery-status" and isinstance(inner, list):
            letter.bodies.append(Body(_fields(inner)))
        elif isinstance(inner, list):
            if kind == "multipart/alternative" and body is None:
                body = Body()
                letter.bodies.append(body)
            for one in inner:
                if isinstance(one, Message):
                    self._part(one, letter, depth + 1, inside, body)
        else:
            self._leaf(part, kind, letter, body)

    def _leaf(self, part: Message, kind: str, letter: Letter, body: Body | None) -> None:
        disposition = str(part.get("Content-Disposition", "")).lower()
        name = _file_name(part)
        data = _payload(part)
        is_body = not disposition.lstrip().startswith("attachment") and not (name and kind != "text/html")
        if kind in ("text/plain", "text/html", "text/enriched") and is_body:
            text = self._text(part, data, letter)
            if body is None:
                body = Body()
                letter.bodies.append(body)
            if kind == "text/html":
                body.html += text
            else:
                body.plain += ("\n" if body.plain else "") + text
            return
        inline = "Content-ID" in part or disposition.lstrip().startswith("inline")
        if data or name:
            letter.attachments.append(Attachment(name or _named(kind), data, kind, inline))

    def _text(self, part: Message, data: bytes, letter: Letter) -> str:
        if not data.strip():
            return ""
        charset = str(part.get_param("charset", "") or "")
        codec = declared_codec(charset) if charset else None
        try:
            text = data.decode(codec) if codec else ""
        except (UnicodeDecodeError, LookupError):
            text = ""
        if not text:
            try:
                decoded = decode(data, declared=charset, limits=self._limits)
            except DocumentError as error:
                letter.notes.append(f"a part of the body was not read: {str(error).lstrip(': ')}")
                return ""
            text = decoded.text
            letter.notes += decoded.notes
        else:
            text, named = without_payloads(text)
            letter.notes += named
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if str(part.get_param("format", "")).lower() == "flowed":
            text = unflowed(text, join=str(part.get_param("delsp", "")).lower() == "yes")
        return text


def _fields(blocks: Sequence[object]) -> str:
    """What a report says of a delivery, a field a line."""
    lines = [
        [f"{key}: {header_text(value)}" for key, value in list(block.items())[:_MAX_HEADERS]]
        for block in blocks[:_MAX_PARTS]
        if isinstance(block, Message)
    ]
    return "\n\n".join("\n".join(block) for block in lines if block)


def header_text(value: object) -> str:
    """The words of a header, encoded words written out."""
    raw = str(value)[:_MAX_HEADER_CHARS]
    if _WORD_END not in raw and not isinstance(value, Header):
        # None of its encoded words ends; the library would look for the end of each.
        return one_line(raw.encode("utf-8", "replace").decode())
    try:
        pieces = decode_header(value if isinstance(value, Header) else raw)
    except (ValueError, MessageError, LookupError, AttributeError):
        return one_line(raw.encode("utf-8", "replace").decode())
    parts = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            parts.append(piece)
            continue
        codec = declared_codec(charset) if charset and charset != "unknown-8bit" else None
        parts.append(_decoded(piece, codec))
    return one_line("".join(parts).encode("utf-8", "replace").decode())


def _decoded(piece: bytes, codec: str | None) -> str:
    try:
        return piece.decode(codec or "utf-8")
    except (UnicodeDecodeError, LookupError):
        return piece.decode("latin-1")


def _payload(part: Message) -> bytes:
    try:
        found = part.get_payload(decode=True)
    except (ValueError, LookupError, AttributeError, TypeError):
        found = None
    return found if isinstance(found, bytes) else b""


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, AttributeError, TypeError):
        name = None
    return header_text(name).replace("\\", "/").rpartition("/")[2] if name else ""


def _named(kind: str) -> str:
    endings = {
        "text/plain": "txt",
        "text/html": "html",
        "text/calendar": "ics",
        "text/csv": "csv",
        "application/pdf": "pdf",
    }
    return f"part.{endings[kind]}" if kind in endings else f"part ({kind})"


def _iso(date: str) -> str:
    try:
        return parsedate_to_datetime(date).isoformat(sep=" ")
    except (ValueError, TypeError, IndexError, OverflowError):
        return date
