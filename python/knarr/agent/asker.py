"""`kb.ask`: one question to a knowledge base, with its options."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, get_args

from knarr.agent.agent import Agent, RunOptions
from knarr.agent.budget import Budget
from knarr.agent.escalation import Escalation
from knarr.agent.knowledge import KnowledgeLibrary
from knarr.agent.values import Policy
from knarr.arguments import hold
from knarr.errors import InvalidArgument, NotFound
from knarr.models.configured import ConfiguredChat
from knarr.reading.as_of import AsOf
from knarr.trace.record import Trace
from knarr.types import Answer, Mode
from knarr.uris import canonical

if TYPE_CHECKING:
    from knarr.checker.oversight import Oversight
    from knarr.models.chat import ChatModel

PolicyName = Literal["extractive", "model"]


class AskOptions(TypedDict, total=False):
    """How a question is answered; each may be left out.

    k:        hits of each search, 10 by default
    mode:     "vikingrag" (the default) is Algorithm 1 of arXiv 2609.11390; "vikingrag-e" also follows the edges
              that earlier answers taught; "vikingrag-e+" answers after one round when the checker finds the
              evidence sufficient, and goes on in the full loop when it does not
    policy:   who decides: "extractive" needs no model and answers by quoting, "model" is the chat model of the
              settings, and a `Policy` of your own; by default the model when the settings name one, else
              "extractive"
    budget:   `Budget(rounds=15, tokens=None, timeout_s=None, cost=None)`: the most rounds, tokens
              shown, seconds, and cost of chat models (in the currency of the prices that were set)
    shadow:   with "vikingrag-e+": decide and log the decision, but let the full loop answer
    resample: with "vikingrag-e+": the share of early answers, from 0 to 1, for which the full loop runs too, so
              that both can be compared
    as_of:    answer from a state of the past below the scope: a version of the document that the scope names, a time
              or a `knarr.Seq` (see `KnowledgeBase.search`); nothing is learnt from such answers
    """

    k: int
    mode: Mode
    policy: Policy | PolicyName | None
    budget: Budget
    shadow: bool
    resample: float
    as_of: AsOf | None


class Asker:
    """Answers questions from a library with the agent that the options and settings ask for.

    The agents of named policies are made once and shared. Safe to use from several threads."""

    def __init__(self, library: KnowledgeLibrary, configured: ConfiguredChat, oversight: Oversight) -> None:
        self._library = library
        self._settings = library.settings
        self._configured = configured
        self._oversight = oversight
        self._agents: dict[str, Agent] = {}
        self._lock = threading.Lock()

    def ask(self, question: str, scope: str, **options: Unpack[AskOptions]) -> Answer:
        """See `KnowledgeBase.ask`."""
        agent, scope, run = self._prepared(scope, options)
        return agent.ask(question, scope, **run)

    async def aask(self, question: str, scope: str, **options: Unpack[AskOptions]) -> Answer:
        """`ask` for an event loop, which is never blocked."""
        agent, scope, run = await asyncio.to_thread(self._prepared, scope, options)
        return await agent.aask(question, scope, **run)

    def runs(
        self, scope: str, mode: Mode, policy: Policy | PolicyName | None, *, quick: bool = False
    ) -> Callable[[str], Trace]:
        """A function that answers one question after the other and gives its trace, which is not kept.

        With `quick`, by the extractive policy without a cross-encoder. Raises as `ask` does."""
        agent, place, run = self._prepared(scope, {"mode": mode, "policy": policy})
        if quick:
            from knarr.agent.policy.extractive import ExtractivePolicy

            agent = Agent(self._library, ExtractivePolicy(None), reranker=None)
        return lambda question: agent.run(question, place, **run).trace

    def core(self, question: str) -> str:
        """What a question asks, without the words that name documents."""
        from knarr.agent.outline import scope_index

        return scope_index(self._library).resolve(question).core or question

    def _prepared(self, scope: str, options: AskOptions) -> tuple[Agent, str, RunOptions]:
        """The agent for these options, the canonical scope, and the options of the agent's `run`."""
        _check(options)
        scope, as_of = canonical(scope), options.get("as_of")
        library = self._library.at(as_of, scope)
        if not library.exists(scope):
            raise NotFound(f"{scope}: no such scope")
        mode, policy = options.get("mode", "vikingrag"), options.get("policy")
        shadow, resample = options.get("shadow", False), options.get("resample", 0.0)
        if mode != "vikingrag-e+" and (shadow or resample):
            raise InvalidArgument(f'shadow and resample belong to mode "vikingrag-e+", got {mode!r}')
        escalation = self._escalation(policy, shadow, resample) if mode == "vikingrag-e+" else None
        run: RunOptions = {
            "k": options.get("k", 10),
            "mode": mode,
            "budget": options.get("budget"),
            "escalation": escalation,
        }
        return self._agent(policy, library), scope, run

    def _agent(self, policy: Policy | PolicyName | None, library: KnowledgeLibrary) -> Agent:
        if policy is None:
            policy = "model" if self._configured.exists else "extractive"
        if not isinstance(policy, str):
            return Agent(library, policy)
        if library is not self._library:
            return Agent(library, self._policy(policy))
        with self._lock:
            if policy not in self._agents:
                self._agents[policy] = Agent(self._library, self._policy(policy))
            return self._agents[policy]

    def _policy(self, name: PolicyName) -> Policy | None:
        if name == "extractive":
            return None
        if name != "model":
            raise InvalidArgument(f'policy: expected "extractive", "model" or a policy, got {name!r}')
        from knarr.agent.policy.model import ModelPolicy

        return ModelPolicy(self._configured.model(), style=self._settings.chat_style)

    def _escalation(self, policy: Policy | PolicyName | None, shadow: bool, resample: float) -> Escalation:
        """How the early answer is decided on: by the checker of the settings, its threshold and the rules."""
        from knarr.checker import forced, judge_of, load_checker, rules_of
        from knarr.models.rerank import load_reranker

        by_model = policy != "extractive" and self._configured.exists
        chat: ChatModel | None = self._configured.model() if by_model else None
        calibrated = self._oversight.calibration(judge_of(chat))
        reranker = load_reranker(self._settings.embed_threads)
        checker = load_checker(chat, reranker, threshold=calibrated.threshold_for if calibrated else None)
        rules = (*rules_of(self._settings.domain), *self._oversight.rules)

        def rule(question: str, scopes: Sequence[str]) -> str:
            return forced(question, scopes, (), rules)

        return Escalation(checker, rule, shadow, resample)


def _check(options: AskOptions) -> None:
    known = AskOptions.__annotations__
    unknown = sorted(set(options) - set(known))
    if unknown:
        names = ", ".join(unknown)
        raise InvalidArgument(f"ask has no option {names}; it takes {', '.join(known)}")
    hold(options, known)
    mode, budget = options.get("mode", "vikingrag"), options.get("budget")
    if mode not in get_args(Mode):
        raise InvalidArgument(f"mode: expected one of {', '.join(get_args(Mode))}, got {mode!r}")
    if budget is not None and not isinstance(budget, Budget):
        raise InvalidArgument(f"budget: expected a knarr.Budget, got {budget!r}")
