"""Which documents a run was shown or told of: on whose rights its record and what it taught rest, and with which it goes."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from knarr.catalog import changes, facts, trace_documents
from knarr.errors import InvalidArgument
from knarr.trace.record import Trace
from knarr.types import Verdict
from knarr.uris import ABSTRACT_NAME, canonical, name_of, parent


def shown_documents(connection: sa.Connection, trace: Trace) -> tuple[set[int], str]:
    """The documents that a run was shown or told of, to be noted in the transaction that keeps what it says or taught,
    and the URI of one that was removed since it began, "" where none was. Those that were moved meanwhile are found
    where they are now.

    A folder stands for all that lies in it, since its abstract tells of that. An earlier question that an edge showed
    brings the documents of its own run."""
    ids, missing = trace_documents.named_by(connection, set(_places(trace)))
    gone = ""
    for uri in missing:
        found, is_gone = trace_documents.stood(connection, uri, trace.created_at)
        if is_gone or (not found and _may_be_gone(connection, uri, trace)):
            gone = uri
        ids.update(found or [trace_documents.GONE])
    for earlier in {edge.trace for call in trace.calls() for edge in call.edges}:
        ids.update(trace_documents.of(connection, earlier) or [trace_documents.GONE])
    return ids, gone


def _may_be_gone(connection: sa.Connection, uri: str, trace: Trace) -> bool:
    """Whether a document of which nothing is known any more was removed with its history since a run began."""
    wiped = facts.get(connection, facts.WIPED_AT)
    return changes.was_removed(connection, uri) or (wiped is not None and wiped > trace.created_at)


def _places(trace: Trace) -> Iterator[str]:
    """The canonical URIs of what the run was shown; of an abstract of a folder, the folder."""
    for uri in _named(trace):
        try:
            place = canonical(uri)
            yield parent(place) if name_of(place) == ABSTRACT_NAME else place
        except InvalidArgument:
            continue  # a policy's own text


def _named(trace: Trace) -> Iterator[str]:
    yield from trace.versions
    yield from (uri for uri, _ in trace.resolution.scopes)
    for call in trace.calls():
        yield from call.uris
        yield from (end for edge in call.edges for end in (edge.target, edge.seed))
        if call.tool == "List" and not call.error:
            yield str(call.arguments.get("uri") or trace.scope)
    yield from (citation.uri for citation in (*trace.citations, *trace.folded))
    for verdict in (trace.verdict, *(check.verdict for check in trace.checks)):
        yield from () if verdict is None else _evidence(verdict)


def _evidence(verdict: Verdict) -> Iterator[str]:
    return (uri for constraint in verdict.constraints for uri, _ in constraint.evidence)
