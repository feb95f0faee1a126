"""Which paragraphs of a Word document are headings, and at which level.

The outline decides, since it says what the author meant: the outline level of each paragraph, which
its style may inherit (see `styles`). Many documents have none, because nobody used styles or because
they were converted from a PDF. There headings are recognised by how paragraphs look, the surest sign first:

1. whole paragraphs that are short and bold, underlined, in capitals or larger than the body;
2. short paragraphs that read like a title and are followed by body text;
3. bold words that open a paragraph and end in a colon or full stop ("Homework: There will be …").

The second and third sign are weak, so they count only inside stretches of text that are still long and
without a heading: a missed heading costs little in a short stretch, and a false one parts what belongs
together. Looks give ranks, not levels; a heading lies under the nearest one before it that ranks higher.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knarr.documents.docx.body import Block
from knarr.documents.docx.numbering import BULLET
from knarr.documents.docx.paragraphs import Paragraph
from knarr.documents.sections import levels
from knarr.documents.tables import TableText

MAX_OUTLINE_CHARS = 300
MAX_LOOK_CHARS = 90
MAX_LOOK_WORDS = 12
# With at most this many headings, over more than MANY_CHARS of text each, a document counts as one without
# an outline. A stretch of text longer than MANY_CHARS is long.
FEW_HEADINGS = 4
MANY_CHARS = 2500
# The title of the document is one of the first blocks.
TITLE_BLOCKS = 3
_LARGER = 1.12
_TITLE_CHARS, _TITLE_WORDS, _BODY_CHARS = 70, 9, 60

_SENTENCE_END = re.compile(r"[.;,!]$|[.!?]\s+[A-Z]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CONTACT = re.compile(r"[@<>〈〉]|https?:|www\.|\d{3}[-.)]\s?\d{3}|\d:\d\d")
_LABELLED = re.compile(r":\s*\S")
_LEAD_IN = re.compile(r"(includ\w+|follow\w*|are|is|be|to|of|for):$")
_NUMBERED = re.compile(r"(section|chapter|part|unit|module|week|article|lesson|lecture)\s+\w+\b", re.I)


@dataclass(frozen=True, slots=True)
class WordHeading:
    """A heading: its level from 1, and how many paragraphs it spans. For a heading that opens its own
    paragraph, `lead_chars` is how many characters of the text it takes; 0 means all."""

    level: int
    paragraphs: int = 1
    lead_chars: int = 0


# Less ranks higher. Headings of the outline come first, by level; then looks, by size, capitals, weight.
_Rank = tuple[int, ...]


def find_headings(blocks: Sequence[Block]) -> tuple[dict[int, WordHeading], str]:
    """The headings by the index of their first block, and a note for the receipt, or ""."""
    blocks = _without_boxes(blocks)
    outline = _outline(blocks)
    chars = sum(len(block.text) for block in blocks)
    if len(outline) > FEW_HEADINGS or (outline and chars <= MANY_CHARS * len(outline)):
        return {at: WordHeading(level) for at, level in outline.items()}, ""
    look = _Looks(blocks, outline)
    found = look.emphasised()
    for tier in (look.titles, look.leads):
        found = _within_long(blocks, tier(), found)
    if len(found) <= len(outline):
        return {at: WordHeading(level) for at, level in outline.items()}, ""
    order = sorted(found)
    nested = zip(order, levels(found[at].rank for at in order), strict=True)
    headings = {at: WordHeading(level, found[at].paragraphs, found[at].lead_chars) for at, level in nested}
    return headings, "no outline in the file: sections drawn from how headings look"


def _without_boxes(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks, with nothing that could be a heading inside of text boxes: a box stands beside the text, so what
    follows it is not under its title. A document that is mostly boxes is laid out by them, and keeps theirs."""
    boxed = [block for block in blocks if isinstance(block, Paragraph) and block.boxed]
    if sum(len(block.text) for block in boxed) * 2 > sum(len(block.text) for block in blocks):
        return blocks
    none = TableText("", "", ())
    return [none if isinstance(block, Paragraph) and block.boxed else block for block in blocks]


def is_title(block: Paragraph) -> bool:
    """Whether it has Word's style for the title of a document."""
    return block.style.lower() == "title" and not block.label


def _outline(blocks: Sequence[Block]) -> dict[int, int]:
    """The level of each paragraph in the outline, by its index. Where the outline begins below level 1,
    paragraphs in the style Title, other than the document's title, were meant to be its level 1."""
    paragraphs = {at: block for at, block in enumerate(blocks) if isinstance(block, Paragraph)}
    outline = {
        at: block.outline
        for at, block in paragraphs.items()
        if block.outline is not None and len(block.text) <= MAX_OUTLINE_CHARS
    }
    if min(outline.values(), default=1) > 1:
        for at, block in paragraphs.items():
            named = block.style.lower() == "title" and len(block.text) <= MAX_LOOK_CHARS
            if named and not (at < TITLE_BLOCKS and is_title(block)):
                outline[at] = 1
    return outline


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: _Rank
    paragraphs: int = 1
    lead_chars: int = 0


def _within_long(
    blocks: Sequence[Block], more: dict[int, _Candidate], found: dict[int, _Candidate]
) -> dict[int, _Candidate]:
    """The headings found, and those of `more` that are in a long stretch between them."""
    borders = [0, *sorted(found), len(blocks)]
    merged = dict(found)
    for begin, end in itertools.pairwise(borders):
        if sum(len(block.text) for block in blocks[begin:end]) > MANY_CHARS:
            merged.update((at, more[at]) for at in range(begin, end) if at in more and at not in found)
    return merged


class _Looks:
    """The candidates of each tier, by the index of their block."""

    def __init__(self, blocks: Sequence[Block], outline: dict[int, int]) -> None:
        self._blocks = blocks
        self._outline = outline
        self._body = _body_size(blocks)
        self._outline_looks = {
            self._look(block): outline[at]
            for at, block in enumerate(blocks)
            if at in outline and isinstance(block, Paragraph)
        }

    def emphasised(self) -> dict[int, _Candidate]:
        """Tier 1, with the outline's own headings. Two lines of one look are one heading; three or more
        are a title page, an address or a list, and head nothing."""
        ranks = {at: rank for at, block in enumerate(self._blocks) if (rank := self._rank(at, block))}
        found: dict[int, _Candidate] = {at: _Candidate((0, level)) for at, level in self._outline.items()}
        for run in _runs(sorted(ranks), ranks):
            if len(run) == 1 and run[0] + 1 < len(self._blocks):
                found.setdefault(run[0], _Candidate(ranks[run[0]]))
            elif len(run) == 2 and run[1] + 1 < len(self._blocks) and run[0] not in found:
                found[run[0]] = _Candidate(ranks[run[1]], paragraphs=2)
        return found

    def titles(self) -> dict[int, _Candidate]:
        """Tier 2: paragraphs without a label that read like a title and stand over body text."""
        found: dict[int, _Candidate] = {}
        for at, (block, after) in enumerate(zip(self._blocks, self._blocks[1:], strict=False)):
            plain = isinstance(block, Paragraph) and not block.label and not block.code
            if plain and _is_title(block.text) and _is_body(after):
                found[at] = _Candidate((2, 0))
        return found

    def leads(self) -> dict[int, _Candidate]:
        """Tier 3: bold words that open a paragraph; a number before them is part of the heading."""
        found: dict[int, _Candidate] = {}
        for at, block in enumerate(self._blocks):
            if not isinstance(block, Paragraph) or block.label == BULLET or not block.lead_chars > 0:
                continue
            lead = block.text[: block.lead_chars].rstrip()
            rest = len(block.text) - block.lead_chars
            short = len(lead) <= _TITLE_CHARS and len(lead.split()) <= _TITLE_WORDS
            if (
                short
                and lead[-1:] in ":."
                and rest >= _BODY_CHARS
                and _WORD.search(lead)
                and "\n" not in lead
            ):
                found[at] = _Candidate((3, 0), lead_chars=block.lead_chars)
        return found

    def _look(self, block: Paragraph) -> _Rank:
        look = block.look
        size = look.size or self._body
        size = size if size >= self._body * _LARGER else self._body
        return (1, -size, not look.caps, not look.bold, not look.underline)

    def _rank(self, at: int, block: Block) -> _Rank | None:
        if not isinstance(block, Paragraph) or at in self._outline or not _may_head(block):
            return None
        look, rank = block.look, self._look(block)
        larger = -rank[1] > self._body > 0
        if not (look.bold or look.underline or larger):
            letters = sum(map(len, _WORD.findall(block.text)))
            if not look.caps or letters < 5 or _LABELLED.search(block.text):
                return None
        return (0, self._outline_looks[rank]) if rank in self._outline_looks else rank


def _body_size(blocks: Sequence[Block]) -> int:
    sizes: Counter[int] = Counter()
    for block in blocks:
        if isinstance(block, Paragraph):
            sizes[block.look.size or 0] += len(block.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _may_head(block: Paragraph) -> bool:
    text = block.text
    if (
        len(text) > MAX_LOOK_CHARS
        or "\n" in text
        or len(text.split()) > MAX_LOOK_WORDS
        or block.label == BULLET
        or block.code
    ):
        return False
    return bool(_WORD.search(text)) and not _SENTENCE_END.search(text) and not _CONTACT.search(text)


def _is_title(text: str) -> bool:
    if len(text) > _TITLE_CHARS or len(text.split()) > _TITLE_WORDS or "\n" in text or "\t" in text:
        return False
    if not (text[0].isupper() or text[0].isdigit()) or not _WORD.search(text):
        return False
    if _SENTENCE_END.search(text) or _CONTACT.search(text) or _LEAD_IN.search(text):
        return False
    return bool(_NUMBERED.match(text)) or not _LABELLED.search(text)


def _is_body(block: Block) -> bool:
    if not isinstance(block, Paragraph):
        return True
    return bool(block.label) or (len(block.text) >= _BODY_CHARS and not block.text[0].islower())


def _runs(order: Sequence[int], ranks: dict[int, _Rank]) -> Iterator[list[int]]:
    """Neighbouring candidates, each run up to the first that ranks below the one before it."""
    run: list[int] = []
    for at in order:
        if run and at == run[-1] + 1 and ranks[at] <= ranks[run[-1]]:
            run.append(at)
        else:
            if run:
                yield run
            run = [at]
    if run:
        yield run
