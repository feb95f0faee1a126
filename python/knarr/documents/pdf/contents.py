"""The printed table of contents: its lines, and where the titles it lists are in the pages.

A line of it is a title and the number of a page at the end, after dots or a wide gap. The numbers rise, which
figures in a table do not. Its own lines are no headings, and a line of the pages that reads like one of its entries, on
the page that it names, is a heading whatever it looks like. Cost: linear in the lines.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import CELL_SEPARATOR, Line, TableLine
from knarr.documents.pdf.numbering import number_of
from knarr.documents.pdf.wording import heads_contents

_LEADERS = " .·…_‥\t"
_ROMAN = re.compile(r"[ivxlc]{1,7}", re.IGNORECASE)
_FEWEST_LEADERS, _MOST_DIGITS = 3, 4
_NO_WORDS = re.compile(r"\W+")
_FEWEST_DOTTED, _FEWEST_OTHER, _FEWEST_UNTITLED = 3, 3, 8
_MOST_ASIDE = 2
_ABOVE = 4
_MAX_TITLE_LINES = 3
_INDENT = 6.0
_SHORTEST, _LONGEST, _LONGEST_NUMBER = 2, 300, 8


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A title of the table of contents: its depth from 1, and its printed page number or None."""

    title: str
    depth: int
    page: int | None


@dataclass(slots=True)
class _Row:
    at: int
    title: str
    page: int | None
    dotted: bool
    x0: float


@dataclass(frozen=True, slots=True)
class Contents:
    """The lines that are the table of contents, and the lines of the pages that its entries name: by the
    index of the first line, the entry and the number of lines."""

    lines: frozenset[int]
    found: dict[int, tuple[ContentsEntry, int]]


def find_contents(lines: Sequence[Line]) -> Contents:
    """The printed table of contents, which may be none, several, or long."""
    inside: set[int] = set()
    entries: list[ContentsEntry] = []
    for rows, end in _tables(lines):
        inside.update(range(rows[0].at, end))
        entries += _entries(lines, rows)
    return Contents(frozenset(inside), _locate(lines, entries, inside))


def _tables(lines: Sequence[Line]) -> list[tuple[list[_Row], int]]:
    """The rows of each table of contents, and the index of the line after it."""
    found: list[tuple[list[_Row], int]] = []
    rows: list[_Row] = []
    titled = False
    for at, line in [*_flat(lines), (len(lines), None)]:
        row = _row(line, at) if line is not None else None
        if row is not None:
            if not rows:
                titled = _is_titled(lines, at)
            rows.append(row)
        elif rows and (
            line is None or at - rows[-1].at > _MOST_ASIDE or line.page != lines[rows[-1].at].page
        ):
            if _is_table(rows, titled):
                found.append((rows, rows[-1].at + 1))
            rows = []
    return found


def _flat(lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
    """The lines with their indices; a table of contents that is a table of columns as well gives those it was made of."""
    titled = -1
    for at, line in enumerate(lines):
        if isinstance(line, TableLine) and (_is_titled(lines, at) or titled == at - 1):
            titled = at
            yield from ((at, part) for part in line.parts)
        else:
            yield at, line


def _is_titled(lines: Sequence[Line], at: int) -> bool:
    return any(heads_contents(other.text) for other in lines[max(0, at - _ABOVE) : at])


def _row(line: Line, at: int) -> _Row | None:
    text = line.text.rstrip() if len(line.text) <= _LONGEST else ""
    end = len(text)
    while end and text[end - 1].isalnum() and len(text) - end < _LONGEST_NUMBER:
        end -= 1
    number = text[end:]
    decimal = number.isdecimal() and len(number) <= _MOST_DIGITS
    counted = decimal or _ROMAN.fullmatch(number) is not None
    before = text[:end] if counted else text
    title = before.rstrip(_LEADERS)
    gap = before[len(title) :]
    dotted = len(gap) - gap.count(" ") >= _FEWEST_LEADERS or "…" in gap
    apart = gap.endswith(CELL_SEPARATOR) if not decimal else gap.endswith(" ")
    if not (dotted or (counted and apart)) or not any(map(str.isalpha, title)):
        return None
    return _Row(at, " ".join(title.split()), int(number) if decimal else None, dotted, line.x0)


def _is_table(rows: Sequence[_Row], titled: bool) -> bool:
    pages = [row.page for row in rows if row.page is not None]
    rising = sum(left <= right for left, right in itertools.pairwise(pages))
    if rising < 0.9 * (len(pages) - 1):
        return False
    dotted = sum(row.dotted for row in rows)
    if dotted >= _FEWEST_DOTTED and dotted >= 0.5 * len(rows):
        return True
    spread = len(set(pages)) >= 0.5 * len(pages)
    return spread and len(pages) >= (_FEWEST_OTHER if titled else _FEWEST_UNTITLED)


def _entries(lines: Sequence[Line], rows: Sequence[_Row]) -> list[ContentsEntry]:
    """Depths follow the numbers of the titles, else how far they are indented."""
    indents: list[float] = []
    for x0 in sorted({row.x0 for row in rows}):
        if not indents or x0 - indents[-1] > _INDENT:
            indents.append(x0)
    entries = []
    for above, row in zip([None, *rows], rows, strict=False):
        title = row.title
        number = number_of(title)
        if number is None and above is not None and row.at == above.at + 2:
            # The entry's first line, which has no page number.
            title = f"{lines[row.at - 1].text} {title}"
            number = number_of(title)
        depth = sum(x0 <= row.x0 + 0.1 for x0 in indents)
        if number is not None and number.family == "decimal":
            depth = number.depth
        entries.append(ContentsEntry(title, depth, row.page))
    return entries


def _locate(
    lines: Sequence[Line], entries: Sequence[ContentsEntry], inside: set[int]
) -> dict[int, tuple[ContentsEntry, int]]:
    listed: dict[str, tuple[ContentsEntry, set[int | None]]] = {}
    for entry in entries:
        for title in {plain(entry.title), _bare(entry.title)}:
            if len(title) > _SHORTEST:
                listed.setdefault(title, (entry, set()))[1].add(entry.page)
    texts = [plain(line.text) for line in lines] if listed else []
    hits = [
        (at, shown, count)
        for at in range(len(texts))
        if at not in inside
        for count, shown in enumerate(_shown(lines, texts, at, inside), 1)
        if shown in listed
    ]
    ahead = Counter(
        lines[at].page - page for at, shown, _ in hits if (page := listed[shown][0].page) is not None
    )
    offset = ahead.most_common(1)[0][0] if ahead else 0
    return {
        at: (listed[shown][0], count)
        for at, shown, count in hits
        if not listed[shown][1].isdisjoint({None, *(lines[at].page - offset + aside for aside in (-1, 0, 1))})
    }


def _shown(lines: Sequence[Line], texts: Sequence[str], at: int, inside: set[int]) -> list[str]:
    """The words of this line, of it and the next one, and so on, as far as they look alike; `texts` are the words of
    each line."""
    shown: list[str] = []
    for line, text in zip(lines[at : at + _MAX_TITLE_LINES], texts[at : at + _MAX_TITLE_LINES], strict=True):
        if line.page != lines[at].page or abs(line.size - lines[at].size) > 0.5 or at + len(shown) in inside:
            break
        shown.append(f"{shown[-1]} {text}" if shown else text)
    return shown


def _bare(title: str) -> str:
    number = number_of(title)
    return plain(title[number.end :]) if number else plain(title)


def plain(text: str) -> str:
    """The words alone, in small letters."""
    return _NO_WORDS.sub(" ", text.replace("\xad", "").lower()).strip()
