"""Teaser cards of a page: several elements alike, each a picture or title that leads elsewhere and a few words.

Elements are alike when they have the same name and the same classes (numbers do not count) and stand in the same
element. One alone is no sign, and neither is a list of links with remarks: a card has a picture or a title that is a
link. Pictures that lead to a larger picture are a gallery, which is text. Cost: linear in the page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from knarr.documents.html.boxes import Boxes
from knarr.documents.html.elements import HEADINGS

TEASERS = "teasers"
_TAGS = frozenset(("div", "li", "article", "section", "td", "aside", "figure"))
_MOST_SIZE = 700
_LEAST_ALIKE, _SHARE_ALIKE = 2, 0.75
_TITLE_LINK, _SHARE_LINK = 0.7, 0.15
_DIGITS = re.compile(r"\d+")
_MOST_CLASS_CHARS = 200


def signature(node: LexborNode) -> tuple[str, str]:
    """What elements of the same make share: the name and the classes."""
    return node.tag or "", _DIGITS.sub("", (node.attributes.get("class") or "")[:_MOST_CLASS_CHARS])


def cards(boxes: Boxes, sizes: Sequence[int], links: Sequence[int]) -> list[int]:
    """The cards of a page in order, outermost first; `sizes` and `links` are the sums of the boxes'."""
    titles = [
        int(tag in HEADINGS and sizes[at] > 0 and links[at] >= _TITLE_LINK * sizes[at])
        for at, tag in enumerate(boxes.tags)
    ]
    linked = [title or picture for title, picture in zip(titles, boxes.linked_pictures, strict=True)]
    marks, away = boxes.sums(linked), boxes.sums(boxes.away)
    alike: dict[int, list[int]] = defaultdict(list)
    for at in range(1, len(boxes.tags)):
        if (
            boxes.tags[at] in _TAGS
            and marks[at]
            and away[at]
            and _SHARE_LINK * sizes[at] <= links[at]
            and 0 < sizes[at] <= _MOST_SIZE
        ):
            alike[boxes.parents[at]].append(at)
    found: list[int] = []
    for parent, candidates in alike.items():
        if len(candidates) >= _LEAST_ALIKE:
            found += _alike(boxes, parent, set(candidates))
    return sorted(found)


def _alike(boxes: Boxes, parent: int, candidates: set[int]) -> list[int]:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for child in boxes.children(parent):
        if boxes.tags[child] in _TAGS:
            groups[signature(boxes.nodes[child])].append(child)
    found: list[int] = []
    for group in groups.values():
        held = [at for at in group if at in candidates]
        if len(held) >= _LEAST_ALIKE and len(held) >= _SHARE_ALIKE * len(group):
            found += held
    return found
