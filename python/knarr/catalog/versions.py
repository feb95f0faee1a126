"""History as it is written: what a change replaces is kept, in the transaction of the change.

Two things are kept. The content of a version, once, when it stops being the newest (`keep`). And where each version
stood, as intervals of the log and of time (`placements`): every put, move and remove closes some and opens others, so
a move costs a row for each document and no content. The newest version is in the tables of `documents`; it has an
open placement, and those that moves have closed.

What the retention leaves no room for goes in the write that exceeds it. States that can no longer be told in full are
known: a version that its document's number of versions pushed out leaves a gap in its place, and what is pruned for
its age raises the floor, below which no state of a folder is told. The record begins with the first write of a
knarr that keeps one; documents that were there before begin with the version that they had then.

All inside a caller's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from knarr.catalog import changes, packed, vectors
from knarr.catalog.batches import batches
from knarr.catalog.documents import at_or_below
from knarr.catalog.records import Floor
from knarr.catalog.schema import (
    documents,
    meta,
    placements,
    trace_documents,
    version_vectors,
    versions,
)
from knarr.uris import lies_in

GAP = 0
"""The `version` of a placement whose content is no longer kept."""

_FLOOR = "history_floor"
_COPIED = ("version", "uri", "folder", "file_name")


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: at most so many earlier `versions` of a document, each for so many `days` after it was replaced,
    moved away or removed; 0 days for no limit of time."""

    versions: int
    days: float


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: earlier `versions`, and records of where versions stood."""

    versions: int = 0
    placements: int = 0


# ---------------------------------------------------------------------- the record of a change


def begin(connection: sa.Connection) -> None:
    """To be called first in every transaction that changes documents: begins the record where there is none yet."""
    if floor(connection) is not None:
        return
    seq, now = changes.last(connection), moment(datetime.now(UTC))
    columns = [
        documents.c.id,
        *(documents.c[name] for name in _COPIED),
        sa.literal(seq),
        documents.c.updated_at,
    ]
    names = ["document_id", *_COPIED, "begin_seq", "begin_at"]
    there = connection.execute(sa.select(documents.c.id).limit(1)).first() is not None
    connection.execute(placements.insert().from_select(names, sa.select(*columns)))
    _set_floor(connection, Floor(seq, now) if there else Floor(0, ""))


def floor(connection: sa.Connection) -> Floor | None:
    """From where on every state can be told in full; None before the record begins."""
    stored = connection.execute(sa.select(meta.c.value).where(meta.c.key == _FLOOR)).scalar()
    return None if stored is None else Floor(*json.loads(stored))


def claim(connection: sa.Connection, uri: str) -> tuple[int, int]:
    """An id that no document ever had, and the version of a new document at a URI: one more than any that is known to
    have stood there, so that a URI and a version never mean two texts while both are known."""
    newest = [sa.select(sa.func.max(column)) for column in (documents.c.id, placements.c.document_id)]
    stood = sa.select(sa.func.max(placements.c.version)).where(placements.c.uri == uri)
    number = max(connection.execute(query).scalar() or 0 for query in newest) + 1
    return number, int(connection.execute(stood).scalar() or 0) + 1


def inherit(connection: sa.Connection, uri: str, document_id: int) -> None:
    """Give a new document at a URI the history of one that was removed from there: it goes on where that ended."""
    gone = sa.select(placements.c.document_id).where(
        placements.c.uri == uri, placements.c.document_id.not_in(sa.select(documents.c.id))
    )
    newest_first = gone.order_by(placements.c.end_seq.desc(), placements.c.id.desc())
    for number in dict.fromkeys(connection.execute(newest_first).scalars().all()):
        if _last_place(connection, number) == uri:
            for table in (placements, versions):
                mine = table.update().where(table.c.document_id == number)
                connection.execute(mine.values(document_id=document_id))
            told = trace_documents.update().prefix_with("OR REPLACE", dialect="sqlite")
            connection.execute(
                told.where(trace_documents.c.document_id == -number).values(document_id=-document_id)
            )
            return


def keep(connection: sa.Connection, document_ids: Iterable[int], retention: Retention) -> None:
    """Keep the newest versions of documents, which the caller is about to replace or remove."""
    if retention.versions < 1:
        return
    for number in document_ids:
        content = packed.load(connection, number)
        if content is None:
            continue
        data = packed.pack(content)
        values = {
            "document_id": number,
            "version": content.record.version,
            "checksum": packed.checksum(data),
            "content": data,
        }
        key = connection.execute(versions.insert().values(**values)).inserted_primary_key
        assert key is not None
        rows = [{"vector_hash": one, "version_id": int(key[0])} for one in content.vector_hashes()]
        connection.execute(version_vectors.insert(), rows)


def stands(connection: sa.Connection, ids: Sequence[int], seq: int, retention: Retention) -> None:
    """Note that the newest versions of these documents stand, from the change `seq` on, where `documents` says."""
    now = _close(connection, ids, seq)
    names = ["document_id", *_COPIED, "begin_seq", "begin_at"]
    for part in batches(ids):
        columns = [documents.c.id, *(documents.c[name] for name in _COPIED), sa.literal(seq), sa.literal(now)]
        rows = sa.select(*columns).where(documents.c.id.in_(part)).order_by(documents.c.id)
        connection.execute(placements.insert().from_select(names, rows))
    _retain(connection, ids, now, retention)


def gone(connection: sa.Connection, ids: Sequence[int], seq: int, retention: Retention) -> None:
    """Note that these documents are removed by the change `seq`."""
    _retain(connection, ids, _close(connection, ids, seq), retention)


def ids_below(connection: sa.Connection, uri: str) -> list[int]:
    """The documents at or below a URI, those that were removed from there included."""
    now = sa.select(documents.c.id).where(at_or_below(documents.c.uri, uri))
    found = dict.fromkeys(connection.execute(now.order_by(documents.c.id)).scalars())
    here = sa.select(placements.c.document_id).where(
        at_or_below(placements.c.uri, uri), placements.c.document_id.not_in(sa.select(documents.c.id))
    )
    for number in connection.execute(here.distinct().order_by(placements.c.document_id)).scalars().all():
        last = _last_place(connection, number)
        if last is not None and lies_in(last, uri):
            found[number] = None
    return list(found)


# ---------------------------------------------------------------------- what goes again


def prune(
    connection: sa.Connection,
    *,
    before: datetime | str | None = None,
    documents: Collection[int] | None = None,
) -> Pruned:
    """Delete earlier versions and the record of where documents stood, with vectors that nothing else uses.

    before:     only what ended (was replaced, moved away, removed) by that time, UTC where it names no zone; all
                that ended when None
    documents:  ids (see `ids_below`), of those only; of removed ones nothing is left at all. All when None

    The newest versions stay as they are. States that this makes incomplete are refused from then on, save for
    removed documents that are named: those are as if they had never been."""
    begin(connection)
    cutoff = None if before is None else moment(before)
    if documents is None:
        return _prune_ended(connection, cutoff)
    done = [_prune_document(connection, number, cutoff) for number in documents]
    return Pruned(sum(one.versions for one in done), sum(one.placements for one in done))


def _prune_ended(connection: sa.Connection, cutoff: str | None) -> Pruned:
    """What ended by the cutoff, of whatever document; raises the floor to its end."""
    ended = sa.and_(placements.c.end_at.is_not(None))
    if cutoff is not None:
        ended = sa.and_(ended, placements.c.end_at <= cutoff)
    last = sa.select(sa.func.max(placements.c.end_seq), sa.func.max(placements.c.end_at)).where(ended)
    seq, at = connection.execute(last).one()
    if seq is None:
        return Pruned()
    touched = list(connection.execute(sa.select(placements.c.document_id).where(ended).distinct()).scalars())
    count = connection.execute(placements.delete().where(ended)).rowcount
    known = floor(connection) or Floor(0, "")
    _set_floor(connection, Floor(max(known.seq, seq), max(known.at, at)))
    return Pruned(_drop_unplaced(connection, touched), count)


def _prune_document(connection: sa.Connection, number: int, cutoff: str | None) -> Pruned:
    ended = sa.and_(placements.c.document_id == number, placements.c.end_at.is_not(None))
    if cutoff is not None:
        ended = sa.and_(ended, placements.c.end_at <= cutoff)
    rows = connection.execute(sa.select(placements).where(ended)).all()
    connection.execute(placements.delete().where(ended))
    now = connection.execute(sa.select(documents).where(documents.c.id == number)).first()
    if now is not None and rows:
        # Where it stands now is no secret; where else it stood may be one.
        span = [min(row.begin_seq for row in rows), max(row.end_seq for row in rows)]
        times = [min(row.begin_at for row in rows), max(row.end_at for row in rows)]
        _add_gap(connection, number, (now.uri, now.folder, now.file_name), span, times)
    return Pruned(_drop_unplaced(connection, [number]), len(rows))


def _retain(connection: sa.Connection, ids: Sequence[int], now: str, retention: Retention) -> None:
    """Prune what the retention has no room for, after a change of these documents at the time `now`."""
    for number in ids:
        kept = sa.select(versions.c.id).where(versions.c.document_id == number)
        kept = kept.order_by(versions.c.version.desc())
        surplus = list(connection.execute(kept.offset(retention.versions).limit(-1)).scalars())
        if surplus or retention.versions < 1:
            _drop(connection, surplus)
            _gaps(connection, number)
    if retention.days > 0:
        span = timedelta(days=retention.days)
        _prune_ended(connection, moment(datetime.fromisoformat(now) - span))


def _gaps(connection: sa.Connection, number: int) -> None:
    """Make gaps of the places of versions that are gone: one for each place."""
    kept = sa.select(versions.c.version).where(versions.c.document_id == number)
    newest = sa.select(documents.c.version).where(documents.c.id == number)
    lost = sa.and_(
        placements.c.document_id == number,
        placements.c.end_seq.is_not(None),
        placements.c.version.not_in(sa.union(kept, newest)),
    )
    rows = connection.execute(sa.select(placements).where(lost).order_by(placements.c.id)).all()
    connection.execute(placements.delete().where(lost))
    places: dict[str, list[sa.Row[tuple[object, ...]]]] = {}
    for row in rows:
        places.setdefault(row.uri, []).append(row)
    for uri, listed in places.items():
        span = [min(row.begin_seq for row in listed), max(row.end_seq for row in listed)]
        times = [min(row.begin_at for row in listed), max(row.end_at for row in listed)]
        _add_gap(connection, number, (uri, listed[-1].folder, listed[-1].file_name), span, times)


def _add_gap(
    connection: sa.Connection, number: int, place: tuple[str, str, str], span: list[int], times: list[str]
) -> None:
    old = sa.and_(
        placements.c.document_id == number, placements.c.version == GAP, placements.c.uri == place[0]
    )
    for row in connection.execute(sa.select(placements).where(old)).all():
        span = [min(span[0], row.begin_seq), max(span[1], row.end_seq)]
        times = [min(times[0], row.begin_at), max(times[1], row.end_at)]
    connection.execute(placements.delete().where(old))
    uri, folder, file_name = place
    values = {"document_id": number, "version": GAP, "uri": uri, "folder": folder, "file_name": file_name}
    values |= {"begin_seq": span[0], "end_seq": span[1], "begin_at": times[0], "end_at": times[1]}
    connection.execute(placements.insert().values(**values))


def _drop_unplaced(connection: sa.Connection, ids: Sequence[int]) -> int:
    """Delete the kept versions of these documents that have no place any more; returns how many."""
    found: list[int] = []
    for part in batches(ids):
        placed = sa.exists().where(
            placements.c.document_id == versions.c.document_id, placements.c.version == versions.c.version
        )
        query = sa.select(versions.c.id).where(versions.c.document_id.in_(part), ~placed)
        found += connection.execute(query).scalars()
    _drop(connection, found)
    return len(found)


def _drop(connection: sa.Connection, version_ids: Sequence[int]) -> None:
    for part in batches(version_ids):
        used = sa.select(version_vectors.c.vector_hash).where(version_vectors.c.version_id.in_(part))
        hashes = list(connection.execute(used.distinct()).scalars())
        connection.execute(version_vectors.delete().where(version_vectors.c.version_id.in_(part)))
        connection.execute(versions.delete().where(versions.c.id.in_(part)))
        vectors.release(connection, hashes)


# ---------------------------------------------------------------------- seq and time


def moment(at: datetime | str) -> str:
    """A time as placements have it, so that text compares as time does. UTC where it names no zone."""
    found = datetime.fromisoformat(at) if isinstance(at, str) else at
    found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return found.astimezone(UTC).isoformat(timespec="microseconds")


def _close(connection: sa.Connection, ids: Sequence[int], seq: int) -> str:
    """End the open placements of these documents; returns the time of the change. Times grow as the log does, also
    where the clock was set back, so that a time names one state."""
    newest = [sa.select(sa.func.max(column)) for column in (placements.c.begin_at, placements.c.end_at)]
    known = [connection.execute(query).scalar() or "" for query in newest]
    now = max([moment(datetime.now(UTC)), *(moment(at) for at in known if at)])
    for part in batches(ids):
        is_open = sa.and_(placements.c.document_id.in_(part), placements.c.end_seq.is_(None))
        connection.execute(placements.update().where(is_open).values(end_seq=seq, end_at=now))
    return now


def _set_floor(connection: sa.Connection, found: Floor) -> None:
    connection.execute(meta.delete().where(meta.c.key == _FLOOR))
    connection.execute(meta.insert().values(key=_FLOOR, value=json.dumps(list(found))))


def _last_place(connection: sa.Connection, number: int) -> str | None:
    """Where a removed document stood last; None for one that is there, and for one that is not known."""
    if connection.execute(sa.select(documents.c.id).where(documents.c.id == number)).first() is not None:
        return None
    query = sa.select(placements.c.uri).where(placements.c.document_id == number)
    return connection.execute(query.order_by(placements.c.end_seq.desc()).limit(1)).scalar()
