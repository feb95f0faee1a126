"""The log that the engine follows: append-only, `seq` grows by one with every change."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog.records import Change, Position
from knarr.catalog.schema import changes


def append(
    connection: sa.Connection,
    kind: str,
    uri: str,
    *,
    document_id: int | None = None,
    target: str | None = None,
) -> int:
    """Log a change in the transaction that makes it; returns its seq."""
    values = {"kind": kind, "uri": uri, "document_id": document_id, "target": target}
    key = connection.execute(changes.insert().values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def append_all(connection: sa.Connection, kind: str, uris: Sequence[str]) -> None:
    """Log one change for each URI, in their order."""
    if uris:
        rows = [{"kind": kind, "uri": uri, "document_id": None, "target": None} for uri in uris]
        connection.execute(changes.insert(), rows)


def last(connection: sa.Connection) -> int:
    """The newest seq, 0 for an empty log."""
    return int(connection.execute(sa.select(sa.func.max(changes.c.seq))).scalar() or 0)


def position(connection: sa.Connection) -> Position:
    """How far the log goes; `Position(0, 0)` for an empty one."""
    newest = sa.select(changes.c.seq, changes.c.stamp).order_by(changes.c.seq.desc()).limit(1)
    row = connection.execute(newest).first()
    return Position(*row) if row else Position(0, 0)


def holds(connection: sa.Connection, position: Position) -> bool:
    """Whether the log goes at least that far, and is the one that did."""
    query = sa.select(changes.c.seq).where(changes.c.seq == position.seq, changes.c.stamp == position.stamp)
    return connection.execute(query).first() is not None


def since(connection: sa.Connection, seq: int) -> list[Change]:
    """The changes after `seq`, in order."""
    query = sa.select(changes).where(changes.c.seq > seq).order_by(changes.c.seq)
    return [Change(**row._mapping) for row in connection.execute(query)]
