"""Running headers, footers and page numbers: the lines that pages repeat at their top and bottom.

Leaving out too little costs some noise, leaving out too much costs the reader a value. So a line is
furniture only when nothing but furniture is further out on its page, or it is written along the side of it, and
- the same text, figures included, is at the same height on several pages, and no page has other figures, or another
  value after the same label, in its place: "Result: 4.0" beside "Result: 5.1" is data on every page; or
- it shows a number that counts with the pages and has the form of a page number (see `page_numbers`).
Labels ("Name:") and the column heads of tables that go on over pages are content, however often they come. A
running title that not all of the document has is the title of a part: its first appearance is kept, and so is that of
furniture that says more than a title.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass

from knarr.documents.pdf.body import close
from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.page_numbers import PageNumber, page_number

_DEPTH = 4
_HEIGHT_TOLERANCE = 5.0
_FEWEST_PAGES = 3
_LEAST_SHARE = 0.15
# A title of the whole document begins on one of its first pages, ends on one of its last, and is on every other page.
_FIRST_PAGES = 2
_WHOLE_SHARE = 0.35
# Where a title stands before the number, the number must be on as many pages, and be no greater than the page's.
_TITLED_SHARE = 0.4
# Where more than this share of the text would go, the text repeats itself, and nothing is furniture.
_MOST_SHARE = 0.4
_LEADING = 1.5
# So much is more than a title.
_MANY_LINES, _MANY_CHARS = 3, 120
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_LABELLED = re.compile(r"([^:]{1,60}:)\s")


@dataclass(frozen=True, slots=True)
class _Edge:
    """A line near the top or bottom of its page."""

    top: bool
    text: str
    line: Line
    number: PageNumber | None

    @property
    def key(self) -> tuple[int, bool]:
        return id(self.line), self.top


def without_furniture(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], tuple[str, ...]]:
    """The pages without their furniture, and the texts that were dropped: each distinct text once, and of page
    numbers the first."""
    edges = [(_edges(lines, True), _edges(lines, False), *_margins(lines)) for lines in pages]
    every = [edge for sides in edges for side in sides for edge in side]
    counting = _counting(every, len(pages))
    repeated = _repeated([edge for edge in every if edge.key not in counting], len(pages))
    firsts = _first_appearances(repeated, len(pages))
    furniture = counting.keys() | repeated.keys()
    dropped: dict[str, str] = {}
    kept: list[list[Line]] = []
    for lines, sides in zip(pages, edges, strict=True):
        outers = [_outermost(side, furniture, counting.keys()) for side in sides]
        # A page with nothing else, as a scanned one under a printed letterhead, must not pass for one with text.
        bare = len({id(edge.line) for outer in outers for edge in outer}) == len(lines)
        gone: set[int] = set()
        for outer in outers:
            says = not bare and _says_something(outer, counting.keys())
            for edge in outer:
                if edge.key in firsts:
                    continue
                number = counting.get(edge.key)
                first = says and number is None and edge.text not in dropped
                dropped.setdefault(f"# {number}" if number else edge.text, " ".join(edge.line.text.split()))
                if not first:
                    gone.add(id(edge.line))
        kept.append([line for line in lines if id(line) not in gone])
    if _chars(kept) < (1 - _MOST_SHARE) * _chars(pages):
        return list(pages), ()
    return kept, tuple(dropped.values())


def _chars(pages: Sequence[list[Line]]) -> int:
    return sum(len(line.text) for lines in pages for line in lines)


def _edges(lines: Sequence[Line], top: bool) -> list[_Edge]:
    """The outer lines of a page that may be furniture, outermost first."""
    upright = [line for line in lines if not line.aside]
    found = [
        _edge(line, top)
        for line in sorted(upright, key=lambda line: -line.y if top else line.y)[: _DEPTH + 1]
    ]
    return found[: _outside_tables(found)]


def _margins(lines: Sequence[Line]) -> list[list[_Edge]]:
    """The lines written along a side of a page, as the stamps of those who hand a file out are; each on its own."""
    return [[_edge(line, False)] for line in lines if line.aside][:_DEPTH]


def _edge(line: Line, top: bool) -> _Edge:
    return _Edge(top, " ".join(line.text.lower().split()), line, page_number(line))


def _outside_tables(edges: Sequence[_Edge]) -> int:
    """How many of the lines are further out than the column heads, or the last rows, of a table: rows of
    several cells close to each other, and the lines of several cells right above them."""
    for at, (outer, inner) in enumerate(itertools.pairwise(edges)):
        if outer.line.cells > 1 and inner.line.cells > 1 and _close(outer, inner):
            return at
    return _DEPTH


def _close(outer: _Edge, inner: _Edge) -> bool:
    return close(outer.line, inner.line) if outer.top else close(inner.line, outer.line)


def _outermost(
    edges: Sequence[_Edge], furniture: Set[tuple[int, bool]], counting: Set[tuple[int, bool]]
) -> list[_Edge]:
    """The furniture outside of all else, without lines that go on into the text: these belong to it."""
    found = list(itertools.takewhile(lambda edge: edge.key in furniture, edges))
    while found and len(found) < len(edges) and found[-1].key not in counting:
        if not _in_one_paragraph(found[-1].line, edges[len(found)].line):
            break
        found.pop()
    return found


def _says_something(edges: Sequence[_Edge], counting: Set[tuple[int, bool]]) -> bool:
    """Whether furniture on one side of a page is more than a title: an address, a remark, terms of use. It is kept where
    it comes first."""
    repeated = [len(edge.text) for edge in edges if edge.key not in counting]
    return len(repeated) >= _MANY_LINES or sum(repeated) >= _MANY_CHARS


def _in_one_paragraph(one: Line, other: Line) -> bool:
    alike = (one.size, one.bold, one.italic, 1) == (other.size, other.bold, other.italic, one.cells)
    near = abs(one.y - other.y) <= _LEADING * one.size and abs(one.x0 - other.x0) <= one.size
    return alike and near and other.cells == 1


def _fewest(pages: int) -> float:
    return max(_FEWEST_PAGES, _LEAST_SHARE * min(pages, 60))


def _counting(edges: Sequence[_Edge], pages: int) -> dict[tuple[int, bool], str]:
    """The lines whose number counts with the pages, in the form of a page number, and the words around it."""
    groups: dict[tuple[bool, str], list[tuple[_Edge, PageNumber]]] = defaultdict(list)
    for edge in edges:
        if edge.number is not None:
            groups[edge.top, edge.number.title].append((edge, edge.number))
    found: dict[tuple[int, bool], str] = {}
    for group in groups.values():
        ahead = Counter(number.number - edge.line.page for edge, number in group)
        numbered = max(ahead.values()) >= _FEWEST_PAGES
        for edge, number in group:
            offset = number.number - edge.line.page
            if ahead[offset] >= _enough(number, offset, pages, numbered):
                found[edge.key] = number.title or "alone"
    return found


def _enough(number: PageNumber, offset: int, pages: int, numbered: bool) -> float:
    """On how many pages a number must count with them. Two are enough where it says that it is theirs, or where
    other pages are `numbered` in the same way."""
    if number.named:
        return 2
    if number.titled:
        return max(_FEWEST_PAGES, _TITLED_SHARE * pages) if offset <= 1 else pages + 1
    return 2 if numbered or (offset == 1 and not number.title) else _FEWEST_PAGES


def _repeated(edges: Sequence[_Edge], pages: int) -> dict[tuple[int, bool], _Edge]:
    """The lines whose very text is at one height on enough pages, where nothing else takes its place."""
    fewest = _fewest(pages)
    groups: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    rivals: dict[tuple[bool, str, int], set[str]] = defaultdict(set)
    for edge in edges:
        groups[edge.top, edge.text].append(edge)
        for form in _forms(edge.text):
            rivals[edge.top, form, _step(edge)].add(edge.text)
    found: dict[tuple[int, bool], _Edge] = {}
    for group in groups.values():
        if len(group) < fewest or group[0].text.endswith(":"):
            continue
        at_height = _at_one_height(group, fewest)
        if not any(_has_rival(edge, rivals) for edge in at_height):
            found |= {edge.key: edge for edge in at_height}
    return found


def _step(edge: _Edge) -> int:
    return int(edge.line.y // _HEIGHT_TOLERANCE)


def _forms(text: str) -> tuple[str, ...]:
    """What lines that differ in a value only have in common."""
    label = _LABELLED.match(text)
    return tuple(
        form for form in (_DIGITS.sub("#", text), label[1] if label else "") if form and form != text
    )


def _has_rival(edge: _Edge, rivals: dict[tuple[bool, str, int], set[str]]) -> bool:
    none = set[str]()
    here = (
        rivals.get((edge.top, form, _step(edge) + aside), none)
        for form in _forms(edge.text)
        for aside in (-1, 0, 1)
    )
    return any(texts and (len(texts) > 1 or edge.text not in texts) for texts in here)


def _at_one_height(group: list[_Edge], fewest: float) -> list[_Edge]:
    """The lines at a height where, give or take a little, enough pages have one."""
    pages: dict[int, set[int]] = defaultdict(set)
    for edge in group:
        pages[_step(edge)].add(edge.line.page)
    none = frozenset[int]()
    often = {
        step
        for step in pages
        if len(pages[step].union(pages.get(step - 1, none), pages.get(step + 1, none))) >= fewest
    }
    return [edge for edge in group if _step(edge) in often]


def _first_appearances(repeated: dict[tuple[int, bool], _Edge], pages: int) -> frozenset[tuple[int, bool]]:
    """The first line of each text that heads a part of the document only."""
    groups: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    for edge in repeated.values():
        groups[edge.top, edge.text].append(edge)
    return frozenset(
        group[0].key
        for (_, text), group in groups.items()
        if "continued" not in text and not _of_the_whole(group, pages)
    )


def _of_the_whole(group: Sequence[_Edge], pages: int) -> bool:
    begin, end = group[0].line.page, group[-1].line.page
    return (
        begin <= _FIRST_PAGES
        and end >= pages - 1 - _FIRST_PAGES
        and len(group) >= _WHOLE_SHARE * (end + 1 - begin)
    )
