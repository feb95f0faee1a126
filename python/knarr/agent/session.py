"""One run with its effects: it asks the policy, runs the tools and the checker, reads the clock, and closes the
record."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_args

from knarr.agent.budget import Budget
from knarr.agent.cite import Citer
from knarr.agent.escalation import Escalation, agrees, case_of
from knarr.agent.library import HasExperience, Library
from knarr.agent.loop import Act, Check, Decide, Loop, Outcome, Step, Task
from knarr.agent.outline import scope_index
from knarr.agent.scope import Names, Resolution
from knarr.agent.tools import role_of
from knarr.agent.tools.focus import EdgeRecall, Focus
from knarr.agent.tools.tool import ToolContext
from knarr.agent.tools.toolbox import Toolbox
from knarr.agent.values import Decision, Draft, Excerpt, Observation, Policy, Quote, ToolCall
from knarr.checker import Checked
from knarr.errors import InvalidArgument
from knarr.language.plain import bounded_query, first_words
from knarr.trace.record import CheckRecord, DroppedCitation, ScopeRecord, Trace
from knarr.types import Answer, Citation, Mode, ModelUsage, Usage
from knarr.uris import within

Clock = Callable[[], float]
Reply = Decision | list[Observation] | Checked


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: what the user gets, and the record of how."""

    answer: Answer
    trace: Trace


@dataclass(frozen=True, slots=True)
class Resources:
    """What an agent lends to its runs."""

    library: Library
    policy: Policy
    focus: Focus
    clock: Clock


class Session:
    """One run. Raises InvalidArgument when the question, `k`, the mode or the scope is not valid."""

    def __init__(
        self,
        resources: Resources,
        question: str,
        scope: str,
        k: int,
        budget: Budget,
        mode: Mode,
        escalation: Escalation,
    ) -> None:
        bounded_query(question, resources.library.count_tokens, "question")
        if not question.strip():
            raise InvalidArgument("the question is empty")
        if k < 1:
            raise InvalidArgument(f"expected k >= 1, got {k}")
        if mode not in get_args(Mode):
            raise InvalidArgument(f"expected a mode of {', '.join(get_args(Mode))}, got {mode!r}")
        self._resources = resources
        self._mode = mode
        self._escalation = escalation
        self._began = resources.clock()
        self._created = datetime.now(UTC).isoformat(timespec="milliseconds")
        within(scope, scope)  # raises on a malformed scope, before anything is paid for
        names = Names(scope_index(resources.library), scope)
        resolution = names.resolve(question)
        self._resolve_ms = (resources.clock() - self._began) * 1e3
        recalls = mode != "vikingrag" and isinstance(resources.library, HasExperience)
        self._task = Task(question, scope, k, resolution, names, recalls)
        self._budget = _bounded(budget, resources.policy)
        self._tools = self._toolbox()

    def _toolbox(self) -> Toolbox:
        library = self._resources.library
        recall = None
        if self._task.recalls and isinstance(library, HasExperience):
            recall = EdgeRecall(self._task.resolution.core, library.gamma)
        return Toolbox(ToolContext(library, self._resources.focus, recall), self._task.scope)

    def _new_loop(self) -> Loop:
        return Loop(self._task, self._budget, self._resources.library.count_tokens, self._resources.clock)

    def steps(self) -> Generator[Step, Any, Outcome]:
        """The run's steps. A shadow look is a run of its own before them, of which the loop knows nothing."""
        if self._mode != "vikingrag-e+":
            return (yield from self._new_loop().steps())
        if not self._escalation.shadow:
            return (yield from self._new_loop().steps(self._escalation))
        shadow = self._new_loop()
        yield from shadow.look(self._escalation)
        self._tools = self._toolbox()
        outcome = yield from self._new_loop().steps()
        return replace(outcome, check=shadow.check, first=shadow.first)

    def do(self, step: Step) -> Reply:
        """Carry out one step."""
        if isinstance(step, Decide):
            return self._resources.policy.decide(step.view)
        if isinstance(step, Check):
            return self._judge(step)
        return [self._call(call, step) for call in step.calls]

    def _call(self, call: ToolCall, act: Act) -> Observation:
        began = self._resources.clock()
        if act.deadline_s is not None and began >= act.deadline_s:
            return Observation.failure(call, f"{call.tool}: not run, the time for this question is over")
        observation = self._tools(call, act.room_tokens)
        return replace(observation, ms=(self._resources.clock() - began) * 1e3)

    def _judge(self, step: Check) -> Checked:
        began = self._resources.clock()
        kept, dropped = self._cited(step.draft, step.view.shown)
        checked = self._escalation.checker.check(case_of(step.view, step.draft, kept, dropped))
        return replace(checked, ms=(self._resources.clock() - began) * 1e3)

    def _cited(
        self, draft: Draft, shown: Sequence[Excerpt]
    ) -> tuple[tuple[Citation, ...], tuple[DroppedCitation, ...]]:
        return Citer(self._resources.library, self._task.scope, shown).check(draft.quotes)

    def finish(self, outcome: Outcome) -> Run:
        """Check the citations, make the answer, close the record."""
        began = self._resources.clock()
        shown = [piece for seen in outcome.observations for piece in seen.shown]
        draft = outcome.draft or _found_so_far(outcome.observations)
        citations, dropped = self._cited(draft, shown)
        check = self._compared(outcome, citations)
        usage = _usage(outcome, self._resolve_ms, (self._resources.clock() - began) * 1e3)
        trace = Trace(
            id=uuid.uuid4().hex[:16],
            question=self._task.question,
            scope=self._task.scope,
            policy=type(self._resources.policy).__name__,
            created_at=self._created,
            resolution=_scope_record(self._task.resolution),
            rounds=outcome.rounds,
            status=outcome.status,
            text=draft.text,
            citations=citations,
            dropped=dropped,
            usage=usage,
            spent=outcome.spent,
            mode=self._mode,
            checks=() if check is None else (check,),
            versions=_versions(shown),
            chat_model=_model_name(self._resources.policy, outcome),
        )
        return Run(_answer(trace), trace)

    def _compared(self, outcome: Outcome, citations: tuple[Citation, ...]) -> CheckRecord | None:
        """The checker's look, with whether the full path, where it ran, came to the same evidence."""
        if outcome.check is None or outcome.check.action == "answered":
            return outcome.check
        return replace(outcome.check, agrees=agrees(outcome.first, outcome.status, citations))


def _bounded(budget: Budget, policy: Policy) -> Budget:
    """The budget, with observations as small as the policy wishes."""
    wish = getattr(policy, "call_tokens", None)
    return budget if wish is None else replace(budget, call_tokens=min(budget.call_tokens, wish))


def _model_name(policy: Policy, outcome: Outcome) -> str:
    """The name of the chat model that decided, "" where none did."""
    asked = any(record.model.calls for record in outcome.rounds)
    return str(getattr(policy, "model_name", "")) if asked else ""


def _answer(trace: Trace) -> Answer:
    check = trace.checks[0] if trace.checks else None
    return Answer(
        question=trace.question,
        text=trace.text,
        status=trace.status,
        citations=trace.citations,
        rounds=sum(1 for record in trace.rounds if record.calls),
        usage=trace.usage,
        trace_id=trace.id,
        mode=trace.mode,
        verdict=None if check is None else check.verdict,
        escalated=check is not None and check.action == "escalated",
    )


def _versions(shown: Sequence[Excerpt]) -> dict[str, int]:
    return {piece.source.document: piece.source.version for piece in shown if piece.source.version}


def _scope_record(resolution: Resolution) -> ScopeRecord:
    return ScopeRecord(
        tuple((found.uri, round(found.confidence, 4)) for found in resolution.candidates),
        resolution.words,
        resolution.wide,
        resolution.core,
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
    if outcome.check is not None:
        model = model + outcome.check.model
        ms["check"] = outcome.check.ms
    return Usage(tokens, calls, {**ms, "cite": cite_ms}, model)


_SO_FAR = 5
_SO_FAR_CHARS = 400


def _found_so_far(observations: Sequence[Observation]) -> Draft:
    """What to return when no answer was given: the latest evidence, what was read before what was merely
    found."""
    pages = [seen for seen in observations if role_of(seen.tool) == "page"]
    others = [seen for seen in observations if role_of(seen.tool) != "page"]
    pieces = [piece for seen in (*reversed(pages), *others) for piece in seen.shown]
    distinct = list({piece.uri: piece for piece in reversed(pieces)}.values())[::-1][:_SO_FAR]
    if not distinct:
        return Draft("No answer was given, and no evidence was found.", found=False)
    quotes = tuple(Quote(piece.uri, first_words(piece.text, _SO_FAR_CHARS)) for piece in distinct)
    listed = "\n".join(f"- {piece.uri}" for piece in distinct)
    return Draft(f"No answer was given. Evidence found so far:\n{listed}", quotes, found=False)
