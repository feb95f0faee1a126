"""The headings that a tagged PDF names itself: the elements H, H1 to H6 and Title of its structure tree.

An element names pieces of marked content by number; the words drawn by text objects of that number are its title.
Loaded in the worker process. Costs are bounded on a page; a page without headings costs a walk over its elements, no
look at its words.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

MAX_ELEMENTS, MAX_DEPTH, MAX_TITLE_WORDS = 20_000, 40, 60
_HEADING = re.compile(r"H[1-6]?|Title")
_PARTS = ("Sect", "Part", "Art", "Div")
# A structure tree says which element a page's content belongs to; one that is not there costs a call a page.


def tagged_headings(
    page: Any, text_page: Any, spans: list[tuple[str, int]], words: list[list[Any]]
) -> list[list[Any]]:
    """[depth, title, y] of each heading of a page, in the order of the tree. `spans`: text and first character of each of
    the page's `words`, which hold the places."""
    owners: dict[int, int] = {}
    depths: list[int] = []
    for depth, numbers in _elements(page):
        owners |= dict.fromkeys(numbers, len(depths))
        depths.append(depth)
    titles: list[list[str]] = [[] for _ in depths]
    heights: list[float] = [0.0] * len(depths)
    if not owners:
        return []
    for (text, at), word in zip(spans, words, strict=True):
        owner = owners.get(_content(text_page, at))
        if owner is None:
            continue
        if not titles[owner]:
            heights[owner] = word[3]
        if len(titles[owner]) <= MAX_TITLE_WORDS:
            titles[owner].append(text)
    return [
        [depth, " ".join(title).replace("\xad ", "-"), y]
        for depth, title, y in zip(depths, titles, heights, strict=True)
        if 0 < len(title) <= MAX_TITLE_WORDS
    ]


def _content(text_page: Any, at: int) -> int:
    """The number of the marked content that a character belongs to; -1 for none."""
    drawn = pdfium.FPDFText_GetTextObject(text_page, at)
    return pdfium.FPDFPageObj_GetMarkedContentID(drawn) if drawn else -1


def _elements(page: Any) -> Iterator[tuple[int, list[int]]]:
    """Depth and numbers of content of each heading element; the depth of an "H" is how many parts it is inside."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    try:
        children = max(0, pdfium.FPDF_StructTree_CountChildren(tree))
        stack = [(pdfium.FPDF_StructTree_GetChildAtIndex(tree, at), 0, 0) for at in _backwards(children)]
        for _ in range(MAX_ELEMENTS):
            if not stack:
                return
            element, parts, depth = stack.pop()
            if not element:
                continue
            kind = _kind(element)
            if _HEADING.fullmatch(kind):
                level = 0 if kind == "Title" else int(kind[1]) if len(kind) > 1 else max(1, parts)
                yield level, list(_numbers(element))
                continue
            if depth < MAX_DEPTH:
                inside = parts + (kind in _PARTS)
                children = max(0, pdfium.FPDF_StructElement_CountChildren(element))
                stack += [
                    (pdfium.FPDF_StructElement_GetChildAtIndex(element, at), inside, depth + 1)
                    for at in _backwards(children)
                ]
    finally:
        pdfium.FPDF_StructTree_Close(tree)


def _numbers(element: Any) -> Iterator[int]:
    """The numbers of the content of an element and all below it."""
    stack = [(element, 0)]
    for _ in range(MAX_ELEMENTS):
        if not stack:
            return
        one, depth = stack.pop()
        for at in range(min(MAX_ELEMENTS, max(0, pdfium.FPDF_StructElement_GetMarkedContentIdCount(one)))):
            number = pdfium.FPDF_StructElement_GetMarkedContentIdAtIndex(one, at)
            if number >= 0:
                yield number
        if depth < MAX_DEPTH:
            children = max(0, pdfium.FPDF_StructElement_CountChildren(one))
            below = (pdfium.FPDF_StructElement_GetChildAtIndex(one, at) for at in _backwards(children))
            stack += [(child, depth + 1) for child in below if child]


def _backwards(count: int) -> range:
    return range(min(count, MAX_ELEMENTS) - 1, -1, -1)


def _kind(element: Any) -> str:
    buffer = ctypes.create_string_buffer(64)
    size = int(pdfium.FPDF_StructElement_GetType(element, buffer, 64))
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "ignore") if size <= 64 else ""
