"""Traces: any survives JSON, old ones still load, and the drawing is whole, bounded and safe."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.trace import drawing
from knarr.trace.drawing import DrawingNode, draw
from knarr.trace.record import SCHEMA, RoundRecord, Trace
from knarr.trace.view import render
from knarr.types import Citation
from make_traces import FEES, LOANS, QUOTE, RATES, few, full_trace, traces

SCHEMA_1 = """
{"id": "0011223344556677", "question": "What is the fee?", "scope": "viking://", "policy": "ExtractivePolicy",
 "created_at": "2026-01-02T03:04:05.678+00:00",
 "resolution": {"scopes": [["viking://handbook/", 0.5]], "words": ["handbook"], "wide": false},
 "rounds": [
  {"number": 1, "text": "", "decide_ms": 1.5, "calls": [
   {"id": "c1", "tool": "Search", "arguments": {"query": "fee"}, "uris": ["viking://handbook/a_1.md"],
    "tokens": 12, "ms": 2.5, "error": "", "note": "", "text": "> The fee is 3."}]},
  {"number": 2, "text": "", "decide_ms": 0.5, "calls": []}],
 "status": "answered", "text": "3.",
 "citations": [{"uri": "viking://handbook/a_1.md", "text": "The fee is 3.", "lines": [1, 2], "pages": null,
                "document": "viking://handbook"}],
 "dropped": [{"uri": "viking://handbook/a_1.md", "text": "no", "fault": "too_short"}],
 "usage": {"tokens_by_tool": {"Search": 12}, "calls": {"Search": 1}, "ms": {"decide": 2.0}},
 "spent": "", "schema": 1}
"""


@few
@given(traces)
def test_any_trace_survives_json(trace: Trace) -> None:
    assert Trace.from_json(json.loads(trace.dumps())) == trace
    assert Trace.from_json(trace.dumps()) == trace


def test_the_full_trace_survives_json() -> None:
    trace = full_trace()
    assert Trace.from_json(trace.dumps()) == trace


def test_schema_1_still_loads_and_is_drawn() -> None:
    trace = Trace.from_json(SCHEMA_1)
    assert trace.schema == SCHEMA
    assert (trace.mode, trace.checks, trace.versions) == ("vikingrag", (), {})
    assert trace.rounds[0].calls[0].text == "> The fee is 3." and trace.rounds[0].calls[0].edges == ()
    assert trace.rounds[0].model.calls == 0 and trace.usage.model.calls == 0
    assert trace.citations[0].lines == (1, 2) and trace.dropped[0].fault == "too_short"
    assert Trace.from_json(trace.dumps()) == trace
    assert "viking://handbook/a_1.md (lines 1-2)" in render(trace)


@few
@given(traces, st.sampled_from([0, 1, 40, 80, 120]))
def test_drawing_never_fails_and_holds_no_control_character(trace: Trace, width: int) -> None:
    text = render(trace, width=width)
    for line in text.split("\n"):
        assert not any(unicodedata.category(c) == "Cc" for c in line)
        assert drawing.clean(line) == line


ESCAPES = "\x1b]0;title\x07\x9b31m\r\x00\u202e\u2066\u2028"


def test_what_documents_and_models_say_cannot_steer_a_terminal() -> None:
    changed = json.loads(full_trace().dumps())

    def spoil(value: object) -> object:
        if isinstance(value, str):
            return value + ESCAPES
        if isinstance(value, list):
            return [spoil(one) for one in value]
        return {k: spoil(v) for k, v in value.items()} if isinstance(value, dict) else value

    text = render(Trace.from_json(spoil(changed)))  # type: ignore[arg-type]  # JSON of a trace
    assert not [character for character in ESCAPES if character in text and not character.isprintable()]
    assert QUOTE in text


def test_everything_that_is_recorded_is_drawn() -> None:
    lines = render(full_trace()).split("\n")
    assert lines[0] == "How high is the late fee in 2026?"
    text = "\n".join(lines)
    for words in (
        "vikingrag-e+ by ModelPolicy with small-3b, 2026-03-01T10:00:00.250+00:00",
        f"scope {LOANS}/ (0.83), and beside it all of viking://handbook",
        f'Search(query="late fee", scope="{LOANS}")  420 tokens, 30 ms',
        f"edge to {RATES} (0.91)",
        f"from {FEES}",
        'asked before: "How much is the fine?", trace 0123456789abcdef',
        "check after round 1: insufficient",
        'score 0.41 < threshold 0.70, judged by judge-7b, which said "sufficient"',
        "escalated: gate years failed",
        'candidate "15 euros."',
        'reason "the year is nowhere"',
        "the full path found the same evidence",
        '✓ entity "late fee"',
        f'{FEES} "{QUOTE}"',
        '✗ time "2026": no evidence',
        "gates passed: quotes stand in their sources",
        "✗ years: 2026 is in no evidence",
        "round 2: 1 model call, 1,200 prompt tokens (900 cached), 56 completion tokens, 800 ms, cost 0.002",
        'said "I read it."',
        '! "there is no tool"',
        f"[1] {FEES} (lines 7-7, pages 2-2)",
        f"    > {QUOTE}",
        f'dropped (not_found): {RATES} "made up"',
        f"{LOANS} version 3",
        "models 2 model calls, 1,500 prompt tokens",
        "1 of them estimated",
        "time resolve 4 ms, decide 912 ms",
    ):
        assert words in text, words
    assert (
        lines[-1].startswith("└─ 512 tokens shown (Search 1×/420") and "trace aaaabbbbccccdddd" in lines[-1]
    )


def test_a_check_stands_after_its_round() -> None:
    trace = full_trace()
    text = render(trace)
    assert text.index("round 1") < text.index("check after round 1") < text.index("round 2")
    late = full_trace(checks=(replace(trace.checks[0], round=9),))
    assert "check after round 9" in render(late)


@pytest.mark.parametrize(
    "agrees, words", [(True, "the same evidence"), (False, "other evidence"), (None, "")]
)
def test_the_full_path_speaks_only_where_it_ran(agrees: bool | None, words: str) -> None:
    check = replace(full_trace().checks[0], agrees=agrees)
    text = render(full_trace(checks=(check,)))
    assert ("the full path found" in text) == (agrees is not None)
    assert words in text


def test_lists_are_bounded_and_say_what_is_missing() -> None:
    one = full_trace().rounds[0].calls[0]
    call = replace(one, uris=tuple(f"viking://a/{n}" for n in range(50)), edges=one.edges * 50)
    big = full_trace(
        rounds=tuple(RoundRecord(n + 1, (call,) * 50) for n in range(200)),
        text="\n".join(["line " * 1000] * 500),
        citations=(Citation(FEES, "\n".join(["quote"] * 300), (1, 300), None, LOANS),) * 100,
        versions={f"viking://d/{n}": 1 for n in range(300)},
    )
    text = render(big)
    assert len(text) < 60 * 21 * 4000
    for words in ("… 44 more", "… 44 more edges", "… 30 more calls", "… 141 more rounds", "… 460 more lines"):
        assert words in text, words
    assert "… 80 more citations" in text and "… 280 more" in text
    assert "… 1 more\n" in render(full_trace(), uris=1) and "… 1 more\n" not in render(full_trace())


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_wrapped_tree_keeps_its_width_and_its_words(width: int) -> None:
    trace = full_trace(text="The fee is due. " * 40 + "\n" + "漢字" * 200)
    text = render(trace, width=width)
    lines = text.split("\n")
    assert max(map(drawing.cells, lines)) <= width
    assert len(lines) > len(render(trace).split("\n"))
    assert all(line[0] in "├│└ " for line in lines[1:])
    drawn = "".join(text.replace("│", "").split())
    assert "漢字" * 200 in drawn and "Thefeeisdue." * 40 in drawn


def test_a_uri_is_never_broken_inside() -> None:
    uri = "viking://" + "/".join(f"a_long_component_{n}" for n in range(12)) + "/x_1.md"
    trace = full_trace(citations=(Citation(uri, QUOTE, (1, 1), None, uri),))
    assert f"[1] {uri}\n" in render(trace, width=80)


def test_quotes_stay_marked_when_wrapped() -> None:
    text = draw(DrawingNode("root", ["    > " + "word " * 40]), 60)
    quoted = text.split("\n")[1:]
    assert len(quoted) > 3 and all(line.startswith("    > word") for line in quoted)


def test_a_tree_of_many_levels() -> None:
    tree = DrawingNode(
        "a",
        ["b"],
        [DrawingNode("c", ["d"], [DrawingNode("e"), DrawingNode("f", ["g\th\n"])]), DrawingNode("i")],
    )
    assert draw(tree) == "a\nb\n├─ c\n│  d\n│  ├─ e\n│  └─ f\n│     g h\n└─ i"


def test_what_was_learnt_is_told_by_who_knows() -> None:
    assert "learnt" not in render(full_trace())
    assert "├─ learnt 1 edge\n" in render(full_trace(), learnt=1)
    assert "├─ learnt 1,200 edges\n" in render(full_trace(), learnt=1200)
