"""The threshold's promise: on exchangeable data the share of wrong skips stays below alpha on average."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.checker import calibrate
from knarr.checker.calibration import NEVER, Among
from knarr.errors import InvalidArgument

LABELLED = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 1.0]), st.booleans()), max_size=60)
ALPHAS = st.sampled_from([0.02, 0.05, 0.1, 0.2, 0.5])


def split(pairs: list[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    return [score for score, _ in pairs], [good for _, good in pairs]


def bound(pairs: list[tuple[float, bool]], threshold: float, among: Among) -> float:
    """The inequality's left side, written out: n/(n+1) R + 1/(n+1)."""
    judged = [pair for pair in pairs if among == "all" or not pair[1]]
    n = len(judged)
    risk = sum(score >= threshold and not good for score, good in judged) / n if n else 0.0
    return n / (n + 1) * risk + 1 / (n + 1)


@pytest.mark.parametrize("among", ["all", "insufficient"])
@given(pairs=LABELLED, alpha=ALPHAS)
def test_it_is_the_smallest_threshold_that_keeps_the_inequality(
    pairs: list[tuple[float, bool]], alpha: float, among: Among
) -> None:
    found = calibrate(*split(pairs), alpha, among=among)
    if found.threshold != NEVER:
        assert bound(pairs, found.threshold, among) <= alpha + 1e-9
        assert found.risk_bound == pytest.approx(bound(pairs, found.threshold, among))
    lower = [math.nextafter(found.threshold, -1.0), *(score for score, _ in pairs if score < found.threshold)]
    if found.threshold > 0.0:
        assert all(bound(pairs, one, among) > alpha - 1e-9 for one in lower if one <= 1.0)


@given(pairs=LABELLED)
def test_a_stricter_alpha_never_lowers_the_threshold(pairs: list[tuple[float, bool]]) -> None:
    found = [calibrate(*split(pairs), alpha).threshold for alpha in (0.5, 0.2, 0.1, 0.05, 0.02)]
    assert found == sorted(found)


@given(pairs=LABELLED, alpha=ALPHAS)
def test_the_order_of_the_questions_does_not_matter(pairs: list[tuple[float, bool]], alpha: float) -> None:
    assert calibrate(*split(pairs), alpha) == calibrate(*split(pairs[::-1]), alpha)


@given(pairs=LABELLED, alpha=ALPHAS)
def test_equal_scores_are_skipped_together_or_not_at_all(
    pairs: list[tuple[float, bool]], alpha: float
) -> None:
    found = calibrate(*split(pairs), alpha)
    skipped = [score for score, _ in pairs if score >= found.threshold]
    kept = [score for score, _ in pairs if score < found.threshold]
    assert not set(skipped) & set(kept)
    assert found.skipped_share == (len(skipped) / len(pairs) if pairs else 0.0)


@pytest.mark.parametrize(("n", "alpha"), [(25, 0.1), (60, 0.05), (200, 0.05), (80, 0.2)])
@pytest.mark.parametrize("among", ["all", "insufficient"])
def test_the_risk_averaged_over_many_draws_is_below_alpha(n: int, alpha: float, among: Among) -> None:
    rng = np.random.default_rng(20_260)
    losses = []
    for _ in range(3_000):
        good = rng.random(n + 1) < 0.7
        # Scores that tell a little, coarse enough for ties.
        scores = np.round(np.clip(rng.normal(np.where(good, 0.65, 0.45), 0.2), 0.0, 1.0), 1)
        found = calibrate(scores[:n].tolist(), good[:n].tolist(), alpha, among=among)
        if among == "all" or not good[n]:
            losses.append(float(scores[n] >= found.threshold and not good[n]))
    mean = float(np.mean(losses))
    assert mean <= alpha + 3.0 * math.sqrt(alpha * (1 - alpha) / len(losses))
    if n * (0.3 if among == "insufficient" else 1.0) * alpha > 2:
        assert mean > 0.0, "a threshold that never skips proves nothing"


def test_too_few_questions_never_skip_and_say_so() -> None:
    found = calibrate([0.9] * 18, [True] * 18, 0.05)
    assert found.never and found.threshold > 1.0
    assert found.skipped_share == 0.0
    assert "too few" in found.reason and "19" in found.reason
    assert not calibrate([0.9] * 19, [True] * 19, 0.05).never


def test_no_questions_at_all() -> None:
    found = calibrate([], [], 0.1)
    assert found.never and found.n == 0 and found.skipped_share == 0.0


def test_all_sufficient_skips_all() -> None:
    found = calibrate([0.1, 0.2, 0.3] * 20, [True] * 60, 0.05)
    assert found.threshold == 0.0 and found.skipped_share == 1.0


def test_a_wrong_question_with_the_highest_score_forbids_skipping() -> None:
    assert calibrate([1.0, *[0.9] * 19], [False, *[True] * 19], 0.05).never


@pytest.mark.parametrize(
    ("scores", "good", "alpha"),
    [
        ([0.5], [], 0.1),
        ([float("nan")], [True], 0.1),
        ([1.5], [True], 0.1),
        ([0.5], [True], 0.0),
        ([0.5], [True], 1.0),
    ],
)
def test_what_cannot_be_meant_is_refused(scores: list[float], good: list[bool], alpha: float) -> None:
    with pytest.raises(InvalidArgument):
        calibrate(scores, good, alpha)
