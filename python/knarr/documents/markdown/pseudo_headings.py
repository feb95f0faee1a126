"""Titles in Markdown files that have no heading at all.

Release notes and pages saved as text often keep their titles only as short paragraphs. In a file
without one real heading, a top-level paragraph of a single line is a title when text follows it
and it is
- wholly bold, or
- short (at most six words and 60 characters; with three words or more each long one begins with a
  capital), begins with a capital or a pictograph, has no digit and no punctuation but an optional
  colon at its end, and does not itself stand before another such line unless that one is a title
  (a run of short lines is a list, not a run of titles).

Bold lines count alone. The weaker short lines count only if there are three or more and at most a
third of all paragraphs, so that prose stays whole. A title that ends in a colon is one level below
the others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from markdown_it.token import Token

from knarr.documents.sections import Heading

_BOLD = re.compile(r"(\*\*|__)(?=\S)(?P<title>[^*_]{1,120}?)\1:?")
_MAX_WORDS = 6
_MAX_CHARS = 60
_MIN_TITLES = 3
_MAX_SHARE = 1 / 3
_PUNCTUATION = re.compile(r"[.,;!?\"“”…`<>|=\[\]{}@\\]|(?:https?|www)|[-–—/]$")
_PICTOGRAPH = ("So", "Sk", "Mn", "Cf")


def pseudo_headings(tokens: Sequence[Token], lines: Sequence[str], begins: Sequence[int]) -> list[Heading]:
    """Headings for a file in which CommonMark found none; empty when the rule finds none."""
    blocks = _blocks(tokens)
    bold = [at for at, (line, _) in enumerate(blocks) if _bold(lines[line], blocks[at])]
    bold = [at for at in bold if at + 1 < len(blocks)]
    if bold:
        return [_heading(_bold(lines[blocks[at][0]], blocks[at]), 1, blocks[at][0], begins) for at in bold]
    short = [after - line == 1 and _is_short_title(lines[line]) for line, after in blocks]
    titles = [at for at in range(len(blocks) - 1) if short[at] and not short[at + 1]]
    # Where two stand together the first is a title over titles, if it is the stronger of the two.
    titles += [at for at in range(len(blocks) - 2) if short[at] and short[at + 1] and at + 1 in titles]
    if len(titles) < _MIN_TITLES or len(titles) > _MAX_SHARE * len(blocks):
        return []
    found = []
    for at in sorted(set(titles)):
        title = lines[blocks[at][0]].strip()
        found.append(_heading(title.rstrip(":："), 2 if title[-1] in ":：" else 1, blocks[at][0], begins))
    return found


def _blocks(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """(first line, line after) of every top-level block, in order."""
    return [
        (token.map[0], token.map[1])
        for token in tokens
        if not token.level and token.nesting >= 0 and token.map
    ]


def _bold(line: str, block: tuple[int, int]) -> str:
    match = _BOLD.fullmatch(line.strip()) if block[1] - block[0] == 1 else None
    return match["title"].strip().rstrip(":") if match else ""


def _is_short_title(line: str) -> bool:
    bare = line.strip()
    if not bare or len(bare) > _MAX_CHARS or len(bare.split()) > _MAX_WORDS:
        return False
    if _PUNCTUATION.search(bare) or any(ch.isdigit() for ch in bare):
        return False
    words = [word for word in bare.split() if word[0].isalpha()]
    if len(words) > 2 and any(len(word) > 3 and word[0].islower() for word in words):
        return False
    first = next((ch for ch in bare if ch.isalpha()), "")
    if not first or first.islower():
        return False
    return bare[0].isalpha() or unicodedata.category(bare[0]) in _PICTOGRAPH


def _heading(title: str, level: int, line: int, begins: Sequence[int]) -> Heading:
    return Heading(title, level, begins[line], begins[line + 1])
