"""NumPy: a product, a partition, a sort, over the rows of the scope, which it is given for nothing."""

from __future__ import annotations

import numpy as np
from bench.peers.peer import Data, Floats, Mask, Peer, Prepared, Rights, Rows, best_first
from bench.python.library import Scope

GATHER_BELOW = 0.25  # share of allowed rows up to which gathering them beats scoring all


class NumPy(Peer):
    exact = True
    batches = True

    def __init__(self, data: Data) -> None:
        self._data = data

    @staticmethod
    def version() -> str:
        return np.__version__

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        part = self._data.vectors[scope.begin : scope.end]
        allowed = self._data.allowed(scope, rights)
        if rights is None:
            return Prepared("slice", lambda queries: _ranked(part, queries, k, scope.begin))
        if len(allowed) < GATHER_BELOW * len(part):
            vectors = self._data.vectors
            return Prepared(
                "gather", lambda queries: [allowed[rows] for rows in _ranked(vectors[allowed], queries, k, 0)]
            )
        hidden = ~rights.mask[scope.begin : scope.end]
        return Prepared("slice, then mask", lambda queries: _ranked(part, queries, k, scope.begin, hidden))


def _ranked(part: Floats, queries: Floats, k: int, begin: int, hidden: Mask | None = None) -> list[Rows]:
    scores = (part @ queries[0])[None] if len(queries) == 1 else queries @ part.T
    if hidden is not None:
        scores[:, hidden] = -2
    return [best_first(row, k) + begin for row in scores]


PEER = NumPy
