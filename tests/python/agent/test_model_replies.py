"""What a chat model says becomes a decision, or a fault it is told about; reasoning is never an answer."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Cite, Draft, Excerpt, Quote
from knarr.agent.policy.model_reply import MOST_CALLS, broke_off, quotes_in, read_answer, read_text
from knarr.models.chat import ChatReply, WishedCall
from knarr.types import ModelUsage, Provenance

FEES = "viking://handbook/loans/c_2.md"
BAND = "viking://music/Pliers_(singer)/Pliers_(singer)_1.md"


def piece(uri: str, text: str) -> Excerpt:
    return Excerpt(uri, text, Provenance("viking://x/", 1, (), (1, 1), None), 0)


SHOWN = (
    piece(FEES, 'A late fee of two crowns is charged. He said "no" to it.'),
    piece(BAND, "Pliers is a Jamaican singer of great renown."),
)


def read(text: str, *, schema: bool = True, final: bool = False, cut: bool = False):
    return read_text(text, SHOWN, ModelUsage(calls=1), schema=schema, final=final, cut=cut)


def calls_of(decision) -> list[tuple[str, object]]:
    return [(call.tool, call.arguments) for call in decision.calls]


CALL = {"tool": "Search", "arguments": {"query": "fee"}}


@pytest.mark.parametrize("schema", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"thought": "t", "calls": [CALL]}),
        "```json\n" + json.dumps({"thought": "t", "calls": [CALL]}) + "\n```",
        '<tool_call>\n{"name": "Search", "arguments": {"query": "fee"}, "thought": "t"}\n</tool_call>',
        json.dumps({"thought": "t", "calls": CALL}),
        json.dumps({"thought": "t", **CALL}),
        json.dumps({"name": "Search", "arguments": {"query": "fee"}, "thought": "t"}),
        '{"thought": "t", "calls": [{"tool": "Search", "arguments": {"query": "fee"},}]}',
        '{"thought": "t", "calls": [{"tool": "Search", "arguments": {"query": "fee"}}',
        json.dumps({"thought": "t", "calls": [CALL], "answer": {"text": "too early", "found": True}}),
    ],
)
def test_calls_are_read_from_an_object(text, schema):
    decision = read(text, schema=schema)
    assert calls_of(decision) == [("Search", {"query": "fee"})]
    assert (decision.draft, decision.text, decision.fault) == (None, "t", "")


def test_prose_around_the_object_is_passed_over_where_an_object_was_asked_for():
    text = f"Sure, I will search. {json.dumps({'thought': 't', 'calls': [CALL]})} Done."
    assert calls_of(read(text)) == [("Search", {"query": "fee"})]


def test_a_call_quoted_inside_a_plain_answer_is_not_made():
    text = f'The page says "{json.dumps(CALL)}" and nothing else.'
    decision = read(text, schema=False)
    assert not decision.calls and decision.draft.text == text


def test_wrong_arguments_are_passed_on_to_be_refused():
    listed = [{"tool": "Search", "arguments": [1]}, {"tool": 7}, "Search", {"arguments": {}}]
    decision = read(json.dumps({"thought": "", "calls": listed}))
    assert calls_of(decision) == [("Search", "[1]"), ("7", {}), ("null", {})]


def test_a_flood_of_calls_is_bounded():
    decision = read(json.dumps({"thought": "", "calls": [CALL] * 500}))
    assert len(decision.calls) == MOST_CALLS


def test_an_answer_carries_its_quotes():
    answer = {
        "found": True,
        "text": "Two crowns.",
        "quotes": [{"uri": FEES, "text": "A late fee of two crowns"}],
    }
    draft = read(json.dumps({"thought": "enough", "answer": answer})).draft
    assert (draft.text, draft.found) == ("Two crowns.", True)
    assert draft.quotes == (Quote(FEES, "A late fee of two crowns"),)


def test_quotes_of_a_wrong_shape_are_left_out_and_short_names_made_whole():
    quotes = [
        {"uri": FEES},
        {"uri": 3, "text": "x"},
        "words",
        {"uri": "c_2.md", "text": "A late fee"},
        {"uri": FEES, "text": " "},
    ]
    draft = read(json.dumps({"answer": {"found": True, "text": "Two.", "quotes": quotes}})).draft
    assert draft.quotes == (Quote(FEES, "A late fee"),)
    assert read(json.dumps({"answer": {"text": "Two.", "quotes": "none"}})).draft.quotes == ()


@pytest.mark.parametrize("found", [False, "false", "no", 0])
def test_not_found_by_field(found):
    text = json.dumps({"thought": "", "answer": {"found": found, "text": "No fee is named.", "quotes": []}})
    draft = read(text).draft
    assert not draft.found and draft.text == "No fee is named."


@pytest.mark.parametrize(
    "text",
    [
        "The library does not hold the answer: no account number is given.",
        "I'm sorry, but the library doesn't contain any information on that.",
        "NOT FOUND",
        "**The library does not hold the answer.**",
    ],
)
def test_plain_words_are_never_taken_for_a_refusal(text):
    """A wording decides nothing: without a citation such a text is no answer either, so nothing is lost."""
    draft = read(text, schema=False).draft
    assert draft.found and not draft.cites and not draft.quotes
    assert read(json.dumps({"answer": text, "found": False})).draft.found is False


@pytest.mark.parametrize(
    "text",
    ["The library does not have a late fee.", "It is not found there.", "The documents do not expire."],
)
def test_a_negative_answer_is_an_answer(text):
    assert read(text, schema=False).draft.found is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\t ",
        "<think>the fee is two crowns</think>",
        "<think>the fee is two crowns",
        '<think>x</think>{"thought": "the fee is two crowns"}',
        '{"thought": "the fee is two crowns"}',
        '{"thought": "t", "answer": {"found": true, "text": "<think>two crowns</think>"}}',
        '{"thought": "t", "answer": null}',
        '{"thought": "t", "calls": []}',
        '{"thought": "t", "answer": {"found": true, "text": "Two cr',
        '[{"tool": "Search", "arguments": {}}]',
        '[TOOL_CALLS] [{"name": "Search", "arguments": {}}]',
        json.dumps({"thought": "a", "calls": [CALL]}) + json.dumps({"thought": "b", "calls": [CALL]}),
    ],
)
@pytest.mark.parametrize("schema", [True, False])
def test_what_is_no_answer_is_none(text, schema):
    decision = read(text, schema=schema)
    assert not decision.calls and decision.draft is None
    assert len(decision.fault) < 500
    assert bool(decision.fault) is ("{" in text)


def test_prose_where_an_object_was_asked_for():
    prose = "I will search for the late fee now."
    assert read(prose).draft is None and "no JSON object" in read(prose).fault
    assert read(prose, final=True).draft.text == prose
    assert read(f'Two: "A late fee of two crowns" ({FEES})').draft.quotes


def test_a_cut_reply_is_told_so():
    assert "broke off" in read('{"thought": "so many', cut=True).fault
    assert "broke off" in read("", cut=True).fault
    draft = read("Two crowns, as the", schema=False, cut=True).draft
    assert (draft.text, draft.cut) == ("Two crowns, as the", True)


CUT = [
    '{"thought": "t", "answer": "Two crowns, as the',
    '{"thought": "t", "found": true, "answer": "Two crowns, as the',
    '{"thought": "t", "answer": {"found": true, "text": "Two crowns, as the',
    '{"thought": "t", "answer": "Two crowns, as the", "found": true, "cites": [',
    '{"thought": "t", "answer": "Two crowns, as the", "found": true, "cites": [1, {"n": 2, "wor',
    '{"thought": "t", "answer": "Two crowns, as the\\',
    '{"thought": "t", "answer": "Two crowns, as the\\u00',
]


@pytest.mark.parametrize("text", CUT)
@pytest.mark.parametrize("schema", [True, False])
def test_an_answer_that_breaks_off_anywhere_is_said_to_be_cut(text, schema):
    draft = read(text, schema=schema, cut=True).draft
    assert (draft.text, draft.cut) == ("Two crowns, as the", True)
    reply = read_answer(text, SHOWN, ModelUsage(), cut=True).draft
    assert (reply.text, reply.cut) == ("Two crowns, as the", True)


def test_a_whole_object_before_white_space_up_to_the_bound_is_not_cut():
    text = json.dumps({"thought": "", "answer": "Two.", "found": True, "cites": [1]}) + " \n" * 50
    assert read(text, cut=True).draft == Draft("Two.", cites=(Cite(1),))
    assert not broke_off(ChatReply(text, cut=True)) and broke_off(ChatReply(text[:40], cut=True))
    whole = (WishedCall("", "Search", '{"query": "x"}'),)
    assert not broke_off(ChatReply("", whole, cut=True)) and not broke_off(ChatReply("Two", cut=False))
    assert broke_off(ChatReply("", (WishedCall("", "Search", '{"query": "x'),), cut=True))


@pytest.mark.parametrize(
    ("cites", "read_as"),
    [
        ([1, 2], [Cite(1), Cite(2)]),
        (["1", "[2]", "[1, 3]"], [Cite(1), Cite(2), Cite(3)]),
        ([{"n": 1, "words": "two crowns"}], [Cite(1, "two crowns")]),
        ([{"number": "2"}, {"passage": 1, "quote": "x"}], [Cite(2), Cite(1, "x")]),
        (1, [Cite(1)]),
        ([1.0, 1.5, True, None, "one", {}, [], -1], [Cite(1), Cite(-1)]),
        ([1, 1, 1], [Cite(1)]),
        ("none", []),
    ],
)
def test_citations_by_number_in_any_form(cites, read_as):
    text = json.dumps({"thought": "", "answer": "Two.", "found": True, "cites": cites})
    assert list(read(text).draft.cites) == read_as
    assert list(read_answer(text, SHOWN, ModelUsage(), cut=False).draft.cites) == read_as


def test_numbers_are_read_in_linear_time():
    """White space before what is no number: a pattern that goes back over it would not end."""
    text = json.dumps(
        {"answer": "Two.", "cites": ["1" + " " * 5_000 + "x", "1" + "], [" * 5_000 + "2", " [2] , 7 "]}
    )
    assert read_answer(text, SHOWN, ModelUsage(), cut=False).draft.cites == (Cite(2), Cite(7))


def test_an_answer_tool_that_cannot_be_read_is_told_why():
    for wrong in ("", "[]", "{}", '{"answer": ""}', '{"answer": 3}', "null"):
        decision = read_answer(wrong, SHOWN, ModelUsage(), cut=False)
        assert decision.draft is None and "Your Answer could not be read" in decision.fault


def test_the_text_around_reasoning_is_kept():
    assert read("Two <think>or three?</think>crowns.", schema=False).draft.text == "Two crowns."


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        (f'Two crowns: "A late fee of two crowns" ({FEES}).', [(FEES, "A late fee of two crowns")]),
        (f"“A late fee of two crowns”, [{FEES}]", [(FEES, "A late fee of two crowns")]),
        (f"«A late fee of two crowns» <{FEES}>", [(FEES, "A late fee of two crowns")]),
        (f'The "fee" is "A late fee of two crowns" ({FEES})', [(FEES, "A late fee of two crowns")]),
        (f'"He said "no" to it." ({FEES})', [(FEES, 'He said "no" to it.')]),
        (f'"Pliers is a Jamaican singer" ({BAND}), he sang.', [(BAND, "Pliers is a Jamaican singer")]),
        (
            f'"A late fee" ({FEES})and "Pliers is a Jamaican singer" ({BAND})',
            [(FEES, "A late fee"), (BAND, "Pliers is a Jamaican singer")],
        ),
        (f"Two crowns ({FEES}).", []),
        ('"A late fee of two crowns" (c_2.md)', []),
        (f'"" ({FEES})', []),
    ],
)
def test_quotes_are_found_in_plain_text(text, quotes):
    assert [(quote.uri, quote.text) for quote in quotes_in(text, SHOWN)] == quotes


def test_hostile_text_is_survived():
    for text in (
        '"' * 200_000,
        f'" ({FEES})' * 5_000,
        "(" * 200_000,
        " " * 200_000 + f"({FEES})",
        "{" * 200_000,
    ):
        for decision in (read(text), read(text, schema=False)):
            assert not decision.calls and len(decision.fault) < 500
