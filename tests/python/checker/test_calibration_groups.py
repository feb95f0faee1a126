"""Calibration by type of question: the bound holds within each type, where one threshold holds it on average only."""

from __future__ import annotations

import math

import numpy as np
import pytest

from checker.cases import case, evidence
from knarr.checker import Calibration, RuleChecker, calibrate, calibrate_groups
from knarr.checker.calibration import NEVER, at
from knarr.errors import InvalidArgument
from knarr.types import to_json

WHO, WHEN, COUNT = "Who heads the depot?", "When does it open?", "How many doors are there?"
# Of each type: the share of all questions, and how often its early evidence is insufficient.
TYPES = {WHO: (0.5, 0.05), WHEN: (0.3, 0.3), COUNT: (0.2, 0.7)}
ALPHA = 0.1


def drawn(rng: np.random.Generator, size: int) -> tuple[list[str], list[float], list[bool]]:
    """Questions of three types, whose scores tell a little of their labels, coarse enough for ties."""
    listed = list(TYPES)
    questions = [listed[at_] for at_ in rng.choice(3, size=size, p=[TYPES[one][0] for one in listed])]
    good = [bool(rng.random() >= TYPES[one][1]) for one in questions]
    scores = [float(np.clip(np.round(rng.normal(0.65 if one else 0.5, 0.2), 2), 0.0, 1.0)) for one in good]
    return questions, scores, good


def risks(*, by_type: bool) -> dict[str, tuple[float, int]]:
    """For each type the share of next questions that are skipped wrongly, over many calibrations, and their number."""
    rng = np.random.default_rng(20_261)
    losses: dict[str, list[bool]] = {one: [] for one in TYPES}
    for _ in range(500):
        questions, scores, good = drawn(rng, 203)
        known = 200
        if by_type:
            found = calibrate_groups(questions[:known], scores[:known], good[:known], ALPHA)
            threshold = found.threshold_for
        else:
            one = calibrate(scores[:known], good[:known], ALPHA).threshold
            threshold = lambda _question, one=one: one  # noqa: E731 - the other half of a choice
        for question, score, label in zip(questions[known:], scores[known:], good[known:], strict=True):
            losses[question].append(score >= threshold(question) and not label)
    return {one: (float(np.mean(lost)), len(lost)) for one, lost in losses.items()}


def test_the_risk_of_every_type_is_below_alpha_and_one_threshold_breaks_it() -> None:
    for question, (risk, size) in risks(by_type=True).items():
        assert 0.0 < risk <= ALPHA + 3.0 * math.sqrt(ALPHA * (1 - ALPHA) / size), question
    pooled = risks(by_type=False)
    whole = sum(risk * size for risk, size in pooled.values()) / sum(size for _risk, size in pooled.values())
    assert whole <= ALPHA + 3.0 * math.sqrt(ALPHA * (1 - ALPHA) / 1_500)
    assert pooled[COUNT][0] > 2 * ALPHA and pooled[WHO][0] < ALPHA / 2


def test_each_type_has_the_threshold_of_its_own_labels() -> None:
    rng = np.random.default_rng(7)
    questions, scores, good = drawn(rng, 300)
    found = calibrate_groups(questions, scores, good, 0.05)
    for question in TYPES:
        own = [at_ for at_, one in enumerate(questions) if one == question]
        alone = calibrate([scores[at_] for at_ in own], [good[at_] for at_ in own], 0.05)
        assert found.threshold_for(question) == alone.threshold
        assert found.threshold_for(question.lower()) == alone.threshold
    assert found.n == 300 and found.insufficient == good.count(False)
    assert found.skipped_share == pytest.approx(
        sum(score >= found.threshold_for(one) for one, score in zip(questions, scores, strict=True)) / 300
    )


def test_a_type_with_too_few_labels_is_never_skipped_and_borrows_none() -> None:
    found = calibrate_groups([WHO] * 60 + [WHEN] * 5, [0.9] * 65, [True] * 65, 0.05)
    assert found.threshold_for(WHO) == 0.0
    assert found.threshold_for(WHEN) == NEVER and "too few" in found.groups["when"].reason
    assert found.threshold_for("Where is the depot?") == NEVER and "where" not in found.groups
    assert not found.never and found.strictest == NEVER
    nothing = calibrate_groups([], [], [], 0.05)
    assert nothing.never and nothing.n == 0 and nothing.skipped_share == 0.0


def test_a_threshold_is_a_number_or_a_function_of_the_question() -> None:
    found = calibrate_groups([WHO] * 60, [0.9] * 60, [True] * 60, 0.05)
    assert (
        at(0.4, WHO) == 0.4 and at(found.threshold_for, WHO) == 0.0 and at(found.threshold_for, WHEN) == NEVER
    )


def test_the_checker_asks_for_the_threshold_of_the_question() -> None:
    found = calibrate_groups([COUNT] * 60, [0.9] * 60, [True] * 60, 0.05)
    staff = evidence("staff", "The workshop has 12 mechanics, and its head is Mira Okonjo.")
    checker = RuleChecker(threshold=found.threshold_for)
    assert checker.check(case("How many mechanics does the workshop have?", staff)).verdict.threshold == 0.0
    other = checker.check(case("Who is the head of the workshop?", staff)).verdict
    assert other.threshold == NEVER and other.outcome == "insufficient"


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="2 questions and 1 scores"):
        calibrate_groups([WHO, WHEN], [0.5], [True], 0.1)


def test_it_can_be_stored_and_an_older_form_is_refused() -> None:
    found = calibrate_groups([WHO] * 60 + [WHEN] * 3, [0.1, 0.9, 0.5] * 21, [False, True, True] * 21, 0.05)
    assert Calibration.from_json(to_json(found)) == found
    old = {"threshold": 0.5, "alpha": 0.05, "n": 60, "scorer": "rules:score-1"}
    for value in (
        old,
        {"groups": 3},
        {"groups": {"who": {"colour": "blue"}}},
        {**to_json(found), "colour": "blue"},
    ):
        with pytest.raises(ValueError, match="not a calibration"):
            Calibration.from_json(value)
