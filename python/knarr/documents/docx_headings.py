"""Which paragraphs of a Word document are headings, and at which level.

The outline decides. Only where a document has (nearly) no outline, because nobody used styles or
because it was converted from a PDF, are headings drawn from looks: short paragraphs that are bold,
underlined, in capitals or larger than the body throughout, that do not end like a sentence and
that have something to head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.docx_body import Block
from knarr.documents.docx_numbering import BULLET
from knarr.documents.docx_paragraphs import Paragraph

MAX_OUTLINE_CHARS = 300
MAX_LOOK_CHARS = 90
MAX_LOOK_WORDS = 12
# Fewer outline headings than this, each over more than this many paragraphs, are "nearly none".
FEW_HEADINGS = 3
MANY_PARAGRAPHS = 25
_LARGER = 1.12
_SENTENCE_END = re.compile(r"[.;,!]$|[.!?]\s+[A-Z]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CONTACT = re.compile(r"@|https?://|www\.|\d{3}[-.)]\s?\d{3}|^\W*\d+\W*$")


@dataclass(frozen=True, slots=True)
class _Rank:
    """A look, in order of weight."""

    size: int
    caps: bool
    bold: bool

    def key(self) -> tuple[int, int, int]:
        return (-self.size, not self.caps, not self.bold)


def heading_levels(blocks: Sequence[Block]) -> tuple[dict[int, int], str]:
    """Index of a heading's block → level (from 1); and a note for the receipt, or ""."""
    outline = {
        at: block.outline
        for at, block in enumerate(blocks)
        if isinstance(block, Paragraph) and block.outline is not None and len(block.text) <= MAX_OUTLINE_CHARS
    }
    if len(outline) >= FEW_HEADINGS or (outline and len(blocks) <= MANY_PARAGRAPHS * len(outline)):
        return outline, ""
    looks = _by_look(blocks)
    if not looks:
        return outline, ""
    levels = _nest(looks, outline, blocks)
    return levels, "no outline in the file; sections drawn from how headings look"


def _by_look(blocks: Sequence[Block]) -> dict[int, _Rank]:
    body = _body_size(blocks)
    found: dict[int, _Rank] = {}
    for at, block in enumerate(blocks):
        if isinstance(block, Paragraph) and (rank := _rank(block, body)) is not None:
            found[at] = rank
    # What is followed by its like heads nothing: title lines, an address, a bold list.
    return {at: rank for at, rank in found.items() if at + 1 < len(blocks) and found.get(at + 1) != rank}


def _body_size(blocks: Sequence[Block]) -> int:
    sizes: Counter[int] = Counter()
    for block in blocks:
        if isinstance(block, Paragraph):
            sizes[block.look.size or 0] += len(block.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _rank(block: Paragraph, body: int) -> _Rank | None:
    text, look = block.text, block.look
    if len(text) > MAX_LOOK_CHARS or "\n" in text or len(text.split()) > MAX_LOOK_WORDS:
        return None
    if block.label == BULLET or not _WORD.search(text) or _SENTENCE_END.search(text) or _CONTACT.search(text):
        return None
    size = look.size or body
    larger = bool(body) and size >= body * _LARGER
    if not (look.bold or look.underline or look.caps or larger):
        return None
    if look.caps and not (look.bold or look.underline or larger) and len(_WORD.findall(text)) < 2 and len(text) < 6:
        return None
    return _Rank(size if larger else body, bool(look.caps), bool(look.bold))


def _nest(looks: dict[int, _Rank], outline: dict[int, int], blocks: Sequence[Block]) -> dict[int, int]:
    ranks = sorted(set(looks.values()), key=_Rank.key)
    base = max(outline.values(), default=0)
    levels = {at: min(base + 1 + ranks.index(rank), base + 4) for at, rank in looks.items()}
    levels.update(outline)
    return levels
