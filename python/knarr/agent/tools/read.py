"""Read: the text of a chunk, an abstract, a section or a document, a page at a time."""

from __future__ import annotations

from knarr.agent.tools.rendering import NOTE_TOKENS, place, quoted
from knarr.agent.tools.tool import Tool, ToolContext
from knarr.agent.values import Argument, Excerpt, Observation, ToolCall
from knarr.types import Passage

_TRIES = 4
_LEAST_TOKENS = 16


def _run(context: ToolContext, call: ToolCall, target: str, room_tokens: int) -> Observation:
    """A page of text. The mark on each line costs tokens too, so the page shrinks until it fits."""
    library, begin_byte = context.library, call.checked["begin_byte"]
    room = min(room_tokens, call.checked["max_tokens"])
    wanted = max(1, room - NOTE_TOKENS)
    passage = library.read(target, begin_byte, wanted)
    text = _rendered(passage, 0)
    size = library.count_tokens(text)
    for _ in range(_TRIES):
        if size <= room or wanted <= _LEAST_TOKENS:
            break
        wanted = max(_LEAST_TOKENS, wanted * room // size - 8)
        passage = library.read(target, begin_byte, wanted)
        text = _rendered(passage, 0)
        size = library.count_tokens(text)
    piece = context.numbers.numbered(Excerpt(target, passage.text, passage.source, passage.begin_byte))
    shown = (piece,) if passage.text else ()
    return Observation(call, _rendered(passage, piece.number), (target,), shown, passage)


def _rendered(passage: Passage, number: int) -> str:
    size = passage.end_byte - passage.begin_byte
    head = f"Read [{number}] {passage.uri} ({place(passage.source)})"
    if size == passage.total_bytes:
        return f"{head}: all {size} bytes\n{quoted(passage.text)}"
    head += f": bytes {passage.begin_byte}-{passage.end_byte}, {size} of {passage.total_bytes}"
    tail = "" if passage.next_offset is None else f"\n(goes on: begin_byte={passage.next_offset})"
    return f"{head}\n{quoted(passage.text)}{tail}"


def read_call(uri: str, max_tokens: int) -> ToolCall:
    """A call for the first `max_tokens` tokens of a URI."""
    return ToolCall(READ.name, {"uri": uri, "max_tokens": max_tokens})


READ = Tool(
    name="Read",
    help="Fetch the text of a chunk, an abstract, a section or a document, a page at a time.",
    arguments=(
        Argument("uri", str, "what to read", required=True, offered=True),
        Argument(
            "begin_byte", int, "where to go on, from next_offset", default=0, most=1 << 40, offered=True
        ),
        Argument("max_tokens", int, "the most tokens to show", default=2_000, least=1, most=100_000),
    ),
    target="uri",
    role="page",
    run=_run,
)
