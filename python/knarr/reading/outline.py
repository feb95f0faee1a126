"""Outline: the names and first lines of all documents, to find the one that a question means."""

from __future__ import annotations

from collections.abc import Sequence

from knarr.arguments import checked
from knarr.catalog import documents
from knarr.reading.context import ReadContext, consistent


@consistent
@checked
def outline(
    context: ReadContext, head_chars: int = 3000
) -> tuple[tuple[object, int], Sequence[tuple[str, str, str]]]:
    """The edition of what is read, and `(uri, title, first characters)` of every document, in the order of adding.
    Of a document that may not be seen nothing but its URI is read."""
    with context.catalog.reading() as connection:
        ids = [number for number, uri in documents.names(connection) if context.sees(uri)]
        return context.edition, documents.outline(connection, ids, head_chars)


@consistent
@checked
def exists(context: ReadContext, uri: str) -> bool:
    """Whether a canonical URI names anything."""
    return context.engine.exists(uri)
