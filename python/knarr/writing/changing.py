"""Removing and moving what is at and below a URI: everything that one transaction does for it, and nothing outside.

`remove`, `move` and `sync` all end here, so that what a document takes along, it takes along on each way.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog import abstracts, changes, documents, folders, pages, sources, vectors
from knarr.catalog.records import DocumentRecord
from knarr.uris import above


def remove_below(connection: sa.Connection, uri: str, removed: Sequence[DocumentRecord]) -> None:
    """Remove the documents at and below a URI, which are these."""
    ids = [record.id for record in removed]
    hashes = vectors.hashes_of(connection, ids)
    documents.remove(connection, ids)
    hashes += folders.remove_below(connection, uri)
    abstracts.forget(connection, [abstracts.owner(number) for number in ids])
    vectors.release(connection, hashes)
    pages.release(connection, [record.content_hash for record in removed])
    sources.release_below(connection, uri)
    folders.mark_stale(connection, above(uri))
    changes.append(connection, "remove", uri)


def move_below(connection: sa.Connection, source: str, target: str) -> int:
    """Move the documents at and below a URI to another one, where nothing is; returns how many there are."""
    count = documents.move(connection, source, target)
    sources.move_folders(connection, source, target)
    folders.clear(connection, target)
    folders.move(connection, source, target)
    folders.mark_stale(connection, {target, *above(source), *above(target)})
    changes.append(connection, "move", source, target=target)
    return count
