"""The tables, and opening the database that holds them.

One schema for SQLite and PostgreSQL. The catalog is the only truth: the engine is an index over it
and can be rebuilt from it at any time. Positions are byte offsets into the canonical text; names are
decoded URI components, so that moving a subtree rewrites the URIs of documents and nothing below.

    meta ── schema version, embedder id and width
    documents 1─1 texts          one row per document; its canonical text beside it
              1─n sections       the heading tree, in document order
              1─n labels         what a question may call it
              1─n objects        chunks and abstracts, in document order: the engine's rows
              1─n pages          the shape of each page, and where the words of its text stand, packed
              1─1 sources        the file that it came from, by its name on disk
    source_folders               the folders above documents, by their names on disk
    folders                      abstracts of the folders above documents
    stale_folders                folders that a change touched and whose abstract was not made anew yet
    vectors                      by content hash + model: unchanged content is never embedded twice
    changes                      append-only, growing `seq`: what the engine applies to catch up
    traces                       the recorded run of each question
    episodes 1─n edges           what a trace taught: from a chunk of one document to one of another;
                                 edges end with either document, and follow it where it moves
    read_pages                   what OCR read, by file + page: no page is read twice
    model_abstracts              by what was asked + model + prompt: no chat model is paid twice
    abstract_uses                which documents and folders hold that content now
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from knarr.errors import CatalogError, InvalidArgument

SCHEMA_VERSION = 1

metadata = sa.MetaData()


def _document(name: str) -> sa.Column[int]:
    """A part of the key that names a document; the row goes with it."""
    return sa.Column(name, sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)


meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("uri", sa.Text, nullable=False, unique=True),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("recipe", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("size_bytes", sa.Integer, nullable=False),
    sa.Column("page_begins", sa.JSON, nullable=False),
    sa.Column("missing_pages", sa.JSON, nullable=False),
    sa.Column("notes", sa.JSON, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.Column("metadata", sa.JSON),
    sa.UniqueConstraint("folder", "file_name"),
)

sources = sa.Table(
    "sources",
    metadata,
    _document("document_id"),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("same_name", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False, index=True),
    sa.Index("sources_by_name", "folder", "same_name"),
)

source_folders = sa.Table(
    "source_folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("parent", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("same_name", sa.Text, nullable=False),
    sa.UniqueConstraint("parent", "name"),
    sa.Index("source_folders_by_name", "parent", "same_name"),
)

texts = sa.Table(
    "texts",
    metadata,
    _document("document_id"),
    sa.Column("text", sa.Text, nullable=False),
)

sections = sa.Table(
    "sections",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("parent", sa.Integer),
    sa.Column("level", sa.Integer, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("body_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("begin_line", sa.Integer, nullable=False),
    sa.Column("end_line", sa.Integer, nullable=False),
)

objects = sa.Table(
    "objects",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("section", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("begin_line", sa.Integer, nullable=False),
    sa.Column("end_line", sa.Integer, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("preview", sa.Text, nullable=False),
    sa.Column("text", sa.Text),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False),
    sa.Index("objects_by_vector", "vector_hash"),
)

pages = sa.Table(
    "pages",
    metadata,
    _document("document_id"),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("shape", sa.JSON, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("boxes", sa.LargeBinary, nullable=False),
)

labels = sa.Table(
    "labels",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False, index=True),
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("hash", sa.LargeBinary, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("vector", sa.LargeBinary, nullable=False),
)

folders = sa.Table(
    "folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
    sa.Column("preview", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False),
)

stale_folders = sa.Table(
    "stale_folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("document_id", sa.Integer),
    sa.Column("uri", sa.Text, nullable=False),
    sa.Column("target", sa.Text),
    sa.Column("stamp", sa.BigInteger, default=lambda: secrets.randbits(63)),
    sqlite_autoincrement=True,
)

traces = sa.Table(
    "traces",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("traces_by_time", "created_at"),
)

read_pages = sa.Table(
    "read_pages",
    metadata,
    sa.Column("file", sa.Text, primary_key=True),
    sa.Column("page", sa.Integer, primary_key=True),
    sa.Column("engine", sa.Text, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
)

model_abstracts = sa.Table(
    "model_abstracts",
    metadata,
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("prompt", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
)

abstract_uses = sa.Table(
    "abstract_uses",
    metadata,
    sa.Column("owner", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True, index=True),
)

episodes = sa.Table(
    "episodes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("trace_id", sa.Text, nullable=False, unique=True),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("core", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False, index=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False, index=True),
    sa.Column("batch", sa.Text, nullable=False, index=True),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("tenant", sa.Text, nullable=False),
    sa.Column("labels", sa.JSON, nullable=False),
    sa.Column("expires_at_s", sa.Integer),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("uses", sa.Integer, nullable=False, default=0),
    sa.Column("helped", sa.Integer, nullable=False, default=0),
    sa.Column("failed", sa.Integer, nullable=False, default=0),
)

edges = sa.Table(
    "edges",
    metadata,
    sa.Column("episode_id", sa.ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True),
    _document("source_id"),
    sa.Column("source_path", sa.Text, primary_key=True),
    _document("target_id"),
    sa.Column("target_path", sa.Text, primary_key=True),
    sa.Column("source_hash", sa.LargeBinary, nullable=False),
    sa.Column("source_version", sa.Integer, nullable=False),
    sa.Column("target_hash", sa.LargeBinary, nullable=False),
    sa.Column("target_version", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Index("edges_by_source", "source_id", "source_path"),
    sa.Index("edges_by_target", "target_id", "target_path"),
)


@contextmanager
def in_our_words(place: Path) -> Iterator[None]:
    """What the database, or the library in front of it, refuses is a CatalogError, and an InvalidArgument where a
    value is at fault. Messages keep the database's reason and nothing of the library's: no statement, no link."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise CatalogError(f"{place}: {error.orig}") from error
    except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
        raise CatalogError(
            f"{place}: {type(error).__name__}: {str(error).partition('(Background')[0]}"
        ) from error
    except json.JSONDecodeError as error:
        raise CatalogError(f"{place}: a stored value is damaged ({error})") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidArgument(f"{place}: a value that no catalog can hold ({error})") from error


def open_database(path: Path, *, read_only: bool) -> sa.Engine:
    """SQLite in WAL mode, foreign keys on, every transaction durable once committed.

    Raises CatalogError when the file is not a catalog of this schema version."""
    database = sa.create_engine(_address(path, read_only), connect_args={"timeout": 30.0})
    sa.event.listen(database, "connect", _prepare_reading if read_only else _prepare)
    sa.event.listen(database, "begin", _begin)
    try:
        if not read_only:
            metadata.create_all(database)
        _check_version(database, path, read_only)
        _upgrade(database, path, read_only)
    except sa.exc.DBAPIError as error:
        database.dispose()
        raise _unopened(path, error.orig) from error
    except BaseException:
        database.dispose()
        raise
    return database


def _address(path: Path, read_only: bool) -> str:
    if not read_only:
        return f"sqlite:///{path}"
    # A database in WAL mode keeps an index of its log beside it. Where that cannot be made, and there is no log,
    # nobody can be writing, so SQLite may take the file for one that never changes.
    has_log = path.with_name(f"{path.name}-wal").exists()
    still = "" if has_log or os.access(path.parent, os.W_OK) else "&immutable=1"
    return f"sqlite:///file:{quote(str(path.absolute()))}?mode=ro{still}&uri=true"


def _unopened(path: Path, error: BaseException | None) -> CatalogError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF
    if code not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return CatalogError(f"{path}: cannot be opened ({error}); its content was not looked at")
    return CatalogError(
        f"{path}: not a readable catalog ({error}). Restore it from a copy, or move it away "
        "and add the documents again"
    )


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    _prepare_reading(connection, _record)
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _prepare_reading(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver's own transaction handling is switched off, so that BEGIN is ours (see _begin).
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys=ON").close()


def _begin(connection: sa.Connection) -> None:
    # A transaction that will write says so at once: one that began by reading could not be made to wait.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _check_version(database: sa.Engine, path: Path, read_only: bool) -> None:
    with database.begin() as connection:
        found = connection.execute(sa.select(meta.c.value).where(meta.c.key == "schema")).scalar()
        if found is None and read_only:
            raise CatalogError(f"{path}: a catalog that was never filled, and nothing can be written here")
        if found is None:
            connection.execute(meta.insert().values(key="schema", value=str(SCHEMA_VERSION)))
        elif str(found) != str(SCHEMA_VERSION):
            raise CatalogError(
                f"{path}: schema version {found}, this knarr reads {SCHEMA_VERSION}: use the knarr that made it, "
                "or add the documents again to a new knowledge base"
            )


def _upgrade(database: sa.Engine, path: Path, read_only: bool) -> None:
    """Give the tables of an older knarr the columns that it did not know. What they would hold is empty until the
    document is read again."""
    if not _missing_columns(database):
        return
    if read_only:
        raise CatalogError(f"{path}: made by an older knarr; open it once where it can be written")
    with database.connect() as plain:
        connection = plain.execution_options(immediate=True)
        with connection.begin():
            missing = _missing_columns(connection)  # another process may have done it meanwhile
            for column in missing:
                kind = column.type.compile(database.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}")
            if changes.c.stamp in missing:
                _stamp_newest(connection)


def _stamp_newest(connection: sa.Connection) -> None:
    """Give the log of an older knarr a stamp at its newest change, from where on logs can be told apart."""
    newest = sa.select(sa.func.max(changes.c.seq)).scalar_subquery()
    connection.execute(changes.update().where(changes.c.seq == newest).values(stamp=secrets.randbits(63)))


def _missing_columns(bind: sa.Engine | sa.Connection) -> list[sa.Column[Any]]:
    inspector = sa.inspect(bind)
    return [
        column
        for column in (changes.c.stamp, documents.c.metadata)
        if all(known["name"] != column.name for known in inspector.get_columns(column.table.name))
    ]
