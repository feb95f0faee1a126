"""How results read for a policy: bounded in tokens, with what was left out and how to get it.

Text that comes from documents stands on lines that begin with "> ". A document cannot forge the end of such a
block, since every line of it carries the mark; nor can it forge a number of ours (see `agent/numbers.py`). Each
tool renders its own results with these helpers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knarr.agent.numbers import without_numbers
from knarr.types import Provenance

Count = Callable[[str], int]
NOTE_TOKENS = 60  # kept for the lines that say what was left out
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


def quoted(text: str) -> str:
    """Document text with every line marked, whatever sign a reader may take for the end of a line."""
    return "\n".join(f"> {line}" for line in _LINE_END.split(without_numbers(text.strip("\n"))))


def place(source: Provenance) -> str:
    """Lines and pages, as short as can be."""
    lines = f"lines {source.lines[0]}-{source.lines[1]}"
    if source.pages is None:
        return lines
    first, last = source.pages
    return f"{lines}, {f'p. {first}' if first == last else f'pp. {first}-{last}'}"


def fitting(blocks: Sequence[str], count: Count, room_tokens: int) -> int:
    """How many of the first blocks fit; one always does, so that no call returns empty-handed."""
    used = NOTE_TOKENS
    for kept, block in enumerate(blocks):
        used += count(block) + 1
        if used > room_tokens and kept:
            return kept
    return len(blocks)
