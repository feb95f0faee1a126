"""Headings of a PDF without an outline, drawn from how its lines look.

Idea: authors set headings apart from the text around them, and readers find them by that contrast. A
heading is a short line, or up to three of one look, that
- contrasts: it is larger than the body around it, or bold where the body is not, or a banner in the middle; or it is
  numbered, or has a title that many documents have, and is set apart by italics, capitals or space; or the printed
  table of contents lists it;
- does not read like a sentence, a caption, code, an address, a table's row or the head of a column (see `wording`);
- has something to head: text below it, or a heading of a lower rank.

Judged at last over the whole document: a look that much of the text has is no heading's, and on the first page what is
between the title and the first heading is authors and dates. Ranks are given in `ranks`.
Cost: linear in the lines, each looked at with a few neighbours.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.body import BodyLook, alike, apart, close, edges, off_centre, stands_aside, wraps
from knarr.documents.pdf.contents import find_contents
from knarr.documents.pdf.lines import CELL_SEPARATOR, Line
from knarr.documents.pdf.numbering import OTHER_PART, number_of
from knarr.documents.pdf.ranks import HeadingCandidate, HeadingLook, ranked, title_of
from knarr.documents.pdf.wording import (
    MAX_CHARS,
    heads_columns,
    is_marked,
    known,
    may_begin,
    reads_like_authors,
    reads_like_one,
)

MAX_LINES = 4
_LARGER, _NOT_SMALLER = 1.08, 0.85
_TOP_LINES = 4
_MOST_SHARE = 0.3
_FEWEST_PAGES = 3
_MOST_WORDS_PLAIN = 12
_MUCH_SPACE = 1.3
_PLAIN_SIZE = 0.95
_PROSE_CHARS, _TITLE_WIDTH, _SMALL_WORD = 40, 0.7, 3
_NUMBER_GAP = 4.0
_MOST_SKIPPED = 5


def by_looks(lines: Sequence[Line]) -> dict[int, HeadingCandidate]:
    """The headings by the index of their first line."""
    return _Finder(lines).headings()


@dataclass(slots=True)
class _Candidate:
    look: HeadingLook
    at: int
    count: int
    sure: bool
    larger: bool


class _Finder:
    """One pass over the lines, and what is judged over all of them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._body = BodyLook(lines)
        self._contents = find_contents(lines)

    def headings(self) -> dict[int, HeadingCandidate]:
        found = self._candidates()
        found = _without_bodies(found, self._lines)
        found = _without_authors(found, self._lines)
        found = _in_step(found)
        ranks = ranked([one.look for one in found])
        following = [*zip(found, ranks, strict=True)][1:]
        kept = {}
        for (one, rank), after in zip(
            zip(found, ranks, strict=True), [*following, None][: len(found)], strict=True
        ):
            if self._heads(one, rank, after):
                page = self._lines[one.at].page
                kept[one.at] = HeadingCandidate(one.look.title, rank, one.count, page)
        return kept

    def _candidates(self) -> list[_Candidate]:
        lines, found, at = self._lines, list[_Candidate](), 0
        while at < len(lines):
            listed = None if is_marked(lines[at].text) else self._contents.found.get(at)
            if at in self._contents.lines or not (listed or self._may_head(at)):
                at += 1
                continue
            count = max(self._extent(at), listed[1] if listed else 1)
            title = title_of(lines[at : at + count])
            number = number_of(title)
            body = self._body.size_on(lines[at].page)
            larger = lines[at].size >= body * _LARGER
            reads = listed or reads_like_one(title, number, larger, lines[at].bold and self._isolated(at))
            if count <= MAX_LINES and reads and len(title) <= MAX_CHARS:
                depth = listed[0].depth if listed else None
                look = HeadingLook.of(lines[at], title, number, body, depth)
                sure = bool(listed) or number is not None or known(title)
                found.append(_Candidate(look, at, count, sure, larger))
            at += count
        return found

    def _may_head(self, at: int) -> bool:
        line, body = self._lines[at], self._body
        text = _one_cell(line)
        if text is None or not may_begin(text):
            return False
        size = body.size_on(line.page)
        larger = line.size >= size * _LARGER
        bold = line.bold and line.size >= _NOT_SMALLER * size and not body.bold_on(line.page)
        if not (larger or bold or self._is_banner(at) or self._set_apart(at, text, size)):
            return False
        if self._goes_on(at, text):
            return False
        if larger:
            return True
        number = number_of(text)
        if number is not None and text[number.end :][:1].islower():
            return False
        return not heads_columns(text) and (number is not None or not self._in_table(at))

    def _goes_on(self, at: int, text: str) -> bool:
        """Whether it continues the line above: one of its look that the page broke."""
        if not at or number_of(text) is not None or known(text):
            return False
        above, line = self._lines[at - 1], self._lines[at]
        return alike(above, line) and wraps(self._lines, at - 1) and at - 1 not in self._contents.lines

    def _set_apart(self, at: int, text: str, body: float) -> bool:
        """Whether a line that is neither larger nor bold is one by its number or words, and by italics, capitals or
        space around it."""
        line = self._lines[at]
        number = number_of(text)
        if number is None and not known(text):
            return line.italic and self._is_italic_title(at, text, body)
        if line.size < 0.75 * body:
            return False
        capitals = _in_capitals(text[number.end :] if number else text)
        if number is not None and (number.family in ("bracket", "paragraph", "item") or text[-1] in ".,:;"):
            return False
        if len(text.split()) > _MOST_WORDS_PLAIN:
            return False
        space = apart(self._lines, at, self._body.leading)
        if line.italic or capitals:
            return space
        if line.size < _PLAIN_SIZE * body:
            return False
        if number is None:
            return space and (self._isolated(at) or not off_centre(self._lines, at))
        if number.part < OTHER_PART or (number.family == "decimal" and number.depth > 1):
            return self._alone(at) and not text[number.end : number.end + 1].islower()
        return self._isolated(at)

    def _is_italic_title(self, at: int, text: str, body: float) -> bool:
        """Whether a line in italics is a title above upright prose: its words in capitals, as wide as half of the text
        below, where that begins."""
        lines = self._lines
        if at + 1 == len(lines) or not apart(lines, at, self._body.leading):
            return False
        line, below = lines[at], lines[at + 1]
        if below.italic or below.cells > 1 or len(below.text) < _PROSE_CHARS or not below.text[0].isupper():
            return False
        placed = abs(line.x0 - below.x0) <= 2 * line.size and close(line, below)
        short = line.x1 - line.x0 <= _TITLE_WIDTH * (below.x1 - below.x0)
        if not (placed and short and line.size >= _PLAIN_SIZE * body) or text[-1] in ".,;:":
            return False
        words = [word for word in text.split() if len(word) > _SMALL_WORD]
        return len(words) > 1 and all(word[0].isupper() for word in words)

    def _isolated(self, at: int) -> bool:
        """Whether there is much space above it and more than usual below it."""
        usual = self._body.leading
        below = at + 1
        return (
            apart(self._lines, at, _MUCH_SPACE * usual)
            and below < len(self._lines)
            and self._lines[below].page == self._lines[at].page
            and apart(self._lines, below, usual)
        )

    def _alone(self, at: int) -> bool:
        """Whether there is more space above it than usual, and the line below begins anew."""
        usual = self._body.leading
        below = at + 1
        return apart(self._lines, at, usual) and (
            below == len(self._lines) or not self._lines[below].text[0].islower()
        )

    def _is_banner(self, at: int) -> bool:
        """Whether it is bold or in capitals and in the middle, and in capitals or at the top of the page: a title even
        among bold text or in a smaller size, as above the tables of a report."""
        line = self._lines[at]
        capitals = _in_capitals(line.text)
        if not (line.bold or capitals) or off_centre(self._lines, at):
            return False
        if line.bold:
            return capitals or at < _TOP_LINES or self._lines[at - _TOP_LINES].page != line.page
        left, right = edges(self._lines, at)
        within = line.x0 > left + line.size and line.x1 < right - line.size
        return within and line.size >= _NOT_SMALLER * self._body.size_on(line.page) and self._alone(at)

    def _in_table(self, at: int) -> bool:
        """Whether it is a label between rows of a table, or the head of a column above one."""
        lines, line = self._lines, self._lines[at]
        below = lines[at + 1] if at + 1 < len(lines) else None
        above_row = below is not None and below.cells > 1 and close(line, below)
        rows_above = (above.cells > 1 and above.page == line.page for above in lines[max(0, at - 3) : at])
        if above_row and any(rows_above):
            return True
        last = line
        for above in reversed(lines[max(0, at - 4) : at]):
            if not close(above, last):
                break
            if above.cells > 1:
                return True
            last = above
        return above_row and stands_aside(lines, at)

    def _extent(self, at: int) -> int:
        """How many lines of one look follow each other closely, as a heading that wraps does. A name alone, "Chapter 3",
        goes on in the title below it."""
        lines, count = self._lines, 1
        first = number_of(lines[at].text)
        if (
            first
            and first.part < OTHER_PART
            and not lines[at].text[first.end :].strip()
            and self._is_titled(at)
        ):
            count = 2
        while at + count < len(lines):
            last, line = lines[at + count - 1], lines[at + count]
            anew = number_of(line.text) is not None or known(line.text) or at + count in self._contents.found
            if anew or not alike(_as_one(last), line) or not self._contrasts_alike(at, at + count):
                break
            if not (wraps(lines, at + count - 1) or line.text[0].islower() or last.text[-1] in ":-–—\xad&,"):
                break
            count += 1
        return count

    def _contrasts_alike(self, at: int, other: int) -> bool:
        """Whether the second line has what sets the first apart from the body."""
        first, line = self._lines[at], self._lines[other]
        if first.size >= _LARGER * self._body.size_on(first.page) or first.bold:
            return True
        return _in_capitals(line.text) if _in_capitals(first.text) else first.italic

    def _is_titled(self, at: int) -> bool:
        if at + 1 == len(self._lines):
            return False
        line, below = self._lines[at], self._lines[at + 1]
        text = _one_cell(below)
        near = line.page == below.page and 0 < line.y - below.y <= 4 * max(line.size, below.size)
        marked = below.size >= _LARGER * self._body.size_on(line.page) or (below.bold and line.bold)
        return near and marked and text is not None and may_begin(text) and number_of(text) is None

    def _heads(
        self, one: _Candidate, rank: tuple[float, ...], after: tuple[_Candidate, tuple[float, ...]] | None
    ) -> bool:
        """Whether text or a lower heading is below it; lines of a title page or a list have none."""
        if one.at + one.count >= len(self._lines):
            return False
        number = one.look.number
        if (number is not None and number.family == "name") or one.at in self._contents.found:
            # "Item 6. [Reserved]" has nothing to head and is a section all the same.
            return True
        if after is None or after[0].at > one.at + one.count or after[1] > rank:
            return True
        # A section may hold nothing of its own, and the text below it may be on the next page, below another heading;
        # what follows it stands apart, as the next item of a list does not.
        line, below = self._lines[one.at], self._lines[after[0].at]
        alone = (line.bold or one.larger) and apart(self._lines, after[0].at, self._body.leading)
        return one.sure and (line.page != below.page or (number is not None and alone))


def _as_one(line: Line) -> Line:
    """The line as if it were of one cell, where its number stands apart."""
    return line if line.cells == 1 or _one_cell(line) is None else _single(line)


def _single(line: Line) -> Line:
    return Line(line.text, 1, line.x0, line.x1, line.y, line.size, line.bold, line.italic, line.page)


def _one_cell(line: Line) -> str | None:
    """The text of a line that is one piece, or a number and the title after a gap; None for rows of tables."""
    if line.cells == 1:
        return line.text
    number, _, title = line.text.partition(CELL_SEPARATOR)
    near = len(line.places) == 2 and line.places[1][0] - line.places[0][1] <= _NUMBER_GAP * line.size
    if line.cells == 2 and near and len(number) <= 12 and title[:1].isalpha() and not title[:1].islower():
        whole = f"{number} {title}"
        found = number_of(whole)
        if found is not None and abs(found.end - len(number)) <= 1:
            return whole
    return None


def _in_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    cased = sum(char.isupper() for char in letters)
    return len(letters) >= 4 and cased == len(letters)


def _without_bodies(found: list[_Candidate], lines: Sequence[Line]) -> list[_Candidate]:
    """Without those in a look that much of the text has, unless a number or the contents say that they are headings."""
    chars: Counter[tuple[float, bool, bool]] = Counter()
    for line in lines:
        chars[line.size, line.bold, line.italic] += len(line.text)
    most = _MOST_SHARE * chars.total()
    return [
        one
        for one in found
        if one.sure or _in_capitals(one.look.title) or chars[_face(lines[one.at])] <= most
    ]


def _in_step(found: list[_Candidate]) -> list[_Candidate]:
    """Without whole numbers that do not count on from those before: numbers of pages, of parts in a drawing."""
    kept, last = [], 0
    for one in found:
        number = one.look.number
        if (
            number is not None
            and number.family == "decimal"
            and number.depth == 1
            and one.look.title[0].isdecimal()
        ):
            digits = "".join(itertools.takewhile(str.isdecimal, one.look.title))
            value = int(digits)
            if value > last + _MOST_SKIPPED and one.look.title[len(digits)].isspace():
                continue
            last = value
        elif number is not None and number.part < OTHER_PART:
            last = 0 if number.family == "name" else last
        kept.append(one)
    return kept


def _face(line: Line) -> tuple[float, bool, bool]:
    return line.size, line.bold, line.italic


def _without_authors(found: list[_Candidate], lines: Sequence[Line]) -> list[_Candidate]:
    """Without what is on the first page between the title, its largest line, and the first heading: looks that no later
    page has, in words that are neither numbered nor known."""
    pages = lines[-1].page - lines[0].page + 1 if lines else 0
    first = [one for one in found if lines[one.at].page == lines[0].page]
    if pages < _FEWEST_PAGES or not first:
        return found
    later = {_face(lines[one.at]) for one in found if lines[one.at].page != lines[0].page}
    largest = max(lines[one.at].size for one in first)
    dropped: set[int] = set()
    known_at = next((one.at for one in first if one.sure), 0)
    dropped.update(one.at for one in first if one.at < known_at and reads_like_authors(one.look.title))
    for one in first:
        if one.sure or (_face(lines[one.at]) in later and lines[one.at].size < largest):
            break
        if lines[one.at].size < largest:
            dropped.add(one.at)
    return [one for one in found if one.at not in dropped]
