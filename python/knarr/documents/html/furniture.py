"""The head and foot of printed pages that stand in a long page, as filings have them: the number of each page, the link
back to the contents, again and again.

A line that is a number is one of them where a rule or a break between pages stands next to it, and where such numbers
count up; a link to a place on the same page, where it comes with the same words many times and stands by itself.
Cost: linear.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

from selectolax.lexbor import LexborNode

from knarr.documents.html.boxes import Boxes

PAGE_NUMBERS, BACK_LINKS = "page numbers", "links back to the contents"
_NUMBER = re.compile(r"[-–—\s]*(?:[A-Z]{1,2}-)?(\d{1,4})[-–—\s]*")
_BREAK = re.compile(
    r"page-break-(?:before|after)\s*:\s*always|break-(?:before|after)\s*:\s*page", re.IGNORECASE
)
_LEAST = 3
_RISING = 0.8
_NEAR, _AROUND = 4, 3
_MOST_LINK = 40


def furniture(boxes: Boxes) -> dict[int, str]:
    """The boxes that are furniture of printed pages, and what of it each is."""
    numbers: list[tuple[int, int]] = []
    back: dict[str, list[int]] = defaultdict(list)
    for at, (text, _) in boxes.lines.items():
        if boxes.tags[at] not in ("p", "div", "center", "td"):
            continue
        found = _NUMBER.fullmatch(text) if len(text) < 16 else None
        if found:
            if boxes.tags[at] != "td" and _is_at_break(boxes.nodes[at]):
                numbers.append((int(found[1]), at))
        elif len(text) <= _MOST_LINK and boxes.links[at] == boxes.sizes[at] and not boxes.away[at]:
            back[text].append(at)
    marked = {at: BACK_LINKS for places in back.values() if len(places) >= _LEAST for at in places}
    rising = sum(after == before + 1 for (before, _), (after, _) in pairwise(numbers))
    if len(numbers) >= _LEAST and rising >= _RISING * (len(numbers) - 1):
        marked.update((at, PAGE_NUMBERS) for _, at in numbers)
    return marked


def _is_at_break(node: LexborNode) -> bool:
    """Whether a rule or the end of a printed page stands next to a node, or to one that ends with it."""
    around: LexborNode | None = node
    for _ in range(_AROUND):
        if around is None or around.tag in ("body", "html"):
            return False
        if _breaks(around):
            return True
        for sibling in (_next(around, forward=True), _next(around, forward=False)):
            if sibling is not None and (sibling.tag == "hr" or _breaks(sibling)):
                return True
        if _next(around, forward=True) is not None:
            return False
        around = around.parent
    return False


def _breaks(node: LexborNode) -> bool:
    return _BREAK.search((node.attributes.get("style") or "")[:500]) is not None


def _next(node: LexborNode, *, forward: bool) -> LexborNode | None:
    """The element beside a node, looking past white space."""
    beside = node.next if forward else node.prev
    for _ in range(_NEAR):
        if beside is None or beside.is_element_node:
            return beside
        beside = beside.next if forward else beside.prev
    return None
