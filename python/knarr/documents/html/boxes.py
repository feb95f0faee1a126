"""The boxes of a page and how much text of which kind each holds: what the main text is chosen by.

A box is an element that is no mere run of letters. A paragraph belongs to the box that it ends in. It is content when
it is a sentence or more that is not mostly link, or stands in a list, table or preformatted block: bylines, dates,
teasers and menus are none of these. Sizes are counted in UTF-8 bytes, for a Chinese character says about as much as
three Latin letters.

One walk; sums are taken once, from the last box to the first. Cost: linear in the page.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

from knarr.documents.html.elements import BLOCKS, HEADINGS, Omission
from knarr.documents.html.hints import hint, names_body, names_caption
from knarr.language.plain import one_line

_RUNS = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "input", "ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
_BORDERS = BLOCKS | HEADINGS
_ITEMS = frozenset(("li", "dd", "dt", "td", "th", "pre"))
_LEAST_CONTENT, _LEAST_SENTENCE = 80, 30
_STOPS = frozenset('.!?…"”“»:;。！？」』)')
_ADDRESSES = ("http://", "https://", "www.", "doi:")
_FRAME = frozenset(("navigation", "page header", "page footer", "sidebars", "share bars"))
_FRAME_LINKS = 0.2
_MOST_LINK, _MOST_LINK_OF_ITEM = 0.5, 0.3
_MOST_LINE = 240
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif)(?:[?#]|$)", re.IGNORECASE)


class Boxes:
    """A visitor that lists the boxes in document order, so that a box comes before all inside it.

    parents:   the number of the box around each; the first is its own
    kinds:     what its names hint that it is, "" for text (see `hints`)
    sizes, links, content:  bytes of its own paragraphs, of those in links, and of content
    chars:     characters of text that stand in it and in no box inside it
    away, linked_pictures:  its own links to other pages, and its own pictures that are such links
    lines:     the text of a box that holds one short paragraph of its own, and what of it stands before the first link
    omitted:   elements that are left out as what, by `LexborNode.mem_id`; `dropped` counts their characters
    """

    def __init__(self, omission: Omission) -> None:
        self.nodes: list[LexborNode] = []
        self.tags: list[str] = []
        self.parents = array("q")
        self.kinds: list[str] = []
        self.bodies: list[bool] = []
        self.captions: list[bool] = []
        self.landmarks: list[bool] = []
        self.sizes, self.links, self.content, self.chars = array("q"), array("q"), array("q"), array("q")
        self.away, self.linked_pictures = array("q"), array("q")
        self.lines: dict[int, tuple[str, str]] = {}
        self.omitted: dict[int, str] = {}
        self.dropped: Counter[str] = Counter()
        self._omission = omission
        self._open: list[int] = []
        self._links = self._run = self._run_link = 0
        self._leads_away = False
        self._pieces: list[str] = []
        self._before = 0  # pieces of the open paragraph before its first link
        self._last = ""

    def text(self, text: str) -> None:
        text = text.strip()
        if not text or not self._open:
            return
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        self._run += size
        # An address that is written out is text: notes and references are lists of them.
        if self._links and not text.startswith(_ADDRESSES):
            self._run_link += size
        if self._run <= _MOST_LINE:
            if not self._links and self._before == len(self._pieces) and not self._run_link:
                self._before += 1
            self._pieces.append(text)
        self._last = text[-1]
        self.chars[self._open[-1]] += len(text)

    def enter(self, node: LexborNode) -> bool:
        kind = self._omission(node)
        if kind is not None:
            self.omitted[node.mem_id] = kind
            if kind:
                self.dropped[kind] += len(node.text().strip())
            return False
        tag = node.tag or ""
        if tag == "a":
            self._links += 1
            self._leads_away = _leads_away(node)
        elif tag == "img" and self._links and self._leads_away and self._open:
            self.linked_pictures[self._open[-1]] += 1
        if tag not in _RUNS or not self._open:
            if tag in _BORDERS:
                self._end_run()
            self._add(node, tag)
        if tag == "a" and self._leads_away:
            self.away[self._open[-1]] += 1
        return True

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "a":
            self._links -= 1
        if tag not in _RUNS or (len(self._open) == 1 and node.mem_id == self.nodes[0].mem_id):
            if tag in _BORDERS or len(self._open) == 1:
                self._end_run()
            self._open.pop()

    def sums(self, values: Sequence[int]) -> list[int]:
        """For each box the sum over it and all inside it."""
        found = list(values)
        for at in range(len(found) - 1, 0, -1):
            found[self.parents[at]] += found[at]
        return found

    def ends(self) -> list[int]:
        """For each box the number of the first box after it and all inside it."""
        self._ends = list(range(1, len(self.tags) + 1))
        for at in range(len(self._ends) - 1, 0, -1):
            parent = self.parents[at]
            self._ends[parent] = max(self._ends[parent], self._ends[at])
        return self._ends

    def children(self, at: int) -> Iterator[int]:
        """The boxes right inside of one, in order; `ends` must have been asked for before."""
        child, end = at + 1, self._ends[at]
        while child < end:
            yield child
            child = self._ends[child]

    def ends_of(self, at: int) -> int:
        """The number of the first box after one and all inside it; `ends` must have been asked for before."""
        return self._ends[at]

    def is_framed(self) -> bool:
        """Whether the page has a frame: navigation or a head and foot of the page, by tag or name, or many links."""
        return (
            bool(_FRAME & self.dropped.keys())
            or not _FRAME.isdisjoint(self.kinds)
            or sum(self.links) > _FRAME_LINKS * sum(self.sizes)
        )

    def _add(self, node: LexborNode, tag: str) -> None:
        inner = bool(self._open)
        kind = (hint(node) or ("asides" if tag == "aside" else "")) if inner else ""
        self.parents.append(self._open[-1] if inner else 0)
        self._open.append(len(self.nodes))
        self.nodes.append(node)
        self.tags.append(tag)
        self.kinds.append(kind)
        self.bodies.append(inner and not kind and names_body(node))
        self.captions.append(inner and (tag in ("figure", "figcaption") or names_caption(node)))
        self.landmarks.append(tag in ("main", "article") or node.attributes.get("role") == "main")
        for values in (self.sizes, self.links, self.content, self.chars, self.away, self.linked_pictures):
            values.append(0)

    def _end_run(self) -> None:
        """The open paragraph ends; it belongs to the innermost open box."""
        size, link = self._run, self._run_link
        if not size or not self._open:
            return
        box = self._open[-1]
        self._run = self._run_link = 0
        if size <= _MOST_LINE and not self.sizes[box]:
            self.lines[box] = (
                one_line(" ".join(self._pieces)),
                one_line(" ".join(self._pieces[: self._before])),
            )
        else:
            self.lines.pop(box, None)
        self._pieces.clear()
        self._before = 0
        self.sizes[box] += size
        self.links[box] += link
        if self.tags[box] in _ITEMS:
            counts = link <= _MOST_LINK_OF_ITEM * size
        else:
            least = _LEAST_SENTENCE if self._last in _STOPS else _LEAST_CONTENT
            counts = size >= least and link <= _MOST_LINK * size
        if counts:
            self.content[box] += size - link


def _leads_away(link: LexborNode) -> bool:
    """Whether a link leads to another page: not to a place on this one, nor to a picture."""
    target = (link.attributes.get("href") or "")[:1_000].strip()
    return bool(target) and not target.startswith(("#", "javascript:")) and _PICTURE.search(target) is None
