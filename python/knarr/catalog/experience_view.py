"""Pages and counts of learnt edges and of their use; inside a caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from knarr.catalog.documents import at_or_below
from knarr.catalog.schema import documents, edges, episodes

COUNTERS = ("uses", "helped", "failed")
_a, _b = documents.alias("a"), documents.alias("b")
_source = _a.c.uri + "/" + edges.c.source_path
_target = _b.c.uri + "/" + edges.c.target_path


def among(ids: Sequence[int] | None) -> sa.ColumnElement[bool]:
    """The condition that an episode is one of these; None stands for all."""
    if ids is None:
        return sa.true()
    listed = sa.func.json_each(json.dumps(list(ids))).table_valued("value")
    return episodes.c.id.in_(sa.select(listed.c.value))


def find(connection: sa.Connection, trace_id: str, ids: Sequence[int] | None = None) -> str | None:
    """The learnt trace of this id, or the only one whose id begins so, among episodes."""
    query = sa.select(episodes.c.trace_id).where(
        episodes.c.trace_id.startswith(trace_id, autoescape=True), among(ids)
    )
    found = list(connection.execute(query.limit(2)).scalars())
    if trace_id in found or connection.execute(query.where(episodes.c.trace_id == trace_id)).first():
        return trace_id
    return str(found[0]) if len(found) == 1 else None


def select(
    connection: sa.Connection,
    *,
    trace: str | None = None,
    batch: str | None = None,
    since: str | None = None,
    until: str | None = None,
    state: str | None = None,
) -> list[str]:
    """Learnt traces, in the order of learning: of one id, one batch, one state, or learnt in [since, until)."""
    query = sa.select(episodes.c.trace_id).order_by(episodes.c.id)
    if trace is not None:
        query = query.where(episodes.c.trace_id == trace)
    if batch is not None:
        query = query.where(episodes.c.batch == batch)
    if since is not None:
        query = query.where(episodes.c.created_at >= since)
    if until is not None:
        query = query.where(episodes.c.created_at < until)
    if state is not None:
        query = query.where(episodes.c.state == state)
    return list(connection.execute(query).scalars())


def page(
    connection: sa.Connection,
    conditions: Iterable[sa.ColumnElement[bool]],
    offset: int,
    limit: int,
) -> tuple[list[sa.Row[Any]], int]:
    """Edges with their episodes, in the order of learning, then by URIs; and how many there are."""
    joined = (
        edges.join(episodes, episodes.c.id == edges.c.episode_id)
        .join(_a, _a.c.id == edges.c.source_id)
        .join(_b, _b.c.id == edges.c.target_id)
    )
    wanted = list(conditions)
    query = sa.select(
        _source.label("source"),
        _target.label("target"),
        edges.c.state.label("edge_state"),
        edges.c.source_version,
        edges.c.target_version,
        episodes,
    )
    query = query.select_from(joined).where(*wanted).order_by(episodes.c.id, _source, _target)
    total = connection.execute(sa.select(sa.func.count()).select_from(joined).where(*wanted)).scalar_one()
    return list(connection.execute(query.offset(offset).limit(limit))), int(total)


def touching(scope: str) -> sa.ColumnElement[bool]:
    """One end of the edge lies in the scope."""
    return sa.or_(at_or_below(_source, scope), at_or_below(_target, scope))


def between(source: str, target: str) -> sa.ColumnElement[bool]:
    return sa.and_(_source == source, _target == target)


def taught_by(trace_id: str) -> sa.ColumnElement[bool]:
    return episodes.c.trace_id == trace_id


def in_state(state: str) -> sa.ColumnElement[bool]:
    """Edges of this state: "stale" of the edge, "pending" and "quarantined" of its episode, "active" of both."""
    if state == "stale":
        return edges.c.state == "stale"
    of_episode = episodes.c.state == state
    return sa.and_(of_episode, edges.c.state == "active") if state == "active" else of_episode


def count(connection: sa.Connection, outcomes: Mapping[str, Mapping[str, int]]) -> None:
    """Add to the counters (`COUNTERS`) of episodes, by trace; unknown ones are passed over."""
    for trace_id, more in outcomes.items():
        values = {name: episodes.c[name] + more[name] for name in COUNTERS if more.get(name)}
        if values:
            connection.execute(episodes.update().where(episodes.c.trace_id == trace_id).values(**values))


def stats(connection: sa.Connection, ids: Sequence[int] | None = None) -> dict[str, Any]:
    """Counts of these episodes, or of all: episodes and edges by state, questions asked, outcomes, edges by batch."""
    by_state = sa.select(episodes.c.state, sa.func.count()).where(among(ids)).group_by(episodes.c.state)
    edge_state = sa.case((edges.c.state == "stale", "stale"), else_=episodes.c.state)
    of_edges = (
        sa.select(edge_state, sa.func.count())
        .select_from(edges.join(episodes, episodes.c.id == edges.c.episode_id))
        .where(among(ids))
        .group_by(edge_state)
    )
    batches = (
        sa.select(episodes.c.batch, sa.func.count(sa.distinct(episodes.c.id)))
        .where(episodes.c.batch != "", among(ids))
        .group_by(episodes.c.batch)
    )
    sums = connection.execute(
        sa.select(*(sa.func.coalesce(sa.func.sum(episodes.c[name]), 0) for name in COUNTERS)).where(
            among(ids)
        )
    ).one()
    questions = sa.select(sa.func.count(sa.distinct(episodes.c.question))).where(among(ids))
    return {
        "questions": int(connection.execute(questions).scalar_one()),
        "episodes": {str(state): int(n) for state, n in connection.execute(by_state)},
        "edges": {str(state): int(n) for state, n in connection.execute(of_edges)},
        **dict(zip(COUNTERS, map(int, sums), strict=True)),
        "batches": {str(batch): int(n) for batch, n in connection.execute(batches)},
    }
