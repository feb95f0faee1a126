"""Tool arguments: what a model wrote, to a checked object, or a message that lets it correct itself.

Harmless slips are repaired and logged: white space, a trailing comma, nothing at all. Everything
else is refused with the tool, the field and the type that was expected, in a bounded message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_TEXT_CHARS = 4_000
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


class BadArguments(Exception):
    """The message is for the model: bounded, and names the tool, the field and the expected type."""


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. `default=None` with `required=False` means: left to the tool."""

    name: str
    type: type
    help: str
    required: bool = False
    default: Any = None
    least: int = 0
    most: int = 1_000_000_000

    def schema(self) -> dict[str, Any]:
        """JSON schema of the value."""
        names: dict[type, str] = {str: "string", int: "integer", bool: "boolean"}
        described: dict[str, Any] = {"type": names[self.type], "description": self.help}
        if self.type is int:
            described |= {"minimum": self.least, "maximum": self.most}
        return described


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


def check(tool: str, fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` with defaults filled in. Raises BadArguments on unknown names, types and ranges."""
    known = {field.name: field for field in fields}
    for name in given:
        if name not in known:
            raise BadArguments(f"{tool}: unknown argument {name[:60]!r}; it takes {', '.join(known)}")
    checked: dict[str, Any] = {}
    for field in fields:
        value = given.get(field.name)
        if value is None:
            if field.required:
                raise BadArguments(f"{tool}: {field.name} is missing; expected {_expected(field)}")
            checked[field.name] = field.default
        else:
            checked[field.name] = _value(tool, field, value)
    return checked


def _value(tool: str, field: Field, value: Any) -> Any:
    if field.type is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    wrong = not isinstance(value, field.type) or (field.type is int and isinstance(value, bool))
    if wrong:
        raise BadArguments(f"{tool}: {field.name} must be {_expected(field)}, got {_kind(value)}")
    if field.type is int and not field.least <= value <= field.most:
        raise BadArguments(
            f"{tool}: {field.name} must be {_expected(field)}, got {value if abs(value) < 10**12 else 'a larger number'}"
        )
    if field.type is str and len(value) > MAX_TEXT_CHARS:
        raise BadArguments(
            f"{tool}: {field.name} has {len(value)} characters, at most {MAX_TEXT_CHARS} are taken"
        )
    if field.type is str and field.required and not value.strip():
        raise BadArguments(f"{tool}: {field.name} is empty; expected {_expected(field)}")
    return value


def _expected(field: Field) -> str:
    if field.type is int:
        return f"an integer from {field.least} to {field.most}"
    return "true or false" if field.type is bool else "a non-empty string" if field.required else "a string"


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
