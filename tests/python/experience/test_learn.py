"""Algorithm 2 on traces made by hand (EDGE-01)."""

from __future__ import annotations

import pytest
from by_hand import MakeTrace, call, cite, held

import knarr
from support import WriteDocs

DOCS = {
    "loans.md": "# Loans\n\nA loan of equipment lasts fourteen days for every member.\n\n"
    "## Fees\n\nA late fee of two crowns is charged for each day after the due date.\n\n"
    "## Illness\n\nThe office waives every fee once an illness was reported in writing.\n",
    "rooms.md": "# Rooms\n\nRooms are booked at the front desk before noon on working days.\n",
}
LOANS = "viking://kb/loans"
LOAN, FEE, ILL = (
    f"{LOANS}/Loans/Loans_1.md",
    f"{LOANS}/Loans/Fees/Fees_1.md",
    f"{LOANS}/Loans/Illness/Illness_1.md",
)
ROOM = "viking://kb/rooms/Rooms/Rooms_1.md"
QUESTION = "what does a late return cost"


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    kb.add(write_docs(DOCS), into="viking://kb")
    for uri in (LOAN, FEE, ILL, ROOM):
        kb.read(uri)
    return kb


def test_edges_lead_from_what_was_found_to_what_answers(
    base: knarr.KnowledgeBase, make_trace: MakeTrace
) -> None:
    trace = make_trace(QUESTION, [call("Search", [LOAN, ROOM]), call("Grep", [FEE, ILL])], [cite(base, FEE)])
    assert base.learn(trace) == 2
    assert held(base) == [(LOAN, FEE, trace.id), (ROOM, FEE, trace.id)]
    found = base.search("equipment lasts fourteen days", k=1, gamma=0.8, question=QUESTION)
    assert [hit.uri for hit in found] == [LOAN]
    (edge,) = found.edges
    assert (edge.uri, edge.seed, edge.question, edge.trace) == (FEE, LOAN, QUESTION, trace.id)
    assert edge.kind == "chunk" and "two crowns" in edge.preview and edge.similarity == pytest.approx(1)
    assert edge.source == base.read(FEE).source
    assert base.search("equipment lasts fourteen days", k=1).edges == ()
    assert base.search("equipment lasts", k=1, gamma=0.8).edges == ()  # the query is no such question
    assert base.search(QUESTION, k=3, gamma=0.8, kinds=("abstract",)).edges == ()
    assert base.search(QUESTION, "viking://kb/rooms", k=3, gamma=0.8).edges == ()
