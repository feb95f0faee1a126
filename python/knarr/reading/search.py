"""Search: one call into the engine, with what edges of the hits lead to.

`Searching` is the part of a knowledge base below its four tools: catalog, index and embedder, kept in step.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Concatenate, Literal, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from knarr.catalog import Catalog
from knarr.engine import Expanded, Hits
from knarr.errors import InvalidArgument, NotFound
from knarr.index.index import Index
from knarr.language.question import asks_beyond
from knarr.models.embed import Embedder, count_tokens
from knarr.reading.cards import Cards
from knarr.types import EdgeHit, Hit, Kind, Provenance, SearchResult
from knarr.uris import SCHEME, canonical

_QUERIES_KEPT = 1024
_EDGES_SHOWN = 1000
_NEIGHBOURS = 8  # chunks to either side, where edges are lifted to sections

_T = TypeVar("_T")
_P = ParamSpec("_P")
_Base = TypeVar("_Base", bound="Searching")
_TRIES = 20


def consistent(tool: Callable[Concatenate[_Base, _P], _T]) -> Callable[Concatenate[_Base, _P], _T]:
    """Engine and catalog may be a change apart while another thread or process writes: what one names,
    the other may not have. Then the engine follows the log, and the call is made again."""

    @functools.wraps(tool)
    def call(self: _Base, /, *args: _P.args, **named: _P.kwargs) -> _T:
        for _ in range(_TRIES):
            seq = self._index.seq
            try:
                return tool(self, *args, **named)
            except NotFound:
                self._follow()
                if self._index.seq == seq:
                    raise
        return tool(self, *args, **named)

    return call


class Searching:
    """Safe to call from several threads; never waits for a write."""

    def __init__(self, catalog: Catalog, index: Index, embedder: Embedder) -> None:
        self.embedder = embedder
        self._catalog = catalog
        self._index = index
        self._cards = Cards(catalog)
        self._queries: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._queries_lock = threading.Lock()

    def _follow(self) -> bool:
        """Apply what the log holds beyond the engine's state; True when there was something."""
        held = self._index.documents_seq
        news = self._index.follow()
        if self._index.documents_seq != held:
            self._cards.clear()
        return news

    @consistent
    def search(
        self,
        query: str,
        scope: str = SCHEME,
        k: int = 10,
        *,
        kinds: Sequence[Kind] | None = ("chunk",),
        offset: int = 0,
        distinct: bool = False,
        gamma: float | None = None,
        question: str | None = None,
        lift: bool = False,
        plan: Literal["auto", "exact"] = "auto",
    ) -> SearchResult:
        """The `k` objects below `scope` nearest to `query`.

        Exact in every scope of up to 10,000 objects, and in wider ones with `plan="exact"`; by default a
        wider one finds each of the true `k` with a probability of at least 0.99, in a fraction of the time
        (see `SearchResult.plan`). Pages after the first are always exact; ask for the first so too when
        all of a wide ranking is to be paged through without a gap.

        `kinds` is ("chunk",), ("abstract",) or None for both. With `distinct` equal texts are listed
        once, the others as `copies` of the first: versions of a manual repeat most of their text.

        With `gamma` the result's `edges` are the objects that edges of the hits lead to, within scope and
        kinds, where the historical question's cosine with `question` (the query when left out) is at least
        `gamma` and names no number, code or quoted words that this one lacks (a vector does not tell the
        years 2023 and 2024 apart). An object that is a hit too is listed there as well. With `lift` an edge of any chunk of a
        hit's section counts as the hit's.
        Raises NotFound for a scope that does not exist, InvalidArgument for an empty query or k < 1."""
        scope = canonical(scope)
        vector = self.embed_query(query)
        asked = None if gamma is None or question is None else self.embed_query(question)
        wanted = k
        while True:
            found = self._index.engine.search(
                vector,
                scope,
                wanted,
                None,
                kinds,
                offset=offset,
                plan="exact" if offset else plan,
                expand=gamma is not None,
                gamma=0.0 if gamma is None else gamma,
                question=asked,
            )
            listed = self._hits(found)
            hits = self._merged(listed) if distinct else listed
            if len(hits) >= k or len(found) < wanted:
                break
            wanted *= 4
        edges: Iterable[Expanded] = () if gamma is None else found.expanded
        if gamma is not None and (lift or len(hits) > k):
            # More was looked at than is shown, or less than edges may start from.
            asked = vector if asked is None else asked
            seeds = self._seeds(hits[:k], lift)
            edges = self._index.engine.expand(
                seeds, asked, scope, None, kinds, gamma=gamma, limit=_EDGES_SHOWN
            )
        alike = [edge for edge in edges if not asks_beyond(edge.question, question or query)]
        return SearchResult(
            query, scope, tuple(hits[:k]), found.plan, found.rows_allowed, self._edge_hits(alike)
        )

    def _seeds(self, hits: Sequence[Hit], lift: bool) -> Sequence[str]:
        """The hits and their copies; with `lift` their neighbours in their sections after them."""
        seeds = [uri for hit in hits for uri in (hit.uri, *hit.copies)]
        return [*seeds, *(uri for hit in hits for uri in self._neighbours(hit))] if lift else seeds

    def _neighbours(self, hit: Hit) -> Sequence[str]:
        if hit.source.version == 0:
            return ()
        card = self._cards.of(hit.source.document)
        own = card.objects[card.relative(hit.uri)]
        near = (
            row
            for row in card.chunks.get(own.section, ())
            if 0 < abs(row.ordinal - own.ordinal) <= _NEIGHBOURS
        )
        return [f"{card.record.uri}/{row.path}" for row in near]

    def _edge_hits(self, edges: Sequence[Expanded]) -> tuple[EdgeHit, ...]:
        return tuple(
            EdgeHit(
                edge.uri,
                edge.kind,
                edge.preview,
                self._provenance(edge.uri, edge.document),
                edge.source,
                edge.similarity,
                edge.question,
                edge.trace,
            )
            for edge in edges
            if edge.kind is not None
        )

    def _hits(self, found: Hits) -> list[Hit]:
        columns = zip(found.uris, found.scores, found.kinds, found.previews, found.documents, strict=True)
        return [
            Hit(uri, float(score), kind, preview, self._provenance(uri, document))
            for uri, score, kind, preview, document in columns
        ]

    def _merged(self, hits: list[Hit]) -> list[Hit]:
        """The first hit of each text, with the URIs of the others."""
        copies: dict[bytes, list[Hit]] = {}
        for hit in hits:
            copies.setdefault(self._text_key(hit), []).append(hit)
        return [replace(first, copies=tuple(hit.uri for hit in others)) for first, *others in copies.values()]

    def _text_key(self, hit: Hit) -> bytes:
        """Equal for objects of equal text: the key of its vector is a hash of the text."""
        if hit.source.version == 0:
            return hit.uri.encode("utf-8")
        card = self._cards.of(hit.source.document)
        return bytes(card.objects[card.relative(hit.uri)].vector_hash)

    def _provenance(self, uri: str, document: str) -> Provenance:
        if document:
            return self._cards.of(document).provenance(uri)
        # The abstract of a folder above documents.
        return Provenance(uri.rsplit("/", 1)[0], 0, (), (1, 1), None)

    def embed_query(self, query: str) -> npt.NDArray[np.float32]:
        """The unit vector of a query; the last ones asked for are kept."""
        if not query.strip():
            raise InvalidArgument("the query is empty: expected words to search for")
        with self._queries_lock:
            vector = self._queries.get(query)
            if vector is not None:
                self._queries.move_to_end(query)
                return vector
        vector = np.asarray(self.embedder.embed([query])[0], dtype=np.float32)
        with self._queries_lock:
            self._queries[query] = vector
            if len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as the embedder counts them."""
        return count_tokens(self.embedder.tokenizer, text)
