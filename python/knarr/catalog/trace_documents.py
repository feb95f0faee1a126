"""Which documents each run was shown or told of: on whose rights its record, and what it taught, rest, and with the
first of which its record goes (`traces.remove_of`).

What a run taught may outlive one of its documents. That keeps its line under the negative of its number
(`documents.remove`): nobody but the owner may see what was told of it, also when a later document gets the number again. So
does one that was told from history, after it was removed. `GONE` stands for what is not known, and for more than can be
named: nobody but the owner either. All inside a caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import sqlalchemy as sa

from knarr.catalog.batches import VALUES, batches
from knarr.catalog.documents import at_or_below, owning, possible_owners, uris_of
from knarr.catalog.schema import documents, episodes, placements, trace_documents

GONE = 0
_MOST = 1_000  # documents of the folders of one run

_trace: sa.Column[str] = trace_documents.c.trace_id
_document: sa.Column[int] = trace_documents.c.document_id


def put(connection: sa.Connection, trace_id: str, ids: Iterable[int]) -> None:
    """Note documents of a run, beside those that were noted before."""
    rows = [{"trace_id": trace_id, "document_id": one} for one in set(ids)]
    if rows:
        connection.execute(trace_documents.insert().prefix_with("OR IGNORE", dialect="sqlite"), rows)


def of(connection: sa.Connection, trace_id: str) -> list[int]:
    """The documents of a run, by number."""
    return list(connection.execute(sa.select(_document).where(_trace == trace_id)).scalars())


def of_each(connection: sa.Connection, trace_ids: Sequence[str]) -> dict[str, set[int]]:
    """The documents of runs, by run."""
    found: dict[str, set[int]] = {one: set() for one in trace_ids}
    for part in batches(trace_ids):
        query = sa.select(_trace, _document).where(_trace.in_(part))
        for trace_id, document in connection.execute(query):
            found[trace_id].add(int(document))
    return found


def named_by(connection: sa.Connection, uris: Iterable[str]) -> tuple[set[int], list[str]]:
    """The documents that these canonical URIs name, lie in or hold (a folder stands for all below it, the first of
    which are named where they are many, and `GONE`), and the URIs where nothing is."""
    found: set[int] = set()
    missing: list[str] = []
    held: set[int] = set()
    for uri in sorted(set(uris)):
        owner = owning(connection, uri)
        below = sa.select(documents.c.id).where(at_or_below(documents.c.uri, uri)).order_by(documents.c.id)
        ids = [owner.id] if owner is not None else list(connection.execute(below.limit(_MOST + 1)).scalars())
        (found if owner is not None else held).update(ids)
        if not ids:
            missing.append(uri)
    if len(held) > _MOST:
        held = {*sorted(held)[:_MOST], GONE}
    return found | held, missing


def stood(connection: sa.Connection, uri: str, since: str) -> tuple[set[int], bool]:
    """The documents that a URI named, lay in or held before, as `put` takes them, and whether one of them was removed
    after the time `since`: those that were moved by their numbers, those that were removed earlier by the
    negatives of them."""
    owners = list(islice(possible_owners(uri), VALUES))
    place, of = placements.c.uri, placements.c.document_id
    query = sa.select(of).where(sa.or_(place.in_(owners), at_or_below(place, uri))).distinct()
    known = list(connection.execute(query).scalars())
    there = uris_of(connection, known)
    removed = [number for number in known if number not in there]
    is_new = False
    for part in batches(removed):
        last = sa.select(sa.func.max(placements.c.end_at)).where(of.in_(part))
        is_new = is_new or (connection.execute(last).scalar() or "") > since
    return {*there, *(-number for number in removed)}, is_new


def episodes_of(connection: sa.Connection, trace_ids: Iterable[str] | None = None) -> dict[int, set[int]]:
    """By episode, the documents of its run; of these runs, or of all. None of an episode that an older knarr
    learnt."""
    query = sa.select(episodes.c.id, _document).select_from(
        episodes.outerjoin(trace_documents, episodes.c.trace_id == _trace)
    )
    if trace_ids is not None:
        query = query.where(episodes.c.trace_id.in_(list(trace_ids)))
    found: dict[int, set[int]] = {}
    for episode, document in connection.execute(query):
        found.setdefault(int(episode), set()).update(() if document is None else (int(document),))
    return found


def episodes_below(connection: sa.Connection, uri: str) -> list[str]:
    """The learnt runs that a document at or below a URI was shown to."""
    query = (
        sa.select(episodes.c.trace_id)
        .join(trace_documents, episodes.c.trace_id == _trace)
        .join(documents, documents.c.id == _document)
        .where(at_or_below(documents.c.uri, uri))
    )
    return list(connection.execute(query.distinct()).scalars())
