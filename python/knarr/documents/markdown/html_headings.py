"""Headings that a Markdown file writes in HTML: ``<h1 align="center">Name</h1>``, as many front pages of projects do.

Only blocks of HTML at the top level are looked at; what is commented out, preformatted or in a table is no heading. A
heading's length is bounded, so that the cost is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from knarr.language.plain import one_line

_HEADING = re.compile(
    r"<h(?P<level>[1-6])(?:\s[^<>]{0,500})?>(?P<title>(?:(?!</?h[1-6][\s>])[\s\S]){0,1500}?)</h(?P=level)\s*>",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"<!--[\s\S]*?(?:-->|\Z)|<(?P<kind>pre|script|style|textarea|table|template)\b[\s\S]*?(?:</(?P=kind)\s*>|\Z)",
    re.IGNORECASE,
)
_IMAGE = re.compile(
    r"<img\b[^<>]{0,1000}?\salt\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')[^<>]{0,1000}>", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,1500}>")


def html_headings(block: str) -> Iterator[tuple[int, str, int, int]]:
    """Level, title, and the first line and the line after (from 0) of each heading in a block of HTML."""
    if "<h" not in block and "<H" not in block:
        return
    # What is none keeps its lines.
    block = _NONE.sub(lambda match: "\n" * match[0].count("\n"), block)
    line, at, after = 0, 0, 0
    for match in _HEADING.finditer(block):
        line += block.count("\n", at, match.start())
        at = match.start()
        if line < after:
            continue  # a heading is whole lines: the first one on a line has it
        title = unescape(
            _TAG.sub("", _IMAGE.sub(lambda image: f" {image[1] or image[2] or ''} ", match["title"]))
        )
        if title := one_line(title):
            after = line + 1 + match[0].count("\n")
            yield int(match["level"]), title, line, after
