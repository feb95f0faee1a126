"""The main text of a page: which elements are read, and what is left out in and beside them.

**Where.** The text stands below ``<main>`` or ``<article>`` where that holds most of the content (see `boxes`). From
there, in an article, it is looked for where an element is named as the body, and else down the elements that hold most
of their parent's content; paragraphs between the top heading and the body (the lead) are read too. A page that is no
article is read whole.

**What not.** Names that hint at something else (comments, related links, share bars) count only while what they name
is the lesser part: in a forum the comments are the text. Pages that are marked as articles also lose teaser cards, other
articles and what announces itself as something else (see `cards`, `others`, `clutter`). In articles lists of nothing but links go as well, and
headings that announced only what was left out.

Nothing is decided by one sign alone, everything left out is counted by kind. Cost: linear in the page.
"""

from __future__ import annotations

from collections import deque

from knarr.documents.html.boxes import Boxes
from knarr.documents.html.cards import TEASERS, cards, signature
from knarr.documents.html.clutter import ANNOUNCED, Announced, line_kind
from knarr.documents.html.elements import HEADINGS
from knarr.documents.html.footnotes import notes
from knarr.documents.html.furniture import furniture
from knarr.documents.html.hints import BYLINES, COMMENTS, HARD
from knarr.documents.html.others import OTHERS, other_articles

BESIDE = "beside the main text"
LINKS = "lists of links"
_ORPHANS = "headings of what was left out"
_REPEATED = "lines said before"
_UNDIVIDED = HEADINGS | {
    "p", "ul", "ol", "dl", "li", "dd", "dt", "table", "tbody", "tr", "td", "pre", "blockquote", "figure", "figcaption",
    "form",
}  # fmt: skip
_IN_GALLERY = frozenset(("li", "figure", "figcaption"))
_MOST_MAINS = 4
_LANDMARK = 0.6  # of the content of the page
_BODY_LEAST, _BODY_SHARE, _BODY_RIVAL = 200, 0.25, 3
# How much of its parent's content an element must hold to be the text by itself.
_ARTICLE_SHARE, _NAMED_SHARE = 0.75, 0.85
_ARTICLE_BOX = 0.8
_LEAST_COMMENTED = 800
_LEAST_BESIDE_HARD = 300
_MOST_LEAD = 1_500
_LEAST_LEAD = 60
_MOST_BYLINE = 300
_SMALL = 0.3  # what is left out inside the text holds at most so much of its content
_LEAST_CAPTION, _LONG_CAPTION = 20, 2_000
_SHORT_LINK = range(16, 200)
_BESIDE_CARDS = 1_500
_LEAST_SENTENCE = 60
_LEAST_REPEATED, _NEAR_LINES = 40, 4
_LEAST_PART = 200


class MainText:
    """The choice for one page. `pieces` are the boxes to read, in order; what is left out inside them is marked in
    `Boxes.omitted` and all of it is counted in `Boxes.dropped`."""

    def __init__(self, boxes: Boxes, *, article: bool, marked: bool = False, titles: str = "") -> None:
        self._boxes, self._article, self._titles = boxes, article, titles
        self._marked = article and marked
        self._content = boxes.sums(boxes.content)
        self._sizes = boxes.sums(boxes.sizes)
        self._links = boxes.sums(boxes.links)
        self._chars = boxes.sums(boxes.chars)
        self._ends = boxes.ends()
        # More than one <main> is a mistake; a few are looked at.
        self._mains = [
            at
            for at, tag in enumerate(boxes.tags)
            if boxes.landmarks[at] and tag != "article" and self._sizes[at]
        ][:_MOST_MAINS]
        landmark = self._landmark()
        self._cards = self._lesser_cards(landmark) if self._marked else frozenset()
        self._others = self._lesser_others(landmark) if self._marked else frozenset()
        self._junk_kinds = self._lesser_kinds(landmark)
        self._junk, self._sure = self._weighed(landmark)
        self._root = self._found(landmark)
        self._notes, after = self._footnotes()
        self.pieces = [*self._leads(landmark), self._root, *after]
        self._announced = (
            Announced(boxes, self._root, self._content, self._sizes, self._links).found
            if self._marked
            else set()
        )
        self.demoted: set[int] = self._demoted() if self._marked else set()
        self._furniture = furniture(boxes)
        self._gone = [False] * len(boxes.tags)
        self._leave_out()

    def headings(self) -> int:
        """How many headings below the top one are read."""
        tags = self._boxes.tags
        inside = (at for piece in self.pieces for at in range(piece, self._ends[piece]))
        return sum(not self._gone[at] and tags[at] in HEADINGS and tags[at] != "h1" for at in inside)

    def title(self) -> str:
        """The words of the first top heading that is no part of something else, "" if none."""
        boxes = self._boxes
        for at, tag in enumerate(boxes.tags):
            if tag == "h1" and self._sizes[at] and not self._junk[at]:
                return boxes.nodes[at].text() if self._sizes[at] < _LONG_CAPTION else ""
        return ""

    def _landmark(self) -> int:
        """<main> before <article>, the one with more content before the other; 0 when none holds most of it."""
        boxes, content = self._boxes, self._content
        marks = [at for at in range(1, len(boxes.tags)) if boxes.landmarks[at]]
        marks.sort(key=lambda at: (boxes.tags[at] == "article", -content[at]))
        return next((at for at in marks if content[at] and content[at] >= _LANDMARK * content[0]), 0)

    def _lesser_kinds(self, root: int) -> frozenset[str]:
        """The kinds whose elements, taken together, are the lesser part of what `root` holds."""
        boxes, total, size = self._boxes, self._content[root], self._sizes[root]
        content: dict[str, int] = {}
        sizes: dict[str, int] = {}
        until: dict[str, int] = {}
        posted = False
        for at in range(root + 1, self._ends[root]):
            kind = boxes.kinds[at]
            named = boxes.bodies[at] and self._content[at] >= _BODY_LEAST
            posted = posted or (named and at >= until.get(COMMENTS, 0))
            if kind and at >= until.get(kind, 0) and self._content[at] < 0.9 * total + 1:
                content[kind] = content.get(kind, 0) + self._content[at]
                sizes[kind] = sizes.get(kind, 0) + self._sizes[at]
                until[kind] = self._ends[at]
        found = set()
        for kind, held in content.items():
            rest = total - held
            if kind == COMMENTS:
                lesser = rest >= _LEAST_COMMENTED or 4 * rest >= total or (posted and rest >= _BODY_LEAST)
            elif kind in HARD:
                lesser = size - sizes[kind] >= _LEAST_BESIDE_HARD or held <= 0.4 * total
            else:
                lesser = held <= 0.4 * total
            if lesser:
                found.add(kind)
        return frozenset(found)

    def _lesser_cards(self, root: int) -> frozenset[int]:
        """The teaser cards of the page, if they are the lesser part of it."""
        found = cards(self._boxes, self._sizes, self._links)
        held = sum(self._content[at] for at in found if root < at < self._ends[root])
        rest = self._content[root] - held
        return frozenset(found if 3 * rest >= held or rest >= _BESIDE_CARDS else ())

    def _lesser_others(self, root: int) -> frozenset[int]:
        """The other articles on the page, where enough is left beside them."""
        found = other_articles(self._boxes, self._titles, self._links, self._sizes)
        held = sum(self._content[at] for at in found if root < at < self._ends[root])
        return frozenset(found if self._content[root] - held >= _BODY_LEAST else ())

    def captioned(self) -> set[int]:
        """The elements that hold pictures and their caption, by `LexborNode.mem_id`."""
        boxes = self._boxes
        return {
            boxes.nodes[at].mem_id
            for at, caption in enumerate(boxes.captions)
            if caption and _LEAST_CAPTION <= self._sizes[at] <= _LONG_CAPTION
        }

    def _demoted(self) -> set[int]:
        """Headings that are no titles: a sentence between the title and the text, a picture alone."""
        boxes = self._boxes
        found: set[int] = set()
        begun = False
        for piece in self.pieces:
            for at in range(piece, self._ends[piece]):
                begun = begun or bool(
                    boxes.content[at] and not self._junk[at] and boxes.tags[at] not in HEADINGS
                )
                if boxes.tags[at] not in HEADINGS:
                    continue
                text = boxes.lines.get(at, ("", ""))[0]
                if not self._sizes[at] or (
                    not begun and boxes.tags[at] != "h1" and len(text) >= _LEAST_SENTENCE
                ):
                    found.add(boxes.nodes[at].mem_id)
        return found

    def _weighed(self, root: int) -> tuple[list[bool], list[int]]:
        """Which boxes hint that they are no text, and the content of each without those."""
        boxes = self._boxes
        own = list(boxes.content)
        junk = [False] * len(own)
        for at in range(root + 1, self._ends[root]):
            kind = boxes.kinds[at]
            small = kind == COMMENTS or self._content[at] < 0.6 * self._content[root] + 1
            junk[at] = (
                junk[boxes.parents[at]]
                or (kind in self._junk_kinds and small)
                or at in self._cards
                or at in self._others
            )
            if junk[at]:
                own[at] = 0
        return junk, boxes.sums(own)

    def _found(self, landmark: int) -> int:
        if not self._article:
            return landmark
        body = self._named_body(landmark)
        return self._descended(body, _ARTICLE_SHARE if body == landmark else _NAMED_SHARE)

    def _named_body(self, root: int) -> int:
        """The element that is named as the body of the article; `root` when there is none, or several."""
        sure = self._sure
        named = [at for at in range(root + 1, self._ends[root]) if self._boxes.bodies[at] and sure[at]]
        named.sort(key=lambda at: (-sure[at], -at))
        if not named or sure[named[0]] < max(_BODY_LEAST, _BODY_SHARE * sure[root]):
            return root
        top = named[0]
        rival = next((at for at in named if at >= self._ends[top] or self._ends[at] <= top), None)
        return root if rival is not None and sure[rival] * _BODY_RIVAL >= sure[top] else top

    def _descended(self, root: int, share: float) -> int:
        """Down from `root` while one child holds so much of its parent's content."""
        boxes, sure = self._boxes, self._sure
        at = root
        while True:
            best = max(boxes.children(at), key=lambda child: sure[child], default=0)
            if not best or not sure[best] or sure[best] < share * sure[at] or boxes.tags[best] in _UNDIVIDED:
                return at
            if any(at < main < best or self._ends[best] <= main < self._ends[at] for main in self._mains):
                return at
            if self._is_divided(at, best):
                return at
            at = best

    def _footnotes(self) -> tuple[set[int], list[int]]:
        """The notes to the text with all that is around them, and those of them that stand after it."""
        boxes, root = self._boxes, self._root
        around: set[int] = set()
        after: list[int] = []
        for at in sorted(notes(boxes, boxes.nodes[root])) if self._article else ():
            if root < at < self._ends[root]:
                while at != root and at not in around:
                    around.add(at)
                    at = boxes.parents[at]
            elif at >= self._ends[root] and (not after or at >= self._ends[after[-1]]):
                list_ = boxes.parents[at]
                after.append(list_ if boxes.tags[at] == "li" and list_ >= self._ends[root] else at)
        return around, after

    def _is_divided(self, parent: int, best: int) -> bool:
        """Whether elements made like the largest one hold text too: then the text stands in all of them."""
        boxes = self._boxes
        if boxes.tags[best] == "article":
            return False
        others = [
            at
            for at in boxes.children(parent)
            if at != best and self._sure[at] >= _LEAST_PART and self._links[at] < _SMALL * self._sizes[at]
        ]
        made = signature(boxes.nodes[best]) if others else ("", "")
        return bool(made[1]) and any(signature(boxes.nodes[at]) == made for at in others)

    def _leads(self, landmark: int) -> list[int]:
        """Paragraphs of content before the text, below the top heading, or in the element that is all article."""
        boxes, root = self._boxes, self._root
        at = root
        while at not in (0, landmark) and self._sure[boxes.parents[at]] * _ARTICLE_BOX <= self._sure[root]:
            at = boxes.parents[at]
        for top in range(root - 1, landmark, -1):
            if boxes.tags[top] == "h1" and not self._junk[top] and self._ends[top] <= root:
                at = self._ends[top]
                break
        found, size = [], 0
        while at < root:
            inside = self._ends[at] <= root
            if inside and not (self._junk[at] or boxes.captions[at]):
                if boxes.content[at] >= _LEAST_LEAD and boxes.links[at] < _SMALL * boxes.sizes[at]:
                    found.append(at)
                    size += self._content[at]
                else:
                    inside = False
            at = self._ends[at] if inside else at + 1
        return found if size <= _MOST_LEAD or not self._article else []

    def _leave_out(self) -> None:
        boxes = self._boxes
        captions: set[str] = set()
        recent: deque[str] = deque(maxlen=_NEAR_LINES)
        in_caption = [False] * len(boxes.tags)
        for piece in self.pieces:
            for at in range(piece + 1, self._ends[piece]):
                parent = boxes.parents[at]
                self._gone[at] = self._gone[parent]
                if self._gone[at]:
                    continue
                in_caption[at] = in_caption[parent] or boxes.captions[at]
                kind = self._kind(at)
                if not kind and in_caption[at] and boxes.sizes[at] > 30 and self._sizes[at] < _LONG_CAPTION:
                    text = boxes.nodes[at].text().strip()
                    kind = _REPEATED if text in captions else ""
                    captions.add(text)
                elif not kind and self._marked:
                    kind = self._said_before(at, recent)
                if kind:
                    self._omit(at, kind)
        if self._article:
            self._leave_out_headings()
        beside = self._chars[0] - sum(self._chars[piece] for piece in self.pieces)
        if beside:
            boxes.dropped[BESIDE] += beside

    def _said_before(self, at: int, recent: deque[str]) -> str:
        """Galleries say a caption for each size of a picture, one after the other."""
        boxes = self._boxes
        text = boxes.lines.get(at, ("", ""))[0]
        listed = _IN_GALLERY & {boxes.tags[at], boxes.tags[boxes.parents[at]]}
        if not listed or len(text) < _LEAST_REPEATED or boxes.sizes[at] != self._sizes[at]:
            return ""
        kind = _REPEATED if text in recent else ""
        recent.append(text)
        return kind

    def _kind(self, at: int) -> str:
        """What a box inside the text is left out as, "" when it is read."""
        boxes = self._boxes
        tag, kind, size, link = boxes.tags[at], boxes.kinds[at], self._sizes[at], self._links[at]
        if at in self._notes:
            return ""
        if at in self._furniture:
            return self._furniture[at]
        if at in self._announced:
            return ANNOUNCED
        if at in self._others:
            return OTHERS
        if tag in HEADINGS:
            return line_kind(boxes, at, size) if self._marked else ""
        small = self._content[at] < _SMALL * self._content[self._root] + 1
        dense = size and link > 0.5 * size
        if kind in self._junk_kinds and small and (self._article or kind in HARD or dense):
            return kind if kind != BYLINES or dense or size < _MOST_BYLINE else ""
        if not self._article or not self._is_prose():
            return ""
        if at in self._cards and small:
            return TEASERS
        line = line_kind(boxes, at, size) if self._marked else ""
        if line:
            return line
        if tag == "form" and small:
            return "forms"
        if tag in ("ul", "ol", "div", "section", "table") and link > 0.8 * size:
            return LINKS
        alone = boxes.tags[boxes.parents[at]] not in ("blockquote", "li", "td", "dd")
        return LINKS if tag == "p" and alone and size in _SHORT_LINK and link > 0.9 * size else ""

    def _is_prose(self) -> bool:
        """Whether the text found is one to be read, not a list of links or a form to be filled in."""
        root = self._root
        size, link = self._sizes[root], self._links[root]
        return link < 0.4 * size and 2 * self._sure[root] >= size - link

    def _omit(self, at: int, kind: str) -> None:
        boxes = self._boxes
        self._gone[at] = True
        boxes.omitted[boxes.nodes[at].mem_id] = kind
        boxes.dropped[kind] += self._chars[at]

    def _restore(self, at: int) -> None:
        boxes = self._boxes
        self._gone[at] = False
        boxes.dropped[boxes.omitted.pop(boxes.nodes[at].mem_id)] -= self._chars[at]

    def _leave_out_headings(self) -> None:
        """A heading goes with what it announced; one short link below a heading stays with it."""
        boxes = self._boxes
        heading = text = 0
        dropped: list[int] = []
        at, end = self._root + 1, self._ends[self._root]
        while at <= end:
            tag = boxes.tags[at] if at < end else "h1"
            if at < end and self._gone[at]:
                dropped.append(at)
                at = self._ends[at]
            elif tag in HEADINGS:
                alone = heading and self._is_linked(heading)
                if heading and (dropped or alone) and not text and (at == end or tag <= boxes.tags[heading]):
                    self._leave_out_heading(heading, dropped)
                if at == end:
                    return
                heading, text, dropped = at, 0, []
                at = self._ends[at]
            else:
                text += boxes.sizes[at]
                at += 1

    def _is_linked(self, heading: int) -> bool:
        """Whether a heading is no more than a link to another page."""
        boxes = self._boxes
        sized = self._links[heading] >= 0.9 * self._sizes[heading] > 0
        return self._marked and self._is_prose() and sized and any(boxes.away[heading : self._ends[heading]])

    def _leave_out_heading(self, heading: int, dropped: list[int]) -> None:
        boxes = self._boxes
        if not dropped:
            self._omit(heading, TEASERS)
            return
        first = boxes.omitted[boxes.nodes[dropped[0]].mem_id]
        if (
            len(dropped) == 1
            and first == LINKS
            and self._is_one_link(dropped[0])
            and self._chars[dropped[0]] < _SHORT_LINK.stop
        ):
            self._restore(dropped[0])
        else:
            self._omit(heading, _ORPHANS)

    def _is_one_link(self, at: int) -> bool:
        return sum(self._boxes.tags[inner] in ("li", "td", "p") for inner in range(at, self._ends[at])) <= 1
