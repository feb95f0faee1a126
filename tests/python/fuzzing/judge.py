"""What must hold of whatever a parser makes of any file: a document with its invariants, or a DocumentError, at a cost
in proportion to the file."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from types import FrameType

from knarr.documents import Document
from knarr.documents.chunks import chunk
from knarr.errors import DocumentError
from knarr.models.embed.tokens import RegexTokenizer

# Many times what any parser takes, and far below what a quadratic cost or a hang takes.
FREE_S, BYTE_S = 1.0, 50e-6
# Labels are repeated in their rows, blank cells are written out: so much more text than there are bytes is no fault.
FREE_BYTES, TIMES = 2_000_000, 40
_HANGS = 20  # so many times the bound: ended, whatever it is doing
_STATES = ("empty", "unsupported", "limit", "corrupt", "encrypted", "no_text")
_MOST_NOTE, _MOST_NOTES = 2_000, 400
_TOKENS = RegexTokenizer()
_CHUNK = 64


class Hanging(BaseException):
    """Raised in the middle of what takes far too long; no `except Exception` takes it."""


def verdict(read: Callable[[], Document], size: int) -> str:
    """What is wrong with reading a file of so many bytes; "" where nothing is."""
    bound = FREE_S + BYTE_S * size
    try:
        seconds, document = _timed(read, bound)
        written = 0 if document is None else len(document.data)
        bound += BYTE_S * min(written, FREE_BYTES + TIMES * size)
        for _ in range(2):  # a busy machine counts more processor time too
            if seconds > bound:
                seconds = min(seconds, _timed(read, bound)[0])
        found = faults(document) if document is not None else []
        if written > FREE_BYTES + TIMES * size:
            found.append(f"{written:,} bytes of text from {size:,}")
    except (Exception, Hanging) as error:
        return "".join(traceback.format_exception(error, limit=-8))
    if seconds > bound:
        found.append(f"{seconds:.1f} s of processor time for {size:,} bytes")
    return "\n".join(found)


def _timed(read: Callable[[], Document], bound: float) -> tuple[float, Document | None]:
    def hang(number: int, frame: FrameType | None) -> None:
        raise Hanging(f"more than {_HANGS} times {bound:.1f} s of processor time")

    before = signal.signal(signal.SIGPROF, hang)
    signal.setitimer(signal.ITIMER_PROF, _HANGS * bound)
    begin = time.process_time()
    document: Document | None = None
    try:
        document = read()
        document.check()
        _check_chunks(document)
    except DocumentError as error:
        assert error.status in _STATES, error.status
        assert str(error).strip(), "an error that says nothing"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - begin, document


def _check_chunks(document: Document) -> None:
    at = 0
    for part in chunk(document, _TOKENS, _CHUNK):
        assert part.begin_byte == at, "a gap between chunks"
        assert part.tokens <= _CHUNK, f"{part.tokens} tokens in a chunk"
        at = part.end_byte
    assert not document.data[at:].strip(), "text behind the last chunk"


def faults(document: Document) -> list[str]:
    """Beyond `Document.check`: what the receipt, the index and a reader take for granted."""
    found = []
    text, size = document.text, len(document.data)
    if "\0" in text:
        found.append("NUL in the text")
    if document.status not in ("ok", "partial"):
        found.append(f"status {document.status!r}")
    if not document.title.strip() or "\n" in document.title:
        found.append(f"title {document.title[:80]!r}")
    found += [
        f"section title {section.title[:80]!r}"
        for section in document.root.walk()
        if section.level and ("\n" in section.title or "\r" in section.title)
    ][:3]
    inside = (place for section in document.root.walk() for place in (section.begin_byte, section.body_byte))
    rows = (
        place for table in document.tables for place in (table.begin_byte, table.end_byte, *table.row_begins)
    )
    if any(document.data[at : at + 1] and 0x80 <= document.data[at] < 0xC0 for at in (*inside, *rows)):
        found.append("a place inside a character")
    for table in document.tables:
        if list(table.row_begins) != sorted({*table.row_begins}) or not all(
            table.begin_byte <= at <= table.end_byte for at in table.row_begins
        ):
            found.append(f"rows of a table: {table.row_begins[:5]} in {table.begin_byte}..{table.end_byte}")
    if document.pages and len(document.page_begins) != len(document.pages):
        found.append(f"{len(document.page_begins)} begins of {len(document.pages)} pages")
    if document.page_begins and (document.page_begins[0] or document.page_begins[-1] > size):
        found.append(f"pages begin at {document.page_begins[:3]}..{document.page_begins[-1]} of {size}")
    return found + _said(document)


def _said(document: Document) -> list[str]:
    """Faults of what goes into the receipt."""
    found = []
    if len(document.notes) > _MOST_NOTES:
        found.append(f"{len(document.notes)} notes")
    for note in document.notes:
        if not note.strip() or "\n" in note or "\r" in note or len(note) > _MOST_NOTE:
            found.append(f"note of {len(note)} characters {note[:80]!r}")
        note.encode("utf-8")
    for key, value in document.metadata.items():
        values = value if isinstance(value, tuple) else (value,)
        if not isinstance(key, str) or not key.strip() or key != key.lower():
            found.append(f"metadata key {key!r}")
        if not all(isinstance(one, str | int | float | bool) for one in values):
            found.append(f"metadata {key!r}: {value!r}"[:200])
        str(value).encode("utf-8")
    return found
