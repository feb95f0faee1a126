"""The texts that stored vectors stand for, found again from what the catalog holds of them.

A vector's key is the hash of the text that was embedded, which is not stored: it is made of what is. Where more than
one is possible (the first chunk of a section says its heading itself, the others are given it) the hash decides, so
that a text which is found is the right one. A folder's vector may be the mean of those below it; it has no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from knarr.catalog import documents, folders, packed, vectors
from knarr.catalog.folders import FolderRecord
from knarr.catalog.schema import episodes, versions
from knarr.errors import CatalogError
from knarr.language.plain import text_key
from knarr.uris import components, name_of

MEAN = "\0mean of "  # begins the text of no document; see `knarr.abstracts.folders`


@dataclass(frozen=True, slots=True)
class Embedded:
    """What the vector `key` stands for. `sure` where the text's hash says so; else it is the likeliest."""

    key: bytes
    text: str
    sure: bool
    where: str


def of_document(connection: sa.Connection, document_id: int) -> Iterator[Embedded]:
    """The texts of a document's objects and labels."""
    record = documents.find_id(connection, document_id)
    if record is not None:
        yield from _of_parts(
            record.uri,
            documents.text_of(connection, document_id).encode("utf-8"),
            documents.sections_of(connection, document_id),
            documents.objects_of(connection, document_id),
            documents.labels_of(connection, document_id),
        )


def of_version(connection: sa.Connection, version_id: int) -> Iterator[Embedded]:
    """The texts of an earlier version that is kept (see `lacking.version_ids`)."""
    row = connection.execute(sa.select(versions).where(versions.c.id == version_id)).first()
    if row is None:
        return
    with suppress(CatalogError):  # damaged: nothing can be read of it, by vectors or without
        kept = packed.checked(
            row.content, row.checksum, f"version {row.version} of document {row.document_id}"
        )
        text = kept.text.encode("utf-8")
        yield from _of_parts(kept.record.uri, text, kept.sections, kept.objects, kept.labels)


def _of_parts(
    uri: str, data: bytes, sections: Sequence[Any], rows: Sequence[Any], labels: Sequence[Any]
) -> Iterator[Embedded]:
    titles = {row.ordinal: str(row.title) for row in sections}
    alone: dict[int, list[str]] = {}
    for row in rows:
        if row.kind == "chunk":
            alone.setdefault(row.section, []).append(_shown(row, data))
    for row in rows:
        texts = _candidates(row, titles.get(row.section, ""), data, alone.get(row.section, []))
        yield _matching(row.vector_hash, texts, f"{uri}/{row.path}")
    for label in labels:
        yield _matching(label.vector_hash, [str(label.text)], uri)


def of_questions(connection: sa.Connection) -> Iterator[Embedded]:
    """What learnt questions ask, a page at a time."""
    last = 0
    while True:
        query = sa.select(episodes.c.id, episodes.c.core, episodes.c.vector_hash, episodes.c.trace_id)
        rows = connection.execute(query.where(episodes.c.id > last).order_by(episodes.c.id).limit(500)).all()
        if not rows:
            return
        for row in rows:
            yield _matching(row.vector_hash, [str(row.core)], f"the question of trace {row.trace_id}")
        last = rows[-1].id


def of_folders(connection: sa.Connection) -> Iterator[Embedded]:
    """The texts of folders' abstracts; those whose vector is a mean are left out."""
    for record in folders.all_of(connection):
        if record.vector_hash != mean_key(connection, record.uri):
            told = f"{name_of(record.uri)}\n{record.text}".strip()
            yield _matching(record.vector_hash, [record.text, told], record.uri)


def mean_key(connection: sa.Connection, uri: str) -> bytes:
    """The key of the mean of the abstracts directly in a folder."""
    hashes = folders.hashes_below(connection, uri)
    return text_key(MEAN + " ".join(sorted(one.hex() for one in hashes)))


def means(connection: sa.Connection) -> list[FolderRecord]:
    """The folders whose vector is a mean, deepest first: each rests on those below it."""
    found = [one for one in folders.all_of(connection) if one.vector_hash == mean_key(connection, one.uri)]
    return sorted(found, key=lambda one: -len(components(one.uri)))


def mean_of(connection: sa.Connection, uri: str, model: str) -> vectors.Vector | None:
    """The mean direction of the abstracts directly in a folder; None where there is none."""
    hashes = folders.hashes_below(connection, uri)
    stored = vectors.get(connection, hashes, model)
    if not stored:
        return None
    mean = np.sum([stored[key] for key in hashes if key in stored], axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length, dtype=np.float32) if length > 0.0 else None


def _shown(row: sa.Row[Any], data: bytes) -> str:
    text = data[row.begin_byte : row.end_byte].decode("utf-8", "replace")
    return f"{row.header}\n{text}" if row.header else text


def _candidates(row: sa.Row[Any], title: str, data: bytes, chunks: Sequence[str]) -> list[str]:
    """What an object's vector may stand for, the likeliest first."""
    if row.kind == "chunk":
        shown = _shown(row, data).strip()
        return [shown, f"{title}\n{shown}"]
    own = str(row.text or "")
    alone = [one for shown in chunks[:1] for one in (shown.strip(), f"{title}\n{shown.strip()}")]
    return [own, *alone, f"{title}\n{own}".strip()]


def _matching(key: bytes, texts: Sequence[str], where: str) -> Embedded:
    for text in texts:
        if text_key(text) == key:
            return Embedded(key, text, True, where)
    return Embedded(key, texts[0], False, where)
