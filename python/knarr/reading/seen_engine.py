"""The engine as a class of principals sees it: every call is held to the rows that it may see.

What has no such row does not exist, to the engine itself, so no caller can forget a check; and what is not among
these methods cannot be called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from knarr.engine import Expansion, Floats, GrepHits, Hits, ListPage, Plan, TextSpan
from knarr.uris import SCHEME

if TYPE_CHECKING:
    from knarr.rights.keeper import Sight
    from knarr.types import Kind


class ReadableEngine(Protocol):
    """What the tools ask of an engine; `knarr.Engine` has it all."""

    def search(
        self,
        query: Floats,
        scope: str = ...,
        k: int = ...,
        *,
        kinds: Kind | Iterable[Kind] | None = ...,
        offset: int = ...,
        expand: bool = ...,
        gamma: float = ...,
        question: Floats | None = ...,
        plan: Plan = ...,
    ) -> Hits: ...

    def expand(
        self,
        seeds: Sequence[str],
        query: Floats,
        scope: str = ...,
        *,
        kinds: Kind | Iterable[Kind] | None = ...,
        gamma: float = ...,
        limit: int = ...,
    ) -> Expansion: ...

    def grep(
        self,
        pattern: str,
        scope: str = ...,
        *,
        literal: bool = ...,
        ignore_case: bool = ...,
        limit: int = ...,
        offset: int = ...,
    ) -> GrepHits: ...

    def list(self, uri: str = ..., offset: int = ..., limit: int = ...) -> ListPage: ...

    def read(self, uri: str, begin_byte: int = ..., max_bytes: int | None = ...) -> TextSpan: ...

    def exists(self, uri: str) -> bool: ...


class SeenEngine:
    """An engine in one sight. See `knarr.Engine` for the calls."""

    def __init__(self, sight: Sight) -> None:
        self._engine = sight.engine
        self._rows = sight.rows
        self._audiences = sight.audiences

    def search(
        self,
        query: Floats,
        scope: str = SCHEME,
        k: int = 10,
        *,
        kinds: Kind | Iterable[Kind] | None = None,
        offset: int = 0,
        expand: bool = False,
        gamma: float = 0.8,
        question: Floats | None = None,
        plan: Plan = "auto",
    ) -> Hits:
        return self._engine.search(
            query,
            scope,
            k,
            self._rows,
            kinds,
            offset=offset,
            expand=expand,
            gamma=gamma,
            question=question,
            plan=plan,
            audiences=self._audiences,
        )

    def expand(
        self,
        seeds: Sequence[str],
        query: Floats,
        scope: str = SCHEME,
        *,
        kinds: Kind | Iterable[Kind] | None = None,
        gamma: float = 0.8,
        limit: int = 100,
    ) -> Expansion:
        return self._engine.expand(
            seeds, query, scope, self._rows, kinds, gamma=gamma, limit=limit, audiences=self._audiences
        )

    def grep(
        self,
        pattern: str,
        scope: str = SCHEME,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 100,
        offset: int = 0,
    ) -> GrepHits:
        return self._engine.grep(
            pattern,
            scope,
            literal=literal,
            ignore_case=ignore_case,
            filter=self._rows,
            limit=limit,
            offset=offset,
        )

    def list(self, uri: str = SCHEME, offset: int = 0, limit: int = 1000) -> ListPage:
        return self._engine.list(uri, offset, limit, filter=self._rows)

    def read(self, uri: str, begin_byte: int = 0, max_bytes: int | None = None) -> TextSpan:
        return self._engine.read(uri, begin_byte, max_bytes, filter=self._rows)

    def exists(self, uri: str) -> bool:
        return self._engine.exists(uri, filter=self._rows)
