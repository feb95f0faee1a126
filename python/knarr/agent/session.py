"""One run with its effects: it asks the policy, runs the tools and the checker, reads the clock, and closes the
record."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_args

from knarr.agent.budget import Budget
from knarr.agent.cite import Cited, Citer, with_boxes
from knarr.agent.closing import IDLE, close, reason_of, verdict_of
from knarr.agent.escalation import Escalation, agrees, case_of
from knarr.agent.failures import FAILURES
from knarr.agent.library import HasExperience, Library, ReadsPast
from knarr.agent.loop import Act, Check, Decide, Loop, Outcome, Step, Task, Verify
from knarr.agent.outline import scope_index
from knarr.agent.scope import Names, Resolution
from knarr.agent.tools import HISTORY
from knarr.agent.tools.focus import EdgeRecall, Focus
from knarr.agent.tools.history import check_told, past_case
from knarr.agent.tools.tool import ToolContext
from knarr.agent.tools.toolbox import Toolbox
from knarr.agent.values import Decision, Draft, Excerpt, Observation, Policy, ToolCall
from knarr.checker import Case, Checked
from knarr.checker.final import FinalCheck, final_check
from knarr.errors import InvalidArgument
from knarr.language.asking import asks_nothing
from knarr.language.plain import bounded_query
from knarr.trace.record import CheckRecord, ScopeRecord, Trace
from knarr.types import Answer, Citation, Mode, ModelUsage, Usage, Verdict
from knarr.uris import within

Clock = Callable[[], float]
Reply = Decision | list[Observation] | Checked | FinalCheck


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
        self._last_cited: tuple[Draft, int, Cited] | None = None

    def _toolbox(self) -> Toolbox:
        library = self._resources.library
        recall = None
        if self._task.recalls and isinstance(library, HasExperience):
            recall = EdgeRecall(self._task.resolution.core, library.gamma)
        return Toolbox(ToolContext(library, self._resources.focus, recall), self._task.scope)

    def _new_loop(self) -> Loop:
        resources = self._resources
        retries = int(getattr(resources.policy, "retries", 0))
        return Loop(self._task, self._budget, resources.library.count_tokens, resources.clock, retries)

    def steps(self) -> Generator[Step, Any, Outcome]:
        """The run's steps. A shadow look is a run of its own before them, of which the loop knows nothing.
        Nothing is paid for a question that asks nothing."""
        if asks_nothing(self._task.question):
            return Outcome(None, "no_answer", (), (), why=IDLE)
        if self._mode != "vikingrag-e+":
            return (yield from self._new_loop().steps())
        if not self._escalation.shadow:
            return (yield from self._new_loop().steps(self._escalation))
        shadow = self._new_loop()
        try:
            yield from shadow.look(self._escalation)
        except FAILURES as error:
            return shadow.broken(error)
        self._tools = self._toolbox()
        outcome = yield from self._new_loop().steps()
        return replace(outcome, check=shadow.check, first=shadow.first)

    def do(self, step: Step) -> Reply | Exception:
        """Carry out one step. A failure is returned, for the loop to be thrown."""
        try:
            return self._done(step)
        except FAILURES as error:
            return error

    def _done(self, step: Step) -> Reply:
        if isinstance(step, Decide):
            return self._resources.policy.decide(step.view)
        if isinstance(step, Check):
            return self._judge(step)
        if isinstance(step, Verify):
            if step.draft.told:
                return check_told(step.draft, step.view.observations)
            return final_check(past_case(self._case(step), step.view.observations))
        return [self._call(call, step) for call in step.calls]

    def _call(self, call: ToolCall, act: Act) -> Observation:
        began = self._resources.clock()
        if act.deadline_s is not None and began >= act.deadline_s:
            return Observation.failure(call, f"{call.tool}: not run, the time for this question is over")
        observation = self._tools(call, act.room_tokens)
        return replace(observation, ms=(self._resources.clock() - began) * 1e3)

    def _judge(self, step: Check) -> Checked:
        began = self._resources.clock()
        checked = self._escalation.checker.check(self._case(step))
        return replace(checked, ms=(self._resources.clock() - began) * 1e3)

    def _case(self, step: Check | Verify) -> Case:
        cited = self._cited(step.draft, step.view.shown)
        return case_of(step.view, step.draft, cited.kept, cited.dropped)

    def _citer(self, shown: Sequence[Excerpt]) -> Citer:
        return Citer(self._resources.library, self._task.scope, shown, self._task.question)

    def _cited(self, draft: Draft, shown: Sequence[Excerpt]) -> Cited:
        """The draft's citations; the last draft's are kept, since it is judged, checked and given."""
        last = self._last_cited
        if last is None or last[:2] != (draft, len(shown)):
            last = self._last_cited = draft, len(shown), self._citer(shown).check(draft)
        return last[2]

    def finish(self, outcome: Outcome) -> Run:
        """Check the citations, make the answer, close the record."""
        began, library = self._resources.clock(), self._resources.library
        reads_past = library if isinstance(library, ReadsPast) else None
        told = any(seen.tool == HISTORY.name for seen in outcome.observations)
        past = reads_past if reads_past and (reads_past.as_of or told) else None
        shown = [piece for seen in outcome.observations for piece in seen.shown]
        cited = Cited() if outcome.draft is None else self._cited(outcome.draft, shown)
        check = self._compared(outcome, cited.kept)
        idle = outcome.why == IDLE
        reason = IDLE if idle else reason_of(outcome, self._budget, self._task.scope)
        closing = close(outcome, cited, self._citer(shown), self._task.question, reason)
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
            text=closing.text,
            citations=with_boxes(library, closing.citations),
            dropped=closing.dropped,
            usage=usage,
            spent=outcome.spent,
            mode=self._mode,
            checks=() if check is None else (check,),
            versions=_versions(shown),
            chat_model=_model_name(self._resources.policy, outcome),
            reason=reason,
            verdict=verdict_of(outcome, reason),
            proposed=closing.proposed,
            folded=closing.folded,
            as_of=past.as_of if past else "",
            now=past.since(closing.citations) if past else (),
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
        reason=trace.reason,
        verdict=trace.verdict or Verdict("unknown", trace.reason),
        mode=trace.mode,
        escalated=check is not None and check.action == "escalated",
        now=trace.now,
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
