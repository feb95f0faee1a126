"""`RuleChecker`: the checker that needs no model. It finds constraints, evidence and gates by rule, then scores
them."""

from __future__ import annotations

from dataclasses import dataclass

from knarr.checker.calibration import Threshold, at
from knarr.checker.constraints import Need, needs
from knarr.checker.evidence import Ground, Scorer, direct, grounds
from knarr.checker.gates import failed, gates
from knarr.checker.score import THRESHOLD, THRESHOLD_BY_WORDS, score, signals
from knarr.checker.types import Case, Checked
from knarr.types import ConstraintCheck, Gate, Verdict


@dataclass(frozen=True, slots=True)
class Findings:
    """What rules find out about one case."""

    stands: tuple[Ground, ...]
    checked: tuple[tuple[Need, ConstraintCheck], ...]
    gates: tuple[Gate, ...]

    @property
    def constraints(self) -> tuple[ConstraintCheck, ...]:
        return tuple(check for _need, check in self.checked)


def examine(case: Case, quotes: tuple[tuple[str, str], ...] = ()) -> Findings:
    """The constraints of a case with their evidence, and its gates. `quotes` are a judge's (URI, words)."""
    stands = grounds(case)
    checked = tuple((need, direct(need, stands)) for need in needs(case.core, case.scopes))
    return Findings(stands, checked, gates(case, stands, checked, quotes))


def scored(case: Case, found: Findings, reranker: Scorer | None, *, passed: bool) -> float:
    """The score of a case; a few logits are computed."""
    return score(signals(case, found.stands, found.checked, reranker), passed=passed)


class RuleChecker:
    """Sufficient when every gate passes and the score reaches `threshold`, or what it gives for the question; None
    stands for the default with or without a cross-encoder. Thread-safe when the reranker is; without one it goes by words
    alone."""

    def __init__(self, reranker: Scorer | None = None, *, threshold: Threshold | None = None) -> None:
        self._reranker = reranker
        own = THRESHOLD_BY_WORDS if reranker is None else THRESHOLD
        self.threshold = own if threshold is None else threshold

    def check(self, case: Case) -> Checked:
        found = examine(case)
        bad = failed(found.gates)
        value = scored(case, found, self._reranker, passed=bad is None)
        least = at(self.threshold, case.question)
        enough = bad is None and value >= least
        return Checked(
            Verdict(
                outcome="sufficient" if enough else "insufficient",
                reason=reason(found, value, least),
                constraints=found.constraints,
                gates=found.gates,
                score=value,
                threshold=least,
            )
        )


def reason(found: Findings, value: float, threshold: float) -> str:
    """In words: the gate that failed, or the score and what is unmet."""
    bad = failed(found.gates)
    if bad is not None:
        return f"gate {bad.name}: {bad.detail}"
    unmet = [check.text for check in found.constraints if not check.met]
    tail = f"; no direct evidence for {', '.join(unmet)}" if unmet else ""
    return f"score {value:.2f} {'reaches' if value >= threshold else 'is below'} {threshold:.2f}{tail}"
