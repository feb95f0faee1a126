"""`Engine`: the native index, for those who bring their own vectors.

    engine = knarr.Engine(384)
    engine.add(uris, vectors, texts)                    # vectors: float32 (n, 384)
    hits = engine.search(query, scope="viking://handbook/loans", k=5)
    for uri, score in zip(hits.uris, hits.scores):
        print(uri, score, engine.read(uri).text)

A URI names an object (a leaf, with a vector and perhaps a text) or a directory. Given as a scope it
means the whole subtree, by path component. Scopes and filters apply before anything is ranked, so
``len(hits) == min(k, rows allowed)``; equal scores are ordered by URI, as strings.

Filters name rows, see `RowFilter`. To a call with a filter nothing else exists: a URI without a row of
the filter raises NotFound as any missing one does (the root is an empty directory then), directories
hold and count the allowed rows only, and texts are joined of them.

Threads: every method may be called from any thread, and releases the GIL while it works. Readers
never wait: each call sees one whole version of the engine. Writers follow one another, and a call
that raises has changed nothing. Arrays passed in must not be written to during the call.

URIs go in with or without a closing slash and percent-encoded or plain; they come out encoded once,
directories with a closing slash. Components are Unicode NFC.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from knarr import _core
from knarr._core import (
    Expanded,
    Expansion,
    Explanation,
    GrepHits,
    GrepMatch,
    Hits,
    KnownEdge,
    ListEntry,
    ListPage,
    RowSet,
    TextSpan,
)
from knarr.arguments import array_of, integer_of, kinds_of, number_of, path_bytes, seconds_of, texts_of
from knarr.errors import InvalidArgument
from knarr.uris import SCHEME, nfc, utf8_text

if TYPE_CHECKING:
    from knarr.types import Kind

__all__ = [
    "Engine",
    "Expanded",
    "Expansion",
    "Explanation",
    "Floats",
    "GrepHits",
    "GrepMatch",
    "Hits",
    "KnownEdge",
    "ListEntry",
    "ListPage",
    "Plan",
    "Precision",
    "RowFilter",
    "RowSet",
    "Rows",
    "TextSpan",
]

Floats = npt.NDArray[np.float32]
Plan = Literal["auto", "exact", "scan", "graph"]
Precision = Literal["float32", "bfloat16", "int8"]

_LONGEST_S = 1e9


class Serializable(Protocol):
    """The method of pyroaring's BitMap and FrozenBitMap that the engine calls."""

    def serialize(self) -> bytes:
        """The set in the portable Roaring format."""
        ...


# Numbers of rows: a pyroaring.BitMap, its portable serialisation, or a bool for each row.
Rows = Serializable | bytes | npt.NDArray[np.bool_]
# Rows that a caller may see. A RowSet, which `Engine.rows` makes, costs a call nothing; the others are read
# by each call. A RowSet with a generation, and rows as (rows, generation), are refused when `Engine.compact`
# has given rows other numbers since.
RowFilter = RowSet | Rows | tuple[Rows, int]


class Engine:
    """An index over objects with a URI, a unit vector of width `dim`, and perhaps a text.

    ``len(engine)`` counts its objects. Rows are never used twice; ``compact``, and ``save`` and
    ``load``, drop those of removed objects, after which rows may have other numbers.

    precision: how vectors are stored: "float32"; "bfloat16", in half the bytes; "int8", in a quarter,
               each number in 255 steps. Exact then means exact over what is stored: a score is the
               cosine of the query and the stored vector. Of the ten best of 14,360 real vectors in
               float32, bfloat16 finds 99.9 % and int8 99.4 %; see bench/README.md.
    graph:     keep a graph of the rows for searches with ``plan="graph"``, see `keep_graph`.
    """

    def __init__(self, dim: int, precision: Precision = "float32", *, graph: bool = False) -> None:
        if (width := integer_of(dim, "dim")) < 1:
            raise InvalidArgument(f"dim: expected at least 1, got {width}")
        self._core = _core.Engine.create(width, utf8_text(precision, "precision"))
        if graph:
            self.keep_graph()

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._core.dim

    @property
    def precision(self) -> Precision:
        """How vectors are stored."""
        return self._core.precision

    @property
    def generation(self) -> int:
        """Grows by one each time that `compact` gives rows other numbers. Begins anywhere: that of another
        engine, or of this one before it was saved and loaded, is another."""
        return self._core.generation

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"Engine(dim={self.dim}, precision={self.precision}, objects={len(self)})"

    # ------------------------------------------------------------------ writing

    def add(
        self,
        uris: Sequence[str],
        vectors: Floats,
        texts: Sequence[str] | None = None,
        kinds: Sequence[Kind] | None = None,
        *,
        document: str | None = None,
        replace: bool = False,
        previews: Sequence[str] | None = None,
    ) -> range:
        """Add objects, all or none; returns their rows: object i has row ``range.start + i``.

        uris:     n URIs of objects; missing directories above them are made
        vectors:  (n, dim) float32, C-contiguous, of any length but zero; stored at length one
        texts:    n texts; those of a document's chunks, joined in the order given, are its text
        kinds:    "chunk" (the default) or "abstract" for each
        document: a URI that all of them lie under. Its text is then one, and `grep` and `read` cross
                  the borders of chunks and sections; without it each run of chunks with one parent
                  directory is such a text
        replace:  what lies under `document` now goes, in the same step; URIs that stay keep their
                  edges, the document its place in its folder, and children take the new order
        previews: a line for each, shown in results; by default the beginning of its text

        Raises AlreadyExists for a URI that is taken, InvalidArgument for a URI that is a directory or
        lies below an object, a vector that is zero or not finite (named by its URI), wrong shapes.
        """
        begin, end = self._core.add(
            [nfc(uri) for uri in texts_of(uris, "uris")],
            array_of(vectors, "vectors"),
            None if texts is None else list(texts_of(texts, "texts")),
            None if kinds is None else list(texts_of(kinds, "kinds")),
            document=None if document is None else nfc(document),
            replace=bool(replace),
            previews=None if previews is None else list(texts_of(previews, "previews")),
        )
        return range(begin, end)

    def remove(self, uri: str) -> int:
        """Remove an object or a subtree from every index; returns how many objects went.

        Directories that are left empty go too. Raises NotFound."""
        return self._core.remove(nfc(uri))

    def move(self, source: str, target: str) -> int:
        """Give an object or a subtree the URI `target`; returns how many objects moved.

        Raises NotFound, AlreadyExists when `target` is taken, InvalidArgument when it lies within
        `source` or below an object."""
        return self._core.move(nfc(source), nfc(target))

    def compact(self, least_share: float = 0.0) -> npt.NDArray[np.uint32] | None:
        """Give back the memory of removed rows, when they are at least this share of all rows (0 to 1).

        Returns the new number of each row (2**32 - 1 for one that is gone), or None when nothing was
        done. Filters made of row numbers before are to be made anew, and rows that `add` returned are
        to be looked up; nothing else that a reader can see changes, and readers go on meanwhile. The
        engine never does this by itself. `generation` grows each time, and a filter that is given as
        ``(rows, generation)`` is refused when it is another's.

        Called with 0.5 now and then, an engine holds at most about twice what its objects need."""
        return self._core.compact(number_of(least_share, "least_share"))

    def add_edges(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        question: str,
        vector: Floats,
        *,
        trace: str = "",
        summary: str = "",
        expires_at: float | None = None,
        audience: int = 0,
    ) -> int:
        """Learn that `question` led from source i to target i; returns how many edges are new.

        vector: (dim,) float32, of the question    trace: names the run, for `remove_edges`
        expires_at: Unix seconds, after which the edges are ignored
        audience: who may follow them, a number below 2**32 - 1 of the caller's; 0 is everybody. Edges of
                  another audience are others, whose trace and question may be the same

        Raises NotFound for an unknown URI."""
        return self._core.add_edges(
            [nfc(uri) for uri in texts_of(sources, "sources")],
            [nfc(uri) for uri in texts_of(targets, "targets")],
            utf8_text(question, "question"),
            array_of(vector, "vector"),
            trace=utf8_text(trace, "trace"),
            summary=utf8_text(summary, "summary"),
            expires_at_s=None if expires_at is None else seconds_of(expires_at, "expires_at"),
            audience=integer_of(audience, "audience"),
        )

    def remove_edges(self, *, trace: str | None = None, uri: str | None = None) -> int:
        """Forget the edges of a trace, or those from or to a URI; returns how many went."""
        if (trace is None) == (uri is None):
            raise InvalidArgument("name either a trace or a uri")
        if trace is not None:
            return self._core.remove_edges_of_trace(utf8_text(trace, "trace"))
        return self._core.remove_edges_of_node(nfc(str(uri)))

    # ------------------------------------------------------------------ reading

    def search(
        self,
        query: Floats,
        scope: str = SCHEME,
        k: int = 10,
        filter: RowFilter | None = None,
        kinds: Kind | Iterable[Kind] | None = None,
        *,
        offset: int = 0,
        expand: bool = False,
        gamma: float = 0.8,
        question: Floats | None = None,
        plan: Plan = "auto",
        recall_target: float = 0.99,
        explain: bool = False,
        audiences: RowSet | Rows | None = None,
    ) -> Hits:
        """The `k` objects of `scope` nearest to `query`, best first, after `offset` better ones.

        query:  (dim,) float32 of any length but zero
        filter: rows that may be seen: a RowSet, a pyroaring.BitMap, its ``serialize()`` bytes, or a bool
                array over the rows (rows beyond its end are not seen). A RowSet is taken as it is. Of the
                same bytes object or FrozenBitMap with one call after the other only the first call costs
                a reading; a BitMap or an array may change in between, so that every call reads it (60 µs
                of random rows among a million): keep a RowSet of what is used again
        kinds:  "chunk", "abstract", or several; None for all
        expand: also follow edges of the hits whose question is at least `gamma`-similar to the
                query, to targets that scope, filter and kinds allow: ``hits.expanded``
        question: (dim,) float32, compared with the edges' questions in place of the query
        plan:   "exact" finds the true k best in every scope. "scan" reads a code of each row and the
                vectors of the few that may be among the best, and finds each of the true k best with
                a probability of at least `recall_target`. "graph" searches the graph of an engine
                that keeps one (HNSW, with ef = 2 k + 20 / (1 - `recall_target`)) and promises no
                recall. While the graph is not ready, and where it allows less than an eighth of its
                rows or has less than 16 ef of them, "auto" answers instead; ``hits.plan`` names the
                plan that ran. "auto" is exact up to 10,000 allowed rows, and beyond them "exact" or
                "scan", whichever costs less. Scores are exact always
        explain: also say what was done, and how long each step took: ``hits.explain``
        audiences: a set of numbers, as for `filter` but without a generation: edges of other audiences are
                not followed, as if there were none. None: all

        Raises NotFound when nothing has the scope's URI, InvalidArgument for k < 1, and for the plan
        "graph" when the engine keeps none."""
        return self._core.search(
            query,
            scope,
            k,
            filter,
            kinds_of(kinds),
            offset,
            expand,
            gamma,
            question,
            plan,
            recall_target,
            explain,
            audiences,
        )

    def search_batch(
        self,
        queries: Floats,
        scope: str = SCHEME,
        k: int = 10,
        filter: RowFilter | None = None,
        kinds: Kind | Iterable[Kind] | None = None,
        *,
        plan: Plan = "auto",
        recall_target: float = 0.99,
        explain: bool = False,
    ) -> builtins.list[Hits]:
        """`search` for each row of `queries`, (n, dim) float32, at less cost than n calls."""
        return self._core.search_batch(
            queries, scope, k, filter, kinds_of(kinds), plan, recall_target, explain
        )

    def expand(
        self,
        seeds: Sequence[str],
        query: Floats,
        scope: str = SCHEME,
        filter: RowFilter | None = None,
        kinds: Kind | Iterable[Kind] | None = None,
        *,
        gamma: float = 0.8,
        limit: int = 100,
        audiences: RowSet | Rows | None = None,
    ) -> Expansion:
        """Targets of the seeds' edges whose question is at least `gamma`-similar to `query`.

        A sequence: each target once, with its most similar question; most similar first, then by URI. The
        filter allows seeds, too, and `audiences` edges, as in `search`. Raises NotFound for a seed."""
        return self._core.expand(
            texts_of(seeds, "seeds"), query, scope, filter, kinds_of(kinds), gamma, limit, audiences
        )

    def edges(self, offset: int = 0, limit: int = 1000) -> builtins.list[KnownEdge]:
        """A page of the edges that the engine holds, expired ones too, in an order of its own."""
        return self._core.edges(offset, limit)

    def list(
        self, uri: str = SCHEME, offset: int = 0, limit: int = 1000, *, filter: RowFilter | None = None
    ) -> ListPage:
        """A page of a directory's children, in order of creation.

        With a filter that allows some of the directory's rows, not all, a call looks at each child.
        Raises NotFound, and InvalidArgument for an object."""
        return self._core.children(uri, offset, limit, filter)

    def grep(
        self,
        pattern: str,
        scope: str = SCHEME,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        filter: RowFilter | None = None,
        kinds: Kind | Iterable[Kind] | None = ("chunk",),
        limit: int = 100,
        offset: int = 0,
        width: int = 200,
        timeout_ms: int = 10_000,
    ) -> GrepHits:
        """Occurrences of a pattern (RE2 syntax, linear time) in the texts of `scope`.

        `^` and `$` are line anchors; `\\w` is a letter, mark, number, connector or joiner of Unicode,
        `\\d` a digit of any script, `\\s` white space, and `\\b` parts words so understood; `[:alpha:]`
        and the other names of POSIX follow them. A match may cross the borders of chunks and sections
        of one document. ``.total`` counts all matches, ``.matches`` shows `limit` of them from `offset`
        on, each with an excerpt of at most `width` bytes. ``.outcome`` tells "matches", "no_matches" and
        "incomplete" (out of time; ``.note`` says what was not searched) apart.

        Raises NotFound for a missing scope, InvalidArgument for a bad or too costly pattern,
        Unsupported for look-around and back-references, and where `\\b`, `\\w` and the like stand beside
        `\\C` or in more than 200 nested groups."""
        return self._core.grep(
            pattern, scope, filter, kinds_of(kinds), literal, ignore_case, limit, offset, width, timeout_ms
        )

    def read(
        self,
        uri: str,
        begin_byte: int = 0,
        max_bytes: int | None = None,
        *,
        filter: RowFilter | None = None,
    ) -> TextSpan:
        """The text of an object, or of all allowed chunks below a directory in row order.

        The piece begins at `begin_byte`, moved back to the nearest beginning of a character, and has
        at most `max_bytes`, but never less than a character before the end; ``.next_offset`` goes on.

        Raises NotFound, and InvalidArgument for an offset beyond the end."""
        return self._core.read(uri, begin_byte, max_bytes, filter)

    def exists(self, uri: str, *, filter: RowFilter | None = None) -> bool:
        """Whether an object or a directory has this URI."""
        return self._core.exists(uri, filter)

    def count(
        self,
        scope: str = SCHEME,
        kinds: Kind | Iterable[Kind] | None = None,
        *,
        filter: RowFilter | None = None,
    ) -> int:
        """How many objects lie in `scope`. Raises NotFound."""
        return self._core.count(scope, kinds_of(kinds), filter)

    def rows(
        self,
        scope: str = SCHEME,
        kinds: Kind | Iterable[Kind] | None = None,
        *,
        filter: RowFilter | None = None,
    ) -> RowSet:
        """The rows of the objects in `scope`, to make filters of.

        Without a filter it costs a look-up of the URI, however many rows there are. The set stays as it is
        when the engine changes; it is the caller's, who may change it. Rows of removed objects in a filter
        allow nothing and do no harm. Raises NotFound."""
        return self._core.rows(scope, kinds_of(kinds), filter)

    def stats(self) -> dict[str, int]:
        """Counts and memory: dim, objects, rows, directories, version, generation, edges, questions,
        text_bytes, graph_rows, and ``*_size_bytes`` of the vectors, their short forms and codes, the
        graph, the texts and grep's index of them, the trie and its row sets, the rows' records,
        the edges, and of those their questions with their vectors."""
        return self._core.stats()

    # ------------------------------------------------------------------ the graph

    def keep_graph(self, on: bool = True) -> None:
        """From now on, or no longer, keep a graph of the rows, built and grown in the background.

        It is an HNSW graph (Malkov and Yashunin, TPAMI 2020) of USearch, built from 20,000 objects on
        by one thread that no other waits for, and takes about 170 bytes for each row. Only searches
        with ``plan="graph"`` use it. None is built of int8 vectors, or of fewer than 64 dimensions.
        Raises Unsupported when this build has none."""
        self._core.keep_graph(bool(on))

    @property
    def keeps_graph(self) -> bool:
        """Whether a graph is kept, ready or not."""
        return self._core.keeps_graph

    @property
    def graph_rows(self) -> int:
        """How many rows are in the graph, those removed since among them; 0 while there is none."""
        return self._core.graph_rows

    def wait_for_graph(self, timeout_s: float) -> bool:
        """Wait until the graph needs no work; False when that takes longer."""
        seconds = min(max(0.0, number_of(timeout_s, "timeout_s")), _LONGEST_S)
        return self._core.wait_for_graph(round(seconds * 1000))

    # ------------------------------------------------------------------ keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, durably, whole or not at all."""
        self._core.save(path_bytes(path))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        precision: Precision | None = None,
        *,
        check_all: bool = False,
        graph: bool = False,
    ) -> Self:
        """Map a saved file. It is validated first: raises Corruption naming what fails, Unsupported
        for a file of another version, StorageError when it cannot be read, and InvalidArgument when
        its vectors have another precision than the one asked for; None takes any. With `graph`, one
        is kept from then on: that of the file, read in the background, or a new one.

        Of a large file's vectors, texts and previews each page is checked when a call first needs it:
        that call raises Corruption when it is damaged, and calls that do not need it go on. `check_all`
        checks them here, too."""
        expected = None if precision is None else utf8_text(precision, "precision")
        engine = cls.__new__(cls)
        engine._core = _core.Engine.load(path_bytes(path), expected, bool(check_all))
        if graph:
            engine.keep_graph()
        return engine
