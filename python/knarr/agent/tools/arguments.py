"""From the arguments that a model wrote to a checked object, or to a message that lets the model correct
itself.

Harmless slips are repaired and logged: white space, a trailing comma, nothing at all. Everything else is
refused in a bounded message that names the tool, the argument and the type that was expected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from knarr.agent.values import Argument, ToolSpec

MAX_TEXT_CHARS = 4_000
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


class BadArguments(Exception):
    """The message is for the model: bounded, and names the tool, the argument and the expected type."""


def parse(tool: str, raw: Mapping[str, Any] | str) -> tuple[dict[str, Any], str]:
    """The object in `raw`, and what was repaired ("" when nothing). Raises BadArguments."""
    if not isinstance(raw, str):
        return {str(key): value for key, value in raw.items()}, ""
    text = raw.strip()
    if not text:
        return {}, "empty arguments read as {}"
    if len(text) > 4 * MAX_TEXT_CHARS:
        raise BadArguments(
            f"{tool}: the arguments have {len(text)} characters, at most {4 * MAX_TEXT_CHARS} are taken"
        )
    value, repaired = _load(tool, text)
    if not isinstance(value, dict):
        raise BadArguments(f"{tool}: arguments must be a JSON object, got {_kind(value)}")
    return value, repaired


def _load(tool: str, text: str) -> tuple[Any, str]:
    try:
        return json.loads(text), ""
    except (ValueError, RecursionError) as error:
        reason = str(error)
    without = _outside_strings(text)
    if without != text:
        try:
            return json.loads(without), "trailing comma removed"
        except (ValueError, RecursionError):
            pass
    raise BadArguments(f"{tool}: arguments are not one JSON object ({reason[:160]})")


def _outside_strings(text: str) -> str:
    """Trailing commas removed, strings left alone."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    joined = "\x00".join(parts[0::2])
    mended = _TRAILING_COMMA.sub(r"\1", joined).split("\x00")
    parts[0::2] = mended if len(mended) == len(parts[0::2]) else parts[0::2]
    return "".join(parts)


def check(tool: ToolSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` with defaults filled in. Raises BadArguments on unknown names, types and ranges."""
    known = {argument.name: argument for argument in tool.arguments}
    for name in given:
        if name not in known:
            raise BadArguments(f"{tool.name}: unknown argument {name[:60]!r}; it takes {', '.join(known)}")
    checked: dict[str, Any] = {}
    for argument in tool.arguments:
        value = given.get(argument.name)
        if value is None:
            if argument.required:
                raise BadArguments(f"{tool.name}: {argument.name} is missing; expected {_expected(argument)}")
            checked[argument.name] = argument.default
        else:
            checked[argument.name] = _value(tool.name, argument, value)
    return checked


def _value(tool: str, argument: Argument, value: Any) -> Any:
    if argument.type is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    wrong = not isinstance(value, argument.type) or (argument.type is int and isinstance(value, bool))
    if wrong:
        raise BadArguments(f"{tool}: {argument.name} must be {_expected(argument)}, got {_kind(value)}")
    if argument.type is int and not argument.least <= value <= argument.most:
        raise BadArguments(
            f"{tool}: {argument.name} must be {_expected(argument)}, got {value if abs(value) < 10**12 else 'a larger number'}"
        )
    if argument.type is str and len(value) > MAX_TEXT_CHARS:
        raise BadArguments(
            f"{tool}: {argument.name} has {len(value)} characters, at most {MAX_TEXT_CHARS} are taken"
        )
    if argument.type is str and argument.required and not value.strip():
        raise BadArguments(f"{tool}: {argument.name} is empty; expected {_expected(argument)}")
    return value


def _expected(argument: Argument) -> str:
    if argument.type is int:
        return f"an integer from {argument.least} to {argument.most}"
    return (
        "true or false"
        if argument.type is bool
        else "a non-empty string"
        if argument.required
        else "a string"
    )


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (list, dict)):
        return "an array" if isinstance(value, list) else "an object"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return f"the number {value}"[:60]
