"""What the agent needs of a knowledge base, and nothing more, so that tests can bring their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from knarr.config import Settings
from knarr.history.records import DocumentDiff, DocumentHistory
from knarr.reading.as_of import AsOf
from knarr.trace.record import Trace
from knarr.types import Box, Citation, GrepResult, Kind, Listing, Passage, QuoteNow, SearchResult


class Library(Protocol):
    """The four tools, a token counter, and a state: `info()["seq"]` changes with the content."""

    def search(
        self,
        query: str,
        scope: str = ...,
        k: int = ...,
        *,
        kinds: Sequence[Kind] | None = ...,
        offset: int = ...,
        distinct: bool = ...,
        gamma: float | None = ...,
        question: str | None = ...,
    ) -> SearchResult: ...

    def list(self, uri: str = ..., offset: int = ..., limit: int = ...) -> Listing: ...

    def grep(
        self,
        pattern: str,
        scope: str = ...,
        *,
        literal: bool = ...,
        ignore_case: bool = ...,
        limit: int = ...,
        offset: int = ...,
    ) -> GrepResult: ...

    def read(self, uri: str, begin_byte: int = ..., max_tokens: int | None = ...) -> Passage: ...

    def count_tokens(self, text: str) -> int: ...

    def info(self) -> dict[str, Any]: ...


@runtime_checkable
class KeepsTraces(Protocol):
    """A library that stores the record of each run."""

    def store_trace(self, trace: Trace) -> None: ...


@runtime_checkable
class HasSettings(Protocol):
    """A library that was opened with settings: its agents obey them."""

    @property
    def settings(self) -> Settings: ...


@runtime_checkable
class HasExperience(Protocol):
    """A library that has learnt edges: those of questions at least `gamma`-similar are followed."""

    @property
    def gamma(self) -> float: ...


@runtime_checkable
class HasBoxes(Protocol):
    """A library that knows where quotes stand on their pages."""

    def boxes(self, place: Citation) -> tuple[Box, ...]: ...


@runtime_checkable
class ReadsPast(Protocol):
    """A library that can read the past: `as_of` says which state it reads, "" for the present."""

    @property
    def as_of(self) -> str: ...

    def since(self, citations: Sequence[Citation]) -> tuple[QuoteNow, ...]: ...


@runtime_checkable
class HasHistory(Library, Protocol):
    """A library that knows the versions of its documents, and reads them."""

    def versions(self, uri: str) -> DocumentHistory: ...

    def diff(
        self,
        uri: str,
        old: int | None = ...,
        new: int | None = ...,
        *,
        other: str | None = ...,
        limit: int = ...,
    ) -> DocumentDiff: ...

    def at(self, as_of: AsOf | None = ..., scope: str = ...) -> HasHistory: ...


@runtime_checkable
class Outlines(Protocol):
    """A library that lists its documents at once, which spares a call per document. An edition is who sees them
    (libraries of those who see the same have it in common) and a number that changes with the content."""

    @property
    def edition(self) -> tuple[object, int]: ...

    def outlined(self, head_chars: int = ...) -> tuple[tuple[object, int], Iterable[tuple[str, str, str]]]:
        """The edition, and of each of its documents URI, title and first characters, in the order of the
        namespace."""
        ...
