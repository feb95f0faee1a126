"""List: the children of a directory, in document order."""

from __future__ import annotations

from collections.abc import Sequence

from knarr.arguments import checked
from knarr.engine import ListEntry
from knarr.errors import NotFound
from knarr.reading.cards import WholeDocument
from knarr.reading.context import ReadContext, consistent
from knarr.types import Entry, Listing
from knarr.uris import SCHEME, abstract_of, as_directory, canonical, without_slash


@consistent
@checked
def list_children(context: ReadContext, uri: str = SCHEME, offset: int = 0, limit: int = 100) -> Listing:
    """See `KnowledgeBase.list`."""
    uri = canonical(uri)
    page = context.engine.list(uri, offset, limit)
    card = context.cards.owning(uri)
    roots: Sequence[WholeDocument | None]
    if card is not None:
        roots = [WholeDocument(card.provenance(without_slash(entry.uri)), {}) for entry in page.entries]
    else:
        named = ["" if entry.kind else canonical(entry.uri) for entry in page.entries]
        known = context.cards.roots([name for name in named if name])
        roots = [known.get(name) for name in named]
    entries = tuple(
        Entry(
            entry.uri,
            entry.name,
            entry.is_directory,
            entry.rows,
            entry.preview or _own_preview(context, entry),
            root.source if root else None,
            root.metadata if root else {},
        )
        for entry, root in zip(page.entries, roots, strict=True)
    )
    end = offset + len(entries)
    return Listing(
        uri=as_directory(uri),
        abstract=_abstract(context, uri),
        entries=entries,
        total=page.total,
        next_offset=end if end < page.total else None,
    )


def _abstract(context: ReadContext, uri: str) -> str:
    try:
        return context.engine.read(abstract_of(uri)).text
    except NotFound:
        return context.own_abstract(uri)


def _own_preview(context: ReadContext, entry: ListEntry) -> str:
    """The beginning of the abstract of a folder for a reader who is not the owner."""
    return context.own_preview(canonical(entry.uri)) if entry.is_directory else ""
