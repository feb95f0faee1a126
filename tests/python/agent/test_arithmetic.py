"""Arithmetic over cited figures: shown with its operands and quotes, refused when anything is unsure, never for a cell."""

from __future__ import annotations

import pytest

from knarr.agent.policy.arithmetic import Computed, computed
from knarr.checker.asked import Piece
from knarr.language.citations import locate, too_short
from knarr.types import Provenance

REVENUE = "Revenue in 2023 was 41 million euro.\n\nRevenue in 2024 was 55 million euro."
FARES = (
    "| Route | Adult fare | Child fare |\n|---|---|---|\n| Harbour to Isle | 14 | 7 |\n| Isle to Cape | 22 | 11 |\n"
    "| Cape to Harbour | 31 | 15 |\n"
)
COSTS = (
    "(In millions)\n\nItem  2023  2022\nRent  $ 12  $ 10\nWages  30  28\nRent and wages of the depot  9  8\n"
    "Tax (refund)  (5)  2\nTotal costs  46  48\n"
)
DATES = "The opening is on 5 May 2024.\n\nThe closing is on 1 June 2024."


def of(question: str, *texts: str) -> Computed | None:
    pieces = [
        Piece(
            f"viking://notes/{at}.md/0",
            text,
            Provenance(f"viking://notes/{at}.md", 1, ("Report",), (1, 9), None),
        )
        for at, text in enumerate(texts)
    ]
    found = computed(question, pieces)
    if found is not None and found.text:
        assert len(found.quotes) >= 1 and not found.refused
        for quote in found.quotes:
            source = next(piece.text for piece in pieces if piece.uri == quote.uri)
            assert locate(quote.text, source) is not None and not too_short(quote.text)
        assert all(any(one.figure.text in quote.text for quote in found.quotes) for one in found.operands)
    return found


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "How did revenue change from 2023 to 2024?",
            REVENUE,
            "55 million euro (2024) − 41 million euro (2023) = 14 million euro (+34.1 %)",
        ),
        (
            "By what percentage did revenue grow between 2023 and 2024?",
            REVENUE,
            "55 million euro (2024) − 41 million euro (2023) = 14 million euro (+34.1 %)",
        ),
        (
            "What is the difference between the revenue in 2023 and the revenue in 2024?",
            REVENUE,
            "55 million euro (revenue in 2024) − 41 million euro (revenue in 2023) = 14 million euro",
        ),
        (
            "What is the total revenue of 2023 and 2024?",
            REVENUE,
            "41 million euro (2023) + 55 million euro (2024) = 96 million euro",
        ),
        (
            "What was the average revenue from 2023 to 2024?",
            REVENUE,
            "(41 million euro (2023) + 55 million euro (2024)) ÷ 2 = 48 million euro",
        ),
        (
            "How did rent change from 2022 to 2023?",
            COSTS,
            "$ 12 million (2023) − $ 10 million (2022) = $ 2 million (+20.0 %)",
        ),
        ("How did tax change from 2022 to 2023?", COSTS.replace(" (refund)", ""), "−5 million (2023) − 2 million (2022) = −7 million (−350.0 %)"),
        ("What are rent and wages together in 2022?", COSTS, "$ 10 million (rent) + 28 million (wages) = $ 38 million"),
        ("What is the ratio of wages to rent in 2022?", COSTS, "28 million (wages) ÷ $ 10 million (rent in 2022) = 2.80"),
        (
            "What share of the total costs was rent in 2023?",
            COSTS,
            "$ 12 million (rent in 2023) ÷ 46 million (total costs) = 26.1 %",
        ),
        (
            "How much more is the adult fare from Cape to Harbour than the adult fare from Isle to Cape?",
            FARES,
            "31 (adult fare from Cape to Harbour) − 22 (adult fare from Isle to Cape) = 9",
        ),
        ("Which route has the highest adult fare?", FARES, "Cape to Harbour: 31, the highest Adult fare of the 3 rows shown"),
        ("Which route has the lowest child fare?", FARES, "Harbour to Isle: 7, the lowest Child fare of the 3 rows shown"),
        (
            "How many routes are listed?",
            FARES,
            "3 routes, by the rows shown: Harbour to Isle, Isle to Cape, Cape to Harbour",
        ),
        (
            "How many days are there between the opening and the closing?",
            DATES,
            "5 May 2024 (opening) to 1 June 2024 (closing): 27 days",
        ),
        (
            "How many weeks are there between the opening and the closing?",
            DATES,
            "5 May 2024 (opening) to 1 June 2024 (closing): 3 weeks and 6 days (27 days)",
        ),
    ],
)  # fmt: skip
def test_a_result_shows_its_operands(question: str, text: str, expected: str) -> None:
    found = of(question, text)
    assert found is not None and (found.text, found.refused) == (expected, "")


def test_operands_may_stand_in_two_documents() -> None:
    one, two = REVENUE.split("\n\n")
    found = of("How did revenue change from 2023 to 2024?", one, two)
    assert found is not None and [quote.uri for quote in found.quotes] == [
        "viking://notes/1.md/0",
        "viking://notes/0.md/0",
    ]
    assert [one.name for one in found.operands] == ["2024", "2023"]


@pytest.mark.parametrize(
    ("question", "texts", "reason"),
    [
        ("How did revenue change from 2024 to 2025?", [REVENUE], "2025 is missing"),
        ("How did revenue change from 2023 to 2024?", [REVENUE, "Revenue in 2024 was 60 million euro."], "two values stand for 2024"),
        (
            "How did revenue change from 2023 to 2024?",
            ["Revenue in 2023 was 41 euro. Revenue in 2024 was 55 dollars."],
            "the units differ",
        ),
        (
            "How did revenue change from 2023 to 2024?",
            ["Revenue in 2023 was 40 to 42 euro. Revenue in 2024 was 55 euro."],
            "2023 is a range",
        ),
        ("Which route has the highest adult fare?", [FARES.replace("| 22 |", "| |")], "Isle to Cape has no value"),
        ("Which route has the highest adult fare?", [FARES, FARES.replace("| 14 |", "| 99 |")], "tables disagree"),
        ("How many days are there between the opening and the audit?", [DATES], "the date of audit is missing"),
        (
            "How did rent change from 2022 to 2023?",
            ["Years ended  January 28, 2023  January 29, 2022\nRent  46  51\n"],
            "unsure",
        ),
    ],
)  # fmt: skip
def test_what_is_unsure_is_refused_with_its_reason(question: str, texts: list[str], reason: str) -> None:
    found = of(question, *texts)
    assert found is not None and found.text == "" and not found.quotes and reason in found.refused


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What was the revenue in 2024?", [REVENUE]),
        ("What is the adult fare from Isle to Cape?", [FARES]),
        ("What were the total costs in 2023?", [COSTS]),
        ("How did costs change from 2023 to 2024?", [REVENUE]),
        ("How did revenue change from 2023 to 2024?", [REVENUE, "Revenue rose by 34 % from 2023 to 2024."]),
        ("Which route is the cheapest?", [FARES]),
        ("How did sales change from 2022 to 2023?", ["Item  2023  2022\nCost of sales  12  10\nNet sales of toys  30  28\n"]),
        ("How did revenue change from 2023 to 2024?", ["Toy revenue in 2023 was 4 euro. Toy revenue in 2024 was 5 euro."]),
        ("Who pays the fare?", [FARES]),
        ("", [FARES]),
        ("How did revenue change from 2023 to 2024?", []),
    ],
)  # fmt: skip
def test_nothing_is_reckoned_that_was_not_asked_or_stands_there(question: str, texts: list[str]) -> None:
    assert of(question, *texts) is None


def test_opposite_directions_are_different_rows() -> None:
    text = FARES + "| Cape to Isle | 25 | 12 |\n"
    found = of(
        "What is the difference between the adult fare from Isle to Cape and the child fare from Isle to Cape?",
        text,
    )
    assert found is not None and found.text.startswith("22 (") and found.text.endswith("= 11")
