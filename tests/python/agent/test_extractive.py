"""The policy that needs no model: it finds, follows, quotes, and says when nothing is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from knarr.agent import Agent, Budget, ExtractivePolicy
from knarr.language.citations import locate
from knarr.language.lexical import root, terms
from knarr.language.question import Coverage, constraints, parts

MANUAL = "viking://manuals/widget_2.1.0"


class WordRanker:
    """Stands in for the cross-encoder: a logit from words in common."""

    def scores(self, query, passages):
        asked = set(terms(query))
        shares = [len(asked & set(terms(text))) / max(1, len(asked)) for text in passages]
        return np.asarray([16 * share - 9 for share in shares], dtype=np.float32)


@pytest.fixture(params=[None, WordRanker()], ids=["without reranker", "with reranker"])
def agent(library, request) -> Agent:
    return Agent(library, ExtractivePolicy(request.param), reranker=request.param)


def test_answers_by_quoting(library, agent):
    done = agent.run("What is the late fee for each day after the due date?")
    assert done.answer.status == "answered" and "two crowns" in done.answer.text
    assert not done.trace.dropped
    for piece in done.answer.citations:
        assert locate(piece.text, library.read(piece.uri).text)
    assert done.answer.citations[0].uri == "viking://handbook/loans/c_2.md"


def test_stays_inside_the_document_that_is_named(agent):
    question = "Consider the LEASE AGREEMENT between Harbour Sheds Ltd and Olga Nilsen Boats Inc.. What notice ends it?"
    done = agent.run(question)
    assert (
        done.trace.resolution.scopes[0][0].startswith("viking://contracts/lease")
        and not done.trace.resolution.wide
    )
    assert all(uri.startswith("viking://contracts/lease") for call in done.trace.calls() for uri in call.uris)
    assert "three months" in done.answer.text


def test_a_version_is_answered_from_its_own_document(agent):
    done = agent.run("What is the default timeout of the widget in version 2.1.0?")
    assert "thirty seconds" in done.answer.text and "ten seconds" not in done.answer.text


def test_says_when_nothing_is_there(agent):
    for question in ("What does ERR_NO_SUCH_THING mean?", "Which zebra painted the lighthouse purple?"):
        done = agent.run(question)
        assert done.answer.status == "not_found" and done.answer.text and not done.answer.citations


def test_follows_a_name_to_its_document(library, agent):
    library.documents |= {
        "viking://wiki/Grey_Heron_boat": [
            "The Grey Heron is a fishing boat built by Olga Nilsen in the harbour."
        ],
        "viking://wiki/Olga_Nilsen": [
            "Olga Nilsen was born in Vardo, learnt her trade there and speaks nine languages."
        ],
    }
    library.seq += 1
    done = agent.run("Where was the builder of the fishing boat Grey Heron born?")
    assert any("Vardo" in call.text for call in done.trace.calls())


def test_asks_for_what_is_uncovered(library, agent):
    library.documents["viking://long/log"] = [
        f"Entry {n}. The winch was greased and the line was coiled." for n in range(90)
    ] + ["Code AX-771 marks a worn winch drum."]
    library.seq += 1
    done = agent.run("What does the winch line code AX-771 mean?")
    assert any("worn winch drum" in call.text for call in done.trace.calls())


def test_shows_each_passage_once(agent):
    done = agent.run("What is the rent of the lease, and when is the rent payable?")
    lines = [
        line
        for call in done.trace.calls()
        if call.tool == "Search"
        for line in call.text.split("\n")
        if line.startswith("> ") and len(line) > 40
    ]
    assert len(lines) == len(set(lines))


def test_one_policy_serves_many_threads(library):
    policy = ExtractivePolicy(WordRanker())
    questions = [
        "What is the late fee?",
        "What is the rent of the lease?",
        "How long does a loan of equipment last?",
    ] * 4

    def ask(question):
        return Agent(library, policy, reranker=WordRanker()).run(question).answer.text

    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(ask, questions))
    assert together == [ask(question) for question in questions]


def test_tokens_stay_within_the_budget(agent):
    answer = agent.ask("What is the late fee?", budget=Budget(tokens=150))
    assert answer.usage.tokens_shown <= 300 and answer.status in ("answered", "budget_exhausted", "not_found")


def test_rows_come_with_their_column_names(library, agent):
    library.documents["viking://tables/fares"] = [
        "# Fares\n\n| Class | Seats | Price |\n|---|---|---|\n| harbour ferry | 40 | 12 crowns |\n| island ferry | 90 | 30 crowns |"
    ]
    library.seq += 1
    done = agent.run("What is the price of the island ferry?")
    assert done.answer.text.startswith("Price: 30 crowns (Class: island ferry)")


def test_constraints_pin_down_the_question():
    found = constraints(
        'Does ERR_TLS_CERT in Node.js 16.20.2 match "no such peer" for Olga Nilsen on 3 May 2019?'
    )
    assert [(c.kind, c.text) for c in found] == [
        ("quoted", "no such peer"),
        ("identifier", "ERR_TLS_CERT"),
        ("identifier", "Node.js"),
        ("number", "3 May 2019"),
        ("name", "Olga Nilsen"),
        ("number", "16.20.2"),
    ]
    assert not constraints("Does the lease end?") and not constraints("What is it?")


def test_coverage_knows_what_is_missing(library):
    shown = Agent(library, ExtractivePolicy(None), reranker=None).run("What is the late fee?")
    assert shown.trace
    assert Coverage([]).missing(constraints("Who is Olga Nilsen?"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the fee, and when is it due?", ("What is the fee", "when is it due?")),
        (
            "Which rent is promised, and which was paid in May?",
            ("Which rent is promised", "which rent was paid in May?"),
        ),
        ("What is the fee of bread and butter?", ("What is the fee of bread and butter?",)),
        ("Who, and why?", ("Who, and why?",)),
        ("?", ("?",)),
    ],
)
def test_parts_of_a_question(question, expected):
    assert parts(question) == expected


def test_roots_meet():
    assert root("assigned") == root("assignment") == root("assigns") == root("assign")
    assert root("bus") == "bus" and root("") == ""
