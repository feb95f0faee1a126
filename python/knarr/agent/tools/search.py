"""Search: passages found by meaning, the best of them shown.

Where an edge of experience led to a piece, a line that begins with "? " shows the earlier question and how
alike it is. Like quoted text that line is not ours, and it is never evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from knarr.agent.numbers import without_numbers
from knarr.agent.tools.rendering import place, quoted
from knarr.agent.tools.tool import Tool, ToolContext
from knarr.agent.values import Argument, Excerpt, Observation, ToolCall
from knarr.language.plain import one_line, shortened
from knarr.trace.record import EdgeUse
from knarr.types import SearchResult
from knarr.uris import as_directory

_QUESTION_CHARS = 120  # shown of an earlier question


def _run(context: ToolContext, call: ToolCall, target: str, room_tokens: int) -> Observation:
    given = call.checked
    result, shown, left = context.focus.search(
        given["query"],
        target,
        given["k"],
        min(room_tokens, given["max_tokens"]),
        also=given["also"],
        seen=context.seen,
        recall=context.recall,
    )
    return _rendered(call, result, [context.numbers.numbered(piece) for piece in shown], left)


def _rendered(
    call: ToolCall, result: SearchResult, shown: Sequence[Excerpt], left: tuple[float, ...]
) -> Observation:
    """The passages that fit the query best; they were chosen to fit the room. A document with several is named
    once, and its objects by their paths under it."""
    by_document: dict[str, list[Excerpt]] = {}
    for piece in shown:
        by_document.setdefault(as_directory(piece.source.document), []).append(piece)
    found = f"{len(result)} of {result.rows_allowed} objects" if len(result) else "nothing there"
    lines, ordered, edges = [f"Search in {result.scope}: {found}"], list[Excerpt](), _EdgeNotes(result)
    for document, group in by_document.items():
        several = len(group) > 1
        if several:
            lines.append(f"under {document}")
        for piece in group:
            ordered.append(piece)
            name = piece.uri.removeprefix(document) if several else piece.uri
            text = quoted(piece.text) + edges.line(piece.uri)
            lines.append(f"[{piece.number}] {name} ({place(piece.source)})\n{text}")
    uris = tuple(dict.fromkeys(piece.uri for piece in ordered))
    return Observation(
        call, "\n".join(lines), uris, tuple(ordered), result, edges=edges.used(uris), left=left
    )


class _EdgeNotes:
    """The earlier questions of the edges, each shown in full once."""

    def __init__(self, result: SearchResult) -> None:
        self._edges = {edge.uri: edge for edge in result.edges}
        self._shown: set[str] = set()

    def line(self, uri: str) -> str:
        """The line below an object that an edge leads to; "" below others, and the second time."""
        edge = self._edges.get(uri)
        if edge is None or uri in self._shown:
            return ""
        question = without_numbers(one_line(edge.question))
        text = "as above" if question in self._shown else shortened(question, _QUESTION_CHARS)
        self._shown |= {uri, question}
        return f"\n? asked before, {edge.similarity:.2f} alike: {text}"

    def used(self, uris: Sequence[str]) -> tuple[EdgeUse, ...]:
        """The edges that led to these objects."""
        edges = [self._edges[uri] for uri in uris if uri in self._edges]
        return tuple(EdgeUse(one.uri, one.seed, one.similarity, one.question, one.trace) for one in edges)


def search_call(query: str, scope: str, k: int, max_tokens: int, also: str = "") -> ToolCall:
    """A call that shows at most `max_tokens` tokens of at most `k` objects under a URI. `also` says the same
    need in other words; it is left out where it says nothing new."""
    more = {"also": also} if also and also != query else {}
    return ToolCall(SEARCH.name, {"query": query, "scope": scope, "k": k, "max_tokens": max_tokens, **more})


SEARCH = Tool(
    name="Search",
    help="Find passages by meaning. Shows the best of them with their URIs.",
    arguments=(
        Argument("query", str, "what to look for, in plain words", required=True, offered=True),
        Argument("also", str, "the same need in other words, searched beside the query"),
        Argument("scope", str, "URI to look under; the question's scope when left out", offered=True),
        Argument("k", int, "how many results", default=10, least=1, most=50),
        Argument("max_tokens", int, "the most tokens of text to show", default=1_500, least=32, most=100_000),
    ),
    role="source",
    run=_run,
)
