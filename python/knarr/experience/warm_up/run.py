"""Warming up: historical questions are asked before users ask theirs, and their answers teach.

Every run is stored with its trace, and the edges that it taught with their batch, so that a warm-up that was
stopped goes on where it ended when it is called again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from knarr.catalog import Catalog, documents, experience, traces
from knarr.errors import CatalogError, InvalidArgument, NotFound
from knarr.experience.judge import Judge
from knarr.experience.pairs import teaches
from knarr.experience.warm_up.material import document_materials
from knarr.experience.warm_up.questions import HistoricalQuestion, by_rule
from knarr.experience.warm_up.report import Similarity, WarmUpReport
from knarr.trace.record import Trace
from knarr.trace.store import Traces
from knarr.types import Mode, ModelUsage, Progress

if TYPE_CHECKING:
    from knarr.models.chat import ChatModel


class Learns(Protocol):
    """What a warm-up needs of `Experience`."""

    def learn(self, trace: Trace, *, batch: str = ..., judge: Judge | None = ...) -> int: ...

    def note_use(self, trace: Trace) -> None: ...


@dataclass(slots=True)
class _Tally:
    """The counts of a `WarmUpReport`, so far."""

    known: int = 0
    replayed: int = 0
    asked: int = 0
    answered: int = 0
    accepted: int = 0
    elsewhere: int = 0
    taught: int = 0
    edges: int = 0
    tokens_shown: int = 0
    model: ModelUsage = field(default_factory=ModelUsage)


def check(questions: object, generate: int | None, quick: bool, policy: object, learning: str) -> None:
    """Raises InvalidArgument for arguments of `Experience.warm_up` that do not fit each other or the settings."""
    if (questions is None) == (generate is None):
        raise InvalidArgument("give either questions, or how many to generate")
    if learning in ("off", "frozen"):
        raise InvalidArgument(
            f'learning is "{learning}": a warm-up teaches; set KNARR_LEARNING to "learn" or "record"'
        )
    if quick and (generate is None or policy is not None):
        raise InvalidArgument("quick belongs to generate, and to no policy: it has one of its own")


def make(
    catalog: Catalog, count: int, scope: str, seed: int, chat: ChatModel | None
) -> tuple[Sequence[HistoricalQuestion], int, ModelUsage]:
    """Questions of the documents below `scope`, how many of them fell back on the rules, and what `chat` cost."""
    with catalog.reading() as connection:
        found = list(document_materials(connection, scope))
    if chat is None:
        return by_rule(found, count, seed), 0, ModelUsage()
    from knarr.experience.warm_up.asked import by_model

    return by_model(found, count, seed, chat)


class WarmUp:
    """One warm-up. `ask` answers a question and gives its trace; `made` are the questions that were made from
    the documents, each with the chunk that it was made from."""

    def __init__(
        self,
        catalog: Catalog,
        stored: Traces,
        learner: Learns,
        ask: Callable[[str], Trace],
        scope: str,
        mode: Mode,
        batch: str,
        judge: Judge | None,
        made: Sequence[HistoricalQuestion],
    ) -> None:
        self._catalog = catalog
        self._stored = stored
        self._learner = learner
        self._ask = ask
        self._scope = scope
        self._mode = mode
        self._batch = batch
        self._judge = judge
        self._made = made
        self._origins = {one.text: one.uri for one in made}
        self._tally = _Tally()

    def spend(self, usage: ModelUsage) -> None:
        """Count what the chat model cost that made the questions."""
        self._tally.model += usage

    def take_all(self, questions: Sequence[str], progress: Progress | None) -> None:
        """Take each question; `progress(done, total, question)` is called before each, and at the end."""
        for at, question in enumerate(questions):
            if progress is not None:
                progress(at, len(questions), question)
            self.take(question)
        if progress is not None:
            progress(len(questions), len(questions), "")

    def take(self, question: str) -> None:
        """Ask a question, unless it was asked before, and learn from its answer."""
        tally = self._tally
        with self._catalog.reading() as connection:
            if experience.has_question(connection, question):
                tally.known += 1
                return
        trace = self._stored_run(question)
        if trace is None:
            trace = self._new_run(question)
            tally.asked += 1
            tally.tokens_shown += trace.usage.tokens_shown
            tally.model += trace.usage.model
        else:
            tally.replayed += 1
        tally.answered += trace.status == "answered"
        tally.accepted += teaches(trace)
        origin = self._origins.get(question)
        if origin is not None and origin not in {cited.uri for cited in trace.citations}:
            tally.elsewhere += teaches(trace)
            return
        judge = Known(origin) if self._judge is None and origin is not None else self._judge
        edges = self._learner.learn(trace, batch=self._batch, judge=judge)
        tally.taught += edges > 0
        tally.edges += edges

    def report(
        self, questions: int, seconds: float, fallbacks: int, similarity: Similarity | None
    ) -> WarmUpReport:
        """What was done so far."""
        counts: dict[str, Any] = {name: getattr(self._tally, name) for name in _Tally.__slots__}
        return WarmUpReport(
            batch=self._batch,
            questions=questions,
            seconds=seconds,
            fallbacks=fallbacks,
            similarity=similarity,
            made=tuple(self._made),
            **counts,
        )

    def _new_run(self, question: str) -> Trace:
        trace = self._ask(question)
        self._stored.put(trace)
        if self._mode != "vikingrag":
            self._learner.note_use(trace)
        return trace

    def _stored_run(self, question: str) -> Trace | None:
        """The newest stored run of a question that saw the documents as they are now."""
        with self._catalog.reading() as connection:
            found = traces.of_question(connection, question)
            changed = documents.last_change(connection, self._scope)
        for trace_id in found:
            try:
                trace = self._stored.get(trace_id)
            except (NotFound, CatalogError):
                continue
            if trace.scope == self._scope and trace.mode == self._mode:
                return trace if _since(changed, trace.created_at) else None
        return None


@dataclass(frozen=True, slots=True)
class Known:
    """The judge of a question that was made from one chunk: it alone is known to support the answer."""

    origin: str

    def keep(self, question: str, answer: str, texts: Sequence[tuple[str, str]]) -> list[bool]:
        return [uri == self.origin for uri, _ in texts]


def distinct(questions: Iterable[str]) -> list[str]:
    """Each on one line, equal ones once, empty ones not at all."""
    flat = (" ".join(question.split()) for question in questions)
    return list(dict.fromkeys(question for question in flat if question))


def _since(changed: str | None, asked: str) -> bool:
    """Whether a run began after the last change of the documents."""
    if changed is None:
        return True
    try:
        return datetime.fromisoformat(changed) <= datetime.fromisoformat(asked)
    except (TypeError, ValueError):
        return False
