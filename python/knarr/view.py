"""The verbs that read. A knowledge base has them for its owner, `kb.as_(principal)` for somebody else.

Both are the same functions over a `ReadContext`, which says what there is to be read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Protocol, TypeVar, Unpack

from knarr.arguments import checked
from knarr.config import Settings
from knarr.errors import Unsupported
from knarr.history.history import SeenHistory
from knarr.reading.as_of import AsOf
from knarr.reading.boxes import boxes, uri_of
from knarr.reading.context import ReadContext
from knarr.reading.document import document
from knarr.reading.grep import grep
from knarr.reading.list import list_children
from knarr.reading.past import Past
from knarr.reading.read import read
from knarr.reading.search import search
from knarr.trace.store import Traces
from knarr.types import (
    Answer,
    Box,
    Citation,
    EdgeHit,
    GrepResult,
    Hit,
    Kind,
    Listing,
    Match,
    Passage,
    Principal,
    SearchResult,
    StoredDocument,
)
from knarr.uris import SCHEME

if TYPE_CHECKING:
    from knarr.agent.asker import Asker, AskOptions
    from knarr.agent.knowledge import KnowledgeLibrary
    from knarr.experience.types import EdgePage, EdgeRecord

_T = TypeVar("_T")

WRITING = (
    "add",
    "sync",
    "remove",
    "move",
    "jobs",
    "rights",
    "abstracts",
    "tenant",
    "tenants",
    "as_",
    "close",
    "backup",
    "forget",
    "reembed",
)
"""What a knowledge base has for its owner alone."""


class Once(Generic[_T]):
    """A value made at its first use, once: agent and checker are imported by processes that ask, only."""

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._made: list[_T] = []
        self._lock = threading.RLock()

    def __call__(self) -> _T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class ReadableExperience(Protocol):
    """What a reader may ask of experience."""

    @property
    def gamma(self) -> float: ...

    def edges(
        self,
        scope: str = ...,
        offset: int = ...,
        limit: int = ...,
        *,
        trace: str | None = ...,
        state: str | None = ...,
    ) -> EdgePage: ...

    def explain(self, source: str, target: str) -> tuple[EdgeRecord, ...]: ...

    def stats(self) -> Mapping[str, Any]: ...


class ReadableChecker(Protocol):
    """What a reader may ask of the checker: numbers."""

    def threshold(self, judge: str = ..., question: str | None = ...) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What the verbs of a reader work on."""

    context: ReadContext
    past: Past
    traces: Traces
    experience: ReadableExperience
    checker: Callable[[], ReadableChecker]
    library: Callable[[], KnowledgeLibrary]
    asker: Callable[[], Asker]
    history: SeenHistory


class Reader:
    """The verbs that read, over what `_parts` gives. Safe to use from several threads."""

    settings: Settings

    def _parts(self) -> Parts:
        raise NotImplementedError

    @property
    def traces(self) -> Traces:
        """The recorded runs of questions."""
        return self._parts().traces

    @property
    def history(self) -> SeenHistory:
        """The versions of documents."""
        return self._parts().history

    @property
    def experience(self) -> ReadableExperience:
        """What accepted answers taught."""
        return self._parts().experience

    @property
    def checker(self) -> ReadableChecker:
        """When an early answer may stand."""
        return self._parts().checker()

    @property
    def library(self) -> KnowledgeLibrary:
        """This as an `Agent` sees it: `Agent(kb.library, policy)`."""
        return self._parts().library()

    def _at(self, as_of: AsOf | None, scope: str) -> ReadContext:
        """What a call reads from: the present, or a state of the past below a scope."""
        parts = self._parts()
        return parts.context if as_of is None else parts.past.at(as_of, scope, parts.context)

    # ------------------------------------------------------------------ the four tools

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
        plan: Literal["auto", "exact"] = "auto",
        as_of: AsOf | None = None,
    ) -> SearchResult:
        """The `k` objects below `scope` nearest to `query`.

        Exact in every scope of up to 10,000 objects, and in wider ones with `plan="exact"`; by default a
        wider one finds each of the true `k` with a probability of at least 0.99, in a fraction of the time
        (see `SearchResult.plan`). Pages after the first are always exact; ask for an exact first page too when
        a wide ranking is to be paged through without a gap.

        `kinds` is ("chunk",), ("abstract",) or None for both. With `distinct` equal texts are listed
        once, the others as `copies` of the first: versions of a manual repeat most of their text.

        With `gamma` the result's `edges` are the objects that edges of the hits lead to, within scope and
        kinds. An edge is followed when the cosine of its historical question and `question` (by default the
        query) is at least `gamma`, and the historical one names no number, code or quoted words that this one
        lacks: a vector does not tell the years 2023 and 2024 apart. A hit may be listed there as well.

        With `as_of` a state of the past is searched instead: a version of the document that the scope names or lies
        in, by its number, or what stood at a time (a datetime or ISO 8601 text) or after a change of the log
        (`knarr.Seq`). See `knarr.reading.past` for what that costs, `history` for what is kept. `as_of` means the
        same in all verbs that have it; results carry the version that they show.

        Raises NotFound for a scope that does not exist or did not then, InvalidArgument for an empty query or
        k < 1."""
        return search(
            self._at(as_of, scope),
            query,
            scope,
            k,
            kinds=kinds,
            offset=offset,
            distinct=distinct,
            gamma=gamma,
            question=question,
            plan=plan,
        )

    def list(
        self, uri: str = SCHEME, offset: int = 0, limit: int = 100, *, as_of: AsOf | None = None
    ) -> Listing:
        """A page of a directory's children in document order, with the directory's abstract. Raises NotFound."""
        return list_children(self._at(as_of, uri), uri, offset, limit)

    def grep(
        self,
        pattern: str,
        scope: str = SCHEME,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
        as_of: AsOf | None = None,
    ) -> GrepResult:
        """Matches of a regular expression (RE2 syntax, linear time) in the canonical text below `scope`.

        `^` and `$` are line anchors. `\\w`, `\\d`, `\\s`, `[:alpha:]` and the like are classes of
        Unicode, and `\\b` parts their words, so `\\büber\\b` does not match in "darüber". Matches may
        cross chunk and section borders. The result tells matches, no matches and an incomplete search
        apart; a bad pattern raises InvalidArgument or Unsupported, a missing scope NotFound."""
        return grep(
            self._at(as_of, scope),
            pattern,
            scope,
            literal=literal,
            ignore_case=ignore_case,
            limit=limit,
            offset=offset,
        )

    def read(
        self, uri: str, begin_byte: int = 0, max_tokens: int | None = None, *, as_of: AsOf | None = None
    ) -> Passage:
        """The text of a chunk, an abstract, a section or a whole document, from `begin_byte` on.

        Bytes count in the document's canonical text, whatever part of it the URI names (in the abstract for an
        abstract); one before that part is its beginning. With `max_tokens` the text is cut at a token; `next_offset` says where to go on. What a
        citation quotes is read by `read(citation.uri, as_of=citation.version)` as long as that version is kept.
        Raises NotFound, and InvalidArgument for a folder above documents."""
        return read(self._at(as_of, uri), uri, begin_byte, max_tokens)

    def document(self, uri: str, *, as_of: AsOf | None = None) -> StoredDocument:
        """What is known of the document that a URI names or lies in: its file, version, pages and metadata.

        Raises NotFound."""
        return document(self._at(as_of, uri), uri)

    def boxes(
        self,
        place: Hit | EdgeHit | Match | Passage | Citation | str,
        begin_byte: int | None = None,
        end_byte: int | None = None,
        *,
        as_of: AsOf | None = None,
    ) -> tuple[Box, ...]:
        """Where something stands on the pages of its document, a box for each line, so that a viewer can mark it.

        `place` is what a tool returned, or the URI of a chunk, a section or a document; `begin_byte` and `end_byte`
        narrow it to a range of the canonical text. Citations of an answer have their boxes already. Empty where the
        document has no pages, is another version than was found, or was last read by an older knarr.
        Costs a look into the catalog and the unpacking of the pages that it touches. Raises NotFound."""
        return boxes(self._at(as_of, uri_of(place)), place, begin_byte, end_byte)

    @checked
    def ask(self, question: str, scope: str = SCHEME, **options: Unpack[AskOptions]) -> Answer:
        """Answer a question from the documents below `scope` (arXiv 2609.11390).

        The options are those of `knarr.AskOptions`: k, mode, policy, budget, shadow, resample, as_of. The trace of the
        run is kept under `Answer.trace_id`. A run that reaches a bound of its budget answers from what it has.

        Raises NotFound for a scope that does not exist, InvalidArgument for an empty question or an option that
        is unknown or out of range, ChatError when a model is asked for and none is configured."""
        return self._parts().asker().ask(question, scope, **options)

    @checked
    async def aask(self, question: str, scope: str = SCHEME, **options: Unpack[AskOptions]) -> Answer:
        """`ask` for an event loop, which is never blocked."""
        return await self._parts().asker().aask(question, scope, **options)

    def info(self) -> dict[str, Any]:
        """Counts and settings: what is in here, and how it was made."""
        return self._parts().context.info(self.settings.chunk_tokens)

    def refresh(self) -> bool:
        """See what another process has written since; True when there was something."""
        return self._parts().context.follow()


class PrincipalView(Reader):
    """What one principal may read: the verbs of a knowledge base, where nothing else exists. Made by `kb.as_`.

    traces:     the principal's own runs, while it may see all that they were shown
    experience: edges that rest on nothing else than what it may see
    checker:    the calibrated thresholds
    Writing is the owner's: its verbs raise Unsupported.
    """

    def __init__(self, principal: Principal, settings: Settings, find: Callable[[], Parts]) -> None:
        self.principal = principal
        self.settings = settings
        self._parts = find  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name not in WRITING:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def refuse(*_args: object, **_options: object) -> NoReturn:
            raise Unsupported(
                f"{name}: {self!r} only reads; writing is done by the knowledge base that it is of"
            )

        return refuse

    def __repr__(self) -> str:
        return f"knowledge base as {self.principal!r}"


class Thresholds:
    """The checker's calibration as numbers, without the questions that they were found with."""

    def __init__(self, checker: Callable[[], ReadableChecker]) -> None:
        self._checker = checker

    def threshold(self, judge: str = "rules", question: str | None = None) -> float | None:
        """See `kb.checker.threshold`."""
        return self._checker().threshold(judge, question)
