"""What listings of experience show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

EdgeState = Literal["active", "stale", "expired", "pending", "quarantined"]


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """An edge with the episode that taught it.

    source, target:  URIs of chunks, as they are named now
    state:           only an "active" edge is followed. "stale": the text of one end is another one by now;
                     "expired"; "pending": recorded and not approved; "quarantined"
    created_at:      when it was learnt, ISO 8601 in UTC; expires_at: Unix seconds, None for never
    source_version, target_version:  of the documents when it was learnt
    uses, helped, failed:  of the whole episode: runs that were shown one of its targets; those whose answer
                     cites it; those that ended without an answer, and marks as wrong
    """

    source: str
    target: str
    state: EdgeState
    question: str
    trace: str
    summary: str
    batch: str
    created_at: str
    expires_at: int | None
    source_version: int
    target_version: int
    uses: int
    helped: int
    failed: int
    learner: str = ""
    tenant: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgePage:
    """Edges in the order of learning; `next_offset` is None on the last page."""

    edges: tuple[EdgeRecord, ...]
    total: int
    next_offset: int | None

    def __iter__(self) -> Iterator[EdgeRecord]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)
