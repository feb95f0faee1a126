"""Which versions a state of the past is made of; and, where it cannot be told, an error that names what can.

A state is told whole or not at all: where a version that stood in the scope is no longer kept, the call is refused,
since results without it would look like those of a document that had not been there.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.catalog import changes, documents, past
from knarr.catalog.past import Kept
from knarr.catalog.records import Floor, Standing
from knarr.catalog.versions import GAP
from knarr.errors import InvalidArgument, NotFound, NotRetained
from knarr.reading.as_of import Point
from knarr.reading.context import ReadContext
from knarr.uris import SCHEME, lies_in

_NAMED = 8


def select(connection: sa.Connection, point: Point, scope: str, reader: ReadContext) -> list[Standing]:
    """The versions that stood at or below a canonical scope, or around it, and that a reader may see, in the order of
    adding; the others do not exist for it. See `Past.at`."""
    if point.version is not None:
        return [_version(connection, scope, point.version, reader)]
    if point.seq is not None:
        newest = changes.last(connection)
        if point.seq > newest:
            raise InvalidArgument(f"as_of: seq:{point.seq} is still to come, the log ends at seq:{newest}")
    found = past.standing(connection, scope, seq=point.seq, at=point.at)
    found = [one for one in found if reader.saw(connection, one.document_id, one.uri)]
    lost = [one for one in found if one.version == GAP]
    if lost:
        raise NotRetained(_no_longer(connection, point, scope, lost, reader))
    begun = past.begun(connection)
    alone = len(found) == 1 and lies_in(scope, found[0].uri)  # nothing else can have been there
    if _before(point, begun) and not alone and past.first(connection) is not None:
        raise NotRetained(_too_early(connection, point, scope, begun, reader))
    if not found:
        _refuse_nothing(connection, point, scope, reader)
    return found


def kept_in_words(kept: Sequence[Kept]) -> str:
    """The versions that can be read, for a message: "kept are version 2 (from 2026-05-01 10:00:00), …"."""
    listed = [one for one in kept if one.retained]
    if not listed:
        return "no version of it is kept"
    shown = [f"{one.version} (from {short(one.begin_at)})" for one in listed[-_NAMED:]]
    more = f"{len(listed) - _NAMED} earlier ones, " if len(listed) > _NAMED else ""
    ended = listed[-1].end_at
    end = f", which ended {short(ended)}" if ended else ""
    return f"kept {'is version' if len(listed) == 1 else 'are versions'} {more}{', '.join(shown)}{end}"


def short(at: str) -> str:
    """A time of the catalog to the second, in UTC, for a message."""
    return f"{at[:19].replace('T', ' ')} UTC"


def subject(connection: sa.Connection, scope: str, reader: ReadContext) -> tuple[int, str] | None:
    """`past.subject`, when the reader may see it."""
    meant = past.subject(connection, scope)
    return meant if meant is not None and reader.saw(connection, *meant) else None


def told(connection: sa.Connection, document_id: int, reader: ReadContext) -> list[Kept]:
    """The versions of a document that a reader may be told of, oldest first."""
    kept = past.known_versions(connection, document_id)
    return [one for one in kept if reader.saw(connection, document_id, one.uri)]


def _version(connection: sa.Connection, scope: str, version: int, reader: ReadContext) -> Standing:
    found = past.version_at(connection, scope, version)
    if found is not None and not reader.saw(connection, found.document_id, found.uri):
        found = None
    meant = subject(connection, scope, reader)
    if found is None and meant is None:
        if scope == SCHEME or (
            reader.engine.exists(scope) and reader.sees(scope) and documents.is_occupied(connection, scope)
        ):
            raise InvalidArgument(
                f"as_of: {version} is the version of a document, and {scope} is a folder; name a document in it, or "
                "give a time"
            )
        raise NotFound(f"{scope}: no document stands or stood there")
    kept = told(connection, found.document_id if found else meant[0] if meant else 0, reader)
    if found is None or not any(one.version == version and one.retained for one in kept):
        lowest = min((one.version for one in kept), default=0)
        known = "is no longer kept" if version < lowest else "there is none"
        raise NotRetained(
            f"{meant[1] if meant else scope}: version {version}: {known}; {kept_in_words(kept)}"
        )
    return found


def _covers(one: Standing, point: Point) -> bool:
    if point.seq is not None:
        return one.begin_seq <= point.seq and (one.end_seq is None or point.seq < one.end_seq)
    return point.at is not None and one.begin_at <= point.at and (one.end_at is None or point.at < one.end_at)


def _before(point: Point, begun: Floor) -> bool:
    if point.seq is not None:
        return point.seq < begun.seq
    return point.at is not None and point.at < begun.at


def _no_longer(
    connection: sa.Connection, point: Point, scope: str, lost: Sequence[Standing], reader: ReadContext
) -> str:
    one = lost[0]
    kept = kept_in_words(told(connection, one.document_id, reader))
    more = f", nor are those of {len(lost) - 1} other documents" if len(lost) > 1 else ""
    return (
        f"{scope} at {point}: the version of {one.uri} that stood then is no longer kept{more}; of it, {kept}"
    )


def _too_early(connection: sa.Connection, point: Point, scope: str, begun: Floor, reader: ReadContext) -> str:
    meant = subject(connection, scope, reader)
    kept = f"; {kept_in_words(told(connection, meant[0], reader))}" if meant else ""
    return f"{scope} at {point}: history is kept from {short(begun.at)} (seq:{begun.seq}) on{kept}"


def _refuse_nothing(connection: sa.Connection, point: Point, scope: str, reader: ReadContext) -> None:
    """Nothing stood there. That is an empty state for the whole base, if it was there; else it is an error."""
    if not reader.sees_all:
        # When the first document came, and whether this place had any, is not for everybody.
        if scope == SCHEME:
            return
        raise NotRetained(f"{scope} at {point}: nothing stood there then")
    began = past.first(connection)
    if scope == SCHEME and began is not None and (point.at is None or point.at >= began):
        return
    meant = past.subject(connection, scope)
    if meant is not None:
        kept = kept_in_words(past.known_versions(connection, meant[0]))
        there = [one.uri for one in past.placements_of(connection, meant[0]) if _covers(one, point)]
        where = f"stood at {there[0]} then" if there else "did not stand anywhere then"
        raise NotRetained(f"{scope} at {point}: the document {where}; {kept}")
    first = f"; the first document came {short(began)}" if began else "; no document was ever added"
    raise NotRetained(f"{scope} at {point}: nothing stood there then{first}")
