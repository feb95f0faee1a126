"""Headings of a PDF without an outline, drawn from how its lines look.

Idea: authors set headings apart from the text around them, and readers find them by that contrast. A
heading is a short line, or up to three of one look, that
- is larger than the body around it, or bold where the body is not, or a banner in the middle;
- does not read like a sentence, a table's row, a label or the head of a column;
- has something to head: text below it, or a heading of a lower rank.

Ranks order headings without giving levels: first by the names that parts of documents have ("Part II",
"Item 7"), then by size, by the depth of a number ("2.1"), by capitals, weight and slant. Each rule
refuses something that reports and manuals are full of, such as bold totals, units and dates over tables.
Cost: linear in the lines, each looked at with a few neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.body import BodyLook, alike, close, off_centre, stands_aside, wraps
from knarr.documents.pdf.lines import Line

MAX_CHARS, MAX_WORDS, MAX_LINES = 180, 24, 3
_LARGER = 1.08
_TOP_LINES = 4

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[,;]$|[a-z]{2}\.$|[.!?]\s+[A-Z][a-z]+\s+[a-z]|\band$|\bor$|\bthe$")
_NOT_HEADING = re.compile(
    r"[•●▪■◦‣·○☐☒☑✓➢❖◆¨“*•–—-]|\(.*\)$|.*[☐☒☑@]|.*https?:|.*\(continued\)", re.IGNORECASE
)
_LABELLED = re.compile(r":\s+\S")
_NAMED = re.compile(
    r"(part|chapter|article|book|title|item|section|note|exhibit|appendix|annex)\s+([0-9ivx]+[a-z]?)\b", re.I
)
_COUNTED = re.compile(r"(\d{1,2}(?:\.\d{1,3})*)\.?\s+\S")
_ORDERED = re.compile(r"\d{1,2}(\.\d{1,2})*\.\s+[A-Z]")
_COLUMN_HEAD = re.compile(
    r"^\(?(in|dollars|amounts|unaudited|\$ ?(in|and))\b.*\)?$|^(for the |as of |as at )?(\w+ )?(fiscal )?(years?|months?|quarters?|weeks?|periods?)\b.*(ended|ending)|"
    r"^(as of |at )?(january|february|march|april|may|june|july|august|september|october|november|december)\s+\d|^[\W\d]*$|^total\b|\bpage$",
    re.IGNORECASE,
)
# Parts of a document rank by what they are called, whatever their size; other headings by how they look.
_NAME_RANKS = {
    "part": 0,
    "book": 0,
    "exhibit": 0,
    "appendix": 0,
    "annex": 0,
    "chapter": 1,
    "article": 1,
    "item": 1,
}
_OTHER_RANK = 2


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """A heading before levels are given: `rank` orders headings, less is higher; `lines` of the text
    show it, none where the words of an outline's entry are not on its page."""

    title: str
    rank: tuple[float, ...]
    lines: int
    page: int


def by_looks(lines: Sequence[Line]) -> dict[int, HeadingCandidate]:
    """The headings by the index of their first line."""
    body = BodyLook(lines)
    candidates: list[tuple[int, HeadingCandidate]] = []
    at = 0
    while at < len(lines):
        if not _may_head(lines, at, body):
            at += 1
            continue
        count = _extent(lines, at)
        title = " ".join(line.text.replace("\xad", "-") for line in lines[at : at + count])
        title = " ".join(title.split())
        if count <= MAX_LINES and len(title) <= MAX_CHARS and _reads_like_one(title):
            rank = _rank(lines[at], title, body.size_on(lines[at].page))
            candidates.append((at, HeadingCandidate(title, rank, count, lines[at].page)))
        at += count
    following = [*candidates[1:], None][: len(candidates)]
    return {
        at: heading
        for (at, heading), after in zip(candidates, following, strict=True)
        if _heads(lines, at, heading, after)
    }


def _reads_like_one(title: str) -> bool:
    if _NAMED.match(title) or _COUNTED.match(title):
        return (
            len(title.split()) <= MAX_WORDS and title[-1] not in ",;" and not title.endswith((" and", " or"))
        )
    long = len(title.split()) > 6
    return (
        not _SENTENCE_END.search(title) and not _LABELLED.search(title) and not (long and title.endswith(":"))
    )


def _heads(
    lines: Sequence[Line], at: int, heading: HeadingCandidate, after: tuple[int, HeadingCandidate] | None
) -> bool:
    """Whether text or a lower heading is below it; lines of a title page or a list have none."""
    if at + heading.lines >= len(lines):
        return False
    if _NAMED.match(heading.title):
        # "Item 6. [Reserved]" has nothing to head and is a section all the same.
        return True
    return after is None or after[0] > at + heading.lines or after[1].rank > heading.rank


def _may_head(lines: Sequence[Line], at: int, around: BodyLook) -> bool:
    line = lines[at]
    body = around.size_on(line.page)
    larger = line.size >= body * _LARGER
    bold = line.bold and line.size >= 0.85 * body and not around.bold_on(line.page)
    if not (larger or bold or _is_banner(lines, at)):
        return False
    text = line.text
    if line.cells > 1 or len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS or not _LETTERS.search(text):
        return False
    if text[0].islower() or _NOT_HEADING.match(text):
        return False
    if at and alike(lines[at - 1], line) and not _starts_anew(text) and wraps(lines, at - 1):
        return False
    if larger:
        return True
    return not _COLUMN_HEAD.search(text) and bool(_ORDERED.match(text) or not _in_table(lines, at))


def _is_banner(lines: Sequence[Line], at: int) -> bool:
    """Whether it is bold and in the middle, and in capitals or at the top of the page: a title even among
    bold text or in a smaller size, as above the tables of a report."""
    line = lines[at]
    if not line.bold or off_centre(lines, at):
        return False
    on_top = at < _TOP_LINES or lines[at - _TOP_LINES].page != line.page
    return on_top or (line.text == line.text.upper() and len(_LETTERS.findall(line.text)) > 1)


def _in_table(lines: Sequence[Line], at: int) -> bool:
    """Whether it is a label between rows of a table, or the head of a column above one."""
    line = lines[at]
    below = lines[at + 1] if at + 1 < len(lines) else None
    above_row = below is not None and below.cells > 1 and close(line, below)
    if above_row and any(above.cells > 1 and above.page == line.page for above in lines[max(0, at - 3) : at]):
        return True
    last = line
    for above in reversed(lines[max(0, at - 4) : at]):
        if not close(above, last):
            break
        if above.cells > 1:
            return True
        last = above
    return above_row and stands_aside(lines, at)


def _extent(lines: Sequence[Line], at: int) -> int:
    """How many lines of one look follow each other closely, as a heading that wraps does."""
    count = 1
    while at + count < len(lines):
        last, line = lines[at + count - 1], lines[at + count]
        anew = _starts_anew(line.text) or _NOT_HEADING.match(line.text)
        if anew or not alike(last, line) or not wraps(lines, at + count - 1):
            break
        count += 1
    return count


def _starts_anew(text: str) -> bool:
    return bool(_NAMED.match(text) or _COUNTED.match(text))


def _rank(line: Line, title: str, body: float) -> tuple[float, ...]:
    """The rank, less being higher: by name, then larger, then by the depth of a number, capitals, bold,
    upright."""
    named, counted = _NAMED.match(title), _COUNTED.match(title)
    name = _NAME_RANKS.get(named[1].lower(), _OTHER_RANK) if named else _OTHER_RANK
    if name < _OTHER_RANK:
        return (1, name)
    size = -round(line.size * 2) / 2 if line.size >= body * _LARGER else -body
    if named or counted:
        depth = 0 if named or counted is None else 1 + counted[1].count(".")
        return (1, name, size, depth, not line.bold)
    return (1, name, size, 10, not line.bold, title != title.upper(), line.italic)
