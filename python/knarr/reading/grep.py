"""Grep: matches of a pattern in the canonical texts of a scope."""

from __future__ import annotations

from knarr.arguments import checked
from knarr.engine import GrepMatch
from knarr.language.plain import bounded_pattern
from knarr.reading.context import ReadContext, consistent
from knarr.types import GrepResult, Match
from knarr.uris import SCHEME, canonical


@consistent
@checked
def grep(
    context: ReadContext,
    pattern: str,
    scope: str = SCHEME,
    *,
    literal: bool = False,
    ignore_case: bool = False,
    limit: int = 50,
    offset: int = 0,
) -> GrepResult:
    """See `KnowledgeBase.grep`."""
    scope = canonical(scope)
    bounded_pattern(pattern)
    found = context.engine.grep(
        pattern, scope, literal=literal, ignore_case=ignore_case, limit=limit, offset=offset
    )
    return GrepResult(
        pattern=pattern,
        scope=scope,
        outcome=found.outcome,
        matches=tuple(_match(context, match) for match in found.matches),
        total=found.total,
        next_offset=found.next_offset,
        note=found.note,
    )


def _match(context: ReadContext, match: GrepMatch) -> Match:
    card = context.cards.of(match.document)
    return Match(
        uri=match.uri,
        uris=tuple(match.uris),
        line=match.line,
        column=match.column,
        begin_byte=match.begin_byte,
        end_byte=match.end_byte,
        excerpt=match.excerpt,
        document=card.record.uri,
        section=card.provenance(match.uri).section,
        page=card.page_at(match.begin_byte),
        version=card.record.version,
        excerpt_byte=_excerpt_byte(context, match),
    )


def _excerpt_byte(context: ReadContext, match: GrepMatch) -> int:
    """Where the excerpt begins in the text: at the beginning of the match's line, or, in a long one, somewhere in the
    bytes before the match."""
    line_byte, excerpt = match.begin_byte - match.column + 1, match.excerpt.encode("utf-8")
    if match.column == 1:
        return match.begin_byte
    first = max(line_byte, match.begin_byte - len(excerpt))
    around = context.engine.read(match.document, first, 2 * len(excerpt) + 1)
    at = around.text.encode("utf-8").find(excerpt)
    return around.begin_byte + at if at >= 0 else match.begin_byte
