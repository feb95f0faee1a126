"""What was learnt, under control: listed, explained, counted, approved, quarantined, taken back.

A change stands in the catalog before a call returns, and the very next search sees it; another process
sees it after its `refresh`.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa

from knarr.catalog import experience, experience_view
from knarr.errors import InvalidArgument, NotFound
from knarr.experience.types import EdgePage, EdgeRecord, EdgeState
from knarr.reading.read import Reading
from knarr.uris import SCHEME, canonical

if TYPE_CHECKING:
    from knarr.trace.record import Trace

_STATES = ("active", "stale", "pending", "quarantined")


class Control(Reading):
    """See the module. A trace may be named by the beginning of its id where only one begins so."""

    # ------------------------------------------------------------------ looking

    def edges(
        self,
        scope: str = SCHEME,
        offset: int = 0,
        limit: int = 100,
        *,
        trace: str | None = None,
        state: str | None = None,
    ) -> EdgePage:
        """A page of the edges with an end below `scope`, in the order of learning, followed or not.

        state: "active", "stale", "pending" or "quarantined"; expired ones are listed with the active ones.
        Raises NotFound for a trace that was not learnt, InvalidArgument for another state."""
        if offset < 0 or limit < 1:
            raise InvalidArgument(f"expected an offset from 0 and a limit from 1, got {offset} and {limit}")
        if state is not None and state not in _STATES:
            raise InvalidArgument(f"state: expected one of {', '.join(_STATES)}, got {state!r}")
        conditions = [experience_view.touching(canonical(scope))]
        with self._catalog.reading() as connection:
            if trace is not None:
                conditions.append(experience_view.taught_by(_named(connection, trace)))
            if state is not None:
                conditions.append(experience_view.in_state(state))
            rows, total = experience_view.page(connection, conditions, offset, limit)
        end = offset + len(rows)
        return EdgePage(tuple(map(_record, rows)), total, end if end < total else None)

    def explain_edge(self, source: str, target: str) -> tuple[EdgeRecord, ...]:
        """Everything that speaks, or spoke, for an edge: one record for each episode. Raises NotFound."""
        ends = canonical(source), canonical(target)
        with self._catalog.reading() as connection:
            rows, _ = experience_view.page(connection, [experience_view.between(*ends)], 0, 1_000)
        if not rows:
            raise NotFound(f"no edge leads from {ends[0]} to {ends[1]}")
        return tuple(map(_record, rows))

    def experience_stats(self) -> dict[str, Any]:
        """Counts: questions, episodes and edges by state, uses and their outcomes, episodes by batch."""
        with self._catalog.reading() as connection:
            return experience_view.stats(connection)

    # ------------------------------------------------------------------ taking back

    def forget(
        self,
        trace: str | None = None,
        *,
        batch: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> int:
        """Take back what a trace or a batch taught, or what was learnt from `since` (included) to `until`
        (not included); returns how many edges went. What others taught is as it was before.

        Raises InvalidArgument when nothing is named, NotFound for a trace that was not learnt."""
        if trace is None and batch is None and since is None and until is None:
            raise InvalidArgument("nothing to forget was named: give a trace, a batch, since or until")
        with self._catalog.writing() as connection:
            found = experience_view.select(
                connection,
                trace=None if trace is None else _named(connection, trace),
                batch=batch,
                since=None if since is None else moment(since),
                until=None if until is None else moment(until),
            )
            gone = experience.remove(connection, found)
        self._follow()
        return gone

    def quarantine(self, trace: str | None = None, on: bool = True, *, batch: str | None = None) -> int:
        """Stop following what a trace or a batch taught, and keep it for the record; with `on=False`
        follow it again. Returns how many episodes changed. Raises NotFound, InvalidArgument."""
        if on:
            return self._set_state("quarantined", None, trace, batch)
        return self._set_state("active", "quarantined", trace, batch)

    def approve(self, trace: str | None = None, *, batch: str | None = None) -> int:
        """Follow what was recorded for review (`learning="record"`); returns how many episodes changed."""
        return self._set_state("active", "pending", trace, batch)

    def _set_state(self, state: str, only: str | None, trace: str | None, batch: str | None) -> int:
        if (trace is None) == (batch is None):
            raise InvalidArgument("name either a trace or a batch")
        with self._catalog.writing() as connection:
            name = None if trace is None else _named(connection, trace)
            found = experience_view.select(connection, trace=name, batch=batch, state=only)
            if found:
                experience.set_state(connection, found, state)
        self._follow()
        return len(found)

    # ------------------------------------------------------------------ outcomes

    def note_use(self, trace: Trace) -> None:
        """Count what came of the edges that a run followed: shown, cited by its answer, or of no help to
        it. Call it once for each run."""
        outcomes = _outcomes(trace)
        if outcomes:
            with self._catalog.writing() as connection:
                experience_view.count(connection, outcomes)

    def mark(self, trace_id: str, good: bool) -> None:
        """Say whether a run's answer was right.

        A wrong one teaches no more from the very next search on: its episode is quarantined. The episodes
        whose edges it was shown are counted as having helped or failed. Raises NotFound for a trace that is
        neither learnt nor stored."""
        word = "helped" if good else "failed"
        with self._catalog.writing() as connection:
            learnt = experience_view.find(connection, trace_id)
            run = _stored(connection, trace_id if learnt is None else learnt)
            if learnt is None and run is None:
                raise NotFound(f"{trace_id!r}: no trace has this id, or several begin so")
            shown = {} if run is None else _outcomes(run)
            names = [*shown, *([] if learnt is None else [learnt])]
            experience_view.count(connection, {name: {word: 1} for name in names})
            if learnt is not None and not good:
                experience.set_state(connection, [learnt], "quarantined")
        self._follow()


def moment(value: datetime | str) -> str:
    """A time as it is stored, in UTC; without a zone it is taken as UTC. Raises InvalidArgument."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidArgument(
                f"{value!r}: expected a time such as 2026-03-01 or 2026-03-01T12:00:00"
            ) from None
    value = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _named(connection: sa.Connection, trace_id: str) -> str:
    found = experience_view.find(connection, trace_id)
    if found is None:
        raise NotFound(f"{trace_id!r}: no learnt trace has this id, or several begin so")
    return found


def _stored(connection: sa.Connection, trace_id: str) -> Trace | None:
    from knarr.catalog import traces
    from knarr.trace.record import Trace

    record = traces.get(connection, trace_id)
    return None if record is None else Trace.from_json(record)


def _outcomes(trace: Trace) -> dict[str, dict[str, int]]:
    cited = {citation.uri for citation in trace.citations}
    found: dict[str, dict[str, int]] = {}
    for call in trace.calls():
        for edge in call.edges:
            outcome = found.setdefault(edge.trace, {"uses": 1, "helped": 0, "failed": 0})
            outcome["helped"] |= edge.target in cited
            outcome["failed"] |= trace.status != "answered"
    return found


def _record(row: sa.Row[Any]) -> EdgeRecord:
    state = row.edge_state if row.edge_state == "stale" else row.state
    if state == "active" and row.expires_at_s is not None and row.expires_at_s <= time.time():
        state = "expired"
    return EdgeRecord(
        source=row.source,
        target=row.target,
        state=cast(EdgeState, state),
        question=row.question,
        trace=row.trace_id,
        summary=row.summary,
        batch=row.batch,
        created_at=row.created_at,
        expires_at=row.expires_at_s,
        source_version=row.source_version,
        target_version=row.target_version,
        uses=row.uses,
        helped=row.helped,
        failed=row.failed,
        learner=row.learner,
        tenant=row.tenant,
        labels=tuple(row.labels),
    )
