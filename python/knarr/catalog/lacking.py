"""What has no vector of a model yet, and vectors that nothing uses. By the database alone: no text is read."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from knarr.catalog import vectors
from knarr.catalog.batches import VALUES
from knarr.catalog.schema import documents, episodes, folders, labels, objects, version_vectors
from knarr.catalog.schema import vectors as stored


def _lacks(column: sa.ColumnElement[bytes], model: str) -> sa.ColumnElement[bool]:
    return ~sa.exists().where(stored.c.hash == column, stored.c.model == model)


def document_ids(connection: sa.Connection, model: str) -> list[int]:
    """The documents with an object or a label that lacks its vector."""
    of_objects = sa.select(objects.c.document_id).where(_lacks(objects.c.vector_hash, model))
    of_labels = sa.select(labels.c.document_id).where(_lacks(labels.c.vector_hash, model))
    either = sa.union(of_objects, of_labels).subquery()
    query = sa.select(documents.c.id).where(documents.c.id.in_(sa.select(either.c[0])))
    return list(connection.execute(query.order_by(documents.c.id)).scalars())


def version_ids(connection: sa.Connection, model: str) -> list[int]:
    """The earlier versions that lack a vector."""
    used = version_vectors.c
    query = sa.select(used.version_id).where(_lacks(used.vector_hash, model)).distinct()
    return list(connection.execute(query.order_by(used.version_id)).scalars())


def questions(connection: sa.Connection, model: str) -> list[bytes]:
    """The keys of learnt questions that lack their vector."""
    query = sa.select(episodes.c.vector_hash).where(_lacks(episodes.c.vector_hash, model)).distinct()
    return list(connection.execute(query).scalars())


def folder_uris(connection: sa.Connection, model: str) -> list[str]:
    """The folders whose abstract lacks its vector."""
    query = sa.select(folders.c.uri).where(_lacks(folders.c.vector_hash, model)).order_by(folders.c.uri)
    return list(connection.execute(query).scalars())


def keys(connection: sa.Connection, model: str | None = None) -> Iterator[list[bytes]]:
    """The keys of the stored vectors, each once, a bounded number at a time; of one model, or of all."""
    last = b""
    while True:
        query = sa.select(stored.c.hash).where(stored.c.hash > last)
        if model is not None:
            query = query.where(stored.c.model == model)
        found = list(connection.execute(query.distinct().order_by(stored.c.hash).limit(VALUES)).scalars())
        if not found:
            return
        yield found
        last = found[-1]


def count(connection: sa.Connection) -> int:
    """How many vectors are stored, those of all models."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(stored)).scalar_one())


def release_unused(connection: sa.Connection) -> int:
    """Delete the vectors that nothing uses; returns how many."""
    before = count(connection)
    for part in keys(connection):
        vectors.release(connection, part)
    return before - count(connection)
