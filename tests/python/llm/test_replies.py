"""What a server's quirks become: text, calls, reasoning, usage."""

from __future__ import annotations

from typing import Any

import pytest

from fake_chat import completion, tool_call
from knarr.models.chat import ChatRequest, WishedCall
from knarr.models.chat.replies import without_thinking

ASK = ChatRequest([{"role": "user", "content": "What is the fee?"}])


@pytest.mark.parametrize(
    ("body", "text", "reasoning"),
    [
        (completion("15 crowns"), "15 crowns", ""),
        (completion(None), "", ""),
        (completion(" \n"), " \n", ""),
        (completion("15", reasoning_content="let me see"), "15", "let me see"),
        (completion("15", reasoning="let me see"), "15", "let me see"),
        (completion("15", reasoning_content="the same", reasoning="the same"), "15", "the same"),
        (completion("", reasoning_content="only this"), "", "only this"),
        (completion("15", reasoning_details=[{"type": "reasoning.text", "text": "seen"}]), "15", "seen"),
        (completion("<think>hm</think>15"), "15", "hm"),
        (completion("Well: <think>hm</think> 15"), "Well:  15", "hm"),
        (completion("<think>hm</think>"), "", "hm"),
        (completion("15 <think>hm, or"), "15", "hm, or"),
        (completion("hm</think>\n15"), "15", "hm"),
        (completion("<THINK>a<think>b</think>c</THINK>15"), "15", "a\nb\nc"),
        (completion([{"type": "text", "text": "15 "}, {"type": "text", "text": "crowns"}]), "15 crowns", ""),
        (completion(["15", {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]), "15", "hm"),
        (completion(None, refusal="I can't."), "I can't.", ""),
        (completion('{"quote": "</think>x<think>"}'), '{"quote": "</think>x<think>"}', ""),
        ({"choices": [{"text": "15", "finish_reason": "stop"}]}, "15", ""),
    ],
)
def test_text_and_reasoning_are_told_apart(serve: Any, body: Any, text: str, reasoning: str) -> None:
    reply = serve(body).chat().chat(ASK)
    assert (reply.text, reply.reasoning, reply.calls) == (text, reasoning, ())


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        ([tool_call("a", "Search", '{"q": 1}')], [("a", "Search", '{"q": 1}')]),
        ([tool_call("a", "List", "{"), tool_call("a", "Read", "")], [("a", "List", "{"), ("a", "Read", "")]),
        ([tool_call("", "Search", "{}")], [("", "Search", "{}")]),
        ([tool_call(None, "Search", None)], [("", "Search", "")]),
        ([tool_call(7, None, {"q": "å"})], [("7", "", '{"q": "å"}')]),
        ([{"name": "Search", "arguments": "{}"}, "noise"], [("", "Search", "{}")]),
    ],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_calls_are_passed_on_as_they_are(serve: Any, message: Any, calls: Any, finish: str) -> None:
    reply = serve(completion(None, finish=finish, tool_calls=message)).chat().chat(ASK)
    assert reply.calls == tuple(WishedCall(*call) for call in calls)
    assert not reply.cut and reply.text == ""


def test_the_old_form_of_a_call_is_read_too(serve: Any) -> None:
    body = completion(
        None, finish="function_call", function_call={"name": "Read", "arguments": '{"uri": "x"}'}
    )
    assert serve(body).chat().chat(ASK).calls == (WishedCall("", "Read", '{"uri": "x"}'),)


def test_a_reply_stopped_at_its_bound_says_so(serve: Any) -> None:
    assert serve(completion("The fee is", finish="length")).chat().chat(ASK).cut


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens": 90, "completion_tokens": 7}, 0),
        ({"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}, 64),
        ({"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": None}, 0),
        ({"prompt_tokens": 90, "completion_tokens": 7, "prompt_cache_hit_tokens": 60}, 60),
        ({"input_tokens": 90, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 5}}, 5),
        ({"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 999}}, 90),
    ],
)
def test_reported_usage_is_kept_with_its_cached_tokens_and_cost(serve: Any, usage: Any, cached: int) -> None:
    chat = serve(completion("15", usage=usage)).chat(prices=(2.0, 0.5, 10.0))
    used = chat.chat(ASK).usage
    assert (used.calls, used.prompt_tokens, used.completion_tokens) == (1, 90, 7)
    assert (used.cached_tokens, used.estimated) == (cached, 0)
    assert used.cost == pytest.approx(((90 - cached) * 2.0 + cached * 0.5 + 7 * 10.0) / 1e6)


@pytest.mark.parametrize(
    "usage", ["none", {}, {"prompt_tokens": 0}, {"prompt_tokens": "9", "completion_tokens": 1}]
)
def test_missing_usage_is_estimated_and_marked(serve: Any, usage: Any) -> None:
    body = completion("Fifteen crowns it is.", usage=usage)
    used = serve(body).chat(prices=(1.0, 1.0, 1.0)).chat(ASK).usage
    assert used.estimated == used.calls == 1
    assert used.prompt_tokens >= 5 and used.completion_tokens >= 5 and used.cost > 0


def test_think_blocks_take_time_in_proportion_to_the_text() -> None:
    spoken, hidden = without_thinking("<think>" * 50_000 + "x" + "</think>" * 50_000 + "15")
    assert (spoken, hidden) == ("15", "x")
