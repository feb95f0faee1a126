"""Raised text in a line: 10 with a raised 6 is no 106.

Raised numbers are written ``10^6``, as people type them. Letters that are raised (1st, 2e) are read with the word, for
so they are searched; so is all that is lowered (CO2).
"""

from __future__ import annotations

import re

_MOST_RAISED = 40
_POWER = re.compile(r"[+\-−–]?\s?(?:\d[\d.,]*|[a-zA-Z])")
_LETTERS = re.compile(r"[^\W\d_]{1,6}\.?|[®™©℠*†‡§°′″ªº]+")
_REFERENCE = re.compile(r"\[.{1,12}\]")
# Control characters that no text has.
RAISED_BEGIN, RAISED_END = "\x0e", "\x0f"
_MARKED = re.compile(f"{RAISED_BEGIN}([^{RAISED_BEGIN}{RAISED_END}]*){RAISED_END}")


def raised(text: str, before: str) -> str:
    """Raised text as it stands after `before`, the last character written."""
    shown = text.strip()
    if not shown or len(shown) > _MOST_RAISED or text[0].isspace() or shown.startswith("[^"):
        return text
    if not before.isalnum() and before not in (")", "]", "}"):
        return text
    if _LETTERS.fullmatch(shown) and not (len(shown) == 1 and before in (")", "]", "}")):
        return text
    mark = f"^{shown}" if _POWER.fullmatch(shown) or _REFERENCE.fullmatch(shown) else f"^({shown})"
    return mark + text[len(shown) :]


def marked(text: str) -> str:
    """Raised text, marked as such until the line around it is known."""
    return f"{RAISED_BEGIN}{text}{RAISED_END}" if text else ""


def written(line: str) -> str:
    """A line with its marked parts as they are written."""
    if RAISED_BEGIN not in line and RAISED_END not in line:
        return line
    parts: list[str] = []
    last = ""
    for at, piece in enumerate(_MARKED.split(line.replace(RAISED_END + RAISED_BEGIN, ""))):
        text = raised(piece, last) if at % 2 else piece.replace(RAISED_BEGIN, "").replace(RAISED_END, "")
        parts.append(text)
        last = text[-1:] or last
    return "".join(parts)
