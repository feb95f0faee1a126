"""A chat model drives the loop, in both styles: AG-01…04, and what leaves to the model."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Agent, Budget, ModelPolicy
from knarr.errors import ChatError, KnarrError
from knarr.llm import ChatReply, ScriptedChat, WishedCall
from knarr.types import ModelUsage
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


def run(library, chat, style="native", budget=None, scope="viking://", **options):
    policy = ModelPolicy(chat, style=style, **options)
    done = Agent(library, policy, reranker=None).run("What is the late fee?", scope, 10, budget)
    for request in chat.requests:
        strict(request)
    return done


def extends(earlier, later) -> bool:
    """Whether the later request is the earlier one with more at its end, byte for byte."""
    head = [json.dumps(message) for message in later.messages[: len(earlier.messages)]]
    return head == [json.dumps(message) for message in earlier.messages]


SEARCH = ("Search", '{"query": "late fee"}')


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
    ]
    assert native.requests[0].schema is None
    assert not any(request.tools for request in schema.requests)
    told = schema.requests[0].messages[0]["content"]
    assert all(f"\n{name}: " in told for name in ("Search", "List", "Grep", "Read")) and "{{" not in told
    first, second = (json.dumps(request.schema) for request in schema.requests)
    assert '"calls"' in first and '"answer"' not in first  # nothing was looked up yet
    assert '"calls"' in second and '"answer"' in second and FEES in second  # what may be cited
    assert '"minItems": 1' in second.partition('"answer"')[2]  # what was found has a quote


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
def test_the_last_turn_offers_no_tool_and_takes_none(library, style):
    chat = ScriptedChat([calling(style, SEARCH), calling(style, ("List", "{}"))])
    done = run(library, chat, style, Budget(rounds=1))
    assert not chat.requests[-1].tools and "calls" not in json.dumps(chat.requests[-1].schema)
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "rounds")
    assert FEES in done.answer.text and done.answer.citations
    final = run(library, ScriptedChat([calling(style, SEARCH), answering(style)]), style, Budget(rounds=1))
    assert final.answer.status == "budget_exhausted" and final.answer.text.startswith("Two crowns.")


# -- how the style is found out


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
    first, second = (
        Agent(library, ModelPolicy(chat), reranker=None).ask("What is the late fee?") for _ in range(2)
    )
    assert (first.status, second.status) == ("no_answer", "answered")


def test_settings_that_make_no_sense_are_refused():
    chat = ScriptedChat([])
    for wrong in ({"style": "xml"}, {"history": "short"}, {"reply_tokens": 0}):
        with pytest.raises(ValueError, match="expected"):
            ModelPolicy(chat, **wrong)


# -- AG-01, AG-02, AG-03

MALFORMED = [
    '{"query":"x",}',
    "",
    "null",
    "[1]",
    '{"query":"x"} thanks',
    '{"query": \\n"x"}',
    '{"k":"five"}',
    '{"query":"x","colour":1}',
    '{"query":"' + "x" * 1_000_000 + '"}',
    "{" * 100_000,
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("raw", MALFORMED)
def test_after_malformed_arguments_the_next_request_is_valid(library, raw, style):
    chat = ScriptedChat([calling(style, ("Search", raw)), calling(style, SEARCH), answering(style)])
    done = run(library, chat, style)
    assert done.answer.status == "answered" and len(chat.requests) == 3
    assert len(json.dumps(chat.requests[1].messages)) < 12_000
    said = chat.requests[1].messages[-1]["content"]
    assert len(said) < 1_500 and ("Search" in said or "longer than" in said)


@pytest.mark.parametrize("style", STYLES)
def test_unknown_tools_are_named_and_none_is_guessed(library, style):
    wrong = ["serach", "execute_python", "Search "]
    chat = ScriptedChat(
        [
            *(calling(style, (name, '{"query": "x"}')) for name in wrong),
            calling(style, SEARCH),
            answering(style),
        ]
    )
    done = run(library, chat, style)
    assert done.answer.status == "answered"
    assert all("Search, List, Grep, Read" in r.messages[-1]["content"] for r in chat.requests[1:4])
    assert [call for call in library.calls if call[0] == "search"] == [("search", "late fee")]


class Breaking:
    """A library whose Grep raises, and whose List takes too long."""

    def __init__(self, library) -> None:
        self._library = library

    def __getattr__(self, name):
        return getattr(self._library, name)

    def grep(self, *_args, **_kwargs):
        raise RuntimeError("secret")

    def list(self, uri="viking://", *args):
        if uri == "viking://handbook":
            raise TimeoutError("no reply within 30 s")
        return self._library.list(uri, *args)


@pytest.mark.parametrize("style", STYLES)
def test_four_calls_have_four_replies_in_order(library, style):
    four = (
        SEARCH,
        ("Grep", '{"pattern": "fee"}'),
        ("List", '{"uri": "viking://handbook"}'),
        ("Fetch", "{}"),
    )
    chat = ScriptedChat([calling(style, *four), answering(style)])
    done = run(Breaking(library), chat, style)
    assert done.answer.status == "answered"
    calls = list(done.trace.calls())
    assert [call.tool for call in calls] == ["Search", "Grep", "List", "Fetch"]
    assert [bool(call.error) for call in calls] == [False, True, True, True]
    sent = json.dumps(chat.requests[1].messages)
    assert "secret" not in sent
    if style == "native":
        replies = chat.requests[1].messages[-4:]
        assert [reply["role"] for reply in replies] == ["tool"] * 4
        assert len({reply["tool_call_id"] for reply in replies}) == 4


def test_empty_and_repeated_ids_become_unique(library):
    wished = tuple(
        WishedCall(name, "List", json.dumps({"offset": n})) for n, name in enumerate(["", "a", "a", ""])
    )
    chat = ScriptedChat([ChatReply("", wished), ChatReply("", wished), answering("native")])
    assert run(library, chat).answer.status == "answered"


# -- AG-04

EMPTY = [
    ChatReply(""),
    ChatReply("  \n"),
    ChatReply("", reasoning="The fee is two crowns."),
    ChatReply("<think>The fee is two crowns.</think>"),
    ChatReply("<think>The fee is two crowns."),
    ChatReply("", cut=True),
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("empty", EMPTY)
def test_empty_replies_end_with_what_was_found(library, empty, style):
    chat = ScriptedChat([calling(style, ("Read", json.dumps({"uri": FEES}))), *[empty] * 9])
    done = run(library, chat, style, Budget(nudges=2))
    assert len(chat.requests) == 1 + 3
    assert done.answer.status == "no_answer" and FEES in done.answer.text
    assert "The fee is two crowns." not in done.answer.text
    assert [piece.uri for piece in done.answer.citations] == [FEES]
    assert done.answer.usage.model.calls == 4


@pytest.mark.parametrize("style", STYLES)
def test_a_reply_that_cannot_be_read_is_told_why(library, style):
    chat = ScriptedChat(
        [calling(style, SEARCH), '{"thought": "it is", "answer": {"found": tr', answering(style)]
    )
    done = run(library, chat, style)
    assert done.answer.status == "answered"
    assert "could not be read" in chat.requests[2].messages[-1]["content"]


# -- failures of the model


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "error", [ChatError("the server is gone"), TimeoutError(), ConnectionResetError("reset")]
)
def test_a_model_that_fails_ends_the_run_with_what_was_found(library, error, style):
    chat = ScriptedChat([calling(style, SEARCH), error, answering(style)])
    done = run(library, chat, style)
    assert len(chat.requests) == 2
    assert done.answer.status == "no_answer" and FEES in done.answer.text and done.answer.citations
    assert done.trace.rounds[-1].text.startswith("the model failed: ")
    assert done.answer.usage.model.calls == 1


def test_a_model_that_fails_in_the_last_turn(library):
    chat = ScriptedChat([calling("native", SEARCH), ChatError("gone")])
    done = run(library, chat, budget=Budget(rounds=1))
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "rounds") and done.answer.citations


def test_other_errors_are_bugs_and_are_not_hidden(library):
    with pytest.raises(KnarrError, match="wrong settings"):
        run(library, ScriptedChat([KnarrError("wrong settings")]))


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
    chat = ScriptedChat([calling(style, SEARCH), false])
    done = run(library, chat, style)
    assert not done.answer.citations and [piece.fault for piece in done.trace.dropped] == ["not_found"]


@pytest.mark.parametrize("style", STYLES)
def test_not_found_is_a_status(library, style):
    text = "The library does not hold the answer: no fee is named."
    reply = (
        text if style == "native" else json.dumps({"thought": "", "answer": {"found": False, "text": text}})
    )
    assert run(library, ScriptedChat([calling(style, SEARCH), reply]), style).answer.status == "not_found"
