"""Which lines of a PDF are headings, and at which level.

The file's own outline (its bookmarks) comes first: each entry is found again in the lines of the page
that it points at. Where there is nearly no outline, or where one entry of it spans very much text,
headings come from the file's tags (see `tags`) or are drawn from looks (see `looks`). All give ranks, not levels; levels follow at the end from
how the ranks nest, so that no level is skipped.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.contents import plain
from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.looks import by_looks
from knarr.documents.pdf.ranks import HeadingCandidate
from knarr.documents.pdf.wording import MAX_CHARS, is_caption
from knarr.documents.sections import levels

FEW_ENTRIES = 3
MANY_CHARS = 8_000
MAX_TITLE_LINES = 4
# Lines that are compared with entries, in all: thousands of entries may point at one endless page.
MOST_LOOKS = 1_000_000
_MOST_TAGGED, _MOST_ODD = 0.2, 0.6
# Entries that programs make up: numbers of slides and pages, names of files and of their own marks.
_SAYS_NOTHING = re.compile(
    r"(?:slide|page|seite|folie|diapositiv[ae]|bookmark|sheet|untitled|p\.)?[\s#]*\d+|[ivxlc]+|(?:microsoft \w+ - )?.*\.(?:docx?|pdf|pptx?|xlsx?|indd|qxd|tex|dvi|rtf)|"
    r"microsoft \w+ - .*|_?(?:goback|hlk\d+|toc\d+)|untitled.*|\W*",
    re.IGNORECASE,
)


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
    lines: Sequence[Line], entries: Sequence[OutlineEntry], tagged: Sequence[OutlineEntry] = ()
) -> tuple[dict[int, list[PdfHeading]], str]:
    """The headings by the index of the line where they begin (`len(lines)`: after the last line), and how
    they were found: "outline", "tags", "looks" or ""."""
    named = [entry for entry in entries if not _SAYS_NOTHING.fullmatch(entry.title)]
    source = "outline"
    if len(named) < FEW_ENTRIES and plausible(lines, tagged):
        named, source = [entry for entry in tagged if _may_title(entry.title)], "tags"
    given = locate(lines, named)
    chars = sum(len(line.text) for line in lines)
    sparse = len(named) < FEW_ENTRIES
    looks = {} if not sparse and chars <= MANY_CHARS else by_looks(lines)
    found = {at: list(marks) for at, marks in given.items()}
    borders = [0, *sorted(given), len(lines)]
    for begin, end in itertools.pairwise(borders):
        if sparse or sum(len(line.text) for line in lines[begin:end]) > MANY_CHARS:
            taken = begin + sum(mark.lines for mark in given.get(begin, ()))
            for at in range(taken, end):
                if at in looks and at not in found:
                    found[at] = [looks[at]]
    return _nest(found), source if given and not sparse else "looks" if found else ""


def plausible(lines: Sequence[Line], tagged: Sequence[OutlineEntry]) -> bool:
    """Whether tags name headings: several, of little text. Some programs tag every paragraph, or labels in tables, so."""
    chars = sum(len(line.text) for line in lines)
    titles = [entry.title for entry in tagged if _may_title(entry.title)]
    few = sum(map(len, titles)) <= _MOST_TAGGED * chars
    return len(titles) >= FEW_ENTRIES and few and len(titles) >= _MOST_ODD * len(tagged)


def _may_title(title: str) -> bool:
    return len(title) <= MAX_CHARS and any(map(str.isalpha, title)) and not is_caption(title)


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
    shown = [plain(line.text) for line in lines]
    pages = [line.page for line in lines]
    found: dict[int, list[HeadingCandidate]] = {}
    free, looks = 0, MOST_LOOKS
    for entry in entries:
        begin, end = bisect.bisect_left(pages, entry.page), bisect.bisect_right(pages, entry.page)
        end = min(end, begin + looks)
        looks -= end - begin
        at, count = _match(lines, shown, entry, max(begin, free), end)
        if count == 0:
            at = max(free, _below(lines, entry, begin, end))
        found.setdefault(at, []).append(HeadingCandidate(entry.title, (0, entry.depth), count, entry.page))
        free = at + count
    return found


def _match(
    lines: Sequence[Line], texts: Sequence[str], entry: OutlineEntry, begin: int, end: int
) -> tuple[int, int]:
    """Where the entry's words are: the first line and the number of lines, 0 when they are nowhere. Of
    several places the one nearest to the entry's target is taken."""
    wanted = plain(entry.title)
    best: tuple[float, int, int] | None = None
    for at in range(begin, end if wanted else begin):
        shown, count = texts[at], 1
        while shown != wanted and shown and wanted.startswith(f"{shown} ") and count < MAX_TITLE_LINES:
            if at + count == end:
                break
            shown, count = f"{shown} {texts[at + count]}", count + 1
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
