"""USearch's graph. Its Python binding takes no filter: a scope is what is left of ten times as many results."""

from __future__ import annotations

import numpy as np
import usearch
from bench.peers.graph_peer import LINKS, WIDTH_BUILD, GraphPeer
from bench.peers.peer import Data, Floats, Prepared, Rights, Rows
from bench.python.library import Scope
from usearch.index import Index

WIDTH = 64
MORE = 10


class UsearchGraph(GraphPeer):
    setting = f"connectivity={LINKS}, expansion_add={WIDTH_BUILD}, expansion_search={WIDTH}, float32"

    def _build(self, data: Data) -> None:
        self._index = Index(
            ndim=data.vectors.shape[1], metric="ip", dtype="f32", connectivity=LINKS, expansion_add=WIDTH_BUILD,
            expansion_search=WIDTH,
        )  # fmt: skip
        self._index.add(np.arange(len(data.vectors)), data.vectors)

    @staticmethod
    def version() -> str:
        return str(usearch.__version__)

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        if self._is_everything(scope, rights):
            return Prepared("graph", lambda queries: [rows[:k] for rows in self._search(queries, k)])
        seen = np.zeros(self._data.library.rows, np.bool_)
        seen[self._data.allowed(scope, rights)] = True
        return Prepared(
            f"graph, {MORE} k results, then a filter",
            lambda queries: [rows[seen[rows]][:k] for rows in self._search(queries, MORE * k)],
        )

    def _search(self, queries: Floats, k: int) -> list[Rows]:
        matches = self._index.search(queries, k)
        return list(np.atleast_2d(matches.keys).astype(np.int64))


PEER = UsearchGraph
