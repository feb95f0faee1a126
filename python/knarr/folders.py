"""Keeping the abstracts of folders above documents true, at the cost of the change only.

A change touches the abstracts of the folders above it, deepest first, since each is made from its
children's. A folder whose text comes out the same stops the embedding, not the walk; a folder that
lost its last child loses its abstract.
"""

from __future__ import annotations

import hashlib

import numpy as np

from knarr.catalog import Catalog, changes, folders, vectors
from knarr.catalog.folders import FolderRecord
from knarr.config import Settings
from knarr.documents.abstracts import folder_abstract, preview
from knarr.documents.names import SCHEME, parse
from knarr.embed import Embedder, count_tokens


def above(uri: str) -> list[str]:
    """The folders above a URI, deepest first; the last is the root."""
    found = []
    while uri != SCHEME:
        uri = uri.rsplit("/", 1)[0] if uri.count("/") > 2 else SCHEME
        found.append(uri)
    return found


def refresh(catalog: Catalog, embedder: Embedder, settings: Settings) -> None:
    """Make the abstracts anew that changes have touched, those left by a killed process included."""
    with catalog.reading() as connection:
        touched = folders.stale(connection)
    for uri in sorted(touched, key=lambda uri: (-len(parse(uri)), uri)):
        _refresh_one(catalog, embedder, settings, uri)


def _refresh_one(catalog: Catalog, embedder: Embedder, settings: Settings, uri: str) -> None:
    with catalog.reading() as connection:
        old = folders.get(connection, uri)
        children = folders.children(connection, uri)
    if not children:
        with catalog.writing() as connection:
            folders.unmark(connection, uri)
            if old is not None:
                folders.remove(connection, uri)
                vectors.release(connection, [old.vector_hash])
                changes.append(connection, "folder", uri)
        return
    names = [parse(child)[-1] for child, _ in children]
    title = parse(uri)[-1] if uri != SCHEME else ""
    text = folder_abstract(title, names, (abstract for _, abstract in children), settings.abstract_tokens)
    if old is not None and old.text == text:
        with catalog.writing() as connection:
            folders.unmark(connection, uri)
        return
    key = hashlib.sha256(text.encode("utf-8")).digest()
    tokens = count_tokens(embedder.tokenizer, text)
    _store(
        catalog, embedder, FolderRecord(uri, text, tokens, preview(text, settings.preview_chars), key), old
    )


def _store(catalog: Catalog, embedder: Embedder, record: FolderRecord, old: FolderRecord | None) -> None:
    with catalog.reading() as connection:
        known = vectors.get(connection, [record.vector_hash], embedder.id)
    fresh = (
        {} if known else {record.vector_hash: np.asarray(embedder.embed([record.text])[0], dtype=np.float32)}
    )
    with catalog.writing() as connection:
        vectors.put(connection, fresh, embedder.id)
        folders.put(connection, record)
        folders.unmark(connection, record.uri)
        if old is not None and old.vector_hash != record.vector_hash:
            vectors.release(connection, [old.vector_hash])
        changes.append(connection, "folder", record.uri)
