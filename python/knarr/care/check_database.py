"""The database as SQLite sees it, read by itself: also of a base that cannot be opened. Nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from knarr.care.health import Notes
from knarr.catalog import FILE_NAME, opening
from knarr.catalog.schema import ADDED_COLUMNS, SCHEMA_VERSION, metadata

_MAGIC = b"SQLite format 3\0"
_MOST = 100
DERIVED = ("objects", "sections", "labels")
"""Tables whose rows follow from others, and mean nothing without them."""
_HANGING = "knarr doctor --repair removes it"
_RESTORE = "restore a backup with `knarr restore`, or add the documents again to a new base"
_OPEN = "open the base once, or knarr doctor --repair"
_REINDEX = "knarr doctor --repair builds the indexes of the database anew"
_INDEX_FAULTS = (
    "missing from index",
    "wrong # of entries in index",
    "non-unique entry in index",
    "out of order",
)


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database of a base, for reading only."""
    place = folder / FILE_NAME
    with closing(opening.connect(place, "ro")) as connection:
        yield connection


def check_database(folder: Path, notes: Notes) -> bool:
    """Whether it can be opened and looked at further."""
    place = folder / FILE_NAME
    if not _check_file(place, notes):
        return False
    try:
        with reading(folder) as connection:
            return _check(connection, notes)
    except sqlite3.DatabaseError as error:
        notes.add("error", "catalog", FILE_NAME, f"it cannot be read ({error})", _help(error))
        return False


def only_indexes(message: str) -> bool:
    """Whether a line of SQLite's integrity check tells of an index alone, which is derived."""
    return any(fault in message for fault in _INDEX_FAULTS)


def _help(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return _RESTORE
    return (
        "look at the rights of the file and its folder, and whether another program holds it; it may be sound"
    )


def _check_file(place: Path, notes: Notes) -> bool:
    try:
        with place.open("rb") as file:
            head = file.read(len(_MAGIC))
    except FileNotFoundError:
        notes.add(
            "error", "files", FILE_NAME, "there is no catalog: this is no base", "name the folder of a base"
        )
        return False
    except OSError as error:
        notes.add("error", "files", FILE_NAME, f"it cannot be read ({error.strerror})", "look at its rights")
        return False
    if head != _MAGIC:
        what = "the file is empty, its documents are lost" if not head else "it is no SQLite database"
        notes.add("error", "files", FILE_NAME, what, _RESTORE)
        return False
    return True


def _check(connection: sqlite3.Connection, notes: Notes) -> bool:
    faults = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST})")]
    faults = [fault for fault in faults if fault != "ok"]
    for fault in faults:
        index = only_indexes(fault)
        notes.add("error", "catalog", FILE_NAME, fault, _REINDEX if index else _RESTORE, mendable=index)
    if not _check_schema(connection, notes):
        return False
    for table, row, other, _ in connection.execute("PRAGMA foreign_key_check"):
        what = f"row {row} of {table} names one of {other} that is not there"
        derived = table in DERIVED
        notes.add("error", "catalog", str(table), what, _HANGING if derived else _RESTORE, mendable=derived)
    _check_json(connection, notes)
    notes.count("pages", int(connection.execute("PRAGMA page_count").fetchone()[0]))
    return all(map(only_indexes, faults))


def _check_schema(connection: sqlite3.Connection, notes: Notes) -> bool:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "meta" not in tables:
        notes.add(
            "error",
            "catalog",
            FILE_NAME,
            "it is a database of another program, or was never filled",
            _RESTORE,
        )
        return False
    row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    version = row[0] if row else None
    old = str(version) in map(str, range(1, SCHEMA_VERSION))
    if old:
        what = f"its schema is {version}, as an older knarr made it"
        notes.add("warning", "catalog", FILE_NAME, what, _OPEN, mendable=True)
    elif str(version) != str(SCHEMA_VERSION):
        what = f"its schema is {version}, this knarr reads {SCHEMA_VERSION}"
        notes.add("error", "catalog", FILE_NAME, what, "open it with the knarr that made it, or a newer one")
        return False
    added = {(column.table.name, column.name) for column in ADDED_COLUMNS}
    whole = not old
    for table in metadata.sorted_tables:
        has = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
        lacks = [column.name for column in table.columns if column.name not in has]
        if not lacks:
            continue
        is_old = not has or all((table.name, name) in added for name in lacks)
        what = f"it lacks {'the table' if not has else 'columns of'} {table.name}"
        whole = False
        if is_old:
            told = f"{what}, as an older knarr made it"
            notes.add("warning", "catalog", FILE_NAME, told, _OPEN, mendable=True)
        else:
            notes.add("error", "catalog", FILE_NAME, f"{what}: {', '.join(lacks)}", _RESTORE)
    return whole


def _check_json(connection: sqlite3.Connection, notes: Notes) -> None:
    for table in metadata.sorted_tables:
        has = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
        for column in table.columns:
            if not isinstance(column.type, sa.JSON) or column.name not in has:
                continue
            query = f"SELECT rowid FROM {table.name} WHERE {column.name} IS NOT NULL AND NOT json_valid({column.name})"
            for (row,) in connection.execute(f"{query} LIMIT {_MOST}"):
                what = f"row {row} of {table.name}: its {column.name} cannot be read"
                notes.add("error", "catalog", table.name, what, "add the document again")
