"""Keeps HTML that would cost too much away from the tree parser, and reads its bare text instead.

A tree parser takes quadratic time on some deep nestings, and hundreds of bytes per element. So the
tags are counted and their depth is followed first, in one scan that is linear in the size of the
page; what exceeds the limits never meets the parser.
"""

from __future__ import annotations

import html
import re

from knarr.documents.decode import Limits

# Possessive, so that no byte is looked at twice: a name without end would be parted everywhere.
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)[^<>]*+>")
_MARKUP = re.compile(r"<[/a-zA-Z!?][^<>]*>")
_BLOCK = re.compile(
    r"</?(?:address|article|aside|blockquote|br|caption|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|"
    r"option|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]*>",
    re.IGNORECASE,
)
# Elements without an end, or whose end is often left out: they do not count as depth.
_NO_DEPTH = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option",
    "optgroup", "colgroup", "html", "body", "head",
})  # fmt: skip
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")


def too_costly(page: str, limits: Limits) -> str:
    """Why the page must not go to the tree parser; "" when it may."""
    tags = page.count("<")
    if tags > limits.html_tags:
        return f"{tags:,} tags, the limit is {limits.html_tags:,}"
    depth = deepest = 0
    for match in _TAG.finditer(page):
        if match[2].lower() in _NO_DEPTH or match[0].endswith("/>"):
            continue
        depth = max(0, depth - 1) if match[1] else depth + 1
        deepest = max(deepest, depth)
    if deepest > limits.html_depth:
        return f"{deepest:,} levels, the limit is {limits.html_depth:,}"
    return ""


def bare_text(page: str) -> str:
    """The text of a page without looking at its structure: one line per block; "" when it has none."""
    for name in ("script", "style"):
        page = _without(page, name)
    page = _MARKUP.sub("", _BLOCK.sub("\x00", page))
    lines = (_SPACE.sub(" ", html.unescape(line)).strip() for line in page.split("\x00"))
    shown = "\n\n".join(line for line in lines if line)
    return f"{shown}\n" if shown else ""


def _without(page: str, name: str) -> str:
    """The page without the elements of this name; one that never ends is kept."""
    lower = page.lower()
    if len(lower) != len(page):
        # A few letters change length in lower case, which would shift every place.
        lower = page
    kept, at = [], 0
    while (begin := lower.find(f"<{name}", at)) >= 0:
        end = lower.find(f"</{name}", begin)
        if end < 0:
            break
        kept.append(page[at:begin])
        at = end
    kept.append(page[at:])
    return "".join(kept)
