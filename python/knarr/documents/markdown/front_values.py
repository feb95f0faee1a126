"""What front matter says, as values of a document's metadata: text, numbers, truth, and lists of them.

YAML is read by PyYAML (MIT; pure Python, so that deep nesting is an error and no crash), but only as far as its nodes: tags
make no objects, a plain scalar is a number only where it is written as one would write that number ("1.10" and "007" are
text), a date stays as it is written, and aliases are followed within a bound on all values. Keys are in lower case; a
mapping in a mapping gives keys with a dot, and in a list one line of text. The first of equal keys counts.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from knarr.documents.sections import MetadataValue
from knarr.language.plain import one_line

_MAX_VALUES = 1_000
_MAX_DEPTH = 4
_MAX_CHARS = 4_000
_MAX_YAML_CHARS = 1 << 14  # PyYAML reads some 20 kB a second
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
_DECIMAL = re.compile(r"-?\d{1,17}\.\d{1,17}")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


def of_yaml(text: str) -> dict[str, MetadataValue] | None:
    """The values of a YAML mapping; None when the text is no YAML, or no mapping, or very long."""
    if len(text) > _MAX_YAML_CHARS:
        return None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return _Values().of(_plain(node, [_MAX_VALUES], 0)) if isinstance(node, yaml.MappingNode) else None


def of_toml(text: str) -> dict[str, MetadataValue] | None:
    """The values of a TOML document; None when the text is none, or says nothing."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    return _Values().of(found) if found else None


def of_json(text: str) -> tuple[dict[str, MetadataValue], int] | None:
    """The values of the JSON object that the text begins with, and where it ends; None where there is none."""
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (_Values().of(found), end) if isinstance(found, dict) and found else None


def _plain(node: yaml.Node, left: list[int], depth: int) -> Any:
    """A node as plain data; `left` is how many more nodes may be looked at, however often aliases name them."""
    left[0] -= 1
    if left[0] < 0 or depth > 2 * _MAX_DEPTH:
        return None
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node.value) if node.style is None else node.value.strip()
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, left, depth + 1) for item in node.value[: left[0] + 1]]
    found: dict[str, Any] = {}
    for key, value in node.value[: left[0] + 1]:
        if isinstance(key, yaml.ScalarNode):
            found.setdefault(key.value, _plain(value, left, depth + 1))
    return found


def _scalar(text: str) -> str | int | float | bool | None:
    if text in _NOTHING:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return one_line(text)


class _Values:
    """Plain data as metadata."""

    def __init__(self) -> None:
        self._found: dict[str, MetadataValue] = {}

    def of(self, data: Mapping[str, Any]) -> dict[str, MetadataValue]:
        self._mapping(data, "", 0)
        return self._found

    def _mapping(self, data: Mapping[str, Any], prefix: str, depth: int) -> None:
        for name, value in data.items():
            key = prefix + one_line(str(name)).lower()
            if isinstance(value, Mapping):
                if depth < _MAX_DEPTH:
                    self._mapping(value, f"{key}.", depth + 1)
            elif len(self._found) < _MAX_VALUES and (kept := _value(value)) not in ("", ()):
                self._found.setdefault(key, kept)


def _value(value: Any) -> MetadataValue:
    if isinstance(value, list | tuple):
        items = (_item(item) for item in value[:_MAX_VALUES])
        return tuple(item for item in items if item != "")
    return _item(value)


def _item(value: Any) -> str | int | float | bool:
    """One value; what is nested in a list becomes a line of text."""
    if value is None:
        return ""
    if isinstance(value, str | int | float | bool):
        return value[:_MAX_CHARS] if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return _line(f"{key}: {text}" for key, inner in value.items() if (text := _item(inner)) != "")
    if isinstance(value, list):
        return _line(str(item) for item in map(_item, value[:_MAX_VALUES]) if item != "")
    return str(value)  # a date or time of TOML


def _line(parts: Iterable[str]) -> str:
    return one_line("; ".join(parts))[:_MAX_CHARS]
