"""What the peers that walk a graph have in common: the same graph, so that only the libraries differ."""

from __future__ import annotations

from abc import abstractmethod

from bench.peers.peer import Data, Peer, Rights
from bench.python.library import Scope

LINKS, WIDTH_BUILD = 16, 100
WIDTH, WIDTH_FILTERED = 12, 64  # recall of about 0.98 on 100,000 rows; filters need more


class GraphPeer(Peer):
    exact = False
    batches = True
    most_rows = 200_000

    def __init__(self, data: Data) -> None:
        self._data = data
        self._build(data)

    @abstractmethod
    def _build(self, data: Data) -> None:
        """Put all vectors into a graph of LINKS and WIDTH_BUILD."""

    def _is_everything(self, scope: Scope, rights: Rights | None = None) -> bool:
        return rights is None and scope.end - scope.begin == self._data.library.rows
