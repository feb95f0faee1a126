"""What the four tools read from: the catalog, the engine that follows it, the embedder, and caches of them."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from knarr.catalog import Catalog, changes, documents
from knarr.catalog.locks import on_fork
from knarr.engine import Engine
from knarr.errors import EmbedderError, InvalidArgument, KnarrError, NotFound
from knarr.index.index import Index
from knarr.language.characters import plain_lines
from knarr.language.plain import bounded_query, text_key
from knarr.models.embed import Embedder, count_tokens
from knarr.reading.cards import Cards

_QUERIES_KEPT = 1024
_TRIES = 20

_T = TypeVar("_T")
_P = ParamSpec("_P")


class ReadContext:
    """One for each open knowledge base, shared by its parts. Safe to use from several threads."""

    def __init__(self, catalog: Catalog, index: Index, embedder: Embedder) -> None:
        self.catalog = catalog
        self.index = index
        self.embedder = embedder
        self.cards = Cards(catalog)
        self._queries = _QueryVectors(embedder)

    @property
    def engine(self) -> Engine:
        """The index that answers."""
        return self.index.engine

    def follow(self) -> bool:
        """Apply what the log holds beyond the engine's state; True when there was something."""
        held = self.index.documents_seq
        news = self.index.follow()
        if self.index.documents_seq != held:
            self.cards.clear()
        return news

    def info(self, chunk_tokens: int) -> dict[str, Any]:
        """See `KnowledgeBase.info`; `chunk_tokens` is the setting by which new documents are cut."""
        with self.catalog.reading() as connection:
            totals = documents.totals(connection)
            seq = changes.last(connection)
        return {
            "path": str(self.catalog.folder),
            **totals,
            "embedder": self.embedder.id,
            "dim": self.embedder.dim,
            "precision": self.engine.precision,
            "chunk_tokens": chunk_tokens,
            "seq": seq,
            "engine": self.engine.stats(),
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


class _QueryVectors:
    """The vectors of the queries asked last: one question is searched for several times in a run."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
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
            if len(self._vectors) > _QUERIES_KEPT:
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
        for _ in range(_TRIES):
            seq = context.index.seq
            try:
                return tool(context, *args, **named)
            except NotFound:
                context.follow()
                if context.index.seq == seq:
                    raise
        return tool(context, *args, **named)

    return call
