"""Algorithm 2: from an accepted trace to edges.

Sources are what Search returned, targets those candidates that a judge keeps: at most 20 sources and 6
targets, so that no single question floods the graph. Ends are chunks: an abstract is made from them, and
may be made anew at any time. What is judged is the text of today, and what a trace says of a document that
has changed since is not learnt.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from knarr.catalog import documents
from knarr.catalog.experience import text_hash
from knarr.catalog.records import DocumentRecord, EdgeEnd
from knarr.experience import pairs
from knarr.experience.judge import Judge
from knarr.experience.records import moment
from knarr.language.citations import bare, fold, locate
from knarr.language.plain import text_key
from knarr.models.configured import ConfiguredChat
from knarr.trace.record import Trace
from knarr.uris import below, lies_in, without_slash

Learning = Literal["off", "record", "learn", "frozen"]
_MOST_READ_CHUNKS = 64
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk as it stands now."""

    uri: str
    text: str
    end: EdgeEnd


class TraceChunks:
    """The chunks that a trace names, with their texts, read in one transaction; each document once."""

    def __init__(self, connection: sa.Connection, trace: Trace) -> None:
        self._connection = connection
        self._trace = trace
        self._versions = {without_slash(uri): version for uri, version in trace.versions.items()}
        self._records: dict[str, DocumentRecord | None] = {}
        self._chunks: dict[int, dict[str, Place]] = {}

    def chunk(self, uri: str) -> Place | None:
        """The chunk of this URI; None for everything else, and in documents that changed since."""
        record = self._record(uri)
        return None if record is None else self._of(record).get(uri)

    def below(self, uri: str) -> list[Place]:
        """The chunks at or under a URI that lies in a document, in document order."""
        record = self._record(uri)
        if record is None:
            return []
        return [place for name, place in self._of(record).items() if lies_in(name, uri)]

    def _record(self, uri: str) -> DocumentRecord | None:
        if uri not in self._records:
            record = documents.owning(self._connection, uri)
            self._records[uri] = record if record is not None and self._as_it_was(record) else None
        return self._records[uri]

    def _as_it_was(self, record: DocumentRecord) -> bool:
        """Whether the run saw this version: it says so, or began after the last change."""
        known = self._versions.get(record.uri)
        if known is not None and known != record.version:
            return False
        try:
            return datetime.fromisoformat(record.updated_at) <= datetime.fromisoformat(self._trace.created_at)
        except (TypeError, ValueError):
            return known is not None

    def _of(self, record: DocumentRecord) -> dict[str, Place]:
        if record.id not in self._chunks:
            data = documents.text_of(self._connection, record.id).encode("utf-8")
            found = {}
            for row in documents.objects_of(self._connection, record.id):
                if row.kind == "chunk":
                    text = data[row.begin_byte : row.end_byte].decode("utf-8")
                    uri = below(record.uri, row.path)
                    end = EdgeEnd(record.id, row.path, text_hash(text), record.version)
                    found[uri] = Place(uri, text, end)
            self._chunks[record.id] = found
        return self._chunks[record.id]


@dataclass(frozen=True, slots=True)
class Found:
    """What a trace offers: the ends that edges may have."""

    sources: tuple[Place, ...]
    candidates: tuple[Place, ...]


def gather(connection: sa.Connection, trace: Trace) -> Found | None:
    """Sources and candidates as they stand now; None when no citation of the trace holds any more."""
    chunks = TraceChunks(connection, trace)
    if not any(_holds(chunks, citation.uri, citation.text) for citation in trace.citations):
        return None
    by_edge = pairs.reached_by_edge(trace)
    places = {place.uri: place for place in _places(chunks, pairs.candidates(trace))}
    for page in pairs.pages(trace):
        for place in _shown(chunks, page):
            if place.uri not in by_edge:
                places.setdefault(place.uri, place)
    sources = list(_places(chunks, pairs.sources(trace)))
    return Found(tuple(sources[: pairs.MOST_SOURCES]), tuple(places.values())[: pairs.MOST_CANDIDATES])


def judged(found: Found, trace: Trace, judge: Judge) -> list[tuple[EdgeEnd, EdgeEnd]]:
    """The edges: from every source to every candidate kept, but never from a chunk to itself."""
    texts = [(place.uri, place.text) for place in found.candidates]
    keeps = judge.keep(trace.question, trace.text, texts) if texts and found.sources else []
    kept = [place for place, keep in zip(found.candidates, keeps, strict=False) if keep]
    return [
        (source.end, target.end)
        for source in found.sources
        for target in kept[: pairs.MOST_TARGETS]
        if source.uri != target.uri
    ]


def still_stand(connection: sa.Connection, edges: Iterable[tuple[EdgeEnd, EdgeEnd]]) -> bool:
    """Whether all ends' documents are what they were when the edges were judged."""
    versions = {end.document_id: end.version for pair in edges for end in pair}
    for document_id, version in versions.items():
        record = documents.find_id(connection, document_id)
        if record is None or record.version != version:
            return False
    return True


def _places(chunks: TraceChunks, uris: Iterable[str]) -> Iterable[Place]:
    return (place for place in map(chunks.chunk, uris) if place is not None)


def _holds(chunks: TraceChunks, uri: str, quote: str) -> bool:
    return any(locate(quote, place.text) is not None for place in chunks.below(without_slash(uri)))


def _shown(chunks: TraceChunks, page: pairs.ShownPage) -> list[Place]:
    """The chunk that was read; of a section or a document, the chunks that were shown whole."""
    chunk = chunks.chunk(page.uri)
    if chunk is not None:
        return [chunk]
    shown = fold(bare(page.text)).text
    inside = chunks.below(page.uri)[:_MOST_READ_CHUNKS]
    return [place for place in inside if fold(place.text).text.strip() in shown]


def episode(trace: Trace, model: str, mode: Learning, days: float | None) -> dict[str, Any]:
    """The row of an episode, without batch and rights; `days` after which it expires, None for never."""
    now = time.time()
    return {
        "trace_id": trace.id,
        "question": trace.question,
        "core": trace.core,
        "vector_hash": text_key(trace.core),
        "model": model,
        "summary": pairs.summary(trace),
        "created_at": moment(datetime.fromtimestamp(now, UTC)),
        "expires_at_s": None if days is None else int(now + days * _SECONDS_A_DAY),
        "state": "pending" if mode == "record" else "active",
    }


def default_judge(trace: Trace, configured: ConfiguredChat, embed_threads: int) -> Judge:
    """By the chat model for runs that asked one, where the settings still name one; else by rule."""
    from knarr.checker import supports
    from knarr.experience.judge import ModelJudge, RuleJudge
    from knarr.models.rerank import load_reranker

    if trace.usage.model.calls and configured.exists:
        return ModelJudge(configured.model())
    reranker = load_reranker(embed_threads)
    return RuleJudge(
        trace.citations, lambda question, answer, text: supports(question, answer, text, reranker)
    )
