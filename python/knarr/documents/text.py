"""Plain text: the source is the canonical text, line for line; sections by labels and headings.

Numbered clauses come first (`clause_marks` finds labels, `clause_sequence` keeps those that follow
each other); exhibits and schedules begin a numbering of their own. Headings without numbers count
before the first clause, in exhibits without clauses, inside the items of a report, and in texts
that have no clauses at all. Tables of contents and page noise make no sections. A text without
structure is one section.

A form feed starts a page. It is dropped at the start or end of a line and becomes a space inside
one, so that line numbers stay and ``^`` finds the line; nothing else is changed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from knarr.documents import stem
from knarr.documents.clause_marks import Mark, Place, find_marks
from knarr.documents.clause_sequence import Clause, ClauseList, clause_lists
from knarr.documents.clause_titles import Title, bare, clause_title, is_title_like, is_upper
from knarr.documents.contents_table import contents_ranges
from knarr.documents.decode import decode
from knarr.documents.limits import DEFAULT, Limits
from knarr.documents.page_noise import page_noise
from knarr.documents.plain_headings import PlainHeading, Style, plain_headings
from knarr.documents.sections import Document, Heading, section_tree

_T = TypeVar("_T")

_MIN_EXHIBIT_CHARS = 200
_MIN_SHORT_HEADINGS = 3
_TITLE_LINES = 25
_NAMES_DOCUMENT = re.compile(
    r"\b(?:agreement|contract|amendment|lease|license|plan|report|policy|memorandum|manual|handbook|guide|terms|"
    r"rules|specification|standard|syllabus|proposal|statement of work)\b",
    re.IGNORECASE,
)
_COVER_PAGE = re.compile(r"UNITED STATES|SECURITIES (?:AND )?EXCHANGE")
_REPORT_KINDS = ("item", "note", "part")


def parse(data: bytes, name: str, *, limits: Limits = DEFAULT) -> Document:
    """Read a plain text file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    text, pages = _pages(decoded.text)
    outline = _Outline(text, pages)
    spots = outline.headings()
    title = outline.title() or stem(name)
    offsets = [*pages, *(at for spot in spots for at in (spot.begin, spot.body)), len(text)]
    bytes_at = _byte_offsets(text, offsets)
    headings = [Heading(s.title, s.level, bytes_at[s.begin], bytes_at[s.body]) for s in spots]
    return Document(
        title=title,
        text=text,
        root=section_tree(title, bytes_at[len(text)], headings),
        format="text",
        page_begins=tuple(bytes_at[page] for page in pages),
        notes=decoded.notes,
    )


class _Spot:
    """A heading in characters."""

    __slots__ = ("begin", "body", "level", "title")

    def __init__(self, title: str, level: int, begin: int, body: int) -> None:
        self.title, self.level, self.begin, self.body = title, level, begin, body


class _Outline:
    """One text on its way to headings."""

    def __init__(self, text: str, pages: Sequence[int]) -> None:
        # Same length, so offsets hold; no-break spaces part labels from titles as others do.
        self.text = text.replace("\xa0", " ")
        self.lines = self.text.split("\n")
        self.begins = [0, *accumulate(len(line) + 1 for line in self.lines)][:-1]
        starts = frozenset(self._line(page) for page in pages)
        self.noise = page_noise(self.lines, starts)
        marks = [mark for mark in find_marks(self.text) if self._line(mark.begin) not in self.noise]
        self.contents = contents_ranges(self.text, self.lines, self.begins, marks)
        self.marks = [mark for mark in marks if not self._in_contents(mark.begin)]
        labelled = {self._line(mark.begin) for mark in self.marks if mark.place is Place.LINE}
        self.plain = [
            heading
            for heading in plain_headings(self.lines, self.noise, starts)
            if heading.first not in labelled and not self._in_contents(self.begins[heading.first])
        ]

    def headings(self) -> list[_Spot]:
        spots: list[_Spot] = []
        cuts = self._exhibits()
        # What stands before any clause is no exhibit but a label of the whole file, or a list of exhibits.
        top = len(self.text) // 20
        while cuts and cuts[0].begin < top and not self._region([], 0, cuts[0].begin, 0):
            cuts.pop(0)
        ends = [*(mark.begin for mark in cuts), len(self.text)]
        any_clauses = self._region(spots, 0, ends[0], 0)
        for mark, end in zip(cuts, ends[1:], strict=True):
            title = self._titles([mark], end)[0]
            spots.append(_Spot(title.text, 1, mark.begin, min(title.end, end)))
            any_clauses |= self._region(spots, mark.end, end, 1)
        if not any_clauses and not cuts:
            document_title = self.title()
            spots = self._unnumbered([h for h in self.plain if h.title != document_title], 0)
        return _without_repeats(spots)

    def title(self) -> str:
        """The heading near the top that names the document, "" if there is none."""
        top = [at for at, line in enumerate(self.lines[:500]) if line.strip() and at not in self.noise][
            :_TITLE_LINES
        ]
        within = frozenset(top)
        found = [h for h in self.plain if h.first in within and h.style is not Style.SHORT]
        named = next((h.title for h in found if _NAMES_DOCUMENT.search(h.title)), "")
        if named or not found or _COVER_PAGE.search(found[0].title):
            return named
        return found[0].title if found[0].first in top[:2] else ""

    # -- regions ---------------------------------------------------------------------------------

    def _region(self, spots: list[_Spot], begin: int, end: int, base: int) -> bool:
        """Headings of the text between two exhibits; whether it has clauses."""
        marks = [mark for mark in self.marks if begin <= mark.begin < end and mark.kind != "exhibit"]
        lists = clause_lists(marks, self._titles(marks, end), end)
        plain = [heading for heading in self.plain if begin <= self.begins[heading.first] < end]
        if not lists:
            if base:
                spots.extend(self._unnumbered([h for h in plain if h.style is not Style.SHORT], base))
            return False
        first = min(found.clauses[0].mark.begin for found in lists)
        if lists[0].kind not in _REPORT_KINDS:
            # What stands before the first item of a report is its cover.
            document_title = self.title()
            spots.extend(
                self._spot(heading, base + 1)
                for heading in plain
                if self.begins[heading.first] < first and heading.style is not Style.SHORT
                if heading.title != document_title
            )
        recitals = max((spot.begin for spot in spots if spot.begin < first and spot.level > base), default=-1)
        for found in lists:
            level = base + (len(found.prefix) or 1)
            if recitals >= begin and found.kind in ("letter", "roman"):
                level += 1
            self._clauses(spots, found, level, end)
        return True

    def _clauses(self, spots: list[_Spot], found: ClauseList, level: int, end: int) -> None:
        for clause, following in _with_next(found.clauses):
            clause_end = following.mark.begin if following else end
            spots.append(_Spot(clause.title.text, level, clause.mark.begin, clause.title.end))
            if found.kind in _REPORT_KINDS:
                self._inside_item(spots, clause, level, clause_end)
            for inner in clause.lists:
                self._clauses(spots, inner, level + 1, clause_end)

    def _inside_item(self, spots: list[_Spot], clause: Clause, level: int, end: int) -> None:
        """Headings without numbers inside an item of a report that has no clauses inside."""
        if clause.lists:
            end = min(inner.clauses[0].mark.begin for inner in clause.lists)
        inside = [h for h in self.plain if clause.title.end <= self.begins[h.first] < end]
        spots.extend(self._unnumbered(inside, level))

    def _unnumbered(self, plain: Sequence[PlainHeading], base: int) -> list[_Spot]:
        """Levels by style: each kind of rule in order of appearance, then capitals, then short lines."""
        short = sum(heading.style is Style.SHORT for heading in plain)
        capitals = sum(heading.style is Style.CAPITALS for heading in plain)
        if short < _MIN_SHORT_HEADINGS and not base:
            plain = [heading for heading in plain if heading.style is not Style.SHORT]
        # A few lines in capitals among many short ones are acronyms and names, not a level above.
        alike = capitals * 5 < short
        styles: list[tuple[Style, str]] = []
        for heading in sorted(plain, key=lambda heading: heading.style):
            if _style(heading, alike) not in styles:
                styles.append(_style(heading, alike))
        return [self._spot(heading, base + 1 + styles.index(_style(heading, alike))) for heading in plain]

    # -- exhibits --------------------------------------------------------------------------------

    def _exhibits(self) -> list[Mark]:
        """The marks that begin an exhibit: the first of its label with a body, or the last."""
        marks = [mark for mark in self.marks if mark.kind == "exhibit" and self._heads_exhibit(mark)]
        chosen: dict[str, Mark] = {}
        for mark, following in _with_next(marks):
            form = mark.readings[0].form
            end = following.begin if following else len(self.text)
            has_body = end - mark.begin >= _MIN_EXHIBIT_CHARS
            if form not in chosen or (has_body and not self._has_body(chosen[form], marks)):
                chosen[form] = mark
        return sorted(chosen.values(), key=lambda mark: mark.begin)

    def _has_body(self, mark: Mark, marks: Sequence[Mark]) -> bool:
        following = next((other.begin for other in marks if other.begin > mark.begin), len(self.text))
        return following - mark.begin >= _MIN_EXHIBIT_CHARS

    def _heads_exhibit(self, mark: Mark) -> bool:
        """An exhibit's heading stands alone or over a title; the file's own exhibit number is none."""
        line = self._line(mark.begin)
        if not any(self.lines[at].strip() for at in range(line) if at not in self.noise):
            return False
        label = self.text[mark.begin : mark.end]
        if "." in label.rstrip(".:"):
            return False
        rest = self.text[mark.end : self.begins[line] + len(self.lines[line])].strip()
        head = rest.split("   ")[0]
        return not rest or is_upper(head[:40]) or (len(head) <= 100 and is_title_like(bare(head)))

    # -- helpers ---------------------------------------------------------------------------------

    def _titles(self, marks: Sequence[Mark], end: int) -> list[Title]:
        titles = []
        for mark, following in _with_next(marks):
            line = self._line(mark.begin)
            limit = min(self.begins[line] + len(self.lines[line]), following.begin if following else end)
            alone, alone_end = "", 0
            if not self.text[mark.end : limit].strip(" \t.:-–—"):
                alone, alone_end = self._line_below(line, following.begin if following else end)
            titles.append(clause_title(self.text, mark.begin, mark.end, limit, alone, alone_end))
        return titles

    def _line_below(self, line: int, end: int) -> tuple[str, int]:
        """The short line that gives a lone label its title."""
        for at in range(line + 1, min(line + 4, len(self.lines))):
            text = self.lines[at]
            if not text.strip() or at in self.noise:
                continue
            if self.begins[at] < end and len(text.strip()) <= 110 and is_title_like(bare(text)):
                return text, self.begins[at] + len(text)
            break
        return "", 0

    def _spot(self, heading: PlainHeading, level: int) -> _Spot:
        body = self.begins[heading.after] if heading.after < len(self.begins) else len(self.text)
        return _Spot(heading.title, level, self.begins[heading.first], body)

    def _line(self, at: int) -> int:
        return bisect_right(self.begins, at) - 1

    def _in_contents(self, at: int) -> bool:
        return any(begin <= at < end for begin, end in self.contents)


def _style(heading: PlainHeading, alike: bool) -> tuple[Style, str]:
    return (Style.CAPITALS if alike and heading.style is Style.SHORT else heading.style, heading.mark)


def _with_next(items: Sequence[_T]) -> Iterator[tuple[_T, _T | None]]:
    """Each item with the one after it."""
    return zip(items, (*items[1:], None), strict=False)


def _without_repeats(spots: list[_Spot]) -> list[_Spot]:
    """In order; a line that a clause took as its title is no second heading, and no title reaches
    into the next heading."""
    kept: list[_Spot] = []
    for spot in sorted(spots, key=lambda spot: (spot.begin, spot.level)):
        if kept and spot.begin < kept[-1].body:
            if kept[-1].title.endswith(spot.title) or spot.begin == kept[-1].begin:
                continue
            kept[-1].body = spot.begin
        kept.append(spot)
    return kept


def _pages(text: str) -> tuple[str, list[int]]:
    """The text without form feeds, and where its pages begin (in characters); [] without any."""
    if "\f" not in text:
        return text, []
    pieces: list[str] = []
    pages, size = [0], 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for part, piece in enumerate(line.split("\f")):
            if part and pieces and pieces[-1] and piece and not pieces[-1].endswith("\n"):
                pieces.append(" ")
                size += 1
            if part:
                pages.append(size)
            pieces.append(piece)
            size += len(piece)
        if number + 1 < len(lines):
            pieces.append("\n")
            size += 1
    return "".join(pieces), pages


def _byte_offsets(text: str, offsets: Sequence[int]) -> dict[int, int]:
    """UTF-8 byte offsets of character offsets."""
    found, last, size = {}, 0, 0
    for at in sorted(set(offsets)):
        size += len(text[last:at].encode("utf-8"))
        found[at], last = size, at
    return found
