"""zvec: a graph, with inverted indexes over scopes and rights; few allowed rows are read one by one, as it chooses."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import zvec
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope

LINKS, WIDTH_BUILD = 16, 100
WIDTH, WIDTH_FILTERED = 12, 64  # recall of about 0.98 on 100,000 rows; filters need more
BLOCK = 1000


class Zvec(Peer):
    exact = False
    most_rows = 200_000
    setting = f"m={LINKS}, ef_construction={WIDTH_BUILD}, ef={WIDTH} ({WIDTH_FILTERED} filtered)"

    def __init__(self, data: Data) -> None:
        self._data = data
        names = ["folder", "document", "section", *(rights.name for rights in data.rights)]
        inverted = zvec.InvertIndexParam()
        schema = zvec.CollectionSchema(
            name="chunks",
            fields=[zvec.FieldSchema(name, zvec.DataType.INT64, index_param=inverted) for name in names],
            vectors=zvec.VectorSchema(
                "vector",
                zvec.DataType.VECTOR_FP32,
                data.vectors.shape[1],
                index_param=zvec.HnswIndexParam(zvec.MetricType.IP, m=LINKS, ef_construction=WIDTH_BUILD),
            ),
        )
        self._collection = zvec.create_and_open(path=str(data.folder / "zvec"), schema=schema)
        for begin in range(0, data.library.rows, BLOCK):
            self._add(begin, min(begin + BLOCK, data.library.rows))
        self._collection.optimize()

    def _add(self, begin: int, end: int) -> None:
        fields = self._data.places(begin, end)
        fields |= {rights.name: rights.mask[begin:end].astype(np.int64) for rights in self._data.rights}
        values = list(zip(*(v.tolist() for v in fields.values()), strict=True))
        vectors = self._data.vectors[begin:end]
        self._collection.insert(
            [
                zvec.Doc(
                    id=str(begin + i), vectors={"vector": vector}, fields=dict(zip(fields, row, strict=True))
                )
                for i, (vector, row) in enumerate(zip(vectors, values, strict=True))
            ]
        )

    @staticmethod
    def version() -> str:
        return version("zvec")

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        place = self._data.place(scope)
        where = [f"{place[0]} = {place[1]}"] if place else []
        where += [f"{rights.name} = 1"] if rights else []
        condition = " and ".join(where) or None
        params = zvec.HnswQueryParam(ef=WIDTH_FILTERED if condition else WIDTH)

        def search(queries: Floats) -> list[Rows]:
            query = zvec.Query("vector", vector=queries[0], param=params)
            found = self._collection.query(query, topk=k, filter=condition, output_fields=[])
            return [np.array([int(doc.id) for doc in found], np.int64)]

        return Prepared("graph or inverted index, as it chooses", search)

    def close(self) -> None:
        self._collection.destroy()


PEER = Zvec
