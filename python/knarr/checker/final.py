"""The check of a final answer, in every mode and with every policy: deterministic, and without a model call.

An answer stands only when it passes; else its run ends as "conflicting" or "not_supported", with the evidence that was
found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knarr.checker.evidence import Scorer
from knarr.checker.gates import failed
from knarr.checker.rules import examine
from knarr.checker.types import Case
from knarr.types import Verdict

FinalStatus = Literal["answered", "conflicting", "not_supported"]


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
    """Check a final answer. `case.found` is expected to be true: a draft that says it found nothing is not checked."""
    found = examine(case, reranker)
    bad = failed(found.gates)
    verdict = Verdict(
        outcome="sufficient" if bad is None else "insufficient",
        reason="every check passed" if bad is None else f"gate {bad.name}: {bad.detail}",
        constraints=found.constraints,
        gates=found.gates,
    )
    missing = tuple(check.text for check in found.constraints if not check.met)
    return FinalCheck("answered" if bad is None else "not_supported", verdict, verdict.reason, missing)
