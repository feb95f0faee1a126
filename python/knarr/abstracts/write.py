"""Writing a document's new abstracts: text, preview and vector together, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from knarr.abstracts.extractive import preview
from knarr.abstracts.outline import SectionNode
from knarr.abstracts.recall import stands_for
from knarr.catalog import Catalog, abstracts, changes, documents, folders, vectors
from knarr.catalog.records import DocumentRecord
from knarr.catalog.vectors import Vector
from knarr.config import Settings
from knarr.language.plain import text_key
from knarr.models.embed import Embedder, count_tokens, embed_checked
from knarr.uris import above

_BATCH = 32


def write_document(
    catalog: Catalog,
    embedder: Embedder,
    settings: Settings,
    changing: Callable[[], AbstractContextManager[None]],
    record: DocumentRecord,
    nodes: Sequence[SectionNode],
    asked: Sequence[bytes] | None,
) -> int | None:
    """Give these sections of a document the texts of `nodes`; the version stays, since its bytes do.

    `asked` are the keys of all that the document asks for, None when that is not known. Returns how many
    texts were embedded, or None when the document is no longer the one that was read: then nothing is
    written."""
    fresh = _embed(catalog, embedder, nodes)
    with changing(), catalog.writing() as connection:
        now = documents.find_id(connection, record.id)
        if now is None:
            abstracts.forget(connection, [abstracts.owner(record.id)])
            return None
        if (now.version, now.recipe) != (record.version, record.recipe):
            return None
        if asked is not None:
            abstracts.keep(connection, abstracts.owner(record.id), asked)
        if not nodes:
            return 0
        vectors.put(connection, fresh, embedder.id)
        old = documents.retell(connection, record.id, [_row(node, embedder, settings) for node in nodes])
        vectors.release(connection, old)
        if any(node.parent is None for node in nodes):
            folders.mark_stale(connection, above(now.uri), quotes_gone=False)
        changes.append(connection, "put", now.uri, document_id=record.id)
    return len(fresh)


def _row(node: SectionNode, embedder: Embedder, settings: Settings) -> dict[str, Any]:
    return {
        "ordinal": node.at,
        "text": node.text,
        "tokens": count_tokens(embedder.tokenizer, node.text),
        "preview": preview(node.text, settings.preview_chars),
        "vector_hash": text_key(stands_for(node.title, node.text)),
    }


def _embed(catalog: Catalog, embedder: Embedder, nodes: Sequence[SectionNode]) -> dict[bytes, Vector]:
    texts = {text_key(text): text for text in (stands_for(node.title, node.text) for node in nodes)}
    with catalog.reading() as connection:
        stored = vectors.get(connection, list(texts), embedder.id)
    keys = [key for key in texts if key not in stored]
    fresh: dict[bytes, Vector] = {}
    for begin in range(0, len(keys), _BATCH):
        batch = keys[begin : begin + _BATCH]
        kept = "the abstracts are kept and are indexed by the next job"
        matrix = embed_checked(embedder, [texts[key] for key in batch], kept)
        fresh.update(zip(batch, matrix, strict=True))
    return fresh
