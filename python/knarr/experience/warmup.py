"""Warming up: historical questions are asked before users ask theirs, and their answers teach.

Whatever is asked is stored with its trace, and what an answer taught with its batch; a warm-up that was
stopped, by whatever, goes on where it ended when it is called again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from knarr.asking import Asking, Named
from knarr.catalog import documents, experience, traces
from knarr.errors import InvalidArgument, NotFound
from knarr.types import Mode, ModelUsage, to_json
from knarr.uris import SCHEME, canonical

if TYPE_CHECKING:
    from knarr.agent import Agent, Escalation, Policy
    from knarr.experience.calibrate import GammaReport
    from knarr.experience.judge import Judge
    from knarr.experience.questions import HistoricalQuestion
    from knarr.experience.report import Similarity, WarmUpReport
    from knarr.models.chat import ChatModel
    from knarr.trace.record import Trace

BATCH = "warm-up"
Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class _Tally:
    """What has happened so far."""

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


class Warming(Asking):
    """`warm_up` above `ask` and `learn`."""

    def warm_up(
        self,
        questions: Iterable[str] | None = None,
        *,
        generate: int | None = None,
        scope: str = SCHEME,
        mode: Mode = "vikingrag",
        policy: Policy | Named | None = None,
        batch: str = BATCH,
        judge: Judge | None = None,
        seed: int = 0,
        quick: bool = False,
        against: Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> WarmUpReport:
        """Ask historical questions below `scope` and learn from their answers (Algorithm 2).

        Give the questions themselves, or `generate` so many from the documents (see `historical_questions`).
        mode: by default without edges, so that no answer rests on what another taught; policy: as in `ask`
        batch: names what was learnt, for `forget(batch=…)`; judge: as in `learn`
        quick: ask without the cross-encoder, at about a tenth of the time; only for generated questions,
              whose answer is known
        against: later questions; the report says how near they are to the historical ones
        progress: called with (done, total, question) before each

        A generated question teaches only where its answer cites the chunk that it was made from: an answer
        from elsewhere may be right, but nothing says so.

        Questions that taught already are passed over, and one whose run is stored since the documents last
        changed is learnt from without asking again. Raises InvalidArgument when nothing is to be asked, or
        the setting `learning` forbids to learn; NotFound for a scope that does not exist."""
        from knarr.experience.report import WarmUpReport

        if (questions is None) == (generate is None):
            raise InvalidArgument("give either questions, or how many to generate")
        if self.settings.learning in ("off", "frozen"):
            raise InvalidArgument(
                f'learning is "{self.settings.learning}": a warm-up teaches; set KNARR_LEARNING to "learn" or "record"'
            )
        if quick and (generate is None or policy is not None):
            raise InvalidArgument("quick belongs to generate, and to no policy: it has one of its own")
        began = time.monotonic()
        agent, scope, how = self._prepared(scope, mode, policy, False, 0.0)
        if quick:
            agent = self._quick()
        made: Sequence[HistoricalQuestion] = ()
        fallbacks, writing = 0, ModelUsage()
        if questions is None:
            by_model = policy == "model" or (policy is None and bool(self.settings.chat_url.strip()))
            made, fallbacks, writing = self._make(
                generate or 0, scope, seed, self.chat_model() if by_model else None
            )
            questions = [one.text for one in made]
        listed = distinct(questions)
        if not listed:
            raise InvalidArgument(
                f"no question to ask below {scope}: nothing was given, or nothing could be made"
            )
        tally = _Tally(model=writing)
        origins = {one.text: one.uri for one in made}
        run = _Run(self, agent, scope, mode, how, batch, judge, origins)
        for at, question in enumerate(listed):
            if progress is not None:
                progress(at, len(listed), question)
            run.take(question, tally)
        if progress is not None:
            progress(len(listed), len(listed), "")
        seconds = time.monotonic() - began
        near = None if against is None else self.question_similarity(against)
        return WarmUpReport(
            batch=batch, questions=len(listed), seconds=seconds, fallbacks=fallbacks, similarity=near, made=tuple(made),
            **{name: getattr(tally, name) for name in _Tally.__slots__},
        )  # fmt: skip

    def _quick(self) -> Agent:
        from knarr.agent import Agent, ExtractivePolicy

        return Agent(self, ExtractivePolicy(None), reranker=None)

    def historical_questions(
        self, count: int, scope: str = SCHEME, *, seed: int = 0, chat: ChatModel | None = None
    ) -> list[HistoricalQuestion]:
        """At most `count` questions made from the documents below `scope` alone, by rule, or by a chat model
        where one is given. The same documents and seed give the same questions, by rule."""
        return list(self._make(count, canonical(scope), seed, chat)[0])

    def _make(
        self, count: int, scope: str, seed: int, chat: ChatModel | None
    ) -> tuple[Sequence[HistoricalQuestion], int, ModelUsage]:
        from knarr.experience.material import shelves
        from knarr.experience.questions import by_rule

        with self._catalog.reading() as connection:
            found = list(shelves(connection, scope))
        if chat is None:
            return by_rule(found, count, seed), 0, ModelUsage()
        from knarr.experience.asked import by_model

        return by_model(found, count, seed, chat)

    def question_similarity(self, later: Iterable[str], gamma: float | None = None) -> Similarity:
        """How many of the later questions are near one that taught: at a cosine of `gamma`, by default the
        one in use."""
        from knarr.experience import history

        with self._catalog.reading() as connection:
            held = history.load(connection, self.embedder.id, self.embedder.dim)
        asked = [self.embed_query(self._core(question)) for question in distinct(later)]
        return history.similarity(held, asked, self.gamma if gamma is None else gamma)

    def calibrate_gamma(
        self, target: float = 0.8, *, least: int | None = None, dry_run: bool = False
    ) -> GammaReport:
        """Choose gamma from the stored traces: the lowest whose activations are right in at least `target`
        of all cases, judged cautiously and with at least `least` of them (by default 50). It is stored, with
        the figures, and in use at once; where none is found all stays as it was, and the report says why.

        A setting `gamma` goes before what is stored. Raises InvalidArgument for a target that is no share."""
        from knarr.experience import calibrate, history, pairs

        with self._catalog.reading() as connection:
            held = history.load(connection, self.embedder.id, self.embedder.dim)
        kept = {trace: {end for _, end in ends} for trace, ends in zip(held.traces, held.pairs, strict=True)}
        asked: dict[str, str] = {}
        runs = []
        for trace in self.iter_traces():
            asked[trace.id] = trace.question
            if pairs.teaches(trace):
                cited = {citation.uri for citation in trace.citations}
                right = frozenset(cited | kept.get(trace.id, set()))
                seeds, vector = frozenset(pairs.sources(trace)), self.embed_query(trace.core)
                runs.append(calibrate.PastRun(trace.id, trace.question, trace.scope, seeds, right, vector))
        whole = tuple(asked.get(trace, said) for trace, said in zip(held.traces, held.questions, strict=True))
        held = replace(held, questions=whole)
        enough = calibrate.LEAST_ACTIVATIONS if least is None else least
        report = calibrate.calibrated(held, runs, self.gamma, target, enough)
        if report.chosen and not dry_run:
            row = next(row for row in report.rows if row.gamma == report.gamma)
            self._catalog.put("gamma_figures", json.dumps({"embedder": self.embedder.id, **to_json(row)}))
            self._catalog.put("gamma", f"{report.gamma:.2f}")
        return report

    # ------------------------------------------------------------------ what was asked before

    def _core(self, question: str) -> str:
        """What a question asks, without the words that name documents."""
        from knarr.agent.outline import scope_index

        return scope_index(self).resolve(question).core or question

    def _teaches_already(self, question: str) -> bool:
        with self._catalog.reading() as connection:
            return experience.has_question(connection, question)

    def _stored_run(self, question: str, scope: str, mode: Mode) -> Trace | None:
        """The newest stored run of a question that saw the documents as they are."""
        with self._catalog.reading() as connection:
            found = traces.of_question(connection, question)
            changed = documents.last_change(connection, scope)
        for trace_id in found:
            try:
                trace = self.trace(trace_id)
            except (NotFound, ValueError):
                continue
            if trace.scope == scope and trace.mode == mode:
                return trace if _since(changed, trace.created_at) else None
        return None


@dataclass(frozen=True, slots=True)
class _Run:
    """How the questions of one warm-up are asked."""

    kb: Warming
    agent: Agent
    scope: str
    mode: Mode
    how: Escalation | None
    batch: str
    judge: Judge | None
    origins: Mapping[str, str]

    def take(self, question: str, tally: _Tally) -> None:
        """Ask a question, unless it was, and learn from its answer."""
        from knarr.experience.pairs import teaches

        if self.kb._teaches_already(question):
            tally.known += 1
            return
        trace = self.kb._stored_run(question, self.scope, self.mode)
        if trace is None:
            trace = self._ask(question)
            tally.asked += 1
            tally.tokens_shown += trace.usage.tokens_shown
            tally.model += trace.usage.model
        else:
            tally.replayed += 1
        tally.answered += trace.status == "answered"
        tally.accepted += teaches(trace)
        origin = self.origins.get(question)
        if origin is not None and origin not in {cited.uri for cited in trace.citations}:
            tally.elsewhere += teaches(trace)
            return
        judge = Known(origin) if self.judge is None and origin is not None else self.judge
        new = self.kb.learn(trace, batch=self.batch, judge=judge, mode=self.kb.settings.learning)
        tally.taught += new > 0
        tally.edges += new

    def _ask(self, question: str) -> Trace:
        run = self.agent.run(question, self.scope, mode=self.mode, escalation=self.how)
        self.kb.put_trace(run.trace)
        if self.mode != "vikingrag":
            self.kb.note_use(run.trace)
        return run.trace


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


__all__ = ["BATCH", "Progress", "Warming", "distinct"]
