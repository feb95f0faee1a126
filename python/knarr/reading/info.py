"""What a knowledge base holds, in numbers and in names."""

from __future__ import annotations

from typing import Any

from knarr.catalog import changes, documents
from knarr.reading.context import ReadContext


def info(context: ReadContext, chunk_tokens: int) -> dict[str, Any]:
    """See `KnowledgeBase.info`; `chunk_tokens` is the setting that new documents are cut by."""
    with context.catalog.reading() as connection:
        totals = documents.totals(connection)
        seq = changes.last(connection)
    return {
        "path": str(context.catalog.folder),
        **totals,
        "embedder": context.embedder.id,
        "dim": context.embedder.dim,
        "precision": context.engine.precision,
        "chunk_tokens": chunk_tokens,
        "seq": seq,
        "engine": context.engine.stats(),
        **({"note": context.index.note} if context.index.note else {}),
    }
