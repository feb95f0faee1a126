"""The check of a final answer, in every mode and with every policy: deterministic, and without a call of a chat model.

An answer stands only when it passes; else its run ends as "conflicting" or "not_supported", with the evidence that was
found. The gates are those that an early answer must pass too, with three differences. One citation from a document that
the question means is enough, and evidence from one document is enough, since the full loop has looked at all. A name of
the question may stand anywhere in what was shown around the citations. And a question for yes or no may be answered by
a text that lacks a name, number or year of it: what is not in a list is answered by the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from knarr.checker.evidence import Ground, Scorer
from knarr.checker.gates import failed
from knarr.checker.rules import Findings, examine
from knarr.checker.types import Case
from knarr.language.question_type import question_type
from knarr.types import Gate, Verdict
from knarr.uris import within

FinalStatus = Literal["answered", "conflicting", "not_supported"]
_EARLY_ONLY = frozenset({"steps"})
_NOT_FOR_WHETHER = frozenset({"years", "numbers", "names", "focus"})


@dataclass(frozen=True, slots=True)
class FinalCheck:
    """What became of a final answer.

    verdict:  with every gate and constraint
    reason:   why it stands, or the first thing that is wrong with it, in words of the question and of ours
    missing:  what a retry must bring, in words of the question and of ours; empty when the answer stands
    """

    status: FinalStatus
    verdict: Verdict
    reason: str
    missing: tuple[str, ...] = ()


def final_check(case: Case, reranker: Scorer | None = None) -> FinalCheck:
    """Check a final answer. A draft that says it found nothing (`case.found` is false) fails the first gate."""
    found = examine(case, reranker)
    gates = tuple(_relaxed(case, found.gates, found.stands))
    bad = failed(gates)
    reason = "every check passed" if bad is None else f"{bad.name}: {bad.detail}"
    verdict = Verdict(
        outcome="sufficient" if bad is None else "insufficient",
        reason=reason,
        constraints=found.constraints,
        gates=gates,
    )
    if bad is None:
        return FinalCheck("answered", verdict, reason)
    return FinalCheck("not_supported", verdict, reason, _missing(bad, found))


def _relaxed(case: Case, gates: Iterable[Gate], stands: Sequence[Ground]) -> Iterable[Gate]:
    """The gates as they hold for a final answer (see the module)."""
    whether = question_type(case.core) == "yes_no"
    for gate in gates:
        if gate.name in _EARLY_ONLY or (whether and gate.name in _NOT_FOR_WHETHER):
            continue
        if gate.name == "scopes" and any(within(one.uri, scope) for one in stands for scope in case.scopes):
            yield Gate("scopes", True)
        else:
            yield gate


def _missing(bad: Gate, found: Findings) -> tuple[str, ...]:
    """What to look for: the constraints of the question that are unmet, else what the gate is about."""
    unmet = tuple(check.text for check in found.constraints if not check.met)
    return unmet or (f"evidence that passes the check of {bad.name}",)
