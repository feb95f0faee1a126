"""Loops end, and end with what was found, whatever the model goes on asking (AG-06)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from knarr.agent import Agent, Budget, ModelPolicy
from knarr.errors import ChatError
from knarr.models.chat import ChatReply, ChatRequest, ScriptedChat, WishedCall
from strict import strict

STYLES = ["native", "schema"]
QUESTION = "What is the late fee?"


class Clock:
    """Moves only when something takes time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(
    style: str, query: Callable[[int], str], clock: Clock | None = None, seconds: float = 0.0
) -> ScriptedChat:
    """A model that searches for ever, for what a function of the turn says; each turn takes `seconds`."""

    def turn(request: ChatRequest) -> ChatReply:
        if clock is not None:
            if request.timeout_s is not None and request.timeout_s < seconds:
                clock.now += request.timeout_s
                raise ChatError("no reply in time")
            clock.now += seconds
        wanted = {"query": query(len(chat.requests))}
        if style == "native":
            return ChatReply("", (WishedCall("", "Search", json.dumps(wanted)),))
        return ChatReply(json.dumps({"thought": "", "calls": [{"tool": "Search", "arguments": wanted}]}))

    chat = ScriptedChat([turn] * 100)
    return chat


def run(library, chat, style, budget, clock=None):
    options = {} if clock is None else {"clock": clock}
    policy = ModelPolicy(chat, style=style)
    done = Agent(library, policy, reranker=None, **options).run(QUESTION, budget=budget)
    for request in chat.requests:
        strict(request)
    assert done.answer.status == "budget_exhausted"
    assert done.answer.citations and "Evidence found so far" in done.answer.text
    assert done.answer.usage.tokens_shown > 0
    return done


def searches(library) -> int:
    return len([call for call in library.calls if call[0] == "search"])


@pytest.mark.parametrize("style", STYLES)
def test_the_same_call_for_ever(library, style):
    chat = asking(style, lambda _: "late fee")
    done = run(library, chat, style, Budget(rounds=5))
    assert searches(library) == 1 and done.trace.spent == "rounds"
    assert len(chat.requests) == 5 + 1
    assert (
        "its result stands above"
        in chat.requests[-1].messages[-2]["content"] + chat.requests[-1].messages[-1]["content"]
    )


@pytest.mark.parametrize("style", STYLES)
def test_two_calls_by_turns(library, style):
    chat = asking(style, lambda turn: ("late fee", "rent of the lease")[turn % 2])
    done = run(library, chat, style, Budget(rounds=50, faults=4))
    assert searches(library) == 2 and done.trace.spent == "faults" and len(chat.requests) == 2 + 4 + 1


@pytest.mark.parametrize("style", STYLES)
def test_slightly_other_words_each_time(library, style):
    chat = asking(style, lambda turn: f"late fee{'!' * turn}")
    done = run(library, chat, style, Budget(rounds=5))
    assert (done.trace.spent, done.answer.rounds, len(chat.requests)) == ("rounds", 5, 6)


@pytest.mark.parametrize("style", STYLES)
def test_three_thousand_tokens(library, style):
    for n in range(12):
        library.documents[f"viking://more/{n}"] = [f"The fee number {n} is due on day {n}. " * 40]
    chat = asking(style, lambda turn: f"fee number {turn}")
    done = run(library, chat, style, Budget(rounds=200, tokens=3_000))
    assert done.trace.spent == "tokens"
    assert 3_000 <= done.answer.usage.tokens_shown <= 3_000 + Budget().call_tokens


@pytest.mark.parametrize("style", STYLES)
def test_two_seconds(library, style):
    clock = Clock()
    chat = asking(style, lambda turn: f"late fee {turn}", clock, 0.6)
    done = run(library, chat, style, Budget(rounds=200, timeout_s=2.0), clock)
    assert done.trace.spent == "time"
    timeouts = [request.timeout_s for request in chat.requests]
    assert timeouts[:2] == [2.0, pytest.approx(1.4)] and clock.now <= 2.0 + 10.0


@pytest.mark.parametrize("style", STYLES)
def test_a_turn_is_not_waited_for_beyond_the_time(library, style):
    """A model slower than the time that is left: its turn is given up, and what was found is returned."""
    clock = Clock()
    first = asking(style, lambda _: "late fee", clock, 1.5)
    done = run(library, first, style, Budget(timeout_s=2.0), clock)
    assert clock.now == pytest.approx(2.0) and len(first.requests) == 2
    assert done.trace.spent == "time"
