"""The form of answer that a question asks for."""

from __future__ import annotations

import pytest

from knarr.language.question_type import TYPES, QuestionType, question_type

ASKED: dict[QuestionType, tuple[str, ...]] = {
    "who": (
        "Who is the head of the workshop?",
        "Under the 2021 lease, who pays for water?",
        "To whom are notices sent?",
        "The bridge was designed by whom?",
        "What is the name of the instructor?",
    ),
    "when": (
        "When does the lease end?",
        "By what date must claims be filed?",
        "On which day is the exam?",
        "What time does the office open?",
        "The harbour was founded by Olaf, who died on which date?",
        "The first ferry ran when?",
    ),
    "where": ("Where is the depot?", "Which city hosts the fair?", "In what country was she born?"),
    "how_many": (
        "How many days of leave can be carried over?",
        "Within how many days are refunds paid?",
        "What is the adult fare from Isle to Cape?",
        "What was total revenue in 2024?",
        "What percentage of the grade is the final exam?",
        "How long is the warranty?",
        "How much does a ticket cost?",
    ),
    "which": ("Which dental insurance is offered?", "What industry does Fjord Ltd work in?", "What is a scope?"),
    "yes_no": (
        "Is smoking allowed?",
        "Did sales increase from 2020 to 2021?",
        "If I fail, can I retake the exam?",
        "If I fail the midterm can I still pass?",
        'Based on the syllabus "x": Can I bring a calculator?',
        "Consider the AGREEMENT between A and B Inc.. Is there a cap on liability?",
        "Tell me whether pets are allowed.",
        "Isn’t the office closed on Sunday?",
    ),
    "list": (
        "List the authors.",
        "What are the four categories of errors?",
        "Which employees are exempt?",
        "What are the required materials?",
    ),
    "compare": (
        "How did revenue change from 2024 to 2025?",
        "What is the difference between the two plans?",
        "Who is older, Ann or Ben?",
        "How much more did the bridge cost than the tunnel?",
        "How does version 2 compare to version 1?",
    ),
    "why_how": (
        "Why was the line closed?",
        "How do I reset my password?",
        "What happens if I miss a class?",
        "Explain the appeal procedure.",
    ),
    "other": ("", "?", "ok", "…", "12345", "Tell me about the fees."),
}  # fmt: skip


@pytest.mark.parametrize(("want", "question"), [(want, one) for want, all_ in ASKED.items() for one in all_])
def test_the_type_of_a_question(want: QuestionType, question: str) -> None:
    assert question_type(question) == want
    assert question_type(question.lower()) == want
    assert question_type(f"  {question}\n") == want


def test_every_type_has_its_questions() -> None:
    assert set(ASKED) == set(TYPES)


@pytest.mark.parametrize(
    "text", ["what " * 50_000, "which a-b " * 50_000, "how much " + "x " * 50_000, "\ud800 who?"]
)
def test_any_text_has_a_type(text: str) -> None:
    assert question_type(text) in TYPES
