"""Between the catalog's rows of experience and the values that the public calls take and give."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa

from knarr.catalog import experience_view
from knarr.errors import InvalidArgument, NotFound
from knarr.experience.types import EdgeRecord, EdgeState

if TYPE_CHECKING:
    from knarr.trace.record import Trace


def moment(value: datetime | str) -> str:
    """A time as it is stored, in UTC; without a zone it is taken as UTC. Raises InvalidArgument."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidArgument(
                f"{value!r}: expected a time such as 2026-03-01 or 2026-03-01T12:00:00"
            ) from None
    value = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def named(connection: sa.Connection, trace_id: str, episodes: Sequence[int] | None = None) -> str:
    """The full id of a learnt trace, by its beginning, among episodes. Raises NotFound."""
    found = experience_view.find(connection, trace_id, episodes)
    if found is None:
        raise NotFound(f"{trace_id!r}: no learnt trace has this id, or several begin so")
    return found


def stored_trace(connection: sa.Connection, trace_id: str) -> Trace | None:
    """The recorded run, None when it was not recorded."""
    from knarr.catalog import traces
    from knarr.trace.record import Trace

    record = traces.get(connection, trace_id)
    return None if record is None else Trace.from_json(record)


def outcomes_of(trace: Trace) -> dict[str, dict[str, int]]:
    """By the trace that taught them: whether a run's edges were shown, cited by its answer, or of no help."""
    cited = {citation.uri for citation in trace.citations}
    found: dict[str, dict[str, int]] = {}
    for call in trace.calls():
        for edge in call.edges:
            outcome = found.setdefault(edge.trace, {"uses": 1, "helped": 0, "failed": 0})
            outcome["helped"] |= edge.target in cited
            outcome["failed"] |= trace.status != "answered"
    return found


def edge_record(row: sa.Row[Any]) -> EdgeRecord:
    """An edge as listings show it, from its row in the catalog."""
    state = row.edge_state if row.edge_state == "stale" else row.state
    if state == "active" and row.expires_at_s is not None and row.expires_at_s <= time.time():
        state = "expired"
    return EdgeRecord(
        source=row.source,
        target=row.target,
        state=cast(EdgeState, state),
        question=row.question,
        trace=row.trace_id,
        summary=row.summary,
        batch=row.batch,
        created_at=row.created_at,
        expires_at=row.expires_at_s,
        source_version=row.source_version,
        target_version=row.target_version,
        uses=row.uses,
        helped=row.helped,
        failed=row.failed,
        learner=row.learner,
        tenant=row.tenant,
        labels=tuple(row.labels),
    )
