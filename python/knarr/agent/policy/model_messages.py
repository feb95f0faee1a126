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

NATIVE_PROMPT, SCHEMA_PROMPT = "agent_native_v2", "agent_schema_v2"
ANSWER = "Answer"  # the tool that ends a run in the native style


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


def answer_tool() -> dict[str, Any]:
    """The tool by which a model of the native style answers: whether it found anything is a field, and no matter
    of its wording or language."""
    properties = {
        "answer": {"type": "string", "description": "the answer in your own words, or what is missing"},
        "found": {"type": "boolean", "description": "whether the library holds the answer"},
        "cites": {
            "type": "array",
            "description": "the numbers of the passages that say it",
            "items": {"anyOf": [{"type": "integer"}, _object({"n": {"type": "integer"}, "words": _TEXT})]},
        },
    }
    described = "End with the answer, once the evidence has been shown or looked for."
    return {
        "type": "function",
        "function": {"name": ANSWER, "description": described, "parameters": _object(properties)},
    }


_TEXT = {"type": "string"}
_THOUGHT = {"type": "string", "maxLength": 200}
_WORDS = {"type": "string", "maxLength": 120}
_MOST_NUMBERS = 40
_MOST_CITES = 6
_MOST_KNOWN = 80


def decision_schema(
    tools: Iterable[ToolSpec], numbers: Sequence[int], known: Sequence[str], *, looked: bool
) -> dict[str, Any]:
    """The JSON schema of one decision: calls of these tools, or an answer.

    Without tools it can only be an answer; before anything was looked up, only calls. An answer can only
    cite `numbers`, the latest of them when they are many; calls only URIs that are `known`, unless these are
    too many to list."""
    answers = _answer(numbers)
    calls = [_call_schema(spec, known) for spec in tools]
    if not calls:
        return answers
    asks = _shape("calls", {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": 4})
    return {"anyOf": [asks, answers]} if looked else asks


def _answer(numbers: Sequence[int]) -> dict[str, Any]:
    """An answer that was found cites something; where nothing was shown nothing was found."""
    none = _shape("answer", _TEXT, found={"const": False}, cites={"type": "array", "maxItems": 0})
    if not numbers:
        return none
    number = {"enum": list(numbers[-_MOST_NUMBERS:])}
    item = {"anyOf": [number, _object({"n": number, "words": _WORDS})]}
    cites = {"type": "array", "items": item, "minItems": 1, "maxItems": _MOST_CITES}
    return {"anyOf": [_shape("answer", _TEXT, found={"const": True}, cites=cites), none]}


def _shape(name: str, value: dict[str, Any], **more: dict[str, Any]) -> dict[str, Any]:
    return _object({"thought": _THOUGHT, name: value, **more})


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
