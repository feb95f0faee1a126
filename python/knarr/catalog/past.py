"""History as it is read: which versions of which documents stood below a URI, at a change or a time.

Before the record begins (a base of an older knarr that nothing was written to yet) the documents that are there stand
for it. No search or read of the present comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from knarr.catalog import changes, packed
from knarr.catalog.batches import batches
from knarr.catalog.documents import at_or_below, possible_owners
from knarr.catalog.packed import VersionContent
from knarr.catalog.records import Floor, Standing
from knarr.catalog.schema import documents, placements, versions
from knarr.catalog.versions import GAP, floor, moment

_NAMES = (
    "document_id",
    "version",
    "uri",
    "folder",
    "file_name",
    "begin_seq",
    "end_seq",
    "begin_at",
    "end_at",
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A version that is known of: when it became the newest and when it ceased to be, and whether it is still kept."""

    version: int
    begin_at: str
    end_at: str | None
    uri: str
    retained: bool


def begun(connection: sa.Connection) -> Floor:
    """From where on all that stood is known; the present where there is no record yet."""
    return floor(connection) or Floor(changes.last(connection), moment(datetime.now(UTC)))


def first(connection: sa.Connection) -> str | None:
    """When the first thing that is known of stood; None for a base that never held a document."""
    return connection.execute(sa.select(sa.func.min(_record(connection).c.begin_at))).scalar()


def standing(
    connection: sa.Connection, scope: str, *, seq: int | None = None, at: str | None = None
) -> list[Standing]:
    """What stood at or below a scope, or around it, at a change or a time, in the order of adding; gaps included."""
    table = _record(connection)
    if seq is not None:
        then = sa.and_(table.c.begin_seq <= seq, sa.or_(table.c.end_seq.is_(None), table.c.end_seq > seq))
    else:
        then = sa.and_(table.c.begin_at <= at, sa.or_(table.c.end_at.is_(None), table.c.end_at > at))
    found: dict[tuple[int, str], Standing] = {}
    for place in _related(table, scope):
        query = sa.select(*_columns(table)).where(then, place)
        for row in connection.execute(query):
            known = Standing(*row)
            # A gap may reach over versions that are kept: these are better.
            if known.version != GAP or (known.document_id, known.uri) not in found:
                found[known.document_id, known.uri] = known
    placed = {one.document_id for one in found.values() if one.version != GAP}
    listed = [one for one in found.values() if one.version != GAP or one.document_id not in placed]
    return sorted(listed, key=lambda one: one.document_id)


def subject(connection: sa.Connection, uri: str) -> tuple[int, str] | None:
    """The document that a URI means, with the URI by which: the one that stands there, or around it; else the one
    that did last. None where no document is known to have stood."""
    owners = list(possible_owners(uri))
    for part in batches(owners):
        query = sa.select(documents.c.id, documents.c.uri).where(documents.c.uri.in_(part))
        row = connection.execute(query).first()
        if row is not None:
            return int(row.id), str(row.uri)
    stood = _stood(connection, owners)
    return (stood[0].document_id, stood[0].uri) if stood else None


def version_at(connection: sa.Connection, uri: str, version: int) -> Standing | None:
    """A version of the document that a URI names or lies in, under the URI by which it was asked for. The document
    that stands there is meant, wherever it stood as that version; else the last one that stood there as such."""
    meant = subject(connection, uri)
    if meant is None:
        return None
    number, owner = meant
    listed = placements_of(connection, number)
    own = [one for one in listed if one.version == version]
    if not own:
        own = [one for one in _stood(connection, list(possible_owners(uri))) if one.version == version][:1]
        owner = own[0].uri if own else owner
    if not own:
        return None
    last = own[-1]
    return Standing(
        last.document_id,
        version,
        owner,
        last.folder,
        last.file_name,
        last.begin_seq,
        last.end_seq,
        last.begin_at,
        last.end_at,
    )


def placements_of(connection: sa.Connection, document_id: int) -> list[Standing]:
    """Where a document stood, in the order of time; gaps included."""
    table = _record(connection)
    query = sa.select(*_columns(table)).where(table.c.document_id == document_id)
    return [Standing(*row) for row in connection.execute(query.order_by(table.c.begin_seq, table.c.begin_at))]


def known_versions(connection: sa.Connection, document_id: int) -> list[Kept]:
    """The versions of a document that are known of, oldest first. A version that is a gap is not among them."""
    spans: dict[int, list[Standing]] = {}
    for one in placements_of(connection, document_id):
        if one.version != GAP:
            spans.setdefault(one.version, []).append(one)
    newest = connection.execute(sa.select(documents.c.version).where(documents.c.id == document_id)).scalar()
    kept = set(
        connection.execute(
            sa.select(versions.c.version).where(versions.c.document_id == document_id)
        ).scalars()
    )
    return [
        Kept(
            version,
            listed[0].begin_at,
            listed[-1].end_at,
            listed[-1].uri,
            version in kept or version == newest,
        )
        for version, listed in sorted(spans.items())
    ]


def content(connection: sa.Connection, document_id: int, version: int) -> VersionContent | None:
    """A version whole, wherever it is held; None where it is not. Raises CatalogError for a damaged one."""
    newest = connection.execute(sa.select(documents.c.version).where(documents.c.id == document_id)).scalar()
    if newest == version:
        return packed.load(connection, document_id)
    query = sa.select(versions).where(versions.c.document_id == document_id, versions.c.version == version)
    row = connection.execute(query).first()
    if row is None:
        return None
    return packed.checked(row.content, row.checksum, f"version {version} of the document {document_id}")


def _record(connection: sa.Connection) -> sa.FromClause:
    """The placements; where the record has not begun, the documents in their form."""
    if floor(connection) is not None:
        return placements
    seq = changes.last(connection)
    return sa.select(
        documents.c.id.label("document_id"),
        *(documents.c[name] for name in ("version", "uri", "folder", "file_name")),
        sa.literal(seq).label("begin_seq"),
        sa.cast(sa.null(), sa.Integer).label("end_seq"),
        documents.c.updated_at.label("begin_at"),
        sa.cast(sa.null(), sa.Text).label("end_at"),
    ).subquery()


def _columns(table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
    return [table.c[name] for name in _NAMES]


def _related(table: sa.FromClause, scope: str) -> list[sa.ColumnElement[bool]]:
    """Conditions for what stands at, below or around a scope."""
    around = [table.c.uri.in_(part) for part in batches(list(possible_owners(scope)))]
    return [at_or_below(table.c.uri, scope), *around]


def _stood(connection: sa.Connection, owners: Sequence[str]) -> list[Standing]:
    """What stood at these URIs, the newest first; gaps last."""
    table = _record(connection)
    found: list[Standing] = []
    for part in batches(owners):
        query = sa.select(*_columns(table)).where(table.c.uri.in_(part))
        found += [Standing(*row) for row in connection.execute(query)]
    return sorted(found, key=lambda one: (one.version == GAP, -one.begin_seq))
