"""The agent: from one question to one answer, by a plain or an async runner over the same loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from typing import Any, TypedDict, Unpack

from knarr.agent.budget import Budget
from knarr.agent.escalation import Escalation
from knarr.agent.library import HasSettings, KeepsTraces, Library
from knarr.agent.loop import Outcome, Step
from knarr.agent.policy.extractive import ExtractivePolicy
from knarr.agent.session import Clock, Reply, Resources, Run, Session
from knarr.agent.tools.focus import Focus
from knarr.agent.values import Policy
from knarr.checker import RuleChecker
from knarr.models.rerank import Reranker, load_reranker
from knarr.trace.record import Trace
from knarr.types import Answer, Mode
from knarr.uris import SCHEME


class RunOptions(TypedDict, total=False):
    """How a question is asked.

    k:           results per search, 10 by default
    mode:        "vikingrag" (the default) is Algorithm 1; "vikingrag-e" also follows edges in its searches
                 (Algorithm 3) where the library has them; "vikingrag-e+" may answer after one round, as
                 `escalation` decides
    budget:      the bounds of the run, `Budget()` by default
    escalation:  how mode "vikingrag-e+" decides, by default the agent's own
    """

    k: int
    mode: Mode
    budget: Budget | None
    escalation: Escalation | None


class Agent:
    """Answers questions from a library with a policy (the extractive one when none is given).

    reranker: orders passages; by default the offline model where it is installed, with the threads that the
              library's settings give it. None: go without.
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
        policy = ExtractivePolicy(ranker) if policy is None else policy
        self._library = library
        self._resources = Resources(library, policy, Focus(library, ranker), clock)
        self._escalation = escalation or Escalation(RuleChecker(ranker))

    def ask(self, question: str, scope: str = SCHEME, **options: Unpack[RunOptions]) -> Answer:
        """The answer only; its trace is kept where the library keeps traces. See `run`."""
        run = self.run(question, scope, **options)
        _keep(self._library, run.trace)
        return run.answer

    def run(self, question: str, scope: str = SCHEME, **options: Unpack[RunOptions]) -> Run:
        """Ask within `scope`, as the options say. Raises InvalidArgument on an empty question, an unknown mode
        or a bad scope, and the errors of `knarr.agent.failures.FAILURES` that come before anything was found: a
        chat model that cannot be asked, an embedder or a disk that fails. What fails later ends in the answer's
        status "failed", and what a policy or a model gets wrong in no exception at all."""
        session = self._session(question, scope, **options)
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = _resumed(steps, session.do(step))
        except StopIteration as stop:
            return session.finish(stop.value)

    async def aask(self, question: str, scope: str = SCHEME, **options: Unpack[RunOptions]) -> Answer:
        """`ask` for an event loop: the loop is never blocked, and the run is the same."""
        run = await self.arun(question, scope, **options)
        await asyncio.to_thread(_keep, self._library, run.trace)
        return run.answer

    async def arun(self, question: str, scope: str = SCHEME, **options: Unpack[RunOptions]) -> Run:
        """`run` for an event loop."""
        session = await asyncio.to_thread(self._session, question, scope, **options)
        steps = session.steps()
        try:
            step = next(steps)
            while True:
                step = _resumed(steps, await asyncio.to_thread(session.do, step))
        except StopIteration as stop:
            value = stop.value
        return await asyncio.to_thread(session.finish, value)

    def _session(
        self,
        question: str,
        scope: str,
        k: int = 10,
        mode: Mode = "vikingrag",
        budget: Budget | None = None,
        escalation: Escalation | None = None,
    ) -> Session:
        chosen = escalation or self._escalation
        return Session(self._resources, question, scope, k, budget or Budget(), mode, chosen)


def _resumed(steps: Generator[Step, Any, Outcome], reply: Reply | Exception) -> Step:
    """The next step after this reply; a failure is thrown where its step was asked for."""
    return steps.throw(reply) if isinstance(reply, Exception) else steps.send(reply)


def _keep(library: Library, trace: Trace) -> None:
    if isinstance(library, KeepsTraces):
        library.store_trace(trace)


def _threads(library: Library) -> int:
    return library.settings.embed_threads if isinstance(library, HasSettings) else 0
