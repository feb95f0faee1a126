"""A markdown-it rule that finds pipe tables (GFM) as runs of lines.

The library's own rule makes three tokens per cell, gigabytes for a long table; all that is needed
here is which lines are header, delimiter and body. The recognition is GFM's: a row with a pipe,
then a delimiter row of as many cells, then rows up to a blank line or another block.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

TOKEN = "pipe_table"
"""Type of the token; its `map` is [header line, line after the last row]."""

_DELIMITER = re.compile(r"[|:\- \t]+")
_DELIMITER_CELL = re.compile(r":?-+:?")
_CELL_BREAK = re.compile(r"(?<!\\)\|")


def install(parser: MarkdownIt) -> None:
    """Put this rule in the place of the library's table rule."""
    parser.enable("table")
    parser.block.ruler.at("table", _rule, {"alt": ["paragraph", "reference"]})


def cells(line: str) -> list[str]:
    """The cells of a row, outer pipes left off; a pipe after a backslash does not part cells."""
    bare = line.strip()
    bare = bare.removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip() for cell in _CELL_BREAK.split(bare)]


def _rule(state: StateBlock, begin: int, end: int, silent: bool) -> bool:
    if begin + 2 > end or not _opens(state, begin):
        return False
    if silent:
        return True
    line = begin + 2
    terminators = state.md.block.ruler.getRules("blockquote")
    parent, state.parentType = state.parentType, "table"
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in terminators):
            break
        line += 1
    state.parentType = parent
    token = state.push(TOKEN, "table", 0)
    token.map = [begin, line]
    state.line = line
    return True


def _opens(state: StateBlock, line: int) -> bool:
    for at in (line, line + 1):
        if state.sCount[at] < state.blkIndent or state.is_code_block(at):
            return False
    delimiter = _content(state, line + 1)
    # Looked at first, since nearly every line fails here at its first character.
    if not _DELIMITER.fullmatch(delimiter) or "-" not in delimiter:
        return False
    header = _content(state, line)
    if "|" not in header:
        return False
    parts = cells(delimiter)
    return all(_DELIMITER_CELL.fullmatch(part) for part in parts) and len(parts) == len(cells(header))


def _content(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
