"""A version of a document as one value: what `documents` and the tables below it hold of it, packed into bytes.

Packed content is JSON by column names, compressed, so that a later knarr with more columns reads it: what it does
not find is None. A checksum goes with it; what fails it is never shown.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from knarr.catalog import abstracts, documents
from knarr.catalog.records import DocumentRecord
from knarr.catalog.schema import documents as documents_table
from knarr.catalog.schema import labels, objects, pages, sections, sources
from knarr.errors import CatalogError

_LEVEL = 6
_PARTS = (labels, sections, objects, pages)
_Rows = tuple[Any, ...]  # of a table, in its order: columns by name


@dataclass(frozen=True, slots=True)
class VersionContent:
    """A version whole. The rows have the columns of their tables; `path` is that of the file it was read from, and
    `asked` the keys by which a chat model's abstracts of it are kept."""

    record: DocumentRecord
    text: str
    path: str
    labels: _Rows
    sections: _Rows
    objects: _Rows
    pages: _Rows
    asked: tuple[bytes, ...] = ()

    def vector_hashes(self) -> list[bytes]:
        """The keys of the vectors that it uses."""
        return list(dict.fromkeys(bytes(row.vector_hash) for row in (*self.objects, *self.labels)))


def load(connection: sa.Connection, document_id: int) -> VersionContent | None:
    """The newest version of a document, from its tables; None when there is no such document."""
    record = documents.find_id(connection, document_id)
    if record is None:
        return None
    rows = {table.name: _stored(connection, table, document_id) for table in _PARTS}
    path = connection.execute(sa.select(sources.c.path).where(sources.c.document_id == document_id)).scalar()
    asked = sorted(abstracts.used(connection, abstracts.owner(document_id)))
    text = documents.text_of(connection, document_id)
    return VersionContent(record, text, path or "", **rows, asked=tuple(asked))


def pack(content: VersionContent) -> bytes:
    """One value for the catalog."""
    record = {column.name: _plain(getattr(content.record, column.name)) for column in documents_table.columns}
    body = {
        "record": record,
        "text": content.text,
        "path": content.path,
        "asked": [_plain(key) for key in content.asked],
        "tables": {table.name: _packed_rows(table, getattr(content, table.name)) for table in _PARTS},
    }
    return zlib.compress(json.dumps(body, ensure_ascii=False).encode(), _LEVEL)


def unpack(data: bytes) -> VersionContent:
    """The inverse of `pack`."""
    body = json.loads(zlib.decompress(data))
    rows = {table.name: _unpacked_rows(table, body["tables"].get(table.name)) for table in _PARTS}
    record = {column.name: body["record"].get(column.name) for column in documents_table.columns}
    asked = tuple(base64.b64decode(key) for key in body["asked"])
    return VersionContent(documents.record_of(record), body["text"], body["path"], **rows, asked=asked)


def checksum(data: bytes) -> bytes:
    """What is stored beside packed bytes, to see whether they are still the same."""
    return hashlib.sha256(data).digest()


def checked(data: bytes, known: bytes, name: str) -> VersionContent:
    """Unpack what the catalog holds. Raises CatalogError, with what to do, where it is damaged."""
    fault = "its checksum differs"
    if checksum(data) == known:
        try:
            return unpack(data)
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            fault = f"{type(error).__name__}: {error}"
    raise CatalogError(
        f"{name}: this earlier version is damaged in the catalog ({fault}). The newest version and all other "
        "ones are not touched by that; restore the knowledge base from a backup to read this one"
    )


def restore(
    connection: sa.Connection, content: VersionContent, values: Mapping[str, Any], *, new: bool
) -> None:
    """Make a content the newest version of the document whose `id` is among the values: its row gets these values,
    the tables below it the content. Edges whose text it no longer has become stale."""
    number = int(values["id"])
    stored = {
        column.name: values.get(column.name, _plain(getattr(content.record, column.name)))
        for column in documents_table.columns
    }
    rows = {
        table: [
            {column.name: getattr(row, column.name, None) for column in table.columns}
            | {"document_id": number}
            for row in getattr(content, table.name)
        ]
        for table in _PARTS
    }
    data = content.text.encode()
    chunks = {
        row.path: data[row.begin_byte : row.end_byte].decode()
        for row in content.objects
        if row.kind == "chunk"
    }
    documents.write(connection, stored, content.text, rows, None if new else chunks)


def _stored(connection: sa.Connection, table: sa.Table, document_id: int) -> _Rows:
    order = table.c.number if table is pages else table.c.ordinal
    query = sa.select(table).where(table.c.document_id == document_id).order_by(order)
    return tuple(connection.execute(query))


def _packed_rows(table: sa.Table, rows: _Rows) -> dict[str, Any]:
    names = [column.name for column in table.columns if column.name != "document_id"]
    return {"columns": names, "rows": [[_plain(getattr(row, name)) for name in names] for row in rows]}


def _unpacked_rows(table: sa.Table, stored: Mapping[str, Any] | None) -> _Rows:
    if stored is None:
        return ()
    make, binary = _row_of(table), _binary(table)
    found = []
    for values in stored["rows"]:
        named = dict(zip(stored["columns"], values, strict=True))
        known: dict[str, Any] = {name: named.get(name) for name in make._fields}
        for name in binary:
            known[name] = None if known[name] is None else base64.b64decode(known[name])
        found.append(make(**known))
    return tuple(found)


@cache
def _row_of(table: sa.Table) -> Any:
    return namedtuple(f"{table.name}_row", [column.name for column in table.columns])


@cache
def _binary(table: sa.Table) -> Sequence[str]:
    return [column.name for column in table.columns if isinstance(column.type, sa.LargeBinary)]


def _plain(value: Any) -> Any:
    """A column's value as JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
