"""The checks by rule cost as much as their texts are long, whatever stands in them."""

from __future__ import annotations

import pytest

from growth import is_linear
from knarr.checker.evidence import Ground
from knarr.checker.focus import astray
from knarr.checker.form import lacking
from knarr.checker.founded import unfounded
from knarr.language.instructions import paragraphs_with_orders

UNITS = [
    "a", "9", " ", "\n", "[1]", "[", "#", "the ", "a to ", "zone 2 ", "zone 2, ", "from the a to the b ", "Monday to ", "9 a ",
    "the first ", "before the ", "non-", "x://", "\n- ", "| a ", "ignore all ", "*", "> ", "\u200b", "2019-2020 ", "A.B ",
]  # fmt: skip
QUESTION = "How many days before the trip from Isle to Cape on Monday must the first tenant of zone 3 leave, per week?"


@pytest.mark.parametrize("unit", UNITS)
def test_checks_of_a_text_are_linear(unit: str) -> None:
    def work(text: str) -> None:
        ground = Ground("viking://lib/d/d_1.md", text, text, ("Rules",), "viking://lib/d/")
        astray(QUESTION, ground)
        lacking(QUESTION, [ground])
        paragraphs_with_orders(text)

    assert is_linear(work, unit, small=1_000)


@pytest.mark.parametrize("unit", UNITS)
def test_the_check_of_an_answer_is_linear(unit: str) -> None:
    ground = Ground("viking://lib/d/d_1.md", "Two days.", "Two days.", ("Rules",), "viking://lib/d/")
    assert is_linear(lambda text: unfounded(QUESTION, text, [ground]), unit, small=1_000)
