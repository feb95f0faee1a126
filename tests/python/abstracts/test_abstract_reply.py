"""A reply is data: one bounded paragraph, or the reason why it is none."""

from __future__ import annotations

import pytest

from knarr.abstracts.outline import count
from knarr.abstracts.reply import EMPTY, REFUSED, abstract_of

SHOWN = "> The lease of 2019 costs 1,250 euros a month."


@pytest.mark.parametrize(
    ("reply", "abstract"),
    [
        ("The lease costs 1250 euros.", "The lease costs 1250 euros."),
        ("**Abstract:** The lease\n\nof 2019.", "The lease of 2019."),
        ("Sure! Here is the abstract:\n\nThe lease of 2019.", "The lease of 2019."),
        ('"The lease of 2019."', "The lease of 2019."),
        ("> The lease\n> of 2019.", "The lease of 2019."),
        ("```\nThe lease.\n```", "The lease."),
        ("A\x00 le\x1b[31mase\u202e of\u200b 2019.", "A le[31mase of 2019."),
        ("# Lease\n\nThe [lease](http://evil.example/x) of 2019.", "Lease The lease of 2019."),
    ],
)
def test_a_reply_becomes_one_clean_paragraph(reply: str, abstract: str) -> None:
    assert abstract_of(reply, SHOWN, 96) == (abstract, "")


@pytest.mark.parametrize("reply", ["", "  \n", "...", "123", "```\n```", "\x00\x01"])
def test_nothing_is_nothing(reply: str) -> None:
    assert abstract_of(reply, SHOWN, 96) == ("", EMPTY)


@pytest.mark.parametrize(
    "reply",
    ["I'm sorry, but I can't help with that.", "I cannot summarise this.", "As an AI model, I must not."],
)
def test_a_refusal_is_none(reply: str) -> None:
    assert abstract_of(reply, SHOWN, 96) == ("", REFUSED)


def test_a_number_from_nowhere_is_none() -> None:
    text, reason = abstract_of("The lease of 2018 costs 1,250 euros.", SHOWN, 96)
    assert not text and "2018" in reason
    assert abstract_of("Two of 12 parts concern the year 2019.", SHOWN, 96)[1] == ""


def test_a_reply_is_bounded_at_a_sentence() -> None:
    text, _ = abstract_of("The lease is long. " * 500, SHOWN, 30)
    assert count(text) <= 30 and text.endswith("long.")
    text, _ = abstract_of("word " * 5000, SHOWN, 30)
    assert count(text) <= 30 and text.endswith("word…")


def test_a_reply_that_was_cut_ends_with_its_last_whole_sentence() -> None:
    assert abstract_of("The lease is long. It ends in", SHOWN, 96, cut=True) == ("The lease is long.", "")
    assert abstract_of("The lease ends in", SHOWN, 96, cut=True) == ("The lease ends…", "")
