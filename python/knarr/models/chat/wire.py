"""The body of a chat request, and what a server has shown that it does not take.

Servers differ in what they accept. A refusal (400 or 422) that one of these habits explains is answered
by the next body to try, and the habit is kept once a body has gone through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from knarr.models.chat.types import ChatRequest

# How a reply's form is asked for, best first.
FORMATS = ("json_schema", "json_object", "")

_TOKENS_FIELD = re.compile(r"max_completion_tokens|max_tokens.{0,40}(?:not supported|unsupported)", re.DOTALL)
_TEMPERATURE = re.compile(r"temperature")
_STREAM_USAGE = re.compile(r"stream_options|include_usage")
_FORMAT = re.compile(r"response_format|json_schema|json_object|grammar|structured|guided|schema")


@dataclass(frozen=True, slots=True)
class Habits:
    """What a server takes.

    form:          place in FORMATS
    tokens_field:  how it calls the bound of a reply
    temperature:   whether it takes one
    stream_usage:  whether it reports usage at the end of a stream when asked to
    """

    form: int = 0
    tokens_field: str = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True


def body_of(
    request: ChatRequest, model: str, habits: Habits, *, stream: bool, temperature: float | None
) -> dict[str, Any]:
    """The body of a chat completion. Equal histories give equal bytes: nothing is reordered."""
    body: dict[str, Any] = {"model": model, "messages": [dict(m) for m in request.messages]}
    if request.tools:
        body["tools"] = [dict(tool) for tool in request.tools]
    if request.schema is not None and FORMATS[habits.form]:
        body["response_format"] = _format(request.schema, FORMATS[habits.form])
    if request.max_tokens is not None:
        body[habits.tokens_field] = request.max_tokens
    if temperature is not None and habits.temperature:
        body["temperature"] = temperature
    if stream:
        body["stream"] = True
        if habits.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def encoded(body: Mapping[str, Any]) -> bytes:
    """The bytes of a body. Lone surrogates, which cannot be sent as UTF-8, become "?". Raises ValueError for what
    JSON cannot hold."""
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return text.encode("utf-8", "replace")


def after_refusal(habits: Habits, body: Mapping[str, Any], message: str) -> Habits | None:
    """The habits to try after a server refused `body` with a message; None when no habit explains it."""
    message = message.lower()
    if "max_tokens" in body and _TOKENS_FIELD.search(message):
        return replace(habits, tokens_field="max_completion_tokens")
    if "temperature" in body and _TEMPERATURE.search(message):
        return replace(habits, temperature=False)
    if "stream_options" in body and _STREAM_USAGE.search(message):
        return replace(habits, stream_usage=False)
    # Many servers do not say that it was the format, so an unexplained refusal counts as one.
    if "response_format" in body:
        return replace(habits, form=habits.form + 1)
    return None


def names_format(message: str) -> bool:
    """Whether a refusal speaks of the reply's form."""
    return _FORMAT.search(message.lower()) is not None


def _format(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": "json_object"}
    named = {"name": "reply", "schema": dict(schema), "strict": _is_strict(schema)}
    return {"type": "json_schema", "json_schema": named}


def _is_strict(schema: Any) -> bool:
    """Whether a schema is of the kind that may be held strictly: every object closed, every key required."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        keys = set(schema.get("properties") or ())
        if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != keys:
            return False
    return all(_is_strict(part) for part in schema.values())
