"""What is known of a whole catalog, by name: its schema, its embedder, what was calibrated for it."""

from __future__ import annotations

import sqlalchemy as sa

from knarr.catalog.schema import meta

TRACES_NOTED = "trace_documents"
"""Set once it is noted which documents each trace was shown."""
WIPED_AT = "wiped_at"
"""When what was deleted was last made gone from the files, the log of changes included."""


def get(connection: sa.Connection, key: str) -> str | None:
    """The value of this name; None where there is none."""
    found = connection.execute(sa.select(meta.c.value).where(meta.c.key == key)).scalar()
    return None if found is None else str(found)


def put(connection: sa.Connection, key: str, value: str) -> None:
    """Store a value, in place of the former one."""
    remove(connection, key)
    connection.execute(meta.insert().values(key=key, value=value))


def remove(connection: sa.Connection, key: str) -> None:
    connection.execute(meta.delete().where(meta.c.key == key))


def beginning(connection: sa.Connection, prefix: str) -> dict[str, str]:
    """All values whose names begin so."""
    query = sa.select(meta.c.key, meta.c.value).where(meta.c.key.startswith(prefix, autoescape=True))
    return {str(key): str(value) for key, value in connection.execute(query)}
