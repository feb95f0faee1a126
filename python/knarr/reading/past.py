"""The past as a `ReadContext`: an engine and cards of what stood then, made from history when they are asked for.

`Past.at` picks, in one transaction, the versions that stood below the scope, and builds an engine of them from their
kept content and vectors: nothing is embedded, and no chat model is called. The same tools then read from it as from
the present, so no tool knows of history. A state keeps all that it reads from, packed: what is written or pruned
meanwhile changes nothing in it.

Costs: the first call for a state and scope takes a look at every document in the scope and the indexing of its text;
the states used last are kept, up to `_KEPT_BYTES` together. Calls without `as_of` pay nothing.

A state differs from the present of its day in three things. Abstracts of folders are made by rule from what the
folder held then, and found by the mean of the vectors below where they have none of their own. Abstracts of a
document are the last that its version had. And there are no edges: experience speaks of what stands now.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sqlalchemy as sa

from knarr.catalog import packed, past, vectors
from knarr.catalog.packed import VersionContent
from knarr.catalog.records import NamedPage, Standing
from knarr.config import Settings
from knarr.engine import Engine
from knarr.errors import CatalogError, NotFound
from knarr.index.index import publish_rows
from knarr.language.plain import text_key
from knarr.reading.as_of import AsOf, Point, point_of
from knarr.reading.cards import Card, Cards, Facts, WholeDocument, whole
from knarr.reading.context import ReadContext
from knarr.reading.retained import select
from knarr.types import PageShape
from knarr.uris import ABSTRACT_NAME, SCHEME, above, abstract_of, canonical, lies_in, name_of

_KEPT_BYTES = 256 << 20
_Key = tuple[str, tuple[tuple[int, int, str], ...]]


class Past:
    """Contexts of past states over that of the present. Safe to use from several threads."""

    def __init__(self, present: ReadContext, settings: Settings) -> None:
        self._present = present
        self._settings = settings
        self._states: OrderedDict[_Key, tuple[State, PastCards, int]] = OrderedDict()
        self._lock = threading.Lock()

    def at(self, as_of: AsOf, scope: str, reader: ReadContext) -> ReadContext:
        """What reads the state `as_of` below `scope`, made of the documents that `reader` may see: those that it may
        see where they stand now, and where they stood then.

        Raises NotRetained, naming what is kept, for a version or time that is not kept any more or was before the
        document; InvalidArgument for a version of a folder, and what `point_of` raises."""
        point, scope = point_of(as_of), canonical(scope)
        return reader.consistently(lambda held: held.reading_from(*self._state(point, scope, held)))

    def _state(self, point: Point, scope: str, reader: ReadContext) -> tuple[State, PastCards]:
        with self._present.catalog.reading() as connection:
            listed = select(connection, point, scope, reader)
            key = scope, tuple((one.document_id, one.version, one.uri) for one in listed)
            with self._lock:
                known = self._states.get(key)
                if known is not None:
                    self._states.move_to_end(key)
                    return known[:2]
            made = self._make(connection, scope, listed)
        with self._lock:
            self._states[key] = made
            while len(self._states) > 1 and sum(size for *_, size in self._states.values()) > _KEPT_BYTES:
                self._states.popitem(last=False)
        return made[:2]

    def _make(
        self, connection: sa.Connection, scope: str, listed: Sequence[Standing]
    ) -> tuple[State, PastCards, int]:
        engine = Engine(self._present.embedder.dim, self._present.index.engine.precision)
        held: dict[str, bytes] = {}
        abstracts: dict[str, tuple[str, bytes]] = {}
        for one in listed:
            content = _placed(connection, one)
            _publish(engine, connection, one.uri, content, self._present.embedder.id)
            held[one.uri] = packed.pack(content)
            abstracts.update((one.uri, found) for found in _abstract(content))
        self._add_folders(engine, connection, scope, abstracts)
        state = State(engine, self._present.index.documents_seq)
        sizes = engine.stats()
        weight = sum(size for name, size in sizes.items() if name.endswith("_bytes"))
        return state, PastCards(self._present, held), weight + sum(map(len, held.values()))

    def _add_folders(
        self,
        engine: Engine,
        connection: sa.Connection,
        scope: str,
        abstracts: Mapping[str, tuple[str, bytes]],
    ) -> None:
        """Abstracts of the folders that lie in the scope, deepest first, each made from those of its children."""
        # A base of which no past is read does without the room that reads documents.
        from knarr.abstracts.extractive import folder_abstract, preview

        model = self._present.embedder.id
        stored = dict(vectors.get(connection, [key for _, key in abstracts.values()], model))
        found = dict(abstracts)
        folders = {folder for uri in abstracts for folder in above(uri) if lies_in(folder, scope)}
        children: dict[str, list[str]] = {}
        for uri in abstracts:
            children.setdefault(above(uri)[0], []).append(uri)
        for folder in sorted(folders, key=lambda uri: (-len(above(uri)), uri)):
            inside = children.get(folder, [])
            names = [name_of(uri) for uri in inside]
            text = folder_abstract(
                name_of(folder), names, [found[uri][0] for uri in inside], self._settings.abstract_tokens
            )
            key = text_key(text)
            own = vectors.get(connection, [key], model)
            below = [stored[found[uri][1]] for uri in inside if found[uri][1] in stored]
            vector = own[key] if own else _mean(below)
            if vector is None:
                continue
            stored[key], found[folder] = vector, (text, key)
            if folder != SCHEME:
                children.setdefault(above(folder)[0], []).append(folder)
            matrix = np.ascontiguousarray(vector[np.newaxis, :], dtype=np.float32)
            shown = preview(text, self._settings.preview_chars)
            engine.add([abstract_of(folder)], matrix, [text], ["abstract"], previews=[shown])


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class State:
    """An engine that follows nothing: it stays what it is."""

    engine: Engine
    seq: int

    @property
    def documents_seq(self) -> int:
        """As `Index.documents_seq`; that of the state never changes."""
        return self.seq

    def notes(self) -> dict[str, Any]:
        """As `Index.notes`; a state that could not be read whole was not made."""
        return {}

    def follow(self) -> bool:
        """There is never anything to follow."""
        return False


class PastCards(Cards):
    """Cards of what stood then, from content that is held, packed, as long as the state is."""

    def __init__(self, present: ReadContext, held: Mapping[str, bytes]) -> None:
        super().__init__(present.catalog)
        self._contents = held

    def owning(self, uri: str) -> Card | None:
        """As `Cards.owning`."""
        owner = self._owner(uri)
        return None if owner is None else self.of(owner)

    def roots(self, uris: Sequence[str]) -> Mapping[str, WholeDocument | None]:
        """As `Cards.roots`."""
        return {uri: whole(self.of(uri)) if uri in self._contents else None for uri in uris}

    def facts(self, uri: str) -> Facts:
        """As `Cards.facts`."""
        owner = self._owner(uri)
        if owner is None:
            raise NotFound(f"{uri}: no such document then")
        content = packed.unpack(self._contents[owner])
        shapes = tuple(PageShape(*row.shape) for row in content.pages)
        return Facts(content.record, content.path, shapes)

    def pages_touching(self, card: Card, begin_byte: int, end_byte: int) -> list[NamedPage]:
        """As `Cards.pages_touching`."""
        rows = packed.unpack(self._contents[card.record.uri]).pages
        return [
            NamedPage(row.number, PageShape(*row.shape), row.begin_byte, row.end_byte, row.boxes)
            for row in rows
            if row.begin_byte < end_byte and row.end_byte > begin_byte
        ]

    def outline(self, head_chars: int, sees: Callable[[str], bool]) -> Sequence[tuple[str, str, str]]:
        """As `Cards.outline`."""
        listed = []
        for uri, data in self._contents.items():
            content = packed.unpack(data)
            listed.append((uri, content.record.title, content.text[:head_chars]))
        return listed

    def clear(self) -> None:
        """There is never anything to forget: the state stays what it is."""

    def _owner(self, uri: str) -> str | None:
        places = (place for place in (uri, *above(uri)) if place in self._contents)
        return next(places, None)

    def _read(self, uri: str) -> Card:
        data = self._contents.get(uri)
        if data is None:
            raise NotFound(f"{uri}: no such document then")
        content = packed.unpack(data)
        objects = {row.path: row for row in content.objects}
        paths = {row.path: row.ordinal for row in content.sections}
        return Card(content.record, content.sections, objects, paths)


def _placed(connection: sa.Connection, one: Standing) -> VersionContent:
    """A version as it stood, under the URI of then. Raises CatalogError where it is damaged."""
    content = past.content(connection, one.document_id, one.version)
    if content is None:
        raise CatalogError(
            f"{one.uri}: version {one.version} is missing from the catalog; `knarr doctor` looks closer"
        )
    record = replace(content.record, uri=one.uri, folder=one.folder, file_name=one.file_name)
    return replace(content, record=record)


def _publish(
    engine: Engine, connection: sa.Connection, uri: str, content: VersionContent, model: str
) -> None:
    if content.objects:
        publish_rows(engine, connection, uri, content.objects, content.labels, content.text, model)


def _abstract(content: VersionContent) -> list[tuple[str, bytes]]:
    """The text of a document's own abstract and the key of its vector."""
    return [(row.text or "", bytes(row.vector_hash)) for row in content.objects if row.path == ABSTRACT_NAME]


def _mean(below: Sequence[vectors.Vector]) -> vectors.Vector | None:
    total = np.sum(below, axis=0) if below else np.zeros(1)
    length = float(np.linalg.norm(total))
    return None if length == 0.0 else np.asarray(total / length, dtype=np.float32)
