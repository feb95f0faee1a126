"""Server-sent events of a streamed completion, put together as the body of one that is not streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from knarr.models.chat.replies import REASONING_FIELDS, Unreadable, text_of
from knarr.models.server.client import read_json

END = b"\ndata: [DONE]"  # after this a stream has nothing to say, though some servers leave it open
_MOST_EVENT_CHARS = 8 << 20


def is_stream(body: bytes) -> bool:
    """Whether a body is a stream of events. Some servers stream unasked, or give another content type."""
    return (
        body.lstrip()[:6] in (b"data: ", b"event:")
        or body.lstrip()[:1] == b":"
        or body.lstrip()[:5] == b"data:"
    )


def join_stream(body: bytes) -> dict[str, Any]:
    """The completion that the events make. Raises Unreadable when they end before the reply does."""
    joined = _Joined()
    done = False
    for data in _events(body.decode("utf-8", "replace")):
        if data == "[DONE]":
            done = True
            break
        try:
            event = read_json(data.encode() if len(data) <= _MOST_EVENT_CHARS else b"")
        except ValueError:
            raise Unreadable("a stream with an event that is not JSON") from None
        if isinstance(event, dict) and event.get("error"):
            return event
        joined.add(event)
    if not done and joined.finish is None:
        raise Unreadable("a stream that ends in the middle of a reply")
    return joined.body()


def _events(text: str) -> Iterator[str]:
    """The data of each event; comments and other fields are passed over."""
    lines: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].strip())
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


class _Joined:
    """The first choice as far as its events have come."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self._seen = False
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._places: dict[int, int] = {}
        self._function: dict[str, str] | None = None
        self._usage: Any = None

    def add(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        self._usage = event.get("usage") or self._usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (None, 0):
            return
        self._seen = True
        self.finish = choice.get("finish_reason") or self.finish
        # Some servers end a stream with the whole message, which then says all there is.
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)

    def _delta(self, delta: dict[str, Any]) -> None:
        spoken, thought = text_of(delta.get("content"))
        self._text.append(spoken)
        self._reasoning.append(thought)
        value = next((delta[name] for name in REASONING_FIELDS if isinstance(delta.get(name), str)), "")
        self._reasoning.append(value)
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._call(call)
        if isinstance(delta.get("function_call"), dict):
            self._function = self._function or {"name": "", "arguments": ""}
            _extend(self._function, delta["function_call"])

    def _call(self, part: dict[str, Any]) -> None:
        function = part.get("function")
        function = function if isinstance(function, dict) else {}
        index = part.get("index")
        place = self._places.get(index) if isinstance(index, int) else len(self._calls) - 1
        if place is None or place < 0 or self._begins_anew(self._calls[place], part, function):
            place = len(self._calls)
            self._calls.append({"id": "", "function": {"name": "", "arguments": ""}})
            if isinstance(index, int):
                self._places[index] = place
        if isinstance(part.get("id"), str) and part["id"]:
            self._calls[place]["id"] = part["id"]
        _extend(self._calls[place]["function"], function)

    @staticmethod
    def _begins_anew(call: dict[str, Any], part: dict[str, Any], function: dict[str, Any]) -> bool:
        """Whether a part opens another call although its index, or its lack of one, says the same: some
        servers number every call 0."""
        if not function.get("name"):
            return False
        if part.get("id") and call["id"]:
            return bool(part["id"] != call["id"])
        return _is_whole(call["function"]["arguments"])

    def body(self) -> dict[str, Any]:
        message: dict[str, Any] = {
            "content": "".join(self._text),
            "reasoning_content": "".join(self._reasoning),
            "tool_calls": self._calls,
        }
        if self._function:
            message["function_call"] = self._function
        choices = [{"message": message, "finish_reason": self.finish}] if self._seen else []
        return {"choices": choices, "usage": self._usage}


def _extend(function: dict[str, str], part: dict[str, Any]) -> None:
    name, arguments = part.get("name"), part.get("arguments")
    if isinstance(name, str) and name != function["name"]:
        function["name"] += name
    if isinstance(arguments, str):
        function["arguments"] += arguments
    elif arguments is not None:
        function["arguments"] += json.dumps(arguments, ensure_ascii=False)


def _is_whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True
