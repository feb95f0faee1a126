"""How surely the evidence suffices, in [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from knarr.checker.constraints import Need
from knarr.checker.evidence import Ground, Scorer, share
from knarr.checker.types import Case
from knarr.language.parts import parts
from knarr.types import ConstraintCheck


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for the evidence, each in [0, 1] and growing with it.

    fit:       the cross-encoder's logit of the best cited quote, of the question's weakest part
    passage:   its logit of the best passage shown
    lead:      by how much the best passage leads the best one of another document
    covered:   the share of constraints that have direct evidence
    form:      1 when the cited quotes have the time or number that is asked for, or none is
    support:   the share of the question's telling words in the best cited quote, titles included
    together:  the same in all that is cited
    """

    fit: float
    passage: float
    lead: float
    covered: float
    form: float
    support: float
    together: float


_FIT_SCALE = 3.0
_NO_LOGIT = -11.0


def squash(logit: float) -> float:
    """A logit as a number in (0, 1), without overflow."""
    return 0.5 * (1.0 + math.tanh(0.5 * logit / _FIT_SCALE))


def signals(
    case: Case,
    stands: Sequence[Ground],
    checked: Sequence[tuple[Need, ConstraintCheck]],
    reranker: Scorer | None,
) -> Signals:
    """Read off one case. At most a logit per citation and part of the question is computed."""
    own = [(one, f"{one.place} {one.near}") for one in stands]
    asked = parts(case.core)
    form = [check.met for need, check in checked if need.want in ("a time", "a number")]
    met = [check.met for _need, check in checked]
    return Signals(
        fit=min((_fit(part, stands, reranker) for part in asked), default=0.0),
        passage=squash(
            max((piece.score for piece in case.evidence if piece.score is not None), default=_NO_LOGIT)
        ),
        lead=_lead(case),
        covered=sum(met) / len(met) if met else 1.0,
        form=float(all(form)),
        support=max((share(case.core, [f"{one.place} {one.quote}"]) for one in stands), default=0.0),
        together=share(case.core, [text for _one, text in own]),
    )


def _fit(part: str, stands: Sequence[Ground], reranker: Scorer | None) -> float:
    if not stands:
        return 0.0
    if reranker is None:
        return max(share(part, [one.said]) for one in stands)
    return squash(max(float(logit) for logit in reranker.scores(part, [one.said for one in stands])))


def _lead(case: Case) -> float:
    best: dict[str, float] = {}
    for piece in case.evidence:
        if piece.score is not None:
            name = piece.source.document.rstrip("/")
            best[name] = max(piece.score, best.get(name, piece.score))
    ranked = sorted(best.values(), reverse=True)
    return squash(ranked[0] - ranked[1]) if len(ranked) > 1 else 1.0


_WEIGHTS = Signals(fit=2.0, passage=1.0, lead=1.0, covered=1.5, form=1.0, support=1.0, together=1.0)
_BIAS = -5.5
GATED = 0.1  # of the score that is left when a gate fails
THRESHOLD = 0.6
SCORER = "score-1"  # changes with the weights: a calibration is for one


def score(found: Signals, *, passed: bool) -> float:
    """The signals as one number, growing with each; a tenth of it when a gate failed."""
    total = _BIAS + sum(getattr(_WEIGHTS, one.name) * getattr(found, one.name) for one in fields(found))
    value = 0.5 * (1.0 + math.tanh(0.5 * total))
    return value if passed else GATED * value
