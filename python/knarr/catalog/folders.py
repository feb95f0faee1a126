"""Abstracts of the folders above documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from knarr.catalog import abstracts, vectors
from knarr.catalog.documents import at_or_below, hashes_by_uri
from knarr.catalog.schema import documents, folders, objects, stale_folders
from knarr.catalog.seals import seal
from knarr.uris import ABSTRACT_NAME, moved, parent, span_below


@dataclass(frozen=True, slots=True)
class FolderRecord:
    """`uri` has no trailing slash, except the root's own `viking://`."""

    uri: str
    text: str
    tokens: int
    preview: str
    vector_hash: bytes


_NAMES = ("uri", "text", "tokens", "preview", "vector_hash")
_SHOWN = tuple(folders.c[name] for name in _NAMES)


def get(connection: sa.Connection, uri: str) -> FolderRecord | None:
    """A folder's abstract; None where it has none, or a damaged one."""
    row = connection.execute(sa.select(*_SHOWN, folders.c.crc).where(folders.c.uri == uri)).first()
    return FolderRecord(*row[:-1]) if row and _is_whole(row) else None


def all_of(connection: sa.Connection) -> list[FolderRecord]:
    return [FolderRecord(*row) for row in connection.execute(sa.select(*_SHOWN).order_by(folders.c.uri))]


def put(connection: sa.Connection, record: FolderRecord) -> None:
    connection.execute(folders.delete().where(folders.c.uri == record.uri))
    values = {name: getattr(record, name) for name in _NAMES}
    connection.execute(folders.insert().values(**values, crc=_seal(record)))


def damaged(connection: sa.Connection) -> list[str]:
    """The folders whose abstract is not the one that was stored."""
    query = sa.select(*_SHOWN, folders.c.crc)
    return [str(row.uri) for row in connection.execute(query) if not _is_whole(row)]


def _is_whole(row: Sequence[Any]) -> bool:
    *shown, crc = row
    return crc is None or crc == _seal(FolderRecord(*shown))


def _seal(record: FolderRecord) -> int:
    """Not of the URI, which a move rewrites."""
    return seal(record.text, record.tokens, record.preview, record.vector_hash)


def remove(connection: sa.Connection, uri: str) -> None:
    connection.execute(folders.delete().where(folders.c.uri == uri))


def remove_below(connection: sa.Connection, uri: str) -> list[bytes]:
    """Delete the abstracts at and below a URI; returns their vector keys."""
    found = _under(connection, uri)
    abstracts.forget(connection, [record.uri for record in found])
    connection.execute(folders.delete().where(at_or_below(folders.c.uri, uri)))
    return [record.vector_hash for record in found]


def clear(connection: sa.Connection, uri: str) -> None:
    """A document takes this place: what a process that was killed left of a folder here goes at once, or
    the document's own abstract would later be taken for the folder's."""
    vectors.release(connection, remove_below(connection, uri))


def move(connection: sa.Connection, source: str, target: str) -> None:
    """Rewrite the URIs at and below `source`."""
    for record in _under(connection, source):
        uri = moved(record.uri, source, target)
        connection.execute(folders.update().where(folders.c.uri == record.uri).values(uri=uri))
        abstracts.rename(connection, record.uri, uri)


def _under(connection: sa.Connection, uri: str) -> list[FolderRecord]:
    query = sa.select(*_SHOWN).where(at_or_below(folders.c.uri, uri))
    return [FolderRecord(*row) for row in connection.execute(query)]


def mark_stale(connection: sa.Connection, uris: Iterable[str], *, quotes_gone: bool = True) -> None:
    """Note, in the transaction of a change, the folders whose abstracts it touches.

    quotes_gone: the abstract may quote what the change removes, so that nobody is shown it before it is made anew"""
    for uri in uris:
        mine = stale_folders.c.uri == uri
        former = connection.execute(sa.select(stale_folders.c.quotes_gone).where(mine)).first()
        connection.execute(stale_folders.delete().where(mine))
        hidden = quotes_gone or (former is not None and former[0] is not False)
        connection.execute(stale_folders.insert().values(uri=uri, quotes_gone=hidden))


def hidden(connection: sa.Connection) -> set[str]:
    """The folders whose abstracts may quote what is gone; not those whose place a document has taken."""
    query = sa.select(stale_folders.c.uri).where(stale_folders.c.quotes_gone.is_not(sa.false()))
    uris = set(connection.execute(query).scalars())
    return uris - hashes_by_uri(connection, list(uris)).keys()


def unmark(connection: sa.Connection, uri: str) -> bool:
    """A folder's abstract is true again; returns whether nobody was shown it until now."""
    mine = stale_folders.c.uri == uri
    former = connection.execute(sa.select(stale_folders.c.quotes_gone).where(mine)).first()
    connection.execute(stale_folders.delete().where(mine))
    return former is not None and former[0] is not False


def stale(connection: sa.Connection) -> list[str]:
    """The folders whose abstracts are to be made anew."""
    return list(connection.execute(sa.select(stale_folders.c.uri)).scalars())


def hashes_below(connection: sa.Connection, uri: str) -> list[bytes]:
    """The vector keys of the abstracts of the documents and folders directly in a folder."""
    inside = sa.select(objects.c.vector_hash).join(documents, objects.c.document_id == documents.c.id)
    inside = inside.where(documents.c.folder == uri, objects.c.path == ABSTRACT_NAME)
    found = list(connection.execute(inside.order_by(documents.c.id)).scalars())
    low, high = span_below(uri)
    inner = sa.select(folders.c.uri, folders.c.vector_hash).where(folders.c.uri > low, folders.c.uri < high)
    return found + [
        row.vector_hash for row in connection.execute(inner.order_by(folders.c.uri)) if parent(row.uri) == uri
    ]


def children(connection: sa.Connection, uri: str) -> list[tuple[str, str]]:
    """`(uri, abstract)` of the documents and folders directly in a folder, in the order of adding."""
    below = sa.select(documents.c.uri, objects.c.text).join(
        objects, sa.and_(objects.c.document_id == documents.c.id, objects.c.path == ABSTRACT_NAME)
    )
    rows: list[Any] = list(
        connection.execute(below.where(documents.c.folder == uri).order_by(documents.c.id))
    )
    low, high = span_below(uri)
    inner = sa.select(folders.c.uri, folders.c.text).where(folders.c.uri > low, folders.c.uri < high)
    rows += [row for row in connection.execute(inner.order_by(folders.c.uri)) if parent(row.uri) == uri]
    return [(str(row[0]), str(row[1])) for row in rows]
