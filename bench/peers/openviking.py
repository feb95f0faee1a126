"""OpenViking's own index engine, without its server: flat over int8, as its local store makes it, and a path index.

The scope is a path condition on the object's URI. The engine's class is called directly, which spares it
the cost of its Python layers.
"""

from __future__ import annotations

import json
from importlib.metadata import version

import numpy as np
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope
from openviking.storage.vectordb import engine

BLOCK = 10_000


class OpenViking(Peer):
    exact = False
    most_rows = 200_000
    setting = "flat, int8"

    def __init__(self, data: Data) -> None:
        self._data = data
        scalars = [{"FieldName": "uri", "FieldType": "path"}]
        scalars += [{"FieldName": rights.name, "FieldType": "int64"} for rights in data.rights]
        rows = data.library.rows
        vector = {
            "IndexType": "flat", "Dimension": data.vectors.shape[1], "Distance": "ip", "NormalizeVector": True,
            "Quant": "int8", "ElementCount": rows, "MaxElementCount": rows,
        }  # fmt: skip
        config = {
            "VectorIndex": vector,
            "ScalarIndex": scalars,
            "CollectionName": "chunks",
            "UpdateTimeStamp": 1,
        }
        self._engine = engine.IndexEngine(json.dumps(config), True)
        per_block = max(1, BLOCK // data.library.document_rows)
        for first in range(0, data.library.documents, per_block):
            self._add(first, min(first + per_block, data.library.documents))

    def _add(self, first: int, last: int) -> None:
        uris = [uri for number in range(first, last) for uri in self._data.library.chunk_uris(number)]
        requests = []
        for row, uri in enumerate(uris, first * self._data.library.document_rows):
            fields: dict[str, object] = {"uri": _path(uri)}
            fields |= {rights.name: int(rights.mask[row]) for rights in self._data.rights}
            request = engine.AddDataRequest()
            request.label = row
            request.vector = self._data.vectors[row].tolist()
            request.fields_str = json.dumps(fields)
            requests.append(request)
        self._engine.add_data(requests)

    @staticmethod
    def version() -> str:
        return version("openviking")

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        conditions: list[dict[str, object]] = []
        if scope.end - scope.begin < self._data.library.rows:
            conditions.append({"op": "must", "field": "uri", "conds": [_path(scope.uri)], "para": "-d=-1"})
        if rights is not None:
            conditions.append({"op": "must", "field": rights.name, "conds": [1]})
        dsl = {"filter": {"op": "and", "conds": conditions}} if conditions else {}

        def search(queries: Floats) -> list[Rows]:
            request = engine.SearchRequest()
            request.query = queries[0].tolist()
            request.topk = k
            request.dsl = json.dumps(dsl)
            return [np.array(self._engine.search(request).labels, np.int64)]

        return Prepared("flat int8" + (", scalar indexes" if conditions else ""), search)


def _path(uri: str) -> str:
    return "/" + uri.removeprefix("viking://")


PEER = OpenViking
