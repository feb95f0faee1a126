"""What was asked to be added or kept in step: its arguments, and how far it came. A bounded number is kept.

All inside a caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from knarr.catalog.schema import jobs

MAX_JOBS = 200
"""Kept; the oldest go first, those that may be resumed last."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """`state` is "running", "done", "failed" or "interrupted"; `process` names the one that runs it."""

    id: int
    kind: str
    arguments: Mapping[str, Any]
    state: str
    counts: Mapping[str, int]
    reason: str
    started_at: str
    ended_at: str
    process: str


def begin(
    connection: sa.Connection, kind: str, arguments: Mapping[str, Any], started_at: str, process: str
) -> int:
    """Note a job that begins; returns its id. Only one at a time changes documents, so that any other that is noted
    as running has lost its process."""
    running = jobs.update().where(jobs.c.state == "running")
    connection.execute(running.values(state="interrupted", reason="its process ended"))
    _forget_oldest(connection)
    values = {"kind": kind, "arguments": dict(arguments), "state": "running", "counts": {}, "reason": ""}
    row = {**values, "started_at": started_at, "ended_at": "", "process": process}
    key = connection.execute(jobs.insert().values(**row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def tell(
    connection: sa.Connection,
    job_id: int,
    counts: Mapping[str, int],
    state: str = "running",
    reason: str = "",
    ended_at: str = "",
) -> None:
    """How far a job came, or how it ended."""
    values = {"counts": dict(counts), "state": state, "reason": reason, "ended_at": ended_at}
    connection.execute(jobs.update().where(jobs.c.id == job_id).values(**values))


def settle(connection: sa.Connection, job_id: int, by: int) -> None:
    """A job was taken up again by a later one, which says from now on how far it came."""
    values = {"state": "done", "reason": f"resumed as job {by}"}
    connection.execute(jobs.update().where(jobs.c.id == job_id).values(**values))


def drop(connection: sa.Connection, job_id: int) -> None:
    """Forget a job."""
    connection.execute(jobs.delete().where(jobs.c.id == job_id))


def all_of(connection: sa.Connection) -> list[JobRecord]:
    """The newest first."""
    return [
        JobRecord(**row._mapping) for row in connection.execute(sa.select(jobs).order_by(jobs.c.id.desc()))
    ]


def _forget_oldest(connection: sa.Connection) -> None:
    order = (sa.case((jobs.c.state == "done", 1), else_=0), jobs.c.id.desc())
    kept = sa.select(jobs.c.id).order_by(*order).limit(MAX_JOBS - 1)
    connection.execute(jobs.delete().where(jobs.c.id.not_in(kept)))
