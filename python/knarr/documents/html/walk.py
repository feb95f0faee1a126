"""Walks an HTML tree without recursion, since a page may be deeper than Python's stack."""

from __future__ import annotations

from typing import Protocol

from selectolax.lexbor import LexborNode


class Visitor(Protocol):
    """What a walk tells: text in order, and each element on the way in and out."""

    def text(self, text: str) -> None: ...

    def enter(self, node: LexborNode) -> bool:
        """Whether to go into this element; if not, `leave` is not called for it."""
        ...

    def leave(self, node: LexborNode) -> None: ...


def walk(root: LexborNode, visitor: Visitor) -> None:
    """Visit `root` and all below it in document order."""
    node: LexborNode | None = root
    depth = 0
    while node is not None:
        if node.is_text_node:
            visitor.text(node.text_content or "")
        elif node.is_element_node and visitor.enter(node):
            child = node.first_child
            if child is not None:
                node, depth = child, depth + 1
                continue
            visitor.leave(node)
        while depth and node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            if node is not None:
                visitor.leave(node)
        if not depth or node is None:
            return
        node = node.next
