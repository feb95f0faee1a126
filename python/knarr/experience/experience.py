"""`kb.experience`: what accepted answers taught, learnt, listed, explained, and taken back.

A change stands in the catalog before a call returns, and the very next search sees it; another process
sees it after its `refresh`.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from knarr.arguments import checked
from knarr.catalog import experience, experience_view, trace_documents, vectors
from knarr.config import Settings
from knarr.errors import ChatError, InvalidArgument, NotFound
from knarr.experience.gamma import known_gamma
from knarr.experience.records import edge_record, moment, named, outcomes_of, stored_trace
from knarr.experience.types import EdgePage, EdgeRecord
from knarr.models.configured import ConfiguredChat
from knarr.reading.context import ReadContext
from knarr.trace.store import Traces
from knarr.types import Mode, ModelUsage, Progress, to_json
from knarr.uris import SCHEME, canonical

if TYPE_CHECKING:
    from knarr.catalog.records import EdgeEnd
    from knarr.experience.calibrate import GammaReport
    from knarr.experience.judge import Judge
    from knarr.experience.learning import Learning
    from knarr.experience.warm_up.questions import HistoricalQuestion
    from knarr.experience.warm_up.report import Similarity, WarmUpReport
    from knarr.models.chat import ChatModel
    from knarr.trace.record import Trace

BATCH = "warm-up"
_LOG = logging.getLogger("knarr.experience")
_STATES = ("active", "stale", "pending", "quarantined")
# A document may change while a judge thinks about its old text: then its edges are made anew.
_TRIES = 3


class Asks(Protocol):
    """What a warm-up needs of the agent's room."""

    def runs(self, scope: str, mode: Mode, policy: Any, *, quick: bool) -> Callable[[str], Trace]:
        """A function that answers a question and gives the trace of the run, which is not kept yet."""
        ...

    def core(self, question: str) -> str:
        """What a question asks, without the words that name documents."""
        ...


class Experience:
    """Algorithm 2 of arXiv 2609.11390, and the governance of its edges.

    A trace may be named by the beginning of its id where only one begins so. `asks` answers the questions of a
    warm-up; it is called when one begins. Safe to use from several threads."""

    def __init__(
        self,
        context: ReadContext,
        settings: Settings,
        traces: Traces,
        configured: ConfiguredChat,
        asks: Callable[[], Asks],
    ) -> None:
        self._context = context
        self._settings = settings
        self._traces = traces
        self._configured = configured
        self._asks = asks

    def seen_in(self, context: ReadContext) -> Experience:
        """The same, as far as it may be told of in another context."""
        self._context.catalog.check_open()
        return Experience(context, self._settings, self._traces, self._configured, self._asks)

    # ------------------------------------------------------------------ looking

    @checked
    def edges(
        self,
        scope: str = SCHEME,
        offset: int = 0,
        limit: int = 100,
        *,
        trace: str | None = None,
        state: str | None = None,
    ) -> EdgePage:
        """A page of the edges with an end below `scope`, in the order of learning, followed or not.

        state: "active", "stale", "pending" or "quarantined"; expired ones are listed with the active ones.
        Raises NotFound for a trace that was not learnt, InvalidArgument for another state."""
        if offset < 0 or limit < 1:
            raise InvalidArgument(f"expected an offset from 0 and a limit from 1, got {offset} and {limit}")
        if state is not None and state not in _STATES:
            raise InvalidArgument(f"state: expected one of {', '.join(_STATES)}, got {state!r}")
        scope = canonical(scope)

        def page(context: ReadContext) -> EdgePage:
            episodes = context.episodes()
            conditions = [experience_view.touching(scope), experience_view.among(episodes)]
            with context.catalog.reading() as connection:
                if trace is not None:
                    conditions.append(experience_view.taught_by(named(connection, trace, episodes)))
                if state is not None:
                    conditions.append(experience_view.in_state(state))
                rows, total = experience_view.page(connection, conditions, offset, limit)
            end = offset + len(rows)
            return EdgePage(tuple(map(edge_record, rows)), total, end if end < total else None)

        return self._context.consistently(page)

    @checked
    def explain(self, source: str, target: str) -> tuple[EdgeRecord, ...]:
        """The questions whose answers taught an edge: a record for each episode, whatever its state. Raises
        NotFound when no episode taught it."""
        ends = canonical(source), canonical(target)

        def found(context: ReadContext) -> tuple[EdgeRecord, ...]:
            conditions = [experience_view.between(*ends), experience_view.among(context.episodes())]
            with context.catalog.reading() as connection:
                rows, _ = experience_view.page(connection, conditions, 0, 1_000)
            if not rows:
                raise NotFound(f"no edge leads from {ends[0]} to {ends[1]}")
            return tuple(map(edge_record, rows))

        return self._context.consistently(found)

    def stats(self) -> dict[str, Any]:
        """Counts: questions, episodes and edges by state, uses and their outcomes, episodes by batch."""

        def counts(context: ReadContext) -> dict[str, Any]:
            with context.catalog.reading() as connection:
                return experience_view.stats(connection, context.episodes())

        return self._context.consistently(counts)

    # ------------------------------------------------------------------ learning

    @property
    def gamma(self) -> float:
        """The similarity of questions from which an edge is followed: the setting, else what `calibrate` stored
        for this knowledge base, else the value measured for its embedder, else 0.8."""
        if self._settings.gamma is not None:
            return self._settings.gamma
        stored = self._context.catalog.get("gamma")
        return known_gamma(self._context.embedder.id) if stored is None else float(stored)

    @checked
    def learn(
        self,
        trace: Trace,
        *,
        batch: str = "",
        judge: Judge | None = None,
        mode: Learning | None = None,
        learner: str = "",
        tenant: str = "",
        labels: tuple[str, ...] = (),
    ) -> int:
        """Learn from an accepted trace by Algorithm 2 (arXiv 2609.11390); returns how many edges are new.

        A trace teaches once: a second call returns 0. It must have answered, with evidence that still stands in
        its source. `mode` is by default the setting `learning`: "off" and "frozen" learn nothing, "record" waits
        for `approve`. `judge` keeps the candidates that support question and answer; by default it goes by
        rule, or asks the chat model when the run did. `batch` names a group for `forget`. `learner`, `tenant`
        and `labels` say on whose rights the edges rest."""
        from knarr.experience import learning, pairs

        self._context.catalog.check_open()
        mode = self._settings.learning if mode is None else mode
        if mode in ("off", "frozen") or not pairs.teaches(trace):
            return 0
        rights = {"learner": learner, "tenant": tenant, "labels": list(labels)}
        values = learning.episode(trace, self._context.embedder.id, mode, self._settings.edge_days)
        values |= rights | {"batch": batch}
        for _ in range(_TRIES):
            with self._context.catalog.reading() as connection:
                if experience.knows(connection, trace.id):
                    return 0
                found = learning.gather(connection, trace)
            if found is None:
                return 0
            try:
                if judge is None:
                    threads = self._settings.embed_threads
                    judge = learning.default_judge(trace, self._configured, threads)
                edges = learning.judged(found, trace, judge)
            except ChatError as error:
                _LOG.warning("trace %s teaches nothing yet, its judge failed: %s", trace.id, error)
                return 0
            if self._keep(trace, values, edges):
                self._context.follow()
                return len(edges)
        return 0

    def _keep(self, trace: Trace, values: dict[str, Any], edges: list[tuple[EdgeEnd, EdgeEnd]]) -> bool:
        """One transaction: the episode is there with all its edges, or not at all. False when a document
        changed since its text was judged, or the trace was learnt by another meanwhile."""
        from knarr.experience import learning
        from knarr.trace.shown import shown_documents

        vector = np.asarray(self._context.embed_query(trace.core), dtype=np.float32)
        with self._context.catalog.writing() as connection:
            if experience.knows(connection, trace.id) or not learning.still_stand(connection, edges):
                return False
            vectors.put(connection, {values["vector_hash"]: vector}, self._context.embedder.id)
            shown, _ = shown_documents(connection, trace)
            taught = {end.document_id for pair in edges for end in pair}
            trace_documents.put(connection, trace.id, shown | taught)
            experience.put(connection, values, edges)
            experience.log(connection, [trace.id])
        return True

    @checked
    def calibrate(
        self, target: float = 0.8, *, least: int | None = None, dry_run: bool = False
    ) -> GammaReport:
        """Choose gamma from the stored traces: the lowest whose activations are right in at least `target`
        of all cases, by a lower confidence bound over at least `least` activations (50 by default). It is stored
        with its figures and used from the next search on. When no gamma qualifies, nothing changes, and the
        report says why.

        A setting `gamma` goes before what is stored. Raises InvalidArgument for a target that is no share."""
        from knarr.experience import calibrate
        from knarr.experience.warm_up import history

        enough = calibrate.LEAST_ACTIVATIONS if least is None else least
        embedder = self._context.embedder
        with self._context.catalog.reading() as connection:
            held = history.load(connection, embedder.id, embedder.dim)
        held, runs = calibrate.past_runs(held, self._traces.walk(), self._context.embed_query)
        report = calibrate.calibrated(held, runs, self.gamma, target, enough)
        if report.chosen and not dry_run:
            row = next(row for row in report.rows if row.gamma == report.gamma)
            figures = {"embedder": embedder.id, **to_json(row)}
            self._context.catalog.put("gamma_figures", json.dumps(figures))
            self._context.catalog.put("gamma", f"{report.gamma:.2f}")
        return report

    # ------------------------------------------------------------------ taking back

    @checked
    def forget(
        self,
        trace: str | None = None,
        *,
        batch: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> int:
        """Take back what a trace or a batch taught, or what was learnt from `since` (included) to `until`
        (not included); returns how many edges went. What others taught is as it was before.

        Raises InvalidArgument when nothing is named, NotFound for a trace that was not learnt."""
        if trace is None and batch is None and since is None and until is None:
            raise InvalidArgument("nothing to forget was named: give a trace, a batch, since or until")
        with self._context.catalog.writing() as connection:
            found = experience_view.select(
                connection,
                trace=None if trace is None else named(connection, trace),
                batch=batch,
                since=None if since is None else moment(since),
                until=None if until is None else moment(until),
            )
            removed = experience.remove(connection, found)
        self._context.follow()
        return removed

    @checked
    def quarantine(self, trace: str | None = None, on: bool = True, *, batch: str | None = None) -> int:
        """Stop following what a trace or a batch taught, and keep it for the record; with `on=False`
        follow it again. Returns how many episodes changed. Raises NotFound, InvalidArgument."""
        if on:
            return self._set_state("quarantined", None, trace, batch)
        return self._set_state("active", "quarantined", trace, batch)

    @checked
    def approve(self, trace: str | None = None, *, batch: str | None = None) -> int:
        """Follow what was recorded for review (`learning="record"`); returns how many episodes changed."""
        return self._set_state("active", "pending", trace, batch)

    def _set_state(self, state: str, only: str | None, trace: str | None, batch: str | None) -> int:
        if (trace is None) == (batch is None):
            raise InvalidArgument("name either a trace or a batch")
        with self._context.catalog.writing() as connection:
            name = None if trace is None else named(connection, trace)
            found = experience_view.select(connection, trace=name, batch=batch, state=only)
            if found:
                experience.set_state(connection, found, state)
        self._context.follow()
        return len(found)

    # ------------------------------------------------------------------ outcomes

    @checked
    def note_use(self, trace: Trace) -> None:
        """Count what came of the edges that a run followed: shown, cited by its answer, or of no help to
        it. Call it once for each run."""
        self._context.catalog.check_open()
        outcomes = outcomes_of(trace)
        if outcomes:
            with self._context.catalog.writing() as connection:
                experience_view.count(connection, outcomes)

    @checked
    def mark(self, trace_id: str, good: bool) -> None:
        """Say whether a run's answer was right.

        A wrong one teaches no more from the very next search on: its episode is quarantined. The episodes
        whose edges it was shown are counted as having helped or failed. Raises NotFound for a trace that is
        neither learnt nor stored."""
        word = "helped" if good else "failed"
        with self._context.catalog.writing() as connection:
            learnt = experience_view.find(connection, trace_id)
            run = stored_trace(connection, trace_id if learnt is None else learnt)
            if learnt is None and run is None:
                raise NotFound(f"{trace_id!r}: no trace has this id, or several begin so")
            shown = {} if run is None else outcomes_of(run)
            names = [*shown, *([] if learnt is None else [learnt])]
            experience_view.count(connection, {name: {word: 1} for name in names})
            if learnt is not None and not good:
                experience.set_state(connection, [learnt], "quarantined")
        self._context.follow()

    # ------------------------------------------------------------------ warming up

    @checked
    def warm_up(
        self,
        questions: Iterable[str] | None = None,
        *,
        generate: int | None = None,
        scope: str = SCHEME,
        mode: Mode = "vikingrag",
        policy: Any = None,
        batch: str = BATCH,
        judge: Judge | None = None,
        seed: int = 0,
        quick: bool = False,
        against: Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> WarmUpReport:
        """Ask historical questions below `scope` and learn from their answers (Algorithm 2).

        questions, generate: the questions themselves, or how many to make from the documents (see
              `historical_questions`); give one of the two
        mode: by default without edges, so that no answer rests on what another taught; policy: as in `ask`
        batch: names the edges that are learnt, for `forget(batch=…)`; judge: as in `learn`
        quick: ask without the cross-encoder, at about a tenth of the time; only for generated questions,
              whose answer is known
        against: later questions; the report says how near they are to the historical ones
        progress: called with (done, total, question) before each

        A generated question teaches only when its answer cites the chunk that it was made from: another source
        may be right too, but nothing shows it. A question that has taught before is passed over, and one whose
        run is stored since the documents last changed is learnt from without asking again; so a warm-up that
        was stopped goes on where it ended.

        Raises InvalidArgument when there is nothing to ask, or the setting `learning` forbids to learn; NotFound
        for a scope that does not exist."""
        from knarr.experience.warm_up.run import WarmUp, check, distinct, make

        check(questions, generate, quick, policy, self._settings.learning)
        began = time.monotonic()
        scope = canonical(scope)
        run = self._asks().runs(scope, mode, policy, quick=quick)
        made: Sequence[HistoricalQuestion] = ()
        fallbacks, writing = 0, ModelUsage()
        if questions is None:
            by_model = policy == "model" or (policy is None and self._configured.exists)
            chat = self._configured.model() if by_model else None
            made, fallbacks, writing = make(self._context.catalog, generate or 0, scope, seed, chat)
            questions = [one.text for one in made]
        listed = distinct(questions)
        if not listed:
            raise InvalidArgument(
                f"no question to ask below {scope}: nothing was given, or nothing could be made"
            )
        warm = WarmUp(self._context.catalog, self._traces, self, run, scope, mode, batch, judge, made)
        warm.spend(writing)
        warm.take_all(listed, progress)
        seconds = time.monotonic() - began
        near = None if against is None else self.question_similarity(against)
        return warm.report(len(listed), seconds, fallbacks, near)

    @checked
    def historical_questions(
        self, count: int, scope: str = SCHEME, *, seed: int = 0, chat: ChatModel | None = None
    ) -> list[HistoricalQuestion]:
        """At most `count` questions made from the documents below `scope` alone: by rule, when the same
        documents and seed give the same questions, or by `chat`."""
        from knarr.experience.warm_up.run import make

        return list(make(self._context.catalog, count, canonical(scope), seed, chat)[0])

    @checked
    def question_similarity(self, later: Iterable[str], gamma: float | None = None) -> Similarity:
        """How many of the later questions are near one that taught: at a cosine of `gamma`, by default the
        one in use."""
        from knarr.experience.warm_up import history
        from knarr.experience.warm_up.run import distinct

        embedder = self._context.embedder
        with self._context.catalog.reading() as connection:
            held = history.load(connection, embedder.id, embedder.dim)
        core = self._asks().core
        asked = [self._context.embed_query(core(question)) for question in distinct(later)]
        return history.similarity(held, asked, self.gamma if gamma is None else gamma)
