"""Cards: the record, sections and objects of a document, kept in memory to say where a hit comes from."""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knarr.catalog import Catalog, documents, page_boxes, sources
from knarr.catalog.locks import on_fork
from knarr.catalog.records import DocumentRecord, NamedPage
from knarr.errors import NotFound
from knarr.types import MetadataValue, PageShape, Provenance, Span
from knarr.uris import relative, without_slash

_KEPT = 512
_ROOTS_KEPT = 8192


@dataclass(frozen=True)
class Card:
    """A document's record with its sections in order and its objects by relative path.

    `sections` and `objects` are rows of the tables of that name. `paths` gives a section's place by its relative path. The provenance of each place that was asked for is
    kept, since popular chunks are hits again and again."""

    record: DocumentRecord
    sections: tuple[Any, ...]
    objects: dict[str, Any]
    paths: dict[str, int]
    _known: dict[str, Provenance] = field(default_factory=dict, compare=False, repr=False)

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
        return _pages(self.record, begin_byte, end_byte)

    def page_at(self, byte: int) -> int | None:
        return _page_at(self.record, byte)

    def relative(self, uri: str) -> str:
        """The path of a URI below this document, without a trailing slash. Raises NotFound for another URI."""
        path = relative(uri, self.record.uri)
        if path is None:
            raise NotFound(f"{uri}: does not lie in the document {self.record.uri}")
        return path

    def span(self, uri: str) -> Span:
        """Where the object or section `uri` of this document begins and ends in the text, in bytes."""
        place = self._place(uri, self.relative(uri))
        return place.begin_byte, place.end_byte

    def provenance(self, uri: str) -> Provenance:
        """Where the object or section `uri` of this document comes from."""
        path = self.relative(uri)
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._find(uri, path)
        return known

    def _find(self, uri: str, path: str) -> Provenance:
        place = self._place(uri, path)
        section = place.section if path in self.objects else self.paths[path]
        return Provenance(
            document=self.record.uri,
            version=self.record.version,
            section=self.titles(section),
            lines=(place.begin_line, place.end_line),
            pages=self.pages(place.begin_byte, place.end_byte),
            bytes=(place.begin_byte, place.end_byte),
        )

    def _place(self, uri: str, path: str) -> Any:
        """The row of an object or a section."""
        row = self.objects.get(path)
        if row is not None:
            return row
        if path not in self.paths:
            raise NotFound(f"{uri}: the document {self.record.uri} has no such section")
        return self.sections[self.paths[path]]


def _page_at(record: DocumentRecord, byte: int) -> int | None:
    begins = record.page_begins
    return max(1, bisect.bisect_right(begins, byte)) if begins else None


def _pages(record: DocumentRecord, begin_byte: int, end_byte: int) -> Span | None:
    first, last = _page_at(record, begin_byte), _page_at(record, max(begin_byte, end_byte - 1))
    return None if first is None or last is None else (first, last)


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A whole document: where it comes from, and what its file says of itself."""

    source: Provenance
    metadata: Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class Facts:
    """A document's record, the path of the file that it was read from, "" where that is not known, and the shapes of
    its pages."""

    record: DocumentRecord
    path: str
    shapes: tuple[PageShape, ...]


def whole(card: Card) -> WholeDocument:
    """All of a document."""
    return _whole(card.record, card.sections[0])


def _whole(record: DocumentRecord, root: Any) -> WholeDocument:
    lines, span = (root.begin_line, root.end_line), (root.begin_byte, root.end_byte)
    source = Provenance(record.uri, record.version, (), lines, _pages(record, *span), span)
    return WholeDocument(source, record.metadata)


class Cards:
    """The cards used last, read from the catalog on first use. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._cards: OrderedDict[str, Card] = OrderedDict()
        self._roots: OrderedDict[str, WholeDocument | None] = OrderedDict()
        self._lock = threading.Lock()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: another thread of the parent may have had the lock."""
        self._lock = threading.Lock()

    def of(self, document_uri: str) -> Card:
        """The card of a document by its own URI. Raises NotFound."""
        uri = without_slash(document_uri)
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

    def owning(self, uri: str) -> Card | None:
        """The card of the document that a canonical URI names or lies in; None above documents."""
        card = self._held(uri)
        if card is not None:
            return card
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, uri)
        return None if owner is None else self.of(owner.uri)

    def _held(self, uri: str) -> Card | None:
        with self._lock:
            for place in documents.possible_owners(uri):
                card = self._cards.get(place)
                if card is not None:
                    self._cards.move_to_end(place)
                    return card
        return None

    def roots(self, uris: Sequence[str]) -> Mapping[str, WholeDocument | None]:
        """Whole documents by their URIs; None where a URI names no document."""
        with self._lock:
            known = {uri: self._roots[uri] for uri in uris if uri in self._roots}
        missing = [uri for uri in uris if uri not in known]
        if not missing:
            return known
        found: dict[str, WholeDocument | None] = dict.fromkeys(missing)
        with self._catalog.reading() as connection:
            for record, root in documents.roots_of(connection, missing):
                found[record.uri] = _whole(record, root)
        with self._lock:
            self._roots.update(found)
            while len(self._roots) > _ROOTS_KEPT:
                self._roots.popitem(last=False)
        return known | found

    def facts(self, uri: str) -> Facts:
        """What is known of the document that a canonical URI names or lies in, as it is stored now. Raises NotFound."""
        with self._catalog.reading() as connection:
            record = documents.owning(connection, uri)
            if record is None:
                raise NotFound(f"{uri}: no such document")
            path = sources.path_of(connection, record.id)
            return Facts(record, path, page_boxes.shapes(connection, record.id))

    def pages_touching(self, card: Card, begin_byte: int, end_byte: int) -> list[NamedPage]:
        """The pages with words in a range of a document's text, with the places of these; none where the document has
        changed since, since they would be the places of other words."""
        with self._catalog.reading() as connection:
            now = documents.find_id(connection, card.record.id)
            if now is None or now.version != card.record.version:
                return []
            return page_boxes.touching(connection, card.record.id, begin_byte, end_byte)

    def outline(self, head_chars: int, sees: Callable[[str], bool]) -> Sequence[tuple[str, str, str]]:
        """`(uri, title, first characters)` of every document that is seen, in the order of adding. Of another one
        nothing but its URI is read."""
        with self._catalog.reading() as connection:
            ids = [number for number, uri in documents.names(connection) if sees(uri)]
            return documents.outline(connection, ids, head_chars)

    def clear(self) -> None:
        """Forget everything; after a change of the catalog."""
        with self._lock:
            self._cards.clear()
            self._roots.clear()

    def _read(self, uri: str) -> Card:
        with self._catalog.reading() as connection:
            record = documents.find(connection, uri)
            if record is None:
                raise NotFound(f"{uri}: no such document")
            sections = tuple(documents.sections_of(connection, record.id))
            objects = {row.path: row for row in documents.objects_of(connection, record.id)}
        return Card(record, sections, objects, {row.path: row.ordinal for row in sections})
