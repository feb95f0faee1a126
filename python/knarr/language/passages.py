"""A chunk's text in passages: paragraphs, list items and short runs of table rows, in order.

A passage is what a person would point at: small enough to show alone, large enough to be understood.
So headings go with the text that follows them, table rows keep together in runs, short paragraphs are
joined, and long ones are cut between sentences into parts of about equal size. Joined, the passages
are the text, white space between them aside. Cost: linear in the text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from knarr.language.sentences import prose_spans

WHOLE_WORDS = 220  # a text up to this size is one passage
TABLE_WORDS = 420  # the same for a table, whose rows say little without each other
MAX_WORDS = 170
MIN_WORDS = 18
_CELL = re.compile(r"(?:\s|^)[$(]*\d[\d,.]*\)?%?(?=\s|$)")
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Part:
    """A passage: `text` is `source[begin:end]`, in characters."""

    begin: int
    end: int
    text: str


def passages(text: str) -> list[Part]:
    """The passages of a text, as the module says; white space alone makes none."""
    if _words(text, 0, len(text)) <= (TABLE_WORDS if _is_table(text) else WHOLE_WORDS):
        return list(_part(text, 0, len(text)))
    merged: list[tuple[int, int]] = []
    open_at, end_at, headed = -1, 0, False
    for begin, end in _blocks(text):
        piece = text[begin:end].strip()
        if not piece:
            continue
        heading = _is_heading(piece)
        if open_at >= 0 and heading and not _is_heading(text[open_at:end_at].strip()):
            merged.append((open_at, end_at))  # the text before a heading is never joined to it
            open_at, headed = -1, False
        if open_at < 0:
            open_at, headed = begin, heading
        end_at = end
        if not heading and _words(text, open_at, end_at) >= MIN_WORDS:
            merged.append((open_at, end_at))
            open_at, headed = -1, False
    if open_at >= 0:
        _close(text, merged, open_at, end_at, headed)
    return [part for begin, end in merged for part in _cut(text, begin, end)]


def _is_table(text: str) -> bool:
    """Whether most lines are rows: in pipes, or with several numbers."""
    lines = [line for line in text.split("\n") if line.strip()]
    rows = sum(1 for line in lines if line.lstrip().startswith("|") or len(_CELL.findall(line)) >= 2)
    return len(lines) >= 4 and rows >= 0.5 * len(lines)


def _close(text: str, merged: list[tuple[int, int]], begin: int, end: int, headed: bool) -> None:
    """A short rest joins the passage before it, unless a heading stands between."""
    if merged and not headed and _words(text, merged[-1][0], end) <= MAX_WORDS:
        merged[-1] = (merged[-1][0], end)
    else:
        merged.append((begin, end))


def sentences(text: str) -> list[Part]:
    """Sentences, lines of lists and rows of tables, in order."""
    found: list[Part] = []
    for begin, end in _lines(text):
        for start, stop in prose_spans(text, begin, end):
            found.extend(_part(text, start, stop))
    return found


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _BLANK.finditer(text):
        yield at, gap.start()
        at = gap.end()
    yield at, len(text)


def _is_heading(piece: str) -> bool:
    return piece.startswith("#") and "\n" not in piece


def _words(text: str, begin: int, end: int) -> int:
    return len(text[begin:end].split())


def _cut(text: str, begin: int, end: int) -> Iterator[Part]:
    """One block in parts of at most about MAX_WORDS words, equal in size."""
    size = _words(text, begin, end)
    if size <= MAX_WORDS:
        yield from _part(text, begin, end)
        return
    goal = size / -(-size // MAX_WORDS)
    start, count = begin, 0
    for left, right in _units(text, begin, end):
        unit = _words(text, left, right)
        if count and count + unit > goal * 1.15:
            yield from _part(text, start, left)
            start, count = left, 0
        count += unit
    yield from _part(text, start, end)


def _units(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a long block may be cut: table rows and list items by line, prose by sentence; a
    sentence without end by words."""
    for left, right in _lines(text, begin, end):
        for start, stop in prose_spans(text, left, right):
            if _words(text, start, stop) <= MAX_WORDS:
                yield start, stop
            else:
                yield from _by_words(text, start, stop)


def _by_words(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    gaps = [match.end() for match in re.finditer(r"\s+", text[begin:end])][MAX_WORDS - 1 :: MAX_WORDS]
    bounds = [begin, *(begin + gap for gap in gaps), end]
    yield from itertools.pairwise(bounds)


def _lines(text: str, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Lines that stand alone (rows, list items, headings); lines of running prose stay together."""
    end = len(text) if end is None else end
    start = at = begin
    while at < end:
        newline = text.find("\n", at, end)
        after = end if newline < 0 else newline + 1
        if after < end and not _runs_on(text[at:after], text[after : after + 40]):
            yield start, after
            start = after
        at = after
    if start < end:
        yield start, end


_ITEM = re.compile(r"\s*(?:[|#>*•–-]|\d+[.)]|\(?[a-z]\)|$)")


def _runs_on(line: str, following: str) -> bool:
    """Whether prose goes on in the next line: wrapped lines are long, and items begin with a mark."""
    return (
        bool(line.strip())
        and not _ITEM.match(following)
        and not line.lstrip().startswith(("|", "#"))
        and len(line) > 45
    )


def _part(text: str, begin: int, end: int) -> Iterator[Part]:
    piece = text[begin:end]
    left = begin + len(piece) - len(piece.lstrip())
    right = end - (len(piece) - len(piece.rstrip()))
    if left < right:
        yield Part(left, right, text[left:right])
