"""EDGE-03 at the checker: near-identical questions are told apart, each kind of constraint is held."""

from __future__ import annotations

import pytest

from checker.cases import WordRanker, case, evidence
from knarr.checker import Case, RuleChecker
from knarr.types import ConstraintCheck, Verdict

REVENUE_23 = evidence("results_2023", "The revenue in 2023 was 41 million euros, after a strong autumn.")
REVENUE_24 = evidence("results_2024", "The revenue in 2024 was 47 million euros, most of it from exports.")


def verdict(asked: Case) -> Verdict:
    return RuleChecker(WordRanker()).check(asked).verdict


def check(asked: Case, kind: str) -> ConstraintCheck:
    return next(one for one in verdict(asked).constraints if one.kind == kind)


def test_the_year_that_was_asked_for_suffices() -> None:
    told = verdict(case("What was the revenue in 2023?", REVENUE_23))
    assert told.outcome == "sufficient", told.reason
    assert told.score >= told.threshold
    assert all(gate.passed for gate in told.gates)


@pytest.mark.parametrize(
    ("question", "gate"),
    [
        ("What was the revenue in 2024?", "years"),
        ("What was the revenue in years other than 2023?", "excluded"),
        ("What was the revenue, not in 2023 but before?", "excluded"),
        ("What were the costs in 2023?", "asked"),
    ],
)
def test_a_near_identical_question_does_not(question: str, gate: str) -> None:
    told = verdict(case(question, REVENUE_23))
    assert told.outcome == "insufficient"
    assert gate in [one.name for one in told.gates if not one.passed]
    assert told.reason.startswith(f"gate {gate}")


def test_another_year_somewhere_in_the_same_piece_is_not_what_is_cited() -> None:
    piece = evidence(
        "results", "The revenue in 2023 was 41 million euros.\n\nFor 2024 the board expects growth."
    )
    told = verdict(
        case("What was the revenue in 2024?", piece, quote="The revenue in 2023 was 41 million euros.")
    )
    assert told.outcome == "insufficient"


def test_a_year_may_stand_in_the_document_s_name() -> None:
    piece = evidence("annual_report_2023", "The revenue was 41 million euros, after a strong autumn.")
    assert verdict(case("What was the revenue in 2023?", piece)).outcome == "sufficient"
    assert verdict(case("What was the revenue in 2022?", piece)).outcome == "insufficient"


def test_an_excluded_year_is_met_by_another_one() -> None:
    assert check(case("What was the revenue, not in 2023?", REVENUE_24), "negation").met
    assert not check(case("What was the revenue, not in 2023?", REVENUE_23), "negation").met


def test_entity() -> None:
    piece = evidence("harbour", "Ingrid Solberg has run the harbour office since the fire.")
    assert check(case("Since when has Ingrid Solberg run the harbour office?", piece), "entity").met
    told = verdict(case("Since when has Astrid Solberg run the harbour office?", piece))
    assert [one.name for one in told.gates if not one.passed] == ["names"]


def test_time_form() -> None:
    dated = evidence("harbour", "The harbour office opened on 3 May in the old customs house.")
    undated = evidence("harbour", "The harbour office opened again in the old customs house.")
    question = "When did the harbour office open?"
    assert check(case(question, dated), "time").met
    assert not check(case(question, undated), "time").met
    assert verdict(case(question, dated)).score > verdict(case(question, undated)).score


def test_quantity_form_and_numbers() -> None:
    berths = evidence("harbour", "The harbour has twelve berths for visiting boats along the north quay.")
    many = evidence("harbour", "The harbour has berths for visiting boats along the north quay.")
    assert check(case("How many berths does the harbour have?", berths), "quantity").met
    assert not check(case("How many berths does the harbour have?", many), "quantity").met
    told = verdict(case("Which quay holds 14 berths of the harbour?", berths))
    assert [one.name for one in told.gates if not one.passed] == ["numbers"]


def test_a_number_is_the_same_with_or_without_marks() -> None:
    fee = evidence("fees", "A fee of $1,200 is due for each visiting boat longer than ten metres.")
    assert check(case("For which boats is a fee of 1200 due?", fee), "quantity").met


def test_scope() -> None:
    piece = evidence("north", "The fee for visiting boats is eleven euros a night.")
    question = "What is the fee for visiting boats?"
    inside, outside = "viking://lib/north", "viking://lib/south"
    assert check(case(question, piece, scopes=[inside]), "scope").met
    told = verdict(case(question, piece, scopes=[outside]))
    assert "scopes" in [one.name for one in told.gates if not one.passed]


def test_denial() -> None:
    barred = evidence("rules", "Boats with a draught above three metres are not allowed at the north quay.")
    allowed = evidence("rules", "Boats with a draught of up to three metres moor at the north quay.")
    question = "Which boats are not allowed at the north quay?"
    assert check(case(question, barred), "negation").met
    assert not check(case(question, allowed), "negation").met


def test_evidence_is_given_with_the_words_that_hold_it() -> None:
    told = check(case("What was the revenue in 2023?", REVENUE_23), "time")
    assert told.evidence == ((REVENUE_23.uri, REVENUE_23.text),)


def test_more_direct_evidence_never_lowers_the_score() -> None:
    question = "What was the revenue in 2024 and how many boats came in 2024?"
    boats = evidence("boats_2024", "In 2024, 3,900 boats came, which was a record for the harbour.")
    one = verdict(case(question, REVENUE_24, boats, cited=(0,)))
    both = verdict(case(question, REVENUE_24, boats, cited=(0, 1)))
    assert both.score >= one.score


def test_the_same_case_has_the_same_verdict() -> None:
    asked = case("What was the revenue in 2023?", REVENUE_23, REVENUE_24)
    assert verdict(asked) == verdict(asked)


def test_without_a_reranker_words_decide() -> None:
    told = RuleChecker(None).check(case("What was the revenue in 2023?", REVENUE_23)).verdict
    assert told.outcome == "sufficient", told
    other = RuleChecker(None).check(case("Who repaired the lighthouse lamp?", REVENUE_23)).verdict
    assert other.outcome == "insufficient"


# ---------------------------------------------------------------- a step from one document to another


SONG = evidence("song", "Harbour Lights is a song that was written by Ada Lind in 1971.")
LIND = evidence("lind", "Ada Lind was born in the town of Moss and sang in its choir.")


@pytest.mark.parametrize(
    ("question", "cited", "passes"),
    [
        ("In which town was the writer of Harbour Lights born?", (0,), False),
        ("In which town was the writer of Harbour Lights born?", (0, 1), True),
        ("In which town was the woman who wrote Harbour Lights born?", (0,), False),
        ("Harbour Lights was written by a singer whose town was which?", (0,), False),
        ("Who wrote Harbour Lights?", (0,), True),
        ("What does the error in the number parameter mean?", (0,), True),
    ],
)
def test_one_document_alone_is_only_the_first_step(question, cited, passes):
    verdict = RuleChecker(WordRanker()).check(case(question, SONG, LIND, cited=cited)).verdict
    assert {gate.name: gate.passed for gate in verdict.gates}["steps"] is passes
    if not passes:
        assert verdict.outcome == "insufficient"


def test_where_the_document_is_named_no_step_is_asked_for():
    question = "In which town was the writer of Harbour Lights born?"
    verdict = (
        RuleChecker(WordRanker()).check(case(question, SONG, LIND, scopes=("viking://lib/song",))).verdict
    )
    assert {gate.name: gate.passed for gate in verdict.gates}["steps"]
