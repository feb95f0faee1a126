"""An equation's elements, whichever library parsed them.

Readers of equations recurse, and files may nest deeper than Python's stack: below `DEEPEST` levels an element is
its text, gathered without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lxml import etree

DEEPEST = 60

N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its local name, in lower case for MathML; `text` is that of a leaf."""

    name: str
    attributes: Mapping[str, str]
    text: str
    children: tuple[Element, ...]

    def child(self, name: str) -> Element | None:
        """The first child of a name."""
        return next((child for child in self.children if child.name == name), None)


def build(
    node: N,
    name: Callable[[N], str],
    attributes: Callable[[N], Mapping[str, str]],
    children: Callable[[N], Iterable[N | str]],
    depth: int = 0,
) -> Element:
    """The tree below a node of a library: `children` gives elements, and text as strings, in order.

    Text beside elements becomes leaves named "" of its own. An element with nothing but text is a leaf.
    """
    parts = list(children(node))
    if depth == DEEPEST or all(isinstance(part, str) for part in parts):
        return Element(name(node), attributes(node), _flat(parts, children), ())
    below = tuple(
        Element("", {}, part, ())
        if isinstance(part, str)
        else build(part, name, attributes, children, depth + 1)
        for part in parts
        if not isinstance(part, str) or part.strip()
    )
    return Element(name(node), attributes(node), "", below)


def _flat(parts: list[N | str], children: Callable[[N], Iterable[N | str]]) -> str:
    texts, stack = [], parts[::-1]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            texts.append(part)
        else:
            stack.extend(list(children(part))[::-1])
    return "".join(texts)


def from_lxml(element: etree._Element) -> Element:
    """The tree of an element that lxml parsed; namespaces are dropped, comments and instructions too."""
    return build(element, _local, _attributes, _parts)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _attributes(element: etree._Element) -> dict[str, str]:
    return {str(key).rpartition("}")[2]: str(value) for key, value in element.attrib.items()}


def _parts(element: etree._Element) -> Iterable[etree._Element | str]:
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str):
            yield child
        if child.tail:
            yield child.tail
