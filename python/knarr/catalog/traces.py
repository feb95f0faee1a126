"""Traces of questions, newest first."""

from __future__ import annotations

import sqlalchemy as sa

from knarr.catalog.schema import traces


def put(
    connection: sa.Connection, trace_id: str, created_at: str, question: str, status: str, record: str
) -> None:
    """Store one trace; `record` is its JSON."""
    values = {
        "id": trace_id,
        "created_at": created_at,
        "question": question,
        "status": status,
        "record": record,
    }
    connection.execute(traces.insert().values(**values))


def get(connection: sa.Connection, trace_id: str) -> str | None:
    """The JSON of a trace; None when no trace has this id. A unique beginning of an id is enough."""
    query = (
        sa.select(traces.c.id, traces.c.record)
        .where(traces.c.id.startswith(trace_id, autoescape=True))
        .limit(2)
    )
    rows = connection.execute(query).all()
    exact = [record for found, record in rows if found == trace_id]
    if exact:
        return str(exact[0])
    return str(rows[0][1]) if len(rows) == 1 else None


def recent(connection: sa.Connection, limit: int) -> list[tuple[str, str, str, str]]:
    """`(id, created_at, question, status)` of the newest traces."""
    query = sa.select(traces.c.id, traces.c.created_at, traces.c.question, traces.c.status)
    rows = connection.execute(query.order_by(traces.c.created_at.desc(), traces.c.id).limit(limit))
    return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows]
