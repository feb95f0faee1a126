"""Which lines of a PDF are headings, and at which level.

The file's own outline (its bookmarks) comes first: each entry is found again in the lines of the page
that it points at. Where there is nearly no outline, or where one entry of it spans very much text,
headings are drawn from looks (see `looks`). Both give ranks, not levels; levels follow at the end from
how the ranks nest, so that no level is skipped.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.looks import by_looks
from knarr.documents.pdf.ranks import HeadingCandidate
from knarr.documents.sections import levels

FEW_ENTRIES = 3
MANY_CHARS = 8_000
MAX_TITLE_LINES = 4
# Lines that are compared with entries, in all: thousands of entries may point at one endless page.
MOST_LOOKS = 1_000_000
_NO_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One entry of the file's outline: depth from 1, page from 0, and the y of its target or None."""

    depth: int
    title: str
    page: int
    y: float | None


@dataclass(frozen=True, slots=True)
class PdfHeading:
    """A heading at a line. `lines` of the text show it; none do for an outline entry whose words are
    not on its page, which then stands before the line."""

    title: str
    level: int
    lines: int
    page: int


def find_headings(
    lines: Sequence[Line], entries: Sequence[OutlineEntry]
) -> tuple[dict[int, list[PdfHeading]], str]:
    """The headings by the index of the line where they begin (`len(lines)`: after the last line), and how
    they were found: "outline", "looks" or ""."""
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


def _nest(found: dict[int, list[HeadingCandidate]]) -> dict[int, list[PdfHeading]]:
    """The headings with levels."""
    order = [(at, one) for at in sorted(found) for one in found[at]]
    nested: dict[int, list[PdfHeading]] = {}
    for (at, one), level in zip(order, levels(one.rank for _, one in order), strict=True):
        nested.setdefault(at, []).append(PdfHeading(one.title, level, one.lines, one.page))
    return nested


def locate(lines: Sequence[Line], entries: Sequence[OutlineEntry]) -> dict[int, list[HeadingCandidate]]:
    """The outline's entries by the index of the line where each begins, in the outline's order: the line
    that shows its words, else the first one below the height that it points at."""
    plain = [_plain(line.text) for line in lines]
    pages = [line.page for line in lines]
    found: dict[int, list[HeadingCandidate]] = {}
    free, looks = 0, MOST_LOOKS
    for entry in entries:
        begin, end = bisect.bisect_left(pages, entry.page), bisect.bisect_right(pages, entry.page)
        end = min(end, begin + looks)
        looks -= end - begin
        at, count = _match(lines, plain, entry, max(begin, free), end)
        if count == 0:
            at = max(free, _below(lines, entry, begin, end))
        found.setdefault(at, []).append(HeadingCandidate(entry.title, (0, entry.depth), count, entry.page))
        free = at + count
    return found


def _match(
    lines: Sequence[Line], plain: Sequence[str], entry: OutlineEntry, begin: int, end: int
) -> tuple[int, int]:
    """Where the entry's words are: the first line and the number of lines, 0 when they are nowhere. Of
    several places the one nearest to the entry's target is taken."""
    wanted = _plain(entry.title)
    best: tuple[float, int, int] | None = None
    for at in range(begin, end if wanted else begin):
        shown, count = plain[at], 1
        while shown != wanted and shown and wanted.startswith(f"{shown} ") and count < MAX_TITLE_LINES:
            if at + count == end:
                break
            shown, count = f"{shown} {plain[at + count]}", count + 1
        if shown == wanted or (count == 1 and _numbered_alike(shown, wanted)):
            away = 0.0 if entry.y is None else abs(lines[at].y - entry.y)
            best = min(best or (away, at, count), (away, at, count))
    return (best[1], best[2]) if best else (begin, 0)


def _numbered_alike(shown: str, wanted: str) -> bool:
    """Whether they differ only by a leading number, which the page or the outline leaves out."""
    longer, shorter = (shown, wanted) if len(shown) > len(wanted) else (wanted, shown)
    return (
        len(shorter) > 3 and longer.endswith(shorter) and longer[: -len(shorter)].replace(" ", "").isdigit()
    )


def _below(lines: Sequence[Line], entry: OutlineEntry, begin: int, end: int) -> int:
    if entry.y is None:
        return begin
    return next((at for at in range(begin, end) if lines[at].y <= entry.y), end)


def _plain(text: str) -> str:
    return _NO_WORDS.sub(" ", text.lower()).strip()
