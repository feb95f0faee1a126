"""Lines and their indentation, by which everything nests in reStructuredText; and titles, which a row of one mark
under them (and over them) makes.

Which mark means which level is no rule of the language: the order of first appearance says it, and a title with a
row above ranks as another kind than one without.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_ROW = re.compile(r"([!-/:-@\[-`{-~])\1*")
_LEAST_ROW = 4
_TAB = 8


@dataclass(frozen=True, slots=True)
class Title:
    """A title over lines ``[at, after)``; `style` is the mark of its row, twice where there is one above too."""

    source: str
    style: str
    after: int


def source_lines(text: str) -> list[str]:
    """The lines without white space at their ends, tabs at every eighth column."""
    return [line.expandtabs(_TAB).rstrip() for line in text.split("\n")]


def indent(line: str) -> int:
    """How many columns a line is indented."""
    return len(line) - len(line.lstrip(" "))


def indented(lines: Sequence[str], at: int, least: int = 1) -> tuple[list[str], int]:
    """The lines from `at` that are indented by `least` columns or blank, without what indentation they share, and
    the line after them; blank ones at the end belong to nothing."""
    after, end, shared = at, at, 1 << 30
    while after < len(lines):
        line = lines[after]
        if line:
            here = indent(line)
            if here < least:
                break
            shared, end = min(shared, here), after + 1
        after += 1
    return [line[shared:] for line in lines[at:end]], end


def title_at(lines: Sequence[str], at: int) -> Title | None:
    """The title that begins at a line, None where there is none."""
    line = lines[at]
    after = lines[at + 1] if at + 1 < len(lines) else ""
    if not after:
        return None
    if mark := row_mark(line):
        below = lines[at + 2] if at + 2 < len(lines) else ""
        if row_mark(below) != mark or below != line or row_mark(after) == mark:
            return None
        fits = width(after) <= len(line) or len(line) >= _LEAST_ROW
        return Title(after.strip(), mark * 2, at + 3) if fits else None
    mark = row_mark(after)
    if not mark or line[0] == " " or (len(after) < _LEAST_ROW and len(after) < width(line)):
        return None
    return Title(line, mark, at + 2)


def row_mark(line: str) -> str:
    """The mark of which a line wholly consists, "" for another line."""
    return line[0] if line and line[0] != " " and _ROW.fullmatch(line) else ""


def is_rule(lines: Sequence[str], at: int) -> bool:
    """Whether a line parts the text: a row of marks between blank lines."""
    alone = (at == 0 or not lines[at - 1]) and (at + 1 == len(lines) or not lines[at + 1])
    return alone and len(lines[at]) >= _LEAST_ROW and bool(row_mark(lines[at]))


def width(text: str) -> int:
    """How many columns a text takes: an ideograph takes two, an accent none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
