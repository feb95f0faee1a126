"""Which labels in a plain text are clauses, and how their lists nest.

Idea: a label alone proves nothing, since "3." may end a sentence and "(a)" may stand inside one; but
labels that follow each other are a numbering. So a mark is taken when it continues an open list (3.
after 2., 2.4 after 2.3, (c) after (b)), or when it opens one (1., (a), 2.1 under 2.) that goes on
later, which is looked up before it is taken.

Rule: open lists form a stack. A mark that continues an outer list closes the inner ones, so a "1."
inside clause 3 nests there, and "4." ends it. Of two readings of one label, (i) as a letter or as a
numeral, the one that continues the list which looks most alike wins. A few numbers may be missing,
in the outermost lists only, when nothing with the missing number comes later: texts lose labels, but
they rarely put them elsewhere.

Then each list is judged. Articles, sections, items and decimal numbers are always sections; a plain
enumeration only if half of its items have headings of their own, or the usual item is long. The
rest are lists inside the text.

Cost: a mark is compared with the open lists, a handful, and looks ahead by binary search.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from knarr.documents.text.clause_marks import ClauseMark, LabelPlace, LabelReading
from knarr.documents.text.clause_titles import ClauseTitle, TitleKind

KEYWORDS = ("part", "article", "item", "note", "section")
"""Kinds of labels that begin with a word."""

_AT_MARGIN = "at margin "
_LONG_ITEM_CHARS = 300
_MIN_BODY_CHARS = 40
_RANK = {"part": 0, "article": 1, "item": 1, "note": 2, "section": 2, "number": 2}
_MAX_GAP = 3
_ITEM_STEP = 32


@dataclass(slots=True)
class Clause:
    """An accepted mark, and the lists inside it."""

    mark: ClauseMark
    title: ClauseTitle
    path: tuple[int, ...]
    lists: list[ClauseList] = field(default_factory=list)


@dataclass(slots=True)
class ClauseList:
    """Clauses with labels of one form, each the next of the one before."""

    kind: str
    form: str
    prefix: tuple[int, ...]
    owner: Clause | None
    clauses: list[Clause] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.clauses[-1].path[-1]


def clause_lists(marks: Sequence[ClauseMark], titles: Sequence[ClauseTitle], end: int) -> list[ClauseList]:
    """The outermost lists among `marks` of one region that ends at character `end`."""
    builder = _Builder(marks, titles)
    for at in range(len(marks)):
        builder.take(at)
    _prune(builder.outer, end)
    return [found for found in builder.outer if found.clauses]


class _Builder:
    def __init__(self, marks: Sequence[ClauseMark], titles: Sequence[ClauseTitle]) -> None:
        self.marks, self.titles = marks, titles
        self.outer: list[ClauseList] = []
        self.stack: list[ClauseList] = []
        self.latest: dict[str, ClauseList] = {}
        # For looking ahead: the places of all marks that can be read as (form, path).
        self.places: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for at, mark in enumerate(marks):
            for reading in mark.readings:
                self.places.setdefault((reading.form, reading.path), []).append(at)
                if mark.indent == 0:
                    self.places.setdefault((_AT_MARGIN + reading.form, reading.path), []).append(at)

    def take(self, at: int) -> None:
        """Put mark number `at` where it belongs, or leave it in the text."""
        mark = self.marks[at]
        if mark.kind in ("decimal", "number") and " " not in self.titles[at].text:
            # A number alone, without a title under it, is a cell of a table.
            return
        if mark.kind == "note" and len(self.titles[at].text.split()) < 3:
            return
        for reading in mark.readings:
            if reading.kind in KEYWORDS and self._keyword(at, reading):
                return
            if reading.kind == "decimal" and self._decimal(at, reading):
                return
        plain = [reading for reading in mark.readings if reading.kind in ("number", "letter", "roman")]
        if plain:
            self._plain(at, plain)

    # -- keywords -------------------------------------------------------------------------------

    def _keyword(self, at: int, reading: LabelReading) -> bool:
        value = reading.path[-1]
        depth = self._find(reading.form, ())
        if depth is not None:
            step = _ITEM_STEP if reading.kind == "item" else 1
            if 0 < value - self.stack[depth].last <= _MAX_GAP * step:
                self._append(depth, at, reading)
                return True
            if value > step or reading.kind in ("part", "article"):
                return False
        rank = _RANK[reading.kind]
        first = {"item": _MAX_GAP * _ITEM_STEP, "section": 1}.get(reading.kind, _MAX_GAP)
        if depth is None and value > first and not self._counts_on(reading):
            return False
        while self.stack and _RANK.get(self.stack[-1].kind, 9) >= rank:
            self.stack.pop()
        if self.stack and depth is not None and self._find(reading.form, ()) is not None:
            return False
        self._open(at, reading, ())
        return True

    def _counts_on(self, reading: LabelReading) -> bool:
        """Whether a section or an item counts on through articles or parts, whose marks closed its list."""
        if reading.kind not in ("section", "item", "note") or not self.stack:
            return False
        if self.stack[0].kind not in ("article", "part", "item"):
            return False
        step = _ITEM_STEP if reading.kind == "item" else 1
        earlier = self.latest.get(reading.form)
        return earlier is not None and 0 < reading.path[-1] - earlier.last <= _MAX_GAP * step

    # -- decimal numbers ------------------------------------------------------------------------

    def _decimal(self, at: int, reading: LabelReading) -> bool:
        prefix, value = reading.path[:-1], reading.path[-1]
        depth = self._find("decimal", prefix)
        if depth is not None:
            gap = value - self.stack[depth].last
            if gap == 1 or (1 < gap <= _MAX_GAP and self._sure(at) and not self._ahead(at, reading, gap)):
                self._append(depth, at, reading)
                return True
            return False
        if value > 2 or (value == 2 and not self._sure(at)):
            return False
        owner = self._owner(prefix)
        if owner is not None:
            del self.stack[owner + 1 :]
            self._open(at, reading, prefix)
            return True
        return self._orphan(at, reading, prefix)

    def _owner(self, prefix: tuple[int, ...]) -> int | None:
        """The place in the stack of the list whose last clause has the number `prefix`."""
        for depth in range(len(self.stack) - 1, -1, -1):
            found = self.stack[depth]
            if found.kind in ("letter", "roman", "item", "note", "part"):
                continue
            if (*found.prefix, found.last) == prefix:
                return depth
        return None

    def _orphan(self, at: int, reading: LabelReading, prefix: tuple[int, ...]) -> bool:
        """Take a decimal whose parent has no mark: 3.1 after 2.6, or 1.1 at the beginning of a text."""
        if reading.path[-1] != 1:
            return False
        confirmed = self._next_place(at, "decimal", (*prefix, 2)) < len(self.marks)
        for depth, found in enumerate(self.stack):
            if found.kind == "decimal" and len(found.prefix) == len(prefix):
                if found.prefix[:-1] != prefix[:-1] or not 0 < prefix[-1] - found.prefix[-1] <= 2:
                    return False
                if not (confirmed or self._sure(at)):
                    return False
                del self.stack[depth:]
                self._open(at, reading, prefix)
                return True
        begins = prefix[0] <= 2 or self.marks[at].worded
        if self.outer or not confirmed or len(prefix) > 1 or not begins:
            return False
        self._open(at, reading, prefix)
        return True

    # -- plain enumerations ---------------------------------------------------------------------

    def _plain(self, at: int, readings: list[LabelReading]) -> None:
        mark, title = self.marks[at], self.titles[at]
        if (
            mark.place is LabelPlace.INLINE
            and title.kind in (TitleKind.NONE, TitleKind.TERM)
            and readings[0].form != "1.0"
        ):
            return
        best: tuple[int, int, LabelReading] | None = None
        for reading in readings:
            value = reading.path[-1]
            for depth in range(len(self.stack) - 1, -1, -1):
                found = self.stack[depth]
                if found.form != reading.form or found.kind != reading.kind:
                    continue
                gap = value - found.last
                outer = depth == 0 and found.kind == "number"
                if gap != 1 and not (
                    outer and 1 < gap <= _MAX_GAP and self._sure(at) and not self._ahead(at, reading, gap)
                ):
                    continue
                likeness = self._likeness(found, at) - abs(gap - 1)
                if (
                    best is None
                    or likeness > best[0]
                    or (likeness == best[0] and self._again(at, reading) is False)
                ):
                    best = (likeness, depth, reading)
        start = next(
            (reading for reading in readings if reading.path[-1] == 1 and self._goes_on(at, reading)), None
        )
        if best is not None and (start is None or not self._starts_rather(at, start)):
            self._append(best[1], at, best[2])
        elif start is not None:
            if self._restarts(at, start):
                self.stack.clear()
            self._close_ended(at, start)
            self._open(at, start, ())

    def _starts_rather(self, at: int, start: LabelReading) -> bool:
        """Whether (i) begins a list of numerals: after (h) it is the next letter, unless (ii) comes before (j)."""
        return start.kind == "roman" and self._next_place(at, start.form, (2,)) < self._next_place(
            at, start.form.replace("i", "a").replace("I", "A"), (10,)
        )

    def _restarts(self, at: int, start: LabelReading) -> bool:
        """Whether "1." begins the text anew: after recitals, whose items have no headings, or after an
        outermost list that looks alike and never goes on."""
        if not self.stack or start.kind != "number":
            return False
        outer = self.stack[0]
        headed = self.titles[at].kind >= TitleKind.RUN_IN
        plain = sum(clause.title.kind < TitleKind.RUN_IN for clause in outer.clauses)
        unheaded = plain > 1 and plain * 5 >= len(outer.clauses) * 4
        if headed and unheaded and outer.kind in ("letter", "roman", "number") and not outer.prefix:
            return True
        if outer.form != start.form or outer.prefix or len(outer.clauses) < 3:
            return False
        goes_on = self._next_place(at, outer.form, (outer.last + 1,)) < len(self.marks)
        return not goes_on and self._likeness(outer, at) >= 2 and headed

    def _close_ended(self, at: int, start: LabelReading) -> None:
        """Close an inner list of this form that does not go on before the next beginning: it has ended, and
        the new list is beside it, not inside its last item."""
        depth = self._find(start.form, ())
        if depth:
            last = self.stack[depth].last
            following = self._next_place(at, start.form, (last + 1,))
            if (
                last == 1
                or following > self._next_place(at, start.form, (1,))
                or following == len(self.marks)
            ):
                del self.stack[depth:]

    def _goes_on(self, at: int, reading: LabelReading) -> bool:
        if reading.kind == "number" and self._goes_on_at_margin(at, reading):
            return True
        second = self._next_place(at, reading.form, (2,))
        if reading.kind == "number":
            second = min(second, self._next_place(at, "decimal", (1, 1)))
        return second < min(len(self.marks), self._next_place(at, reading.form, (1,)))

    def _goes_on_at_margin(self, at: int, reading: LabelReading) -> bool:
        """Whether "2." follows at the margin where "1." stands, whatever lists are indented between them."""
        if self.marks[at].indent != 0:
            return False
        second = self._next_place(at, _AT_MARGIN + reading.form, (2,))
        return second < min(len(self.marks), self._next_place(at, _AT_MARGIN + reading.form, (1,)))

    # -- helpers --------------------------------------------------------------------------------

    def _find(self, form: str, prefix: tuple[int, ...]) -> int | None:
        for depth in range(len(self.stack) - 1, -1, -1):
            if self.stack[depth].form == form and self.stack[depth].prefix == prefix:
                return depth
        return None

    def _sure(self, at: int) -> bool:
        return self.marks[at].place is not LabelPlace.INLINE or self.titles[at].kind >= TitleKind.TERM

    def _ahead(self, at: int, reading: LabelReading, gap: int) -> bool:
        """Whether a missing number comes later after all."""
        return any(
            self._next_place(at, reading.form, (*reading.path[:-1], reading.path[-1] - back))
            < len(self.marks)
            for back in range(1, gap)
        )

    def _again(self, at: int, reading: LabelReading) -> bool:
        """Whether the same label comes again before the next one, so that this one belongs to an inner list."""
        following = (*reading.path[:-1], reading.path[-1] + 1)
        return self._next_place(at, reading.form, reading.path) < self._next_place(
            at, reading.form, following
        )

    def _next_place(self, at: int, form: str, path: tuple[int, ...]) -> int:
        places = self.places.get((form, path), [])
        found = bisect_right(places, at)
        return places[found] if found < len(places) else len(self.marks)

    def _likeness(self, found: ClauseList, at: int) -> int:
        last = found.clauses[-1]
        mark, title = self.marks[at], self.titles[at]
        score = 2 * ((last.title.kind is TitleKind.NONE) == (title.kind is TitleKind.NONE))
        score += last.title.upper == title.upper
        if last.mark.indent >= 0 and mark.indent >= 0:
            score += 2 * (abs(last.mark.indent - mark.indent) <= 2)
        return score

    def _append(self, depth: int, at: int, reading: LabelReading) -> None:
        del self.stack[depth + 1 :]
        self.stack[depth].clauses.append(Clause(self.marks[at], self.titles[at], reading.path))

    def _open(self, at: int, reading: LabelReading, prefix: tuple[int, ...]) -> None:
        owner = self.stack[-1].clauses[-1] if self.stack else None
        kind = "decimal" if prefix else reading.kind
        found = ClauseList(kind, reading.form, prefix, owner)
        found.clauses.append(Clause(self.marks[at], self.titles[at], reading.path))
        (self.outer if owner is None else owner.lists).append(found)
        self.stack.append(found)
        self.latest[reading.form] = found


def _prune(lists: list[ClauseList], end: int) -> None:
    """Drop the lists that are no sections, with everything inside them."""
    for found in lists:
        ends = [*(clause.mark.begin for clause in found.clauses[1:]), end]
        for clause, clause_end in zip(found.clauses, ends, strict=True):
            _prune(clause.lists, clause_end)
    stops = [*(found.clauses[0].mark.begin for found in lists[1:]), end]
    lists[:] = [found for found, stop in zip(lists, stops, strict=False) if _are_sections(found, stop)]


def _are_sections(found: ClauseList, end: int) -> bool:
    if found.kind in KEYWORDS or found.kind == "decimal":
        return True
    if any(clause.lists for clause in found.clauses):
        return True
    if len(found.clauses) < 2:
        return False
    ends = [*(clause.mark.begin for clause in found.clauses[1:]), end]
    sizes = [stop - clause.mark.begin for clause, stop in zip(found.clauses, ends, strict=True)]
    headed = sum(
        1
        for clause, stop in zip(found.clauses, ends, strict=True)
        if clause.title.kind in (TitleKind.LINE, TitleKind.RUN_IN)
        and stop - clause.title.end > _MIN_BODY_CHARS
    )
    long = _LONG_ITEM_CHARS if found.owner is not None else _LONG_ITEM_CHARS // 2
    # The last item runs on into whatever follows the list, so it says little about the others.
    usual = sorted(sizes[:-1])[(len(sizes) - 1) // 2]
    return headed * 2 >= len(found.clauses) or usual >= long
