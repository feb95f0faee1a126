"""The score grows with every signal, falls when what fits was not shown, and a failed gate ends it."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.cases import WordRanker, case, evidence
from knarr.checker import RuleChecker, supports
from knarr.checker.score import THRESHOLD, Signals, score, squash

NAMES = [one.name for one in fields(Signals)]
UNIT = st.floats(0.0, 1.0)
SIGNALS = st.builds(Signals, **dict.fromkeys(NAMES, UNIT))


@pytest.mark.parametrize("name", NAMES)
@given(found=SIGNALS, more=UNIT)
def test_it_grows_with_each_signal(name: str, found: Signals, more: float) -> None:
    higher = replace(found, **{name: max(more, getattr(found, name))})
    assert 0.0 <= score(found, passed=True) <= score(higher, passed=True) <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_each_signal_tells_something(name: str) -> None:
    none = Signals(**dict.fromkeys(NAMES, 0.0))
    assert score(replace(none, **{name: 1.0}), passed=True) > score(none, passed=True)


@given(found=SIGNALS)
def test_a_failed_gate_is_never_enough(found: Signals) -> None:
    assert score(found, passed=False) < THRESHOLD
    assert score(found, passed=False) <= score(found, passed=True)


@given(logit=st.floats(-1e6, 1e6))
def test_any_logit_is_a_number_between_nothing_and_one(logit: float) -> None:
    assert 0.0 <= squash(logit) <= 1.0


FEE = evidence("fees", "Visiting boats pay a fee of eleven euros a night, due on arrival.", score=7.0)
FAR = evidence("tides", "The tide is highest in March.", score=-3.0)
NEAR = evidence("dues", "Boats of members pay dues once a year.", score=6.0)
QUESTION = "What fee do visiting boats pay a night?"


def scored(*shown: object, left: tuple[float, ...] = ()) -> float:
    asked = replace(case(QUESTION, FEE, *shown), left=left)  # type: ignore[arg-type]
    return RuleChecker(WordRanker()).check(asked).verdict.score


def test_others_that_fit_nearly_as_well_lower_it() -> None:
    assert scored(NEAR, NEAR) < scored(FAR, FAR)


def test_what_fits_and_was_not_shown_lowers_it() -> None:
    assert scored(FAR, left=(6.5, 6.0, 5.5)) < scored(FAR, left=(-6.0, -7.0)) <= scored(FAR)


def test_without_a_reranker_the_quote_must_say_nearly_all() -> None:
    full = RuleChecker().check(case(QUESTION, FEE)).verdict
    part = RuleChecker().check(case(QUESTION, FEE, quote="a night, due on arrival.")).verdict
    assert full.outcome == "sufficient" and part.outcome == "insufficient"


@pytest.mark.parametrize("reranker", [None, WordRanker()], ids=["words", "reranker"])
def test_supports(reranker: WordRanker | None) -> None:
    answer = "eleven euros a night"
    assert supports(QUESTION, answer, FEE.text, reranker)
    assert not supports(QUESTION, answer, FAR.text, reranker)
    assert not supports(QUESTION, answer, "  ", reranker)


@pytest.mark.parametrize("reranker", [None, WordRanker()], ids=["words", "reranker"])
def test_a_text_of_another_year_supports_nothing(reranker: WordRanker | None) -> None:
    text = "The revenue in 2023 was 41 million euros."
    assert supports("What was the revenue in 2023?", "41 million euros", text, reranker)
    assert not supports("What was the revenue in 2024?", "41 million euros", text, reranker)
