"""LanceDB with a vector index (IVF over scalar-quantised graphs), as its users have it beyond some ten thousand rows."""

from __future__ import annotations

from typing import Any

from bench.peers.lancedb import LanceDb
from bench.peers.peer import Data, Floats

PROBES, REFINE = 20, 5


class LanceDbIndex(LanceDb):
    exact = False
    most_rows = 200_000
    setting = f"IVF_HNSW_SQ, nprobes={PROBES}, refine_factor={REFINE}"
    plan = "partitioned graphs"

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self._table.create_index(vector_column_name="vector", index_type="IVF_HNSW_SQ", metric="l2")

    def _query(self, query: Floats) -> Any:
        return super()._query(query).nprobes(PROBES).refine_factor(REFINE)


PEER = LanceDbIndex
