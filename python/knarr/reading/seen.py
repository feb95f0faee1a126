"""What the tools read from on behalf of a principal: the same catalog and engine, held to what it may see.

Each call is answered from one state: when something was written between the rows that the call was held to and its
result, the call is made again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from knarr.catalog import documents
from knarr.catalog.records import NamedPage
from knarr.config import Settings
from knarr.errors import CatalogError, KnarrError, NotFound
from knarr.language.plain import text_key
from knarr.reading.cards import Card, Cards, Facts, WholeDocument
from knarr.reading.context import Followed, QueryVectors, ReadContext
from knarr.reading.seen_engine import ReadableEngine, SeenEngine
from knarr.rights.keeper import Keeper, PrincipalClass, Sight
from knarr.types import Principal
from knarr.uris import abstract_of, canonical, name_of, without_slash

_TRIES = 8
_HELD_TRIES = 100
_QUERIES_KEPT = 64  # of each class
_ABSTRACTS_KEPT = 4_096
_DOCUMENTS_KNOWN = 4_096  # of each class
_CHILDREN = 400  # of a folder, of which its abstract is made

_T = TypeVar("_T")


class Shared:
    """What the contexts of all principals have in common: by class the vectors of the queries that it asked, and by
    content the abstracts of folders. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._queries: WeakKeyDictionary[PrincipalClass, QueryVectors] = WeakKeyDictionary()
        self._abstracts: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def queries(self, sight: Sight, context: ReadContext) -> QueryVectors:
        with self._lock:
            found = self._queries.get(sight.of)
            if found is None:
                found = self._queries[sight.of] = QueryVectors(context.embedder, _QUERIES_KEPT)
            return found

    def abstract(self, title: str, parts: Sequence[tuple[str, str]]) -> str:
        """The abstract of a folder with these children and their abstracts."""
        # A base that only searches does without the room that reads documents.
        from knarr.abstracts.extractive import folder_abstract

        key = text_key("\0".join([title, *(text for part in parts for text in part)]))
        with self._lock:
            kept = self._abstracts.get(key)
        if kept is None:
            names = [name for name, _ in parts]
            kept = folder_abstract(title, names, (text for _, text in parts), self.settings.abstract_tokens)
            with self._lock:
                self._abstracts[key] = kept
                if len(self._abstracts) > _ABSTRACTS_KEPT:
                    self._abstracts.popitem(last=False)
        return kept


class SeenContext(ReadContext):
    """What a principal may see, whenever it asks. Safe to use from several threads."""

    def __init__(self, whole: ReadContext, keeper: Keeper, principal: Principal, shared: Shared) -> None:
        self.catalog = whole.catalog
        self.index = whole.index
        self.embedder = whole.embedder
        self.cards = whole.cards
        self.principal = principal
        self._keeper = keeper
        self._shared = shared
        self._kept: tuple[tuple[int, int], _HeldContext] | None = None
        self._last = self.sight()

    def sight(self) -> Sight:
        """What the principal may see now."""
        return self._present().sight

    def _present(self) -> _HeldContext:
        """What a call reads from: the same as the last one while nobody has written since."""
        self.catalog.check_open()
        now, kept = self._keeper.follow(), self._kept
        if kept is None or kept[0] != now or not self._keeper.holds(kept[1].sight):
            kept = self._kept = now, _HeldContext(self, self._keeper.sight(self.principal))
        return kept[1]

    @property
    def engine(self) -> ReadableEngine:
        return SeenEngine(self.sight())

    @property
    def edition(self) -> tuple[object, int]:
        return self.sight().edition

    def follow(self) -> bool:
        """Take up what was written; True when something that may be seen has changed since this was last asked."""
        last, now = self._last, self.sight()
        self._last = now
        return last.version != now.version if last.of is now.of else last.rows != now.rows

    def embed_query(self, query: str) -> npt.NDArray[np.float32]:
        return self.consistently(lambda held: held.embed_query(query))

    def info(self, chunk_tokens: int) -> dict[str, Any]:
        return self.consistently(lambda held: held.info(chunk_tokens))

    def reading_from(self, index: Followed, cards: Cards) -> ReadContext:
        return self._present().reading_from(index, cards)

    def saw(self, connection: sa.Connection, document_id: int, uri: str) -> bool:
        return self._present().saw(connection, document_id, uri)

    @property
    def sees_all(self) -> bool:
        return False

    def consistently(self, call: Callable[[ReadContext], _T]) -> _T:
        for _ in range(_TRIES):
            found = self._tried(call)
            if found is not None:
                return found[0]
        with self._keeper.held():  # no thread of this process changes anything meanwhile
            for _ in range(_HELD_TRIES):
                found = self._tried(call)
                if found is not None:
                    return found[0]
        raise CatalogError(f"{self.catalog.folder}: it changes faster than it can be read; try again")

    def _tried(self, call: Callable[[ReadContext], _T]) -> tuple[_T] | None:
        """The result of a call, None where something has changed meanwhile."""
        held = self._present()
        try:
            result = call(held)
        except KnarrError:
            if self._is_over(held.sight):
                return None
            raise
        return None if self._is_over(held.sight) else (result,)

    def _is_over(self, sight: Sight) -> bool:
        self._keeper.follow()
        return not self._keeper.holds(sight)


class _HeldContext(ReadContext):
    """What the calls of a principal read from in one state."""

    def __init__(self, context: SeenContext, sight: Sight) -> None:
        self.catalog = context.catalog
        self.index = context.index
        self.embedder = context.embedder
        self._shared = context._shared
        self.sight = sight
        self._engine = SeenEngine(sight)
        self.cards = _SeenCards(context.cards, self._engine, sight.documents)
        self._queries = self._shared.queries(sight, context)
        self._keeper = context._keeper

    @property
    def engine(self) -> ReadableEngine:
        return self._engine

    @property
    def edition(self) -> tuple[object, int]:
        return self.sight.edition

    def follow(self) -> bool:
        return False

    def consistently(self, call: Callable[[ReadContext], _T]) -> _T:
        return call(self)

    def sees(self, uri: str) -> bool:
        return self._engine.exists(uri)

    def saw(self, connection: sa.Connection, document_id: int, uri: str) -> bool:
        """By the rules of now: for where the document stood, and for where it stands."""
        now = documents.find_id(connection, document_id)
        if now is not None and not self.sees(now.uri):
            return False
        return self._keeper.allows(self.sight, uri)

    @property
    def sees_all(self) -> bool:
        return False

    def info(self, chunk_tokens: int) -> dict[str, Any]:
        """Counts of what may be seen, and how it is read."""
        with self.catalog.reading() as connection:
            ids = [number for number, uri in documents.names(connection) if self.sees(uri)]
            totals = documents.totals(connection, ids)
        return {
            **totals,
            "embedder": self.embedder.id,
            "dim": self.embedder.dim,
            "precision": self.sight.engine.precision,
            "chunk_tokens": chunk_tokens,
            "seq": self.sight.version,
        }

    def episodes(self) -> list[int] | None:
        return list(self.sight.episodes)

    # ------------------------------------------------------------------ folders

    def own_abstract(self, uri: str) -> str:
        """Made of the abstracts of what may be seen in the folder, by rule. It costs a listing and a read of each
        child (of at most `_CHILDREN`), the same for the folders below, and is kept by its content."""
        if not self._engine.exists(uri) or self.cards.owning(uri) is not None:
            return ""
        page = self._engine.list(uri, 0, _CHILDREN)
        children = [(name_of(entry.uri), canonical(entry.uri)) for entry in page.entries if not entry.kind]
        return self._shared.abstract(name_of(uri), [(name, self._told(child)) for name, child in children])

    def own_preview(self, uri: str) -> str:
        from knarr.abstracts.extractive import preview

        text = self.own_abstract(uri)
        return preview(text, self._shared.settings.preview_chars) if text else ""

    def _told(self, uri: str) -> str:
        try:
            return self._engine.read(abstract_of(uri)).text
        except NotFound:
            return self.own_abstract(uri)


class _SeenCards(Cards):
    """The cards of the documents that may be seen; the others do not exist."""

    def __init__(self, cards: Cards, engine: SeenEngine, known: set[str]) -> None:
        self._all = cards
        self._seen = engine
        self._known = known

    def of(self, document_uri: str) -> Card:
        if document_uri not in self._known:
            if not self._seen.exists(document_uri):
                raise NotFound(f"{without_slash(document_uri)}: no such document")
            if len(self._known) >= _DOCUMENTS_KNOWN:
                self._known.clear()
            self._known.add(document_uri)
        return self._all.of(document_uri)

    def owning(self, uri: str) -> Card | None:
        return self._all.owning(uri) if self._seen.exists(uri) else None

    def facts(self, uri: str) -> Facts:
        if not self._seen.exists(uri):
            raise NotFound(f"{uri}: no such document")
        return self._all.facts(uri)

    def pages_touching(self, card: Card, begin_byte: int, end_byte: int) -> list[NamedPage]:
        return self._all.pages_touching(card, begin_byte, end_byte)

    def outline(self, head_chars: int, sees: Callable[[str], bool]) -> Sequence[tuple[str, str, str]]:
        return self._all.outline(head_chars, sees)

    def roots(self, uris: Sequence[str]) -> Mapping[str, WholeDocument | None]:
        seen = [uri for uri in uris if self._seen.exists(uri)]
        return dict.fromkeys(uris) | dict(self._all.roots(seen))

    def clear(self) -> None:
        self._all.clear()
