"""A chat model drives the loop, in both styles: what is sent to it, and what becomes of its answers."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Budget, ModelPolicy
from knarr.models.chat import ChatReply, ScriptedChat, WishedCall
from knarr.types import ModelUsage
from model_runs import FEES, SEARCH, STYLES, WORDS, answering, calling, extends, run, saying


@pytest.mark.parametrize("style", STYLES)
def test_search_then_an_answer_with_its_citation(library, style):
    chat = ScriptedChat([calling(style, SEARCH, text="let me look"), answering(style)])
    done = run(library, chat, style)
    assert (done.answer.status, done.answer.rounds) == ("answered", 1)
    assert [(piece.uri, piece.text) for piece in done.answer.citations] == [(FEES, WORDS)]
    assert done.trace.policy == "ModelPolicy" and done.trace.rounds[0].text == "let me look"


def test_both_styles_give_the_same_trace(library):
    traces = []
    for style in STYLES:
        calls = (SEARCH, ("Read", json.dumps({"uri": FEES})), ("Grep", '{"pattern": "fee"}'))
        traces.append(run(library, ScriptedChat([calling(style, *calls), answering(style)]), style).trace)
    seen = [[(c.tool, c.arguments, c.text, c.error, c.note) for c in trace.calls()] for trace in traces]
    assert seen[0] == seen[1] and len(seen[0]) == 3
    assert traces[0].citations == traces[1].citations != ()


@pytest.mark.parametrize("style", STYLES)
def test_the_sent_prefix_is_byte_stable(library, style):
    script = [
        calling(style, ("Search", json.dumps({"query": f"fee {n}"})), text=f"look {n}") for n in range(6)
    ]
    script[2] = ChatReply("")  # an empty reply, asked again
    chat = ScriptedChat([*script, answering(style)])
    done = run(library, chat, style)
    assert done.answer.status == "answered" and len(chat.requests) == 7
    for earlier, later in zip(chat.requests, chat.requests[1:], strict=False):
        assert extends(earlier, later) and len(later.messages) > len(earlier.messages)
        assert earlier.tools == later.tools


def test_native_requests_offer_the_tools_and_schema_requests_a_form(library):
    native, schema = (ScriptedChat([calling(style, SEARCH), answering(style)]) for style in STYLES)
    run(library, native, "native")
    run(library, schema, "schema")
    assert [tool["function"]["name"] for tool in native.requests[0].tools] == [
        "Search",
        "List",
        "Grep",
        "Read",
        "Answer",
    ]
    assert native.requests[0].schema is None
    assert not any(request.tools for request in schema.requests)
    told = schema.requests[0].messages[0]["content"]
    assert all(f"\n{name}: " in told for name in ("Search", "List", "Grep", "Read")) and "{{" not in told
    first, second = (json.dumps(request.schema) for request in schema.requests)
    assert '"calls"' in first and '"answer"' not in first  # nothing was looked up yet
    assert '"calls"' in second and '"answer"' in second and FEES in second  # what may be read
    assert '"quotes"' not in second and "copied" not in told  # nothing is to be copied
    assert '"minItems": 1' in second.partition('"answer"')[2]  # what was found cites something


def test_schema_calls_can_only_name_what_was_shown_and_what_it_lies_in(library):
    chat = ScriptedChat([calling("schema", ("Read", json.dumps({"uri": FEES}))), answering("schema")])
    run(library, chat, "schema", scope="viking://handbook")
    first, second = (json.dumps(request.schema) for request in chat.requests)
    assert '{"enum": ["viking://handbook"]}' in first
    assert f'{{"enum": ["viking://handbook", "{FEES}", "viking://handbook/loans/"]}}' in second
    library.documents |= {f"viking://many/{n}": ["x"] for n in range(90)}
    listed = calling("schema", ("List", '{"uri": "viking://many", "limit": 90}'))
    wide = ScriptedChat([listed, answering("schema")])
    run(library, wide, "schema")
    assert '"scope": {"enum"' not in json.dumps(wide.requests[-1].schema)  # too many to name them all


def test_where_nothing_was_shown_nothing_can_be_found(library):
    chat = ScriptedChat(
        [calling("schema", ("Grep", '{"pattern": "nowhere"}')), ChatReply(""), answering("schema")]
    )
    run(library, chat, "schema")
    answer = json.dumps(chat.requests[1].schema).partition('"answer"')[2]
    assert '{"const": false}' in answer and '{"const": true}' not in answer


@pytest.mark.parametrize("style", STYLES)
def test_an_answer_before_anything_was_looked_up_is_not_taken(library, style):
    chat = ScriptedChat([answering(style, "Nine crowns."), calling(style, SEARCH), answering(style)])
    done = run(library, chat, style)
    assert "Call Search first" in chat.requests[1].messages[-1]["content"]
    assert done.answer.status == "answered" and done.answer.text.startswith("Two crowns.")
    stubborn = run(library, ScriptedChat([answering(style, "Nine crowns.")] * 9), style)
    assert stubborn.answer.status == "no_answer" and "Nine" not in stubborn.answer.text


def test_schema_requests_are_for_servers_that_know_no_tools(library):
    chat = ScriptedChat([calling("schema", SEARCH, ("List", "{}")), ChatReply(""), answering("schema")])
    run(library, chat, "schema")
    messages = chat.requests[-1].messages
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert all(set(message) == {"role", "content"} for message in messages)
    decision = json.loads(messages[2]["content"])
    assert [call["tool"] for call in decision["calls"]] == ["Search", "List"]
    assert messages[3]["content"].count("Result of ") == 2


@pytest.mark.parametrize("style", STYLES)
def test_the_last_turn_offers_no_tool_but_the_answer_and_takes_none(library, style):
    chat = ScriptedChat([calling(style, SEARCH), calling(style, ("List", "{}"))])
    done = run(library, chat, style, Budget(rounds=1))
    offered = [tool["function"]["name"] for tool in chat.requests[-1].tools]
    assert offered == ["Answer"] * (style == "native")
    assert "calls" not in json.dumps(chat.requests[-1].schema)
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "rounds")
    assert FEES in done.answer.text and done.answer.citations
    final = run(library, ScriptedChat([calling(style, SEARCH), answering(style)]), style, Budget(rounds=1))
    assert final.answer.status == "budget_exhausted" and final.answer.text.startswith("Two crowns.")


def test_settings_that_make_no_sense_are_refused():
    chat = ScriptedChat([])
    for wrong in ({"style": "xml"}, {"history": "short"}, {"reply_tokens": 0}):
        with pytest.raises(ValueError, match="expected"):
            ModelPolicy(chat, **wrong)


def test_usage_is_kept_per_turn(library):
    paid = ModelUsage(calls=1, prompt_tokens=100, cached_tokens=40, completion_tokens=7, cost=0.5)
    first, last = calling("native", SEARCH), answering("native")
    script = [ChatReply(reply.text, reply.calls, usage=paid) for reply in (first, last)]
    done = run(library, ScriptedChat(script))
    assert [record.model for record in done.trace.rounds] == [paid, paid]
    assert done.answer.usage.model == paid + paid


def test_cost_is_a_hard_limit(library):
    paid = ModelUsage(calls=1, prompt_tokens=100, completion_tokens=7, cost=0.5)
    turns = [
        ChatReply("", (WishedCall("", "Search", json.dumps({"query": f"fee {n}"})),), usage=paid)
        for n in range(9)
    ]
    done = run(library, ScriptedChat(turns), budget=Budget(cost=1.0))
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "cost")
    assert done.answer.usage.model.cost == 1.5  # the bound, and the last turn


@pytest.mark.parametrize("style", STYLES)
def test_false_citations_are_dropped_before_the_answer_is_given(library, style):
    false = answering(style, words="A late fee of nine crowns is charged for each day")
    chat = ScriptedChat([calling(style, SEARCH), false, false])
    done = run(library, chat, style)
    assert done.answer.status == "not_supported" and "nine" not in done.answer.text
    assert [piece.fault for piece in done.trace.dropped] == ["not_found"]


@pytest.mark.parametrize("style", STYLES)
def test_not_found_is_a_field(library, style):
    """In any wording and language: structure decides, and not the sentence."""
    for text in ("No fee is named.", "Dazu steht nichts in der Bibliothek.", "資料には記載がありません。"):
        done = run(library, ScriptedChat([calling(style, SEARCH), saying(style, text, found=False)]), style)
        assert (done.answer.status, done.answer.text) == ("not_found", text)
        assert done.answer.reason == "no evidence of an answer where it looked: viking://"
        assert done.answer.verdict.outcome == "insufficient"
