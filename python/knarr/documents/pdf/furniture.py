"""Running headers, footers and page numbers: the lines that pages repeat at their top and bottom.

A line is furniture when the same text is at the same height on several pages, with numbers that stay
or that count with the pages, and nothing but furniture is further out on its page. A real heading at
the top of a page differs from page to page, and so it is kept. A running title that begins in
mid-document is the title of the part that begins there, so its first appearance is kept as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import Line

_DEPTH = 4
_NUMBER_CHARS = 40
_HEIGHT_TOLERANCE = 5.0
_FEWEST_PAGES = 3
_LEAST_SHARE = 0.15
_MID_DOCUMENT = 2
# Where more than this share of the text would go, the text repeats itself, and nothing is furniture.
_MOST_SHARE = 0.4
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_APART = re.compile(r"(page|[|•–—-])\s*#( of #)?$|^#\s*[|•–—-]")
_PAGE_NUMBER = re.compile(r"(page\s*)?[-–—|\s]*(#|[a-z]-#)[-–—|\s]*((of|/)\s*#)?[-–—|\s]*")


@dataclass(frozen=True, slots=True)
class _Edge:
    """A line near the top or bottom of its page."""

    key: tuple[bool, str]
    line: Line
    numbers: tuple[int, ...]


def without_furniture(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], tuple[str, ...]]:
    """The pages without their furniture, and the distinct texts that were dropped, digits as "#"."""
    groups: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    for lines in pages:
        for edge in (*_edges(lines, True), *_edges(lines, False)):
            groups[edge.key].append(edge)
    furniture = {
        (key, edge.line.page): edge for key, group in groups.items() for edge in _repeated(group, len(pages))
    }
    firsts = {key: min(edge.line.page for edge in group) for key, group in groups.items()}
    dropped: dict[str, None] = {}
    kept: list[list[Line]] = []
    for number, lines in enumerate(pages):
        dropped_lines: set[int] = set()
        for edge in _outermost(_edges(lines, True), furniture) + _outermost(_edges(lines, False), furniture):
            is_title = edge.line.bold and not _is_number(edge.key[1]) and "continued" not in edge.key[1]
            if is_title and firsts[edge.key] == number >= _MID_DOCUMENT:
                continue
            dropped_lines.add(id(edge.line))
            dropped[edge.key[1]] = None
        kept.append([line for line in lines if id(line) not in dropped_lines])
    if _chars(kept) < (1 - _MOST_SHARE) * _chars(pages):
        return list(pages), ()
    return kept, tuple(dropped)


def _chars(pages: Sequence[list[Line]]) -> int:
    return sum(len(line.text) for lines in pages for line in lines)


def _edges(lines: Sequence[Line], top: bool) -> list[_Edge]:
    """The outer lines of a page, outermost first."""
    order = sorted(lines, key=lambda line: -line.y if top else line.y)[:_DEPTH]
    return [
        _Edge((top, _key(line.text)), line, tuple(map(int, _DIGITS.findall(line.text)))) for line in order
    ]


def _outermost(edges: list[_Edge], furniture: dict[tuple[tuple[bool, str], int], _Edge]) -> list[_Edge]:
    found: list[_Edge] = []
    for edge in edges:
        if (edge.key, edge.line.page) not in furniture:
            break
        found.append(edge)
    return found


def _key(text: str) -> str:
    text = _DIGITS.sub("#", " ".join(text.lower().split()))
    return "#" if _ROMAN.fullmatch(text) else text


def _is_number(key: str) -> bool:
    return len(key) <= _NUMBER_CHARS and bool(_PAGE_NUMBER.fullmatch(key))


def _may_count(edge: _Edge) -> bool:
    """Whether its number may be the page's. At the top of pages "Chapter 3" counts up as well, so there
    the number must stand apart from the title."""
    return (
        not edge.key[0] or edge.line.cells > 1 or bool(_APART.search(edge.key[1])) or _is_number(edge.key[1])
    )


def _repeated(group: list[_Edge], pages: int) -> list[_Edge]:
    """Among lines of one text, those at one height on enough pages, with numbers that stay the same or
    count with the pages."""
    fewest = 2 if _is_number(group[0].key[1]) else max(_FEWEST_PAGES, _LEAST_SHARE * min(pages, 60))
    if len(group) < fewest:
        return []
    # Page numbers may move up and down with the text; titles keep their place.
    at_height = group if _is_number(group[0].key[1]) else _at_one_height(group, fewest)
    for place in range(max((len(edge.numbers) for edge in at_height), default=0)):
        same = Counter(edge.numbers[place] for edge in at_height if place < len(edge.numbers))
        counting = Counter(
            edge.numbers[place] - edge.line.page
            for edge in at_height
            if place < len(edge.numbers) and _may_count(edge)
        )
        at_height = [
            edge
            for edge in at_height
            if place >= len(edge.numbers)
            or same[edge.numbers[place]] >= fewest
            or counting[edge.numbers[place] - edge.line.page] >= fewest
        ]
    return at_height if len(at_height) >= fewest else []


def _at_one_height(group: list[_Edge], fewest: float) -> list[_Edge]:
    """The lines at a height where, give or take a little, enough pages have one."""
    pages: dict[int, set[int]] = defaultdict(set)
    for edge in group:
        pages[int(edge.line.y // _HEIGHT_TOLERANCE)].add(edge.line.page)
    none = frozenset[int]()
    often = {
        step
        for step in pages
        if len(pages[step].union(pages.get(step - 1, none), pages.get(step + 1, none))) >= fewest
    }
    return [edge for edge in group if int(edge.line.y // _HEIGHT_TOLERANCE) in often]
