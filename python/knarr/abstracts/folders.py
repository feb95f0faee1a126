"""Keeping the abstracts of folders above documents true, at the cost of the change only.

A change touches the abstracts of the folders above it, deepest first, since each is made from its
children's. A folder whose text comes out the same stops the embedding, not the walk; a folder that
lost its last child loses its abstract.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sqlalchemy as sa

from knarr.abstracts.extractive import folder_abstract, preview
from knarr.abstracts.recall import AbstractRecall, stands_for
from knarr.catalog import Catalog, abstracts, changes, folders, vectors
from knarr.catalog.folders import FolderRecord
from knarr.config import Settings
from knarr.language.plain import text_key
from knarr.models.embed import Embedder, count_tokens, embed_checked
from knarr.uris import components, name_of


def refresh(
    catalog: Catalog,
    embedder: Embedder,
    settings: Settings,
    recall: AbstractRecall | None = None,
    *,
    below: int = -1,
    embed: bool = True,
) -> int:
    """Make the abstracts anew that changes have touched, those left by a killed process included. What a
    model made of the same contents before is taken from the catalog; no model is called. With `below` only
    folders whose path has more components. Without `embed` no embedder is called: a text that has no vector yet gets
    the mean of the vectors below it, until a later change touches the folder. Returns how many texts were embedded."""
    with catalog.reading() as connection:
        touched = folders.stale(connection)
    recall = recall or AbstractRecall.of(catalog, settings)
    embedded = 0
    touched = [uri for uri in touched if len(components(uri)) > below]
    for uri in sorted(touched, key=lambda uri: (-len(components(uri)), uri)):
        embedded += _refresh_one(catalog, embedder, settings, recall, uri, embed)
    return embedded


def parts_of(connection: sa.Connection, uri: str) -> tuple[str, list[tuple[str, str]]]:
    """A folder's title, and the name and abstract of each thing that lies directly in it."""
    children = folders.children(connection, uri)
    return name_of(uri), [(name_of(child), text) for child, text in children]


def _refresh_one(
    catalog: Catalog, embedder: Embedder, settings: Settings, recall: AbstractRecall, uri: str, embed: bool
) -> int:
    with catalog.reading() as connection:
        old = folders.get(connection, uri)
        title, parts = parts_of(connection, uri)
        known, keys = recall.folder(connection, title, parts)
    if not parts:
        with catalog.writing() as connection:
            folders.unmark(connection, uri)
            abstracts.forget(connection, [uri])
            if old is not None:
                folders.remove(connection, uri)
                vectors.release(connection, [old.vector_hash])
                changes.append(connection, "folder", uri)
        return 0
    names = [name for name, _ in parts]
    text = known or folder_abstract(title, names, (below for _, below in parts), settings.abstract_tokens)
    embedded = stands_for(title, text) if known else text
    key = text_key(embedded)
    if old is not None and old.text == text and (old.vector_hash == key or not embed):
        with catalog.writing() as connection:
            if folders.unmark(connection, uri):
                changes.append(connection, "folder", uri)  # so that it is shown again
            abstracts.keep(connection, uri, keys)
        return 0
    tokens = count_tokens(embedder.tokenizer, text)
    record = FolderRecord(uri, text, tokens, preview(text, settings.preview_chars), key)
    return _store(catalog, embedder, record, embedded if embed else "", old, keys)


def _store(
    catalog: Catalog,
    embedder: Embedder,
    record: FolderRecord,
    embedded: str,
    old: FolderRecord | None,
    keys: list[bytes],
) -> int:
    """Store a folder's abstract with the vector of `embedded`; with that of what lies in it where that is empty."""
    with catalog.reading() as connection:
        known = vectors.get(connection, [record.vector_hash], embedder.id)
        below = {} if known or embedded else _mean_below(connection, record.uri, embedder.id)
    fresh = below
    if below:
        record = replace(record, vector_hash=next(iter(below)))
    elif not known and embedded:
        otherwise = f"the abstract of {record.uri} is made with the next change"
        fresh = {record.vector_hash: embed_checked(embedder, [embedded], otherwise)[0]}
    with catalog.writing() as connection:
        vectors.put(connection, fresh, embedder.id)
        folders.put(connection, record)
        folders.unmark(connection, record.uri)
        abstracts.keep(connection, record.uri, keys)
        if old is not None and old.vector_hash != record.vector_hash:
            vectors.release(connection, [old.vector_hash])
        changes.append(connection, "folder", record.uri)
    return len(fresh) if embedded else 0


def _mean_below(connection: sa.Connection, uri: str, model: str) -> dict[bytes, vectors.Vector]:
    """The mean direction of the abstracts directly in a folder, by a key that no text has; nothing without any."""
    hashes = folders.hashes_below(connection, uri)
    stored = vectors.get(connection, hashes, model)
    if not stored:
        return {}
    mean = np.sum([stored[key] for key in hashes if key in stored], axis=0)
    length = float(np.linalg.norm(mean))
    if length == 0.0:
        return {}
    key = text_key("\0mean of " + " ".join(sorted(one.hex() for one in hashes)))
    return {key: np.asarray(mean / length, dtype=np.float32)}
