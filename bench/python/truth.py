"""What the true best rows of a case are, and the share of them that a contender found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bench.peers.peer import Data, Floats, Rights, Rows
from bench.python.library import Scope

SLACK = 1e-5  # equal scores may stand in for each other; far more than float32 loses


class Truth:
    """The score of the k-th best allowed row for each query of one case."""

    def __init__(self, data: Data, queries: Floats, scope: Scope, rights: Rights | None, k: int) -> None:
        self._vectors, self._queries = data.vectors, queries
        self._allowed = np.zeros(data.library.rows, np.bool_)
        self._allowed[data.allowed(scope, rights)] = True
        self.rows_allowed = int(self._allowed.sum())
        self.wanted = min(k, self.rows_allowed)
        hidden = ~self._allowed[scope.begin : scope.end]
        self._bounds = []
        for query in queries:
            scores = data.vectors[scope.begin : scope.end] @ query
            scores[hidden] = -2
            at = len(scores) - self.wanted
            self._bounds.append(float(np.partition(scores, at)[at]) - SLACK)

    def recall(self, found: Sequence[Rows]) -> float:
        """The mean share for the first queries, of which `found` has one array of rows each."""
        shares = [self._share(number, np.unique(rows)) for number, rows in enumerate(found)]
        return sum(shares) / len(shares)

    def _share(self, number: int, rows: Rows) -> float:
        rows = rows[(rows >= 0) & (rows < len(self._allowed))]
        rows = rows[self._allowed[rows]]
        scores = self._vectors[rows] @ self._queries[number]
        return int((scores >= self._bounds[number]).sum()) / self.wanted
