"""Vectors by content hash and model: what was embedded once is never paid for again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from knarr.catalog.batches import batches
from knarr.catalog.schema import episodes, folders, labels, objects, vectors, version_vectors
from knarr.catalog.seals import is_whole, seal

Vector = npt.NDArray[np.float32]


def get(connection: sa.Connection, hashes: Sequence[bytes], model: str) -> dict[bytes, Vector]:
    """The stored vectors among `hashes`. A damaged one counts as missing: it is made again from its text."""
    found: dict[bytes, Vector] = {}
    distinct = list(dict.fromkeys(hashes))
    for part in batches(distinct):
        query = sa.select(vectors.c.hash, vectors.c.vector, vectors.c.crc).where(
            vectors.c.model == model, vectors.c.hash.in_(part)
        )
        for key, blob, crc in connection.execute(query):
            if is_whole(crc, key, model, blob):
                found[key] = np.frombuffer(blob, dtype="<f4")
    return found


def put(connection: sa.Connection, new: Mapping[bytes, Vector], model: str) -> None:
    """Store vectors; one that is there already is the same, or was damaged."""
    rows = [
        {"hash": key, "model": model, "vector": blob, "crc": seal(key, model, blob)}
        for key, blob in (
            (key, np.ascontiguousarray(vector, dtype="<f4").tobytes()) for key, vector in new.items()
        )
    ]
    if rows:
        connection.execute(vectors.insert().prefix_with("OR REPLACE", dialect="sqlite"), rows)


def damaged_documents(connection: sa.Connection, model: str) -> set[int]:
    """The documents that use a vector which is not the one that was stored."""
    query = sa.select(vectors.c.hash, vectors.c.vector, vectors.c.crc).where(vectors.c.model == model)
    bad = [key for key, blob, crc in connection.execute(query) if not is_whole(crc, key, model, blob)]
    found: set[int] = set()
    for part in batches(bad):
        for table in (objects, labels):
            using = sa.select(table.c.document_id).where(table.c.vector_hash.in_(part))
            found |= set(connection.execute(using).scalars())
    return found


def width_of(connection: sa.Connection, model: str) -> int | None:
    """The width of a model's vectors, by any of them; None where there are none."""
    query = sa.select(sa.func.length(vectors.c.vector)).where(vectors.c.model == model).limit(1)
    size = connection.execute(query).scalar()
    return None if size is None else int(size) // np.dtype("<f4").itemsize


def hashes_of(connection: sa.Connection, document_ids: Sequence[int]) -> list[bytes]:
    """The vector keys that these documents use."""
    found: dict[bytes, None] = {}
    for part in batches(document_ids):
        of_objects = sa.select(objects.c.vector_hash).where(objects.c.document_id.in_(part))
        of_labels = sa.select(labels.c.vector_hash).where(labels.c.document_id.in_(part))
        found |= dict.fromkeys(connection.execute(sa.union(of_objects, of_labels)).scalars())
    return list(found)


def used_among(connection: sa.Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Those of a bounded number of keys whose vectors something uses."""
    query = sa.select(vectors.c.hash).where(vectors.c.hash.in_(keys), _is_used(keys))
    return {bytes(key) for key in connection.execute(query).scalars()}


def release(connection: sa.Connection, hashes: Sequence[bytes]) -> None:
    """Delete those of `hashes` that nothing uses any more, earlier versions of documents included."""
    for part in batches(hashes):
        connection.execute(vectors.delete().where(vectors.c.hash.in_(part), ~_is_used(part)))


def _is_used(part: Sequence[bytes]) -> sa.ColumnElement[bool]:
    """Whether anything names a vector, whose key is among `part`: objects, labels, abstracts of folders, learnt
    questions, and earlier versions of documents. Folders have no index by vector."""
    users = (objects, labels, episodes, version_vectors)
    named = (sa.exists().where(table.c.vector_hash == vectors.c.hash) for table in users)
    shown = sa.select(folders.c.vector_hash).where(folders.c.vector_hash.in_(part))
    return sa.or_(vectors.c.hash.in_(shown), *named)
