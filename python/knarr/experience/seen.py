"""What a principal may know of experience: the edges of runs that were shown nothing but what it may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knarr.experience.experience import Experience
from knarr.experience.types import EdgePage, EdgeRecord
from knarr.uris import SCHEME


class SeenExperience:
    """As `kb.experience`, which it is given over what the principal may see. Who learnt an edge, in which batch, and
    how often others used it is the owner's to know."""

    def __init__(self, experience: Experience) -> None:
        self._experience = experience

    @property
    def gamma(self) -> float:
        """See `Experience.gamma`."""
        return self._experience.gamma

    def edges(
        self,
        scope: str = SCHEME,
        offset: int = 0,
        limit: int = 100,
        *,
        trace: str | None = None,
        state: str | None = None,
    ) -> EdgePage:
        """See `Experience.edges`."""
        page = self._experience.edges(scope, offset, limit, trace=trace, state=state)
        return replace(page, edges=tuple(map(_without_others, page.edges)))

    def explain(self, source: str, target: str) -> tuple[EdgeRecord, ...]:
        """See `Experience.explain`."""
        return tuple(map(_without_others, self._experience.explain(source, target)))

    def stats(self) -> Mapping[str, Any]:
        """See `Experience.stats`, without uses and batches."""
        counts = self._experience.stats()
        return {name: counts[name] for name in ("questions", "episodes", "edges")}


def _without_others(record: EdgeRecord) -> EdgeRecord:
    return replace(record, batch="", uses=0, helped=0, failed=0, learner="", tenant="", labels=())
