"""List: the local map, what is directly under a URI."""

from __future__ import annotations

from knarr.agent.tools.rendering import fitting, quoted
from knarr.agent.tools.tool import Tool, ToolContext
from knarr.agent.values import Argument, Observation, ToolCall
from knarr.types import Entry


def _run(context: ToolContext, call: ToolCall, target: str, room_tokens: int) -> Observation:
    """Children with the number of objects under each; abstracts as quoted text."""
    count, offset = context.library.count_tokens, call.checked["offset"] or 0
    page = context.library.list(target, offset, call.checked["limit"])
    head = f"List {page.uri}: {page.total} entries"
    if page.abstract:
        head += "\n" + quoted(page.abstract)
    blocks = [_line(entry) for entry in page]
    kept = fitting(blocks, count, room_tokens - count(head))
    after = offset + kept
    more = [f"({page.total - after} more: offset={after})"] if after < page.total else []
    uris = tuple(entry.uri for entry in page.entries[:kept])
    return Observation(call, "\n".join([head, *blocks[:kept], *more]), uris, value=page)


def _line(entry: Entry) -> str:
    line = f"- {entry.uri} ({entry.rows})" if entry.is_directory else f"- {entry.uri}"
    return f"{line}\n{quoted(entry.preview)}" if entry.preview else line


LIST = Tool(
    name="List",
    help="Show what is directly under a URI, in document order, with abstracts.",
    arguments=(
        Argument(
            "uri", str, "a folder, document or section; the question's scope when left out", offered=True
        ),
        Argument("offset", int, "how many results to skip", offered=True),
        Argument("limit", int, "how many entries", default=50, least=1, most=500),
    ),
    target="uri",
    run=_run,
)
