"""Numbers of lines, printed in the margin: of pleadings, of listings. They count lines and label nothing.

They are known by counting: most lines begin with one, and each is one more than the last, or begins a page anew. In the
text that headings are read from, blanks take their place; the canonical text keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_NUMBER = re.compile(r"[ \t]{0,8}(\d{1,6})(?=[ \t:|]|$)[ \t]?[:|]?")
_LEAST_LINES = 10
_LEAST_SHARE = 0.7
_LEAST_STEPS = 0.85


def without_margin_numbers(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines with blanks for the numbers in their margin, and how many there were; as they are where there is no such
    margin."""
    found = [(_NUMBER.match(line) if line[:1] in " \t0123456789" else None) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    filled = sum(1 for line in lines if line.strip())
    if len(numbers) < max(_LEAST_LINES, _LEAST_SHARE * filled):
        return list(lines), 0
    steps = sum(after == before + 1 or after == 1 for before, after in pairwise(numbers))
    if steps < _LEAST_STEPS * (len(numbers) - 1):
        return list(lines), 0
    plain = [
        " " * match.end() + line[match.end() :] if match else line
        for line, match in zip(lines, found, strict=True)
    ]
    # The margin is as wide as its widest number.
    return plain, len(numbers)
