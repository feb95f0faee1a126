"""Which lines of a PDF are headings, and at which level.

The file's own outline comes first. Where there is (nearly) none, or where an entry of it spans very
much text, headings are drawn from looks.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.looks import by_looks
from knarr.documents.pdf.outline import Entry, Found, locate

FEW_ENTRIES = 3
MANY_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading at a line: `lines` of text are its heading lines; none for an outline entry whose
    words do not stand on its page, which then stands before the line."""

    title: str
    level: int
    lines: int
    page: int


def find_headings(lines: Sequence[Line], entries: Sequence[Entry]) -> tuple[dict[int, list[Mark]], str]:
    """Index of a line → the headings that begin there (index `len(lines)`: after the last line);
    and how the headings were found: "outline", "looks" or ""."""
    outline = locate(lines, entries)
    chars = sum(len(line.text) for line in lines)
    sparse = len(entries) < FEW_ENTRIES
    looks = {} if not sparse and chars <= MANY_CHARS else by_looks(lines)
    found = {at: list(marks) for at, marks in outline.items()}
    borders = [0, *sorted(outline), len(lines)]
    for begin, end in itertools.pairwise(borders):
        if sparse or sum(len(line.text) for line in lines[begin:end]) > MANY_CHARS:
            taken = begin + sum(mark.lines for mark in outline.get(begin, ()))
            for at in range(taken, end):
                if at in looks and at not in found:
                    found[at] = [looks[at]]
    return _nest(found), "outline" if outline and not sparse else "looks" if found else ""


def _nest(found: dict[int, list[Found]]) -> dict[int, list[Mark]]:
    """Ranks to levels without gaps: a heading lies under the nearest one before it that ranks higher."""
    path: list[tuple[float, ...]] = []
    marks: dict[int, list[Mark]] = {}
    for at in sorted(found):
        for heading in found[at]:
            while path and path[-1] >= heading.rank:
                path.pop()
            path.append(heading.rank)
            marks.setdefault(at, []).append(Mark(heading.title, len(path), heading.lines, heading.page))
    return marks
