"""Outline: the names and first lines of all documents, to find the one that a question means."""

from __future__ import annotations

from collections.abc import Sequence

from knarr.arguments import checked
from knarr.reading.context import ReadContext, consistent


@consistent
@checked
def outline(
    context: ReadContext, head_chars: int = 3000
) -> tuple[tuple[object, int], Sequence[tuple[str, str, str]]]:
    """The edition of what is read, and `(uri, title, first characters)` of every document, in the order of adding."""
    edition = context.edition
    return edition, context.cards.outline(head_chars, context.sees)


@consistent
@checked
def exists(context: ReadContext, uri: str) -> bool:
    """Whether a canonical URI names anything."""
    return context.engine.exists(uri)
