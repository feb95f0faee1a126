"""Tables of contents in plain text, whose entries look like clauses.

Four signs identify them: page numbers or dot leaders at the ends of lines; a heading, followed by short
entries that come again later as clauses; a run of short entries after which the first one comes again
with the same words; parts close together that come again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from knarr.documents.text.clause_marks import ClauseMark

_HEADING = re.compile(
    r"^[ \t]*(?:TABLE OF CONTENTS|Table of Contents|CONTENTS|Contents|INDEX)\b[^\n]{0,40}", re.MULTILINE
)
_LEADER = re.compile(r"(?:\.[ \t]?){4,}[ \t]*(?:\d{1,3}|[ivxl]{1,6})?[ \t]*$|…[ \t]*\d{1,3}[ \t]*$")
_PAGE_AT_END = re.compile(r"\S(?:[ \t]{2,}|\t)(?:\d{1,3}|[ivxl]{1,5})[ \t]*$")
_MAX_ENTRY_CHARS = 700
_MIN_ENTRIES = 3
_MAX_HEADINGS = 20
_TOP_MARKS = 40
_MAX_BARE_ENTRY_CHARS = 150
_MIN_BARE_ENTRIES = 5
_MAX_PART_CHARS = 3000


def contents_ranges(
    text: str, lines: Sequence[str], begins: Sequence[int], marks: Sequence[ClauseMark]
) -> list[tuple[int, int]]:
    """Character ranges that are tables of contents: under their heading, or by their page numbers."""
    ranges = _by_pages(lines, begins)
    for heading in islice(_HEADING.finditer(text), _MAX_HEADINGS):
        found = _under_heading(heading.end(), marks)
        if found:
            ranges.append((heading.start(), found))
            break
    ranges.extend(found for found in (_unannounced(text, marks), _parts(marks)) if found)
    return _merged(ranges)


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in order, overlapping ones joined."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _under_heading(at: int, marks: Sequence[ClauseMark]) -> int | None:
    """The end of the run of short entries after the heading, whose marks come again later."""
    first = next((place for place, mark in enumerate(marks) if mark.begin >= at), len(marks))
    last_place = {mark.key: place for place, mark in enumerate(marks)}
    seen: set[tuple[str, tuple[int, ...]]] = set()
    end, entries = at, 0
    for place in range(first, len(marks)):
        mark = marks[place]
        if (
            mark.begin - (marks[place - 1].end if place > first else at) > _MAX_ENTRY_CHARS
            or mark.key in seen
        ):
            break
        # The numbers of items begin anew in each part.
        if mark.kind == "part":
            seen = {key for key in seen if key[0] == "part"}
        seen.add(mark.key)
        # An entry without a clause of its own may be between others, or last when it is short.
        last = place + 1 == len(marks) or marks[place + 1].begin - mark.end > _MAX_ENTRY_CHARS
        if last_place[mark.key] > place or not last:
            end, entries = mark.end, entries + 1
    return end if entries >= _MIN_ENTRIES else None


def _unannounced(text: str, marks: Sequence[ClauseMark]) -> tuple[int, int] | None:
    """A table of contents without a heading: five or more short entries, after which the first of them
    soon comes again with the same words."""
    for place, mark in enumerate(marks[:_TOP_MARKS]):
        if mark.readings[0].path not in ((1,), (1, 1)):
            continue
        after = place + 1
        while after < len(marks) and marks[after].begin - marks[after - 1].end < _MAX_BARE_ENTRY_CHARS:
            if marks[after].key == mark.key:
                break
            after += 1
        again = {_words(text, other) for other in marks[after : after + 12] if other.key == mark.key}
        if after - place >= _MIN_BARE_ENTRIES and _words(text, mark) in again:
            return mark.begin, marks[after - 1].end
    return None


def _parts(marks: Sequence[ClauseMark]) -> tuple[int, int] | None:
    """Three or more parts close together, one of which comes again. The entries between them had no label
    that could be read."""
    parts = [mark for mark in marks if mark.kind == "part"]
    run: list[ClauseMark] = []
    for mark in parts:
        again = mark.readings[0].path == (1,) and any(other.key == mark.key for other in run)
        if run and (again or mark.begin - run[-1].end > _MAX_PART_CHARS):
            break
        run.append(mark)
    keys = {mark.key for mark in run}
    if len(run) >= _MIN_ENTRIES and any(mark.key in keys for mark in parts[len(run) :]):
        return run[0].begin, run[-1].end
    return None


def _words(text: str, mark: ClauseMark) -> str:
    """The first letters after a label, by which an entry is recognised."""
    return "".join(ch for ch in text[mark.end : mark.end + 40].lower() if ch.isalpha())[:10]


def _by_pages(lines: Sequence[str], begins: Sequence[int]) -> list[tuple[int, int]]:
    """Lines with dot leaders, and runs of three or more lines that end in a page number."""
    ranges = []
    run: list[int] = []
    for at, line in enumerate([*lines, "end"]):
        if len(line) < 300 and (_LEADER.search(line) or _PAGE_AT_END.search(line)):
            run.append(at)
        elif line.strip():
            if len(run) >= _MIN_ENTRIES or any(_LEADER.search(lines[entry]) for entry in run):
                ranges.append((begins[run[0]], begins[run[-1]] + len(lines[run[-1]])))
            run = []
    return ranges
