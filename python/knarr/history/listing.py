"""The versions of documents, and what differs between two, as functions over the catalog."""

from __future__ import annotations

import sqlalchemy as sa

from knarr.catalog import past
from knarr.catalog.packed import VersionContent
from knarr.catalog.past import Kept
from knarr.errors import CatalogError, InvalidArgument, NotFound, NotRetained
from knarr.history.compare import Comparison
from knarr.history.records import (
    DIFFERENCES,
    ComparedSide,
    DocumentDiff,
    DocumentHistory,
    Version,
    summary_of,
)
from knarr.reading import retained
from knarr.reading.context import ReadContext, consistent
from knarr.reading.retained import kept_in_words
from knarr.uris import canonical


@consistent
def versions_of(context: ReadContext, uri: str) -> DocumentHistory:
    """See `History.versions`."""
    with context.catalog.reading() as connection:
        number, kept, removed = subject(connection, uri, context)
        listed: list[Version] = []
        before: VersionContent | None = None
        for one in kept:
            content = past.content(connection, number, one.version) if one.retained else None
            listed.append(_version(one, content, before, is_first=one is kept[0]))
            before = content
    return DocumentHistory(kept[-1].uri, removed, tuple(listed))


@consistent
def diff_of(
    context: ReadContext,
    uri: str,
    old: int | None = None,
    new: int | None = None,
    *,
    other: str | None = None,
    offset: int = 0,
    limit: int = 50,
    lines: int = 200,
) -> DocumentDiff:
    """See `History.diff`."""
    if offset < 0 or limit < 1 or lines < 0:
        raise InvalidArgument(f"expected offset >= 0, limit >= 1, lines >= 0, got {offset}, {limit}, {lines}")
    with context.catalog.reading() as connection:
        known = [one.version for one in subject(connection, uri, context)[1]]
        if other is None:
            after = _content(connection, uri, known[-1] if new is None else new, context)
            earlier = [one for one in known if one < after[0].version]
            if old is None and not earlier:
                raise NotRetained(
                    f"{canonical(uri)}: version {after[0].version} is the first that is known, there is none before it"
                )
            first = earlier[-1] if old is None else old
        else:
            newest = _newest(connection, other, context)
            after = _content(connection, other, newest if new is None else new, context)
            first = known[-1] if old is None else old
        before = _content(connection, uri, first, context)
    found = Comparison(before[1], after[1])
    page = tuple(found.page(offset, limit, lines))
    end = offset + len(page)
    return DocumentDiff(
        old=before[0],
        new=after[0],
        counts={kind: found.kinds.get(kind, 0) for kind in DIFFERENCES},
        unchanged=found.unchanged,
        differences=page,
        total=found.total,
        next_offset=end if end < found.total else None,
    )


def subject(connection: sa.Connection, uri: str, context: ReadContext) -> tuple[int, list[Kept], bool]:
    """The document that a URI means, those of its versions that may be told of, and whether it is removed. Raises
    NotFound."""
    uri = canonical(uri)
    meant = retained.subject(connection, uri, context)
    kept = retained.told(connection, meant[0], context) if meant is not None else []
    if meant is None or not kept:
        raise NotFound(f"{uri}: no document stands there, and no version of one that did is kept")
    return meant[0], kept, kept[-1].end_at is not None


def _newest(connection: sa.Connection, uri: str, context: ReadContext) -> int:
    return subject(connection, uri, context)[1][-1].version


def _content(
    connection: sa.Connection, uri: str, version: int, context: ReadContext
) -> tuple[ComparedSide, VersionContent]:
    number, kept, _ = subject(connection, uri, context)
    check_kept(uri, kept, version)
    content = past.content(connection, number, version)
    if content is None:
        raise CatalogError(f"{canonical(uri)}: version {version} is missing from the catalog")
    begun = next(one.begin_at for one in kept if one.version == version)
    return ComparedSide(content.record.uri, version, content.record.title, begun), content


def check_kept(uri: str, kept: list[Kept], version: int) -> None:
    if not any(one.version == version and one.retained for one in kept):
        known = "is no longer kept" if 0 < version < kept[0].version else "there is none"
        raise NotRetained(f"{canonical(uri)}: version {version}: {known}; {kept_in_words(kept)}")


def _version(
    one: Kept, content: VersionContent | None, before: VersionContent | None, *, is_first: bool
) -> Version:
    if content is None:
        return Version(one.version, one.begin_at, one.end_at, one.uri, False)
    record = content.record
    if before is not None:
        found = Comparison(before, content)
        change = summary_of(found.kinds)
    else:
        change = "first version" if one.version == 1 else "the version before is not kept"
    return Version(
        version=one.version,
        begin_at=one.begin_at,
        end_at=one.end_at,
        uri=one.uri,
        retained=True,
        title=record.title,
        status=record.status,
        content_hash=record.content_hash,
        size_bytes=record.size_bytes,
        text_bytes=len(content.text.encode()),
        sections=len(content.sections),
        chunks=sum(row.kind == "chunk" for row in content.objects),
        change=change if is_first or before is not None else "the version before is not kept",
    )
