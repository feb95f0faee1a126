"""Documents that are damaged in the catalog: set aside by name, while everything else goes on.

What damage was found is kept in the catalog, where that can be written, so that the same bytes are read again when
the document is added again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from knarr.catalog import Catalog, documents, folders, vectors, wholeness
from knarr.catalog.examination import WHOLE_BYTES
from knarr.catalog.opening import FILE_NAME
from knarr.errors import CatalogError

_VECTOR = "a stored vector of it is not the one that was written"


class SetAside:
    """The documents of one open base that cannot be shown, by id, and why."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._found: dict[int, str] = {}
        self._unwritten: dict[int, str | None] = {}
        self._folders: list[str] = []

    def __contains__(self, document_id: int) -> bool:
        return document_id in self._found

    def load(self, connection: sa.Connection, model: str, *, whole: bool) -> None:
        """Begin with what was found before; with `whole`, or in a small catalog, check everything again."""
        self._found = wholeness.noted(connection)
        if not whole and (self._catalog.folder / FILE_NAME).stat().st_size > WHOLE_BYTES:
            return
        now = dict.fromkeys(vectors.damaged_documents(connection, model), _VECTOR)
        now |= wholeness.faults(connection)
        for document_id in self._found.keys() - now.keys():
            self.take_back(document_id)
        for document_id, reason in now.items():
            self.put(document_id, reason)
        self._folders = folders.damaged(connection)

    def put(self, document_id: int, reason: str) -> None:
        """Set a document aside."""
        if document_id not in self._found:
            self._unwritten[document_id] = reason
        self._found[document_id] = reason

    def take_back(self, document_id: int) -> None:
        """A document is whole, as it was added again or its vector was made again."""
        if self._found.pop(document_id, None) is not None:
            self._unwritten[document_id] = None

    def keep(self) -> None:
        """Write down what is new; where that cannot be, it is found again."""
        unwritten, self._unwritten = self._unwritten, {}
        damaged, self._folders = self._folders, []
        if self._catalog.read_only or not (unwritten or damaged):
            return
        try:
            with self._catalog.writing() as connection:
                there = documents.uris_of(connection, list(unwritten))
                for document_id in there:
                    wholeness.note(connection, document_id, unwritten[document_id])
                folders.mark_stale(connection, damaged)
        except CatalogError:
            self._unwritten, self._folders = unwritten, damaged

    def uris(self, connection: sa.Connection) -> list[str]:
        """Where those that were set aside stand."""
        return list(documents.uris_of(connection, list(self._found)).values())

    def listed(self, connection: sa.Connection) -> list[dict[str, Any]]:
        """URI and reason of each, for `info`."""
        where = documents.uris_of(connection, list(self._found))
        return sorted(
            ({"uri": uri, "reason": self._found[key]} for key, uri in where.items()),
            key=lambda one: one["uri"],
        )
