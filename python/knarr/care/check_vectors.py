"""Vectors: one for everything that is searched, each of its model's width, finite, of length one and of use."""

from __future__ import annotations

import numpy as np
import sqlalchemy as sa

from knarr.care.health import Notes
from knarr.catalog import embedders, lacking
from knarr.catalog import vectors as stored
from knarr.catalog.batches import batches
from knarr.catalog.schema import documents, vectors
from knarr.catalog.seals import is_whole

PART = "vectors"
_EMBED = "knarr doctor --repair embeds it again"
_LENGTH = 1e-2  # by which the length of a unit vector may be off


def check_vectors(connection: sa.Connection, notes: Notes) -> None:
    """Note what is missing, damaged and left over, of the bound embedder; others' are held against themselves."""
    own = embedders.bound(connection)
    if own is None:
        return
    try:
        model, dim = embedders.parted(own)
    except ValueError:
        what = f"the embedder is named {own!r}, which says no width"
        notes.add("error", PART, "", what, "restore a backup")
        return
    _check_missing(connection, model, notes)
    for key in damaged(connection, notes, {model: dim}):
        what = f"the vector {key[0].hex()[:12]} of {key[1]} is not the one that was stored, of length one and of its width"
        notes.add("error", PART, "", what, _EMBED, mendable=True)
    unused = sum(len(set(part) - stored.used_among(connection, part)) for part in lacking.keys(connection))
    if unused:
        what = f"{unused} vectors stand for nothing any more"
        notes.add("warning", PART, "", what, "knarr doctor --repair removes them", mendable=True)


def _check_missing(connection: sa.Connection, model: str, notes: Notes) -> None:
    ids = lacking.document_ids(connection, model)
    for part in batches(ids):
        for (uri,) in connection.execute(sa.select(documents.c.uri).where(documents.c.id.in_(part))):
            notes.add("error", PART, uri, "it lacks vectors, so it cannot be searched", _EMBED, mendable=True)
    for uri in lacking.folder_uris(connection, model):
        notes.add(
            "warning", PART, uri, "its abstract lacks its vector, so it is not found", _EMBED, mendable=True
        )
    questions = len(lacking.questions(connection, model))
    if questions:
        what = f"{questions} learnt questions lack their vectors, so their edges are not followed"
        notes.add("warning", PART, "", what, _EMBED, mendable=True)


def damaged(connection: sa.Connection, notes: Notes, widths: dict[str, int]) -> list[tuple[bytes, str]]:
    """The keys and models of vectors that cannot be what an embedder gave. Reads them a page at a time."""
    found: list[tuple[bytes, str]] = []
    last = (b"", "")
    place = sa.tuple_(vectors.c.hash, vectors.c.model)
    while True:
        query = sa.select(vectors).where(place > last)
        rows = connection.execute(query.order_by(vectors.c.hash, vectors.c.model).limit(1_000)).all()
        if not rows:
            return found
        notes.count("vectors", len(rows))
        for row in rows:
            key, model, blob = row.hash, row.model, row.vector
            dim = widths.setdefault(model, len(blob) // 4)
            whole = isinstance(blob, bytes) and len(blob) == 4 * dim and _is_unit(blob)
            if not whole or not is_whole(row.crc, key, model, blob):
                found.append((bytes(key), str(model)))
        last = (rows[-1].hash, rows[-1].model)


def _is_unit(blob: bytes) -> bool:
    vector = np.frombuffer(blob, dtype="<f4")
    with np.errstate(all="ignore"):
        length = float(np.linalg.norm(vector.astype(np.float64)))
    return bool(np.isfinite(vector).all()) and abs(length - 1.0) <= _LENGTH
