"""Whether a document is as it was stored: one seal over its record and all its parts, and what damage was found.

Whoever writes to those tables calls `renew` in the same transaction. Where a document stands (`uri`, `folder`,
`file_name`) is not sealed, since a move rewrites it. All inside a caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from knarr.catalog.schema import document_seals, documents, labels, objects, pages, sections, texts
from knarr.catalog.seals import seal, seal_rows

_FAULT = "its stored text or parts are not those that were written"

# The columns that version 1 of seals covers, in order: a column that is added later is not among them.
_RECORD = (
    "title", "format", "version", "content_hash", "size_bytes", "page_begins", "missing_pages", "notes", "metadata",
)  # fmt: skip
_PARTS = (
    (texts, ("text",), ()),
    (
        sections,
        (
            "ordinal", "parent", "level", "title", "path",
            "begin_byte", "body_byte", "end_byte", "begin_line", "end_line",
        ),
        ("ordinal",),
    ),
    (
        objects,
        (
            "ordinal", "section", "kind", "path", "begin_byte", "end_byte", "begin_line", "end_line", "tokens",
            "header", "preview", "text", "vector_hash",
        ),
        ("ordinal",),
    ),
    (labels, ("ordinal", "text", "vector_hash"), ("ordinal",)),
    (pages, ("number", "shape", "begin_byte", "end_byte", "boxes"), ("number",)),
)  # fmt: skip


_NO_PARTS = seal()


def renew(connection: sa.Connection, document_id: int) -> None:
    """Seal a document as it stands; whatever damage it had is mended."""
    connection.execute(document_seals.delete().where(document_seals.c.document_id == document_id))
    (crc,) = _seals(connection, document_id).values()
    connection.execute(document_seals.insert().values(document_id=document_id, crc=crc))


def faults(connection: sa.Connection, document_id: int | None = None) -> dict[int, str]:
    """What is wrong with the rows of documents, of all or of one. A document without a seal counts as whole.

    Reads all that it checks once, in the order of the tables: about 10 µs a row."""
    query = sa.select(document_seals.c.document_id, document_seals.c.crc)
    query = query.where(document_seals.c.crc.is_not(None))
    if document_id is not None:
        query = query.where(document_seals.c.document_id == document_id)
    stored = {int(row[0]): int(row[1]) for row in connection.execute(query)}
    if not stored:
        return {}
    now = _seals(connection, document_id)
    return {key: _FAULT for key, crc in stored.items() if now.get(key, crc) != crc}


def note(connection: sa.Connection, document_id: int, damage: str | None) -> None:
    """Keep what is wrong with a document, or (None) that nothing is."""
    mine = document_seals.c.document_id == document_id
    if not connection.execute(document_seals.update().where(mine).values(damage=damage)).rowcount and damage:
        connection.execute(document_seals.insert().values(document_id=document_id, damage=damage))


def noted(connection: sa.Connection) -> dict[int, str]:
    """The damage that was found, by document."""
    query = sa.select(document_seals.c.document_id, document_seals.c.damage)
    rows = connection.execute(query.where(document_seals.c.damage.is_not(None)))
    return {int(key): str(damage) for key, damage in rows}


def is_damaged(connection: sa.Connection, document_id: int) -> bool:
    """Whether damage was found in a document, so that the same bytes must be read again."""
    query = sa.select(document_seals.c.damage).where(document_seals.c.document_id == document_id)
    return connection.execute(query).scalar() is not None


def _seals(connection: sa.Connection, document_id: int | None) -> dict[int, int]:
    """The seals of documents as they stand now, of all or of one."""
    query = sa.select(documents.c.id, *_plain(documents, _RECORD))
    if document_id is not None:
        query = query.where(documents.c.id == document_id)
    found = {int(row[0]): [seal(*row[1:])] for row in connection.execute(query)}
    for table, names, order in _PARTS:
        key = table.c.document_id
        parts = sa.select(key, *_plain(table, names)).order_by(key, *(table.c[name] for name in order))
        if document_id is not None:
            parts = parts.where(key == document_id)
        rows: Iterable[sa.Row[Any]] = connection.execute(parts)
        seals = {owner: seal_rows(row[1:] for row in mine) for owner, mine in groupby(rows, itemgetter(0))}
        for owner, collected in found.items():
            collected.append(seals.get(owner, _NO_PARTS))
    return {owner: seal(*collected) for owner, collected in found.items()}


def _plain(table: sa.Table, names: Iterable[str]) -> list[sa.ColumnElement[Any]]:
    """Columns as they are stored: JSON as its text."""
    columns = (table.c[name] for name in names)
    return [sa.type_coerce(one, sa.Text) if isinstance(one.type, sa.JSON) else one for one in columns]
