"""Grep: matches of a pattern in the canonical texts of a scope."""

from __future__ import annotations

import re

from knarr.arguments import checked
from knarr.engine import GrepMatch
from knarr.language.characters import plain_lines
from knarr.language.plain import across_lines, bounded_pattern
from knarr.reading.context import ReadContext, consistent
from knarr.types import GrepResult, Match
from knarr.uris import SCHEME, canonical

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


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
    wanted, as_it_is = _as_texts_are(bounded_pattern(pattern), literal)
    found = context.engine.grep(
        wanted, scope, literal=as_it_is, ignore_case=ignore_case, limit=limit, offset=offset
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


def _as_texts_are(pattern: str, literal: bool) -> tuple[str, bool]:
    """The pattern in the characters of canonical texts, in which a word has one form (see `language.characters`), and
    whether it is literal. A line end may part words of scripts without spaces, so a literal one in such a script
    becomes a regular expression."""
    plain = plain_lines(pattern) or pattern
    if literal:
        escaped = _SPECIAL.sub(r"\\\g<0>", plain)
        wide = across_lines(escaped)
        return (plain, True) if wide == escaped else (wide, False)
    return across_lines(plain), False


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
