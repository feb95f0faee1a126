"""The agent: one question to one answer, by a plain or an async runner over the same loop."""

from __future__ import annotations

import asyncio
import time

from knarr.agent.budget import Budget
from knarr.agent.decision import Policy
from knarr.agent.escalation import Escalation
from knarr.agent.focus import Focus
from knarr.agent.library import HasSettings, KeepsTraces, Library
from knarr.agent.session import Clock, Means, Run, Session
from knarr.models.rerank import Reranker, load_reranker
from knarr.trace.record import Trace
from knarr.types import Answer, Mode


def _keep(library: Library, trace: Trace) -> None:
    if isinstance(library, KeepsTraces):
        library.store_trace(trace)


def _threads(library: Library) -> int:
    return library.settings.embed_threads if isinstance(library, HasSettings) else 0


def _by_rule(reranker: Reranker | None) -> Escalation:
    from knarr.checker import RuleChecker

    return Escalation(RuleChecker(reranker))


class Agent:
    """Answers questions from a library with a policy (the extractive one when none is given).

    reranker: orders passages; by default the offline model where it is installed, with the threads that
        the library's settings give it. None: go without.
    escalation: how mode "vikingrag-e+" decides; by default with the checker that needs no model.
    May be used by several threads at once when library and policy may.
    """

    def __init__(
        self,
        library: Library,
        policy: Policy | None = None,
        *,
        reranker: Reranker | str | None = "auto",
        escalation: Escalation | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        ranker = load_reranker(_threads(library)) if isinstance(reranker, str) else reranker
        if policy is None:
            from knarr.agent.policy.extractive import ExtractivePolicy

            policy = ExtractivePolicy(ranker)
        self._library = library
        self._means = Means(library, policy, Focus(library, ranker), clock)
        self._escalation = escalation or _by_rule(ranker)

    def ask(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        budget: Budget | None = None,
        mode: Mode = "vikingrag",
        escalation: Escalation | None = None,
    ) -> Answer:
        """The answer only; its trace is kept where the library keeps traces. See `run`."""
        run = self.run(question, scope, k, budget, mode, escalation)
        _keep(self._library, run.trace)
        return run.answer

    def run(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        budget: Budget | None = None,
        mode: Mode = "vikingrag",
        escalation: Escalation | None = None,
    ) -> Run:
        """Ask within `scope`, `k` results per search. Raises ValueError on an empty question, an unknown
        mode or a bad scope; what a policy or tool does wrong ends in the answer's status, not in an exception.

        "vikingrag" is Algorithm 1; "vikingrag-e" also follows edges in its searches (Algorithm 3) where
        the library has them; "vikingrag-e+" may answer after one round, as `escalation` (the agent's own
        when None) decides."""
        session = self._session(question, scope, k, budget, mode, escalation)
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = steps.send(session.do(step))
        except StopIteration as stop:
            return session.finish(stop.value)

    def _session(
        self,
        question: str,
        scope: str,
        k: int,
        budget: Budget | None,
        mode: Mode,
        escalation: Escalation | None,
    ) -> Session:
        chosen = escalation or self._escalation
        return Session(self._means, question, scope, k, budget or Budget(), mode, chosen)

    async def aask(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        budget: Budget | None = None,
        mode: Mode = "vikingrag",
        escalation: Escalation | None = None,
    ) -> Answer:
        """`ask` for an event loop: the loop is never blocked, and the run is the same."""
        run = await self.arun(question, scope, k, budget, mode, escalation)
        await asyncio.to_thread(_keep, self._library, run.trace)
        return run.answer

    async def arun(
        self,
        question: str,
        scope: str = "viking://",
        k: int = 10,
        budget: Budget | None = None,
        mode: Mode = "vikingrag",
        escalation: Escalation | None = None,
    ) -> Run:
        """`run` for an event loop."""
        session = await asyncio.to_thread(self._session, question, scope, k, budget, mode, escalation)
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = steps.send(await asyncio.to_thread(session.do, step))
        except StopIteration as stop:
            value = stop.value
        return await asyncio.to_thread(session.finish, value)
