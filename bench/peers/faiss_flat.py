"""faiss IndexFlatIP: every row of the scope, by a selector of row numbers made before the query comes.

A range selector bounds faiss's loop, and a selector of an array reads its rows only; any other one is asked for
each row.
"""

from __future__ import annotations

from typing import Any

import faiss as typed_faiss
import numpy as np
from bench.peers.peer import Data, Floats, Peer, Prepared, Rights, Rows
from bench.python.library import Scope

faiss: Any = typed_faiss  # its types know neither keywords nor arrays

ARRAY_BELOW = 0.25


class FaissFlat(Peer):
    exact = True
    batches = True

    def __init__(self, data: Data) -> None:
        self._data = data
        self._index = faiss.IndexFlatIP(data.vectors.shape[1])
        self._index.add(data.vectors)

    @staticmethod
    def version() -> str:
        return str(faiss.__version__)

    def prepare(self, scope: Scope, rights: Rights | None, k: int) -> Prepared:
        plan, selector = select(self._data, scope, rights)
        params = faiss.SearchParameters(sel=selector) if selector is not None else None

        def search(queries: Floats) -> list[Rows]:
            _, rows = self._index.search(queries, k, params=params)
            return list(rows)

        return Prepared(f"flat, {plan}", search)


def select(data: Data, scope: Scope, rights: Rights | None) -> tuple[str, Any]:
    """The quickest selector for a case, and its name."""
    within = faiss.IDSelectorRange(scope.begin, scope.end)
    if rights is None:
        return ("all", None) if scope.end - scope.begin == data.library.rows else ("range", within)
    allowed = data.allowed(scope, rights)
    if len(allowed) < ARRAY_BELOW * (scope.end - scope.begin):
        return "array", faiss.IDSelectorArray(allowed)
    bits = np.packbits(rights.mask, bitorder="little")
    return "range and bitmap", faiss.IDSelectorAnd(within, faiss.IDSelectorBitmap(bits))


PEER = FaissFlat
