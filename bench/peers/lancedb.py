"""LanceDB without a vector index (exact), its scopes and rights as columns with scalar indexes, filtered first."""

from __future__ import annotations

from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope


class LanceDb(Peer):
    exact = True
    plan = "flat"

    def __init__(self, data: Data) -> None:
        self._data = data
        places = data.places(0, data.library.rows)
        dim = data.vectors.shape[1]
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(data.vectors.reshape(-1)), dim)
        columns = {"row": pa.array(np.arange(data.library.rows)), "vector": vectors}
        columns |= {name: pa.array(values) for name, values in places.items()}
        columns |= {rights.name: pa.array(rights.mask) for rights in data.rights}
        self._table = lancedb.connect(str(data.folder / "lance")).create_table("chunks", pa.table(columns))
        for name in places:
            self._table.create_scalar_index(name)
        for rights in data.rights:
            self._table.create_scalar_index(rights.name, index_type="BITMAP")

    @staticmethod
    def version() -> str:
        return str(lancedb.__version__)

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        place = self._data.place(scope)
        where = [f"{place[0]} = {place[1]}"] if place else []
        where += [f"{rights.name} = true"] if rights else []
        condition = " AND ".join(where)

        def search(queries: Floats) -> list[Rows]:
            query = self._query(queries[0]).limit(k).select(["row", "_distance"])
            if condition:
                query = query.where(condition, prefilter=True)
            return [query.to_arrow()["row"].to_numpy()]

        return Prepared(self.plan + (", scalar indexes first" if where else ""), search)

    def _query(self, query: Floats) -> Any:
        return self._table.search(query)


PEER = LanceDb
