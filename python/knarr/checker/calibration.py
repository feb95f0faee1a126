"""A threshold with a bound on false no-escalation, whatever the distribution of the scores.

The method is conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, arXiv 2208.02814, theorem
1). The loss of one question at threshold t is 1 when the full loop is skipped (score >= t) although the
evidence was insufficient, else 0. The loss lies in [0, 1] and never grows with t, as the theorem asks. From n
labelled questions take the smallest t with

    n/(n+1) * R(t) + 1/(n+1) <= alpha        R(t) the mean loss over the n

Then the next question, if it is exchangeable with these, has an expected loss of at most alpha: on average no
more than that share of all questions is wrongly skipped. `among="insufficient"` bounds the share among the
questions whose evidence is insufficient instead, which is stricter and needs more labels.

The bound is an average over calibrations, and holds for questions like those that were labelled. Fewer than
1/alpha - 1 questions allow no threshold at all. The cost is one sort of the labelled scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from knarr.errors import InvalidArgument

NEVER = 2.0  # above every score: nothing is skipped
Among = Literal["all", "insufficient"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold and what is known about it.

    threshold:      skip at this score and above; above 1 means never
    alpha, among:   the bound that was asked for, and the questions it is about
    n:              labelled questions; `insufficient` of them were
    wrongly_skipped:  of those, how many reach the threshold
    risk_bound:     the left side of the inequality at the threshold, at most `alpha` unless never
    skipped_share:  of the labelled questions, the share that reaches it
    scorer:         what made the scores; a calibration is for no other
    reason:         in words
    """

    threshold: float
    alpha: float
    n: int
    insufficient: int
    wrongly_skipped: int
    risk_bound: float
    skipped_share: float
    among: Among = "all"
    scorer: str = ""
    reason: str = ""

    @property
    def never(self) -> bool:
        """Whether nothing is skipped."""
        return self.threshold > 1.0

    @staticmethod
    def from_json(value: dict[str, Any]) -> Calibration:
        """The inverse of `knarr.types.to_json`. Raises InvalidArgument on anything else."""
        try:
            return Calibration(**value)
        except TypeError as error:
            raise InvalidArgument(f"not a calibration: {error}") from error


def calibrate(
    scores: Sequence[float],
    sufficient: Sequence[bool],
    alpha: float,
    *,
    among: Among = "all",
    scorer: str = "",
) -> Calibration:
    """See the module. `scores[i]` in [0, 1] belongs to the question that `sufficient[i]` labels. Raises
    InvalidArgument for lengths that differ, scores outside [0, 1] and alpha outside (0, 1)."""
    _check(scores, sufficient, alpha)
    bad = sorted((score for score, good in zip(scores, sufficient, strict=True) if not good), reverse=True)
    size = len(scores) if among == "all" else len(bad)
    allowed = math.floor(alpha * (size + 1) - 1.0 + 1e-9)
    if allowed < 0:
        needed = math.ceil(1.0 / alpha - 1.0 - 1e-9)
        word = "labelled" if among == "all" else "insufficient"
        threshold, reason = (
            NEVER,
            f"{size} {word} questions are too few for alpha {alpha:g}: at least {needed} are needed",
        )
    elif len(bad) <= allowed:
        threshold, reason = (
            0.0,
            f"of {size} questions {len(bad)} were insufficient, {allowed} may be skipped wrongly",
        )
    else:
        # Just above the first insufficient score that may not be skipped any more; equal ones go with it.
        threshold = math.nextafter(bad[allowed], math.inf)
        reason = f"{allowed} of {size} questions may be skipped wrongly"
    wrong = sum(score >= threshold for score in bad)
    return Calibration(
        threshold=threshold,
        alpha=alpha,
        n=len(scores),
        insufficient=len(bad),
        wrongly_skipped=wrong,
        risk_bound=(wrong + 1.0) / (size + 1.0),
        skipped_share=sum(score >= threshold for score in scores) / len(scores) if scores else 0.0,
        among=among,
        scorer=scorer,
        reason=reason,
    )


def _check(scores: Sequence[float], sufficient: Sequence[bool], alpha: float) -> None:
    if len(scores) != len(sufficient):
        raise InvalidArgument(
            f"{len(scores)} scores and {len(sufficient)} labels: expected one label per score"
        )
    if not 0.0 < alpha < 1.0:
        raise InvalidArgument(f"alpha {alpha}: expected a share above 0 and below 1")
    odd = next((score for score in scores if not 0.0 <= score <= 1.0), None)
    if odd is not None:
        raise InvalidArgument(f"score {odd}: expected a number in [0, 1]")
