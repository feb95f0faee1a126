"""The outline that a PDF carries, found again in the lines of its pages."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import Line

MAX_TITLE_LINES = 4
_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the file's outline: depth from 1, page from 0, y of its target or None."""

    depth: int
    title: str
    page: int
    y: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """A heading before levels are given: `rank` orders headings, less is higher; `lines` of the text
    are its heading lines, none where its words do not stand on its page."""

    title: str
    rank: tuple[float, ...]
    lines: int
    page: int


def locate(lines: Sequence[Line], entries: Sequence[Entry]) -> dict[int, list[Found]]:
    """The outline's entries by the index of the line where each begins, in the outline's order:
    at the line that shows its words, else below the height it points at."""
    plain = [_plain(line.text) for line in lines]
    pages = [line.page for line in lines]
    found: dict[int, list[Found]] = {}
    free = 0
    for entry in entries:
        begin, end = bisect.bisect_left(pages, entry.page), bisect.bisect_right(pages, entry.page)
        at, count = _match(lines, plain, entry, max(begin, free), end)
        if count == 0:
            at = max(free, _below(lines, entry, begin, end))
        found.setdefault(at, []).append(Found(entry.title, (0, entry.depth), count, entry.page))
        free = at + count
    return found


def _match(
    lines: Sequence[Line], plain: Sequence[str], entry: Entry, begin: int, end: int
) -> tuple[int, int]:
    """Where the entry's words stand: first line and number of lines (0: nowhere); the place nearest
    to the entry's target where they stand more than once."""
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
    """The same but for a leading number that only the page or only the outline shows."""
    longer, shorter = (shown, wanted) if len(shown) > len(wanted) else (wanted, shown)
    return (
        len(shorter) > 3 and longer.endswith(shorter) and longer[: -len(shorter)].replace(" ", "").isdigit()
    )


def _below(lines: Sequence[Line], entry: Entry, begin: int, end: int) -> int:
    if entry.y is None:
        return begin
    return next((at for at in range(begin, end) if lines[at].y <= entry.y), end)


def _plain(text: str) -> str:
    return _WORDS.sub(" ", text.lower()).strip()
