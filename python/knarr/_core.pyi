"""
The native core of knarr. Use knarr.Engine.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

__all__: list[str] = [
    "Engine",
    "Expanded",
    "Expansion",
    "Explanation",
    "GrepHits",
    "GrepMatch",
    "Hits",
    "KnownEdge",
    "ListEntry",
    "ListPage",
    "RowSet",
    "TextSpan",
]

class Expanded:
    """
    A target that an edge of a hit leads to, as it was when the call ran.
    """
    @property
    def document(self) -> str:
        """
        URI of its document; "" when it has none.
        """
    @property
    def kind(self) -> typing.Literal["chunk", "abstract"] | None:
        """
        "chunk" or "abstract"; None for a directory.
        """
    @property
    def preview(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def row(self) -> int:
        """
        The target's row; -1 for a directory.
        """
    @property
    def similarity(self) -> float:
        """
        Cosine of the query and the edge's question.
        """
    @property
    def source(self) -> str:
        """
        URI of the seed.
        """
    @property
    def summary(self) -> str: ...
    @property
    def trace(self) -> str: ...
    @property
    def uri(self) -> str: ...

class Expansion:
    """
    Targets that edges lead to, as a sequence of Expanded: the most similar question first, then by URI.
    """
    @typing.overload
    def __getitem__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> Expanded: ...
    @typing.overload
    def __getitem__(self, arg0: slice) -> list[Expanded]: ...
    def __iter__(self) -> collections.abc.Iterator[Expanded]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

class KnownEdge:
    """
    An edge that the engine holds.
    """
    @property
    def audience(self) -> int:
        """
        Who may follow it; 0 for everybody.
        """
    @property
    def expires_at(self) -> int | None:
        """
        Unix seconds; None for never.
        """
    @property
    def question(self) -> str: ...
    @property
    def source(self) -> str:
        """
        URI of the source.
        """
    @property
    def summary(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def trace(self) -> str: ...

class Explanation:
    """
    How a result was found. Times are those of the whole call, which the queries of a batch share.
    """
    def __repr__(self) -> str: ...
    @property
    def plan(self) -> str: ...
    @property
    def plan_us(self) -> float:
        """
        Time to choose the plan.
        """
    @property
    def rerank_us(self) -> float: ...
    @property
    def rows_allowed(self) -> int:
        """
        Rows that scope and filter allow.
        """
    @property
    def rows_reranked(self) -> int:
        """
        Rows whose vector was scored after that.
        """
    @property
    def rows_scanned(self) -> int:
        """
        Rows whose code (plan "scan"), or quantised or full vector ("exact"), was read.
        """
    @property
    def scan_us(self) -> float: ...

class Hits:
    """
    Results of a search, best first, as columns of one length. They describe the engine as it was when the search ran.
    """
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    @property
    def begin_bytes(self) -> list[int]:
        """
        Where each hit's text begins in the text of its document.
        """
    @property
    def documents(self) -> list[str]:
        """
        URI of each hit's document; "" when it has none.
        """
    @property
    def end_bytes(self) -> list[int]: ...
    @property
    def expanded(self) -> Expansion:
        """
        Targets of the hits' edges, most similar question first; empty without expand=True.
        """
    @property
    def explain(self) -> Explanation | None:
        """
        How the result was found; None unless the search was asked to explain.
        """
    @property
    def kinds(self) -> list[typing.Literal["chunk", "abstract"]]:
        """
        "chunk" or "abstract".
        """
    @property
    def line_begins(self) -> list[int]:
        """
        The line, from 1, where each hit's text begins; 0 without a text.
        """
    @property
    def line_ends(self) -> list[int]: ...
    @property
    def plan(self) -> str:
        """
        How the vectors were searched: "exact" or "scan".
        """
    @property
    def previews(self) -> list[str]: ...
    @property
    def rows(self) -> numpy.typing.NDArray[numpy.uint32]:
        """
        uint32 (n,).
        """
    @property
    def rows_allowed(self) -> int:
        """
        How many objects scope and filter allow.
        """
    @property
    def scores(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        Cosines, float32 (n,).
        """
    @property
    def uris(self) -> list[str]: ...

class ListEntry:
    """
    A child of a directory.
    """
    def __repr__(self) -> str: ...
    @property
    def is_directory(self) -> bool: ...
    @property
    def kind(self) -> typing.Literal["chunk", "abstract"] | None:
        """
        "chunk" or "abstract"; None for a directory.
        """
    @property
    def name(self) -> str:
        """
        The decoded name.
        """
    @property
    def preview(self) -> str:
        """
        For a directory the preview of its abstract.
        """
    @property
    def rows(self) -> int:
        """
        Objects at or below it.
        """
    @property
    def uri(self) -> str: ...

class ListPage:
    """
    A page of a directory's children, in order of creation.
    """
    def __len__(self) -> int: ...
    @property
    def entries(self) -> list[ListEntry]: ...
    @property
    def total(self) -> int:
        """
        The number of all children.
        """

class GrepMatch:
    """
    One occurrence of a pattern.
    """
    def __repr__(self) -> str: ...
    @property
    def begin_byte(self) -> int:
        """
        Offset in the document's text.
        """
    @property
    def column(self) -> int:
        """
        Byte in that line, from 1.
        """
    @property
    def document(self) -> str:
        """
        URI of its document; "" when it has none.
        """
    @property
    def end_byte(self) -> int: ...
    @property
    def excerpt(self) -> str:
        """
        At most `width` bytes around it, one line.
        """
    @property
    def line(self) -> int:
        """
        Line in the document's text, from 1.
        """
    @property
    def row(self) -> int:
        """
        Row of `uri`.
        """
    @property
    def uri(self) -> str:
        """
        URI of the object where the match begins.
        """
    @property
    def uris(self) -> list[str]:
        """
        URIs of all objects that the match overlaps.
        """

class GrepHits:
    """
    Matches in document order.
    """
    def __len__(self) -> int: ...
    @property
    def matches(self) -> list[GrepMatch]: ...
    @property
    def next_offset(self) -> int | None:
        """
        Offset of the next match that is not shown; None when all are.
        """
    @property
    def note(self) -> str:
        """
        Why the search is incomplete, and what it did not reach.
        """
    @property
    def outcome(self) -> typing.Literal["matches", "no_matches", "incomplete"]:
        """
        "matches", "no_matches" or "incomplete".
        """
    @property
    def total(self) -> int:
        """
        Number of matches found, shown or not.
        """

class TextSpan:
    """
    A piece of the text that a URI names.
    """
    @property
    def base_byte(self) -> int:
        """
        Where the URI's text begins in its document's; 0 when it spans several texts.
        """
    @property
    def begin_byte(self) -> int:
        """
        Offset in all text that the URI names.
        """
    @property
    def document(self) -> str:
        """
        URI; "" when none, or several.
        """
    @property
    def end_byte(self) -> int: ...
    @property
    def line_begin(self) -> int:
        """
        Line of the first byte, from 1.
        """
    @property
    def line_end(self) -> int:
        """
        Line of the last byte.
        """
    @property
    def next_offset(self) -> int | None:
        """
        Offset at which the text continues; None at the end.
        """
    @property
    def text(self) -> str: ...
    @property
    def total_bytes(self) -> int:
        """
        Size of all text that the URI names.
        """
    @property
    def uris(self) -> list[str]:
        """
        Objects that the piece overlaps.
        """

class RowSet:
    """
    A set of rows that `filter=` takes at no cost. `|=` and `-=` change it in place, at the cost of what they change.
    """
    def __and__(self, arg0: RowSet) -> RowSet: ...
    def __bool__(self) -> bool: ...
    def __contains__(self, row: int) -> bool: ...
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(self, rows: typing.Any = None, generation: int | None = None) -> None:
        """
        rows: a pyroaring.BitMap, its serialize() bytes or a bool array; None for no row. generation: of the engine that numbers them; another's refuses the set.
        """
    def __ior__(self, arg0: RowSet) -> RowSet: ...
    def __isub__(self, arg0: RowSet) -> RowSet: ...
    def __len__(self) -> int: ...
    def __or__(self, arg0: RowSet) -> RowSet: ...
    def __repr__(self) -> str: ...
    def __sub__(self, arg0: RowSet) -> RowSet: ...
    def copy(self) -> RowSet:
        """
        A set of its own, in constant time: the rows are copied when one of the two changes.
        """
    def intersects(self, other: RowSet) -> bool: ...
    def serialize(self) -> bytes:
        """
        The portable Roaring format, which pyroaring.BitMap.deserialize reads.
        """
    @property
    def generation(self) -> int | None:
        """
        None: any engine takes the set.
        """
    @property
    def size_bytes(self) -> int:
        """
        Memory; shared rows are counted in full by each set.
        """

class Engine:
    """
    The native index; see knarr.Engine.
    """
    @staticmethod
    def create(dim: typing.SupportsInt | typing.SupportsIndex, precision: str = "float32") -> Engine: ...
    @staticmethod
    def load(path: bytes, precision: str | None = None, check_all: bool = False) -> Engine: ...
    def __len__(self) -> int: ...
    def add(
        self,
        uris: list[str],
        vectors: numpy.ndarray,
        texts: list[str] | None = None,
        kinds: list[str] | None = None,
        *,
        document: str | None = None,
        replace: bool = False,
        previews: list[str] | None = None,
    ) -> tuple[int, int]: ...
    def add_edges(
        self,
        sources: list[str],
        targets: list[str],
        question: str,
        vector: numpy.ndarray,
        *,
        trace: str = "",
        summary: str = "",
        expires_at_s: typing.SupportsInt | typing.SupportsIndex | None = None,
        audience: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> int: ...
    def children(self, uri: str, offset: int, limit: int, filter: typing.Any) -> ListPage: ...
    def compact(
        self, least_share: typing.SupportsFloat | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.uint32] | None: ...
    def count(self, scope: str, kinds: typing.Any, filter: typing.Any) -> int: ...
    def edges(self, offset: int, limit: int) -> list[KnownEdge]: ...
    def exists(self, uri: str, filter: typing.Any) -> bool: ...
    def expand(
        self,
        seeds: collections.abc.Iterable[str],
        query: numpy.ndarray,
        scope: str,
        filter: typing.Any,
        kinds: typing.Any,
        gamma: float,
        limit: int,
        audiences: typing.Any,
    ) -> Expansion: ...
    def grep(
        self,
        pattern: str,
        scope: str,
        filter: typing.Any,
        kinds: typing.Any,
        literal: bool,
        ignore_case: bool,
        limit: int,
        offset: int,
        width: int,
        timeout_ms: int,
    ) -> GrepHits: ...
    def keep_graph(self, on: bool) -> None: ...
    def move(self, source: str, target: str) -> int: ...
    def read(self, uri: str, begin_byte: int, max_bytes: int | None, filter: typing.Any) -> TextSpan: ...
    def remove(self, uri: str) -> int: ...
    def remove_edges_of_node(self, uri: str) -> int: ...
    def remove_edges_of_trace(self, trace: str) -> int: ...
    def rows(self, scope: str, kinds: typing.Any, filter: typing.Any) -> RowSet: ...
    def save(self, path: bytes) -> None:
        """
        path: as os.fsencode gives it
        """
    def search(
        self,
        query: numpy.ndarray,
        scope: str,
        k: int,
        filter: typing.Any,
        kinds: typing.Any,
        offset: int,
        expand: bool,
        gamma: float,
        question: typing.Any,
        plan: str,
        recall_target: float,
        explain: bool,
        audiences: typing.Any,
    ) -> Hits: ...
    def search_batch(
        self,
        queries: numpy.ndarray,
        scope: str,
        k: int,
        filter: typing.Any,
        kinds: typing.Any,
        plan: str,
        recall_target: float,
        explain: bool,
    ) -> list[Hits]: ...
    def stats(self) -> dict[str, int]: ...
    def wait_for_graph(self, timeout_ms: typing.SupportsInt | typing.SupportsIndex) -> bool: ...
    @property
    def dim(self) -> int: ...
    @property
    def generation(self) -> int: ...
    @property
    def graph_rows(self) -> int: ...
    @property
    def keeps_graph(self) -> bool: ...
    @property
    def precision(self) -> typing.Literal["float32", "bfloat16", "int8"]: ...
