"""Excerpts of an object, with lines and pages of their own."""

from __future__ import annotations

from dataclasses import replace

from knarr.agent.library import Library
from knarr.agent.values import Excerpt
from knarr.errors import KnarrError
from knarr.types import Passage, Span


def excerpt_of(library: Library, whole: Passage, begin: int, end: int, score: float | None = None) -> Excerpt:
    """`whole.text[begin:end]`, in characters, with the lines and pages of the excerpt itself."""
    source = replace(
        whole.source,
        lines=lines_of(whole, begin, end),
        pages=pages_of(library, whole, begin, end),
        bytes=bytes_of(whole, begin, end),
    )
    return Excerpt(whole.uri, whole.text[begin:end], source, byte_of(whole, begin), score)


def byte_of(whole: Passage, at: int) -> int:
    """The byte, in the canonical text of its document, of a character of the passage."""
    return whole.begin_byte + len(whole.text[:at].encode("utf-8"))


def bytes_of(whole: Passage, begin: int, end: int) -> Span:
    """The bytes of a part of a passage."""
    first = byte_of(whole, begin)
    return first, first + len(whole.text[begin:end].encode("utf-8"))


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
