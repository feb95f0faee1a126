"""Deleting what is kept of questions and of former texts, so that it is gone from the files too.

A deletion alone leaves the bytes in free pages of the database, in its log, and in snapshots of the engine. `wipe`
writes the database anew without them, empties the log, writes a snapshot in place of all others, and removes what was
set aside. All of it can be repeated: a run that was killed left the former state or the finished one of each step.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypedDict

import sqlalchemy as sa

from knarr.abstracts.folders import refresh
from knarr.catalog import (
    FILE_NAME,
    Catalog,
    changes,
    embedders,
    experience,
    facts,
    lacking,
    traces,
    versions,
)
from knarr.catalog.schema import edges, episodes
from knarr.catalog.schema import traces as stored
from knarr.config import Settings
from knarr.errors import CatalogError, InvalidArgument, NotFound
from knarr.index.index import Index
from knarr.models.embed import Embedder
from knarr.trace.own import asker_of
from knarr.types import Principal
from knarr.uris import SCHEME, canonical

_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*(d|days?|h|hours?|w|weeks?)?", re.IGNORECASE)
_DAYS = {"d": 1.0, "h": 1 / 24, "w": 7.0}
_MOST_DAYS = 365_000.0


class ForgetOptions(TypedDict, total=False):
    """What `kb.forget` deletes.

    traces_older_than:    traces of that age: a timedelta, a number of days, or a text such as "30d", "12h", "4w"
    versions_older_than:  earlier versions of documents that are older than that
    document:             traces that were shown a document, or any below a folder, and its earlier versions
    asker:                traces of somebody's questions: a subject, a Principal that has none, or "" for the owner
    questions:            also what these traces taught: the learnt questions, with their edges
    vectors_of:           the vectors of an embedder that is not bound, by its id
    tenants:              all of it in the bases of the tenants too
    """

    traces_older_than: timedelta | float | str
    versions_older_than: timedelta | float | str
    document: str
    asker: str | Principal
    questions: bool
    vectors_of: str
    tenants: bool


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was deleted, and what the files were and are.

    notes:  what could not be done yet, and what helps; empty where all of it is gone from the files
    """

    traces: int = 0
    questions: int = 0
    edges: int = 0
    versions: int = 0
    vectors: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Base:
    """An open base, or one of its tenants; `follow` has its parts take up what the log holds."""

    catalog: Catalog
    index: Index
    follow: Callable[[], object]


def forget(
    bases: Sequence[Base], embedder: Embedder, settings: Settings, what: ForgetOptions
) -> ForgetReport:
    """See `KnowledgeBase.forget`; in all of these bases, or in none where what is named is in none of them."""
    _check(what)
    found = ForgetReport(bytes_before=sum(size_of(one.catalog.folder) for one in bases))
    with ExitStack() as held:
        for one in bases:
            held.enter_context(one.catalog.exclusive())
        _refuse_missing(bases, what)
        for one in bases:
            # Abstracts of folders that a killed change left may quote what it removed. No embedder is called for them.
            refresh(one.catalog, embedder, settings, embed=False)
            with one.catalog.writing() as connection:
                counts = _delete(connection, what)
                counts["vectors"] += lacking.release_unused(connection)
            one.follow()
            notes = wipe(one)
            counts = {name: n + getattr(found, name) for name, n in counts.items()}
            found = replace(found, **counts, notes=tuple(dict.fromkeys([*found.notes, *notes])))
    return replace(found, bytes_after=sum(size_of(one.catalog.folder) for one in bases))


def size_of(folder: Path) -> int:
    """Bytes of the files of a base, those of its tenants aside."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def age_in_days(age: timedelta | float | str, name: str) -> float:
    """An age as a number of days. Raises InvalidArgument."""
    days = age.total_seconds() / 86_400 if isinstance(age, timedelta) else age
    if isinstance(days, str):
        match = _AGE.fullmatch(days.strip())
        days = float(match[1]) * _DAYS[(match[2] or "d")[0].lower()] if match else -1.0
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days <= _MOST_DAYS:
        raise InvalidArgument(f"{name}: expected an age such as 30d, 12h or 4w, got {age!r}")
    return float(days)


def _check(what: ForgetOptions) -> None:
    """Refuse options that cannot be used before anything is deleted."""
    unknown = set(what) - set(ForgetOptions.__annotations__)
    if unknown:
        known = ", ".join(ForgetOptions.__annotations__)
        raise InvalidArgument(f"{', '.join(sorted(unknown))}: no such option; there are {known}")
    if "traces_older_than" in what:
        age_in_days(what["traces_older_than"], "traces_older_than")
    if "versions_older_than" in what:
        age_in_days(what["versions_older_than"], "versions_older_than")
    if what.get("questions") and not {"traces_older_than", "document", "asker"} & set(what):
        raise InvalidArgument("questions: say whose as well, by traces_older_than, document or asker")


def _delete(connection: sa.Connection, what: ForgetOptions) -> dict[str, int]:
    counts = {"traces": 0, "questions": 0, "edges": 0, "versions": 0, "vectors": 0}
    ids = _documents(connection, what["document"]) if "document" in what else None
    if what.get("questions"):
        learnt = _learnt(connection, what, ids)
        counts["questions"] = len(learnt)
        counts["edges"] = experience.remove(connection, learnt)
    if "traces_older_than" in what:
        days = age_in_days(what["traces_older_than"], "traces_older_than")
        counts["traces"] += traces.prune(connection, traces.days_ago(days))
    if ids is not None:
        counts["traces"] += traces.remove_of(connection, ids)
    if "asker" in what:
        counts["traces"] += traces.delete(connection, _asked_by(what["asker"]))
    counts["versions"] = _prune_versions(connection, what, ids)
    if "vectors_of" in what:
        counts["vectors"] = embedders.forget(connection, what["vectors_of"])
    return counts


def _refuse_missing(bases: Sequence[Base], what: ForgetOptions) -> None:
    """Refuse names that are in none of the bases, before anything is deleted."""
    documented, kept = "document" not in what, "vectors_of" not in what
    for one in bases:
        with one.catalog.reading() as connection:
            documented = documented or bool(_documents(connection, what["document"]))
            kept = kept or _keeps(connection, what["vectors_of"])
    if not documented:
        raise NotFound(f"{what['document']}: no such document or folder; nothing was forgotten")
    if not kept:
        with bases[-1].catalog.reading() as connection:
            bound = embedders.bound(connection)
            known = [
                name
                for name in embedders.models(connection)
                if bound is None or name != embedders.parted(bound)[0]
            ]
        raise NotFound(
            f"{what['vectors_of']}: no vectors of this model are kept; kept beside the bound ones are those of: "
            f"{', '.join(known) or 'none'}"
        )


def _documents(connection: sa.Connection, uri: str) -> list[int]:
    """The documents at and below a URI, those that were removed from there included."""
    return versions.ids_below(connection, canonical(uri))


def _learnt(connection: sa.Connection, what: ForgetOptions, ids: list[int] | None) -> list[str]:
    """The learnt traces that the options name."""
    wanted: list[sa.ColumnElement[bool]] = []
    if "traces_older_than" in what:
        days = age_in_days(what["traces_older_than"], "traces_older_than")
        wanted.append(episodes.c.created_at < traces.days_ago(days))
    if "asker" in what:
        own = sa.select(stored.c.id).where(_asked_by(what["asker"]))
        wanted.append(episodes.c.trace_id.in_(own))
    found = (
        list(connection.execute(sa.select(episodes.c.trace_id).where(sa.or_(*wanted))).scalars())
        if wanted
        else []
    )
    if ids is not None:
        found += traces.shown_any(connection, ids)
        for number in ids:
            ends = sa.or_(edges.c.source_id == number, edges.c.target_id == number)
            query = sa.select(episodes.c.trace_id).join(edges, edges.c.episode_id == episodes.c.id)
            found += connection.execute(query.where(ends).distinct()).scalars()
    return [name for name in dict.fromkeys(found) if experience.knows(connection, name)]


def _asked_by(asker: str | Principal) -> sa.ColumnElement[bool]:
    if asker == "":
        return sa.func.coalesce(stored.c.asker, "") == ""
    return stored.c.asker == asker_of(asker if isinstance(asker, Principal) else Principal(subject=asker))


def _prune_versions(connection: sa.Connection, what: ForgetOptions, ids: list[int] | None) -> int:
    count = 0
    if "versions_older_than" in what:
        days = age_in_days(what["versions_older_than"], "versions_older_than")
        before = datetime.now(UTC) - timedelta(days=days)
        count += versions.prune(connection, before=before).versions
    if ids:
        count += versions.prune(connection, documents=ids).versions
    return count


def _keeps(connection: sa.Connection, model: str) -> bool:
    """Whether vectors of this model are kept. Raises InvalidArgument for the one that is bound."""
    now = embedders.bound(connection)
    if now is not None and embedders.parted(now)[0] == model:
        raise InvalidArgument(
            f"vectors_of: {model} is the embedder of this base; its searches need its vectors"
        )
    return model in embedders.models(connection)


# -- out of the files -------------------------------------------------------------------------------------


def wipe(base: Base) -> tuple[str, ...]:
    """Have what was deleted gone from the files; returns what stands in the way. The writer's lock must be held."""
    catalog = base.catalog
    with catalog.writing() as connection:
        facts.put(connection, facts.WIPED_AT, traces.stamp(datetime.now(UTC)))
        changes.append(connection, changes.WIPE, SCHEME)  # the line of the log that stays names nothing
    base.follow()
    base.index.rewrite()
    for path in catalog.folder.glob("*.damaged"):
        path.unlink(missing_ok=True)
    place = catalog.folder / FILE_NAME
    try:
        with closing(sqlite3.connect(place, timeout=30.0, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.Error as error:
        raise CatalogError(
            f"{place}: what was deleted is still in the file, it could not be written anew ({error}); free some disk, "
            "or wait for other processes, and call `knarr forget` again"
        ) from error
    if busy:
        return (
            f"another process reads an older state, so {FILE_NAME}-wal could not be emptied; call `knarr forget` "
            "again when it has ended",
        )
    return ()
