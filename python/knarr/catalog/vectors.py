"""Vectors by content hash and model: what was embedded once is never paid for again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from knarr.catalog.batches import batches
from knarr.catalog.schema import episodes, folders, labels, objects, vectors

Vector = npt.NDArray[np.float32]


def get(connection: sa.Connection, hashes: Sequence[bytes], model: str) -> dict[bytes, Vector]:
    """The stored vectors among `hashes`."""
    found: dict[bytes, Vector] = {}
    distinct = list(dict.fromkeys(hashes))
    for part in batches(distinct):
        query = sa.select(vectors.c.hash, vectors.c.vector).where(
            vectors.c.model == model, vectors.c.hash.in_(part)
        )
        for key, blob in connection.execute(query):
            found[key] = np.frombuffer(blob, dtype="<f4")
    return found


def put(connection: sa.Connection, new: Mapping[bytes, Vector], model: str) -> None:
    """Store vectors that are not there yet."""
    rows = [
        {"hash": key, "model": model, "vector": np.ascontiguousarray(vector, dtype="<f4").tobytes()}
        for key, vector in new.items()
    ]
    if rows:
        connection.execute(vectors.insert().prefix_with("OR IGNORE", dialect="sqlite"), rows)


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
    return {bytes(row[0]) for row in connection.execute(_users(keys))}


def release(connection: sa.Connection, hashes: Sequence[bytes]) -> None:
    """Delete those of `hashes` that nothing uses any more."""
    for part in batches(hashes):
        connection.execute(
            vectors.delete().where(vectors.c.hash.in_(part), vectors.c.hash.not_in(_users(part)))
        )


def _users(part: Sequence[bytes]) -> sa.CompoundSelect[Any]:
    """All that keeps a vector: whatever names its key."""
    return sa.union(
        sa.select(objects.c.vector_hash).where(objects.c.vector_hash.in_(part)),
        sa.select(labels.c.vector_hash).where(labels.c.vector_hash.in_(part)),
        sa.select(folders.c.vector_hash).where(folders.c.vector_hash.in_(part)),
        sa.select(episodes.c.vector_hash).where(episodes.c.vector_hash.in_(part)),
    )
