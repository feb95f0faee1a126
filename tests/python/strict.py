"""A checker of chat requests as strict as the strictest server."""

from __future__ import annotations

import json
from typing import Any

from knarr.models.chat import ChatRequest


def strict(request: ChatRequest) -> None:
    """Roles in order, every call answered once and at once, nothing empty, arguments JSON objects."""
    messages = [dict(message) for message in request.messages]
    json.dumps([messages, list(request.tools), request.schema])
    assert messages and messages[0]["role"] == "system"
    assert [message["role"] for message in messages].count("system") == 1
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert waiting and message["tool_call_id"] == waiting.pop(0) and message["content"].strip()
            continue
        assert not waiting
        waiting = [_checked(call, seen) for call in message.get("tool_calls", ())]
        assert waiting or message["content"].strip()
    assert not waiting
    assert messages[-1]["role"] in ("user", "tool")


def _checked(call: dict[str, Any], seen: set[str]) -> str:
    assert call["type"] == "function" and call["id"] and call["id"] not in seen
    assert isinstance(json.loads(call["function"]["arguments"]), dict)
    seen.add(call["id"])
    return str(call["id"])
