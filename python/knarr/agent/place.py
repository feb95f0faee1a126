"""Pieces of an object with their own lines and pages."""

from __future__ import annotations

from knarr.agent.decision import Shown
from knarr.agent.library import Library
from knarr.errors import KnarrError
from knarr.types import Passage, Provenance, Span


def piece_of(library: Library, whole: Passage, begin: int, end: int, score: float | None = None) -> Shown:
    """`whole.text[begin:end]`, in characters, with the lines and pages of the piece itself."""
    source = Provenance(
        whole.source.document,
        whole.source.version,
        whole.source.section,
        lines_of(whole, begin, end),
        pages_of(library, whole, begin, end),
    )
    return Shown(whole.uri, whole.text[begin:end], source, byte_of(whole, begin), score)


def byte_of(whole: Passage, at: int) -> int:
    """The byte, in the text of `whole.uri`, of a character of the passage."""
    return whole.begin_byte + len(whole.text[:at].encode("utf-8"))


def lines_of(whole: Passage, begin: int, end: int) -> Span:
    first = whole.source.lines[0] + whole.text.count("\n", 0, begin)
    return first, first + whole.text.count("\n", begin, end)


def pages_of(library: Library, whole: Passage, begin: int, end: int) -> Span | None:
    """The pages of the piece; asked of the library only where the object spans several."""
    span = whole.source.pages
    if span is None or span[0] == span[1]:
        return span
    try:
        tokens = library.count_tokens(whole.text[begin:end])
        exact = library.read(whole.uri, byte_of(whole, begin), max(1, tokens)).source.pages
    except (KnarrError, ValueError):
        return span
    return exact or span
