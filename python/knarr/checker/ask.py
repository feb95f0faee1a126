"""Asking a judge: one request, one retry, and whatever goes wrong is "unknown". Never raises for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knarr.checker.messages import messages
from knarr.checker.reading import Judgement, read
from knarr.checker.types import Case
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatModel, ChatRequest
from knarr.types import ModelUsage

TRIES = 2
_REPLY_TOKENS = 1200
_AGAIN = (
    "That could not be read ({why}). Reply with exactly one JSON object of the form given, and nothing else."
)
_MOST_SHOWN = 2000


def ask(
    chat: ChatModel, case: Case, name: str, schema: Mapping[str, Any], *, naive: bool = False
) -> tuple[Judgement, ModelUsage]:
    """What the judge says under prompt `name`, and what all tries cost."""
    usage = ModelUsage()
    judged = Judgement("unknown", "the judge was not asked")
    share, heard = 1.0, ""
    for _ in range(TRIES):
        turn, pieces = messages(case, name, chat, share=share)
        if heard:
            turn += [
                {"role": "assistant", "content": heard},
                {"role": "user", "content": _AGAIN.replace("{why}", judged.reason)},
            ]
        try:
            reply = chat.chat(ChatRequest(turn, schema=schema, max_tokens=_REPLY_TOKENS))
        except ContextOverflow as error:
            judged, share, heard = _failed(error), share / 2, ""
            continue
        except ChatError as error:
            judged, heard = _failed(error), ""
            continue
        usage += reply.usage
        judged = read(reply.text, pieces, cut=reply.cut, naive=naive)
        if judged.outcome != "unknown":
            return judged, usage
        heard = reply.text[:_MOST_SHOWN].strip()
    return judged, usage


def _failed(error: ChatError) -> Judgement:
    return Judgement("unknown", f"no verdict: {' '.join(str(error).split())[:200]}")
