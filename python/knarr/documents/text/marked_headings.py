"""Headings that a plain text marks as Markdown and reStructuredText do: ``# Title``, or a row of marks under it.

Such marks are meant, so a text with several is read by them, and its numbers are lists; unless it has more numbered
clauses than marks, as contracts do that underline a few lines. A comment in a program begins with ``#`` too, but stands
over code: a marked heading stands between blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.documents.text.clause_titles import bare
from knarr.documents.text.plain_headings import HeadingStyle, PlainHeading

_ATX = re.compile(r"(#{1,6})[ \t]+(\S[^\n]{0,150}?)[ \t]*#*[ \t]*")
_LEAST = 2
_LEAST_SHARE, _LEAST_DIFFERENT = 0.8, 0.6


def hash_headings(lines: Sequence[str]) -> list[tuple[PlainHeading, int]]:
    """Headings behind hash signs with their levels; [] where other lines begin so as well."""
    found: list[tuple[PlainHeading, int]] = []
    marked, fenced = 0, False
    for at, line in enumerate(lines):
        fenced ^= line.startswith(("```", "~~~"))
        if fenced or not line.startswith("#"):
            continue
        marked += 1
        match = _ATX.fullmatch(line.rstrip())
        above = at == 0 or not lines[at - 1].strip() or bool(found and found[-1][0].after == at)
        below = at + 1 == len(lines) or not lines[at + 1].strip() or lines[at + 1].startswith("#")
        if match and above and below:
            heading = PlainHeading(bare(match[2]) or match[2], at, at + 1, HeadingStyle.UNDERLINED, match[1])
            found.append((heading, len(match[1])))
    different = len({heading.title for heading, _ in found})
    return (
        found
        if different >= max(_LEAST, _LEAST_DIFFERENT * len(found)) and len(found) >= _LEAST_SHARE * marked
        else []
    )


def underlined(headings: Sequence[PlainHeading]) -> list[PlainHeading]:
    """Those with a row of marks; [] when they are too few to be the text's own way."""
    found = [heading for heading in headings if heading.style is HeadingStyle.UNDERLINED]
    return found if len(found) >= _LEAST else []
