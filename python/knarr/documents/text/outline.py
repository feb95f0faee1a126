"""The headings of a plain text, by labels and by looks; `parse` states the rules."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import TypeVar

from knarr.documents.text.chapters import chapters
from knarr.documents.text.clause_marks import ClauseMark, LabelPlace, find_marks
from knarr.documents.text.clause_sequence import Clause, ClauseList, clause_lists
from knarr.documents.text.clause_titles import ClauseTitle, bare, clause_title, is_title_like, is_upper
from knarr.documents.text.contents_table import contents_ranges
from knarr.documents.text.margin_numbers import without_margin_numbers
from knarr.documents.text.marked_headings import hash_headings, underlined
from knarr.documents.text.page_noise import page_noise
from knarr.documents.text.plain_headings import HeadingStyle, PlainHeading, plain_headings

_T = TypeVar("_T")

_MIN_SHORT_HEADINGS = 3
_TITLE_LINES = 25
_TOP_LINES = 500
_MAX_LABELS = 8
_MIN_EXHIBIT_CHARS = 200
_NAMES_DOCUMENT = re.compile(
    r"\b(?:agreement|contract|amendment|lease|license|plan|report|policy|memorandum|manual|handbook|guide|terms|"
    r"rules|specification|standard|syllabus|proposal|statement of work)\b",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"\d+\.\d")
_COVER_PAGE = re.compile(r"UNITED STATES|SECURITIES (?:AND )?EXCHANGE")
_REPORT_KINDS = ("item", "note", "part")


class TextHeading:
    """A heading with its place in characters."""

    __slots__ = ("begin", "body", "level", "title")

    def __init__(self, title: str, level: int, begin: int, body: int) -> None:
        self.title, self.level, self.begin, self.body = title, level, begin, body


class Outline:
    """The title and the headings of one text."""

    def __init__(self, text: str, pages: Sequence[int]) -> None:
        # The replacement has the same length, so offsets stay valid; no-break spaces part labels from titles
        # as other spaces do.
        self.text = text.replace("\xa0", " ")
        self.lines, self.margin_numbers = without_margin_numbers(self.text.split("\n"))
        if self.margin_numbers:
            self.text = "\n".join(self.lines)
        self.begins = [0, *accumulate(len(line) + 1 for line in self.lines)][:-1]
        starts = frozenset(self._line(page) for page in pages)
        self.noise = page_noise(self.lines, starts)
        marks = [mark for mark in find_marks(self.text) if self._line(mark.begin) not in self.noise]
        self.contents = contents_ranges(self.text, self.lines, self.begins, marks)
        self.marks = [mark for mark in marks if not self._in_contents(mark.begin)]
        labelled = {self._line(mark.begin) for mark in self.marks if mark.place is LabelPlace.LINE}
        looks = plain_headings(self.lines, self.noise, starts)
        self._underlined = underlined(looks)
        self._chapters = chapters(self.lines, self.noise, starts)
        self.plain = [
            heading
            for heading in looks
            if heading.first not in labelled and not self._in_contents(self.begins[heading.first])
        ]

        self._mark_begins = [mark.begin for mark in self.marks]
        self._plain_begins = [self.begins[heading.first] for heading in self.plain]

    def headings(self) -> list[TextHeading]:
        """By marks that mean headings, where the text has them; else by chapters; else by clauses; else by looks."""
        clauses = self._clause_headings()
        hashed = hash_headings(self.lines)
        if hashed and len(hashed) >= len(clauses):
            return [self._spot(heading, level) for heading, level in hashed]
        if self._underlined and len(self._underlined) >= len(clauses):
            return self._unnumbered([h for h in self._underlined if h.title != self.title], 0)
        decimals = sum(bool(_DECIMAL.match(spot.title)) for spot in clauses)
        if len(self._chapters) > decimals:
            return [
                TextHeading(one.title, one.level, self.begins[one.first], self._begin(one.after))
                for one in self._chapters
            ]
        return clauses or self._unnumbered([h for h in self.plain if h.title != self.title], 0)

    def _clause_headings(self) -> list[TextHeading]:
        """Those of numbered clauses, and of exhibits with what is in them; [] for a text without either."""
        spots: list[TextHeading] = []
        cuts = exhibits(self.text, self.marks, self._first_text)
        # Marks before any clause begin no exhibit: they label the whole file, or list its exhibits.
        top, labels = len(self.text) // 20, 0
        while cuts and cuts[0].begin < top and labels < _MAX_LABELS:
            if self._region([], 0, cuts[0].begin, 0):
                break
            cuts.pop(0)
            labels += 1
        ends = [*(mark.begin for mark in cuts), len(self.text)]
        any_clauses = self._region(spots, 0, ends[0], 0)
        for mark, end in zip(cuts, ends[1:], strict=True):
            title = self._titles([mark], end)[0]
            spots.append(TextHeading(title.text, 1, mark.begin, min(title.end, end)))
            any_clauses |= self._region(spots, mark.end, end, 1)
        return _without_repeats(spots) if any_clauses or cuts else []

    @cached_property
    def title(self) -> str:
        """The heading near the top that names the document, "" if there is none. It is the title of the
        whole document and makes no section."""
        filled = (
            at for at, line in enumerate(self.lines[:_TOP_LINES]) if line.strip() and at not in self.noise
        )
        top = frozenset(islice(filled, _TITLE_LINES))
        named = (h.title for h in self.plain if h.first in top and h.style is not HeadingStyle.SHORT)
        return next((t for t in named if _NAMES_DOCUMENT.search(t) and not _COVER_PAGE.search(t)), "")

    # -- regions ---------------------------------------------------------------------------------

    def _region(self, spots: list[TextHeading], begin: int, end: int, base: int) -> bool:
        """Add the headings of the text between two exhibits; returns whether it has clauses."""
        first, after = bisect_left(self._mark_begins, begin), bisect_left(self._mark_begins, end)
        marks = [mark for mark in self.marks[first:after] if mark.kind != "exhibit"]
        lists = clause_lists(marks, self._titles(marks, end), end)
        plain = self._plain_between(begin, end)
        if not lists:
            if base:
                spots.extend(self._unnumbered([h for h in plain if h.style is not HeadingStyle.SHORT], base))
            return False
        first_clause = min(found.clauses[0].mark.begin for found in lists)
        if lists[0].kind not in _REPORT_KINDS:
            # The text before the first item of a report is its cover.
            spots.extend(
                self._spot(heading, base + 1)
                for heading in plain
                if self.begins[heading.first] < first_clause and heading.style is not HeadingStyle.SHORT
                if heading.title != self.title
            )
        recitals = max(
            (spot.begin for spot in spots if spot.begin < first_clause and spot.level > base), default=-1
        )
        for found in lists:
            level = base + (len(found.prefix) or 1)
            if recitals >= begin and found.kind in ("letter", "roman"):
                level += 1
            self._clauses(spots, found, level, end)
        return True

    def _clauses(self, spots: list[TextHeading], found: ClauseList, level: int, end: int) -> None:
        for clause, following in _with_next(found.clauses):
            clause_end = following.mark.begin if following else end
            spots.append(TextHeading(clause.title.text, level, clause.mark.begin, clause.title.end))
            if found.kind in _REPORT_KINDS:
                self._inside_item(spots, clause, level, clause_end)
            for inner in clause.lists:
                self._clauses(spots, inner, level + 1, clause_end)

    def _inside_item(self, spots: list[TextHeading], clause: Clause, level: int, end: int) -> None:
        """Add the headings without numbers inside an item of a report, up to its first clause."""
        if clause.lists:
            end = min(inner.clauses[0].mark.begin for inner in clause.lists)
        spots.extend(self._unnumbered(self._plain_between(clause.title.end, end), level))

    def _unnumbered(self, plain: Sequence[PlainHeading], base: int) -> list[TextHeading]:
        """Headings with levels by style: each kind of rule in order of appearance, then capitals, then short
        lines."""
        short = sum(heading.style is HeadingStyle.SHORT for heading in plain)
        capitals = sum(heading.style is HeadingStyle.CAPITALS for heading in plain)
        if short < _MIN_SHORT_HEADINGS and not base:
            plain = [heading for heading in plain if heading.style is not HeadingStyle.SHORT]
        # A few lines in capitals among many short ones are acronyms and names, not headings of a level above.
        alike = capitals * 5 < short
        styles: list[tuple[HeadingStyle, str]] = []
        for heading in sorted(plain, key=lambda heading: heading.style):
            if _style(heading, alike) not in styles:
                styles.append(_style(heading, alike))
        return [self._spot(heading, base + 1 + styles.index(_style(heading, alike))) for heading in plain]

    # -- helpers ---------------------------------------------------------------------------------

    def _titles(self, marks: Sequence[ClauseMark], end: int) -> list[ClauseTitle]:
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
        """The short line below a lone label that is its title, and where it ends; "" when there is none."""
        for at in range(line + 1, min(line + 4, len(self.lines))):
            text = self.lines[at]
            if not text.strip() or at in self.noise:
                continue
            if self.begins[at] < end and len(text.strip()) <= 110 and is_title_like(bare(text)):
                return text, self.begins[at] + len(text)
            break
        return "", 0

    def _spot(self, heading: PlainHeading, level: int) -> TextHeading:
        body = self._begin(heading.after)
        return TextHeading(heading.title, level, self.begins[heading.first], body)

    @cached_property
    def _first_text(self) -> int:
        """Where the first line with text begins."""
        filled = (at for at, line in enumerate(self.lines) if line.strip() and at not in self.noise)
        return self.begins[next(filled, 0)]

    def _plain_between(self, begin: int, end: int) -> list[PlainHeading]:
        return self.plain[bisect_left(self._plain_begins, begin) : bisect_left(self._plain_begins, end)]

    def _begin(self, line: int) -> int:
        return self.begins[line] if line < len(self.begins) else len(self.text)

    def _line(self, at: int) -> int:
        return bisect_right(self.begins, at) - 1

    def _in_contents(self, at: int) -> bool:
        found = bisect_right(self.contents, (at, len(self.text))) - 1
        return found >= 0 and at < self.contents[found][1]


def _style(heading: PlainHeading, alike: bool) -> tuple[HeadingStyle, str]:
    return (
        HeadingStyle.CAPITALS if alike and heading.style is HeadingStyle.SHORT else heading.style,
        heading.mark,
    )


def _with_next(items: Sequence[_T]) -> Iterator[tuple[_T, _T | None]]:
    """Each item with the one after it."""
    return zip(items, (*items[1:], None), strict=False)


def _without_repeats(spots: list[TextHeading]) -> list[TextHeading]:
    """The headings in order. A line that a clause took as its title makes no second heading, and no title
    reaches into the next heading."""
    kept: list[TextHeading] = []
    for spot in sorted(spots, key=lambda spot: (spot.begin, spot.level)):
        if kept and spot.begin < kept[-1].body:
            if kept[-1].title.endswith(spot.title) or spot.begin == kept[-1].begin:
                continue
            kept[-1].body = spot.begin
        kept.append(spot)
    return kept


def exhibits(text: str, marks: Sequence[ClauseMark], first_text: int) -> list[ClauseMark]:
    """The marks that begin an exhibit, in order. A label may be repeated on every page of its exhibit, or
    come in a list before it, so its first mark with a body counts, or else its first. `first_text` is
    where the text's first line begins, which at most numbers the file itself."""
    heads = [mark for mark in marks if mark.kind == "exhibit" and _heads_exhibit(text, mark, first_text)]
    ends = [*(mark.begin for mark in heads[1:]), len(text)]
    chosen: dict[str, tuple[ClauseMark, bool]] = {}
    for mark, end in zip(heads, ends, strict=False):
        form, has_body = mark.readings[0].form, end - mark.begin >= _MIN_EXHIBIT_CHARS
        if form not in chosen or (has_body and not chosen[form][1]):
            chosen[form] = (mark, has_body)
    return sorted((mark for mark, _ in chosen.values()), key=lambda mark: mark.begin)


def _heads_exhibit(text: str, mark: ClauseMark, first_text: int) -> bool:
    """Whether the label is alone or over a title, and is no number of the filing ("10.2")."""
    line_begin = text.rfind("\n", 0, mark.begin) + 1
    if line_begin <= first_text or "." in text[mark.begin : mark.end].rstrip(".:"):
        return False
    line_end = text.find("\n", mark.end)
    rest = text[mark.end : line_end if line_end >= 0 else len(text)].strip()
    head = rest[:200].split("   ")[0]
    return not rest or is_upper(head[:40]) or (len(head) <= 100 and is_title_like(bare(head)))
