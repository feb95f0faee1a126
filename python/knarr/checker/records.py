"""What recorded runs say about the checker: labelled scores for a calibration, and a report.

A run in shadow, and one whose early answer was sampled, also took the full path; whether that came to the same
evidence (`agrees`) is the label. Runs that a rule sent to the full path were never judged, and are left out of
both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from knarr.checker.calibration import Among, Calibrated, Calibration, calibrate_groups
from knarr.errors import InvalidArgument
from knarr.language.question_type import question_type
from knarr.trace.record import CheckRecord, Trace
from knarr.types import ModelUsage

_RULE = "rule: "
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Labelled:
    """One judged run whose label is known. `whole` says that it stands for any question; a sampled early
    answer stands for the questions that reached `threshold` only."""

    question: str
    judge: str
    score: float
    sufficient: bool
    whole: bool
    threshold: float


def labelled(traces: Iterable[Trace], labels: Mapping[str, bool] | None = None) -> list[Labelled]:
    """The labelled runs among `traces`: by `labels` (trace id to whether the early evidence was
    sufficient) where they are given, else by what the full path said."""
    found = []
    for trace in traces:
        check = _judged(trace)
        if check is None:
            continue
        label = check.agrees if labels is None else labels.get(trace.id)
        if label is not None and (labels is not None or check.action in ("shadow", "resampled")):
            verdict = check.verdict
            whole = labels is not None or check.action == "shadow"
            found.append(
                Labelled(trace.question, verdict.judge, verdict.score, label, whole, verdict.threshold)
            )
    return found


def _judged(trace: Trace) -> CheckRecord | None:
    """The check of a run, where a judge and not a rule decided."""
    return next((check for check in trace.checks if not _forced(check)), None)


def _forced(check: CheckRecord) -> bool:
    return check.cause.startswith(_RULE) or check.verdict.reason.startswith(_RULE)


def from_records(
    found: Iterable[Labelled], alpha: float, *, judge: str | None = None, among: Among = "all"
) -> tuple[str, Calibration]:
    """The judge (by default that of most runs) and the calibration of its scores, by type of question.

    Sampled early answers know nothing below the threshold they reached, so with them among the labels of a type its
    threshold is never set below it. Raises InvalidArgument when no run is labelled."""
    rows = list(found)
    counts = Counter(row.judge for row in rows)
    if not counts or (judge is not None and judge not in counts):
        known = f"; there are some by {', '.join(sorted(counts))}" if counts else ""
        raise InvalidArgument(
            f"no labelled run{f' judged by {judge}' if judge else ''}{known}: ask questions in mode "
            "vikingrag-e+ with shadow, or give labels for recorded runs"
        )
    name = judge if judge is not None else max(sorted(counts), key=lambda one: counts[one])
    own = [row for row in rows if row.judge == name]
    result = calibrate_groups(
        [row.question for row in own],
        [row.score for row in own],
        [row.sufficient for row in own],
        alpha,
        among=among,
    )
    by_type: dict[str, list[Labelled]] = {}
    for row in own:
        by_type.setdefault(question_type(row.question), []).append(row)
    groups = {kind: _not_below(one, by_type[kind], among) for kind, one in result.groups.items()}
    return name, replace(result, groups=groups)


def _not_below(result: Calibrated, rows: Sequence[Labelled], among: Among) -> Calibrated:
    """The threshold of a type, raised to that which its sampled runs had reached."""
    floor = max((row.threshold for row in rows if not row.whole), default=0.0)
    if result.threshold >= floor:
        return result
    skipped = [row for row in rows if row.score >= floor]
    wrong = sum(not row.sufficient for row in skipped)
    size = result.n if among == "all" else result.insufficient
    return replace(
        result,
        threshold=floor,
        wrongly_skipped=wrong,
        risk_bound=(wrong + 1.0) / (size + 1.0),
        skipped_share=len(skipped) / result.n,
        reason=f"{result.reason}; kept at {floor:.3f}, below which sampled runs know nothing",
    )


@dataclass(frozen=True, slots=True)
class CheckerReport:
    """What the checker did in recorded runs.

    checked:     runs it looked at; `forced` more went to the full path by a rule
    answered, escalated, shadow, resampled:  of the checked, what followed
    unknown:     of the checked, verdicts that could not be read; they are counted apart from `scored`
    causes:      why runs were, or would have been, escalated: a gate, "score", "judge", "unknown"
    skips_seen:  early answers, given or only logged, for which the full path ran too
    skips_wrong: of those, how many came to other evidence; `wrong_at_most` is the upper end of its share,
                 with 95 % confidence, None where none was seen
    """

    checked: int = 0
    forced: int = 0
    answered: int = 0
    escalated: int = 0
    shadow: int = 0
    resampled: int = 0
    unknown: int = 0
    scored: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    skips_seen: int = 0
    skips_wrong: int = 0
    resampled_seen: int = 0
    resampled_wrong: int = 0
    model: ModelUsage = field(default_factory=ModelUsage)
    ms: float = 0.0

    @property
    def wrong_share(self) -> float | None:
        """The share of early answers seen that were wrong; None where none was seen."""
        return self.skips_wrong / self.skips_seen if self.skips_seen else None

    @property
    def wrong_at_most(self) -> float | None:
        return _upper(self.skips_wrong, self.skips_seen) if self.skips_seen else None


def report(traces: Iterable[Trace]) -> CheckerReport:
    """Counts over recorded runs; never a NaN."""
    checks = [check for trace in traces for check in trace.checks]
    judged = [check for check in checks if not _forced(check)]
    actions = Counter(check.action for check in judged)
    unknown = sum(check.verdict.outcome == "unknown" for check in judged)
    skips = [check for check in judged if _passed(check) and check.agrees is not None]
    sampled = [check for check in skips if check.action == "resampled"]
    return CheckerReport(
        checked=len(judged),
        forced=len(checks) - len(judged),
        answered=actions["answered"],
        escalated=actions["escalated"],
        shadow=actions["shadow"],
        resampled=actions["resampled"],
        unknown=unknown,
        scored=len(judged) - unknown,
        causes=dict(sorted(Counter(_cause(check) for check in judged if not _passed(check)).items())),
        skips_seen=len(skips),
        skips_wrong=sum(not check.agrees for check in skips),
        resampled_seen=len(sampled),
        resampled_wrong=sum(not check.agrees for check in sampled),
        model=sum((check.model for check in checks), ModelUsage()),
        ms=sum(check.ms for check in checks) / len(checks) if checks else 0.0,
    )


def _passed(check: CheckRecord) -> bool:
    verdict = check.verdict
    return verdict.outcome == "sufficient" and verdict.score >= verdict.threshold


def _cause(check: CheckRecord) -> str:
    verdict = check.verdict
    if verdict.outcome == "unknown":
        return "unknown"
    if verdict.said == "insufficient":
        return "judge"
    gate = next((gate for gate in verdict.gates if not gate.passed), None)
    return f"gate {gate.name}" if gate is not None else "score"


def _upper(wrong: int, seen: int) -> float:
    """The exact (Clopper-Pearson) upper bound of a share, by bisection."""
    if wrong >= seen:
        return 1.0
    low, high = wrong / seen, 1.0
    for _ in range(50):
        share = (low + high) / 2
        if _at_most(wrong, seen, share) > 1.0 - SURE:
            low = share
        else:
            high = share
    return high


def _at_most(wrong: int, seen: int, share: float) -> float:
    """The probability of at most `wrong` in `seen` when each has probability `share` in (0, 1); by
    logarithms, since the terms of many runs are smaller than a float can hold."""
    hit, miss, ways = math.log(share), math.log1p(-share), math.lgamma(seen + 1)
    return math.fsum(
        math.exp(ways - math.lgamma(one + 1) - math.lgamma(seen - one + 1) + one * hit + (seen - one) * miss)
        for one in range(wrong + 1)
    )
