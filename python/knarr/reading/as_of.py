"""`as_of`: which state of the past a call reads.

3                            version 3 of the document that the scope or URI names or lies in
datetime, "2026-05-01T10:00" what stood at that time, UTC where it names no zone; a date alone is its first moment
Seq(120), "seq:120"          what stood after that change of the log, where `kb.info()["seq"]` is the newest
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from knarr.arguments import integer_of, shown
from knarr.catalog.versions import moment
from knarr.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Seq:
    """A position in the log of changes: the state after change `number`. `kb.info()["seq"]` is the newest."""

    number: int


AsOf: TypeAlias = "int | str | datetime | Seq"

_SEQ = re.compile(r"seq:(\d{1,18})", re.IGNORECASE)
_EXPECTED = (
    "expected the number of a version, a time such as 2026-05-01 or 2026-05-01T18:00+02:00, or a position of the log "
    "such as seq:120"
)


@dataclass(frozen=True, slots=True)
class Point:
    """What an `as_of` means: one of the three is set. `at` is a time as the catalog writes it."""

    version: int | None = None
    seq: int | None = None
    at: str | None = None

    def __str__(self) -> str:
        if self.version is not None:
            return f"version {self.version}"
        return f"seq:{self.seq}" if self.seq is not None else f"{self.at}"


def point_of(as_of: AsOf) -> Point:
    """An `as_of` understood. Raises InvalidArgument for what is none, for a version below 1, and for a time that is
    still to come: nobody knows the state then."""
    if isinstance(as_of, Seq):
        return Point(seq=_natural(as_of.number, 0, as_of))
    if isinstance(as_of, datetime):
        return Point(at=_past(as_of, as_of))
    if isinstance(as_of, str):
        seq = _SEQ.fullmatch(as_of.strip())
        if seq:
            return Point(seq=int(seq[1]))
        return Point(at=_past(as_of.strip(), as_of))
    if isinstance(as_of, bool) or not hasattr(as_of, "__index__"):
        raise InvalidArgument(f"as_of: {_EXPECTED}, got {shown(as_of)}")
    return Point(version=_natural(as_of, 1, as_of))


def from_words(text: str) -> AsOf:
    """An `as_of` as a command line has it: digits are a version."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else text


def _natural(value: int, least: int, given: object) -> int:
    number = integer_of(value, "as_of")
    if isinstance(value, bool) or number < least:
        raise InvalidArgument(f"as_of: expected a whole number from {least} on, got {shown(given)}")
    return number


def _past(at: datetime | str, given: object) -> str:
    try:
        found = moment(at)
    except (ValueError, OverflowError):
        raise InvalidArgument(f"as_of: {_EXPECTED}, got {shown(given)}") from None
    if found > moment(datetime.now(UTC)):
        raise InvalidArgument(
            f"as_of: {shown(given)} is still to come; leave as_of out to read what stands now"
        )
    return found
