"""What a peer of the engine must do to be measured beside it, and the peers there are.

A peer is one short file: a class that is built over the same vectors and the same namespace, and
answers for one case (a scope, perhaps with rights) as well as its users could make it. What it can
do before the query comes (indexes over the payload, selectors, row numbers) it does in `prepare`,
which is not timed.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from bench.python.library import Library, Scope

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# In the order they are run: knarr's rivals in exactness first.
NAMES = (
    "numpy", "faiss_flat", "usearch_exact", "sqlite_vec", "lancedb", "openviking", "zvec", "qdrant", "lancedb_index",
    "faiss_hnsw", "hnswlib", "usearch_graph",
)  # fmt: skip


@dataclass(frozen=True)
class Rights:
    """Rows that a caller may see: a random share of all."""

    name: str  # also the name of a field, where a peer keeps rights as one
    mask: Mask


@dataclass(frozen=True)
class Data:
    """What every contender holds: (n, dim) unit vectors, and where each row lies."""

    vectors: Floats
    library: Library
    rights: tuple[Rights, ...]
    folder: Path  # empty, for what a peer writes

    def allowed(self, scope: Scope, rights: Rights | None) -> Rows:
        """The rows of a case, ascending."""
        if rights is None:
            return np.arange(scope.begin, scope.end)
        return np.flatnonzero(rights.mask[scope.begin : scope.end]) + scope.begin

    def places(self, begin: int, end: int) -> dict[str, npt.NDArray[Any]]:
        """For rows [begin, end): the number of each row's folder, document and section."""
        rows = np.arange(begin, end)
        folder = rows // (self.library.rows // 10)
        return {
            "folder": folder,
            "document": rows // self.library.document_rows,
            "section": rows // self.library.chunks,
        }

    def place(self, scope: Scope) -> tuple[str, int] | None:
        """The field of `places` and the number that mean a scope; None for everything."""
        size = scope.end - scope.begin
        if size == self.library.rows:
            return None
        field = "document" if scope.name == "document" else "section" if scope.name == "section" else "folder"
        return field, int(self.places(scope.begin, scope.begin + 1)[field][0])


# (n, dim) queries -> for each its rows, best first.
Search = Callable[[Floats], list[Rows]]


@dataclass(frozen=True)
class Prepared:
    """How a peer answers one case."""

    plan: str  # in words
    search: Search


class Peer(ABC):
    """Built over `data`; raises what its library raises."""

    exact: ClassVar[bool]
    batches: ClassVar[bool] = False  # whether one call answers many queries
    most_rows: ClassVar[int] = 1_000_000  # beyond, building takes more than minutes
    setting: ClassVar[str] = ""  # of an approximate one

    @abstractmethod
    def __init__(self, data: Data) -> None: ...

    @staticmethod
    @abstractmethod
    def version() -> str:
        """Of the library."""

    @abstractmethod
    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared | None:
        """The best this peer has for a case; None when it has nothing."""

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """Let go of files and threads."""


@dataclass
class Found:
    """The peers that could be imported, and why others could not."""

    peers: dict[str, type[Peer]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def find(names: Iterator[str] | tuple[str, ...] = NAMES) -> Found:
    """Import the named peers, each from its own file."""
    found = Found()
    for name in names:
        try:
            found.peers[name] = importlib.import_module(f"bench.peers.{name}").PEER
        except (ImportError, OSError, AttributeError) as error:
            found.skipped[name] = f"{type(error).__name__}: {error}"
    return found


def best_first(scores: Floats, k: int) -> Rows:
    """Positions of the k best scores of a row of scores."""
    k = min(k, len(scores))
    best = np.argpartition(-scores, k - 1)[:k]
    return best[np.argsort(-scores[best], kind="stable")]
