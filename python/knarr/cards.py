"""Cards: what the read path keeps of a document in memory, to say where a hit comes from."""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from knarr.catalog import Catalog, documents
from knarr.catalog.records import DocumentRecord
from knarr.errors import NotFound
from knarr.types import Provenance, Span

_KEPT = 512


@dataclass(frozen=True)
class Card:
    """A document's record with its sections and objects by relative path."""

    record: DocumentRecord
    sections: tuple[sa.Row[Any], ...]
    objects: dict[str, sa.Row[Any]]
    paths: dict[str, int]

    def titles(self, section: int) -> tuple[str, ...]:
        """Titles from the top heading down to a section; empty for the document itself."""
        found: list[str] = []
        at: int | None = section
        while at is not None and self.sections[at].parent is not None:
            found.append(self.sections[at].title)
            at = self.sections[at].parent
        return tuple(reversed(found))

    def pages(self, begin_byte: int, end_byte: int) -> Span | None:
        """First and last page of a byte range; None for a document without pages."""
        begins = self.record.page_begins
        if not begins:
            return None
        return (self.page_at(begin_byte) or 1, self.page_at(max(begin_byte, end_byte - 1)) or 1)

    def page_at(self, byte: int) -> int | None:
        begins = self.record.page_begins
        return max(1, bisect.bisect_right(begins, byte)) if begins else None

    def relative(self, uri: str) -> str:
        """The path of a URI below this document, without a trailing slash."""
        return uri[len(self.record.uri) :].strip("/")

    def provenance(self, uri: str) -> Provenance:
        """Where the object or section `uri` of this document comes from."""
        path = self.relative(uri)
        row = self.objects.get(path)
        section = row.section if row is not None else self.paths.get(path)
        if section is None:
            raise NotFound(f"{uri}: the document {self.record.uri} has no such section")
        place = row if row is not None else self.sections[section]
        return Provenance(
            document=self.record.uri,
            version=self.record.version,
            section=self.titles(section),
            lines=(place.begin_line, place.end_line),
            pages=self.pages(place.begin_byte, place.end_byte),
        )


class Cards:
    """The cards used last, read from the catalog on first use. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._cards: OrderedDict[str, Card] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, document_uri: str) -> Card:
        """The card of a document by its own URI. Raises NotFound."""
        uri = document_uri.rstrip("/")
        with self._lock:
            card = self._cards.get(uri)
            if card is not None:
                self._cards.move_to_end(uri)
                return card
        card = self._read(uri)
        with self._lock:
            self._cards[uri] = card
            if len(self._cards) > _KEPT:
                self._cards.popitem(last=False)
        return card

    def clear(self) -> None:
        """Forget everything; after a change of the catalog."""
        with self._lock:
            self._cards.clear()

    def _read(self, uri: str) -> Card:
        with self._catalog.reading() as connection:
            record = documents.find(connection, uri)
            if record is None:
                raise NotFound(f"{uri}: no such document")
            sections = tuple(documents.sections_of(connection, record.id))
            objects = {row.path: row for row in documents.objects_of(connection, record.id)}
        return Card(record, sections, objects, {row.path: row.ordinal for row in sections})
