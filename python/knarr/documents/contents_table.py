"""Tables of contents in plain text: entries that look like clauses, and are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.documents.clause_marks import Mark

_HEADING = re.compile(
    r"^[ \t]*(?:TABLE OF CONTENTS|Table of Contents|CONTENTS|Contents|INDEX)\b[^\n]{0,40}", re.MULTILINE
)
_LEADER = re.compile(r"(?:\.[ \t]?){4,}[ \t]*(?:\d{1,3}|[ivxl]{1,6})?[ \t]*$|…[ \t]*\d{1,3}[ \t]*$")
_PAGE_AT_END = re.compile(r"\S(?:[ \t]{2,}|\t)(?:\d{1,3}|[ivxl]{1,5})[ \t]*$")
_MAX_ENTRY_CHARS = 700
_MIN_ENTRIES = 3


def contents_ranges(
    text: str, lines: Sequence[str], begins: Sequence[int], marks: Sequence[Mark]
) -> list[tuple[int, int]]:
    """Character ranges that are tables of contents: under their heading, or by their page numbers."""
    ranges = _by_pages(lines, begins)
    for heading in _HEADING.finditer(text):
        found = _under_heading(heading.end(), marks)
        if found:
            ranges.append((heading.start(), found))
            break
    return sorted(ranges)


def _under_heading(at: int, marks: Sequence[Mark]) -> int | None:
    """The end of the run of marks after the heading that come again later, each entry short."""
    first = next((place for place, mark in enumerate(marks) if mark.begin >= at), len(marks))
    last_place = {mark.key: place for place, mark in enumerate(marks)}
    seen: set[tuple[str, tuple[int, ...]]] = set()
    end, entries = at, 0
    for place in range(first, len(marks)):
        mark = marks[place]
        if mark.begin - end > _MAX_ENTRY_CHARS or mark.key in seen:
            break
        # Items begin anew in each part.
        if mark.kind == "part":
            seen = {key for key in seen if key[0] == "part"}
        seen.add(mark.key)
        if last_place[mark.key] == place:
            # An entry without its clause may stand between others, never at the end.
            continue
        end, entries = mark.end, entries + 1
    return end if entries >= _MIN_ENTRIES else None


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
