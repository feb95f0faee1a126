"""Questions to a knowledge base: the agent that answers them, and the record of each run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from knarr.catalog import Catalog, changes, documents, traces
from knarr.config import Settings
from knarr.errors import CatalogError, ChatError, InvalidArgument, NotFound
from knarr.experience.base import Experience
from knarr.index.index import Index
from knarr.models.embed import Embedder
from knarr.types import Answer, Mode, to_json
from knarr.uris import SCHEME, canonical

if TYPE_CHECKING:
    from knarr.agent import Agent, Escalation, Policy
    from knarr.checker import Calibration, Rule
    from knarr.checker.calibration import Among
    from knarr.checker.records import CheckerReport
    from knarr.models.chat import ChatModel
    from knarr.trace.record import Trace

Named = Literal["extractive", "model"]
_CALIBRATION = "checker_calibration:"  # in the catalog's meta, by judge


class Asking(Experience):
    """`ask` above the four tools. Safe to use from several threads.

    rules: force the full loop in mode "vikingrag-e+", beside those of the settings' domain
    """

    def __init__(self, catalog: Catalog, index: Index, embedder: Embedder, settings: Settings) -> None:
        super().__init__(catalog, index, embedder)
        self.settings = settings
        self.rules: tuple[Rule, ...] = ()
        self._agents: dict[Named, Agent] = {}
        self._chat: ChatModel | None = None
        self._agents_lock = threading.RLock()

    def ask(
        self,
        question: str,
        scope: str = SCHEME,
        k: int = 10,
        rounds: int = 15,
        *,
        mode: Mode = "vikingrag",
        policy: Policy | Named | None = None,
        max_tokens: int | None = None,
        timeout_s: float | None = None,
        max_cost: float | None = None,
        shadow: bool = False,
        resample: float = 0.0,
    ) -> Answer:
        """Answer a question from the documents below `scope` (arXiv 2609.11390).

        mode: "vikingrag" is Algorithm 1; "vikingrag-e" also follows what earlier answers taught;
              "vikingrag-e+" answers after one round where the checker finds the evidence enough, else goes
              on in the full loop. With `shadow` that decision is only logged; `resample` is the share of
              early answers for which the full loop runs too, to be compared.
        policy: "extractive" needs no model and answers by quoting; "model" is the chat model of the
              settings; by default the model where the settings name one.

        Ends after at most `rounds` rounds, `max_tokens` shown tokens, `timeout_s` seconds or, where prices are
        set, `max_cost` of chat models. The trace of the run is stored under `Answer.trace_id`. Raises NotFound for a scope that does not exist."""
        from knarr.agent import Budget

        agent, scope, how = self._prepared(scope, mode, policy, shadow, resample)
        return agent.ask(
            question,
            scope,
            k=k,
            mode=mode,
            budget=Budget(rounds, max_tokens, timeout_s, cost=max_cost),
            escalation=how,
        )

    async def aask(
        self,
        question: str,
        scope: str = SCHEME,
        k: int = 10,
        rounds: int = 15,
        *,
        mode: Mode = "vikingrag",
        policy: Policy | Named | None = None,
        max_tokens: int | None = None,
        timeout_s: float | None = None,
        max_cost: float | None = None,
        shadow: bool = False,
        resample: float = 0.0,
    ) -> Answer:
        """`ask` for an event loop, which is never blocked."""
        import asyncio

        from knarr.agent import Budget

        agent, scope, how = await asyncio.to_thread(self._prepared, scope, mode, policy, shadow, resample)
        return await agent.aask(
            question,
            scope,
            k=k,
            mode=mode,
            budget=Budget(rounds, max_tokens, timeout_s, cost=max_cost),
            escalation=how,
        )

    def _prepared(
        self, scope: str, mode: Mode, policy: Policy | Named | None, shadow: bool, resample: float
    ) -> tuple[Agent, str, Escalation | None]:
        scope = canonical(scope)
        if not self._index.engine.exists(scope):
            raise NotFound(f"{scope}: no such scope")
        if mode != "vikingrag-e+" and (shadow or resample):
            raise InvalidArgument(f'shadow and resample belong to mode "vikingrag-e+", got {mode!r}')
        how = self._escalation(policy, shadow, resample) if mode == "vikingrag-e+" else None
        return self._agent(policy), scope, how

    def _agent(self, policy: Policy | Named | None) -> Agent:
        from knarr.agent import Agent

        if policy is None:
            policy = "model" if self.settings.chat_url.strip() else "extractive"
        if not isinstance(policy, str):
            return Agent(self, policy=policy)
        with self._agents_lock:
            if policy not in self._agents:
                self._agents[policy] = Agent(self, policy=self._named(policy))
            return self._agents[policy]

    def _named(self, name: Named) -> Policy | None:
        if name == "extractive":
            return None
        if name != "model":
            raise InvalidArgument(f'policy: expected "extractive", "model" or a policy, got {name!r}')
        from knarr.agent.policy.model import ModelPolicy

        return ModelPolicy(self.chat_model(), style=self.settings.chat_style)

    def chat_model(self) -> ChatModel:
        """The chat model of the settings, one object for all calls. Raises ChatError when none is named."""
        from knarr.models.chat import load_chat

        with self._agents_lock:
            self._chat = self._chat or load_chat(self.settings)
            if self._chat is None:
                raise ChatError("no chat model: set KNARR_CHAT_URL to an OpenAI-compatible server")
            return self._chat

    def _escalation(self, policy: Policy | Named | None, shadow: bool, resample: float) -> Escalation:
        """How the early answer is decided on: the checker of the settings, its threshold, the rules."""
        from knarr.agent import Escalation
        from knarr.checker import forced, judge_of, load_checker, rules_of
        from knarr.models.rerank import load_reranker

        by_model = policy != "extractive" and bool(self.settings.chat_url.strip())
        chat = self.chat_model() if by_model else None
        threshold = self.checker_threshold(judge_of(chat))
        reranker = load_reranker(self.settings.embed_threads)
        checker = load_checker(self.settings, chat, reranker, threshold=threshold)
        rules = (*rules_of(self.settings.domain), *self.rules)

        def rule(question: str, scopes: Sequence[str]) -> str:
            return forced(question, scopes, (), rules)

        return Escalation(checker, rule, shadow, resample)

    def checker_threshold(self, judge: str = "rules") -> float | None:
        """The calibrated score from which an early answer that `judge` passed may stand; None for the
        checker's own."""
        found = self.checker_calibration(judge)
        return None if found is None else found.threshold

    def checker_calibration(self, judge: str = "rules") -> Calibration | None:
        """What `calibrate_checker` stored for a judge; None without, and where the way of scoring has
        changed since."""
        from knarr.checker import Calibration, scorer_of

        stored = json.loads(self._catalog.get(_CALIBRATION + judge) or "{}")
        return Calibration.from_json(stored) if stored.get("scorer") == scorer_of(judge) else None

    def calibrate_checker(
        self,
        labels: Mapping[str, bool] | None = None,
        alpha: float = 0.05,
        *,
        judge: str | None = None,
        among: Among = "all",
    ) -> Calibration:
        """Choose the checker's threshold so that at most a share `alpha` of all questions (of those with
        too little evidence, with `among="insufficient"`) is answered early although the evidence was
        insufficient, and store it for `judge`, by default the one that judged most.

        labels: for recorded runs in mode "vikingrag-e+", by trace id, whether the early evidence was
                sufficient; without them, runs with `shadow` or `resample` say it themselves.

        Raises NotFound for a label of a run that is not recorded, InvalidArgument without labelled runs."""
        from dataclasses import replace

        from knarr.checker import scorer_of
        from knarr.checker.records import from_records, labelled

        runs = self.iter_traces() if labels is None else [self.trace(name) for name in labels]
        given = None if labels is None else dict(zip((run.id for run in runs), labels.values(), strict=True))
        name, found = from_records(labelled(runs, given), alpha, judge=judge, among=among)
        found = replace(found, scorer=scorer_of(name))
        self._catalog.put(_CALIBRATION + name, json.dumps(to_json(found)))
        return found

    def checker_report(self, since: str | datetime | None = None) -> CheckerReport:
        """What the checker did in recorded runs, from `since` on."""
        from knarr.checker.records import report

        return report(self.iter_traces(since))

    # ------------------------------------------------------------------ records

    def store_trace(self, trace: Trace) -> None:
        """Keep the record of a run; in the modes with experience, learn from it as the settings say."""
        self.put_trace(trace)
        if trace.mode != "vikingrag":
            self.note_use(trace)
            self.learn(trace)

    def put_trace(self, trace: Trace) -> None:
        """Keep the record of a run, and nothing else."""
        record = json.dumps(trace.to_json(), ensure_ascii=False)
        with self._catalog.writing() as connection:
            traces.put(connection, trace.id, trace.created_at, trace.question, trace.status, record)

    def trace(self, trace_id: str) -> Trace:
        """The recorded run of a question; the beginning of its id is enough. Raises NotFound."""
        from knarr.trace.record import Trace

        with self._catalog.reading() as connection:
            record = traces.get(connection, trace_id)
        if record is None:
            raise NotFound(f"{trace_id!r}: no trace has this id, or several begin so")
        try:
            return Trace.from_json(json.loads(record))
        except ValueError as error:
            raise CatalogError(
                f"trace {trace_id!r} cannot be read: {error}; a newer knarr may have made it"
            ) from error

    def traces(self, limit: int = 20) -> list[tuple[str, str, str, str]]:
        """`(id, created_at, question, status)` of the newest traces."""
        with self._catalog.reading() as connection:
            return traces.recent(connection, limit)

    def iter_traces(self, since: str | datetime | None = None, limit: int | None = None) -> Iterator[Trace]:
        """Recorded runs, oldest first: those asked at or after `since` (a time, or its ISO 8601 text,
        UTC where it names no zone), at most `limit`. Read as they are taken. Raises InvalidArgument."""
        from knarr.trace.record import Trace

        return map(Trace.from_json, traces.walk(self._catalog.reading, since, limit))

    # ------------------------------------------------------------------ what is in here

    @property
    def seq(self) -> int:
        """Grows with every change of documents that reads can see."""
        return self._index.documents_seq

    def outline(self, head_chars: int = 3000) -> list[tuple[str, str, str]]:
        """`(uri, title, first characters)` of every document, in the order of adding."""
        with self._catalog.reading() as connection:
            return documents.outline(connection, head_chars)

    def info(self) -> dict[str, Any]:
        """Counts and settings: what is in here, and how it was made."""
        with self._catalog.reading() as connection:
            totals = documents.totals(connection)
            seq = changes.last(connection)
        return {
            "path": str(self._catalog.folder),
            **totals,
            "embedder": self.embedder.id,
            "dim": self.embedder.dim,
            "precision": self._index.engine.precision,
            "chunk_tokens": self.settings.chunk_tokens,
            "seq": seq,
            "engine": self._index.engine.stats(),
            **({"note": self._index.note} if self._index.note else {}),
        }
