"""Document: what is known of a document beside its text."""

from __future__ import annotations

from knarr.arguments import checked
from knarr.catalog import documents, page_boxes, sources
from knarr.errors import NotFound
from knarr.reading.context import ReadContext, consistent
from knarr.types import StoredDocument
from knarr.uris import canonical


@consistent
@checked
def document(context: ReadContext, uri: str) -> StoredDocument:
    """See `KnowledgeBase.document`."""
    uri = canonical(uri)
    with context.catalog.reading() as connection:
        record = documents.owning(connection, uri) if context.sees(uri) else None
        if record is None:
            raise NotFound(f"{uri}: no such document")
        path = sources.path_of(connection, record.id)
        pages = page_boxes.shapes(connection, record.id)
    return StoredDocument(
        uri=record.uri,
        title=record.title,
        format=record.format,
        version=record.version,
        status=record.status,
        path=path,
        content_hash=record.content_hash,
        size_bytes=record.size_bytes,
        updated_at=record.updated_at,
        pages=pages,
        missing_pages=record.missing_pages,
        notes=record.notes,
        metadata=record.metadata,
    )
