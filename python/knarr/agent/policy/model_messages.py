"""The history as a server takes it, in the two styles.

native   the chat-completions form: calls stand in assistant messages, observations in tool messages
schema   for servers and models without tool calls: an assistant message holds the decision's JSON as it
         was asked for, and the observations of its calls stand together in one user message

Both are made from the history alone and message by message. So a request is, byte for byte, the last one with
more at its end, as long as nothing was folded or dropped.

A server may obey the marks of a chat template (<|im_start|>, [INST], ...) wherever they stand. So in all but
the system message they are broken: in a URI by an escape, elsewhere by a space.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from knarr.agent.history import chat_messages
from knarr.agent.tools import TOOLS
from knarr.agent.values import Message, ToolSpec
from knarr.models.prompts import prompt
from knarr.uris import SCHEME

NATIVE_PROMPT, SCHEMA_PROMPT = "agent_native_v1", "agent_schema_v1"


def native_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """With tool calls and tool messages."""
    system, *rest = chat_messages(
        [messages[0], *(replace(one, content=defused(one)) for one in messages[1:])]
    )
    return [system | {"content": f"{system['content']}\n\n{prompt(NATIVE_PROMPT)}"}, *rest]


def schema_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """With system, user and assistant messages only; these two take turns."""
    instructions = prompt(SCHEMA_PROMPT).replace("{{tools}}", tools_as_text(TOOLS))
    out: list[dict[str, Any]] = [{"role": "system", "content": f"{messages[0].content}\n\n{instructions}"}]
    names: dict[str, str] = {}
    for message in (replace(one, content=defused(one)) for one in messages[1:]):
        names |= {call.id: call.tool for call in message.calls}
        role, content = _turn(message, names)
        if out[-1]["role"] == role:
            out[-1]["content"] += "\n\n" + content
        else:
            out.append({"role": role, "content": content})
    return out


def _turn(message: Message, names: dict[str, str]) -> tuple[str, str]:
    if message.role == "tool":
        return "user", f"Result of {names.get(message.call_id, 'a call')}:\n{message.content}"
    if message.role != "assistant":
        return "user", message.content
    decision: dict[str, Any] = {"thought": message.content}
    if message.calls:
        decision["calls"] = [{"tool": call.tool, "arguments": call.written()} for call in message.calls]
    return "assistant", json.dumps(decision, ensure_ascii=False)


_MARK = (
    r"<(?=[|｜]|/?s>|/?(?:bos|eos|pad|unk)>|(?:start|end)_of_turn>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])"
)
_MARKS = re.compile(_MARK)
_URI_OR_MARK = re.compile(rf"(?P<uri>{SCHEME}\S+)|{_MARK}")


def defused(message: Message) -> str:
    """A message's content with marks of chat templates broken. Unquoted lines of a tool message hold names, and
    those stay valid: an escaped name means the same."""
    if _MARKS.search(message.content) is None:
        return message.content
    lines = message.content.split("\n")
    return "\n".join(_broken(line, message.role == "tool" and not line.startswith("> ")) for line in lines)


def _broken(line: str, names: bool) -> str:
    if names:
        return _MARKS.sub(_escape, line)
    return _URI_OR_MARK.sub(
        lambda found: _MARKS.sub(_escape, found[0]) if found["uri"] else f"{found[0]} ", line
    )


def _escape(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def tools_as_text(tools: Iterable[ToolSpec]) -> str:
    """The tools for a prompt of the schema style: a line each, and a line per argument."""
    kinds: dict[type, str] = {str: "text", int: "number", bool: "true or false"}
    lines = []
    for spec in tools:
        lines.append(f"{spec.name}: {spec.help}")
        lines += [
            f"  {one.name}{'*' if one.required else ''} ({kinds[one.type]}): {one.help}"
            for one in spec.arguments
            if one.offered
        ]
    return "\n".join(lines)


def tool_schemas(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """The tools in the chat-completions form."""
    return [spec.schema() for spec in tools]


_TEXT = {"type": "string"}
_THOUGHT = {"type": "string", "maxLength": 200}
_MOST_URIS = 40
_MOST_KNOWN = 80


def decision_schema(
    tools: Iterable[ToolSpec], uris: Sequence[str], known: Sequence[str], *, looked: bool
) -> dict[str, Any]:
    """The JSON schema of one decision: calls of these tools, or an answer.

    Without tools it can only be an answer; before anything was looked up, only calls. Quotes can only
    name `uris`, the latest of them when they are many; calls only URIs that are `known`, unless these are
    too many to list."""
    answers = _shape("answer", _answer(uris))
    calls = [_call_schema(spec, known) for spec in tools]
    if not calls:
        return answers
    asks = _shape("calls", {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": 4})
    return {"anyOf": [asks, answers]} if looked else asks


def _answer(uris: Sequence[str]) -> dict[str, Any]:
    """An answer that was found has a quote; without text to quote nothing was found."""
    none = _object({"found": {"const": False}, "text": _TEXT, "quotes": {"type": "array", "maxItems": 0}})
    if not uris:
        return none
    quote = _object({"uri": {"enum": list(uris[-_MOST_URIS:])}, "text": _TEXT})
    quotes = {"type": "array", "items": quote, "minItems": 1, "maxItems": 8}
    return {"anyOf": [_object({"found": {"const": True}, "text": _TEXT, "quotes": quotes}), none]}


def _shape(name: str, value: dict[str, Any]) -> dict[str, Any]:
    return _object({"thought": _THOUGHT, name: value})


def _call_schema(spec: ToolSpec, known: Sequence[str]) -> dict[str, Any]:
    arguments = spec.schema()["function"]["parameters"]
    offered = {one.name: one.schema() for one in spec.arguments if one.offered}
    if 0 < len(known) <= _MOST_KNOWN and spec.target in offered:
        offered[spec.target] = {"enum": list(known)}
    return _object({"tool": {"const": spec.name}, "arguments": arguments | {"properties": offered}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
