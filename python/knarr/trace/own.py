"""The recorded runs of one principal: its own, while it may see all that they were shown."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from knarr.arguments import checked
from knarr.catalog import Catalog, traces
from knarr.rights.keeper import Keeper
from knarr.trace.store import Traces
from knarr.types import Principal

_PAGE = 64


def asker_of(principal: Principal) -> str:
    """Who a principal is, as traces keep it: its subject, and without one its groups and labels."""
    named = (
        [principal.subject] if principal.subject else ["", sorted(principal.groups), sorted(principal.labels)]
    )
    return json.dumps(named, ensure_ascii=False)


class OwnTraces(Traces):
    """As `kb.traces`, where nobody else's runs exist."""

    def __init__(self, catalog: Catalog, keeper: Keeper, principal: Principal) -> None:
        super().__init__(catalog)
        self._keeper = keeper
        self._principal = principal
        self._asker = asker_of(principal)

    @checked
    def list(self, limit: int = 20) -> builtins.list[tuple[str, str, str, str]]:
        newest = self._ids("")[::-1][: max(0, limit)]
        with self._catalog.reading() as connection:
            return traces.named(connection, newest)

    def _record(self, trace_id: str) -> str | None:
        with self._catalog.reading() as connection:
            alike = [name for name, _ in traces.of_asker(connection, self._asker, trace_id)]
        found = self._seen(alike)
        name = trace_id if trace_id in found else found[0] if len(found) == 1 else None
        if name is None:
            return None
        with self._catalog.reading() as connection:
            return traces.get(connection, name)

    def _records(self, since: str | datetime | None, limit: int | None) -> Iterator[str]:
        return self._walked(self._ids(traces.begin(since, limit)), limit)

    def _walked(self, ids: builtins.list[str], limit: int | None) -> Iterator[str]:
        """Each run is looked at again when it is taken: rights may have changed since."""
        records = (self._record(trace_id) for trace_id in ids)
        return islice((record for record in records if record is not None), limit)

    def _ids(self, begin: str) -> builtins.list[str]:
        """The runs, oldest first. It costs a look at each of one's own."""
        with self._catalog.reading() as connection:
            own = [name for name, moment in traces.of_asker(connection, self._asker) if moment >= begin]
        return self._seen(own)

    def _seen(self, own: builtins.list[str]) -> builtins.list[str]:
        seen: set[str] = set()
        for at in range(0, len(own), _PAGE):
            seen |= self._keeper.sees_all(self._principal, own[at : at + _PAGE])
        return [name for name in own if name in seen]
