"""A case as messages for a chat model.

    Question: …              one line, as it was asked
    Documents it means:      their names on marked lines, where it means some
    Candidate answer:        marked lines
    [1]                      one block per piece: where it stands, then its text, all on marked lines
    > document / title
    > …

Whatever comes from a document or from the candidate is marked, so that no text can leave its block. The pieces
are named by our own numbers and never by words of theirs.
"""

from __future__ import annotations

from typing import Any

from knarr.checker.types import Case, Evidence
from knarr.language.plain import one_line
from knarr.models.chat import ChatModel
from knarr.uris import components, name_of

_REPLY_TOKENS = 1200
_LEAST_TOKENS = 256
_PER_LINE = 4


def marked(text: str) -> str:
    """Every line marked, whatever sign a reader may take for the end of a line."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines() if line.strip())


def ordered(case: Case) -> list[Evidence]:
    """What the judge is shown: first the pieces that are cited, then the others by score; equal texts once."""
    cited = {one.uri for one in case.citations}
    ranked = sorted(
        case.evidence,
        key=lambda piece: (piece.uri not in cited, -(piece.score if piece.score is not None else -99.0)),
    )
    return list({(piece.uri, piece.text): piece for piece in ranked}.values())


def messages(
    case: Case, system: str, chat: ChatModel, *, share: float = 1.0
) -> tuple[list[dict[str, Any]], list[Evidence]]:
    """The messages under a system prompt, and the pieces in them, the first being number 1. As many pieces are
    sent as fit into `share` of the model's window; the first one always stays, cut at words where it must
    be."""
    head = _head(case)
    room = int(share * chat.window_tokens) - _REPLY_TOKENS - chat.count_tokens(system + head)
    blocks: list[str] = []
    kept: list[Evidence] = []
    for piece in ordered(case):
        block = _block(len(blocks) + 1, piece)
        size = chat.count_tokens(block) + _PER_LINE
        if size > room and not blocks:
            block = _cut(block, max(_LEAST_TOKENS, room) / size)
        elif size > room:
            break
        blocks.append(block)
        kept.append(piece)
        room -= size
    text = "\n\n".join([head, *(blocks or ["No piece of any document was found."])])
    return [{"role": "system", "content": system}, {"role": "user", "content": text}], kept


def _head(case: Case) -> str:
    lines = [f"Question: {one_line(case.question)}"]
    if case.scopes:
        lines += ["Documents it means:", *(marked(name_of(uri).replace("_", " ")) for uri in case.scopes)]
    return "\n".join([*lines, "Candidate answer:", marked(case.answer) or "> (none)"])


def _block(number: int, piece: Evidence) -> str:
    place = " / ".join((*components(piece.source.document), *piece.source.section)).replace("_", " ")
    return f"[{number}]\n{marked(one_line(place))}\n{marked(piece.text)}"


def _cut(block: str, part: float) -> str:
    if part >= 1.0:
        return block
    return block[: block.rfind(" ", 0, max(1, int(part * len(block)))) or None]
