"""Trees of text for people: drawn with branches, wrapped to a width, and safe to print.

What is drawn may come from documents and models, so no control character passes (see `clean`).
A URI is never broken inside, so that it can be copied.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knarr.language import plain

# C0 and C1 controls but tab and line feed, line and paragraph separators, embeddings and isolates.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LEAD = re.compile(r" *(?:> )?")
_LEAST_ROOM = 24
_SHORT_WORD = 8


@dataclass(slots=True)
class DrawingNode:
    """A line, the lines right below it, and its branches."""

    head: str
    body: list[str] = field(default_factory=list)
    children: list[DrawingNode] = field(default_factory=list)


def clean(text: str) -> str:
    """Text without control characters that a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def clean_line(text: str) -> str:
    """Text with every run of white space as one space, and no control character."""
    return clean(plain.one_line(text))


def short(text: str, most: int) -> str:
    """A text on one line of at most `most` characters, "…" where something was cut."""
    return clean(plain.shortened(text, most))


def clip(value: Any, most: int) -> str:
    """A value like `short`, a string in quotes."""
    return f'"{short(value, most)}"' if isinstance(value, str) else short(str(value), most)


def bounded(text: str, most_lines: int, most_chars: int) -> list[str]:
    """The first `most_lines` lines of a text, each of at most `most_chars` characters, and a line that counts
    the rest."""
    lines = text.split("\n")
    kept = [line if len(line) <= most_chars else line[: most_chars - 1] + "…" for line in lines[:most_lines]]
    return kept + more(len(lines) - most_lines, "lines")


def more(left: int, what: str = "") -> list[str]:
    """`… 4 more`, or nothing where nothing is left."""
    return [f"… {left:,} more {what}".rstrip()] if left > 0 else []


def draw(root: DrawingNode, width: int = 0) -> str:
    """The tree, its root at the left. `width` is in columns of a terminal; 0 wraps nothing."""
    lines = _fit([root.head, *root.body], width)
    return "\n".join(lines + _branches(root.children, width))


def _branches(nodes: Sequence[DrawingNode], width: int) -> list[str]:
    lines: list[str] = []
    room = max(_LEAST_ROOM, width - 3) if width else 0
    for number, node in enumerate(nodes, 1):
        first, rest = ("└─ ", "   ") if number == len(nodes) else ("├─ ", "│  ")
        block = _fit([node.head, *node.body], room) + _branches(node.children, room)
        lines += [(rest if at else first) + line for at, line in enumerate(block)]
    return lines


def _fit(lines: Sequence[str], room: int) -> list[str]:
    flat = (clean(line.replace("\n", " ").replace("\t", " ")).rstrip() for line in lines)
    return [part for line in flat for part in (wrap(line, room) if room else [line])]


def wrap(line: str, room: int) -> list[str]:
    """A line in parts of at most `room` cells. It is broken at spaces, and inside a word that is longer than
    the room and no URI. Further parts are indented, or stand behind the same quotation mark `> `."""
    lead = _lead(line)
    if cells(line) <= room:
        return [line]
    hang = lead if lead.endswith("> ") else lead + "  "
    parts, part, empty = [], lead, True
    for word in line[len(lead) :].split(" "):
        for piece in _pieces(word, room - cells(hang)):
            # A piece that fits no line may as well stand behind a short word, such as the number of a quote.
            hopeless = cells(piece) > room - cells(hang) and cells(part) <= cells(lead) + _SHORT_WORD
            if not empty and cells(part) + 1 + cells(piece) > room and not hopeless:
                parts.append(part)
                part, empty = hang, True
            part += piece if empty else " " + piece
            empty = False
    return [*parts, part]


def _lead(line: str) -> str:
    found = _LEAD.match(line)
    return found.group() if found else ""


def _pieces(word: str, room: int) -> list[str]:
    """The word; cut into pieces when it is longer than the room and no URI."""
    if cells(word) <= room or "://" in word or room < 2:
        return [word]
    pieces, piece, used = [], "", 0
    for character in word:
        size = cells(character)
        if piece and used + size > room:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + character, used + size
    return [*pieces, piece]


def cells(text: str) -> int:
    """Columns that a text takes in a terminal: wide scripts take two, marks on letters none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)
