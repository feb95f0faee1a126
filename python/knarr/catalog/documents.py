"""Documents, their texts, sections and objects: reading and writing, inside a caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import Any

import sqlalchemy as sa

from knarr.catalog import experience, page_boxes
from knarr.catalog.batches import VALUES, batches
from knarr.catalog.records import DocumentRecord, Laid, NamedObject, NamedSection
from knarr.catalog.schema import documents, labels, objects, pages, sections, sources, texts
from knarr.uris import MAX_PLACE_BYTES, SCHEME, moved, parent, span_below, without_slash

_TUPLES = ("page_begins", "missing_pages", "notes")
_PARTS = (texts, labels, sections, objects, pages)


def record_of(row: Mapping[Any, Any]) -> DocumentRecord:
    """A row of the table as a value."""
    values = dict(row)
    for name in _TUPLES:
        values[name] = tuple(values[name])
    stored = values["metadata"] or {}  # nothing where an older knarr read the document
    values["metadata"] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()
    }
    return DocumentRecord(**values)


def holder_of(connection: sa.Connection, folder: str, file_name: str) -> int | None:
    """The id of the document that has this file name in this folder."""
    query = sa.select(documents.c.id).where(documents.c.folder == folder, documents.c.file_name == file_name)
    return connection.execute(query).scalar()


def free_file_name(connection: sa.Connection, folder: str, name: str, document_id: int | None) -> str:
    """A file name for a document, different from those of all others in the folder: `name`, or one that no file
    can have."""
    numbers = (f"//{number}/{name}" for number in count(2))
    free = (None, document_id)
    return next(one for one in chain((name,), numbers) if holder_of(connection, folder, one) in free)


def is_occupied(connection: sa.Connection, uri: str) -> bool:
    """Whether a document stands at or below a URI."""
    query = sa.select(documents.c.id).where(at_or_below(documents.c.uri, uri)).limit(1)
    return connection.execute(query).first() is not None


def find(connection: sa.Connection, uri: str) -> DocumentRecord | None:
    """The document with exactly this URI (no trailing slash)."""
    row = connection.execute(sa.select(documents).where(documents.c.uri == uri)).first()
    return record_of(row._mapping) if row else None


def find_id(connection: sa.Connection, document_id: int) -> DocumentRecord | None:
    row = connection.execute(sa.select(documents).where(documents.c.id == document_id)).first()
    return record_of(row._mapping) if row else None


def owning(connection: sa.Connection, uri: str) -> DocumentRecord | None:
    """The document that this URI names or lies in; None above documents."""
    for prefixes in _prefixes(uri):
        row = connection.execute(sa.select(documents).where(documents.c.uri.in_(prefixes))).first()
        if row:
            return record_of(row._mapping)
    return None


def under(connection: sa.Connection, uri: str) -> list[DocumentRecord]:
    """All documents at or below a URI, by component, in the order of adding."""
    query = sa.select(documents).where(at_or_below(documents.c.uri, uri)).order_by(documents.c.id)
    return [record_of(row._mapping) for row in connection.execute(query)]


def all_ids(connection: sa.Connection) -> list[int]:
    return list(connection.execute(sa.select(documents.c.id).order_by(documents.c.id)).scalars())


def hashes_by_uri(connection: sa.Connection, uris: Sequence[str]) -> dict[str, str]:
    """The content hashes of the documents among these URIs."""
    found: dict[str, str] = {}
    for part in batches(uris):
        query = sa.select(documents.c.uri, documents.c.content_hash).where(documents.c.uri.in_(part))
        found |= {str(uri): str(key) for uri, key in connection.execute(query)}
    return found


def last_change(connection: sa.Connection, uri: str) -> str | None:
    """When a document at, below or above a URI was last put, in ISO 8601; None where there is none."""
    newest = sa.select(sa.func.max(documents.c.updated_at))
    related = [at_or_below(documents.c.uri, uri), *(documents.c.uri.in_(some) for some in _prefixes(uri))]
    found = (connection.execute(newest.where(one)).scalar() for one in related)
    return max((str(moment) for moment in found if moment is not None), default=None)


def put(
    connection: sa.Connection, values: Mapping[str, Any], text: str, laid: Laid, hashes: list[bytes]
) -> int:
    """Insert a document, or replace the one whose `id` is among the values; returns its id. Edges whose
    text it no longer has become stale."""
    values = dict(values)
    known = values.pop("id", None)
    if known is None:
        key = connection.execute(documents.insert().values(**values)).inserted_primary_key
        assert key is not None
        document_id = int(key[0])
    else:
        document_id = int(known)
        connection.execute(documents.update().where(documents.c.id == document_id).values(**values))
        for table in _PARTS:
            connection.execute(table.delete().where(table.c.document_id == document_id))
    connection.execute(texts.insert().values(document_id=document_id, text=text))
    _put_laid(connection, document_id, laid, hashes)
    if laid.pages:
        page_boxes.put(connection, document_id, laid.pages)
    if known is not None:
        chunks = (part for part in laid.objects if part.kind == "chunk")
        experience.reconcile(connection, document_id, {c.path: experience.text_hash(c.text) for c in chunks})
    return document_id


def put_laid(connection: sa.Connection, document_id: int, laid: Laid, hashes: list[bytes]) -> None:
    """Give a stored document its sections, objects and labels anew; its text and its pages stay."""
    for table in (labels, sections, objects):
        connection.execute(table.delete().where(table.c.document_id == document_id))
    _put_laid(connection, document_id, laid, hashes)


def _put_laid(connection: sa.Connection, document_id: int, laid: Laid, hashes: list[bytes]) -> None:
    names = zip(laid.labels, laid.label_hashes(), strict=True)
    label_rows = [
        {"document_id": document_id, "ordinal": at, "text": text, "vector_hash": key}
        for at, (text, key) in enumerate(names)
    ]
    connection.execute(labels.insert(), label_rows)
    connection.execute(
        sections.insert(), [_section_row(document_id, at, s) for at, s in enumerate(laid.sections)]
    )
    rows = [
        _object_row(document_id, at, o, h) for at, (o, h) in enumerate(zip(laid.objects, hashes, strict=True))
    ]
    connection.execute(objects.insert(), rows)


def _section_row(document_id: int, ordinal: int, section: NamedSection) -> dict[str, Any]:
    names = (
        "parent",
        "level",
        "title",
        "path",
        "begin_byte",
        "body_byte",
        "end_byte",
        "begin_line",
        "end_line",
    )
    return {
        "document_id": document_id,
        "ordinal": ordinal,
        **{name: getattr(section, name) for name in names},
    }


def _object_row(document_id: int, ordinal: int, part: NamedObject, vector_hash: bytes) -> dict[str, Any]:
    names = (
        "section",
        "kind",
        "path",
        "begin_byte",
        "end_byte",
        "begin_line",
        "end_line",
        "tokens",
        "header",
    )
    return {
        "document_id": document_id,
        "ordinal": ordinal,
        **{name: getattr(part, name) for name in names},
        "preview": part.preview,
        # A chunk's text is a slice of the document's; only abstracts carry their own.
        "text": part.text if part.kind == "abstract" else None,
        "vector_hash": vector_hash,
    }


def text_of(connection: sa.Connection, document_id: int) -> str:
    found: str = connection.execute(
        sa.select(texts.c.text).where(texts.c.document_id == document_id)
    ).scalar_one()
    return found


def sections_of(connection: sa.Connection, document_id: int) -> list[sa.Row[Any]]:
    query = sa.select(sections).where(sections.c.document_id == document_id).order_by(sections.c.ordinal)
    return list(connection.execute(query))


def objects_of(connection: sa.Connection, document_id: int) -> list[sa.Row[Any]]:
    query = sa.select(objects).where(objects.c.document_id == document_id).order_by(objects.c.ordinal)
    return list(connection.execute(query))


def roots_of(connection: sa.Connection, uris: Sequence[str]) -> list[tuple[DocumentRecord, sa.Row[Any]]]:
    """Those of the URIs that are documents, with the section that is all of each."""
    found = []
    for part in batches(uris):
        query = sa.select(documents).where(documents.c.uri.in_(part))
        records = [record_of(row._mapping) for row in connection.execute(query)]
        whole = sa.select(sections).where(
            sections.c.document_id.in_([record.id for record in records]), sections.c.parent.is_(None)
        )
        roots = {row.document_id: row for row in connection.execute(whole)}
        found += [(record, roots[record.id]) for record in records if record.id in roots]
    return found


def sections_in(connection: sa.Connection, ids: Sequence[int]) -> int:
    """How many sections these documents have."""
    found = 0
    for part in batches(ids):
        inside = sections.c.document_id.in_(part)
        found += int(
            connection.execute(sa.select(sa.func.count()).select_from(sections).where(inside)).scalar() or 0
        )
    return found


def retell(connection: sa.Connection, document_id: int, rows: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Give objects, by `ordinal`, another text, preview, token count and vector; returns the keys of the
    vectors they had."""
    old: list[bytes] = []
    for row in rows:
        mine = sa.and_(objects.c.document_id == document_id, objects.c.ordinal == row["ordinal"])
        old += connection.execute(sa.select(objects.c.vector_hash).where(mine)).scalars()
        values = {name: value for name, value in row.items() if name != "ordinal"}
        connection.execute(objects.update().where(mine).values(**values))
    return old


def remove(connection: sa.Connection, ids: Iterable[int]) -> None:
    """Delete documents with their texts, sections and objects."""
    for document_id in ids:
        for table in _PARTS:
            connection.execute(table.delete().where(table.c.document_id == document_id))
        connection.execute(documents.delete().where(documents.c.id == document_id))


def move(connection: sa.Connection, source: str, target: str) -> int:
    """Rewrite the URIs at and below `source`; returns the number of documents.

    Where the new folder has a document of the same file already, the moved one gives up being that file."""
    found = under(connection, source)
    for record in found:
        uri = moved(record.uri, source, target)
        folder = parent(uri)
        file_name = free_file_name(connection, folder, record.file_name, record.id)
        values = {"uri": uri, "folder": folder, "file_name": file_name}
        connection.execute(documents.update().where(documents.c.id == record.id).values(**values))
        mine = sources.c.document_id == record.id
        if file_name == record.file_name:
            connection.execute(sources.update().where(mine).values(folder=folder))
        else:
            connection.execute(sources.delete().where(mine))
    return len(found)


def outline(connection: sa.Connection, head_chars: int) -> list[tuple[str, str, str]]:
    """`(uri, title, first characters)` of every document, in the order of adding."""
    head = sa.func.substr(texts.c.text, 1, head_chars)
    query = sa.select(documents.c.uri, documents.c.title, head).join(
        texts, texts.c.document_id == documents.c.id
    )
    return [
        (str(uri), str(title), str(text))
        for uri, title, text in connection.execute(query.order_by(documents.c.id))
    ]


def labels_of(connection: sa.Connection, document_id: int) -> list[sa.Row[Any]]:
    query = sa.select(labels).where(labels.c.document_id == document_id).order_by(labels.c.ordinal)
    return list(connection.execute(query))


def totals(connection: sa.Connection) -> dict[str, int]:
    """Counts for `info`: documents, sections, chunks, abstracts, bytes of text, tokens."""

    def count(query: sa.Select[Any]) -> int:
        return int(connection.execute(query).scalar() or 0)

    kinds = sa.select(sa.func.count()).select_from(objects)
    return {
        "documents": count(sa.select(sa.func.count()).select_from(documents)),
        "sections": count(sa.select(sa.func.count()).select_from(sections)),
        "chunks": count(kinds.where(objects.c.kind == "chunk")),
        "abstracts": count(kinds.where(objects.c.kind == "abstract")),
        "tokens": count(sa.select(sa.func.sum(objects.c.tokens)).where(objects.c.kind == "chunk")),
        "source_bytes": count(sa.select(sa.func.sum(documents.c.size_bytes))),
    }


def at_or_below(column: sa.ColumnElement[str], uri: str) -> sa.ColumnElement[bool]:
    """The condition that the URI in a column is `uri` or stands under it."""
    if uri == SCHEME:
        return sa.true()
    # A range instead of LIKE: exact by component, case-sensitive, and uses the index.
    low, high = span_below(uri)
    return sa.or_(column == without_slash(uri), sa.and_(column >= low, column < high))


def possible_owners(uri: str) -> Iterator[str]:
    """The URI itself and the directories above it, the root aside: where the document stands that it names or lies
    in. A URI may be of any length; none longer than a document's can be one."""
    uri = without_slash(uri)
    if len(uri) > MAX_PLACE_BYTES:
        uri = uri[: MAX_PLACE_BYTES + 1].rpartition("/")[0]
    while len(uri) > len(SCHEME):
        yield uri
        uri = parent(uri)


def _prefixes(uri: str) -> Iterator[list[str]]:
    """The possible owners, a bounded number at a time."""
    owners = possible_owners(uri)
    while batch := list(islice(owners, VALUES)):
        yield batch
