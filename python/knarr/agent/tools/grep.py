"""Grep: exact words or a regular expression in the text under a URI."""

from __future__ import annotations

from knarr.agent.tools.rendering import fitting, quoted
from knarr.agent.tools.tool import Tool, ToolContext
from knarr.agent.values import Argument, Excerpt, Observation, ToolCall
from knarr.types import GrepResult, Match, Provenance


def _run(context: ToolContext, call: ToolCall, target: str, room_tokens: int) -> Observation:
    """Matches as excerpts, with the total."""
    given = call.checked
    result = context.library.grep(
        given["pattern"],
        target,
        literal=given["literal"],
        ignore_case=given["ignore_case"],
        limit=given["limit"],
        offset=given["offset"] or 0,
    )
    pieces = [context.numbers.numbered(_excerpt(match)) for match in result]
    blocks = [_block(piece, match) for piece, match in zip(pieces, result, strict=True)]
    kept = fitting(blocks, context.library.count_tokens, room_tokens)
    left = result.total - kept
    more = [f"({left} more matches: use offset, or narrow the scope)"] if left > 0 else []
    matches = result.matches[:kept]
    return Observation(
        call,
        "\n".join([_head(result), *blocks[:kept], *more]),
        tuple(dict.fromkeys(match.uri for match in matches)),
        tuple(pieces[:kept]),
        result,
    )


def _head(result: GrepResult) -> str:
    head = f"Grep in {result.scope}: {f'{result.total} matches' if result.total else 'no matches'}"
    return f"{head} (incomplete: {result.note})" if result.outcome == "incomplete" else head


def _block(piece: Excerpt, match: Match) -> str:
    page = f", p. {match.page}" if match.page else ""
    return f"[{piece.number}] {match.uri}:{match.line}{page}\n{quoted(match.excerpt)}"


def _excerpt(match: Match) -> Excerpt:
    pages = (match.page, match.page) if match.page else None
    span = match.excerpt_byte, match.excerpt_byte + len(match.excerpt.encode("utf-8"))
    source = Provenance(match.document, match.version, match.section, (match.line, match.line), pages, span)
    return Excerpt(match.uri, match.excerpt, source, match.excerpt_byte)


def grep_call(pattern: str, scope: str, limit: int) -> ToolCall:
    """A call for at most `limit` matches of a pattern under a URI."""
    return ToolCall(GREP.name, {"pattern": pattern, "scope": scope, "limit": limit})


GREP = Tool(
    name="Grep",
    help="Find exact words or a regular expression (RE2) in the text under a URI.",
    arguments=(
        Argument("pattern", str, "the expression, or plain text with literal", required=True, offered=True),
        Argument("scope", str, "URI to look under; the question's scope when left out", offered=True),
        Argument("literal", bool, "take the pattern as plain text", default=False, offered=True),
        Argument("ignore_case", bool, "treat upper and lower case alike", default=True),
        Argument("limit", int, "how many matches", default=10, least=1, most=100),
        Argument("offset", int, "how many results to skip", offered=True),
    ),
    role="candidate",
    run=_run,
)
