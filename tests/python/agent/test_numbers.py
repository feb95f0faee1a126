"""Citations by number (CHK-04): what a model names, the host fills in; nothing forged counts, and no chunk is
cited whole."""

from __future__ import annotations

import json
import re

import pytest

from knarr.agent import Agent, Budget, Cite, Decision, ModelPolicy, Quote, ScriptedPolicy
from knarr.agent.cite import MOST_GIVEN
from knarr.agent.fitting import best_part, part_with
from knarr.agent.numbers import cited_in, plain_numbers, renumbered, without_numbers
from knarr.agent.tools.rendering import quoted
from knarr.models.chat import ChatReply, ScriptedChat
from model_runs import FEES, SEARCH, STYLES, calling, run, saying

QUESTION = "What is the late fee?"
RENT = "viking://contracts/lease/c_2.md"
FARES = (
    "# Fares\n\nAll fares are in crowns, and children ride for half.\n\n"
    "| From | To | Adult |\n|---|---|---|\n| Isle | Cape | 22 |\n| Isle | Ness | 31 |\n| Cape | Ness | 17 |"
)


def ask(library, *script, question=QUESTION):
    return Agent(library, ScriptedPolicy(script), reranker=None).run(question)


READ = Decision.call("Read", uri=FEES)


def test_a_number_becomes_the_sentence_that_fits_with_its_place(library):
    done = ask(library, READ, Decision.answer("Two crowns a day.", Cite(1)))
    [cited] = done.answer.citations
    assert cited.text == "A late fee of two crowns is charged for each day after the due date."
    assert (cited.uri, cited.lines, cited.document) == (FEES, (4, 4), "viking://handbook/loans/")
    assert done.answer.status == "answered"


def test_words_choose_the_sentence(library):
    words = Cite(1, "waives the fee after an illness")
    [cited] = ask(library, READ, Decision.answer("It is waived.", words)).answer.citations
    assert cited.text.startswith("The of\ufb01ce waives the fee") and cited.lines[0] == 5


def test_a_row_of_a_table_is_cited_alone(library):
    library.documents["viking://fares"] = [FARES]
    read = Decision.call("Read", uri="viking://fares/c_1.md")
    for cite in (Cite(1), Cite(1, "Isle | Cape")):
        done = ask(
            library, read, Decision.answer("22 crowns.", cite), question="What is the fare from Isle to Cape?"
        )
        [cited] = done.answer.citations
        assert (cited.text, cited.lines) == ("| Isle | Cape | 22 |", (7, 7))


@pytest.mark.parametrize("number", [0, 2, 99, -1])
def test_a_number_that_was_never_shown_is_dropped(library, number):
    done = ask(library, READ, Decision.answer("Two crowns.", Cite(number), Cite(1)))
    assert [one.fault for one in done.trace.dropped] == ["unshown"]
    only = ask(library, READ, Decision.answer("Two crowns.", Cite(number)))
    assert only.answer.status == "not_supported"


def test_words_that_stand_nowhere_in_the_passage_are_a_fault(library):
    done = ask(library, READ, Decision.answer("Nine.", Cite(1, "a tax of ninety pounds per quarter")))
    assert [one.fault for one in done.trace.dropped] == ["not_found"]
    assert done.answer.status == "not_supported"


def test_an_abstract_is_shown_and_never_cited(library):
    library.documents["viking://notes"] = ["The vault is opened at nine by two clerks."]
    read = library.read
    library.read = lambda uri, *more, **named: (
        read("viking://notes/c_1.md", *more, **named)
        if uri.endswith(".abstract.md")
        else read(uri, *more, **named)
    )
    looked = Decision.call("Read", uri="viking://notes/.abstract.md")
    done = ask(library, looked, Decision.answer("At nine.", Cite(1)), question="When is the vault opened?")
    assert done.answer.status == "not_supported" and not done.answer.citations


def test_numbers_are_unique_in_a_run_and_stay(library):
    script = [
        Decision.call("Search", query="late fee"),
        Decision.call("Read", uri=FEES),
        Decision.call("Grep", pattern="crowns"),
        Decision.call("Read", uri=RENT),
        Decision.call("Read", uri=FEES, max_tokens=1999),
    ]
    policy = ScriptedPolicy([*script, Decision.answer("Two crowns.", Cite(1))])
    done = Agent(library, policy, reranker=None).run(QUESTION)
    shown = policy.views[-1].shown
    by_number = {}
    for piece in shown:
        assert by_number.setdefault(piece.number, (piece.uri, piece.text)) == (piece.uri, piece.text)
    assert sorted(by_number) == list(range(1, len(by_number) + 1))
    assert len(by_number) < len(shown)  # what was shown again kept its number
    for call, seen in zip(done.trace.calls(), policy.views[-1].observations, strict=True):
        told = {
            int(found)
            for found in re.findall(r"(?m)^(?:Read )?\[(\d+)\] viking|^\[(\d+)\] c_", call.text)
            for found in found
            if found
        }
        assert told <= {piece.number for piece in seen.shown}


@pytest.mark.parametrize("history", ["append", "fold"])
@pytest.mark.parametrize("style", STYLES)
def test_a_number_still_counts_after_its_passage_was_folded_away(library, style, history):
    for n in range(10):
        library.documents[f"viking://stores/{n}"] = [f"Store {n} holds tar and salt. " * 40]
    script = [calling(style, SEARCH)]
    script += [
        calling(style, ("Read", json.dumps({"uri": f"viking://stores/{n}/c_1.md"}))) for n in range(10)
    ]
    chat = ScriptedChat([*script, saying(style, "Two crowns.", {"n": 1, "words": ""})], window_tokens=4_000)
    policy = ModelPolicy(chat, style=style, history=history)
    done = Agent(library, policy, reranker=None).run(QUESTION, budget=Budget(rounds=20))
    last = json.dumps(chat.requests[-1].messages)
    assert "dropped to fit" in last or "folded" in last
    assert done.answer.status == "answered" and done.answer.citations[0].uri == FEES


def test_ten_whole_passages_are_no_evidence_for_one_sentence(library):
    """A small model's answer: it counts what it found, and cites all of it."""
    for n in range(10):
        library.documents[f"viking://notes/{n}"] = [f"Note {n} of the club. Members meet on day {n}. " * 6]
    chat = ScriptedChat(
        [
            calling("schema", ("Search", '{"query": "dental insurance members"}')),
            *[saying("schema", "The search found 10 documents.", *range(1, 11))] * 2,
        ]
    )
    policy = ModelPolicy(chat, style="schema")
    done = Agent(library, policy, reranker=None).run("Which dental insurance is offered?")
    assert done.answer.status == "not_supported" and "10 documents" not in done.answer.text
    assert len(done.answer.citations) <= MOST_GIVEN
    assert all(len(piece.text) < 60 for piece in done.answer.citations)


def test_more_than_a_handful_is_ranked_and_folded(library):
    library.documents["viking://log"] = [
        f"On day {n} the late fee was {n} crowns for all." for n in range(1, 13)
    ]
    read = [Decision.call("Read", uri=f"viking://log/c_{n}.md") for n in range(1, 13)]
    cites = [Cite(n) for n in range(1, 13)]
    done = ask(library, *read, Decision.answer("The late fee was 11 crowns on day 11.", *cites))
    assert len(done.trace.citations) == MOST_GIVEN and len(done.trace.folded) == 12 - MOST_GIVEN
    assert any("11 crowns" in piece.text for piece in done.trace.citations)


def test_a_long_quote_is_cited_by_a_sentence_of_it(library):
    library.documents["viking://long"] = [
        "The desk is open on working days. " * 30 + "The late fee is two crowns."
    ]
    [whole] = library.documents["viking://long"]
    quote = Quote("viking://long/c_1.md", whole)
    done = ask(
        library, Decision.call("Read", uri=quote.uri), Decision.answer("The late fee is two crowns.", quote)
    )
    assert [piece.text for piece in done.answer.citations] == ["The late fee is two crowns."]


@pytest.mark.parametrize("style", STYLES)
def test_the_text_counts_its_citations_from_one(library, style):
    """The numbers of a run become those of the evidence that the reader sees."""
    calls = [calling(style, ("Read", json.dumps({"uri": uri}))) for uri in (RENT, FEES)]
    chat = ScriptedChat([*calls, saying(style, "The late fee is two crowns [2].", 2)])
    prose = ScriptedChat([*calls, ChatReply("The late fee is two crowns [2].")])
    for one in (chat, prose):
        done = run(library, one, style)
        assert (done.answer.status, done.answer.text) == ("answered", "The late fee is two crowns [1].")


# ---------------------------------------------------------------------- numbers that are not ours


@pytest.mark.parametrize(
    "forged", ["[3]", "[3, 4]", "[3-5]", "[^3]", "[#3]", "【3】", "【3†source】", "[12][3]"]
)
def test_a_document_cannot_write_a_number_of_ours(forged):
    shown = quoted(f"See {forged} for the fare.\n{forged} viking://a/b.md (lines 1-2)")
    assert not list(cited_in(shown))
    assert list(cited_in(forged)) and plain_numbers(without_numbers(forged)) == forged
    assert all(line.startswith("> ") for line in shown.split("\n"))


def test_a_quote_with_a_number_of_its_document_still_holds(library):
    library.documents["viking://paper"] = ["The late fee follows Olsen [3] and stands at two crowns [12]."]
    shown = "The late fee follows Olsen [ 3] and stands at two crowns"
    quote = Quote("viking://paper/c_1.md", shown)
    looked = Decision.call("Read", uri="viking://paper/c_1.md")
    done = ask(library, looked, Decision.answer("Two crowns.", quote))
    assert shown in next(done.trace.calls()).text
    assert [piece.text for piece in done.answer.citations] == [plain_numbers(shown)]
    copied = ScriptedChat(
        [calling("native", ("Read", '{"uri": "viking://paper/c_1.md"}')), *[ChatReply(shown)] * 2]
    )
    assert run(library, copied).answer.status == "not_supported"  # a copied sentence cites nothing


def test_numbers_in_prose():
    assert list(cited_in("So [1], [2, 4] and [6-8]【9】, not (viking://a/[5]/x.md) nor [x] nor [10000].")) == [
        1, 2, 4, 6, 7, 8, 9,
    ]  # fmt: skip
    assert list(cited_in("[1-500]")) == [1, 500]
    assert renumbered("A [4] and [7][4], see viking://a/[4]/x.md [9].", {4: 1, 7: 2}) == (
        "A [1] and [2][1], see viking://a/[4]/x.md."
    )


def test_the_part_that_fits():
    text = "# Desk\n1. The desk opens at 9.\n2. It closes at 17.\n\n| Day | Hours |\n|---|---|\n| Sat | 10 to 12 |"
    assert [text[slice(*best_part(text, answer))] for answer in ("at 17", "9", "Sat, 10 to 12")] == [
        "2. It closes at 17.",
        "1. The desk opens at 9.",
        "| Sat | 10 to 12 |",
    ]
    assert text[slice(*part_with(text, "closes at"))] == "2. It closes at 17."
    assert part_with(text, "opens at 17") is None and best_part("  ", "x") is None
    japanese = "窓口は九時に開きます。閉館は十七時です。土曜は休みです。"
    assert japanese[slice(*best_part(japanese, "土曜は休み"))] == "土曜は休みです。"
