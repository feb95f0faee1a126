"""How the style of a chat model is found out."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Agent, ModelPolicy
from knarr.errors import ChatError
from knarr.models.chat import ChatReply, ScriptedChat, WishedCall
from model_runs import SEARCH, answering, calling

PROPER = ChatReply("", (WishedCall("x", "Echo", '{"word": "knarr"}'),))


@pytest.mark.parametrize(
    ("reply", "style"),
    [
        (PROPER, "native"),
        (ChatReply('{"name": "Echo", "arguments": {"word": "knarr"}}'), "schema"),
        (ChatReply("", (WishedCall("x", "Echo", "knarr"),)), "schema"),
        (ChatReply("", (WishedCall("x", "echo", '{"word": "knarr"}'),)), "schema"),
        (ChatReply("", (WishedCall("x", "Echo", "[]"),)), "schema"),
        (ChatReply(""), "schema"),
    ],
)
def test_one_tiny_request_decides_on_the_style(library, reply, style):
    chat = ScriptedChat([reply, calling(style, SEARCH), answering(style)])
    policy = ModelPolicy(chat)
    done = Agent(library, policy, reranker=None).run("What is the late fee?")
    assert done.answer.status == "answered" and len(chat.requests) == 3
    assert len(json.dumps(chat.requests[0].messages)) < 200
    assert bool(chat.requests[1].tools) is (style == "native")
    assert done.answer.usage.model.calls == 3


def test_the_style_is_remembered_for_the_model(library):
    turns = [calling("native", SEARCH), answering("native")]
    chat = ScriptedChat([PROPER, *turns, *turns])
    for _ in range(2):
        assert (
            Agent(library, ModelPolicy(chat), reranker=None).ask("What is the late fee?").status == "answered"
        )
    assert len(chat.requests) == 5


def test_a_server_that_refuses_tools_is_not_asked_twice(library):
    turns = [calling("schema", SEARCH), answering("schema")]
    chat = ScriptedChat([ChatError("tools are not supported"), *turns, *turns])
    for _ in range(2):
        assert (
            Agent(library, ModelPolicy(chat), reranker=None).ask("What is the late fee?").status == "answered"
        )
    assert [bool(request.schema) for request in chat.requests] == [False, *[True] * 4]


def test_a_server_that_was_gone_is_probed_again(library):
    chat = ScriptedChat(
        [ChatError("gone"), ChatError("gone"), PROPER, calling("native", SEARCH), answering("native")]
    )
    agent = Agent(library, ModelPolicy(chat), reranker=None)
    with pytest.raises(ChatError, match="gone"):
        agent.ask("What is the late fee?")
    assert agent.ask("What is the late fee?").status == "answered"
