"""Qdrant's engine in this process (qdrant-edge-py): a graph, with indexes over the payload for scopes and rights.

Below `full_scan_threshold` it reads the filtered vectors one by one, as its planner decides.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import qdrant_edge as qdrant
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope

LINKS, WIDTH_BUILD = 16, 100
WIDTH, WIDTH_FILTERED = 12, 64  # recall of about 0.98 on 100,000 rows; filters need more
BLOCK = 2000


class Qdrant(Peer):
    exact = False
    batches = True
    most_rows = 200_000
    setting = f"m={LINKS}, ef_construct={WIDTH_BUILD}, hnsw_ef={WIDTH} ({WIDTH_FILTERED} filtered), full_scan_threshold=10000 kB"

    def __init__(self, data: Data) -> None:
        self._data = data
        path = data.folder / "qdrant"
        path.mkdir()
        params = qdrant.EdgeVectorParams(size=data.vectors.shape[1], distance=qdrant.Distance.Dot)
        graph = qdrant.HnswIndexConfig(LINKS, WIDTH_BUILD, full_scan_threshold=10_000)
        one_segment = qdrant.EdgeOptimizersConfig(default_segment_number=1)
        config = qdrant.EdgeConfig(params, hnsw_config=graph, optimizers=one_segment, wal_enabled=False)
        self._shard = qdrant.EdgeShard.create(str(path), config)
        for name in ("folder", "document", "section"):
            self._index(name, qdrant.PayloadSchemaType.Integer)
        for rights in data.rights:
            self._index(rights.name, qdrant.PayloadSchemaType.Integer)
        for begin in range(0, data.library.rows, BLOCK):
            self._add(begin, min(begin + BLOCK, data.library.rows))
        self._shard.optimize()

    def _index(self, name: str, kind: qdrant.PayloadSchemaType) -> None:
        self._shard.update(qdrant.UpdateOperation.create_field_index(name, kind))

    def _add(self, begin: int, end: int) -> None:
        fields = self._data.places(begin, end)
        fields |= {rights.name: rights.mask[begin:end].astype(np.int64) for rights in self._data.rights}
        payloads = [
            dict(zip(fields, row, strict=True))
            for row in zip(*(v.tolist() for v in fields.values()), strict=True)
        ]
        vectors = self._data.vectors[begin:end].tolist()
        points = [
            qdrant.Point(id=begin + i, vector=vector, payload=payload)
            for i, (vector, payload) in enumerate(zip(vectors, payloads, strict=True))
        ]
        self._shard.update(qdrant.UpdateOperation.upsert_points(points))

    @staticmethod
    def version() -> str:
        return version("qdrant-edge-py")

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        place = self._data.place(scope)
        must: list[Any] = (
            [qdrant.FieldCondition(place[0], match=qdrant.MatchValue(place[1]))] if place else []
        )
        must += [qdrant.FieldCondition(rights.name, match=qdrant.MatchValue(1))] if rights else []
        keep = qdrant.Filter(must=must) if must else None
        params = qdrant.SearchParams(hnsw_ef=WIDTH_FILTERED if must else WIDTH)

        def request(query: Floats) -> qdrant.QueryRequest:
            return qdrant.QueryRequest(
                limit=k, query=qdrant.Query.Nearest(query.tolist()), filter=keep, params=params
            )

        def search(queries: Floats) -> list[Rows]:
            batch = qdrant.QueryBatchRequest([request(query) for query in queries])
            return [
                np.array([point.id for point in found], np.int64) for found in self._shard.query_batch(batch)
            ]

        def search_one(queries: Floats) -> list[Rows]:
            if len(queries) > 1:
                return search(queries)
            return [np.array([point.id for point in self._shard.query(request(queries[0]))], np.int64)]

        return Prepared("graph or payload index, as it chooses", search_one)

    def close(self) -> None:
        self._shard.close()


PEER = Qdrant
