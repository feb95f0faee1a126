"""Algorithm 2 on traces made by hand (EDGE-01)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import knarr
from by_hand import DOCS, FEE, ILL, LOAN, QUESTION, ROOM, MakeTrace, call, cite, held, listed
from knarr.config import Settings
from knarr.experience import pairs
from knarr.testing import HashEmbedder
from knarr.trace.record import CheckRecord, EdgeUse, Trace
from knarr.types import Citation, ConstraintCheck, Verdict
from support import WriteDocs


class KeepAll:
    """A judge that keeps everything, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def keep(self, question: str, answer: str, texts: Sequence[tuple[str, str]]) -> list[bool]:
        self.asked.append([uri for uri, _ in texts])
        return [True] * len(texts)


def edge(target: str, seed: str = LOAN, trace: str = "earlier") -> EdgeUse:
    return EdgeUse(target, seed, 0.9, "an earlier question", trace)


@pytest.fixture
def lesson(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> Trace:
    return make_trace(QUESTION, [call("Search", [LOAN, ROOM]), call("Grep", [FEE, ILL])], [cite(base, FEE)])


def test_edges_lead_from_what_was_found_to_what_answers(base: knarr.KnowledgeBase, lesson: Trace) -> None:
    assert base.experience.learn(lesson) == 2
    assert held(base) == listed(base) == [(LOAN, FEE, lesson.id), (ROOM, FEE, lesson.id)]
    found = base.search("equipment lasts fourteen days", k=1, gamma=0.8, question=QUESTION)
    assert [hit.uri for hit in found] == [LOAN]
    (hit,) = found.edges
    assert (hit.uri, hit.seed, hit.question, hit.trace) == (FEE, LOAN, QUESTION, lesson.id)
    assert hit.kind == "chunk" and "two crowns" in hit.preview and hit.similarity == pytest.approx(1)
    assert hit.source == base.search("late fee of two crowns", k=1)[0].source


def test_edges_are_followed_only_where_asked(base: knarr.KnowledgeBase, lesson: Trace) -> None:
    base.experience.learn(lesson)
    assert base.search(QUESTION, k=9).edges == ()
    assert base.search("equipment lasts", k=9, gamma=0.8).edges == ()  # the query is no such question
    assert base.search("equipment", k=9, gamma=0.8, question="rooms").edges == ()
    assert base.search(QUESTION, k=9, gamma=0.8, kinds=("abstract",)).edges == ()
    assert base.search(QUESTION, "viking://kb/rooms", k=9, gamma=0.8).edges == ()
    # What is a hit already is listed as well, so that a caller can lift it.
    everything = base.search(QUESTION, k=9, gamma=0.8)
    assert [hit.uri for hit in everything.edges] == [FEE] and FEE in [hit.uri for hit in everything]
    assert base.search(QUESTION, k=9).hits == everything.hits


def test_distinct_hits_follow_the_edges_of_their_copies_only(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    same = "# Notes\n\nThe same words stand in every version of this manual.\n"
    files: dict[str, str | bytes] = {f"v{n}/notes.md": same for n in range(1, 5)}
    kb.add(write_docs({**files, **DOCS}), into="viking://kb")
    words = "The same words stand in every version"
    everything = [hit.uri for hit in kb.search(words, k=8)]
    copies, last = everything[:4], everything[-1]
    assert all("/notes/" in uri for uri in copies)
    kb.experience.learn(make_trace(QUESTION, [call("Search", [copies[-1]])], [cite(kb, FEE)]))
    kb.experience.learn(make_trace(QUESTION, [call("Search", [last])], [cite(kb, everything[4])]))
    assert len(kb.search(words, k=8, gamma=0.8, question=QUESTION).edges) == 2
    found = kb.search(words, k=2, distinct=True, gamma=0.8, question=QUESTION)
    assert sorted([found[0].uri, *found[0].copies]) == sorted(copies) and len(found) == 2
    assert [(hit.seed, hit.uri) for hit in found.edges] == [(copies[-1], FEE)]


def test_edges_start_from_the_hits_alone_and_stay_in_scope(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    long = "# Long\n\n" + "".join(
        f"Paragraph {n} speaks of matter {n}. {'and so on ' * 60}\n\n" for n in range(12)
    )
    kb.add(write_docs({"long.md": long, **DOCS}), into="viking://kb")
    parts = [f"viking://kb/long/Long/Long_{n}.md" for n in (1, 2)]
    kb.experience.learn(make_trace(QUESTION, [call("Search", parts[1:])], [cite(kb, FEE)]))
    asked = {"gamma": 0.8, "question": QUESTION, "k": 1}
    # The edge of the chunk beside the hit is not the hit's.
    first = kb.search(kb.read(parts[0]).text, "viking://kb", **asked)
    assert [hit.uri for hit in first] == parts[:1] and first.edges == ()
    both = kb.search(kb.read(parts[1]).text, "viking://kb", **(asked | {"k": 9}))
    assert parts[1] in [hit.uri for hit in both]
    assert [(hit.seed, hit.uri) for hit in both.edges] == [(parts[1], FEE)]
    # The scope and the kinds hold for what is reached, not only for what is found.
    assert kb.search("Paragraph 1", parts[1], **asked).edges == ()
    assert kb.search("fee", "viking://kb", kinds=("abstract",), **asked).edges == ()


# ---------------------------------------------------------------- what is learnt from


def test_what_came_by_an_edge_teaches_nothing(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> None:
    led = call("Search", [LOAN, FEE], [edge(FEE)])
    assert base.experience.learn(make_trace(QUESTION, [led], [cite(base, FEE)]), judge=KeepAll()) == 0
    again = make_trace(QUESTION, [led, call("Grep", [FEE, ILL])], [cite(base, FEE)])
    assert base.experience.learn(again, judge=KeepAll()) == 1
    assert held(base) == [(LOAN, ILL, again.id)]
    # A source only if some search found it without the edge.
    third = make_trace(QUESTION, [led, call("Search", [FEE])], [cite(base, ROOM)])
    base.experience.learn(third)
    assert [(source, target) for source, target, trace in held(base) if trace == third.id] == [
        (FEE, ROOM),
        (LOAN, ROOM),
    ]


def test_calls_that_failed_teach_nothing(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> None:
    calls = [call("Search", [LOAN]), call("Search", [ROOM], error="no"), call("Grep", [ILL], error="no")]
    trace = make_trace(QUESTION, calls, [cite(base, FEE)])
    assert base.experience.learn(trace, judge=KeepAll()) == 1
    assert held(base) == [(LOAN, FEE, trace.id)]


def test_reading_a_section_counts_for_the_chunks_it_showed(
    base: knarr.KnowledgeBase, make_trace: MakeTrace
) -> None:
    shown = "Read viking://kb/loans/Loans/: some\n" + "\n".join(
        f"> {line}" for line in (base.read(LOAN).text + base.read(FEE).text).strip().split("\n")
    )
    judge = KeepAll()
    read = call("Read", ["viking://kb/loans/Loans"], text=shown)
    base.experience.learn(
        make_trace(QUESTION, [call("Search", [ROOM]), read], [cite(base, FEE)]), judge=judge
    )
    assert judge.asked == [[FEE, LOAN]]
    chunk = call("Read", [ILL], text="> anything")
    base.experience.learn(
        make_trace(QUESTION, [call("Search", [ROOM]), chunk], [cite(base, FEE)]), judge=judge
    )
    assert judge.asked[1:] == [[FEE, ILL]]


def test_no_edge_leads_to_where_it_begins(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> None:
    assert base.experience.learn(make_trace(QUESTION, [call("Search", [FEE])], [cite(base, FEE)])) == 0
    assert held(base) == []


def test_one_question_teaches_a_bounded_number(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    kb.add(write_docs({f"d{n}.md": f"word number {n} and some more words" for n in range(40)}))
    uris = [f"viking://d{n}/d{n}_1.md" for n in range(40)]
    trace = make_trace(QUESTION, [call("Search", uris[:30]), call("Grep", uris)], [cite(kb, uris[39])])
    judge = KeepAll()
    assert kb.experience.learn(trace, judge=judge) <= pairs.MOST_SOURCES * pairs.MOST_TARGETS
    assert len(judge.asked[0]) == pairs.MOST_CANDIDATES
    assert len({source for source, _, _ in held(kb)}) == pairs.MOST_SOURCES
    assert len({target for _, target, _ in held(kb)}) == pairs.MOST_TARGETS
    assert uris[39] in {target for _, target, _ in held(kb)}  # what is cited comes first


@pytest.mark.parametrize("status", ["not_found", "no_answer", "budget_exhausted"])
def test_only_answers_teach(base: knarr.KnowledgeBase, lesson: Trace, status: str) -> None:
    assert base.experience.learn(replace(lesson, status=status)) == 0
    assert base.experience.learn(lesson) == 2


@pytest.mark.parametrize(
    ("met", "agrees", "teaches"), [(False, True, False), (True, True, True), (False, False, True)]
)
def test_what_the_checker_missed_something_in_teaches_nothing(
    base: knarr.KnowledgeBase, lesson: Trace, met: bool, agrees: bool, teaches: bool
) -> None:
    """Unless the full path found more than the checker had seen."""
    verdict = Verdict("insufficient", "below", (ConstraintCheck("entity", "Oslo", (), met),))
    check = CheckRecord(1, "?", verdict, "escalated", "below", 100, 1.0, agrees=agrees)
    assert bool(base.experience.learn(replace(lesson, checks=(check,)))) is teaches


def test_only_evidence_that_stands_in_its_source_teaches(base: knarr.KnowledgeBase, lesson: Trace) -> None:
    good = lesson.citations[0]
    for citation in (
        replace(good, text="The fee is nine crowns, whatever the day."),
        replace(good, uri=ROOM),
    ):
        assert base.experience.learn(replace(lesson, citations=(citation,)), judge=KeepAll()) == 0
    assert base.experience.learn(replace(lesson, citations=())) == 0
    gone = Citation("viking://kb/none/none_1.md", good.text, (1, 1), None, "viking://kb/none")
    assert base.experience.learn(replace(lesson, citations=(gone,))) == 0
    assert held(base) == [] and base.experience.stats()["episodes"] == {}
    assert base.experience.learn(lesson) == 2


def test_uris_that_are_none_are_passed_over(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> None:
    odd = ["viking://kb/../x", "http://x", "", "viking://", "viking://kb/", "viking://kb/loans/.abstract.md"]
    calls = [call("Search", [*odd, LOAN]), call("Grep", odd), call("Read", odd[:1])]
    assert base.experience.learn(make_trace(QUESTION, calls, [cite(base, FEE)]), judge=KeepAll()) == 1


def test_a_document_that_changed_since_the_run_is_not_learnt(
    base: knarr.KnowledgeBase, make_trace: MakeTrace, write_docs: WriteDocs
) -> None:
    old = make_trace(
        QUESTION,
        [call("Search", [ROOM])],
        [cite(base, FEE)],
        versions={"viking://kb/loans/": 1, "viking://kb/rooms": 1},
    )
    base.add(
        write_docs({"rooms.md": "# Rooms\n\nRooms are booked on the web at any time of the day.\n"}),
        into="viking://kb",
    )
    assert base.experience.learn(old) == 0 and held(base) == []
    early = make_trace(
        QUESTION, [call("Search", [LOAN])], [cite(base, FEE)], created_at="2001-01-01T00:00:00+00:00"
    )
    assert base.experience.learn(early) == 0 and held(base) == []


# ---------------------------------------------------------------- EDGE-01


def test_a_trace_teaches_once(
    base: knarr.KnowledgeBase, lesson: Trace, write_docs: WriteDocs, tmp_path: Path, embedder: HashEmbedder
) -> None:
    base.experience.learn(lesson)
    once = held(base)
    assert [base.experience.learn(lesson) for _ in range(5)] == [0] * 5
    base.add(write_docs(DOCS), into="viking://kb")
    assert held(base) == once
    base.close()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as again:
        assert again.experience.learn(lesson) == 0
        assert held(again) == listed(again) == once


def test_another_trace_adds_its_own_share_and_takes_only_that_back(
    base: knarr.KnowledgeBase, lesson: Trace
) -> None:
    base.experience.learn(lesson)
    once = held(base)
    other = replace(lesson, id="other")
    assert base.experience.learn(other) == 2
    assert len(held(base)) == 4 and len(base.experience.explain(LOAN, FEE)) == 2
    assert base.experience.stats()["questions"] == 1
    assert base.experience.forget(other.id) == 2
    assert held(base) == listed(base) == once
    assert base.experience.forget(lesson.id) == 2
    assert held(base) == [] and base.experience.stats()["questions"] == 0
    assert base.experience.learn(lesson) == 2
    assert held(base) == once


def test_asking_costs_one_vector_however_often_it_is_learnt(
    base: knarr.KnowledgeBase, lesson: Trace, embedder: HashEmbedder
) -> None:
    base.experience.learn(lesson)
    embedder.texts = 0
    base.experience.learn(replace(lesson, id="other"))
    base.experience.forget(lesson.id)
    assert base.search(QUESTION, k=9, gamma=0.8).edges[0].trace == "other"
    assert embedder.texts == 0


# ---------------------------------------------------------------- modes, expiry, rights


def open_with(tmp_path: Path, embedder: HashEmbedder, **settings: object) -> knarr.KnowledgeBase:
    return knarr.open(tmp_path / "test.kb", embedder=embedder, settings=Settings(**settings))  # type: ignore[arg-type]


def test_learning_modes(
    base: knarr.KnowledgeBase, lesson: Trace, tmp_path: Path, embedder: HashEmbedder
) -> None:
    for mode in ("off", "frozen"):
        with open_with(tmp_path, embedder, learning=mode) as other:
            assert other.experience.learn(lesson) == 0
    with open_with(tmp_path, embedder, learning="record") as other:
        assert other.experience.learn(lesson) == 2
        assert held(other) == [] and other.experience.edges().edges[0].state == "pending"
        assert other.experience.learn(lesson) == 0
        assert other.experience.quarantine(lesson.id, on=False) == 0  # it waits for approval
        assert other.experience.approve(lesson.id) == 1
        assert len(held(other)) == 2
        assert other.experience.approve(lesson.id) == 0
    assert base.refresh() and len(held(base)) == 2
    assert base.experience.learn(replace(lesson, id="b"), mode="record") == 2
    assert len(held(base)) == 2


def test_edges_expire(
    base: knarr.KnowledgeBase, lesson: Trace, tmp_path: Path, embedder: HashEmbedder
) -> None:
    with open_with(tmp_path, embedder, edge_days=1e-9) as brief:
        assert brief.experience.learn(lesson) == 2
        assert [edge.state for edge in brief.experience.edges()] == ["expired"] * 2
        assert brief.search(QUESTION, k=9, gamma=0.8).edges == ()
    with open_with(tmp_path, embedder, edge_days=1000) as long:
        assert long.experience.learn(replace(lesson, id="b")) == 2
        assert long.experience.edges(trace="b").edges[0].expires_at is not None
        assert [hit.trace for hit in long.search(QUESTION, k=9, gamma=0.8).edges] == ["b"]


def test_rights_are_stored_with_what_rests_on_them(base: knarr.KnowledgeBase, lesson: Trace) -> None:
    base.experience.learn(lesson, learner="ann", tenant="north", labels=("hr", "pay"), batch="week 1")
    (record, _) = base.experience.edges()
    assert (record.learner, record.tenant, record.labels, record.batch) == (
        "ann",
        "north",
        ("hr", "pay"),
        "week 1",
    )
    assert (record.source_version, record.target_version, record.state) == (1, 1, "active")
    assert record.summary == "Search(late return) > Grep(fee)"


def test_gamma_is_set_else_calibrated_else_the_papers(
    base: knarr.KnowledgeBase, tmp_path: Path, embedder: HashEmbedder
) -> None:
    assert base.experience.gamma == 0.8
    with open_with(tmp_path, embedder, gamma=0.55) as other:
        assert other.experience.gamma == 0.55
