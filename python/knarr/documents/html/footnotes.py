"""The notes that raised links in the text lead to: they are text, wherever on the page they stand.

A note keeps its number, which is what the text says in brackets, so that both stay together for a reader. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborNode

from knarr.documents.html.boxes import Boxes

_MOST_NOTES = 10_000


def notes(boxes: Boxes, text: LexborNode) -> set[int]:
    """The boxes that are, or begin with, what raised links of `text` lead to on the same page."""
    wanted: set[str] = set()
    for link in text.css("sup a[href^='#'], a[role=doc-noteref], a.footnote-ref, a > sup"):
        target = link if link.tag == "a" else link.parent
        place = (target.attributes.get("href") or "") if target is not None else ""
        if place.startswith("#") and len(wanted) < _MOST_NOTES:
            wanted.add(place[1:])
    wanted.discard("")
    if not wanted:
        return set()
    return {at for at, node in enumerate(boxes.nodes) if at and not wanted.isdisjoint(_names(node))}


def _names(node: LexborNode) -> Iterable[str]:
    """The names of the place where a box begins."""
    own = node.attributes.get("id")
    if own:
        yield own
    child = node.first_child
    while child is not None and child.is_text_node and not (child.text_content or "").strip():
        child = child.next
    if child is not None and child.tag in ("a", "span", "sup"):
        attributes = child.attributes
        for name in (attributes.get("id"), attributes.get("name")):
            if name:
                yield name
