"""What stands inside the text of an article and is none of it, by its structure and by the words that announce it.

A section goes with the heading that announces it ("Related articles", "3 comments") where it stands late or holds mostly
links. A line goes that is a word of the page's machinery, a picture's credit, or a link behind "Read also:". All of it is the
lesser part of the text, else it stays. Cost: linear in the page, save for headings in a row that announce the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from knarr.documents.html.announced import announces, is_credit, is_label, leads_away
from knarr.documents.html.boxes import Boxes
from knarr.documents.html.elements import HEADINGS

ANNOUNCED = "more to read and comments"
CREDITS = "picture credits"
LABELS = "labels"
READ_ALSO = "lists of links"
_SMALL = 0.3  # of the content of the text
_LATE, _LINKED = 0.6, 0.3
_MOST_SIBLINGS = 200
_READ_ALSO_SIZE, _READ_ALSO_LINK = 200, 0.5
_INSIDE = frozenset(("blockquote", "li", "td", "dd", "th", "dt", "pre"))


def line_kind(boxes: Boxes, at: int, size: int) -> str:
    """What a box of `size` that is one short line is left out as, "" when it is read."""
    text, before = boxes.lines.get(at, ("", ""))
    tag = boxes.tags[at]
    if not text or size != boxes.sizes[at] or tag in _INSIDE or boxes.tags[boxes.parents[at]] in _INSIDE:
        return ""
    if tag not in HEADINGS and is_label(text):
        return LABELS
    if tag not in HEADINGS and is_credit(text):
        return CREDITS
    linked = boxes.links[at] >= _READ_ALSO_LINK * boxes.sizes[at] and boxes.sizes[at] <= _READ_ALSO_SIZE
    return READ_ALSO if linked and before and leads_away(before) else ""


class Announced:
    """The sections of a text that announce themselves as something else; `found` are their boxes."""

    def __init__(
        self, boxes: Boxes, root: int, content: Sequence[int], sizes: Sequence[int], links: Sequence[int]
    ) -> None:
        self.found: set[int] = set()
        self._boxes, self._root = boxes, root
        self._content, self._sizes, self._links = content, sizes, links
        self._ends = boxes.ends()
        self._size_before = [0, *accumulate(boxes.sizes)]
        self._content_before = [0, *accumulate(boxes.content)]
        at, end = root + 1, self._ends[root]
        while at < end:
            text = boxes.lines.get(at, ("", ""))[0]
            dropped = self._section(at) if text and announces(text) else []
            self.found.update(dropped)
            at = self._ends[dropped[-1]] if dropped else at + 1

    def _section(self, at: int) -> list[int]:
        """What a heading or label announces, with itself; nothing where that is no lesser thing."""
        top = self._announced_by(at)
        if self._sizes[top] > self._sizes[at]:
            return [top] if self._is_clutter([top], at) else []
        after = self._after(top, self._boxes.tags[at])
        return [top, *after] if after and self._is_clutter(after, at) else []

    def _announced_by(self, at: int) -> int:
        """The largest element that begins with this line and is a lesser part of the text."""
        top = at
        while True:
            parent = self._boxes.parents[top]
            if (
                parent == self._root
                or self._size_before[parent] != self._size_before[at]
                or self._content[parent] > _SMALL * self._content[self._root]
                or (self._sizes[top] > self._sizes[at] and self._has_heading_after(top, parent))
            ):
                return top
            top = parent

    def _has_heading_after(self, top: int, parent: int) -> bool:
        ends = self._ends
        return ends[top] < ends[parent] and any(
            self._boxes.tags[at] in HEADINGS
            for at in range(ends[top], min(ends[parent], ends[top] + _MOST_SIBLINGS))
        )

    def _after(self, top: int, tag: str) -> list[int]:
        """The elements after a heading up to the next of its rank; after a label, the next one."""
        found: list[int] = []
        at, end = self._ends[top], self._ends[self._boxes.parents[top]]
        while at < end and len(found) < _MOST_SIBLINGS:
            inner = self._boxes.tags[at]
            if inner in HEADINGS and (tag not in HEADINGS or inner <= tag):
                break
            found.append(at)
            if tag not in HEADINGS and self._sizes[at]:
                break
            at = self._ends[at]
        return found

    def _is_clutter(self, boxes: Sequence[int], at: int) -> bool:
        content, size, link = (
            sum(values[box] for box in boxes) for values in (self._content, self._sizes, self._links)
        )
        whole = self._content[self._root]
        read = self._content_before[at] - self._content_before[self._root]
        return content <= _SMALL * whole and (read >= _LATE * whole or link >= _LINKED * size)
