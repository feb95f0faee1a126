"""What was learnt can be seen, judged and taken back (EDGE-03)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import knarr
from by_hand import FEE, ILL, LOAN, QUESTION, ROOM, MakeTrace, call, cite, held, listed
from knarr.trace.record import EdgeUse, Trace


@pytest.fixture
def traces(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> list[Trace]:
    """Learnt: ROOM, LOAN -> FEE by "aa1" in batch "x"; ROOM -> ILL by "aa2" in batch "y"."""
    first = make_trace(QUESTION, [call("Search", [ROOM, LOAN])], [cite(base, FEE)], id="aa1")
    second = make_trace("who pays no fee", [call("Search", [ROOM])], [cite(base, ILL)], id="aa2")
    base.experience.learn(first, batch="x")
    base.experience.learn(second, batch="y")
    return [first, second]


def reached(kb: knarr.KnowledgeBase, question: str = QUESTION) -> list[str]:
    return [hit.uri for hit in kb.search("front desk", k=9, gamma=0.8, question=question).edges]


def use(target: str, trace: str) -> EdgeUse:
    return EdgeUse(target, ROOM, 0.9, QUESTION, trace)


# ---------------------------------------------------------------- EDGE-03


def test_marking_an_answer_as_wrong_ends_its_effect_at_once(
    base: knarr.KnowledgeBase, traces: list[Trace]
) -> None:
    assert reached(base) == [FEE]
    base.experience.mark("aa1", good=False)
    assert reached(base) == [] and held(base) == listed(base) == [(ROOM, ILL, "aa2")]
    assert {edge.state for edge in base.experience.edges(trace="aa1")} == {"quarantined"}
    assert base.experience.learn(traces[0]) == 0  # it does not come back by itself
    assert reached(base) == []
    base.experience.mark("aa2", good=True)
    assert (
        base.experience.edges(trace="aa2").edges[0].helped,
        base.experience.edges(trace="aa1").edges[0].failed,
    ) == (1, 1)


def test_an_edge_adds_candidates_and_leaves_the_hits_alone(
    base: knarr.KnowledgeBase, traces: list[Trace]
) -> None:
    for question in ("what does a late return not cost", "what does an early return cost"):
        plain = base.search(question, k=4)
        assert base.search(question, k=4, gamma=0.5, question=question).hits == plain.hits


def test_marking_a_run_that_used_edges_counts_for_them(
    base: knarr.KnowledgeBase, traces: list[Trace], make_trace: MakeTrace
) -> None:
    run = make_trace("asked now", [call("Search", [ROOM, FEE], [use(FEE, "aa1")])], [], id="run")
    base.library.store_trace(run)
    base.experience.mark("run", good=False)
    base.experience.mark("run", good=True)
    edge = base.experience.edges(trace="aa1").edges[0]
    assert (edge.helped, edge.failed, edge.state) == (1, 1, "active")
    with pytest.raises(knarr.NotFound, match="no trace has this id"):
        base.experience.mark("nobody", good=False)
    taught = make_trace("asked again", [call("Search", [LOAN, FEE], [use(FEE, "aa1")])], [cite(base, ILL)])
    base.library.store_trace(taught)
    assert base.experience.learn(taught) == 1
    base.experience.mark(taught.id, good=False)
    assert base.experience.edges(trace="aa1").edges[0].failed == 2
    assert base.experience.edges(trace=taught.id).edges[0].state == "quarantined"


def test_uses_are_counted_with_their_outcomes(
    base: knarr.KnowledgeBase, traces: list[Trace], make_trace: MakeTrace
) -> None:
    shown = [
        call("Search", [FEE, ILL], [use(FEE, "aa1"), use(ILL, "aa2")]),
        call("Search", [FEE], [use(FEE, "aa1")]),
    ]
    base.experience.note_use(make_trace(QUESTION, shown, [cite(base, FEE)]))
    base.experience.note_use(make_trace(QUESTION, shown, [], status="not_found"))
    base.experience.note_use(make_trace(QUESTION, [call("Search", [FEE])], [cite(base, FEE)]))
    base.experience.note_use(make_trace(QUESTION, [call("Search", [FEE], [use(FEE, "forgotten")])], []))
    found = {edge.trace: (edge.uses, edge.helped, edge.failed) for edge in base.experience.edges()}
    assert found == {"aa1": (2, 1, 1), "aa2": (2, 0, 1)}
    assert base.experience.stats()["uses"] == 4


# ---------------------------------------------------------------- taking back


def test_quarantine_and_release(base: knarr.KnowledgeBase, traces: list[Trace]) -> None:
    before = held(base)
    assert base.experience.quarantine("aa1") == 1
    assert held(base) == listed(base) == [(ROOM, ILL, "aa2")]
    assert base.experience.quarantine(batch="x", on=False) == 1
    assert held(base) == listed(base) == before
    assert base.experience.quarantine("aa1", on=False) == 0
    with pytest.raises(knarr.InvalidArgument, match="either a trace or a batch"):
        base.experience.quarantine()


@pytest.mark.parametrize("how", ["trace", "batch", "since"])
def test_any_part_can_be_rolled_back(base: knarr.KnowledgeBase, traces: list[Trace], how: str) -> None:
    second = base.experience.edges(trace="aa2").edges[0]
    named = {"trace": {"trace": "aa2"}, "batch": {"batch": "y"}, "since": {"since": second.created_at}}[how]
    assert base.experience.forget(**named) == 1
    assert {trace for _, _, trace in held(base)} == {"aa1"} and held(base) == listed(base)
    assert base.experience.forget(until="2999-01-01") == 2
    assert held(base) == [] and base.experience.edges().total == 0
    assert base.experience.forget(since="2001-01-01T00:00:00+02:00") == 0


def test_what_cannot_be_forgotten_is_said(base: knarr.KnowledgeBase, traces: list[Trace]) -> None:
    with pytest.raises(knarr.InvalidArgument, match="nothing to forget"):
        base.experience.forget()
    with pytest.raises(knarr.InvalidArgument, match="expected a time"):
        base.experience.forget(since="yesterday")
    for name in ("aa", "zz", ""):  # two begin so, or none does
        with pytest.raises(knarr.NotFound):
            base.experience.forget(name)
    assert len(held(base)) == 3
    assert base.experience.forget("aa1") == 2


def test_a_whole_id_is_never_mistaken_for_a_beginning(base: knarr.KnowledgeBase, traces: list[Trace]) -> None:
    for name in ("aa", "aa11", "aa%", "aa1_"):
        base.experience.learn(replace(traces[0], id=name))
    assert base.experience.forget("aa") == 2 and base.experience.forget("aa1") == 2
    assert {trace for _, _, trace in held(base)} == {"aa2", "aa11", "aa%", "aa1_"}


# ---------------------------------------------------------------- looking


def test_listing_by_page_scope_state_and_trace(base: knarr.KnowledgeBase, traces: list[Trace]) -> None:
    page = base.experience.edges(limit=2)
    assert (len(page), page.total, page.next_offset) == (2, 3, 2)
    rest = base.experience.edges(offset=2, limit=2)
    assert rest.next_offset is None
    assert [(edge.source, edge.target, edge.trace) for edge in (*page, *rest)] == [
        (LOAN, FEE, "aa1"),
        (ROOM, FEE, "aa1"),
        (ROOM, ILL, "aa2"),
    ]
    assert base.experience.edges("viking://kb/loans/Loans/Illness").total == 1
    assert base.experience.edges("viking://kb/room").total == 0
    assert base.experience.edges("viking://kb/rooms/").total == 2
    base.experience.quarantine("aa2")
    assert base.experience.edges(state="active").total == 2
    assert base.experience.edges(state="quarantined").edges[0].trace == "aa2"
    assert base.experience.edges(ROOM, trace="aa1").total == 1
    with pytest.raises(knarr.InvalidArgument, match="state"):
        base.experience.edges(state="gone")
    with pytest.raises(knarr.InvalidArgument, match="limit"):
        base.experience.edges(limit=0)


def test_an_edge_is_explained_by_all_that_speak_for_it(
    base: knarr.KnowledgeBase, traces: list[Trace]
) -> None:
    base.experience.learn(replace(traces[0], id="bb", question="what is the fine for being late"))
    first, second = base.experience.explain(ROOM, FEE)
    assert (first.question, second.question) == (QUESTION, "what is the fine for being late")
    assert first.summary == "Search(late return)"
    with pytest.raises(knarr.NotFound, match="no edge leads"):
        base.experience.explain(FEE, ROOM)


def test_counts(base: knarr.KnowledgeBase, traces: list[Trace]) -> None:
    base.experience.quarantine("aa2")
    assert base.experience.stats() == {
        "questions": 2,
        "episodes": {"active": 1, "quarantined": 1},
        "edges": {"active": 2, "quarantined": 1},
        "uses": 0,
        "helped": 0,
        "failed": 0,
        "batches": {"x": 1, "y": 1},
    }
