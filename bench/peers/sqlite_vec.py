"""sqlite-vec: a vec0 table in memory, its scopes and rights as metadata columns. Brute force, by design.

Through apsw, for many builds of Python's own sqlite3 cannot load extensions.
"""

from __future__ import annotations

from importlib.metadata import version

import apsw
import numpy as np
import sqlite_vec
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope


class SqliteVec(Peer):
    exact = True

    def __init__(self, data: Data) -> None:
        self._data = data
        self._db = apsw.Connection(":memory:")
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        fields = ["folder", "document", "section", *(rights.name for rights in data.rights)]
        columns = ", ".join(f"{field} integer" for field in fields)
        dim = data.vectors.shape[1]
        self._db.execute(
            f"create virtual table chunks using vec0("
            f"row integer primary key, vector float[{dim}] distance_metric=cosine, {columns})"
        )
        places = data.places(0, data.library.rows)
        values = [*places.values(), *(rights.mask.astype(np.int64) for rights in data.rights)]
        rows = zip(range(data.library.rows), map(np.ndarray.tobytes, data.vectors), *(v.tolist() for v in values), strict=True)  # fmt: skip
        with self._db:
            self._db.executemany(f"insert into chunks values ({', '.join('?' * (2 + len(fields)))})", rows)

    @staticmethod
    def version() -> str:
        return version("sqlite-vec")

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        place = self._data.place(scope)
        where = [f"{place[0]} = {place[1]}"] if place else []
        where += [f"{rights.name} = 1"] if rights else []
        text = " and ".join(["vector match ?", f"k = {k}", *where])
        statement = f"select row from chunks where {text}"

        def search(queries: Floats) -> list[Rows]:
            found = self._db.execute(statement, (queries[0].tobytes(),)).fetchall()
            return [np.array([row for (row,) in found], np.int64)]

        return Prepared("brute force" + (", metadata columns" if where else ""), search)

    def close(self) -> None:
        self._db.close()


PEER = SqliteVec
