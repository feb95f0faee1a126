"""The chapters of a book or a law: lines with labels that stand alone, nested by what the labels mean.

The number is not followed: chapters begin anew in every book, and articles count on through all of them. So a rank alone
decides, and a contents table is known by its entries, which have no text below them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.sections import levels
from knarr.documents.text.chapter_labels import ARTICLE, POINT, SHARED, Label, label
from knarr.documents.text.clause_titles import bare, is_title_like

# A name in brackets above an article, as in the laws of Japan.
_ABOVE = re.compile(r"[(（][^()（）]{1,30}[)）]")
_LEAST = 2
_LEAST_RUN = 3
_MOST_TITLE_CHARS = 80
_ENTRY_LINES = 2


@dataclass(frozen=True, slots=True)
class Chapter:
    """Lines ``[first, after)`` of the text, a heading of this level."""

    title: str
    level: int
    first: int
    after: int


@dataclass(frozen=True, slots=True)
class _Found:
    label: Label
    title: str
    first: int
    after: int


def chapters(lines: Sequence[str], noise: set[int], starts: frozenset[int]) -> list[Chapter]:
    """The chapters in order; [] for a text that has none, or whose labels are those of contracts and reports alone."""
    found = [one for one in _labels(lines, noise, starts) if one is not None]
    found = _without_contents(found, lines, noise)
    counts = Counter(one.label.word for one in found)
    found = [
        one for one in found if counts[one.label.word] >= _LEAST or one.label.rank not in (ARTICLE, POINT)
    ]
    own = [one for one in found if one.label.word not in SHARED and one.label.word != "§"]
    if len(own) < _LEAST:
        return []
    ranks = levels((float(one.label.rank),) for one in found)
    return [Chapter(one.title, level, one.first, one.after) for one, level in zip(found, ranks, strict=True)]


def _labels(lines: Sequence[str], noise: set[int], starts: frozenset[int]) -> list[_Found]:
    found: list[_Found] = []
    at = 0
    while at < len(lines):
        one = label(lines[at]) if at not in noise and lines[at].strip() else None
        if one is None or not _stands(lines, at, noise, starts, one, found):
            at += 1
            continue
        title, first, after = one.title, at, at + 1
        if (
            one.rank == ARTICLE
            and at
            and (named := _ABOVE.fullmatch(lines[at - 1].strip()))
            and not (found and found[-1].after >= at)
        ):
            title, first = f"{one.title.split(' ')[0]}{named[0]}", at - 1
        if one.alone and (below := _title_below(lines, after, noise)) is not None:
            title, after = f"{title} {bare(lines[below])}", below + 1
        found.append(_Found(one, title, first, after))
        at = after
    return found


def _stands(
    lines: Sequence[str],
    at: int,
    noise: set[int],
    starts: frozenset[int],
    one: Label,
    found: Sequence[_Found],
) -> bool:
    """Whether a line stands alone: behind a blank one or another label; articles also behind the end of a sentence."""
    if at == 0 or at in starts or at - 1 in noise or not lines[at - 1].strip():
        return True
    if found and found[-1].after == at:
        return True
    before = lines[at - 1].rstrip()
    return (one.rank in (ARTICLE, POINT, POINT + 1) and before[-1] in "。.;；:：)）") or before[0] in "(（"


def _title_below(lines: Sequence[str], at: int, noise: set[int]) -> int | None:
    """The short line below a label that is its title: alone between blank lines, or right below the label."""
    for line in range(at, min(at + 3, len(lines))):
        text = lines[line].strip()
        if not text or line in noise:
            continue
        follows = line + 1 < len(lines) and lines[line + 1].strip()
        fits = (
            len(text) <= _MOST_TITLE_CHARS
            and not follows
            and is_title_like(bare(text))
            and text[-1] not in '.,;:!?”"'
        )
        return line if fits and label(lines[line]) is None else None
    return None


def _without_contents(found: Sequence[_Found], lines: Sequence[str], noise: set[int]) -> list[_Found]:
    """The labels that begin a part: not those of runs whose entries have no text between them."""
    kept: list[_Found] = []
    run: list[_Found] = []
    for at, one in enumerate(found):
        end = found[at + 1].first if at + 1 < len(found) else len(lines)
        text = sum(
            1
            for line in range(one.after, min(end, one.after + 12))
            if lines[line].strip() and line not in noise
        )
        run.append(one)
        if (
            one.label.runs_on
            or text >= _ENTRY_LINES
            or at + 1 == len(found)
            or (text == 1 and _is_body(lines, one.after, end))
        ):
            kept += _last_parts(run)
            run = []
    return kept


def _is_body(lines: Sequence[str], at: int, end: int) -> bool:
    return any(
        len(lines[line].strip()) > _MOST_TITLE_CHARS or lines[line].rstrip()[-1:] in "。.!?"
        for line in range(at, end)
        if lines[line].strip()
    )


def _last_parts(run: list[_Found]) -> list[_Found]:
    """Of labels without text between them those that may head the text after the last: each of a lower rank than the one
    before it. An earlier one is an entry of a contents table, or a part without text."""
    parts = [run[-1]]
    for one in reversed(run[:-1]):
        if one.label.rank >= parts[0].label.rank:
            break
        parts.insert(0, one)
    few = len(run) - len(parts) < _LEAST_RUN
    return run if few else parts
