"""The log that the engine follows: append-only, `seq` grows by one with every change."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog.records import Change, Position
from knarr.catalog.schema import changes
from knarr.catalog.seals import is_whole, seal
from knarr.uris import above

WIPE = "wipe"
"""The kind of the line with which the log begins after `knarr forget`; it changes nothing."""


def append(
    connection: sa.Connection,
    kind: str,
    uri: str,
    *,
    document_id: int | None = None,
    target: str | None = None,
) -> int:
    """Log a change in the transaction that makes it; returns its seq."""
    key = connection.execute(
        changes.insert().values(_row(kind, uri, document_id, target))
    ).inserted_primary_key
    assert key is not None
    return int(key[0])


def append_all(connection: sa.Connection, kind: str, uris: Sequence[str]) -> None:
    """Log one change for each URI, in their order."""
    if uris:
        connection.execute(changes.insert(), [_row(kind, uri, None, None) for uri in uris])


def _row(kind: str, uri: str, document_id: int | None, target: str | None) -> dict[str, object]:
    values = {"kind": kind, "uri": uri, "document_id": document_id, "target": target}
    values["stamp"] = secrets.randbits(63)
    return {**values, "crc": seal(*values.values())}


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


_NAMES = ("seq", "kind", "document_id", "uri", "target", "stamp")


def since(connection: sa.Connection, seq: int) -> list[Change] | None:
    """The changes after `seq`, in order; None when they cannot be followed from there: they were pruned, or a line of
    them is damaged."""
    names = [changes.c[name] for name in _NAMES]
    query = sa.select(*names, changes.c.crc).where(changes.c.seq > seq).order_by(changes.c.seq)
    found = []
    for row in connection.execute(query):
        change = Change(*row[:-1])
        seq += 1
        values = (change.kind, change.uri, change.document_id, change.target, change.stamp)
        if change.seq != seq or not is_whole(row.crc, *values):
            return None
        found.append(change)
    return found


def was_removed(connection: sa.Connection, uri: str) -> bool:
    """Whether the log knows of the removal of a place, or of one above it."""
    places = sa.select(changes.c.seq).where(changes.c.kind == "remove", changes.c.uri.in_([uri, *above(uri)]))
    return connection.execute(places.limit(1)).first() is not None


def prune(connection: sa.Connection, below: int) -> int:
    """Forget the changes before number `below`; returns how many. The newest stays, and no number is used again."""
    newest = sa.select(sa.func.max(changes.c.seq)).scalar_subquery()
    old = changes.delete().where(changes.c.seq < below, changes.c.seq < newest)
    return int(connection.execute(old).rowcount)


def first(connection: sa.Connection) -> int:
    """The oldest seq that is kept, 0 for an empty log."""
    return int(connection.execute(sa.select(sa.func.min(changes.c.seq))).scalar() or 0)
