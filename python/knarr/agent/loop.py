"""Algorithm 1 of VikingRAG (arXiv 2609.11390), without I/O: a generator that yields what it needs and is sent
the outcome.

    Decide(view)  ->  a Decision               from the policy
    Act(calls)    ->  one Observation per call from the tools
    Check(draft)  ->  a Checked                from the checker (mode "vikingrag-e+")
    Verify(draft) ->  a FinalCheck             by rule, of every answer in every mode

M(0) is the system prompt and the question. In each round the policy decides on calls, the calls are run, and
their observations are appended to the history. The run ends when the policy answers, or when a bound of the
budget is reached (the paper's B rounds, or tokens, time, cost): then comes one last turn without tools, and the
status is "budget_exhausted".

No answer stands unchecked. One that does not pass goes back to the policy once, where the policy takes that, with
what is missing; then the run ends as "not_supported", or as "conflicting". That holds for the last turn too: a
spent budget is no reason to give an answer that its evidence does not bear out.

A failure (see `failures.py`) arrives as an exception at a step. It leaves the run when there is nothing to give
yet: no model has replied, nothing was found. Else it ends the run as "failed".

The loop does no I/O, so the plain and the async runner in `agent.py` drive the same code, and a test can drive
it by hand. Whatever a policy asks for, each of its calls gets exactly one observation; that keeps the history
well formed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knarr.agent.budget import Budget, Meter
from knarr.agent.calls import CallChecker
from knarr.agent.escalation import (
    CANDIDATE,
    Action,
    Escalation,
    first_calls,
    go_on,
    passes,
    unasked,
    unsupported,
)
from knarr.agent.failures import FAILURES, ToolFailure, in_words, of_model, usage_of
from knarr.agent.history import NUDGE, MessageHistory
from knarr.agent.scope import Names, Resolution
from knarr.agent.tools import OF_HISTORY, TOOLS
from knarr.agent.values import Decision, Draft, Excerpt, Observation, Quote, ToolCall, View
from knarr.checker import Checked
from knarr.checker.conflict import Conflict
from knarr.checker.final import FinalCheck
from knarr.errors import ChatError, PolicyError
from knarr.language.history_asked import asked_versions
from knarr.language.plain import one_line
from knarr.trace.record import CallRecord, CheckRecord, RoundRecord
from knarr.types import AnswerStatus

_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Task:
    """One question with what is known before the first round. `recalls` says that searches follow edges."""

    question: str
    scope: str
    k: int
    resolution: Resolution
    names: Names
    recalls: bool = False


@dataclass(frozen=True, slots=True)
class Decide:
    """Ask the policy. Answered with a Decision."""

    view: View


@dataclass(frozen=True, slots=True)
class Act:
    """Run these calls, in any order. Answered with one Observation per call, in their order.
    `deadline_s` is on the run's clock: a call that has not begun by then need not be run."""

    calls: tuple[ToolCall, ...]
    room_tokens: int
    deadline_s: float | None


@dataclass(frozen=True, slots=True)
class Check:
    """Judge a candidate answer, drafted from what the view shows. Answered with a Checked."""

    view: View
    draft: Draft


@dataclass(frozen=True, slots=True)
class Verify:
    """Check an answer that may end the run. Answered with a FinalCheck."""

    view: View
    draft: Draft


Step = Decide | Act | Check | Verify


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the loop ended.

    draft:   None when no answer was given
    spent:   the bound that ended it, "" for none
    check:   the checker's look after the first round, which had shown `first`
    final:   the check of the draft, where it says that it found something
    why:     what failed, or what was wrong with the last reply of a policy that gave no answer
    """

    draft: Draft | None
    status: AnswerStatus
    rounds: tuple[RoundRecord, ...]
    observations: tuple[Observation, ...]
    spent: str = ""
    check: CheckRecord | None = None
    first: tuple[Excerpt, ...] = ()
    final: FinalCheck | None = None
    why: str = ""


class Loop:
    """The state of one run; make a new one per question. `check` and `first` are about its first look.

    retries: how often a draft that does not pass goes back to the policy"""

    def __init__(
        self,
        task: Task,
        budget: Budget,
        count_tokens: Callable[[str], int],
        clock: Callable[[], float],
        retries: int = 0,
    ) -> None:
        self._task = task
        self._retries = retries
        self._replied = False
        self._budget = budget
        self._count = count_tokens
        self._clock = clock
        self._meter = Meter(budget, clock())
        self._history = MessageHistory(task.question, task.scope, task.resolution.hint())
        self._observations: list[Observation] = []
        self._rounds: list[RoundRecord] = []
        self._checker = CallChecker(budget.calls)
        self._notes: dict[str, Any] = {}
        self._tools = TOOLS if asked_versions(task.question) is None else OF_HISTORY
        self.check: CheckRecord | None = None
        self.first: tuple[Excerpt, ...] = ()

    def steps(self, escalation: Escalation | None = None) -> Generator[Step, Any, Outcome]:
        """The run. Send each step's answer, or throw what it raised; the return value is the outcome. With
        `escalation` it begins with the first round of VikingRAG-E+, and may end there."""
        try:
            if escalation is not None:
                early = yield from self.look(escalation)
                if early is not None:
                    return self._outcome(early[0], "answered", final=early[1])
            return self._honest((yield from self._full()))
        except FAILURES as error:
            return self.broken(error)

    def broken(self, error: BaseException) -> Outcome:
        """The outcome of a run that something made fail. Raises the error where there is nothing to give: a
        model that never replied is not set up, and an error without evidence says more than an answer. A turn
        that was given up because the time for the question was over is the budget's end, and no failure."""
        spent = self._meter.spent(self._clock())
        if isinstance(error, ChatError):
            told = self._replied
            self._rounds.append(
                RoundRecord(len(self._rounds) + 1, (), of_model(error), model=usage_of(error))
            )
        else:
            told = bool(self._view(False).shown)
        if not told:
            raise error
        return self._outcome(None, "budget_exhausted" if spent else "failed", spent, why=of_model(error))

    def _honest(self, outcome: Outcome) -> Outcome:
        """The outcome, which is no "not found" when a call failed for a reason that no policy can mend."""
        failed = next((seen for seen in self._observations if seen.cause is not None), None)
        if failed is None or outcome.status not in ("not_found", "no_answer"):
            return outcome
        why = f"{failed.tool} failed: {in_words(failed.cause or ToolFailure())}"
        if not self._view(False).shown:
            raise ToolFailure(why) from failed.cause
        return replace(outcome, draft=None, status="failed", why=why)

    def look(self, escalation: Escalation) -> Generator[Step, Any, tuple[Draft, FinalCheck] | None]:
        """The first round, a candidate, the checker. Returns the answer and its check when it may stand."""
        yield from self._round(Decision(first_calls(self._view(False), escalation.tokens)), 0.0)
        self.first = self._view(False).shown
        meant = [found.uri for found in self._task.resolution.candidates]
        rule = escalation.forced(self._task.question, [self._task.scope, *meant])
        if not rule and self._tools is OF_HISTORY:
            rule = "a question about versions"  # which the first round, a search of the present, cannot tell
        if rule and not escalation.shadow:
            self._looked(Draft("", found=False), unasked(rule), "escalated", f"rule: {rule}")
            return None
        self._history.add_user(CANDIDATE)
        decision, ms = yield from self._decide(final=True)
        draft = cleaned(decision.draft) or Draft("", found=False)
        self._record(decision, (), ms)
        checked: Checked = yield Check(self._view(True), draft)
        verdict = checked.verdict
        final: FinalCheck | None = None
        lacking = "" if draft.found else "the candidate says that the evidence is not there"
        lacking = "the candidate was cut off" if draft.cut else lacking
        if passes(verdict) and not lacking:
            final = yield Verify(self._view(True), draft)
            lacking = "" if final.status == "answered" else final.reason
        action, cause = escalation.action(verdict, lacking)
        self._looked(draft, checked, action, f"rule: {rule}" if rule else cause)
        if action == "answered" and final is not None:
            return draft, final
        self._history.add_reply(draft.text)
        self._history.add_user(go_on(verdict, self._task.question))
        return None

    def _looked(self, draft: Draft, checked: Checked, action: Action, cause: str) -> None:
        self._meter.cost += checked.usage.cost
        self.check = CheckRecord(
            self._meter.rounds,
            draft.text,
            checked.verdict,
            action,
            cause,
            self._meter.tokens,
            checked.ms,
            checked.usage,
        )

    def _full(self) -> Generator[Step, Any, Outcome]:
        while not (spent := self._meter.spent(self._clock())):
            decision, ms = yield from self._decide(final=False)
            if decision.calls:
                yield from self._round(decision, ms)
                continue
            draft = cleaned(decision.draft)
            self._record(decision, (), ms)
            if draft is not None:
                ended = yield from self._proposed(draft)
                if ended is not None:
                    return ended
                continue
            if self._meter.nudges >= self._budget.nudges:
                spent = self._meter.spent(self._clock())
                return self._outcome(
                    None, "budget_exhausted" if spent else "no_answer", spent, why=decision.fault
                )
            self._meter.nudges += 1
            self._history.add_reply("")
            self._history.add_user(decision.fault or NUDGE)
        self._history.add_last_turn()
        decision, ms = yield from self._decide(final=True)
        self._record(decision, (), ms)
        draft = cleaned(decision.draft)
        ended = None if draft is None else (yield from self._proposed(draft, spent))
        return ended or self._outcome(None, "budget_exhausted", spent)

    def _proposed(self, draft: Draft, spent: str = "") -> Generator[Step, Any, Outcome | None]:
        """What becomes of a draft; None when the policy is asked for another."""
        if draft.cut:
            return self._outcome(draft, "cut_off", spent)
        if not draft.found:
            return self._outcome(draft, "budget_exhausted" if spent else "not_found", spent)
        final: FinalCheck = yield Verify(self._view(True), draft)
        if final.status == "not_supported" and not spent and self._retries > 0:
            self._retries -= 1
            self._history.add_reply(draft.text)
            self._history.add_user(unsupported(final.missing))
            return None
        if final.conflicts:
            draft = conflicting(final.conflicts)
        status: AnswerStatus = "budget_exhausted" if spent and final.status == "answered" else final.status
        return self._outcome(draft, status, spent, final)

    def _decide(self, *, final: bool) -> Generator[Step, Any, tuple[Decision, float]]:
        began = self._clock()
        decision = yield Decide(self._view(final))
        if not isinstance(decision, Decision):
            raise PolicyError(f"a policy must return a Decision, got {type(decision).__name__}")
        self._replied = True
        self._meter.cost += decision.usage.cost
        return decision, (self._clock() - began) * 1e3

    def _view(self, final: bool) -> View:
        return View(
            question=self._task.question,
            scope=self._task.scope,
            k=self._task.k,
            round=self._meter.rounds + 1,
            resolution=self._task.resolution,
            names=self._task.names,
            tools=() if final else self._tools,
            messages=self._history.messages,
            observations=tuple(self._observations),
            remaining_tokens=self._meter.remaining_tokens(),
            final=final,
            notes=self._notes,
            remaining_s=self._meter.remaining_s(self._clock()),
            recalls=self._task.recalls,
        )

    def _round(self, decision: Decision, decide_ms: float) -> Generator[Step, Any, None]:
        """Run the calls that can be run, and append exactly one observation per call."""
        number = self._meter.rounds + 1
        checked = self._checker.check(decision.calls, number, decision.left_out)
        runnable = tuple(one for one in checked if isinstance(one, ToolCall))
        found: Sequence[Observation] = ()
        if runnable:
            found = yield Act(runnable, max(1, self._meter.room(len(runnable))), self._meter.deadline_s())
        results = iter(found)
        seen = [self._placed(next(results) if isinstance(one, ToolCall) else one, number) for one in checked]
        self._history.add_round(decision.text, seen)
        self._observations.extend(seen)
        self._meter.rounds = number
        self._meter.tokens += sum(observation.tokens for observation in seen)
        self._meter.faults = 0 if runnable else self._meter.faults + 1
        self._record(decision, [observation.record() for observation in seen], decide_ms)

    def _placed(self, observation: Observation, number: int) -> Observation:
        """An observation with its round and its size."""
        return replace(observation, round=number, tokens=self._count(observation.text))

    def _record(self, decision: Decision, calls: Sequence[CallRecord], decide_ms: float) -> None:
        self._rounds.append(
            RoundRecord(len(self._rounds) + 1, tuple(calls), decision.text, decide_ms, decision.usage)
        )

    def _outcome(
        self,
        draft: Draft | None,
        status: AnswerStatus,
        spent: str = "",
        final: FinalCheck | None = None,
        why: str = "",
    ) -> Outcome:
        rounds, seen = tuple(self._rounds), tuple(self._observations)
        return Outcome(draft, status, rounds, seen, spent, self.check, self.first, final, why)


def conflicting(found: Sequence[Conflict]) -> Draft:
    """What is said where the evidence disagrees: each value in its sentence or row, and which is the newer."""
    sides = list(dict.fromkeys(side for one in found for side in one.sides))
    newer = dict.fromkeys(f"The newer is {one.newer.value}: {one.why}." for one in found if one.newer)
    lines = ["The evidence disagrees:", *(f"- {one_line(side.text)} ({side.uri})" for side in sides), *newer]
    return Draft("\n".join(lines), tuple(Quote(side.uri, side.text) for side in sides))


def cleaned(draft: Draft | None) -> Draft | None:
    """The draft without hidden reasoning; None when nothing is left of its text."""
    if draft is None:
        return None
    text = _THINK.sub("", draft.text).strip()
    return replace(draft, text=text) if text else None
