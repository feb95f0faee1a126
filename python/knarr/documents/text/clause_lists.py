"""Numbered clauses in their lists, and which lists are sections.

Articles, sections, items and decimal numbers always are; plain enumerations only if half of their
items have headings of their own or the usual item is long. The rest are lists in the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from knarr.documents.text.clause_marks import Mark
from knarr.documents.text.clause_titles import Title, TitleKind

KEYWORDS = ("part", "article", "item", "note", "section")
"""Kinds of labels that begin with a word."""

_LONG_ITEM_CHARS = 300
_MIN_BODY_CHARS = 40


@dataclass(slots=True)
class Clause:
    """An accepted mark; `lists` are the lists inside it."""

    mark: Mark
    title: Title
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


def prune(lists: list[ClauseList], end: int) -> None:
    """Drop the lists that are no sections, with what is inside them."""
    for found in lists:
        ends = [*(clause.mark.begin for clause in found.clauses[1:]), end]
        for clause, clause_end in zip(found.clauses, ends, strict=True):
            prune(clause.lists, clause_end)
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
