"""Two traces side by side."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from hypothesis import given

from knarr.trace.diff import diff, render_diff
from knarr.trace.record import CallRecord, RoundRecord, Trace
from knarr.types import Citation, ModelUsage, Usage, to_json
from make_traces import FEES, LOANS, QUOTE, RATES, few, full_trace, traces


@few
@given(traces)
def test_a_trace_does_not_differ_from_itself(trace: Trace) -> None:
    found = diff(trace, trace)
    assert found.same and not found.changed and not found.versions
    assert found.uris.both == len({uri for call in trace.calls() for uri in call.uris})


@few
@given(traces, traces)
def test_the_difference_the_other_way_round_is_its_mirror(a: Trace, b: Trace) -> None:
    there, back = diff(a, b), diff(b, a)
    assert there.same == back.same
    for one, other in ((there.calls, back.calls), (there.uris, back.uris), (there.citations, back.citations)):
        assert (one.both, one.only_a, one.only_b) == (other.both, other.only_b, other.only_a)
    assert there.changed == {name: pair[::-1] for name, pair in back.changed.items()}
    assert there.versions == {uri: pair[::-1] for uri, pair in back.versions.items()}
    assert there.tokens == {name: pair[::-1] for name, pair in back.tokens.items()}


@few
@given(traces, traces)
def test_drawing_never_fails_and_holds_no_control_character(a: Trace, b: Trace) -> None:
    for width in (0, 80):
        for line in render_diff(diff(a, b), width=width).split("\n"):
            assert not any(unicodedata.category(c) == "Cc" for c in line)


def other() -> Trace:
    """Like the full trace, asked again in mode -e after the loans changed."""
    base = full_trace()
    search = base.rounds[0].calls[0]
    return full_trace(
        id="eeeeffff00001111",
        mode="vikingrag-e",
        text="20 euros. [1]",
        status="budget_exhausted",
        spent="rounds",
        rounds=(
            RoundRecord(1, (replace(search, arguments={"scope": LOANS, "query": "late fee"}, uris=(FEES,)),)),
            RoundRecord(2, (CallRecord("c", "Grep", {"pattern": "fee"}, (LOANS + "/new_1.md",), 60, 1.0),)),
        ),
        citations=(Citation(FEES, "20 euros are due.", (7, 7), None, LOANS),),
        usage=Usage({"Search": 400, "Grep": 60}, {"Search": 1, "Grep": 1}, {"decide": 3.0}, ModelUsage()),
        checks=(),
        versions={LOANS: 4},
    )


def test_what_differs_is_told() -> None:
    found = diff(full_trace(), other())
    assert not found.same
    assert found.changed == {
        "mode": ("vikingrag-e+", "vikingrag-e"),
        "status": ("answered", "budget_exhausted"),
        "spent": ("", "rounds"),
    }
    assert found.text == ("15 euros. [1]", "20 euros. [1]")
    assert found.rounds == (2, 2)
    # The same arguments in another order, and one that was not given, are the same call.
    assert found.calls.both == 1
    assert [one.split()[0] for one in found.calls.only_a] == ["Serch", "Read"]
    assert [one.split()[0] for one in found.calls.only_b] == ["Grep"]
    assert (found.uris.both, found.uris.only_a, found.uris.only_b) == (1, (RATES,), (LOANS + "/new_1.md",))
    assert found.citations.only_a == (f"{FEES}: {QUOTE}",)
    assert found.citations.only_b == (f"{FEES}: 20 euros are due.",)
    assert found.versions == {LOANS: (3, 4)}
    assert found.tokens == {"Search": (420, 400), "Serch": (12, 0), "Read": (80, 0), "Grep": (0, 60), "all": (512, 460)}  # fmt: skip
    assert found.model[0].prompt_tokens == 1500 and found.model[1].calls == 0
    assert found.checks == (("insufficient, score 0.41 of 0.70, escalated",), ())


def test_a_call_made_twice_counts_twice() -> None:
    call = CallRecord("1", "Read", {"uri": FEES}, (FEES,), 1, 1.0)
    twice = full_trace(rounds=(RoundRecord(1, (call, replace(call, id="2"))),))
    once = full_trace(rounds=(RoundRecord(1, (call,)),))
    found = diff(twice, once)
    assert (found.calls.both, len(found.calls.only_a), found.calls.only_b) == (1, 1, ())


def test_time_alone_is_no_difference() -> None:
    slow = full_trace(
        id="x", created_at="2027-01-01", usage=replace(full_trace().usage, ms={"decide": 9999.0})
    )
    found = diff(full_trace(), slow)
    assert found.same and found.ms["decide"] == (912.0, 9999.0)
    assert "decide 912 → 9,999" in render_diff(found)


def test_the_drawing_tells_it_in_words() -> None:
    text = render_diff(diff(full_trace(), other()))
    for words in (
        "a aaaabbbbccccdddd  How high is the late fee in 2026?\nb eeeeffff00001111  ",
        "mode  vikingrag-e+ → vikingrag-e",
        "spent  none → rounds",
        "calls  1 in both",
        'only b: 1\n│     Grep {"pattern": "fee"}',
        f"{LOANS}: 3 → 4",
        "tokens shown  512 → 460, Search 420 → 400",
        "insufficient, score 0.41 of 0.70, escalated",
        "models",
        "20 euros. [1]",
    ):
        assert words in text, words
    assert "answer  the same" in render_diff(diff(full_trace(), full_trace()))


def test_the_drawing_is_bounded() -> None:
    many = tuple(CallRecord(str(n), "Read", {"uri": f"viking://{n}"}, (f"viking://{n}",), 1, 1.0) for n in range(500))  # fmt: skip
    text = render_diff(diff(full_trace(text="x\n" * 900, rounds=(RoundRecord(1, many),)), full_trace()))
    assert len(text.split("\n")) < 120 and "… 480 more" in text


def test_it_is_ready_for_json() -> None:
    record = to_json(diff(full_trace(), other()))
    assert record["changed"]["mode"] == ["vikingrag-e+", "vikingrag-e"]
    assert record["uris"] == {"both": 1, "only_a": [RATES], "only_b": [LOANS + "/new_1.md"]}
