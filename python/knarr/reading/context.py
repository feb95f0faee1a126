"""What the four tools read from: the catalog, the engine that follows it, the embedder, and caches of them."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from knarr.catalog import Catalog, changes, documents
from knarr.catalog.locks import on_fork
from knarr.engine import Engine
from knarr.errors import EmbedderError, InvalidArgument, KnarrError, NotFound
from knarr.language.characters import plain_lines
from knarr.language.plain import bounded_query, text_key
from knarr.models.embed import Embedder, count_tokens
from knarr.reading.cards import Cards
from knarr.reading.seen_engine import ReadableEngine

_QUERIES_KEPT = 1024
_TRIES = 20

_T = TypeVar("_T")
_P = ParamSpec("_P")


class Followed(Protocol):
    """An engine with the place in the log that it stands for (`knarr.index.index.Index`)."""

    @property
    def engine(self) -> Engine: ...

    def notes(self) -> dict[str, Any]: ...

    @property
    def seq(self) -> int: ...

    @property
    def documents_seq(self) -> int: ...

    def follow(self) -> bool: ...


class ReadContext:
    """What the owner reads from, who sees all. One for each open knowledge base, shared by its parts. Safe to use
    from several threads. Others give the same tools another state to read (`knarr.reading.past`), or what a principal
    may see (`knarr.reading.seen`)."""

    def __init__(
        self, catalog: Catalog, index: Followed, embedder: Embedder, cards: Cards | None = None
    ) -> None:
        self.catalog = catalog
        self.index = index
        self.embedder = embedder
        self.cards = Cards(catalog) if cards is None else cards
        self._queries = QueryVectors(embedder)
        self._held = 0

    def followed(self, _connection: object, _news: object) -> None:
        """To be called when the engine has taken up changes (`Index.tell`)."""
        if self.index.documents_seq != self._held:
            self._held = self.index.documents_seq
            self.cards.clear()

    def reading_from(self, index: Followed, cards: Cards) -> ReadContext:
        """A context that reads from another engine and other cards; what was embedded is shared."""
        other = ReadContext(self.catalog, index, self.embedder, cards)
        other._queries = self._queries
        return other

    @property
    def engine(self) -> ReadableEngine:
        """The index that answers."""
        return self.index.engine

    @property
    def edition(self) -> tuple[object, int]:
        """Who sees, and a number that changes with every change of documents that it can see: what is made of all
        documents is kept by both."""
        return self.index, self.index.documents_seq

    def follow(self) -> bool:
        """Apply what the log holds beyond the engine's state; True when there was something."""
        return self.index.follow()

    def sees(self, uri: str) -> bool:
        """Whether a canonical URI may be told of, if anything is there."""
        return True

    def saw(self, connection: sa.Connection, document_id: int, uri: str) -> bool:
        """Whether it may be told that a document stood at a canonical URI."""
        return True

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden."""
        return True

    def episodes(self) -> list[int] | None:
        """The episodes that may be told of, None for all: those whose runs were shown nothing but what may be seen."""
        return None

    def own_abstract(self, uri: str) -> str:
        """The abstract of a folder, made of what a reader sees in it who is not the owner; "" for the owner."""
        return ""

    def own_preview(self, uri: str) -> str:
        """The beginning of that abstract, "" for any other folder."""
        return ""

    def consistently(self, call: Callable[[ReadContext], _T]) -> _T:
        """Repeat a call when engine and catalog were a change apart. See `consistent`."""
        for _ in range(_TRIES):
            seq = self.index.seq
            try:
                return call(self)
            except NotFound:
                self.follow()
                if self.index.seq == seq:
                    raise
        return call(self)

    def info(self, chunk_tokens: int) -> dict[str, Any]:
        """See `KnowledgeBase.info`; `chunk_tokens` is the setting by which new documents are cut."""
        with self.catalog.reading() as connection:
            totals = documents.totals(connection)
            seq = changes.last(connection)
        engine = self.index.engine
        return {
            "path": str(self.catalog.folder),
            **totals,
            "embedder": self.embedder.id,
            "dim": self.embedder.dim,
            "precision": engine.precision,
            "chunk_tokens": chunk_tokens,
            "seq": seq,
            "engine": engine.stats(),
            **self.index.notes(),
        }

    def embed_query(self, query: str) -> npt.NDArray[np.float32]:
        """The unit vector of a query, shape (dim,). Raises InvalidArgument for an empty one and for one
        over the bounds of `bounded_query`, EmbedderError when it cannot be embedded."""
        try:
            return self._queries.of(query)
        except KnarrError:
            raise
        except Exception as error:  # of an embedder of the user's own
            raise EmbedderError(
                f"{self.embedder.id}: {type(error).__name__}: {error}; nothing was searched"
            ) from error


class QueryVectors:
    """The vectors of the queries asked last: one question is searched for several times in a run. How soon an
    answer comes tells whether a query was asked before, so those who may not know of each other share none."""

    def __init__(self, embedder: Embedder, kept: int = _QUERIES_KEPT) -> None:
        self._embedder = embedder
        self._kept = kept
        # By hash, so that an entry takes the same room however long the query.
        self._vectors: OrderedDict[bytes, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: another thread of the parent may have had the lock."""
        self._lock = threading.Lock()

    def of(self, query: str) -> npt.NDArray[np.float32]:
        bounded_query(query, functools.partial(count_tokens, self._embedder.tokenizer))
        query = plain_lines(query)  # in the characters of the texts
        if not query.strip():
            raise InvalidArgument("the query is empty: expected words to search for")
        key = text_key(query)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
                return vector
        vector = np.asarray(self._embedder.embed([query])[0], dtype=np.float32)
        with self._lock:
            self._vectors[key] = vector
            if len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)
        return vector


def consistent(
    tool: Callable[Concatenate[ReadContext, _P], _T],
) -> Callable[Concatenate[ReadContext, _P], _T]:
    """Repeat a tool's call when engine and catalog were a change apart.

    While another thread or process writes, one of the two may name a node that the other does not have yet, or
    no longer has, which shows as NotFound. The engine then follows the log and the call is made again. When
    there was nothing to follow, the node is really missing, and the error stands."""

    @functools.wraps(tool)
    def call(context: ReadContext, /, *args: _P.args, **named: _P.kwargs) -> _T:
        context.catalog.check_open()
        return context.consistently(lambda held: tool(held, *args, **named))

    return call
