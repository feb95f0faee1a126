"""Traces of questions: by id, the newest, and all in order of time; and which documents each was shown.

A trace holds what its run was shown, so it goes, whole, with the first document that it was shown
(`remove_of`), and with its age (`prune`). Question and answer retell what they rest on, as do the words of the
searches in between: a record without its quotes would still tell, and explain nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from knarr.catalog.batches import batches
from knarr.catalog.schema import episodes, trace_documents, traces
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


def prune(connection: sa.Connection, before: str) -> int:
    """Delete the traces created before a moment (see `stamp`); returns how many. Costs a look at an index where
    there are none."""
    return delete(connection, traces.c.created_at < before)


def delete(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    """Delete the traces of a condition; returns how many."""
    ids = list(connection.execute(sa.select(traces.c.id).where(which)).scalars())
    for part in batches(ids):
        connection.execute(traces.delete().where(traces.c.id.in_(part)))
    forget_shown(connection, ids)
    return len(ids)


def forget_shown(connection: sa.Connection, trace_ids: Sequence[str]) -> None:
    """Forget which documents these runs were shown, where neither a record of them nor what they taught is left."""
    for part in batches(trace_ids):
        kept = sa.union(
            sa.select(traces.c.id).where(traces.c.id.in_(part)),
            sa.select(episodes.c.trace_id).where(episodes.c.trace_id.in_(part)),
        )
        mine = sa.and_(trace_documents.c.trace_id.in_(part), trace_documents.c.trace_id.not_in(kept))
        connection.execute(trace_documents.delete().where(mine))


def any_before(connection: sa.Connection, before: str) -> bool:
    """Whether `prune` would delete anything."""
    return (
        connection.execute(sa.select(traces.c.id).where(traces.c.created_at < before).limit(1)).first()
        is not None
    )


def days_ago(days: float) -> str:
    """The moment so many days before now, to compare with `created_at`."""
    return stamp(datetime.now(UTC) - timedelta(days=days))


def remove_of(connection: sa.Connection, document_ids: Sequence[int]) -> int:
    """Delete the traces that were shown any of these documents, removed ones included; returns how many."""
    return sum(
        delete(connection, traces.c.id.in_(part)) for part in batches(shown_any(connection, document_ids))
    )


def shown_any(connection: sa.Connection, document_ids: Sequence[int]) -> list[str]:
    """The runs that were shown any of these documents, removed ones included (see `trace_documents`)."""
    found: dict[str, None] = {}
    for part in batches([number for one in document_ids for number in (one, -one)]):
        query = sa.select(trace_documents.c.trace_id).where(trace_documents.c.document_id.in_(part))
        found |= dict.fromkeys(connection.execute(query.distinct()).scalars())
    return list(found)


def all_within(connection: sa.Connection) -> Iterator[tuple[str, str]]:
    """`(id, JSON)` of every trace, a page at a time, inside the caller's transaction."""
    last = ""
    while True:
        query = sa.select(traces.c.id, traces.c.record).where(traces.c.id > last).order_by(traces.c.id)
        rows = connection.execute(query.limit(_PAGE)).all()
        if not rows:
            return
        yield from ((str(key), str(record)) for key, record in rows)
        last = rows[-1][0]


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
    return "" if since is None else stamp(since)


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


def stamp(moment: str | datetime) -> str:
    """A time as traces write it, to compare with theirs as text."""
    try:
        found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return found.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise InvalidArgument(
            f"{moment!r}: expected a time such as 2026-01-31 or 2026-01-31T18:00+01:00"
        ) from None
