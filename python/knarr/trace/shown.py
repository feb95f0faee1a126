"""Which documents a run was shown: those that its trace holds text of.

A search shows passages, a listing shows abstracts, an edge shows the question of another run. The abstract of a folder
is made from those of the first things in it, so of a folder whose abstract was shown the first documents below count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from knarr.catalog import documents, traces
from knarr.catalog.batches import batches
from knarr.catalog.documents import at_or_below, possible_owners
from knarr.catalog.schema import changes
from knarr.catalog.schema import documents as stored
from knarr.trace.record import Trace
from knarr.uris import ABSTRACT_NAME, SCHEME, moved, name_of, parent, without_slash

_MOST_OF_A_FOLDER = 2_000  # documents whose words an abstract of a folder is taken to hold


def shown_documents(connection: sa.Connection, trace: Trace) -> tuple[set[int], str]:
    """The ids of the documents that a run was shown, and the URI of one that was removed meanwhile, "" where all
    still stand. A document that was moved meanwhile is found where it is now."""
    found: set[int] = set()
    owners: dict[str, int] = {}
    for uri in dict.fromkeys(map(without_slash, _uris(trace))):
        held = next((owners[owner] for owner in possible_owners(uri) if owner in owners), None)
        if held is not None:
            found.add(held)
            continue
        numbers, document = _at(connection, uri)
        if document:
            owners[document] = numbers[0]
        elif not numbers:
            change = _last_change(connection, list(possible_owners(uri)))
            if change is not None and change["kind"] == "remove":
                return found, uri
            if change is not None and change["target"] is not None:
                numbers, _ = _at(connection, moved(uri, change["uri"], change["target"]))
        found.update(numbers)
    teachers = {edge.trace for call in trace.calls() for edge in call.edges}
    return found | traces.documents_of(connection, sorted(teachers)), ""


def _uris(trace: Trace) -> Iterator[str]:
    """The URIs of all that a run was shown or cites."""
    yield from trace.versions
    for call in trace.calls():
        yield from call.uris
        yield from (edge.target for edge in call.edges)
    yield from (citation.uri for citation in (*trace.citations, *trace.folded))


def _at(connection: sa.Connection, uri: str) -> tuple[list[int], str]:
    """The document that a URI names or lies in, with its URI; or the first ones below a folder."""
    record = documents.owning(connection, uri)
    if record is not None:
        return [record.id], record.uri
    folder = parent(uri) if name_of(uri) == ABSTRACT_NAME else uri
    if not folder.startswith(SCHEME):
        return [], ""
    below = sa.select(stored.c.id).where(at_or_below(stored.c.uri, folder)).order_by(stored.c.id)
    return list(connection.execute(below.limit(_MOST_OF_A_FOLDER)).scalars()), ""


def _last_change(connection: sa.Connection, owners: Sequence[str]) -> sa.RowMapping | None:
    """The newest removal or move of a place, or of one above it."""
    for part in batches(owners):
        query = sa.select(changes.c.kind, changes.c.uri, changes.c.target).where(
            changes.c.kind.in_(("remove", "move")), changes.c.uri.in_(part)
        )
        row = connection.execute(query.order_by(changes.c.seq.desc()).limit(1)).mappings().first()
        if row is not None:
            return row
    return None
