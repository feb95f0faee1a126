"""Thresholds with a bound on false no-escalation, whatever the distribution of the scores, for each type of question.

The method is conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, arXiv 2208.02814, theorem
1). The loss of one question at threshold t is 1 when the full loop is skipped (score >= t) although the
evidence was insufficient, else 0. The loss lies in [0, 1] and never grows with t, as the theorem asks. From n
labelled questions take the smallest t with

    n/(n+1) * R(t) + 1/(n+1) <= alpha        R(t) the mean loss over the n

Then the next question, if it is exchangeable with these, has an expected loss of at most alpha: on average no
more than that share of all questions is wrongly skipped. `among="insufficient"` bounds the share among the
questions whose evidence is insufficient instead, which is stricter and needs more labels.

One threshold for all questions keeps that bound on average only: types of question that err more often may lie far
above it, and those that err less pay for it. So each type is calibrated on its own labels (Mondrian conformal
prediction: Vovk, Lindsay, Nouretdinov and Gammerman, "Mondrian confidence machine", 2003), and the bound holds within
each. A type with too few labels borrows none: its questions are never answered early.

The bound is an average over calibrations, and holds for questions like those that were labelled. Fewer than
1/alpha - 1 questions of a type allow no threshold for it. The cost is one sort of the labelled scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from knarr.errors import InvalidArgument
from knarr.language.question_type import TYPES, question_type

NEVER = 2.0  # above every score: nothing is skipped
Among = Literal["all", "insufficient"]
Threshold = float | Callable[[str], float]  # one for all questions, or that of a question


def at(threshold: Threshold, question: str) -> float:
    """The threshold for a question."""
    return threshold(question) if callable(threshold) else threshold


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A threshold and what is known about it.

    threshold:      skip at this score and above; above 1 means never
    n:              labelled questions; `insufficient` of them were
    wrongly_skipped:  of those, how many reach the threshold
    risk_bound:     the left side of the inequality at the threshold, at most alpha unless never
    skipped_share:  of the labelled questions, the share that reaches it
    reason:         in words
    """

    threshold: float
    n: int
    insufficient: int
    wrongly_skipped: int
    risk_bound: float
    skipped_share: float
    reason: str = ""

    @property
    def never(self) -> bool:
        """Whether nothing is skipped."""
        return self.threshold > 1.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """The thresholds of all types of question, in one calibration.

    alpha, among:  the bound that was asked for, and the questions it is about
    groups:        by type of question (`knarr.language.question_type`); a type without labels is not there
    scorer:        what made the scores; a calibration is for no other
    """

    alpha: float
    groups: Mapping[str, Calibrated]
    among: Among = "all"
    scorer: str = ""

    def threshold_for(self, question: str) -> float:
        """The score from which an early answer to this question may stand; above 1 where its type has too few labels."""
        found = self.groups.get(question_type(question))
        return NEVER if found is None else found.threshold

    @property
    def strictest(self) -> float:
        """The threshold that keeps the bound for a question of any type."""
        return max(self.threshold_for_type(name) for name in TYPES)

    def threshold_for_type(self, name: str) -> float:
        """As `threshold_for`, by the name of the type."""
        return self.groups[name].threshold if name in self.groups else NEVER

    @property
    def never(self) -> bool:
        """Whether nothing is skipped, of whatever type."""
        return all(one.never for one in self.groups.values())

    @property
    def n(self) -> int:
        """Labelled questions."""
        return sum(one.n for one in self.groups.values())

    @property
    def insufficient(self) -> int:
        """Of the labelled questions, those whose evidence was not enough."""
        return sum(one.insufficient for one in self.groups.values())

    @property
    def wrongly_skipped(self) -> int:
        """Of these, how many reach the threshold of their type."""
        return sum(one.wrongly_skipped for one in self.groups.values())

    @property
    def skipped_share(self) -> float:
        """The share of the labelled questions that reaches its threshold; 0 without any."""
        return sum(one.skipped_share * one.n for one in self.groups.values()) / self.n if self.n else 0.0

    @staticmethod
    def from_json(value: dict[str, Any]) -> Calibration:
        """The inverse of `knarr.types.to_json`. Raises InvalidArgument on anything else, a calibration of one threshold
        for all questions, as older versions stored it, among it."""
        try:
            groups = {name: Calibrated(**one) for name, one in value["groups"].items()}
            return Calibration(**{**value, "groups": groups})
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidArgument(f"not a calibration: {error}") from error


def calibrate(
    scores: Sequence[float],
    sufficient: Sequence[bool],
    alpha: float,
    *,
    among: Among = "all",
) -> Calibrated:
    """The threshold of one group of questions; see the module. `scores[i]` in [0, 1] belongs to the question that `sufficient[i]` labels. Raises
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
    return Calibrated(
        threshold=threshold,
        n=len(scores),
        insufficient=len(bad),
        wrongly_skipped=wrong,
        risk_bound=(wrong + 1.0) / (size + 1.0),
        skipped_share=sum(score >= threshold for score in scores) / len(scores) if scores else 0.0,
        reason=reason,
    )


def calibrate_groups(
    questions: Sequence[str],
    scores: Sequence[float],
    sufficient: Sequence[bool],
    alpha: float,
    *,
    among: Among = "all",
) -> Calibration:
    """A threshold for each type of question, from the labelled questions of that type alone. Raises as `calibrate`."""
    _check(scores, sufficient, alpha)
    if len(questions) != len(scores):
        raise InvalidArgument(
            f"{len(questions)} questions and {len(scores)} scores: expected one score per question"
        )
    rows: dict[str, tuple[list[float], list[bool]]] = {}
    for question, score, good in zip(questions, scores, sufficient, strict=True):
        of_type = rows.setdefault(question_type(question), ([], []))
        of_type[0].append(score)
        of_type[1].append(good)
    groups = {name: calibrate(*rows[name], alpha, among=among) for name in sorted(rows)}
    return Calibration(alpha, groups, among)


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
