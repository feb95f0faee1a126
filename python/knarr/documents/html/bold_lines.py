"""Headings of pages that have none by tag: lines that are bold as a whole, as filings and letters have them.

Only a short line counts that stands by itself and ends as a title does. "Part" ranks above "Item", that above lines
in capitals, and those above all others; a line is below the nearest one before it that ranks higher. Capitals that
come again are the running head of printed pages.
"""

from __future__ import annotations

import re

_MOST_CHARS, _MOST_WORDS = 120, 16
_PART = re.compile(r"(?:part|teil|book|title)\s+(?:[IVXLC]{1,7}|\d{1,3})\b", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:item|article|section|chapter|schedule|exhibit|annex|appendix|artikel|kapitel|§)\s*[\dIVXLC]{1,7}[A-Z]?\b",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"[,;&]$|[.!?]\s+\w.*[.!?]$|(?:19|20)\d\d$|\d{5}$|/s/|_{3}|\(continued\)$", re.IGNORECASE
)
_NUMBERED_END = re.compile(r"\b(?:\d{1,3}[A-Za-z]?|[IVXLC]{1,7})\.$", re.IGNORECASE)
_LEAST_LETTERS = 4
_CAPITALS, _OTHER = 2, 3


class BoldLines:
    """Gives levels from `base` on, in document order."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._path: list[int] = []
        self._seen: set[str] = set()

    def level(self, text: str) -> int:
        """The level of the heading that this bold paragraph is, 0 if it is none."""
        line = text.replace("\n", " ")
        rank = _rank(line)
        if rank is None or (rank == _CAPITALS and line in self._seen):
            return 0
        self._seen.add(line)
        while self._path and self._path[-1] >= rank:
            self._path.pop()
        self._path.append(rank)
        return self._base + len(self._path) - 1


def _rank(line: str) -> int | None:
    if (
        len(line) > _MOST_CHARS
        or len(line.split()) > _MOST_WORDS
        or line.startswith(("|", "`", "-", "*", "("))
    ):
        return None
    if _PART.match(line):
        return 0
    if _ITEM.match(line):
        return 1
    letters = sum(map(str.isalpha, line))
    if letters < _LEAST_LETTERS or 2 * letters < len(line.replace(" ", "")) or _NO_TITLE.search(line):
        return None
    if line.endswith((".", ":")) and not _NUMBERED_END.search(line) and len(line.split()) > 6:
        return None
    return _CAPITALS if line.upper() == line and line.lower() != line else _OTHER
