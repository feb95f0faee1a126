"""For tests of experience: a library, the pieces of traces, and what the engine holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import knarr
from knarr.trace.record import CallRecord, EdgeUse, RoundRecord, ScopeRecord, Trace
from knarr.types import AnswerStatus, Citation

MakeTrace = Callable[..., Trace]

DOCS: dict[str, str | bytes] = {
    "loans.md": "# Loans\n\nA loan of equipment lasts fourteen days for every member.\n\n"
    "## Fees\n\nA late fee of two crowns is charged for each day after the due date.\n\n"
    "## Illness\n\nThe office waives every fee once an illness was reported in writing.\n",
    "rooms.md": "# Rooms\n\nRooms are booked at the front desk before noon on working days.\n",
}
LOAN = "viking://kb/loans/Loans/Loans_1.md"
FEE = "viking://kb/loans/Loans/Fees/Fees_1.md"
ILL = "viking://kb/loans/Loans/Illness/Illness_1.md"
ROOM = "viking://kb/rooms/Rooms/Rooms_1.md"
QUESTION = "what does a late return cost"


def call(tool: str, uris: Sequence[str], edges: Sequence[EdgeUse] = (), **more: Any) -> CallRecord:
    arguments = {"query": "late return"} if tool == "Search" else {"pattern": "fee"} if tool == "Grep" else {}
    arguments = more.pop("arguments", arguments or {"uri": uris[0]})
    return CallRecord("c", tool, arguments, tuple(uris), 1, 1.0, edges=tuple(edges), **more)


def trace_by_hand(
    id: str,
    question: str,
    calls: Sequence[CallRecord],
    citations: Sequence[Citation],
    *,
    status: AnswerStatus = "answered",
    **more: Any,
) -> Trace:
    """The record of a run of one round."""
    return Trace(
        id=id,
        question=question,
        scope="viking://",
        policy="by hand",
        created_at=more.pop("created_at", datetime.now(UTC).isoformat()),
        resolution=ScopeRecord(),
        rounds=(RoundRecord(1, tuple(calls)),),
        status=status,
        text=more.pop("text", "the answer"),
        citations=tuple(citations),
        **more,
    )


def cite(kb: knarr.KnowledgeBase, uri: str) -> Citation:
    """The whole text of a chunk, quoted."""
    passage = kb.read(uri)
    return Citation(uri, passage.text.strip(), passage.source.lines, None, passage.source.document)


def held(kb: knarr.KnowledgeBase) -> list[tuple[str, str, str]]:
    """What the engine holds: (source, target, trace), sorted."""
    return sorted((edge.source, edge.target, edge.trace) for edge in kb._index.engine.edges(0, 100_000))


def listed(kb: knarr.KnowledgeBase) -> list[tuple[str, str, str]]:
    """What the catalog says is active, in the same form."""
    page = kb.experience.edges(limit=100_000, state="active")
    return sorted((edge.source, edge.target, edge.trace) for edge in page)
