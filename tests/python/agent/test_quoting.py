"""An extractive answer reads like an answer, and a missing one says what is missing."""

from __future__ import annotations

import pytest

from agent.test_extractive import WordRanker
from knarr.agent import Agent, ExtractivePolicy
from knarr.types import Answer

HANDBOOK = {
    "viking://office/staff": [
        "# Staff\nThe head of the workshop was chosen in May. She is Olga Nilsen and signs all orders.\n"
        "The head of the depot is Jon Berg. The depot has four doors.",
    ],
    "viking://office/leave": [
        "# Leave\nStaff get 25 days of leave each year.\n\nLeave may be taken for these reasons:\n\n"
        "- the birth of a child\n- moving house\n- military service",
    ],
    "viking://office/results": ["# Results\nThe revenue of the mill was 41 million euros in 2023."],
    "viking://office/fares": [
        "# Fares\n\n| Route | Adult fare | Child fare | Minutes |\n|---|---|---|---|\n| Isle to Cape | 22 crowns | 11 crowns | 40 |\n"
        "| Cape to Harbour | 31 crowns | 15 crowns | 55 |",
    ],
    "viking://office/prices": [
        "# Prices\n\n| Item | 2021 | 2022 | 2023 |\n|---|---|---|---|\n| Bolts | 10 | 11 | 12 |\n| Nuts |  |  | 7 |\n"
        "| Hooks | 3 | 4 | 5 |\n| Hooks | 6 | 8 | 9 |",
    ],
    "viking://office/widget_2.1.0": ["# Widget 2.1.0\nThe default timeout of the widget is thirty seconds."],
}


@pytest.fixture(params=[None, WordRanker()], ids=["without reranker", "with reranker"])
def ask(library, request):
    library.documents.clear()
    library.documents.update(HANDBOOK)
    library.seq += 1
    agent = Agent(library, ExtractivePolicy(request.param), reranker=request.param)

    def asked(question: str) -> Answer:
        return agent.run(question).answer

    return asked


def test_the_sentence_that_answers_stands_alone(ask):
    answer = ask("How many days of leave do staff get each year?")
    assert answer.text == "Staff get 25 days of leave each year."


def test_the_asked_cell_comes_first_with_its_row(ask):
    assert (
        ask("What is the adult fare from Isle to Cape?").text == "Adult fare: 22 crowns (Route: Isle to Cape)"
    )
    assert ask("What is the child fare from Cape to Harbour?").text == "Child fare: 15 crowns (Route: Cape to Harbour)"  # fmt: skip
    assert ask("How many minutes from Isle to Cape?").text == "Minutes: 40 (Route: Isle to Cape)"


def test_an_empty_cell_that_was_asked_for_is_said_to_be_blank(ask):
    assert ask("How many Nuts were there in 2021?").text == "2021: blank (Item: Nuts)"
    assert ask("How many Nuts were there in 2023?").text == "2023: 7 (Item: Nuts)"


def test_of_two_rows_with_one_label_neither_is_left_out(ask):
    text = ask("How many Hooks were there in 2022?").text
    assert set(text.split("\n")) == {"2022: 4 (Item: Hooks)", "2022: 8 (Item: Hooks)"}


def test_a_sentence_that_leans_brings_the_one_before(ask):
    answer = ask("Who is the head of the workshop?")
    assert (
        answer.text == "The head of the workshop was chosen in May. She is Olga Nilsen and signs all orders."
    )


def test_the_neighbour_is_not_taken_for_it(ask):
    assert "Olga" not in ask("Who is the head of the depot?").text


def test_a_list_gives_its_items(ask):
    answer = ask("What are the reasons for which leave may be taken?")
    assert answer.status == "answered"
    assert answer.text.startswith(
        "Leave may be taken for these reasons:\n- the birth of a child\n- moving house\n- military service"
    )


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What was the revenue of the mill in 2025?", "2025"),
        ("What is the default timeout of the widget in version 3.4?", "3.4"),
        ("Who is the head of the workshop in Vardo?", "Vardo"),
        ("What does ERR_NO_WIDGET mean?", "ERR_NO_WIDGET"),
        ("Which of the 48 staff get leave?", "48"),
    ],
)
def test_what_is_missing_is_in_text_and_reason(ask, question, missing):
    answer = ask(question)
    assert answer.status == "not_found" and not answer.citations
    assert missing in answer.text and missing in answer.reason


def test_what_the_text_speaks_of_instead_is_said(ask):
    answer = ask("Who is the head of the archive?")
    assert answer.status == "not_found" and "“archive”" in answer.text
