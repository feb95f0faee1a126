"""A reply that its server cut off is asked again with more room, and is never given as a whole answer (AG-08)."""

from __future__ import annotations

import json

import pytest

from fake_chat import FakeChat, completion, streamed, tool_call
from knarr.agent import Agent, ModelPolicy
from knarr.models.chat import ChatReply, ScriptedChat, WishedCall
from model_runs import SEARCH, STYLES, calling, run, saying

TEXT = "A late fee of two crowns is charged for each day after the"
PARTIAL = {
    "native": ChatReply(TEXT, cut=True),
    "native, numbered": ChatReply(f"Two crowns [1]. {TEXT}", cut=True),
    "Answer": ChatReply("", (WishedCall("a", "Answer", f'{{"found": true, "answer": "{TEXT}'),), cut=True),
    "schema": ChatReply(f'{{"thought": "t", "answer": "{TEXT}', cut=True),
    "after found": ChatReply(f'{{"thought": "t", "found": true, "answer": "{TEXT}', cut=True),
    "in the citations": ChatReply(
        f'{{"thought": "t", "answer": "{TEXT}", "found": true, "cites": [1', cut=True
    ),
    "former form": ChatReply(f'{{"thought": "t", "answer": {{"found": true, "text": "{TEXT}', cut=True),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("partial", PARTIAL.values(), ids=list(PARTIAL))
def test_it_is_asked_once_more_with_twice_the_room(library, style, partial):
    chat = ScriptedChat([calling(style, SEARCH), partial, saying(style, "Two crowns.", 1)])
    done = run(library, chat, style)
    assert (done.answer.status, done.answer.text) == ("answered", "Two crowns.")
    rooms = [request.max_tokens for request in chat.requests]
    assert rooms[1:] == [rooms[0], 2 * rooms[0]]
    assert chat.requests[1].messages == chat.requests[2].messages
    assert done.answer.usage.model.calls == 3  # what was cut off was paid for


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("partial", PARTIAL.values(), ids=list(PARTIAL))
def test_cut_off_again_it_ends_so_with_its_text(library, style, partial):
    chat = ScriptedChat([calling(style, SEARCH), partial, partial])
    done = run(library, chat, style)
    assert done.answer.status == "cut_off" and TEXT in done.answer.text and len(chat.requests) == 3
    assert "cut off" in done.answer.reason and done.answer.verdict.outcome == "unknown"


def test_the_room_stays_inside_the_window(library):
    for reply_tokens, rooms in ((3_000, [3_000, 4_096]), (5_000, [5_000])):
        chat = ScriptedChat([calling("native", SEARCH), *[PARTIAL["native"]] * 2], window_tokens=8_192)
        done = run(library, chat, reply_tokens=reply_tokens)
        assert [request.max_tokens for request in chat.requests][1:] == rooms
        assert done.answer.status == "cut_off"


def test_calls_that_are_whole_are_run(library):
    search = ChatReply("", (WishedCall("", "Search", '{"query": "late fee"}'),), cut=True)
    chat = ScriptedChat([search, saying("native", "Two crowns.", 1)])
    assert run(library, chat).answer.status == "answered" and len(chat.requests) == 2


def scripted(style: str, cut: object) -> list[object]:
    if style == "native":
        return [completion(None, finish="tool_calls", tool_calls=[tool_call("c1", *SEARCH)]), cut, cut]
    return [
        completion(json.dumps({"thought": "", "calls": [{"tool": "Search", "arguments": {"query": "fee"}}]})),
        cut,
        cut,
    ]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("finish", ["length", "max_tokens"])
def test_over_the_wire(library, style, stream, finish):
    text = TEXT if style == "native" else f'{{"thought": "", "found": true, "answer": "{TEXT}'
    cut = (
        streamed({"content": text[:30]}, {"content": text[30:]}, finish=finish)
        if stream
        else completion(text, finish=finish)
    )
    fake = FakeChat(*scripted(style, cut))
    policy = ModelPolicy(fake.chat(stream=stream, window=8_192), style=style)
    done = Agent(library, policy, reranker=None).run("What is the late fee?")
    assert (done.answer.status, done.answer.text) == ("cut_off", TEXT)
    assert fake.requests[2]["max_tokens"] == 2 * fake.requests[1]["max_tokens"]
    fake.check()
