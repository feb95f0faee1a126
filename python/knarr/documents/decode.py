"""Bytes to text, within limits: the one place that knows byte-order marks, encodings and line ends.

A byte-order mark decides (UTF-8, UTF-16, UTF-32). Without one, in this order: UTF-16 or
UTF-32 if the bytes are characters of scripts in use when read as such, UTF-8 if the bytes are valid UTF-8 or nearly (each
fault becomes U+FFFD), the encoding that the file declares for itself (where a caller found that, and it
fits), and else the likeliest of the encodings before Unicode (see `encodings`). The notes say what was
guessed and what was replaced. Bytes with many NULs or control characters are refused as binary.
The text that comes out has ``\\n`` line ends, no byte-order mark, no NUL and no pictures in base64.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from knarr.documents import encodings
from knarr.documents.inline_data import without_payloads
from knarr.errors import DocumentError

MIB = 1 << 20

# UTF-32's mark begins with UTF-16's, so it is tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 1 << 16
_MOST_FAULTS = 0.05  # more than that, and a declared encoding is not believed
_MAX_CONTROL_SHARE = 0.02
# Control characters that text does hold: tab, line feed, vertical tab, form feed, return, escape.
_TEXT_CONTROLS = frozenset(b"\t\n\x0b\x0c\r\x1b")
_CONTROLS = bytes(byte for byte in range(32) if byte not in _TEXT_CONTROLS) + b"\x7f"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one file may cost to read. Every bound counts what is really there, never what the
    file declares about itself.

    file_bytes:      of any format; a larger file is refused
    text_bytes:      of Markdown, HTML and plain text, before decoding; a larger file is refused
    markdown_lines:  lines whose structure is read; text after them stays in the last section
    text_lines:      the same of plain text
    html_tags:       tags of an HTML page; a page with more is read as text without structure
    html_depth:      levels of an HTML page; a deeper page is read as text without structure
    depth:           how deep a file may lie in others and be read, such as an attachment in a message
    """

    file_bytes: int = 256 * MIB
    text_bytes: int = 32 * MIB
    markdown_lines: int = 100_000
    text_lines: int = 300_000
    html_tags: int = 800_000
    html_depth: int = 1_000
    depth: int = 3


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with ``\\n`` line ends; `notes` say what had to be guessed or replaced."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str = "", *, declared: str = "", limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Decode a text file. `declared` is the encoding that the file names itself, "" if none.

    Raises DocumentError with status "empty" (no byte, or only white space), "limit" (longer than
    `limits.text_bytes`) or "unsupported" (binary).
    """
    if len(data) > limits.text_bytes:
        raise DocumentError(
            f"{name}: {len(data):,} bytes of text, the limit is {limits.text_bytes:,}", "limit"
        )
    if not data or data.isspace():
        raise DocumentError(f"{name}: the file is empty", "empty")
    text, encoding, notes = _to_text(data, name, declared)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    nulls = text.count("\0")
    if nulls:
        text = text.replace("\0", "\ufffd")
        notes.append(f"{nulls} NUL characters replaced by U+FFFD")
    # A second mark (from files pasted together) would hide the first heading as the first did.
    text = text.lstrip("\ufeff")
    if not text or text.isspace():
        raise DocumentError(f"{name}: the file holds only white space", "empty")
    text, named = without_payloads(text)
    return Decoded(text, encoding, (*notes, *named))


def _to_text(data: bytes, name: str, declared: str) -> tuple[str, str, list[str]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, errors="replace")
            return text, encoding, _replacement_notes(text, encoding.upper())
    guessed = encodings.wide_unicode(data[:_SAMPLE_BYTES])
    if guessed:
        text = data.decode(guessed, errors="replace")
        return text, guessed, [f"no byte-order mark: read as {guessed.upper()}"]
    if _is_binary(data[:_SAMPLE_BYTES]):
        raise DocumentError(f"{name}: binary data, not text of a known format", "unsupported")
    mail = encodings.switched(data)
    if mail:
        return data.decode(mail), mail, [f"read as {mail.upper().replace('_', '-')} by its switches"]
    try:
        return data.decode("utf-8"), "utf-8", []
    except UnicodeDecodeError as error:
        return _not_quite_utf8(data, error.start, declared)


def _not_quite_utf8(data: bytes, begin: int, declared: str) -> tuple[str, str, list[str]]:
    """Bytes whose first fault as UTF-8 is at `begin`."""
    text = data.decode("utf-8", errors="replace")
    faults = encodings.utf8_faults(data, text)
    if faults is not None:
        return (
            text,
            "utf-8",
            [f"UTF-8 with faults (the first at byte {begin:,}): {faults:,} replaced by U+FFFD"],
        )
    codec = encodings.declared_codec(declared) if declared else None
    if codec and codec != "utf-8":
        text = encodings.decoded(data, codec)
        if text.count("\ufffd") <= _MOST_FAULTS * len(text):
            return text, codec, _replacement_notes(text, encodings.shown_name(codec))
    codec = encodings.guess(data)
    text = encodings.decoded(data, codec)
    shown = encodings.shown_name(codec)
    note = f"not valid UTF-8 (byte {begin:,}): read as {shown}, the likeliest encoding"
    return text, codec, [note, *_replacement_notes(text, shown)]


def _replacement_notes(text: str, encoding: str) -> list[str]:
    bad = text.count("\ufffd")
    return [f"{bad:,} characters could not be decoded as {encoding}"] if bad else []


def _is_binary(sample: bytes) -> bool:
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > _MAX_CONTROL_SHARE * len(sample)
