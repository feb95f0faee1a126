"""hnswlib: a graph, with a Python function that is asked whether a row may be in the result.

Its documents advise one thread where there is such a function, which takes the GIL at each call.
"""

from __future__ import annotations

from importlib.metadata import version

import hnswlib
import numpy as np
from bench.peers.graph_peer import LINKS, WIDTH, WIDTH_BUILD, WIDTH_FILTERED, GraphPeer
from bench.peers.peer import Data, Floats, Prepared, Rights, Rows
from bench.python.library import Scope


class Hnswlib(GraphPeer):
    setting = f"M={LINKS}, ef_construction={WIDTH_BUILD}, ef={WIDTH} ({WIDTH_FILTERED} filtered)"

    def _build(self, data: Data) -> None:
        self._index = hnswlib.Index("ip", data.vectors.shape[1])
        self._index.init_index(len(data.vectors), M=LINKS, ef_construction=WIDTH_BUILD)
        self._index.add_items(data.vectors)

    @staticmethod
    def version() -> str:
        return version("hnswlib")

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        if self._is_everything(scope, rights):
            self._index.set_ef(WIDTH)
            return Prepared(
                "graph", lambda queries: list(self._index.knn_query(queries, k)[0].astype(np.int64))
            )
        self._index.set_ef(WIDTH_FILTERED)
        seen = set(self._data.allowed(scope, rights).tolist())
        k = min(k, len(seen))

        def search(queries: Floats) -> list[Rows]:
            try:
                rows, _ = self._index.knn_query(queries, k, num_threads=1, filter=seen.__contains__)
            except RuntimeError:  # it found fewer than k, and gives none
                return [np.zeros(0, np.int64) for _ in queries]
            return list(rows.astype(np.int64))

        return Prepared("graph with a Python filter", search)


PEER = Hnswlib
