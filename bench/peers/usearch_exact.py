"""USearch's brute force (`usearch.index.search(..., exact=True)`) over the rows of the scope, given for nothing."""

from __future__ import annotations

import numpy as np
import usearch
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope
from usearch.compiled import MetricKind
from usearch.index import search


class UsearchExact(Peer):
    exact = True
    batches = True

    def __init__(self, data: Data) -> None:
        self._data = data

    @staticmethod
    def version() -> str:
        return str(usearch.__version__)

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        allowed = self._data.allowed(scope, rights)
        vectors = self._data.vectors
        part = vectors[scope.begin : scope.end]

        def found(queries: Floats) -> list[Rows]:
            among = part if rights is None else vectors[allowed]
            matches = search(among, queries, min(k, len(allowed)), MetricKind.IP, exact=True)
            return [allowed[row] for row in np.atleast_2d(matches.keys).astype(np.int64)]

        return Prepared("slice" if rights is None else "gather", found)


PEER = UsearchExact
