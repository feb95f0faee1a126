"""Asking a judge: one request and one retry. Whatever goes wrong is "unknown", never an exception and never a
pass."""

from __future__ import annotations

from knarr.checker.messages import messages
from knarr.checker.reading import SCHEMA, Judgement, read
from knarr.checker.types import Case
from knarr.errors import ChatError, ContextOverflow
from knarr.language.plain import shortened
from knarr.models.chat import ChatModel, ChatRequest
from knarr.models.prompts import prompt
from knarr.types import ModelUsage

PROMPT = "checker_v1"
TRIES = 2
_REPLY_TOKENS = 1200
_AGAIN = (
    "That could not be read ({why}). Reply with exactly one JSON object of the form given, and nothing else."
)
_MOST_SHOWN = 2000
_ERROR_CHARS = 200


def ask(chat: ChatModel, case: Case) -> tuple[Judgement, ModelUsage]:
    """What the judge says of a case, and what all tries cost. A request that is too long for the model's window
    is asked again with half of the evidence; a reply that cannot be read, with the reason."""
    usage = ModelUsage()
    judged = Judgement("unknown", "the judge was not asked")
    share, last_reply = 1.0, ""
    for _ in range(TRIES):
        turn, pieces = messages(case, prompt(PROMPT), chat, share=share)
        if last_reply:
            turn += [
                {"role": "assistant", "content": last_reply},
                {"role": "user", "content": _AGAIN.replace("{why}", judged.reason)},
            ]
        try:
            reply = chat.chat(ChatRequest(turn, schema=SCHEMA, max_tokens=_REPLY_TOKENS))
        except ContextOverflow as error:
            judged, share, last_reply = _failed(error), share / 2, ""
            continue
        except ChatError as error:
            judged, last_reply = _failed(error), ""
            continue
        usage += reply.usage
        judged = read(reply.text, pieces, cut=reply.cut)
        if judged.outcome != "unknown":
            return judged, usage
        last_reply = reply.text[:_MOST_SHOWN].strip()
    return judged, usage


def _failed(error: ChatError) -> Judgement:
    return Judgement("unknown", f"no verdict: {shortened(str(error), _ERROR_CHARS)}")
