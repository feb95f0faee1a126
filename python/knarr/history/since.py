"""What became of a quote since it was made: does the newest version still say it, and where?"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from knarr.arguments import shown
from knarr.catalog import documents, packed, past
from knarr.catalog.packed import VersionContent
from knarr.catalog.records import DocumentRecord
from knarr.errors import InvalidArgument
from knarr.language.citations import locate
from knarr.reading.context import ReadContext, consistent
from knarr.types import Citation, QuoteNow
from knarr.uris import below, relative, without_slash


@consistent
def since(context: ReadContext, citations: Sequence[Citation]) -> tuple[QuoteNow, ...]:
    """A `QuoteNow` for each citation. Costs a look into the catalog for each, and the reading of each document that has
    changed."""
    if isinstance(citations, (str, bytes)) or not isinstance(citations, Sequence):
        raise InvalidArgument(f"citations: expected a sequence of citations, got {shown(citations)}")
    for one in citations:
        if not isinstance(one, Citation):
            raise InvalidArgument(f"citations: expected citations of an answer, got {shown(one)}")
    contents: dict[int, VersionContent | None] = {}
    found = []
    with context.catalog.reading() as connection:
        for one in citations:
            document = without_slash(one.document)
            now = _now(connection, document, one.version)
            if now is not None and not context.saw(connection, now.id, now.uri):
                now = None
            if one.version == 0:
                found.append(QuoteNow("unknown"))
            elif now is None:
                found.append(QuoteNow("removed"))
            elif (now.version, now.uri) == (one.version, document):
                found.append(QuoteNow("current", now.version, one.uri))
            else:
                if now.id not in contents:
                    contents[now.id] = packed.load(connection, now.id)
                found.append(_looked_up(one, document, now, contents[now.id]))
    return tuple(found)


def _now(connection: sa.Connection, document: str, version: int) -> DocumentRecord | None:
    """The newest version of the document that was quoted, wherever it stands now."""
    cited = past.version_at(connection, document, version) if version else None
    if cited is not None:
        return documents.find_id(connection, cited.document_id)
    # The version is not known any more; what stands at its place is its successor.
    return documents.find(connection, document)


def _looked_up(one: Citation, document: str, now: DocumentRecord, content: VersionContent | None) -> QuoteNow:
    if content is None:
        return QuoteNow("removed")
    data, path = content.text.encode(), relative(without_slash(one.uri), document)
    rows = {row.path: row for row in (*content.sections, *content.objects)}
    place = rows.get(path) if path is not None else None
    if place is not None and locate(one.text, data[place.begin_byte : place.end_byte].decode()) is not None:
        uri = below(now.uri, place.path)
        return QuoteNow("same" if uri == without_slash(one.uri) else "elsewhere", now.version, uri)
    span = locate(one.text, content.text)
    if span is None:
        return QuoteNow("gone", now.version)
    begin = len(content.text[: span[0]].encode())
    chunks = (row for row in content.objects if row.kind == "chunk" and row.end_byte > begin)
    first = next(chunks, None)
    return QuoteNow("elsewhere", now.version, now.uri if first is None else below(now.uri, first.path))
