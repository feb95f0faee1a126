"""What was learnt, held against the documents: both ends of an active edge are chunks whose text is what it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from knarr.care.health import Notes
from knarr.catalog import documents, embedders
from knarr.catalog.experience import ENDS, text_hash
from knarr.catalog.schema import edges, episodes

PART = "experience"
_STALE = "knarr doctor --repair puts them aside as stale"


@dataclass(frozen=True, slots=True)
class FalseEnd:
    """The ends of active edges at one chunk with one text, which the chunk no longer has."""

    end: str
    document_id: int
    path: str
    hash: bytes


def check_edges(connection: sa.Connection, notes: Notes) -> None:
    """Note edges that would show what their traces did not rest on, and questions by another embedder."""
    for one in false_ends(connection, notes):
        record = documents.find_id(connection, one.document_id)
        where = f"{record.uri}/{one.path}" if record is not None else ""
        notes.add(
            "error", PART, where, "edges were learnt on another text than it has", _STALE, mendable=True
        )
    own = embedders.bound(connection)
    if own is None:
        return
    other = episodes.c.model != own.rpartition(" (")[0]
    count = connection.execute(sa.select(sa.func.count()).select_from(episodes).where(other)).scalar_one()
    if count:
        what = f"{count} learnt questions are by another embedder, so their edges are not followed"
        notes.add("warning", PART, "", what, "knarr doctor --repair embeds them again", mendable=True)


def false_ends(connection: sa.Connection, notes: Notes) -> Iterator[FalseEnd]:
    """The ends of active edges that do not fit, one document at a time."""
    for end in ENDS:
        own = edges.c[f"{end}_id"]
        ids = connection.execute(sa.select(own).where(edges.c.state == "active").distinct().order_by(own))
        for document_id in ids.scalars().all():
            chunks = _chunks(connection, document_id)
            query = sa.select(edges.c[f"{end}_path"], edges.c[f"{end}_hash"]).where(
                own == document_id, edges.c.state == "active"
            )
            for path, key in connection.execute(query.distinct()).all():
                notes.count("ends of edges")
                if chunks.get(path) != key:
                    yield FalseEnd(end, document_id, path, key)


def put_aside(connection: sa.Connection, one: FalseEnd) -> list[str]:
    """Make the edges with this end stale; returns the traces that taught them."""
    at = sa.and_(
        edges.c[f"{one.end}_id"] == one.document_id,
        edges.c[f"{one.end}_path"] == one.path,
        edges.c[f"{one.end}_hash"] == one.hash,
        edges.c.state == "active",
    )
    taught = sa.select(episodes.c.trace_id).join(edges, edges.c.episode_id == episodes.c.id).where(at)
    names = list(connection.execute(taught.distinct()).scalars())
    connection.execute(edges.update().where(at).values(state="stale"))
    return names


def _chunks(connection: sa.Connection, document_id: int) -> dict[str, bytes]:
    """The chunks of a document with the hashes of their texts; none where it cannot be read."""
    try:
        data = documents.text_of(connection, document_id).encode("utf-8")
    except (sa.exc.SQLAlchemyError, UnicodeError, AttributeError):
        return {}
    rows = (row for row in documents.objects_of(connection, document_id) if row.kind == "chunk")
    return {
        row.path: text_hash(data[row.begin_byte : row.end_byte].decode("utf-8", "replace")) for row in rows
    }
