"""For tests of chat models that drive the loop: their turns in both styles, and runs."""

from __future__ import annotations

import json

from knarr.agent import Agent, ModelPolicy
from knarr.models.chat import ChatReply, WishedCall
from strict import strict

FEES = "viking://handbook/loans/c_2.md"
WORDS = "A late fee of two crowns is charged for each day"
STYLES = ["native", "schema"]


def calling(style: str, *calls: tuple[str, str], text: str = "") -> ChatReply:
    """A turn with these (tool, raw arguments)."""
    if style == "native":
        wished = (WishedCall(f"id{n}", tool, raw) for n, (tool, raw) in enumerate(calls))
        return ChatReply(text, tuple(wished))
    listed = [{"tool": tool, "arguments": raw} for tool, raw in calls]
    return ChatReply(json.dumps({"thought": text, "calls": listed}))


def answering(style: str, text: str = "Two crowns.", uri: str = FEES, words: str = WORDS) -> ChatReply:
    if style == "native":
        return ChatReply(f'{text} "{words}" ({uri})')
    answer = {"found": True, "text": text, "quotes": [{"uri": uri, "text": words}]}
    return ChatReply(json.dumps({"thought": "it is there", "answer": answer}))


def saying(style: str, text: str, *cites: object, found: bool = True) -> ChatReply:
    """An answer as the prompts ask for it: citations by number, and whether it was found in a field."""
    answer = {"answer": text, "found": found, "cites": list(cites)}
    if style == "native":
        return ChatReply("", (WishedCall("end", "Answer", json.dumps(answer)),))
    return ChatReply(json.dumps({"thought": "", **answer}))


def run(library, chat, style="native", budget=None, scope="viking://", **options):
    policy = ModelPolicy(chat, style=style, **options)
    done = Agent(library, policy, reranker=None).run("What is the late fee?", scope, budget=budget)
    for request in chat.requests:
        strict(request)
    return done


def extends(earlier, later) -> bool:
    """Whether the later request is the earlier one with more at its end, byte for byte."""
    head = [json.dumps(message) for message in later.messages[: len(earlier.messages)]]
    return head == [json.dumps(message) for message in earlier.messages]


SEARCH = ("Search", '{"query": "late fee"}')
