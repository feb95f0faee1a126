"""Excerpts of an object, with lines and pages of their own."""

from __future__ import annotations

from knarr.agent.library import Library
from knarr.agent.values import Excerpt
from knarr.errors import KnarrError
from knarr.types import Passage, Provenance, Span


def excerpt_of(library: Library, whole: Passage, begin: int, end: int, score: float | None = None) -> Excerpt:
    """`whole.text[begin:end]`, in characters, with the lines and pages of the excerpt itself."""
    source = Provenance(
        whole.source.document,
        whole.source.version,
        whole.source.section,
        lines_of(whole, begin, end),
        pages_of(library, whole, begin, end),
    )
    return Excerpt(whole.uri, whole.text[begin:end], source, byte_of(whole, begin), score)


def byte_of(whole: Passage, at: int) -> int:
    """The byte, in the text of `whole.uri`, of a character of the passage."""
    return whole.begin_byte + len(whole.text[:at].encode("utf-8"))


def lines_of(whole: Passage, begin: int, end: int) -> Span:
    """First and last line of a part of a passage."""
    first = whole.source.lines[0] + whole.text.count("\n", 0, begin)
    return first, first + whole.text.count("\n", begin, end)


def pages_of(library: Library, whole: Passage, begin: int, end: int) -> Span | None:
    """The pages of a part of a passage; the library is asked only where the object spans several."""
    span = whole.source.pages
    if span is None or span[0] == span[1]:
        return span
    try:
        tokens = library.count_tokens(whole.text[begin:end])
        exact = library.read(whole.uri, byte_of(whole, begin), max(1, tokens)).source.pages
    except (KnarrError, ValueError):
        return span
    return exact or span
