"""Any XML as an outline: a line for each element that says something, indented as deep as it stands.

Elements with text and marks in it are paragraphs; those with text alone are "name: text"; attributes stand behind the
name. So records, feeds and settings can be searched by the names and values that are in them.
"""

from __future__ import annotations

from lxml import etree

from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import all_text, local
from knarr.language.plain import one_line, shortened

_MAX_INDENT = 12
_MOST_ATTRIBUTE_CHARS = 2_000


def write_outline(writer: MarkdownWriter, root: etree._Element) -> None:
    """Write an element and everything below it; no recursion."""
    lines: list[str] = []
    stack: list[tuple[etree._Element, int]] = [(root, 0)]
    while stack:
        element, depth = stack.pop()
        name = local(element)
        if not name:
            continue
        indent = "  " * min(depth, _MAX_INDENT)
        said = _attributes(element)
        text = one_line(element.text or "")
        inner = [one for one in element if isinstance(one.tag, str)]
        mixed = any((one.tail or "").strip() for one in inner) or (bool(text) and bool(inner))
        if mixed:
            # Marks inside of text: the words are read in one piece.
            text, inner = one_line(all_text(element)), []
        label = f"{name} ({said})" if said else name
        if text or said or inner:
            lines.append(f"{indent}- {label}: {text}" if text else f"{indent}- {label}")
        stack.extend((one, depth + 1) for one in reversed(inner))
    if any(": " in line or "(" in line for line in lines):
        writer.put("".join(f"{line}\n" for line in lines))


def _attributes(element: etree._Element) -> str:
    parts = []
    for key, value in element.attrib.items():
        name = str(key).rpartition("}")[2]
        if value and name not in ("schemaLocation", "noNamespaceSchemaLocation"):
            parts.append(f"{name}={one_line(str(value))}")
    return shortened(", ".join(parts), _MOST_ATTRIBUTE_CHARS)
