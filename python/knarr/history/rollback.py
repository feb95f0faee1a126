"""Putting an earlier version of a document back, as any update: one transaction, one more version, one line of the log.

Its vectors are still in the catalog, held by the version that is kept, so nothing is embedded.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from knarr.catalog import abstracts, changes, documents, folders, packed, past, vectors, versions
from knarr.catalog.packed import VersionContent
from knarr.catalog.versions import Retention
from knarr.errors import AlreadyExists, CatalogError, InvalidArgument
from knarr.uris import above


@dataclass(frozen=True, slots=True)
class PutBack:
    """A version that was put back: where it stands, and as which version."""

    uri: str
    version: int


def put_back(connection: sa.Connection, number: int, version: int, retention: Retention) -> PutBack:
    """Make a kept version of a document its newest one. See `History.rollback`."""
    versions.begin(connection)
    content = past.content(connection, number, version)
    if content is None:
        raise CatalogError(f"version {version} of the document {number} is missing from the catalog")
    now = documents.find_id(connection, number)
    last = past.placements_of(connection, number)[-1]
    uri = last.uri if now is None else now.uri
    if now is not None and now.version == version:
        raise InvalidArgument(f"{uri}: version {version} is the newest already; name an earlier one")
    if now is None:
        _check_free(connection, uri)
    newest = (
        max(one.version for one in past.placements_of(connection, number)) if now is None else now.version
    )
    versions.keep(connection, [] if now is None else [number], retention)
    old = vectors.hashes_of(connection, [number])
    folder = last.folder if now is None else now.folder
    name = last.file_name if now is None else now.file_name
    values = {
        "id": number,
        "uri": uri,
        "folder": folder,
        "file_name": documents.free_file_name(connection, folder, name, number),
        "version": newest + 1,
        "updated_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "notes": _notes(content, version),
    }
    packed.restore(connection, content, values, new=now is None)
    vectors.release(connection, old)
    abstracts.keep(connection, abstracts.owner(number), list(content.asked))
    if now is None:
        folders.clear(connection, uri)
    folders.mark_stale(connection, above(uri))
    seq = changes.append(connection, "put", uri, document_id=number)
    versions.stands(connection, [number], seq, retention)
    return PutBack(uri, newest + 1)


def _check_free(connection: sa.Connection, uri: str) -> None:
    owner = documents.owning(connection, uri)
    if owner is not None or documents.is_occupied(connection, uri):
        there = f"in the document {owner.uri}" if owner is not None else "as a folder with documents"
        raise AlreadyExists(
            f"{uri} is taken, {there}; move that away first, or read the earlier version with as_of"
        )


def _notes(content: VersionContent, version: int) -> list[str]:
    kept = [note for note in content.record.notes if not note.startswith(_NOTE)]
    return [*kept, f"{_NOTE} {version}"]


_NOTE = "put back from version"
