"""Two values for one asked thing conflict; values of other rows, years, versions, parties and conditions do not."""

from __future__ import annotations

import pytest

from knarr.checker.asked import Piece
from knarr.checker.conflict import MOST, conflicts
from knarr.language.passages import sentences
from knarr.types import Provenance

A, B = "viking://notes/a.md", "viking://notes/b.md"
REFUND = "Within how many days are refunds paid?"
FARES = """# Fares

| Route | Adult | Child |
|---|---|---|
| Harbour to Isle | 14 | 7 |
| Isle to Cape | 22 | 11 |
| Cape to Isle | 25 | 12 |
"""


def pieces(text: str, document: str = A, *section: str) -> list[Piece]:
    """One piece for each sentence and row of a text."""
    source = Provenance(document, 1, section, (1, 1), None)
    return [Piece(f"{document}/0", text, source, part.begin, part.end) for part in sentences(text)]


def values(question: str, *groups: list[Piece]) -> list[tuple[str, str]]:
    found = conflicts(question, [piece for group in groups for piece in group])
    return [(one.sides[0].value, one.sides[1].value) for one in found]


@pytest.mark.parametrize(
    ("question", "one", "two", "expected"),
    [
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid within 90 days.", ("30 days", "90 days")),
        (
            REFUND,
            "Refunds are paid within 30 days of the request.",
            "A refund is made within ninety (90) days.",
            ("30 days", "ninety (90) days"),
        ),
        ("When does the office open?", "The office opens at 9 am.", "The office opens at 10:00.", ("9 am.", "10:00")),
        ("How much is the late fee?", "The late fee is $25.", "A late fee of $40 is charged.", ("$25", "$40")),
        (
            "How many mechanics does the workshop have?",
            "The workshop has 12 mechanics.",
            "The workshop has fifteen mechanics.",
            ("12", "fifteen"),
        ),
        (
            "What was the revenue in 2024?",
            "Revenue in 2024 was 55 million euro.",
            "In 2024, revenue was 61 million euro.",
            ("55 million euro", "61 million euro"),
        ),
        ("How long is the warranty?", "The warranty is two years.", "The warranty lasts 12 months.", ("two years", "12 months")),
        ("When is the audit?", "The audit is on 5 May 2024.", "The audit is on 2024-05-09.", ("5 May 2024", "2024-05-09")),
        (
            "What percentage of the grade is the final exam?",
            "The final exam is 40% of the grade.",
            "Final exam: 35% of the grade.",
            ("40%", "35%"),
        ),
    ],
)  # fmt: skip
def test_different_values_of_one_thing_conflict(
    question: str, one: str, two: str, expected: tuple[str, str]
) -> None:
    assert values(question, pieces(one), pieces(two, B)) == [expected]
    assert values(question, pieces(two, B), pieces(one)) == [expected[::-1]]


@pytest.mark.parametrize(
    ("question", "one", "two"),
    [
        ("What was the revenue in 2024?", "Revenue in 2024 was 55 euro.", "Revenue in 2023 was 41 euro."),
        ("What was the revenue?", "Revenue in 2024 was 55 euro.", "Revenue in 2023 was 41 euro."),
        (REFUND, "Refunds are paid within 30 days.", "Late refunds are paid within 90 days."),
        (REFUND, "Refunds are paid within 30 days.", "For members, refunds are paid within 10 days."),
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid within 60 days if the buyer is abroad."),
        (REFUND, "Refunds are paid within 30 days of delivery.", "Refunds are paid within 90 days of the order."),
        (REFUND, "Refunds are paid within 30 days.", "Claims must be filed within 7 days."),
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid, not within 90 days."),
        (REFUND, "Refunds are paid within 30 days.", "Are refunds paid within 90 days?"),
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid within 30 business days."),
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid within 20 to 40 days."),
        (REFUND, "Refunds are paid within 30 days.", "Refunds are paid within one month."),
        (REFUND, "Refunds are paid within 14 days.", "Refunds are paid within two weeks."),
        ("How much is the rent?", "The rent is 55 million euro.", "The rent is 55.3 million euro."),
        ("How much is the rent?", "The rent is 55 million euro.", "The rent is about 54 million euro."),
        ("How much is the rent?", "The rent is $30.", "The rent is 30 dollars."),
        (
            "What is the uptime of the plant?",
            "The uptime of the plant that is clustered is 98 percent.",
            "The uptime of the plant that is not clustered is 99 percent.",
        ),
        ("How many mechanics are there?", "There are 12 mechanics.", "There are 3 doors."),
        ("When is the exam?", "Exam 1 is on 5 May 2024.", "Exam 2 is on 9 June 2024."),
        ("How many classes may be missed?", "If you miss two classes, write.", "If you miss four classes, call."),
        ("Who heads the workshop?", "The workshop has 12 mechanics.", "The workshop has 15 mechanics."),
    ],
)  # fmt: skip
def test_values_of_something_else_do_not_conflict(question: str, one: str, two: str) -> None:
    assert values(question, pieces(one), pieces(two, B)) == []


def test_a_cell_against_a_sentence_of_another_text() -> None:
    planted = pieces("The adult fare from Isle to Cape is 999.", "viking://notes/planted.md", "Notice")
    fares = pieces(FARES, "viking://notes/fares.md", "Fares")
    found = conflicts("What is the adult fare from Isle to Cape?", [*fares, *planted])
    assert [[side.value for side in one.sides] for one in found] == [["22", "999"]]
    assert found[0].sides[0].text == "| Isle to Cape | 22 | 11 |" and found[0].sides[1].uri.endswith(
        "planted.md/0"
    )
    assert "22" in found[0].text and "999" in found[0].text and found[0].newer is None
    assert values("What is the adult fare from Cape to Isle?", fares, planted) == []
    assert values("What is the child fare from Isle to Cape?", fares, planted) == []
    assert values("What is the adult fare from Isle to Cape?", fares) == []


def test_tables_of_one_document_are_of_its_parts() -> None:
    fares = pieces(FARES, "viking://notes/fares.md", "Fares")
    later = pieces(FARES.replace("22", "44"), "viking://notes/fares.md", "Fares")
    assert values("What is the adult fare from Isle to Cape?", fares, later) == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("viking://docs/lease_smith.md", "viking://docs/lease_jones.md"),
        ("viking://docs/members.md", "viking://docs/visitors.md"),
    ],
)
def test_documents_of_a_kind_do_not_conflict(one: str, two: str) -> None:
    assert values("What is the fee?", pieces("The fee is $25.", one), pieces("The fee is $40.", two)) == []


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ("viking://docs/v1/fees.md", "viking://docs/v2/fees.md", "its name says version 2"),
        ("viking://docs/2024/fees.md", "viking://docs/2023/fees.md", "its name says 2024"),
        ("viking://docs/fees_2023.md", "viking://docs/fees_2024.md", "its name says 2024"),
    ],
)
def test_of_two_editions_both_values_are_told_and_which_is_the_newer(one: str, two: str, why: str) -> None:
    found = conflicts("What is the fee?", [*pieces("The fee is $25.", one), *pieces("The fee is $40.", two)])
    assert [side.value for side in found[0].sides] == ["$25", "$40"] and found[0].why == why
    assert found[0].newer is found[0].sides[two > one]
    year = conflicts(
        "What is the fee in 2023?", [*pieces("The fee is $25.", one), *pieces("The fee is $40.", two)]
    )
    assert year == () or "2023" not in f"{one} {two}"


def test_a_dated_and_an_undated_text_conflict() -> None:
    undated = pieces("Refunds are paid within 30 days.", "viking://notes/refund_note", "Refund note")
    dated = pieces("Refunds are paid within 90 days.", "viking://notes/refunds_2025", "Refunds 2025")
    other = pieces("Refunds are paid within 60 days.", "viking://notes/mail_2023", "Mail 2023")
    assert values(REFUND, undated, dated) == [("30 days", "90 days")]
    assert values(REFUND, other, dated) == []


def test_a_heading_tells_values_apart_where_the_question_is_general() -> None:
    students, staff = pieces("The fee is $25.", A, "Students"), pieces("The fee is $40.", A, "Staff")
    assert values("What is the fee?", students, staff) == []
    assert values("What is the fee?", students, pieces("The fee is $40.", A, "Students")) == [("$25", "$40")]


def test_the_newer_one_is_said_where_the_sources_say_it() -> None:
    old = pieces("Last updated 2 January 2024.\n\nThe late fee is $25.")
    new = pieces("Last updated 3 March 2024.\n\nThe late fee is $40.", B)
    found = conflicts("What is the late fee?", [*old, *new])
    assert len(found) == 1 and found[0].newer == found[0].sides[1] and "3 March 2024" in found[0].text
    passed = conflicts(
        "What is the late fee?",
        [*pieces("The late fee is $25."), *pieces("The late fee is $40.", "viking://archive/a.md")],
    )
    assert passed[0].newer == passed[0].sides[0]


def test_each_value_is_told_once_and_only_the_best_pieces_are_read() -> None:
    three = [
        pieces(f"Refunds are paid within {days} days.", f"viking://notes/{days}.md") for days in (30, 90, 30)
    ]
    assert values(REFUND, *three) == [("30 days", "90 days")]
    many = [pieces("Refunds are paid within 30 days.")] * MOST
    assert values(REFUND, *many, pieces("Refunds are paid within 90 days.", B)) == []
    assert conflicts(REFUND, []) == () == conflicts("", [])
