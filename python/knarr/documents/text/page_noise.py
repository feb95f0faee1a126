"""Lines that belong to the printed page and not to the text: page numbers, running headers, footers.

They stay in the canonical text, which keeps every line of the source, but they are never headings and
never part of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

_PAGE_NUMBER = re.compile(
    r"(?:page |p\. ?|seite )?(?:\d{1,4}|[ivxl]{1,6}|[A-Z]{1,2}-\d{1,3})(?: ?(?:of|/) ?\d{1,4})?(?: page)?",
    re.IGNORECASE,
)
_FRAME = re.compile(r"[^\w./-]+")
# "Source: ACME CORP, 10-Q, 5/20/2014", as filing sites print it under each page.
_SOURCE = re.compile(r"Source:\s.{1,120},\s*\d{1,2}/\d{1,2}/\d{2,4}")
_LABEL = re.compile(
    r"(?:item|section|article|chapter|part|note|exhibit|schedule)\b|\W*\d+[.)]", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_MAX_MARK_CHARS = 40
_MIN_REPEATS = 3
_MAX_RUNNING_CHARS = 200


def page_noise(lines: Sequence[str], page_starts: frozenset[int] = frozenset()) -> set[int]:
    """The indexes of the lines that are page noise; `page_starts` are the lines that begin a page.

    A line that comes three times or more, whatever its numbers, is a running header or footer when most
    of its places are among the first or last two lines of a page.
    """
    bare = [line.strip() for line in lines]
    noise = {at for at, line in enumerate(bare) if line and _is_page_mark(line)}
    keys = [_running_key(line) for line in bare]
    counts = Counter(keys)
    wanted = {key for key, count in counts.items() if key and count >= _MIN_REPEATS}
    if not wanted or not (noise or page_starts):
        return noise
    # Form feeds are sure borders of pages; without them a page number marks the end of one.
    edges = _page_edges(bare, noise, page_starts or noise)
    at_edge = Counter(keys[at] for at in edges)
    running = {key for key in wanted if at_edge[key] * 2 > counts[key]}
    return noise | {at for at, key in enumerate(keys) if key in running}


def _is_page_mark(line: str) -> bool:
    if len(line) <= _MAX_MARK_CHARS and _PAGE_NUMBER.fullmatch(_FRAME.sub(" ", line).strip(" -./_")):
        return True
    return line.startswith("Source:") and _SOURCE.match(line) is not None


def _running_key(line: str) -> str:
    """The form of a line in which it is the same on other pages; "" for a line that cannot be running text, such as a label."""
    if not 3 <= len(line) <= _MAX_RUNNING_CHARS or _LABEL.match(line):
        return ""
    return _DIGITS.sub("#", line)


def _page_edges(bare: Sequence[str], noise: set[int], breaks: Set[int]) -> set[int]:
    """The last two lines with text before each page break, and the first two after it."""
    filled = [at for at, line in enumerate(bare) if line and at not in noise]
    edges: set[int] = set()
    position = 0
    for line in sorted(breaks):
        while position < len(filled) and filled[position] < line:
            position += 1
        edges.update(filled[max(0, position - 2) : position + 2])
    return edges
