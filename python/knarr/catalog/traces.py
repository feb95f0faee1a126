"""Traces of questions: by id, the newest, and all in order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime

import sqlalchemy as sa

from knarr.catalog.batches import batches
from knarr.catalog.schema import traces
from knarr.errors import InvalidArgument

Reading = Callable[[], AbstractContextManager[sa.Connection]]
_PAGE = 32


def put(
    connection: sa.Connection,
    trace_id: str,
    created_at: str,
    question: str,
    status: str,
    record: str,
    asker: str = "",
) -> None:
    """Store one trace; `record` is its JSON, and `asker` says who asked: "" for the owner."""
    values = {
        "id": trace_id,
        "created_at": created_at,
        "question": question,
        "status": status,
        "record": record,
        "asker": asker,
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


def named(connection: sa.Connection, ids: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """`(id, created_at, question, status)` of traces, in the order given."""
    found: dict[str, tuple[str, str, str, str]] = {}
    for part in batches(ids):
        query = sa.select(traces.c.id, traces.c.created_at, traces.c.question, traces.c.status)
        for a, b, c, d in connection.execute(query.where(traces.c.id.in_(part))):
            found[a] = (str(a), str(b), str(c), str(d))
    return [found[name] for name in ids if name in found]


def of_asker(connection: sa.Connection, asker: str, begins: str = "") -> list[tuple[str, str]]:
    """`(id, created_at)` of the traces of somebody's questions whose ids begin so, oldest first."""
    query = sa.select(traces.c.id, traces.c.created_at).where(traces.c.asker == asker)
    if begins:
        query = query.where(traces.c.id.startswith(begins, autoescape=True))
    rows = connection.execute(query.order_by(traces.c.created_at, traces.c.id))
    return [(str(found), str(moment)) for found, moment in rows]


def recent(connection: sa.Connection, limit: int) -> list[tuple[str, str, str, str]]:
    """`(id, created_at, question, status)` of the newest traces."""
    query = sa.select(traces.c.id, traces.c.created_at, traces.c.question, traces.c.status)
    rows = connection.execute(query.order_by(traces.c.created_at.desc(), traces.c.id).limit(limit))
    return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows]


def of_question(connection: sa.Connection, question: str) -> list[str]:
    """The ids of the traces of exactly this question, newest first."""
    query = sa.select(traces.c.id).where(traces.c.question == question)
    return list(connection.execute(query.order_by(traces.c.created_at.desc(), traces.c.id)).scalars())


def walk(reading: Reading, since: str | datetime | None = None, limit: int | None = None) -> Iterator[str]:
    """The JSON of traces, oldest first: those created at or after `since`, at most `limit`.

    `since` is a time or its ISO 8601 text, UTC where it names no zone. Reads a page at a time, each in
    its own transaction, so that a slow taker holds up nobody. Raises InvalidArgument."""
    return _pages(reading, begin(since, limit), limit)


def begin(since: str | datetime | None, limit: int | None) -> str:
    """From when on `walk` reads, as traces write times. Raises InvalidArgument."""
    if limit is not None and limit < 0:
        raise InvalidArgument(f"limit {limit}: expected at least 0, or None for all")
    return "" if since is None else _stamp(since)


def _pages(reading: Reading, since: str, left: int | None) -> Iterator[str]:
    place = sa.tuple_(traces.c.created_at, traces.c.id)
    after: sa.ColumnElement[bool] = traces.c.created_at >= since
    while left is None or left > 0:
        query = sa.select(traces.c.created_at, traces.c.id, traces.c.record).where(after)
        query = query.order_by(traces.c.created_at, traces.c.id)
        with reading() as connection:
            rows = connection.execute(query.limit(_PAGE if left is None else min(_PAGE, left))).all()
        if not rows:
            return
        yield from (str(record) for _, _, record in rows)
        left = None if left is None else left - len(rows)
        after = place > (rows[-1][0], rows[-1][1])


def _stamp(moment: str | datetime) -> str:
    """A time as traces write it, to compare with theirs as text."""
    try:
        found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return found.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise InvalidArgument(
            f"{moment!r}: expected a time such as 2026-01-31 or 2026-01-31T18:00+01:00"
        ) from None
