"""A knowledge base as the `Library` of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from knarr.arguments import checked
from knarr.config import Settings
from knarr.errors import NotFound
from knarr.history.listing import diff_of, versions_of
from knarr.history.records import DocumentDiff, DocumentHistory
from knarr.history.since import since
from knarr.models.embed import count_tokens
from knarr.reading.as_of import AsOf, point_of
from knarr.reading.boxes import boxes
from knarr.reading.context import ReadContext
from knarr.reading.grep import grep
from knarr.reading.list import list_children
from knarr.reading.outline import exists, outline
from knarr.reading.past import Past
from knarr.reading.read import read
from knarr.reading.search import search
from knarr.trace.own import asker_of
from knarr.trace.record import Trace
from knarr.trace.store import Traces
from knarr.types import Box, Citation, GrepResult, Listing, Passage, Principal, QuoteNow, SearchResult
from knarr.uris import SCHEME


class Learner(Protocol):
    """What learns from the runs that this library keeps: `knarr.experience.Experience`."""

    @property
    def gamma(self) -> float:
        """The similarity of questions from which an edge is followed."""
        ...

    def note_use(self, trace: Trace) -> None:
        """Count what came of the edges that a run followed."""
        ...

    def learn(self, trace: Trace, *, learner: str = ..., labels: tuple[str, ...] = ...) -> int:
        """Learn from an accepted run; returns how many edges are new."""
        ...


class KnowledgeLibrary:
    """The four tools, the documents' outline, and the keeping of traces. Safe to use from several threads.

    settings: of the knowledge base; agents obey them
    as_of:    the state of the past that it reads, in words; "" for the present
    asker:    who asks, None for the owner
    """

    def __init__(
        self,
        context: ReadContext,
        settings: Settings,
        traces: Traces,
        experience: Learner,
        past: Past,
        as_of: AsOf | None = None,
        asker: Principal | None = None,
    ) -> None:
        self.settings = settings
        self.as_of = "" if as_of is None else str(point_of(as_of))
        self._asker = asker
        self._past = past
        self._context = context
        self._traces = traces
        self._experience = experience

    @checked
    def at(self, as_of: AsOf | None = None, scope: str = SCHEME) -> KnowledgeLibrary:
        """A library of what stood then below a scope. Raises as `Past.at`."""
        self._context.catalog.check_open()
        if as_of is None:
            return self
        context = self._past.at(as_of, scope, self._context)
        kept = self.settings, self._traces, self._experience, self._past
        return KnowledgeLibrary(context, *kept, as_of, self._asker)

    def search(self, *args: Any, **options: Any) -> SearchResult:
        """As `knarr.reading.search`."""
        return search(self._context, *args, **options)

    def list(self, *args: Any, **options: Any) -> Listing:
        """As `knarr.reading.list`."""
        return list_children(self._context, *args, **options)

    def grep(self, *args: Any, **options: Any) -> GrepResult:
        """As `knarr.reading.grep`."""
        return grep(self._context, *args, **options)

    def read(self, *args: Any, **options: Any) -> Passage:
        """As `knarr.reading.read`."""
        return read(self._context, *args, **options)

    def boxes(self, place: Citation) -> tuple[Box, ...]:
        """As `knarr.reading.boxes`; none for a document that is gone."""
        try:
            return boxes(self._context, place)
        except NotFound:
            return ()

    @checked
    def versions(self, uri: str) -> DocumentHistory:
        """As `kb.history.versions`."""
        return versions_of(self._context, uri)

    @checked
    def diff(self, uri: str, *args: Any, **options: Any) -> DocumentDiff:
        """As `kb.history.diff`."""
        return diff_of(self._context, uri, *args, **options)

    def since(self, citations: Sequence[Citation] = ()) -> tuple[QuoteNow, ...]:
        """What the newest versions say of each of these quotes."""
        return since(self._context, citations)

    @checked
    def exists(self, scope: str) -> bool:
        """As `knarr.reading.outline.exists`."""
        return exists(self._context, scope)

    @checked
    def count_tokens(self, text: str) -> int:
        """Tokens of a text as the embedder counts them."""
        self._context.catalog.check_open()
        return count_tokens(self._context.embedder.tokenizer, text)

    @property
    def edition(self) -> tuple[object, int]:
        """See `knarr.agent.library.Outlines`."""
        self._context.catalog.check_open()
        return self._context.edition

    def outlined(self, head_chars: int = 3000) -> tuple[tuple[object, int], Sequence[tuple[str, str, str]]]:
        """As `knarr.reading.outline`."""
        return outline(self._context, head_chars)

    def info(self) -> dict[str, Any]:
        """See `KnowledgeBase.info`."""
        return self._context.info(self.settings.chunk_tokens)

    @property
    def gamma(self) -> float:
        """The similarity of questions from which an edge is followed."""
        return self._experience.gamma

    @checked
    def store_trace(self, trace: Trace) -> None:
        """Keep the record of a run; in the modes with experience, learn from it as the settings say. A base that can
        only be read keeps nothing."""
        self._context.catalog.check_open()
        if self._context.catalog.read_only:
            return
        asker = self._asker
        self._traces.put(trace, asker="" if asker is None else asker_of(asker))
        if self.as_of or trace.mode == "vikingrag":  # experience speaks of what stands now
            return
        self._experience.note_use(trace)
        if asker is None:
            self._experience.learn(trace)
        else:
            self._experience.learn(trace, learner=asker.subject, labels=asker.labels)
