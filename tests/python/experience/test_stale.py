"""Edges never outlive the text they were learnt on (EDGE-02), and follow what moves (NS-04, NS-05)."""

from __future__ import annotations

from pathlib import Path

import pytest

import knarr
from by_hand import DOCS, FEE, ILL, LOAN, QUESTION, ROOM, MakeTrace, call, cite, held, listed
from knarr.testing import HashEmbedder
from support import WriteDocs

FEES = "## Fees\n\nA late fee of two crowns is charged for each day after the due date.\n"
DEARER = "## Fees\n\nA late fee of three crowns is charged for each day after the due date.\n"
LOANS_TEXT = str(DOCS["loans.md"])


@pytest.fixture
def learnt(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> knarr.KnowledgeBase:
    """Edges ROOM -> FEE and LOAN -> FEE of trace "a", FEE -> ILL of trace "b"."""
    base.experience.learn(make_trace(QUESTION, [call("Search", [ROOM, LOAN])], [cite(base, FEE)], id="a"))
    base.experience.learn(make_trace("who pays no fee", [call("Search", [FEE])], [cite(base, ILL)], id="b"))
    assert len(held(base)) == 3
    return base


def again(kb: knarr.KnowledgeBase, write_docs: WriteDocs, text: str) -> None:
    kb.add(write_docs({"loans.md": text}), into="viking://kb")


def every_end_can_be_read(kb: knarr.KnowledgeBase) -> bool:
    return all(kb.read(uri).text for source, target, _ in held(kb) for uri in (source, target))


def test_changed_text_makes_edges_stale(learnt: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    again(learnt, write_docs, LOANS_TEXT.replace(FEES, DEARER))
    assert "three crowns" in learnt.read(FEE).text
    assert held(learnt) == listed(learnt) == []
    assert {edge.state for edge in learnt.experience.edges()} == {
        "stale"
    } and learnt.experience.edges().total == 3
    assert learnt.search(QUESTION, k=9, gamma=0.8).edges == ()
    # The old text once more: the edges wait to be confirmed by a new answer.
    again(learnt, write_docs, LOANS_TEXT)
    assert held(learnt) == listed(learnt) == []


def test_a_new_answer_confirms(
    learnt: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    again(learnt, write_docs, LOANS_TEXT.replace(FEES, DEARER))
    trace = make_trace(QUESTION, [call("Search", [ROOM])], [cite(learnt, FEE)], id="c")
    assert learnt.experience.learn(trace) == 1
    assert held(learnt) == listed(learnt) == [(ROOM, FEE, "c")]
    assert learnt.experience.edges(trace="c").edges[0].target_version == 2


def test_other_chunks_of_the_document_keep_their_edges(
    learnt: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    again(learnt, write_docs, LOANS_TEXT.replace("an illness", "any illness"))
    assert held(learnt) == listed(learnt) == [(LOAN, FEE, "a"), (ROOM, FEE, "a")]


def test_an_unchanged_document_costs_nothing(learnt: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    before, seq = held(learnt), learnt.info()["seq"]
    learnt.add(write_docs(DOCS), into="viking://kb")
    assert held(learnt) == before and learnt.info()["seq"] == seq


def test_new_abstracts_of_folders_leave_edges_alone(
    learnt: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    edges, told = held(learnt), learnt.list("viking://kb").abstract
    learnt.add(write_docs({"tides.md": "# Tides\n\nThe tide turns twice a day.\n"}), into="viking://kb")
    learnt.move("viking://kb/tides", "viking://kb/sea/tides")
    assert learnt.list("viking://kb").abstract != told
    assert held(learnt) == listed(learnt) == edges


def test_deleted_documents_take_their_edges_along(
    learnt: knarr.KnowledgeBase,
    write_docs: WriteDocs,
    make_trace: MakeTrace,
    tmp_path: Path,
    embedder: HashEmbedder,
) -> None:
    learnt.remove("viking://kb/loans")
    assert held(learnt) == [] and learnt.experience.edges().total == 0
    again(learnt, write_docs, LOANS_TEXT)  # the same words at the same URI, but another document
    assert held(learnt) == [] and learnt.experience.edges().total == 0
    trace = make_trace(QUESTION, [call("Search", [ROOM])], [cite(learnt, FEE)], id="c")
    assert learnt.experience.learn(trace) == 1
    learnt.remove("viking://kb")
    assert held(learnt) == [] and learnt.experience.edges().total == 0
    learnt.close()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as reopened:
        assert held(reopened) == [] and reopened.experience.stats()["edges"] == {}


def test_removing_one_end_leaves_other_edges(learnt: knarr.KnowledgeBase) -> None:
    learnt.remove("viking://kb/rooms")
    assert held(learnt) == listed(learnt) == [(FEE, ILL, "b"), (LOAN, FEE, "a")]


def test_renaming_a_heading_above_moves_the_edge_with_the_text(
    learnt: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    again(learnt, write_docs, LOANS_TEXT.replace("# Loans\n", "# Borrowing\n", 1))
    fee, ill = (uri.replace("/Loans/", "/Borrowing/") for uri in (FEE, ILL))
    # LOAN opens with the heading: its text is another one.
    assert held(learnt) == listed(learnt) == sorted([(ROOM, fee, "a"), (fee, ill, "b")])
    assert every_end_can_be_read(learnt)


def test_renaming_its_own_heading_makes_the_edge_stale(
    learnt: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    again(learnt, write_docs, LOANS_TEXT.replace("## Fees", "## Costs"))
    assert held(learnt) == listed(learnt) == []
    assert every_end_can_be_read(learnt)


def test_a_text_that_stands_twice_by_now_is_not_guessed_at(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    part = "## Part\n\nThe same words stand here again and again.\n\n"
    kb.add(write_docs({"x.md": f"# X\n\n{part}"} | {"rooms.md": DOCS["rooms.md"]}), into="viking://kb")
    target = "viking://kb/x/X/Part/Part_1.md"
    kb.experience.learn(make_trace(QUESTION, [call("Search", [ROOM])], [cite(kb, target)]))
    kb.add(write_docs({"x.md": f"# Y\n\n{part}{part}"}), into="viking://kb")
    assert held(kb) == listed(kb) == [] and kb.experience.edges(state="stale").total == 1


def test_two_ends_that_become_one_make_no_edge(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, make_trace: MakeTrace
) -> None:
    part = "## Part\n\nThe same words stand here again and again.\n\n"
    kb.add(write_docs({"x.md": f"# X\n\n{part}{part}"}), into="viking://kb")
    one, two = "viking://kb/x/X/Part/Part_1.md", "viking://kb/x/X/Part~2/Part~2_1.md"
    assert kb.experience.learn(make_trace(QUESTION, [call("Search", [one, two])], [cite(kb, two)])) == 1
    kb.add(write_docs({"x.md": f"# X\n\n{part}"}), into="viking://kb")
    assert held(kb) == listed(kb) == []


def test_edges_follow_a_move_of_either_end(
    learnt: knarr.KnowledgeBase, tmp_path: Path, embedder: HashEmbedder
) -> None:
    learnt.move("viking://kb/loans", "viking://archive/old/loans")
    moved = [uri.replace("viking://kb/loans", "viking://archive/old/loans") for uri in (FEE, ILL, LOAN)]
    fee, ill, loan = moved
    expected = sorted([(ROOM, fee, "a"), (loan, fee, "a"), (fee, ill, "b")])
    assert held(learnt) == listed(learnt) == expected
    found = learnt.search("booked at the front desk", k=1, gamma=0.8, question=QUESTION)
    assert [hit.uri for hit in found.edges] == [fee]
    with pytest.raises(knarr.AlreadyExists):
        learnt.move("viking://kb/rooms", "viking://archive/old/loans")
    assert held(learnt) == listed(learnt) == expected
    learnt.close()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as reopened:
        assert held(reopened) == listed(reopened) == expected


def test_the_index_gives_the_same_edges_however_it_was_made(
    learnt: knarr.KnowledgeBase,
    write_docs: WriteDocs,
    make_trace: MakeTrace,
    tmp_path: Path,
    embedder: HashEmbedder,
) -> None:
    learnt.close()  # a snapshot with three edges
    (snapshot,) = (tmp_path / "test.kb").glob("*.snapshot")
    kept = snapshot.read_bytes()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as later:
        again(later, write_docs, LOANS_TEXT.replace("an illness", "any illness"))
        later.experience.learn(make_trace(QUESTION, [call("Search", [ROOM])], [cite(later, LOAN)], id="c"))
        later.move("viking://kb/loans", "viking://kb/l")
        later.experience.forget("b")
        expected = held(later)
        assert len(expected) == 3 and expected == listed(later)
    for path in (tmp_path / "test.kb").glob("*.snapshot"):
        path.unlink()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as rebuilt:
        assert held(rebuilt) == expected
    for path in (tmp_path / "test.kb").glob("*.snapshot"):
        path.unlink()
    snapshot.write_bytes(kept)
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as caught_up:
        assert held(caught_up) == expected
