"""Which lines of a PDF are headings, and at which level.

The file's own outline comes first: each entry is found as a line on its page, by its words and its
height. Where there is no outline, or an outline entry spans very much text, headings are drawn from
looks: short lines that are larger than the body, or bold where the body is not, that do not read
like a sentence, a table's row or a column head, and that have something to head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf_lines import Line

FEW_ENTRIES = 3
MANY_CHARS = 15_000
MAX_CHARS, MAX_WORDS, MAX_LINES = 180, 24, 3
_LARGER = 1.08
_LEADING = 1.5

_WORDS = re.compile(r"\W+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[,;]$|[a-z]{2}\.$|[.!?]\s+[A-Z][a-z]+\s+[a-z]")
_NAMED = re.compile(r"(part|chapter|article|book|title|item|section|note|exhibit|appendix|annex)\s+([0-9ivx]+[a-z]?)\b", re.I)
_COUNTED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s+\S")
_COLUMN_HEAD = re.compile(
    r"^\(?(in|dollars|amounts|unaudited|\$)\b.*\)?$|^(for the |as of |as at )?(\w+ )?(fiscal )?(years?|months?|quarters?|weeks?|periods?)\b.*(ended|ending)|"
    r"^(as of |at )?(january|february|march|april|may|june|july|august|september|october|november|december)\s+\d|^[\W\d]*$|^total\b",
    re.IGNORECASE,
)
_NAME_RANKS = {"part": 0, "book": 0, "title": 0, "chapter": 1, "article": 1, "item": 1, "exhibit": 1}
_NAME_RANKS |= {"appendix": 1, "annex": 1, "section": 2, "note": 2}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the file's outline: depth from 1, page from 0, y of its target or None."""

    depth: int
    title: str
    page: int
    y: float | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading at a line: `lines` of text are its heading lines; none for an outline entry whose
    words do not stand on its page, which then stands before the line."""

    title: str
    level: int
    lines: int
    page: int


_Rank = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    title: str
    rank: _Rank
    lines: int
    page: int


def find_headings(lines: Sequence[Line], entries: Sequence[Entry]) -> tuple[dict[int, list[Mark]], str]:
    """Index of a line → the headings that begin there (index `len(lines)`: after the last line);
    and how the headings were found: "outline", "looks" or ""."""
    outline = _locate(lines, entries)
    chars = sum(len(line.text) for line in lines)
    sparse = len(entries) < FEW_ENTRIES
    looks = {} if not sparse and chars <= MANY_CHARS else _by_looks(lines)
    found = {at: list(marks) for at, marks in outline.items()}
    borders = [0, *sorted(outline), len(lines)]
    for begin, end in zip(borders, borders[1:], strict=False):
        if sparse or sum(len(line.text) for line in lines[begin:end]) > MANY_CHARS:
            taken = begin + sum(mark.lines for mark in outline.get(begin, ()))
            for at in range(taken, end):
                if at in looks and at not in found:
                    found[at] = [looks[at]]
    return _nest(found), "outline" if outline and not sparse else "looks" if found else ""


def _nest(found: dict[int, list[_Found]]) -> dict[int, list[Mark]]:
    """Ranks to levels without gaps: a heading lies under the nearest one before it that ranks higher."""
    path: list[_Rank] = []
    marks: dict[int, list[Mark]] = {}
    for at in sorted(found):
        for heading in found[at]:
            while path and path[-1] >= heading.rank:
                path.pop()
            path.append(heading.rank)
            marks.setdefault(at, []).append(Mark(heading.title, len(path), heading.lines, heading.page))
    return marks


def _locate(lines: Sequence[Line], entries: Sequence[Entry]) -> dict[int, list[_Found]]:
    """The outline's entries at their lines, in the outline's order."""
    begins: dict[int, int] = {}
    for at, line in enumerate(lines):
        begins.setdefault(line.page, at)
    found: dict[int, list[_Found]] = {}
    free = 0
    for entry in entries:
        begin = next((begins[page] for page in sorted(begins) if page >= entry.page), len(lines))
        end = next((begins[page] for page in sorted(begins) if page > entry.page), len(lines))
        at, count = _match(lines, entry, max(begin, free), end)
        if count == 0:
            at = max(free, _below(lines, entry, begin, end))
        found.setdefault(at, []).append(_Found(entry.title, (0, entry.depth), count, entry.page))
        free = at + count
    return found


def _match(lines: Sequence[Line], entry: Entry, begin: int, end: int) -> tuple[int, int]:
    """Where the entry's words stand: first line and number of lines (0: nowhere); the place nearest
    to the entry's target where they stand more than once."""
    wanted = _plain(entry.title)
    best: tuple[float, int, int] | None = None
    for at in range(begin, end):
        shown, count = "", 0
        while wanted and count < MAX_LINES and at + count < end:
            shown, count = _plain(f"{shown} {lines[at + count].text}"), count + 1
            if shown == wanted or (count == 1 and _numbered_alike(shown, wanted)):
                away = 0.0 if entry.y is None else abs(lines[at].y - entry.y)
                best = min(best or (away, at, count), (away, at, count))
            if not wanted.startswith(shown):
                break
    return (best[1], best[2]) if best else (begin, 0)


def _numbered_alike(shown: str, wanted: str) -> bool:
    """The same but for a leading number that only the page or only the outline shows."""
    return shown.endswith(wanted) and shown[: -len(wanted)].replace(" ", "").isdigit() or (
        wanted.endswith(shown) and len(shown) > 3 and wanted[: -len(shown)].replace(" ", "").isdigit()
    )


def _below(lines: Sequence[Line], entry: Entry, begin: int, end: int) -> int:
    if entry.y is None:
        return begin
    return next((at for at in range(begin, end) if lines[at].y <= entry.y), end)


def _plain(text: str) -> str:
    return _WORDS.sub(" ", text.lower()).strip()


def _by_looks(lines: Sequence[Line]) -> dict[int, _Found]:
    body = body_size(lines)
    bold_body = _mostly_bold(lines)
    candidates: list[tuple[int, _Found]] = []
    at = 0
    while at < len(lines):
        if not _may_head(lines, at, body, bold_body):
            at += 1
            continue
        count = _extent(lines, at, body, bold_body)
        title = " ".join(line.text.replace("\xad", "-") for line in lines[at : at + count])
        title = " ".join(title.split())
        if count <= MAX_LINES and len(title) <= MAX_CHARS and not _SENTENCE_END.search(title):
            candidates.append((at, _Found(title, _rank(lines[at], title, body), count, lines[at].page)))
        at += count
    return {at: heading for at, heading, after in _with_next(candidates) if _heads(lines, at, heading, after)}


def _with_next(
    candidates: list[tuple[int, _Found]],
) -> list[tuple[int, _Found, tuple[int, _Found] | None]]:
    following: list[tuple[int, _Found] | None] = [*candidates[1:], None]
    return [(at, found, after) for (at, found), after in zip(candidates, following, strict=True)]


def _heads(lines: Sequence[Line], at: int, heading: _Found, after: tuple[int, _Found] | None) -> bool:
    """It has text or a lower heading below it: one of title lines, or of a list, has not."""
    if at + heading.lines >= len(lines):
        return False
    return after is None or after[0] > at + heading.lines or after[1].rank > heading.rank


def body_size(lines: Sequence[Line]) -> float:
    """The size of most characters of prose, else of all."""
    sizes: Counter[float] = Counter()
    for line in lines:
        if line.cells == 1 and len(line.text) >= 40:
            sizes[line.size] += len(line.text)
    for line in lines if not sizes else ():
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _mostly_bold(lines: Sequence[Line]) -> bool:
    bold = sum(len(line.text) for line in lines if line.bold)
    return 2 * bold > sum(len(line.text) for line in lines)


def _may_head(lines: Sequence[Line], at: int, body: float, bold_body: bool) -> bool:
    line = lines[at]
    larger = line.size >= body * _LARGER
    if not (larger or (line.bold and not bold_body and line.size >= 0.85 * body)):
        return False
    text = line.text
    if line.cells > 1 or len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS or not _LETTERS.search(text):
        return False
    if text[0].islower() or (not larger and _COLUMN_HEAD.search(text)):
        return False
    return larger or not _in_table(lines, at)


def _in_table(lines: Sequence[Line], at: int) -> bool:
    """Between rows of a table, or close above one and close below something else."""
    line = lines[at]
    above = lines[at - 1] if at else None
    if above is None or above.page != line.page or above.cells == 1:
        return False
    return 0 <= above.y - line.y <= 2.2 * line.size


def _extent(lines: Sequence[Line], at: int, body: float, bold_body: bool) -> int:
    """How many lines of one look follow each other closely, as a heading that wraps does."""
    count = 1
    while at + count < len(lines):
        last, line = lines[at + count - 1], lines[at + count]
        alike = line.page == last.page and abs(line.size - last.size) < 0.3 and line.bold == last.bold
        close = 0 < last.y - line.y <= _LEADING * last.size
        if not (alike and close and line.italic == last.italic and line.cells == 1) or _starts_anew(line.text):
            break
        if not _wraps(lines, at + count - 1):
            break
        count += 1
    return count


def _starts_anew(text: str) -> bool:
    return bool(_NAMED.match(text) or _COUNTED.match(text))


def _wraps(lines: Sequence[Line], at: int) -> bool:
    """The line is so long that its last word would be followed by a line break: as far to the right
    as text goes on its page, or centred above another."""
    line, below = lines[at], lines[at + 1]
    right = max(other.x1 for other in lines[max(0, at - 40) : at + 40] if other.page == line.page)
    first_word = (below.x1 - below.x0) * len(below.text.split()[0]) / max(1, len(below.text))
    if line.x1 + first_word >= right - 2 * line.size:
        return True
    centred = abs((line.x0 + line.x1) - (below.x0 + below.x1)) < 2 * line.size
    return centred and abs(line.x0 - below.x0) > line.size


def _rank(line: Line, title: str, body: float) -> _Rank:
    """Less is higher: larger, then by the name or depth of its number, capitals, bold, upright."""
    size = -round(line.size * 2) / 2 if line.size >= body * _LARGER else -body
    named = _NAMED.match(title)
    counted = _COUNTED.match(title)
    order = 3.0
    if named:
        order = float(_NAME_RANKS[named[1].lower()])
    elif counted:
        order = 3.0 + counted[1].count(".") * 0.1
    return (1, size, order, title != title.upper(), not line.bold, line.italic)
