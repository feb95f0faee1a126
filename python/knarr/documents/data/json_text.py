"""JSON and JSON Lines as text that keeps their structure.

A list of flat records is a table, for that is what people mean by it. Everything else is an outline: a line for each key,
indented as deep as it stands, numbers and texts as the file has them. The keys of an object at the top with much below
them are sections.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from knarr.documents.decode import Limits, decode
from knarr.documents.sections import Document
from knarr.documents.tables import pipe_text
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_MAX_COLUMNS = 60
_MAX_INDENT = 24
_LONG_CELL = 1_500
_SECTION_CHARS = 1_500
_MAX_FAULTS = 0.1
_MAX_BYTES = 16 << 20


def load_json(text: str, name: str) -> Any:
    """The value, its numbers as they are written. Raises DocumentError for what is none."""
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError as error:
        raise DocumentError(f"{name}: nested deeper than is read", "limit") from error
    except ValueError as error:
        raise DocumentError(f"{name}: not valid JSON ({error})") from error


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a JSON file. What is no JSON, or nearly, is read as text. Raises DocumentError as `decode` does."""
    _bounded(data, name)
    decoded = decode(data, name, limits=limits)
    writer = MarkdownWriter()
    try:
        value = load_json(decoded.text, name)
    except DocumentError as error:
        if error.status == "limit":
            raise
        lines = decoded.text.splitlines()
        if len(lines) > 1 and lines[0].strip().startswith(("{", "[")) and _is_json(lines[0]):
            return parse_lines(data, name, limits)
        writer.put(decoded.text)
        return _document(writer, (*decoded.notes, "no valid JSON: read as text"), name)
    _write(writer, value)
    return _document(writer, decoded.notes, name)


def parse_lines(data: bytes, name: str, limits: Limits) -> Document:
    """Read a file with a JSON value on each line; lines that are none stay as they are, and are counted."""
    _bounded(data, name)
    decoded = decode(data, name, limits=limits)
    values, faults = [], 0
    for line in decoded.text.split("\n"):
        if not line.strip():
            continue
        try:
            values.append(load_json(line, name))
        except DocumentError:
            faults += 1
            values.append(line)
    if faults > _MAX_FAULTS * len(values):
        raise DocumentError(f"{name}: {faults:,} of {len(values):,} lines are no JSON")
    writer = MarkdownWriter()
    _write(writer, values)
    notes = (*decoded.notes, *((f"lines that are no JSON: {faults:,}",) if faults else ()))
    return _document(writer, notes, name)


def _bounded(data: bytes, name: str) -> None:
    if len(data) > _MAX_BYTES:
        raise DocumentError(f"{name}: {len(data):,} bytes of JSON, the limit is {_MAX_BYTES:,}", "limit")


def _is_json(line: str) -> bool:
    try:
        load_json(line, "")
    except DocumentError:
        return False
    return True


def _document(writer: MarkdownWriter, notes: tuple[str, ...], name: str) -> Document:
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the file holds no values", "no_text")
    return writer.document("json", "", notes)


def _write(writer: MarkdownWriter, value: Any) -> None:
    if _is_table(value):
        _table(writer, value)
    elif isinstance(value, dict) and any(_is_table(one) or _is_long(one) for one in value.values()):
        small = {key: one for key, one in value.items() if not _is_table(one) and not _is_long(one)}
        _outline(writer, small)
        for key, one in value.items():
            if key not in small:
                writer.gap()
                writer.heading(1, one_line(str(key)) or "(no name)")
                writer.gap()
                if _is_table(one):
                    _table(writer, one)
                else:
                    _outline(writer, one)
    else:
        _outline(writer, value)


def _is_long(value: Any) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    size = 0
    for text in _lines(value):
        size += len(text)
        if size > _SECTION_CHARS:
            return True
    return False


def _is_table(value: Any) -> bool:
    """Whether a value is a list of at least two flat records with mostly the same keys."""
    if (
        not isinstance(value, list)
        or len(value) < 2
        or not all(isinstance(one, dict) and one for one in value)
    ):
        return False
    if not all(_is_flat(cell) for record in value for cell in record.values()):
        return False
    keys = dict.fromkeys(key for record in value for key in record)
    filled = sum(len(record) for record in value)
    return 1 < len(keys) <= _MAX_COLUMNS and filled >= len(keys) * len(value) / 2


def _is_flat(value: Any) -> bool:
    if isinstance(value, dict):
        return False
    if isinstance(value, list):
        return len(value) <= 20 and all(not isinstance(one, (dict, list)) for one in value)
    return not isinstance(value, str) or len(value) <= _LONG_CELL


def _table(writer: MarkdownWriter, records: list[dict[str, Any]]) -> None:
    keys = list(dict.fromkeys(key for record in records for key in record))
    rows = [[one_line(_shown(record.get(key, ""))) for key in keys] for record in records]
    writer.gap()
    writer.table(pipe_text([[one_line(key) for key in keys], *rows]))


def _outline(writer: MarkdownWriter, value: Any) -> None:
    lines = list(_lines(value))
    if lines:
        writer.gap()
        writer.put("".join(f"{line}\n" for line in lines))


def _lines(value: Any) -> Iterator[str]:
    """The lines of an outline, without recursion."""
    stack: list[tuple[str | None, Any, int]] = [(None, value, -1)]
    while stack:
        key, one, depth = stack.pop()
        indent = "  " * min(max(depth, 0), _MAX_INDENT)
        label = "" if key is None else f"{one_line(key)}:"
        if isinstance(one, dict) and one:
            if depth >= 0:
                yield f"{indent}- {label}".rstrip()
            stack.extend((str(name), inner, depth + 1) for name, inner in reversed(one.items()))
        elif isinstance(one, list) and one and not _is_flat(one):
            if depth >= 0 and label:
                yield f"{indent}- {label}"
            stack.extend((None, inner, depth + 1) for inner in reversed(one))
        else:
            text = _shown(one).replace("\n", f"\n{indent}  ")
            yield f"{indent}- {label} {text}".rstrip() if label else f"{indent}- {text}"


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_shown(one) for one in value)
    if isinstance(value, dict):
        return "{}"
    return str(value).encode("utf-8", "replace").decode()
