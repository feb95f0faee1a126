"""Document: what is known of a document beside its text."""

from __future__ import annotations

from knarr.arguments import checked
from knarr.reading.context import ReadContext, consistent
from knarr.types import StoredDocument
from knarr.uris import canonical


@consistent
@checked
def document(context: ReadContext, uri: str) -> StoredDocument:
    """See `KnowledgeBase.document`."""
    facts = context.cards.facts(canonical(uri))
    record = facts.record
    return StoredDocument(
        uri=record.uri,
        title=record.title,
        format=record.format,
        version=record.version,
        status=record.status,
        path=facts.path,
        content_hash=record.content_hash,
        size_bytes=record.size_bytes,
        updated_at=record.updated_at,
        pages=facts.shapes,
        missing_pages=record.missing_pages,
        notes=record.notes,
        metadata=record.metadata,
    )
