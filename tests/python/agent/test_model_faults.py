"""What a chat model gets wrong, and what it fails at (AG-01…04)."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Budget
from knarr.agent.policy.model_reply import MOST_CALLS
from knarr.errors import ChatError, KnarrError
from knarr.models.chat import ChatReply, ScriptedChat, WishedCall
from knarr.types import ModelUsage
from model_runs import FEES, SEARCH, STYLES, answering, calling, run

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
    assert len(chat.requests) == 1 + 3 + empty.cut  # what was cut off is asked once more, with more room
    assert done.answer.status == "no_answer" and FEES in done.answer.text
    assert "The fee is two crowns." not in done.answer.text
    assert [piece.uri for piece in done.answer.citations] == [FEES]
    assert done.answer.usage.model.calls == 4 + empty.cut


@pytest.mark.parametrize("style", STYLES)
def test_a_reply_that_cannot_be_read_is_told_why(library, style):
    chat = ScriptedChat(
        [calling(style, SEARCH), '{"thought": "it is", "answer": {"found": tr', answering(style)]
    )
    done = run(library, chat, style)
    assert done.answer.status == "answered"
    assert "could not be read" in chat.requests[2].messages[-1]["content"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "error", [ChatError("the server is gone"), TimeoutError(), ConnectionResetError("reset")]
)
def test_a_model_that_fails_ends_the_run_with_what_was_found(library, error, style):
    chat = ScriptedChat([calling(style, SEARCH), error, answering(style)])
    done = run(library, chat, style)
    assert len(chat.requests) == 2
    assert done.answer.status == "failed" and FEES in done.answer.text and done.answer.citations
    assert done.answer.reason.startswith("the model failed: ") and done.answer.verdict.outcome == "unknown"
    assert done.trace.rounds[-1].text.startswith("the model failed: ")
    assert done.answer.usage.model.calls == 1


def test_a_model_that_fails_in_the_last_turn(library):
    chat = ScriptedChat([calling("native", SEARCH), ChatError("gone")])
    done = run(library, chat, budget=Budget(rounds=1))
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "rounds") and done.answer.citations


def test_calls_beyond_the_most_are_no_answers_in_the_last_turn(library):
    wished = tuple(WishedCall(f"id{n}", *SEARCH) for n in range(MOST_CALLS + 5))
    said = answering("native").text
    chat = ScriptedChat([calling("native", SEARCH), ChatReply(said, wished)])
    done = run(library, chat, budget=Budget(rounds=1))
    assert done.answer.text.startswith("Two crowns.") and len(chat.requests) == 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [(ChatError("gone", "quota"), "quota"), (TimeoutError(), "timeout"), (OSError("x"), "unreachable")],
)
def test_a_turn_that_fails_says_of_what_kind_and_what_it_has_cost(library, error, kind):
    cut = ChatReply('{"thought": "', usage=ModelUsage(calls=1, completion_tokens=9), cut=True)
    with pytest.raises(ChatError) as caught:
        run(library, ScriptedChat([cut, error]), "schema", reply_tokens=64)
    assert (caught.value.kind, caught.value.usage.completion_tokens) == (kind, 9)
    assert caught.value.__cause__ is (None if caught.value is error else error)


def test_other_errors_are_bugs_and_are_not_hidden(library):
    with pytest.raises(KnarrError, match="wrong settings"):
        run(library, ScriptedChat([KnarrError("wrong settings")]))
