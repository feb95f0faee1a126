"""The scripted chat model that users get too."""

from __future__ import annotations

import pytest

from fake_chat import history_faults, tool_call
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatModel, ChatReply, ChatRequest
from knarr.testing import ScriptedChat
from knarr.types import ModelUsage


def ask(text: str) -> ChatRequest:
    return ChatRequest([{"role": "user", "content": text}])


def test_a_script_is_played_line_by_line() -> None:
    paid = ChatReply("two", usage=ModelUsage(calls=1, prompt_tokens=7))
    chat: ChatModel = ScriptedChat(
        [
            "one",
            paid,
            ContextOverflow("full"),
            lambda request: ChatReply(str(request.messages[0]["content"])),
        ],
        window_tokens=500,
        name="actor",
    )
    assert (chat.name, chat.window_tokens, chat.count_tokens("a missed fee")) == ("actor", 500, 3)
    assert chat.chat(ask("a missed fee")).text == "one"
    assert chat.chat(ask("b")) is paid
    with pytest.raises(ContextOverflow):
        chat.chat(ask("c"))
    assert chat.chat(ask("echo")).text == "echo"
    with pytest.raises(ChatError, match="no reply number 5"):
        chat.chat(ask("d"))


def test_requests_are_kept_as_they_were() -> None:
    chat = ScriptedChat(["one"])
    messages = [{"role": "user", "content": "a"}]
    reply = chat.chat(ChatRequest(messages))
    messages.append({"role": "user", "content": "b"})
    assert len(chat.requests[0].messages) == 1
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.estimated) == (1, 1, 1)


def test_the_strict_check_of_histories_finds_every_fault() -> None:
    user = {"role": "user", "content": "Fee?"}
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [tool_call("a", "Read", "{}"), tool_call("b", "Read", "{}")],
    }
    first, second = ({"role": "tool", "tool_call_id": name, "content": "x"} for name in "ab")
    assert history_faults([user, call, first, second, {"role": "assistant", "content": "15"}]) == []
    bad = [
        [],
        [user, call, second, first],
        [user, call, first],
        [user, call, first, user],
        [user, call, first, second, second],
        [user, call, first, {**second, "content": " "}],
        [user, first],
        [user, call, first, second, call, first, second],
        [user, {"role": "assistant", "content": ""}],
        [user, {"role": "assistant", "content": None, "tool_calls": []}],
        [user, {"role": "assistant", "content": None, "tool_calls": [tool_call("", "Read", "{}")]}, {**first, "tool_call_id": ""}],
        [user, {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "Read", "{")]}, first],
        [user, {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "Read", "[1]")]}, first],
    ]  # fmt: skip
    for history in bad:
        assert history_faults(history), history
