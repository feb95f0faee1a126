"""From a server's JSON to a `ChatReply`. Servers differ in where they put the parts of a reply.

Nothing a model says is an error here. A body that holds no reply at all raises `Unreadable`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from knarr.errors import FailureKind
from knarr.models.chat.types import ChatReply, WishedCall
from knarr.types import ModelUsage

_TAG = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_REASONING_PARTS = ("reasoning", "thinking")
_MOST_TOKENS = 1 << 40  # a larger number counts nothing
_CUT = ("length", "max_tokens", "model_length")


class Unreadable(Exception):
    """A body that holds no reply; `kind` as in `ServerError`."""

    def __init__(self, text: str, kind: FailureKind = "protocol") -> None:
        super().__init__(text)
        self.kind: FailureKind = kind


def read_reply(body: Any) -> ChatReply:
    """The first choice of a completion. Its usage is left empty: see `read_usage`."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unreadable("a reply without choices", "empty")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        message = {"content": choice.get("text")}
    spoken, thought = text_of(message.get("content"))
    text, hidden = without_thinking(spoken or text_of(message.get("refusal"))[0])
    reasons = [*_reasoning(message), thought, hidden]
    return ChatReply(
        text=text,
        calls=tuple(_calls(message)),
        reasoning="\n".join(part for part in reasons if part.strip()),
        cut=str(choice.get("finish_reason")).lower() in _CUT,
    )


def text_of(content: Any) -> tuple[str, str]:
    """(text, reasoning) of a message's content: a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content, ""
    spoken: list[str] = []
    thought: list[str] = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            spoken.append(part)
        elif isinstance(part, dict):
            hidden = part.get("type") in _REASONING_PARTS
            (thought if hidden else spoken).append(_part_text(part))
    return "".join(spoken), "".join(thought)


def _part_text(part: dict[str, Any]) -> str:
    for name in ("text", "thinking", "reasoning", "content"):
        value = part.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            spoken, thought = text_of(value)
            return spoken + thought
    return ""


def without_thinking(text: str) -> tuple[str, str]:
    """(what is meant for the reader, what stood in think blocks). A block that is never closed runs to
    the end; one that was opened in the prompt, and is only closed, from the beginning. A reply in JSON may
    quote such a mark from a document, so it is left whole."""
    if text.lstrip().startswith("{"):
        return text, ""
    spoken: list[str] = []
    hidden: list[str] = []
    at = depth = 0
    for tag in _TAG.finditer(text):
        closing = tag[1] == "/"
        part = text[at : tag.start()]
        if depth or (closing and not hidden):
            hidden.append(part)
        else:
            spoken.append(part)
        at = tag.end()
        depth = max(0, depth - 1) if closing else depth + 1
    (hidden if depth else spoken).append(text[at:])
    return "".join(spoken).strip() if hidden else text, "\n".join(p.strip() for p in hidden if p.strip())


def _reasoning(message: dict[str, Any]) -> Iterator[str]:
    for name in REASONING_FIELDS:
        value = message.get(name)
        if isinstance(value, str) and value.strip():
            # Servers that fill two of the fields fill them with the same words.
            yield value
            return
    spoken, thought = text_of(message.get("reasoning_details"))
    yield spoken + thought


def _calls(message: dict[str, Any]) -> Iterator[WishedCall]:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        for call in calls:
            if isinstance(call, dict):
                function = call.get("function")
                yield _call(call.get("id"), function if isinstance(function, dict) else call)
    elif isinstance(message.get("function_call"), dict):
        yield _call("", message["function_call"])


def _call(call_id: Any, function: dict[str, Any]) -> WishedCall:
    arguments = function.get("arguments")
    if arguments is None:
        arguments = ""
    elif not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    name = function.get("name")
    return WishedCall(
        id=call_id if isinstance(call_id, str) else "" if call_id is None else str(call_id),
        name=name if isinstance(name, str) else "",
        arguments=arguments,
    )


def read_usage(body: Any) -> ModelUsage | None:
    """Tokens as the server reports them (`calls` is 1); None when it reports none that make sense."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return None
    prompt = _number(usage, "prompt_tokens", "input_tokens")
    completion = _number(usage, "completion_tokens", "output_tokens")
    if not prompt or completion is None:
        return None
    return ModelUsage(
        calls=1,
        prompt_tokens=prompt,
        cached_tokens=min(prompt, _cached(usage)),
        completion_tokens=completion,
    )


def _cached(usage: dict[str, Any]) -> int:
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = usage.get(name)
        if isinstance(details, dict) and (found := _number(details, "cached_tokens")) is not None:
            return found
    return _number(usage, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens") or 0


def _number(values: dict[str, Any], *names: str) -> int | None:
    """The first of the named values that is a whole number of tokens, from 0 on."""
    for name in names:
        value = values.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
            return value
    return None
