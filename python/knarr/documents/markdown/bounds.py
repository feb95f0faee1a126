"""Bounds on what markdown-it does for one block.

A link definition may have its label and its title on several lines, so the library reads on to the end of
the paragraph, and when no definition comes of that, it reads the same lines again for the next one. Here it
sees a few lines only, which is more than any definition has.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference

_DEFINITION_LINES = 8


def install(parser: MarkdownIt) -> None:
    """Put this rule in the place of the library's rule for link definitions."""
    parser.block.ruler.at("reference", _reference)


def _reference(state: StateBlock, begin: int, end: int, silent: bool) -> bool:
    line_max = state.lineMax
    state.lineMax = min(line_max, begin + _DEFINITION_LINES)
    try:
        return reference(state, begin, end, silent)
    finally:
        state.lineMax = line_max
