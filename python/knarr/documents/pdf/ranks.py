"""Ranks of headings: which is above which, by number, name and look.

A rank orders headings without giving levels. The title of the document is above all. Parts and chapters rank by their
names. Among the others a number wins over looks: headings of one family and depth are of one level, that of the look that
most of them have. Looks rank by size, weight, capitals and slant.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.numbering import OTHER_PART, Number
from knarr.language.plain import line_gap

_LARGER = 1.08
_OUTER = ("roman", "letter", "item", "decimal")
_BRACKETS, _UNNUMBERED = 15, 16
TITLE_RANK = (1.0, -1.0)

Style = tuple[float, bool, bool, bool]


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """A heading before levels are given: `rank` orders headings, less is higher; `lines` of the text
    show it, none where the words of an outline's entry are not on its page."""

    title: str
    rank: tuple[float, ...]
    lines: int
    page: int


@dataclass(frozen=True, slots=True)
class HeadingLook:
    """A heading's words, number and style; `depth` is that in the printed table of contents, or None."""

    title: str
    number: Number | None
    style: Style
    page: int
    depth: int | None

    @classmethod
    def of(cls, line: Line, title: str, number: Number | None, body: float, depth: int | None) -> HeadingLook:
        """The look of a heading whose first line this is."""
        size = -round(line.size * 2) / 2 if line.size >= body * _LARGER else -body
        capitals = title == title.upper() and title != title.lower()
        return cls(title, number, (size, not line.bold, not capitals, line.italic), line.page, depth)

    @property
    def place(self) -> tuple[str, int] | None:
        """Family and depth of the number, or depth in the contents."""
        if self.number is not None and self.number.family != "name":
            return self.number.family, self.number.depth
        if self.number is None and self.depth is not None and not self.contrasts:
            return "decimal", self.depth
        return None

    @property
    def contrasts(self) -> bool:
        """Whether it is bold, in capitals or slanted, so that its look says something."""
        return not self.style[1] or not self.style[2] or self.style[3]


def title_of(lines: Sequence[Line]) -> str:
    """The words of a heading's lines as one; a hyphen at the end of a line goes where the word plainly goes on."""
    title = ""
    for line in lines:
        text = " ".join(line.text.split())
        if title.endswith("\xad"):
            title = title[:-1] + ("" if text[:1].islower() else "-") + text
        else:
            title = f"{title}{line_gap(title, text)}{text}" if title else text
    return title.replace("\xad", "-")


def ranked(looks: Sequence[HeadingLook]) -> list[tuple[float, ...]]:
    """The rank of each, in document order."""
    styles, bases = _styles(looks), _bases(looks)
    depths: dict[Style, int] = {}
    for (family, depth), style in styles.items():
        depths[style] = min(depths.get(style, _UNNUMBERED), bases[family] + depth)
    title = _title(looks)
    return [
        TITLE_RANK if at == title else _rank(look, styles, bases, depths) for at, look in enumerate(looks)
    ]


def _bases(looks: Sequence[HeadingLook]) -> dict[str, int]:
    """How deep each family of numbers begins, from 0: "A." below "I.", and "1." below both where they come first. Letters
    after the last number are those of appendices."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for at, look in enumerate(looks):
        if look.place is not None:
            first.setdefault(look.place[0], at)
            last[look.place[0]] = at
    bases = dict.fromkeys(first, 0) | {"bracket": _BRACKETS}
    for family in first.keys() & set(_OUTER):
        outer = [other for other in _OUTER if other in first and first[other] < first[family] <= last[other]]
        bases[family] = len(outer)
    return bases


def _rank(
    look: HeadingLook, styles: dict[tuple[str, int], Style], bases: dict[str, int], depths: dict[Style, int]
) -> tuple[float, ...]:
    part = look.number.part if look.number is not None else OTHER_PART
    if part < OTHER_PART:
        return (1, part)
    place = look.place
    if place is None:
        return (1, part, *look.style, depths.get(look.style, _UNNUMBERED))
    style = styles[place]
    return (1, part, *style, bases[place[0]] + place[1])


def _styles(looks: Sequence[HeadingLook]) -> dict[tuple[str, int], Style]:
    """The style of most headings of each family and depth; a deeper one never ranks above a shallower one."""
    seen: dict[tuple[str, int], Counter[Style]] = defaultdict(Counter)
    for look in looks:
        if look.place is not None:
            seen[look.place][look.style] += 1
    styles: dict[tuple[str, int], Style] = {}
    for family, depth in sorted(seen):
        style = seen[family, depth].most_common(1)[0][0]
        above = [styles[family, other] for other in range(1, depth) if (family, other) in styles]
        styles[family, depth] = max([style, *above[-1:]])
    return styles


def _title(looks: Sequence[HeadingLook]) -> int | None:
    """The title of the document: on its first page, before all headings but what is smaller, and larger than all others."""
    first = [at for at, look in enumerate(looks) if look.page == looks[0].page]
    if not first:
        return None
    top = min(first, key=lambda at: looks[at].style[0])
    size = looks[top].style[0]
    number = looks[top].number
    alone = all(look.style[0] > size for at, look in enumerate(looks) if at != top)
    numbered_before = any(looks[at].number is not None for at in first if at < top)
    return top if alone and number is None and not numbered_before and len(looks) > 1 else None
