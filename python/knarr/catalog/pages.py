"""Pages that OCR read, by the bytes of their file: what was read once is never read again while its file is here."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog import Catalog
from knarr.catalog.batches import batches
from knarr.catalog.schema import documents, read_pages
from knarr.catalog.seals import is_whole, seal


class ReadPages:
    """The store of a `PageReader`: every page is in the database as soon as it was read."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def get(self, file: str, page: int, engine: str) -> str | None:
        """What an engine read on a page (from 0) of a file, by its hash."""
        query = sa.select(read_pages.c.words, read_pages.c.crc).where(
            read_pages.c.file == file, read_pages.c.page == page, read_pages.c.engine == engine
        )
        with self._catalog.reading() as connection:
            row = connection.execute(query).first()
        if row is None or not is_whole(row.crc, file, page, engine, row.words):
            return None  # a damaged one is read again
        return str(row.words)

    def put(self, file: str, page: int, engine: str, words: str) -> None:
        """Keep what was read, in a transaction of its own, in place of what any engine read before."""
        with self._catalog.writing() as connection:
            connection.execute(
                read_pages.delete().where(read_pages.c.file == file, read_pages.c.page == page)
            )
            values = {"file": file, "page": page, "engine": engine, "words": words}
            connection.execute(read_pages.insert().values(**values, crc=seal(*values.values())))


def release(connection: sa.Connection, files: Sequence[str]) -> None:
    """Delete the pages of those files that no document holds any more."""
    for part in batches(list(files)):
        used = sa.select(documents.c.content_hash).where(documents.c.content_hash.in_(part))
        connection.execute(
            read_pages.delete().where(read_pages.c.file.in_(part), read_pages.c.file.not_in(used))
        )
