"""Documents, their texts, sections and objects: reading and writing, inside a caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import Any

import sqlalchemy as sa

from knarr.catalog import experience, page_boxes, rights, wholeness
from knarr.catalog.batches import VALUES, batches
from knarr.catalog.records import DocumentRecord, Laid, NamedObject, NamedSection
from knarr.catalog.schema import (
    document_seals,
    documents,
    episodes,
    labels,
    objects,
    pages,
    sections,
    sources,
    texts,
    trace_documents,
)
from knarr.uris import MAX_PLACE_BYTES, SCHEME, moved, parent, span_below, without_slash

_TUPLES = ("page_begins", "missing_pages", "notes")
_PARTS = (texts, labels, sections, objects, pages)


def record_of(row: Mapping[Any, Any]) -> DocumentRecord:
    """A row of the table as a value."""
    values = dict(row)
    for name in _TUPLES:
        values[name] = tuple(values[name] or ())  # nothing where the value is damaged
    stored = values["metadata"] or {}  # nor where an older knarr read the document
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


def rename_files(connection: sa.Connection, names: Mapping[int, str]) -> None:
    """Note that documents, by id, came from files of these names, which some of them may have from each other."""
    for document_id in names:
        mine = documents.update().where(documents.c.id == document_id)
        connection.execute(mine.values(file_name=f"//moving/{document_id}"))
    for document_id, name in names.items():
        record = find_id(connection, document_id)
        if record is not None:
            free = free_file_name(connection, record.folder, name, document_id)
            mine = documents.update().where(documents.c.id == document_id)
            connection.execute(mine.values(file_name=free))


def outdate(connection: sa.Connection, ids: Iterable[int]) -> None:
    """Have documents laid out anew when their files are met next, though their bytes are the same."""
    for document_id in ids:
        connection.execute(documents.update().where(documents.c.id == document_id).values(recipe=""))


def is_occupied(connection: sa.Connection, uri: str) -> bool:
    """Whether a document stands at or below a URI."""
    query = sa.select(documents.c.id).where(at_or_below(documents.c.uri, uri)).limit(1)
    return connection.execute(query).first() is not None


def find(connection: sa.Connection, uri: str) -> DocumentRecord | None:
    """The document with exactly this URI (no trailing slash)."""
    row = connection.execute(sa.select(documents).where(documents.c.uri == uri)).first()
    return record_of(row._mapping) if row else None


def uris_of(connection: sa.Connection, ids: Sequence[int]) -> dict[int, str]:
    """Where documents stand, by id."""
    found: dict[int, str] = {}
    for part in batches(ids):
        query = sa.select(documents.c.id, documents.c.uri).where(documents.c.id.in_(part))
        found |= {int(key): str(uri) for key, uri in connection.execute(query)}
    return found


def find_id(connection: sa.Connection, document_id: int) -> DocumentRecord | None:
    row = connection.execute(sa.select(documents).where(documents.c.id == document_id)).first()
    return record_of(row._mapping) if row else None


def uri_of(connection: sa.Connection, document_id: int) -> str:
    """Where a document stands."""
    query = sa.select(documents.c.uri).where(documents.c.id == document_id)
    return str(connection.execute(query).scalar_one())


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
    connection: sa.Connection,
    values: Mapping[str, Any],
    text: str,
    laid: Laid,
    hashes: list[bytes],
    *,
    new: bool,
) -> None:
    """Insert the `new` document whose `id` is among the values, or replace it. Edges whose text it no longer has
    become stale."""
    number = int(values["id"])
    rows = {**_laid_rows(number, laid, hashes), pages: page_boxes.rows_of(number, laid.pages)}
    chunks = {part.path: part.text for part in laid.objects if part.kind == "chunk"}
    write(connection, values, text, rows, None if new else chunks)


def put_laid(connection: sa.Connection, document_id: int, laid: Laid, hashes: list[bytes]) -> None:
    """Give a stored document its sections, objects and labels anew; its text and its pages stay. Edges whose text it
    no longer has become stale."""
    for table, rows in _laid_rows(document_id, laid, hashes).items():
        connection.execute(table.delete().where(table.c.document_id == document_id))
        if rows:
            connection.execute(table.insert(), rows)
    chunks = (part for part in laid.objects if part.kind == "chunk")
    experience.reconcile(
        connection, document_id, {one.path: experience.text_hash(one.text) for one in chunks}
    )
    wholeness.renew(connection, document_id)


def write(
    connection: sa.Connection,
    values: Mapping[str, Any],
    text: str,
    rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]],
    chunks: Mapping[str, str] | None,
) -> None:
    """Write a document's row, and the rows of the tables below it. `chunks` are the texts by path of one that was there
    before, which edges are held against; None for a new document."""
    number = int(values["id"])
    if chunks is None:
        connection.execute(documents.insert().values(**values))
    else:
        connection.execute(documents.update().where(documents.c.id == number).values(**values))
        for table in _PARTS:
            connection.execute(table.delete().where(table.c.document_id == number))
    connection.execute(texts.insert().values(document_id=number, text=text))
    for table, listed in rows.items():
        if listed:
            connection.execute(table.insert(), listed)
    if chunks is not None:
        hashes = {path: experience.text_hash(chunk) for path, chunk in chunks.items()}
        experience.reconcile(connection, number, hashes)
    wholeness.renew(connection, number)


def _laid_rows(document_id: int, laid: Laid, hashes: list[bytes]) -> dict[sa.Table, list[dict[str, Any]]]:
    names = zip(laid.labels, laid.label_hashes(), strict=True)
    return {
        labels: [
            {"document_id": document_id, "ordinal": at, "text": label, "vector_hash": key}
            for at, (label, key) in enumerate(names)
        ],
        sections: [_section_row(document_id, at, s) for at, s in enumerate(laid.sections)],
        objects: [
            _object_row(document_id, at, o, h)
            for at, (o, h) in enumerate(zip(laid.objects, hashes, strict=True))
        ],
    }


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
    is_whole = not wholeness.faults(connection, document_id)  # damage is not to be sealed
    for row in rows:
        mine = sa.and_(objects.c.document_id == document_id, objects.c.ordinal == row["ordinal"])
        old += connection.execute(sa.select(objects.c.vector_hash).where(mine)).scalars()
        values = {name: value for name, value in row.items() if name != "ordinal"}
        connection.execute(objects.update().where(mine).values(**values))
    if is_whole:
        wholeness.renew(connection, document_id)
    return old


def remove(connection: sa.Connection, ids: Iterable[int]) -> None:
    """Delete documents with their texts, sections and objects."""
    for document_id in ids:
        for table in (*_PARTS, document_seals):
            connection.execute(table.delete().where(table.c.document_id == document_id))
        connection.execute(documents.delete().where(documents.c.id == document_id))
        _forget_shown(connection, document_id)


def _forget_shown(connection: sa.Connection, document_id: int) -> None:
    """What runs were shown of a document that is gone may be seen by the owner alone; its number may be given to
    another one."""
    mine = trace_documents.c.document_id == document_id
    taught = sa.select(episodes.c.trace_id).join(
        trace_documents, trace_documents.c.trace_id == episodes.c.trace_id
    )
    experience.log(connection, connection.execute(taught.where(mine)).scalars().all())
    gone = trace_documents.update().prefix_with("OR REPLACE", dialect="sqlite")
    connection.execute(gone.where(mine).values(document_id=-document_id))


def move(connection: sa.Connection, source: str, target: str) -> int:
    """Rewrite the URIs at and below `source`, with the rules there; returns the number of documents.

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
    rights.move(connection, source, target)
    return len(found)


def names(connection: sa.Connection) -> list[tuple[int, str]]:
    """`(id, uri)` of every document, in the order of adding."""
    query = sa.select(documents.c.id, documents.c.uri).order_by(documents.c.id)
    return [(int(number), str(uri)) for number, uri in connection.execute(query)]


def outline(connection: sa.Connection, ids: Sequence[int], head_chars: int) -> list[tuple[str, str, str]]:
    """`(uri, title, first characters)` of documents, in the order of adding."""
    head = sa.func.substr(texts.c.text, 1, head_chars)
    query = sa.select(documents.c.uri, documents.c.title, head).join(
        texts, texts.c.document_id == documents.c.id
    )
    query = query.where(_among(documents.c.id, ids)).order_by(documents.c.id)
    return [(str(uri), str(title), str(text)) for uri, title, text in connection.execute(query)]


def _among(column: sa.ColumnElement[int], ids: Sequence[int]) -> sa.ColumnElement[bool]:
    """The condition that a column has one of any number of values."""
    return column.in_(sa.select(sa.func.json_each(json.dumps(list(ids))).table_valued("value").c.value))


def labels_of(connection: sa.Connection, document_id: int) -> list[sa.Row[Any]]:
    query = sa.select(labels).where(labels.c.document_id == document_id).order_by(labels.c.ordinal)
    return list(connection.execute(query))


def totals(connection: sa.Connection, ids: Sequence[int] | None = None) -> dict[str, int]:
    """Counts for `info`, of these documents or of all: documents, sections, chunks, abstracts, bytes of text,
    tokens."""

    def mine(column: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
        return sa.true() if ids is None else _among(column, ids)

    def count(query: sa.Select[Any]) -> int:
        return int(connection.execute(query).scalar() or 0)

    kinds = sa.select(sa.func.count()).select_from(objects).where(mine(objects.c.document_id))
    of_sections = sa.select(sa.func.count()).select_from(sections).where(mine(sections.c.document_id))
    tokens = sa.select(sa.func.sum(objects.c.tokens)).where(mine(objects.c.document_id))
    of_documents = mine(documents.c.id)
    return {
        "documents": count(sa.select(sa.func.count()).select_from(documents).where(of_documents)),
        "sections": count(of_sections),
        "chunks": count(kinds.where(objects.c.kind == "chunk")),
        "abstracts": count(kinds.where(objects.c.kind == "abstract")),
        "tokens": count(tokens.where(objects.c.kind == "chunk")),
        "source_bytes": count(sa.select(sa.func.sum(documents.c.size_bytes)).where(of_documents)),
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
