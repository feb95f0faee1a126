"""Streams say the same as replies in one piece."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from fake_chat import USAGE, completion, streamed, tool_call
from knarr.errors import ChatError
from knarr.models.chat import ChatRequest, WishedCall

ASK = ChatRequest([{"role": "user", "content": "What is the fee?"}])


def part(index: Any, call_id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    return {
        "tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}]
    }


def test_text_reasoning_and_usage_are_put_together(serve: Any) -> None:
    server = serve(
        streamed(
            {"role": "assistant", "content": None, "reasoning_content": "let "},
            ": a comment",
            {"reasoning_content": "me see"},
            {"content": "<thi"},
            {"content": "nk>hm</think>15 "},
            {"content": [{"type": "text", "text": "crowns"}]},
            finish="length",
            usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 64}},
        )
    )
    reply = server.chat(stream=True).chat(ASK)
    assert (reply.text, reply.reasoning, reply.cut) == ("15 crowns", "let me see\nhm", True)
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.estimated) == (100, 64, 0)
    assert server.requests[0]["stream"] is True
    assert server.requests[0]["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    "deltas",
    [
        # By the book: the id and name first, then the arguments in pieces, two calls at once.
        [part(0, "a", "Search", ""), part(1, "b", "Read", '{"u'), part(0, None, None, '{"q"'),
         part(1, None, None, 'ri": 2}'), part(0, None, None, ": 1}")],
        # The id and the name again in every piece.
        [part(0, "a", "Search", '{"q"'), part(0, "a", "Search", ": 1}"), part(1, "b", "Read", '{"uri": 2}')],
        # Every call numbered 0, or not numbered.
        [part(0, "a", "Search", '{"q": 1}'), part(0, "b", "Read", '{"uri": 2}')],
        [part(None, "a", "Search", '{"q"'), part(None, None, None, ": 1}"), part(None, "b", "Read", '{"uri": 2}')],
        [{"tool_calls": [tool_call("a", "Search", {"q": 1}), tool_call("b", "Read", {"uri": 2})]}],
    ],
)  # fmt: skip
def test_calls_are_put_together(serve: Any, deltas: list[Any]) -> None:
    reply = serve(streamed(*deltas, finish="tool_calls", usage=USAGE)).chat(stream=True).chat(ASK)
    assert reply.calls == (WishedCall("a", "Search", '{"q": 1}'), WishedCall("b", "Read", '{"uri": 2}'))


def test_calls_without_ids_under_one_number_are_told_apart(serve: Any) -> None:
    deltas = [part(0, "", "Search", '{"q": 1}'), part(0, "", "Search", '{"q": 2}')]
    reply = serve(streamed(*deltas)).chat(stream=True).chat(ASK)
    assert [call.arguments for call in reply.calls] == ['{"q": 1}', '{"q": 2}']


def test_the_old_form_of_a_call_is_streamed_too(serve: Any) -> None:
    deltas = [
        {"function_call": {"name": "Read", "arguments": ""}},
        {"function_call": {"arguments": '{"uri": 2}'}},
    ]
    reply = serve(streamed(*deltas)).chat(stream=True).chat(ASK)
    assert reply.calls == (WishedCall("", "Read", '{"uri": 2}'),)


def test_a_stream_without_its_end_mark_is_whole_when_it_says_why_it_ended(serve: Any) -> None:
    reply = serve(streamed({"content": "15"}, done=False)).chat(stream=True).chat(ASK)
    assert (reply.text, reply.usage.estimated) == ("15", 1)


def test_a_stream_that_breaks_off_is_asked_for_again(serve: Any) -> None:
    server = serve(
        streamed({"content": "The f"}, finish=None, done=False),
        streamed({"content": "The f"}, 'data: {"choices": [{"de'),
        streamed({"content": "The fee"}),
    )
    assert server.chat(stream=True).chat(ASK).text == "The fee"


def test_an_error_in_a_stream_is_one(serve: Any) -> None:
    broken = streamed({"content": "The f"}, 'data: {"error": {"message": "no such model", "code": 404}}')
    with pytest.raises(ChatError, match=r"404.*no such model"):
        serve(broken).chat(stream=True).chat(ASK)


def test_servers_that_stream_unasked_or_do_not_stream_are_understood(serve: Any) -> None:
    server = serve(streamed({"content": "one"}), completion("two"))
    assert server.chat().chat(ASK).text == "one"
    assert server.chat(stream=True).chat(ASK).text == "two"


def test_a_server_that_knows_no_stream_options_is_spared_them(serve: Any) -> None:
    refusal = httpx.Response(400, json={"error": {"message": "Unknown field: stream_options"}})
    server = serve(refusal, streamed({"content": "15"}), streamed({"content": "16"}))
    chat = server.chat(stream=True)
    assert (chat.chat(ASK).text, chat.chat(ASK).text) == ("15", "16")
    assert ["stream_options" in body for body in server.requests] == [True, False, False]
