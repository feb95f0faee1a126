"""Which sections of two texts are the same, and how they differ.

Sections are matched in steps, the surest first: the same titles and the same own text; the same titles; the same own
text under another title or place; and of the rest, sections with most of their lines in common. A section's own text
is what stands under its heading before the first section below it, so one changed sentence is one changed section,
and a renamed chapter is one renamed section: those below it came along.

Costs: linear in the texts, except for the last step, which compares at most `_MOST_LIKENED` sections of each side.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knarr.catalog.packed import VersionContent
from knarr.history.records import Difference, SectionDifference
from knarr.types import Span
from knarr.uris import below

_MOST_LIKENED = 200
_ALIKE = 0.5  # of the lines of two sections, weighed by their length, must be common to take them for one
_MOST_LINES = 2_000  # of a section are compared line by line, beyond a common beginning and end
_CONTEXT_LINES = 1


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section with its own text. `parent` is the number of the section above it, None for the document."""

    titles: tuple[str, ...]
    uri: str
    parent: int | None
    span: Span
    body: str


def parts_of(content: VersionContent) -> list[SectionText]:
    """The sections of a content in order; the first is the document itself."""
    data, rows = content.text.encode(), content.sections
    found: list[SectionText] = []
    for at, row in enumerate(rows):
        following = rows[at + 1].begin_byte if at + 1 < len(rows) else row.end_byte
        end = min(row.end_byte, max(following, row.begin_byte))
        above = found[row.parent].titles if row.parent is not None else ()
        titles = (*above, row.title) if row.parent is not None else ()
        body = data[min(row.body_byte, end) : end].decode()
        uri = below(content.record.uri, row.path)
        found.append(SectionText(titles, uri, row.parent, (row.begin_byte, end), body))
    return found


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Numbers of old sections and those of the new ones that they became."""

    old: dict[int, int]
    new: dict[int, int]

    def join(self, one: int, other: int) -> None:
        self.old[one], self.new[other] = other, one


class Comparison:
    """Two contents section by section. `kinds` counts the differences, `unchanged` the sections without one."""

    def __init__(self, old: VersionContent, new: VersionContent) -> None:
        self._old, self._new = parts_of(old), parts_of(new)
        self._pairs = _matched(self._old, self._new)
        self._differing = list(self._listed())
        self.kinds: dict[str, int] = dict(Counter(kind for kind, _, _ in self._differing))
        self.unchanged = len(self._new) - sum(one is not None for _, _, one in self._differing)
        self.total = len(self._differing)

    def page(self, offset: int, limit: int, lines: int) -> Iterator[SectionDifference]:
        """Differences from `offset` on, at most `limit`, each with at most so many lines of its diff."""
        for kind, one, other in self._differing[offset : offset + limit]:
            yield self._difference(kind, one, other, lines)

    def _listed(self) -> Iterator[tuple[Difference, int | None, int | None]]:
        """The differences in the order of the new text, removed sections after what stood before them."""
        removed: dict[int, list[int]] = defaultdict(list)
        last = -1
        for one in range(len(self._old)):
            if one in self._pairs.old:
                last = self._pairs.old[one]
            else:
                removed[last].append(one)
        yield from (("removed", one, None) for one in removed[-1])
        for other in range(len(self._new)):
            source = self._pairs.new.get(other)
            kind = "added" if source is None else self._kind(source, other)
            if kind is not None:
                yield kind, source, other
            yield from (("removed", gone, None) for gone in removed[other])

    def _kind(self, one: int, other: int) -> Difference | None:
        old, new = self._old[one], self._new[other]
        above = None if old.parent is None else self._pairs.old.get(old.parent, -1)
        if above != new.parent:
            return "moved"
        if old.titles[-1:] != new.titles[-1:]:
            return "renamed"
        return None if _text_key(old) == _text_key(new) else "changed"

    def _difference(
        self, kind: Difference, one: int | None, other: int | None, lines: int
    ) -> SectionDifference:
        old = None if one is None else self._old[one]
        new = None if other is None else self._new[other]
        told = list(diff_lines(old.body if old else "", new.body if new else ""))
        return SectionDifference(
            kind=kind,
            old=old.titles if old else (),
            new=new.titles if new else (),
            old_uri=old.uri if old else "",
            new_uri=new.uri if new else "",
            old_bytes=old.span if old else None,
            new_bytes=new.span if new else None,
            diff=tuple(told[:lines]),
            left_out=max(0, len(told) - lines),
        )


def _matched(old: Sequence[SectionText], new: Sequence[SectionText]) -> _Pairs:
    pairs = _Pairs({}, {})
    if old and new:
        pairs.join(0, 0)
    steps: tuple[Callable[[SectionText], Hashable | None], ...] = (
        lambda part: (part.titles, _text_key(part)),
        lambda part: part.titles,
        lambda part: (part.titles[-1:], _text_key(part)) if _text_key(part) else None,
        lambda part: _text_key(part) or None,
    )
    for key in steps[:2]:
        _join_equal(pairs, old, new, key)
    _follow_parents(pairs, old, new)
    for key in steps[2:]:
        _join_equal(pairs, old, new, key)
        _follow_parents(pairs, old, new)
    _join_alike(pairs, old, new)
    _follow_parents(pairs, old, new)
    return pairs


def _join_equal(
    pairs: _Pairs,
    old: Sequence[SectionText],
    new: Sequence[SectionText],
    key: Callable[[SectionText], Hashable | None],
) -> None:
    """Join what has the same key, in order."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for number, part in _left(new, pairs.new):
        waiting[key(part)].append(number)
    for places in waiting.values():
        places.reverse()
    for number, part in _left(old, pairs.old):
        known = key(part)
        if known is not None and waiting[known]:
            pairs.join(number, waiting[known].pop())


def _follow_parents(pairs: _Pairs, old: Sequence[SectionText], new: Sequence[SectionText]) -> None:
    """Join sections of one title whose sections above are joined: a renamed chapter takes its own along."""
    places: dict[tuple[int | None, tuple[str, ...]], list[int]] = defaultdict(list)
    for number, part in _left(new, pairs.new):
        places[part.parent, part.titles[-1:]].append(number)
    for number, part in _left(
        old, pairs.old
    ):  # from the top down, so that what is joined here counts at once
        above = None if part.parent is None else pairs.old.get(part.parent)
        waiting = places.get((above, part.titles[-1:]), [])
        if above is not None and waiting:
            pairs.join(number, waiting.pop(0))


def _join_alike(pairs: _Pairs, old: Sequence[SectionText], new: Sequence[SectionText]) -> None:
    """Join sections that have most of their lines in common, the most alike first."""
    ones = list(_left(old, pairs.old))[:_MOST_LIKENED]
    others = [(number, part, _line_weights(part)) for number, part in _left(new, pairs.new)][:_MOST_LIKENED]
    scored = []
    for one, part in ones:
        weights = _line_weights(part)
        for other, _, there in others:
            share = _share(weights, there)
            if share >= _ALIKE:
                scored.append((-share, one, other))
    for _, one, other in sorted(scored):
        if one not in pairs.old and other not in pairs.new:
            pairs.join(one, other)


def _left(parts: Sequence[SectionText], joined: dict[int, int]) -> Iterator[tuple[int, SectionText]]:
    return ((number, part) for number, part in enumerate(parts) if number not in joined)


def _text_key(part: SectionText) -> str:
    """Equal for bodies that say the same: blank lines and white space around lines do not count."""
    return "\n".join(filter(None, map(str.strip, part.body.split("\n"))))


def _line_weights(part: SectionText) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in filter(None, map(str.strip, part.body.split("\n"))):
        found[line] += len(line)
    return found


def _share(one: Counter[str], other: Counter[str]) -> float:
    whole = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / whole if whole else 0.0


# ---------------------------------------------------------------------- lines


def diff_lines(old: str, new: str) -> Iterable[str]:
    """The lines that differ, with "-" or "+" before them, a line of context with " ", and "@@ … @@" where a part
    begins. Blank lines at the ends do not count. Bounded: beyond `_MOST_LINES` lines what lies between a common beginning and a common end is told as removed and added
    whole."""
    before, after = old.strip("\n").splitlines(), new.strip("\n").splitlines()
    if before == after:
        return ()
    first = _common(zip(before, after, strict=False))
    most = min(len(before), len(after)) - first
    last = min(most, _common(zip(reversed(before), reversed(after), strict=False)))
    gone, come = before[first : len(before) - last], after[first : len(after) - last]
    if len(gone) > _MOST_LINES or len(come) > _MOST_LINES:
        head = f"@@ -{first + 1},{len(gone)} +{first + 1},{len(come)} @@"
        return [head, *(f"-{line}" for line in gone), *(f"+{line}" for line in come)]
    return list(difflib.unified_diff(before, after, lineterm="", n=_CONTEXT_LINES))[2:]


def _common(pairs: Iterable[tuple[Any, Any]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count
