"""Which style a chat model supports, found out once by a tiny request for a tool call."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal
from weakref import WeakKeyDictionary

from knarr.errors import ChatError, FailureKind
from knarr.models.chat import ChatModel, ChatReply, ChatRequest
from knarr.types import ModelUsage

Style = Literal["native", "schema"]

_ECHO: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "Echo",
        "description": "Returns a word.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "the word"}},
            "required": ["word"],
        },
    },
}
_ASKED = "Call the tool Echo with the word knarr. Do not answer in text."
_REPLY_TOKENS = 1_024  # some models think before they call

# Kinds of failure (`knarr.errors`) that a request without a tool would meet as well.
_NOT_THE_TOOL: frozenset[FailureKind] = frozenset(
    {
        "unconfigured",
        "unreachable",
        "timeout",
        "unauthorised",
        "unknown_model",
        "quota",
        "redirect",
        "missing",
    }
)

_LOCK = threading.Lock()
_KNOWN: WeakKeyDictionary[ChatModel, Style] = WeakKeyDictionary()


def known_style(chat: ChatModel) -> Style | None:
    """The style that was found for this model object, None when none was."""
    with _LOCK, suppress(TypeError):
        return _KNOWN.get(chat)
    return None


def remember_style(chat: ChatModel, style: Style) -> None:
    """Remember a model's style. A model object that cannot be a key is asked again in each run."""
    with _LOCK, suppress(TypeError):
        _KNOWN[chat] = style


def probe(chat: ChatModel, timeout_s: float | None) -> tuple[Style, ModelUsage, bool]:
    """The style, what asking cost, and whether it is sure: a server that fails may fail for another
    reason than the tool. Raises ChatError where it surely does."""
    request = ChatRequest(
        ({"role": "user", "content": _ASKED},), (_ECHO,), max_tokens=_REPLY_TOKENS, timeout_s=timeout_s
    )
    try:
        reply = chat.chat(request)
    except ChatError as error:
        if error.kind in _NOT_THE_TOOL:
            raise
        return "schema", ModelUsage(), False
    return ("native" if _proper(reply) else "schema"), reply.usage, True


def _proper(reply: ChatReply) -> bool:
    """Whether it is one call, with its arguments, of the tool asked for."""
    if len(reply.calls) != 1 or reply.calls[0].name != "Echo":
        return False
    try:
        given = json.loads(reply.calls[0].arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(given, dict) and isinstance(given.get("word"), str)
