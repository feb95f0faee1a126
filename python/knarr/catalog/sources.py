"""Which file each document came from, and which folder on disk each folder of documents is.

A document is its source: a file's name, as the file system writes it, in a folder. Two names on disk may make one
component (`My Notes` and `My_Notes`, a letter composed and decomposed), so the component says nothing of who is
who, and the names are kept here. Documents of an older knarr have no line here before they are added again; until
then `documents.file_name` stands for it.

All inside a caller's transaction.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from knarr.catalog.documents import at_or_below, record_of
from knarr.catalog.records import DocumentRecord
from knarr.catalog.schema import documents, source_folders, sources
from knarr.uris import moved, parent


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A document that a file may be. `name` is its file's, `path` where that was; "" when it is not known."""

    record: DocumentRecord
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Where the file of a document was found."""

    document_id: int
    folder: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class StandingVersion:
    """The version of a document that stands while its file gives nothing."""

    uri: str
    version: int


def same_name(name: str) -> str:
    """Equal for names that differ in their Unicode form alone."""
    return unicodedata.normalize("NFC", name)


def candidates(connection: sa.Connection, folder: str, name: str) -> list[KnownFile]:
    """The documents of a folder whose file has this name, in whatever Unicode form; the oldest first."""
    alike = sa.select(sources.c.document_id).where(
        sources.c.folder == folder, sources.c.same_name == same_name(name)
    )
    forms = {name, same_name(name), unicodedata.normalize("NFD", name)}
    unlisted = sa.select(documents.c.id).where(
        documents.c.folder == folder, documents.c.file_name.in_(sorted(forms))
    )
    query = (
        sa.select(documents, sources.c.name.label("source_name"), sources.c.path.label("source_path"))
        .select_from(documents.outerjoin(sources, sources.c.document_id == documents.c.id))
        .where(documents.c.id.in_(sa.union(alike, unlisted)))
        .order_by(documents.c.id)
    )
    found = []
    for row in connection.execute(query).mappings():
        values = dict(row)
        name_there, path = values.pop("source_name"), values.pop("source_path")
        record = record_of(values)
        found.append(KnownFile(record, name_there or record.file_name, path or ""))
    return found


def standing(connection: sa.Connection, path: str, into: str) -> StandingVersion | None:
    """The first document below `into` whose file was at this path."""
    query = (
        sa.select(documents.c.uri, documents.c.version)
        .join(sources, sources.c.document_id == documents.c.id)
        .where(sources.c.path == path, at_or_below(documents.c.uri, into))
    )
    row = connection.execute(query.order_by(documents.c.id).limit(1)).first()
    return StandingVersion(str(row.uri), int(row.version)) if row else None


def path_of(connection: sa.Connection, document_id: int) -> str:
    """Where the file of a document was found last, "" where that is not known."""
    found = connection.execute(sa.select(sources.c.path).where(sources.c.document_id == document_id)).scalar()
    return found or ""


def put(connection: sa.Connection, seen: Sequence[Seen]) -> None:
    """Note where files were found, in place of what was noted of their documents before."""
    for one in seen:
        connection.execute(sources.delete().where(sources.c.document_id == one.document_id))
        values = {"document_id": one.document_id, "folder": one.folder, "name": one.name, "path": one.path}
        connection.execute(sources.insert().values(**values, same_name=same_name(one.name)))


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A document below a folder on disk. `folder` is the URI of its folder."""

    id: int
    path: str
    uri: str
    folder: str
    name: str
    content_hash: str


def below_path(connection: sa.Connection, path: str, into: str) -> list[StoredFile]:
    """The documents below `into` whose files were below a folder on disk."""
    low = path.rstrip("/") + "/"
    query = (
        sa.select(
            documents.c.id,
            sources.c.path,
            documents.c.uri,
            sources.c.folder,
            sources.c.name,
            documents.c.content_hash,
        )
        .join(sources, sources.c.document_id == documents.c.id)
        .where(sources.c.path >= low, sources.c.path < low[:-1] + "0", at_or_below(documents.c.uri, into))
        .order_by(sources.c.path, documents.c.id)
    )
    return [StoredFile(*row) for row in connection.execute(query)]


# -- folders ---------------------------------------------------------------------------------------------


def folders_named(connection: sa.Connection, folder: str, name: str) -> list[tuple[str, str]]:
    """`(name on disk, URI)` of the folders in a folder that have this name, in whatever Unicode form."""
    query = sa.select(source_folders.c.name, source_folders.c.uri).where(
        source_folders.c.parent == folder, source_folders.c.same_name == same_name(name)
    )
    return [(str(found), str(uri)) for found, uri in connection.execute(query.order_by(source_folders.c.uri))]


def is_claimed(connection: sa.Connection, uri: str) -> bool:
    """Whether a folder on disk is the one at this URI."""
    query = sa.select(source_folders.c.uri).where(source_folders.c.uri == uri).limit(1)
    return connection.execute(query).first() is not None


def folder_at(connection: sa.Connection, into: str, names: Sequence[str]) -> str | None:
    """The URI of the folder that some names lead to on disk, from the one at `into`; None where none was stored."""
    uri = into
    for name in names:
        rows = dict(folders_named(connection, uri, name))
        if not rows:
            return None
        uri = rows[name] if name in rows else next(iter(rows.values()))
    return uri


def claim(connection: sa.Connection, uri: str, name: str) -> None:
    """From now on the folder `name` on disk, in the folder above this URI, is the one at the URI."""
    folder = parent(uri)
    there = sa.and_(source_folders.c.parent == folder, source_folders.c.name == name)
    connection.execute(source_folders.delete().where(sa.or_(source_folders.c.uri == uri, there)))
    values = {"uri": uri, "parent": folder, "name": name, "same_name": same_name(name)}
    connection.execute(source_folders.insert().values(**values))


def release_below(connection: sa.Connection, uri: str) -> None:
    """What is at and below a URI is gone."""
    connection.execute(source_folders.delete().where(at_or_below(source_folders.c.uri, uri)))


def move_folders(connection: sa.Connection, source: str, target: str) -> None:
    """What was at and below `source` is at `target`: no longer the folder that it was on disk, but with the same
    ones below it."""
    connection.execute(source_folders.delete().where(source_folders.c.uri.in_((source, target))))
    below = sa.select(source_folders.c.uri).where(at_or_below(source_folders.c.uri, source))
    for uri in connection.execute(below).scalars().all():
        there = moved(uri, source, target)
        values = {"uri": there, "parent": parent(there)}
        connection.execute(source_folders.update().where(source_folders.c.uri == uri).values(**values))
