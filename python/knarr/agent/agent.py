"""The agent: one question to one answer, by a plain or an async runner over the same loop."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from knarr.agent.budget import Budget
from knarr.agent.cite import Citer
from knarr.agent.decision import Decision, Draft, Observation, Policy, Quote
from knarr.agent.focus import Focus
from knarr.agent.history import Call
from knarr.agent.library import KeepsTraces, Library
from knarr.agent.loop import Act, Decide, Loop, Outcome, Step, Task
from knarr.agent.observe import Observed
from knarr.agent.outline import scope_index
from knarr.agent.scope import Names, Resolution
from knarr.agent.tools import Toolbox
from knarr.embed.rerank import Reranker, load_reranker
from knarr.trace import ScopeRecord, Trace
from knarr.types import Answer, ModelUsage, Usage
from knarr.uris import within

Clock = Callable[[], float]


def _keep(library: Library, trace: Trace) -> None:
    if isinstance(library, KeepsTraces):
        library.store_trace(trace)


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: what the user gets, and the record of how."""

    answer: Answer
    trace: Trace


class Agent:
    """Answers questions from a library with a policy (the extractive one when none is given).

    reranker: orders passages; by default the offline model where it is installed. None: go without.
    May be used by several threads at once when library and policy may.
    """

    def __init__(
        self,
        library: Library,
        policy: Policy | None = None,
        *,
        reranker: Reranker | str | None = "auto",
        clock: Clock = time.monotonic,
    ) -> None:
        ranker = load_reranker() if isinstance(reranker, str) else reranker
        if policy is None:
            from knarr.agent.policy.extractive import ExtractivePolicy

            policy = ExtractivePolicy(ranker)
        self._library = library
        self._policy = policy
        self._focus = Focus(library, ranker)
        self._clock = clock

    def ask(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        rounds: int = 15,
        *,
        max_tokens: int | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """The answer only; its trace is kept where the library keeps traces. See `run`."""
        run = self.run(question, scope, k, Budget(rounds, max_tokens, timeout_s))
        _keep(self._library, run.trace)
        return run.answer

    def run(self, question: str, scope: str = "viking://", k: int = 10, budget: Budget | None = None) -> Run:
        """Ask within `scope`, `k` results per search. Raises ValueError on an empty question or a bad
        scope; what a policy or tool does wrong ends in the answer's status, not in an exception."""
        session = _Session(self, question, scope, k, budget or Budget())
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = steps.send(session.do(step))
        except StopIteration as stop:
            return session.finish(stop.value)

    async def aask(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        rounds: int = 15,
        *,
        max_tokens: int | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """`ask` for an event loop: the loop is never blocked, and the run is the same."""
        run = await self.arun(question, scope, k, Budget(rounds, max_tokens, timeout_s))
        await asyncio.to_thread(_keep, self._library, run.trace)
        return run.answer

    async def arun(
        self, question: str, scope: str = "viking://", k: int = 10, budget: Budget | None = None
    ) -> Run:
        """`run` for an event loop."""
        session = await asyncio.to_thread(_Session, self, question, scope, k, budget or Budget())
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = steps.send(await asyncio.to_thread(session.do, step))
        except StopIteration as stop:
            value = stop.value
        return await asyncio.to_thread(session.finish, value)


class _Session:
    """One run's effects: the policy, the tools, the clock, and the record at the end."""

    def __init__(self, agent: Agent, question: str, scope: str, k: int, budget: Budget) -> None:
        if not question.strip():
            raise ValueError("the question is empty")
        if k < 1:
            raise ValueError(f"expected k >= 1, got {k}")
        self._agent = agent
        self._began = agent._clock()
        self._created = datetime.now(UTC).isoformat(timespec="milliseconds")
        within(scope, scope)  # raises on a malformed scope, before anything is paid for
        names = Names(scope_index(agent._library), scope)
        resolution = names.resolve(question)
        self._resolve_ms = (agent._clock() - self._began) * 1e3
        self._task = Task(question, scope, k, resolution, names)
        self._tools = Toolbox(agent._library, scope, agent._focus)
        self._loop = Loop(self._task, budget, agent._library.count_tokens, agent._clock)

    def steps(self) -> Generator[Step, Any, Outcome]:
        return self._loop.steps()

    def do(self, step: Step) -> Decision | list[tuple[Observed, float]]:
        if isinstance(step, Decide):
            return self._agent._policy.decide(step.view)
        return [self._call(call, step) for call in step.calls]

    def _call(self, call: Call, act: Act) -> tuple[Observed, float]:
        began = self._agent._clock()
        if act.deadline_s is not None and began >= act.deadline_s:
            return Observed.failure(f"{call.tool}: not run, the time for this question is over"), 0.0
        observed = self._tools(call.tool, call.arguments, act.room_tokens)
        return observed, (self._agent._clock() - began) * 1e3

    def finish(self, outcome: Outcome) -> Run:
        """Check the citations, make the answer, close the record."""
        began = self._agent._clock()
        shown = [piece for seen in outcome.observations for piece in seen.shown]
        draft = outcome.draft or _found_so_far(outcome.observations)
        citer = Citer(self._agent._library, self._task.scope, shown)
        citations, dropped = citer.check(draft.quotes)
        usage = _usage(outcome, self._resolve_ms, (self._agent._clock() - began) * 1e3)
        trace_id = uuid.uuid4().hex[:16]
        rounds = sum(1 for record in outcome.rounds if record.calls)
        answer = Answer(self._task.question, draft.text, outcome.status, citations, rounds, usage, trace_id)
        trace = Trace(
            id=trace_id,
            question=self._task.question,
            scope=self._task.scope,
            policy=type(self._agent._policy).__name__,
            created_at=self._created,
            resolution=_scope_record(self._task.resolution),
            rounds=outcome.rounds,
            status=outcome.status,
            text=draft.text,
            citations=citations,
            dropped=dropped,
            usage=usage,
            spent=outcome.spent,
        )
        return Run(answer, trace)


def _scope_record(resolution: Resolution) -> ScopeRecord:
    return ScopeRecord(
        tuple((found.uri, round(found.confidence, 4)) for found in resolution.candidates),
        resolution.words,
        resolution.wide,
    )


def _usage(outcome: Outcome, resolve_ms: float, cite_ms: float) -> Usage:
    tokens: dict[str, int] = {}
    calls: dict[str, int] = {}
    ms: dict[str, float] = {"resolve": resolve_ms, "decide": 0.0}
    for record in outcome.rounds:
        ms["decide"] += record.decide_ms
        for call in record.calls:
            tokens[call.tool] = tokens.get(call.tool, 0) + call.tokens
            ms[call.tool] = ms.get(call.tool, 0.0) + call.ms
            calls[call.tool] = calls.get(call.tool, 0) + (not call.error)
    model = sum((record.model for record in outcome.rounds), ModelUsage())
    return Usage(tokens, calls, {**ms, "cite": cite_ms}, model)


_SO_FAR = 5
_SO_FAR_CHARS = 400


def _found_so_far(observations: Sequence[Observation]) -> Draft:
    """What to return when no answer was given: the latest evidence, read before merely found."""
    pieces = [piece for seen in reversed(observations) if seen.tool == "Read" for piece in seen.shown]
    pieces += [piece for seen in observations if seen.tool != "Read" for piece in seen.shown]
    distinct = list({piece.uri: piece for piece in reversed(pieces)}.values())[::-1][:_SO_FAR]
    if not distinct:
        return Draft("No answer was given, and no evidence was found.", found=False)
    quotes = tuple(Quote(piece.uri, _head(piece.text)) for piece in distinct)
    listed = "\n".join(f"- {piece.uri}" for piece in distinct)
    return Draft(f"No answer was given. Evidence found so far:\n{listed}", quotes, found=False)


def _head(text: str) -> str:
    """The first lines of a piece, whole words, bounded."""
    text = text.strip()
    return text if len(text) <= _SO_FAR_CHARS else text[: text.rfind(" ", 0, _SO_FAR_CHARS)]
