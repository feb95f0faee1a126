"""Opening the database that holds the tables, in words of ours where that fails."""

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

from knarr.catalog.schema import ADDED_COLUMNS, SCHEMA_VERSION, changes, meta, metadata
from knarr.errors import CatalogError, InvalidArgument


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
        for column in ADDED_COLUMNS
        if all(known["name"] != column.name for known in inspector.get_columns(column.table.name))
    ]
