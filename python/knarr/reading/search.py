"""Search: the objects nearest to a query, and what the edges of these hits lead to, in one engine call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from knarr.arguments import checked
from knarr.engine import Expanded, Hits
from knarr.language.question import asks_beyond
from knarr.reading.context import ReadContext, consistent
from knarr.types import EdgeHit, Hit, Kind, Provenance, SearchResult
from knarr.uris import SCHEME, canonical, parent

_EDGES_SHOWN = 1000


@consistent
@checked
def search(
    context: ReadContext,
    query: str,
    scope: str = SCHEME,
    k: int = 10,
    *,
    kinds: Sequence[Kind] | None = ("chunk",),
    offset: int = 0,
    distinct: bool = False,
    gamma: float | None = None,
    question: str | None = None,
    plan: Literal["auto", "exact"] = "auto",
) -> SearchResult:
    """See `KnowledgeBase.search`.

    A `distinct` search asks the engine for four times as many objects until `k` different texts are among
    them, or the scope has no more."""
    scope = canonical(scope)
    vector = context.embed_query(query)
    asked = None if gamma is None or question is None else context.embed_query(question)
    wanted = k
    while True:
        found = context.engine.search(
            vector,
            scope,
            wanted,
            kinds=kinds,
            offset=offset,
            plan="exact" if offset else plan,
            expand=gamma is not None,
            gamma=0.0 if gamma is None else gamma,
            question=asked,
        )
        listed = _hits(context, found)
        hits = _merged(context, listed) if distinct else listed
        if len(hits) >= k or len(found) < wanted:
            break
        wanted *= 4
    edges: Iterable[Expanded] = () if gamma is None else found.expanded
    if gamma is not None and len(hits) > k:
        # The engine followed the edges of more hits than are shown: follow those of the shown ones alone.
        seeds = [uri for hit in hits[:k] for uri in (hit.uri, *hit.copies)]
        edges = context.engine.expand(
            seeds, vector if asked is None else asked, scope, kinds=kinds, gamma=gamma, limit=_EDGES_SHOWN
        )
    alike = [edge for edge in edges if not asks_beyond(edge.question, question or query)]
    return SearchResult(
        query, scope, tuple(hits[:k]), found.plan, found.rows_allowed, _edge_hits(context, alike)
    )


def _edge_hits(context: ReadContext, edges: Sequence[Expanded]) -> tuple[EdgeHit, ...]:
    return tuple(
        EdgeHit(
            edge.uri,
            edge.kind,
            edge.preview,
            _provenance(context, edge.uri, edge.document),
            edge.source,
            edge.similarity,
            edge.question,
            edge.trace,
        )
        for edge in edges
        if edge.kind is not None
    )


def _hits(context: ReadContext, found: Hits) -> list[Hit]:
    columns = zip(found.uris, found.scores, found.kinds, found.previews, found.documents, strict=True)
    return [
        Hit(uri, float(score), kind, preview, _provenance(context, uri, document))
        for uri, score, kind, preview, document in columns
    ]


def _merged(context: ReadContext, hits: list[Hit]) -> list[Hit]:
    """The first hit of each text, with the URIs of the others."""
    copies: dict[bytes, list[Hit]] = {}
    for hit in hits:
        copies.setdefault(_text_key(context, hit), []).append(hit)
    return [replace(first, copies=tuple(hit.uri for hit in others)) for first, *others in copies.values()]


def _text_key(context: ReadContext, hit: Hit) -> bytes:
    """Equal for objects of equal text: the key of an object's vector is a hash of its text."""
    if hit.source.version == 0:
        return hit.uri.encode("utf-8")
    card = context.cards.of(hit.source.document)
    return bytes(card.objects[card.relative(hit.uri)].vector_hash)


def _provenance(context: ReadContext, uri: str, document: str) -> Provenance:
    if document:
        return context.cards.of(document).provenance(uri)
    return folder_abstract_source(uri)


def folder_abstract_source(uri: str) -> Provenance:
    """Where the abstract of a folder above documents comes from: the folder, which has no version or lines."""
    return Provenance(parent(uri), 0, (), (1, 1), None)
