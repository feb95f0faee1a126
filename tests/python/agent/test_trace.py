"""A trace survives JSON whole, and reads as a tree."""

from __future__ import annotations

import json

import pytest

from knarr.agent import Agent, Decision, Quote, ScriptedPolicy
from knarr.errors import KnarrError
from knarr.trace.record import Trace
from knarr.trace.view import render

FEES = "viking://handbook/loans/c_2.md"


@pytest.fixture
def trace(library) -> Trace:
    library.pages = {"viking://handbook/loans": 4}
    script = [
        Decision.call("Search", query="late fee"),
        Decision.call("Grep", pattern="(["),
        Decision.answer(
            "Two crowns.",
            Quote(FEES, "A late fee of two crowns is charged"),
            Quote(FEES, "made up words stand here"),
        ),
    ]
    return (
        Agent(library, ScriptedPolicy(script), reranker=None)
        .run('Based on "loans": What is the late fee?')
        .trace
    )


def test_json_round_trip(trace):
    assert Trace.from_json(json.loads(trace.dumps())) == trace
    assert Trace.from_json(trace.dumps()) == trace
    assert json.loads(trace.dumps()) == trace.to_json()


@pytest.mark.parametrize("body", ["{}", "[]", "null", "not json", '{"schema": 99}', '{"rounds": 3}'])
def test_what_is_no_trace_is_refused(body):
    with pytest.raises(ValueError) as caught:
        Trace.from_json(body)
    assert isinstance(caught.value, KnarrError)


def test_rendered_as_a_tree(trace):
    text = render(trace)
    lines = text.split("\n")
    assert lines[0] == trace.question and lines[-1].startswith("└─ ")
    assert FEES in text and "round 1" in text and "round 2" in text
    assert "> A late fee of two crowns is charged" in text and "pages 4-4" in text
    assert "dropped (not_found)" in text and trace.id in lines[-1]


def test_rendering_bounds_what_it_lists(trace):
    assert "… 4 more" in render(trace, uris=1) or "more" in render(trace, uris=1)
    assert max(len(line) for line in render(trace).split("\n")) < 400
