"""What the history of documents is told in. Plain, frozen, JSON-ready by `to_json`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from knarr.types import Span

Difference = Literal["added", "removed", "changed", "moved", "renamed"]
DIFFERENCES: tuple[Difference, ...] = ("added", "removed", "changed", "moved", "renamed")


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document.

    begin_at, end_at: when it became the newest, and when it ceased to be; None for the one that still is
    uri:          where it stood last as this version
    retained:     whether it can still be read; else nothing below is known
    change:       what it changed against the version before, in a line
    """

    version: int
    begin_at: str
    end_at: str | None
    uri: str
    retained: bool
    title: str = ""
    status: str = ""
    content_hash: str = ""
    size_bytes: int = 0
    text_bytes: int = 0
    sections: int = 0
    chunks: int = 0
    change: str = ""


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """The versions of the document that a URI means, oldest first; iterates over them.

    uri:     where it stands, or stood last
    removed: whether it is gone
    """

    uri: str
    removed: bool
    versions: tuple[Version, ...]

    def __iter__(self) -> Iterator[Version]:
        return iter(self.versions)

    def __len__(self) -> int:
        return len(self.versions)

    def on(self, moment: str) -> int | None:
        """The version that stood at a time (ISO 8601 in UTC, with microseconds) and is kept; None where none did."""
        stood = [
            one
            for one in self.versions
            if one.begin_at <= moment and (one.end_at is None or moment < one.end_at)
        ]
        return stood[-1].version if stood and stood[-1].retained else None


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of two contents that are compared: a document in a version, and when that became the newest."""

    uri: str
    version: int
    title: str
    begin_at: str


@dataclass(frozen=True, slots=True)
class SectionDifference:
    """What differs in one section; each is told by its own text, without that of the sections below it.

    kind:     "added", "removed", "changed", "moved" (below another section) or "renamed"
    old, new: the section's titles from the top down in each version; empty where it is not there
    old_uri, new_uri:     of the section, "" where it is not there
    old_bytes, new_bytes: of its own text, in the canonical text of that version
    diff:     its text as a unified diff by lines, at most so many lines; `left_out` counts the others
    """

    kind: Difference
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_uri: str
    new_uri: str
    old_bytes: Span | None
    new_bytes: Span | None
    diff: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def titles(self) -> tuple[str, ...]:
        """The section's titles: the new ones, where there are new ones."""
        return self.new or self.old


@dataclass(frozen=True, slots=True)
class DocumentDiff:
    """How two contents differ: a page of the sections that do, in the order of the new text, removed ones where they
    were. Iterates over that page.

    counts:      how many sections were added, removed, changed, moved and renamed in all; `unchanged` the others
    total:       how many differ; `next_offset` goes on after this page, None on the last
    """

    old: ComparedSide
    new: ComparedSide
    counts: dict[str, int]
    unchanged: int
    differences: tuple[SectionDifference, ...]
    total: int
    next_offset: int | None

    def __iter__(self) -> Iterator[SectionDifference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def summary(self) -> str:
        """The counts in a line."""
        return summary_of(self.counts)


def summary_of(counts: dict[str, int]) -> str:
    """Counts of differences in a line: "2 sections changed, 1 added"; "no section differs"."""
    told = [
        (kind, counts[kind])
        for kind in ("changed", "added", "removed", "renamed", "moved")
        if counts.get(kind)
    ]
    if not told:
        return "no section differs"
    (first, number), *rest = told
    return ", ".join(
        [
            f"{number:,} {'section' if number == 1 else 'sections'} {first}",
            *(f"{n:,} {kind}" for kind, n in rest),
        ]
    )
