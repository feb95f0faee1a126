"""CHK-01 at the checker: easy questions pass, half-answered and unanswerable ones do not, by rule and by a
scripted judge of known quality. A judge is asked once per question, twice at most."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from checker.cases import WordRanker, case, evidence
from knarr.checker import Case, Checker, ModelChecker, RuleChecker
from knarr.models.chat import ChatReply, ChatRequest
from knarr.testing import ScriptedChat

TOWNS = [
    "Arvika", "Bergen", "Drammen", "Egersund", "Fauske", "Gjovik", "Hamar", "Inari", "Jessheim", "Kragero",
    "Larvik", "Molde", "Narvik", "Oppdal", "Porsgrunn", "Risor", "Skien", "Tromso", "Ullensvang", "Vardo",
]  # fmt: skip


def harbour(at: int) -> str:
    return f"The harbour of {TOWNS[at]} opened in {1900 + at} and has {20 + at} berths for visiting boats."


def library(at: int) -> str:
    return f"The library of {TOWNS[at]} lends books for {10 + at} days to every registered reader."


def easy(at: int) -> Case:
    """Answered by the first hit."""
    shown = evidence(TOWNS[at], harbour(at)), evidence(f"{TOWNS[at]}_library", library(at), score=-4.0)
    return case(f"How many berths for visiting boats has the harbour of {TOWNS[at]}?", *shown)


def half(at: int) -> Case:
    """Needs two documents, of which one was found."""
    other = TOWNS[(at + 1) % 20]
    shown = evidence(TOWNS[at], harbour(at)), evidence(f"{TOWNS[at]}_library", library(at), score=-4.0)
    return case(f"Which harbour opened first, that of {TOWNS[at]} or that of {other}?", *shown)


def nowhere(at: int) -> Case:
    """Nothing in the corpus answers it; the nearest words were quoted."""
    shown = (evidence(TOWNS[at], harbour(at), score=-5.0),)
    return case(f"Who designed the lighthouse lamp that {TOWNS[at]} sold in {1950 + at}?", *shown)


def judge(wrong: set[int], numbers: list[int]) -> Callable[[ChatRequest], ChatReply]:
    """Says "sufficient" with a true quote for each question, but for those numbers rubbish."""

    def reply(request: ChatRequest) -> ChatReply:
        number = numbers.pop(0)
        if number in wrong:
            return ChatReply("I believe so.")
        user = str(request.messages[1]["content"])
        words = user[user.index("> The harbour") + 2 :].split(" and has", 1)[0]
        constraint = {"kind": "entity", "text": "the harbour", "quotes": [{"piece": 1, "words": words}]}
        return ChatReply(
            json.dumps({"constraints": [constraint], "reason": "said there", "verdict": "sufficient"})
        )

    return reply


def passes(checker: Checker, cases: list[Case]) -> int:
    return sum(checker.check(one).verdict.outcome == "sufficient" for one in cases)


def test_by_rule() -> None:
    checker = RuleChecker(WordRanker())
    assert passes(checker, [easy(at) for at in range(20)]) >= 18
    assert passes(checker, [half(at) for at in range(20)]) == 0
    assert passes(checker, [nowhere(at) for at in range(20)]) == 0


@pytest.mark.parametrize("wrong", [set[int](), {3, 11}], ids=["clear judge", "judge that rambles twice"])
def test_by_a_judge_of_known_quality(wrong: set[int]) -> None:
    # A rambling judge is asked again, so its numbers come twice.
    numbers = [number for number in range(20) for _ in range(2 if number in wrong else 1)]
    chat = ScriptedChat([judge(wrong, numbers)] * 40, window_tokens=16_000)
    assert passes(ModelChecker(chat, WordRanker()), [easy(at) for at in range(20)]) == 20 - len(wrong)
    assert len(chat.requests) == 20 + len(wrong)


def test_a_judge_that_always_says_yes_is_held_by_the_gates() -> None:
    chat = ScriptedChat([judge(set(), list(range(40)))] * 40, window_tokens=16_000)
    checker = ModelChecker(chat, WordRanker())
    assert passes(checker, [half(at) for at in range(20)]) == 0
    assert passes(checker, [nowhere(at) for at in range(20)]) == 0
    assert len(chat.requests) <= 40


def test_every_verdict_says_why() -> None:
    for one in (easy(0), half(0), nowhere(0)):
        told = RuleChecker(WordRanker()).check(one).verdict
        assert told.reason and told.gates
        assert 0.0 <= told.score <= 1.0
