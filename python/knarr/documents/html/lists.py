"""The numbers of a page's lists as the page shows them: start, value, reversed."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

_MOST_DIGITS = 8
_MOST_ITEMS = 100_000


class ListNumbers:
    """One open list; `marker` is asked once for each item, in order."""

    def __init__(self, node: LexborNode) -> None:
        self._next: int | None = None
        self._step = 1
        if node.tag != "ol":
            return
        start = _number(node.attributes.get("start"))
        if "reversed" in node.attributes:
            self._step = -1
            start = _items(node) if start is None else start
        self._next = 1 if start is None else start

    def marker(self, node: LexborNode) -> str:
        """What stands before this item, with the space after it."""
        if self._next is None:
            return "- "
        value = _number(node.attributes.get("value"))
        number = self._next if value is None else value
        self._next = number + self._step
        return f"{number}. "


def _items(node: LexborNode) -> int:
    count, child = 0, node.first_child
    while child is not None and count < _MOST_ITEMS:
        count += child.tag == "li"
        child = child.next
    return count


def _number(value: str | None) -> int | None:
    digits = (value or "").strip()
    plain = digits.removeprefix("-")
    return int(digits) if plain.isdecimal() and len(plain) <= _MOST_DIGITS else None
