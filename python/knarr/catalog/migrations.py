"""Schema versions: an older catalog is brought up when it is opened, and a catalog can be given back to an older knarr.

    1   the first releases; columns were added as they came, and are found missing by name
    2   seals, the record of damage, and a mark in the file's head (application_id, user_version)

New tables, and columns that may be empty, need no version of their own. One is raised when an older knarr must not
write any more: before version 2 none would renew the seals.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from knarr.catalog import facts
from knarr.catalog.failures import damaged
from knarr.catalog.schema import (
    ADDED_COLUMNS,
    APPLICATION_ID,
    SCHEMA_VERSION,
    changes,
    episodes,
    meta,
    metadata,
)
from knarr.errors import CatalogError

_SEAL = "crc"


def check_version(version: str | None, folder: Path) -> None:
    """Refuse a schema that this knarr does not know."""
    if version is None or not (version.isascii() and version.isdigit()):
        raise damaged(folder, f"its schema version is {version!r}, expected a number")
    if int(version) > SCHEMA_VERSION:
        raise CatalogError(
            f"{folder / 'catalog.sqlite'}: made by a newer knarr (schema version {version}, this one reads up to "
            f"{SCHEMA_VERSION}) and left as it is; update knarr to open it"
        )


def check(connection: sa.Connection, folder: Path) -> bool:
    """Whether a catalog is older than this knarr, or lacks something of its tables. Raises CatalogError for a newer
    one."""
    version = _version(connection)
    check_version(version, folder)
    return version != str(SCHEMA_VERSION) or bool(_missing(connection))


def upgrade(connection: sa.Connection, folder: Path) -> None:
    """Bring an older catalog up. What its new columns would hold is empty until the document is read again."""
    check_version(
        _version(connection), folder
    )  # another process may have done it meanwhile, or a newer knarr
    metadata.create_all(connection)
    missing = _missing_columns(connection)
    for column in missing:
        kind = column.type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}")
    if episodes.c.core in missing:
        connection.execute(episodes.update().values(core=episodes.c.question))
    if changes.c.stamp in missing:
        _stamp_newest(connection)
    _mark(connection, SCHEMA_VERSION, APPLICATION_ID)


def mark_new(connection: sa.Connection) -> None:
    """Mark a catalog that has just been made."""
    _mark(connection, SCHEMA_VERSION, APPLICATION_ID)
    facts.put(connection, facts.TRACES_NOTED, "1")


def lower(connection: sa.Connection, folder: Path, version: int = 1) -> None:
    """Give a catalog back to a knarr that knows schema `version` only: seals go, since that one would not renew them.

    Raises CatalogError, and changes nothing, when tables hold what it does not know and would not keep true."""
    if version != 1:
        raise CatalogError(f"{folder}: schema version {version} is no older one; expected 1")
    held = [
        name
        for name, table in metadata.tables.items()
        if name not in _TABLES_OF_1
        and name not in ("document_seals", "trace_documents")  # made anew when it is opened again
        and connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first()
    ]
    if held:
        raise CatalogError(
            f"{folder}: cannot be given back to an older knarr, which would not keep what these tables hold: "
            f"{', '.join(sorted(held))}. Nothing was changed"
        )
    for table in metadata.tables.values():
        if _SEAL in table.c and table.name != "document_seals":
            connection.execute(table.update().values({_SEAL: None}))
    for name in ("document_seals", "trace_documents"):
        connection.execute(metadata.tables[name].delete())
    facts.remove(connection, facts.TRACES_NOTED)
    _mark(connection, version, 0)


_TABLES_OF_1 = {
    "meta", "documents", "sources", "source_folders", "texts", "sections", "objects", "pages", "labels", "vectors",
    "folders", "stale_folders", "changes", "traces", "read_pages", "model_abstracts", "abstract_uses", "episodes",
    "edges",
}  # fmt: skip


def _mark(connection: sa.Connection, version: int, application_id: int) -> None:
    connection.execute(meta.delete().where(meta.c.key == "schema"))
    connection.execute(meta.insert().values(key="schema", value=str(version)))
    connection.exec_driver_sql(f"PRAGMA application_id={application_id}")
    connection.exec_driver_sql(f"PRAGMA user_version={version if application_id else 0}")


def _version(connection: sa.Connection) -> str | None:
    found = connection.execute(sa.select(meta.c.value).where(meta.c.key == "schema")).scalar()
    return None if found is None else str(found)


def _stamp_newest(connection: sa.Connection) -> None:
    """Give the log of an older knarr a stamp at its newest change, from where on logs can be told apart."""
    newest = sa.select(sa.func.max(changes.c.seq)).scalar_subquery()
    connection.execute(changes.update().where(changes.c.seq == newest).values(stamp=secrets.randbits(63)))


def _missing(connection: sa.Connection) -> bool:
    names = set(sa.inspect(connection).get_table_names())
    return not names >= set(metadata.tables) or bool(_missing_columns(connection))


def _missing_columns(connection: sa.Connection) -> list[sa.Column[Any]]:
    inspector = sa.inspect(connection)
    known = {
        name: {column["name"] for column in inspector.get_columns(name)}
        for name in {column.table.name for column in ADDED_COLUMNS}
        if inspector.has_table(name)
    }
    return [
        column
        for column in ADDED_COLUMNS
        if column.table.name in known and column.name not in known[column.table.name]
    ]
