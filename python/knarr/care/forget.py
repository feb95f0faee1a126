"""Deleting what is kept of questions and of former texts, so that it is gone from the files too.

A deletion alone leaves the bytes in free pages of the database, in its log, and in snapshots of the engine. `wipe`
writes the database anew without them, empties the log, writes a snapshot in place of all others, and removes what was
set aside. All of it can be repeated: a run that was killed left the former state or the finished one of each step.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypedDict

import sqlalchemy as sa

from knarr.abstracts.folders import refresh
from knarr.care.bases import versions
from knarr.catalog import FILE_NAME, Catalog, documents, embedders, experience, lacking, traces
from knarr.catalog.schema import edges, episodes
from knarr.catalog.schema import traces as stored
from knarr.config import Settings
from knarr.errors import CatalogError, InvalidArgument, NotFound
from knarr.index.index import Index
from knarr.models.embed import Embedder
from knarr.uris import canonical

_ASKER = "asker"  # the column of `traces` that says who asked, in catalogs that have it
_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*(d|days?|h|hours?|w|weeks?)?", re.IGNORECASE)
_DAYS = {"d": 1.0, "h": 1 / 24, "w": 7.0}
_MOST_DAYS = 365_000.0


class ForgetOptions(TypedDict, total=False):
    """What `kb.forget` deletes.

    traces_older_than:    traces of that age: a timedelta, a number of days, or a text such as "30d", "12h", "4w"
    versions_older_than:  earlier versions of documents that are older than that
    document:             traces that were shown a document, or any below a folder, and its earlier versions
    asker:                traces of this one's questions
    questions:            also what these traces taught: the learnt questions, with their edges
    vectors_of:           the vectors of an embedder that is not bound, by its id
    """

    traces_older_than: timedelta | float | str
    versions_older_than: timedelta | float | str
    document: str
    asker: str
    questions: bool
    vectors_of: str


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


def forget(
    catalog: Catalog,
    index: Index,
    follow: Callable[[], object],
    embedder: Embedder,
    settings: Settings,
    what: ForgetOptions,
) -> ForgetReport:
    """See `KnowledgeBase.forget`."""
    _check(what)
    before = size_of(catalog.folder)
    with catalog.exclusive():
        # Abstracts of folders that a killed change left may quote what it removed. No embedder is called for them.
        refresh(catalog, embedder, settings, embed=False)
        with catalog.writing() as connection:
            counts = _delete(connection, what)
            counts["vectors"] += lacking.release_unused(connection)
        follow()
        notes = wipe(catalog, index)
    return ForgetReport(**counts, bytes_before=before, bytes_after=size_of(catalog.folder), notes=notes)


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
    if "asker" in what and _ASKER not in stored.c:
        raise InvalidArgument("asker: this base does not note who asked; name an age or a document")


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
        own = stored.delete().where(stored.c[_ASKER] == what["asker"])
        counts["traces"] += connection.execute(own).rowcount
    counts["versions"] = _prune_versions(connection, what, ids)
    if "vectors_of" in what:
        counts["vectors"] = _forget_vectors(connection, what["vectors_of"])
    return counts


def _documents(connection: sa.Connection, uri: str) -> list[int]:
    place, module = canonical(uri), versions()
    found = [record.id for record in documents.under(connection, place)]
    if module is not None:  # those that were removed from there as well
        found = list(dict.fromkeys([*found, *module.ids_below(connection, place)]))
    if not found:
        raise NotFound(f"{uri}: no such document or folder; nothing was forgotten")
    return found


def _learnt(connection: sa.Connection, what: ForgetOptions, ids: list[int] | None) -> list[str]:
    """The learnt traces that the options name."""
    wanted: list[sa.ColumnElement[bool]] = []
    if "traces_older_than" in what:
        days = age_in_days(what["traces_older_than"], "traces_older_than")
        wanted.append(episodes.c.created_at < traces.days_ago(days))
    if "asker" in what:
        own = sa.select(stored.c.id).where(stored.c[_ASKER] == what["asker"])
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


def _prune_versions(connection: sa.Connection, what: ForgetOptions, ids: list[int] | None) -> int:
    module = versions()
    before = None
    if "versions_older_than" in what:
        days = age_in_days(what["versions_older_than"], "versions_older_than")
        before = traces.days_ago(days)
    if module is None or (before is None and ids is None):
        if before is not None:
            raise InvalidArgument("versions_older_than: this knarr keeps no earlier versions of documents")
        return 0
    found = module.prune(connection, before=before, documents=ids)
    return int(found.versions)


def _forget_vectors(connection: sa.Connection, model: str) -> int:
    now = embedders.bound(connection)
    if now is not None and embedders.parted(now)[0] == model:
        raise InvalidArgument(
            f"vectors_of: {model} is the embedder of this base; its searches need its vectors"
        )
    known = embedders.models(connection)
    if model not in known:
        others = (
            ", ".join(name for name in known if now is None or name != embedders.parted(now)[0]) or "none"
        )
        raise NotFound(
            f"{model}: no vectors of this model are kept; kept beside the bound ones are those of: {others}"
        )
    return embedders.forget(connection, model)


# -- out of the files -------------------------------------------------------------------------------------


def wipe(catalog: Catalog, index: Index) -> tuple[str, ...]:
    """Have what was deleted gone from the files; returns what stands in the way. The writer's lock must be held."""
    index.rewrite()
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
