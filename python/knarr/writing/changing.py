"""Removing and moving what is at and below a URI: everything that one transaction does for it, and nothing outside.

`remove`, `move` and `sync` all end here, so that what a document takes along, it takes along on each way.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog import (
    abstracts,
    changes,
    documents,
    experience,
    folders,
    pages,
    sources,
    traces,
    vectors,
    versions,
)
from knarr.catalog.records import DocumentRecord
from knarr.catalog.versions import Retention
from knarr.uris import above


def remove_below(
    connection: sa.Connection,
    uri: str,
    removed: Sequence[DocumentRecord],
    retention: Retention,
    *,
    history: bool = True,
) -> None:
    """Remove the documents at and below a URI, which are these; without `history` their last versions are not kept.
    The records of runs that were shown any of them go, history or not, and what was learnt from them alone."""
    ids = [record.id for record in removed]
    versions.begin(connection)
    if history:
        versions.keep(connection, ids, retention)
    hashes = vectors.hashes_of(connection, ids)
    traces.remove_of(connection, ids)
    hashes += experience.forget_documents(connection, ids)
    documents.remove(connection, ids)
    hashes += folders.remove_below(connection, uri)
    abstracts.forget(connection, [abstracts.owner(number) for number in ids])
    vectors.release(connection, hashes)
    pages.release(connection, [record.content_hash for record in removed])
    sources.release_below(connection, uri)
    folders.mark_stale(connection, above(uri))
    seq = changes.append(connection, "remove", uri)
    versions.gone(connection, ids, seq, retention)


def move_below(connection: sa.Connection, source: str, target: str, retention: Retention) -> int:
    """Move the documents at and below a URI to another one, where nothing is; returns how many there are."""
    versions.begin(connection)
    ids = [record.id for record in documents.under(connection, source)]
    count = documents.move(connection, source, target)
    sources.move_folders(connection, source, target)
    folders.clear(connection, target)
    folders.move(connection, source, target)
    folders.mark_stale(connection, {target, *above(source), *above(target)})
    seq = changes.append(connection, "move", source, target=target)
    versions.stands(connection, ids, seq, retention)
    return count
