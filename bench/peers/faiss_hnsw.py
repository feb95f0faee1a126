"""faiss IndexHNSWFlat: a graph, walked with a selector that hides rows from the result."""

from __future__ import annotations

from typing import Any

import faiss as typed_faiss
import numpy as np
from bench.peers.faiss_flat import FaissFlat
from bench.peers.graph_peer import LINKS, WIDTH, WIDTH_BUILD, WIDTH_FILTERED, GraphPeer
from bench.peers.peer import Data, Floats, Prepared, Rights, Rows
from bench.python.library import Scope

faiss: Any = typed_faiss  # its types know neither keywords nor arrays


class FaissHnsw(GraphPeer):
    setting = f"M={LINKS}, efConstruction={WIDTH_BUILD}, efSearch={WIDTH} ({WIDTH_FILTERED} filtered)"

    def _build(self, data: Data) -> None:
        self._index = faiss.IndexHNSWFlat(data.vectors.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
        self._index.hnsw.efConstruction = WIDTH_BUILD
        self._index.add(data.vectors)

    version = FaissFlat.version

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        wide = self._is_everything(scope)
        within = faiss.IDSelectorRange(scope.begin, scope.end)
        plan, selector = ("graph", None) if wide else ("graph with a range", within)
        if rights is not None:
            bitmap = faiss.IDSelectorBitmap(np.packbits(rights.mask, bitorder="little"))
            plan, selector = "graph with a bitmap", bitmap if wide else faiss.IDSelectorAnd(within, bitmap)
        width = WIDTH if selector is None else WIDTH_FILTERED
        params = faiss.SearchParametersHNSW(efSearch=max(width, k), sel=selector)

        def search(queries: Floats) -> list[Rows]:
            _, rows = self._index.search(queries, k, params=params)
            return [found[found >= 0] for found in rows]

        return Prepared(plan, search)


PEER = FaissHnsw
