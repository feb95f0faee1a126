"""Cutting a document into chunks: at headings, then between paragraphs, then between sentences.

Idea: a chunk should be about one thing, so sections are the first borders, and no chunk spans two.
Invariant: each chunk is a slice of the canonical text owned by its finest section, and joined in order
the chunks are the text, so that nothing is lost and every byte has one owner. A section with nothing
but its heading, above subsections, gives no chunk of its own: its heading line opens the first chunk
below it, where it says what the text is about. A leaf section keeps its chunk even when it is only a
heading.

Rule: a section longer than the bound is cut into the fewest parts that fit, of nearly equal size, since
a short rest would be searched badly. Each cut is made at the best kind of border that exists near its
place, and there at the nearest one. Kinds of borders, best first: a blank line; the start of a list item
or table row, or the end of a sentence; any line; white space; any token. A table is only cut between
rows, and a single row longer than the bound makes the only chunk that exceeds it.

Cost: tokens are counted once per document; a cut is found by binary search among the borders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knarr.documents.sections import Document, Section, Table
from knarr.models.embed.tokens import Tokenizer

_Ints = npt.NDArray[np.int64]

_BORDERS = (
    re.compile(rb"\n[ \t]*\n\s*"),
    re.compile(
        rb"\n(?=[ \t]*(?:[-*+|]|\d+[.)]|\([a-z]{1,3}\))[ \t])"
        rb"|[.!?;][\"')\]]*\s+|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f"
    ),
    re.compile(rb"\n"),
    re.compile(rb"[ \t]+"),
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The slice ``[begin_byte, end_byte)`` of the text, owned by `section`, whose chunks `number` counts
    from 1. `header` repeats a table's column names when the chunk begins below them."""

    section: Section
    number: int
    begin_byte: int
    end_byte: int
    tokens: int
    header: str = ""


class Ruler:
    """Counts the tokens in byte ranges of one document."""

    def __init__(self, document: Document, tokenizer: Tokenizer) -> None:
        begins = tokenizer.token_begins(document.text)
        data = np.frombuffer(document.data, dtype=np.uint8)
        if len(data) != len(document.text):
            begins = np.flatnonzero((data & 0xC0) != 0x80)[begins]
        self.begins: _Ints = begins

    def index(self, byte: int) -> int:
        """The number of tokens that begin before `byte`."""
        return int(np.searchsorted(self.begins, byte))

    def count(self, begin_byte: int, end_byte: int) -> int:
        """The number of tokens that begin in ``[begin_byte, end_byte)``."""
        return self.index(end_byte) - self.index(begin_byte)


def chunk(document: Document, tokenizer: Tokenizer, max_tokens: int) -> list[Chunk]:
    """All chunks of a document, in order. Each has at most `max_tokens`, a long table row aside."""
    ruler = Ruler(document, tokenizer)
    chunks: list[Chunk] = []
    carried: int | None = None
    for section in document.root.walk():
        begin = section.begin_byte if carried is None else carried
        end = section.children[0].begin_byte if section.children else section.end_byte
        if section.children and not document.data[section.body_byte : end].strip():
            carried = begin
            continue
        carried = None
        cuts = _split(document, ruler, begin, end, max_tokens) if end > begin else []
        for number, (left, right) in enumerate(zip([begin, *cuts], [*cuts, end], strict=True), 1):
            if right > left:
                header = _header(document.tables, left)
                chunks.append(Chunk(section, number, left, right, ruler.count(left, right), header))
    return chunks


def _split(document: Document, ruler: Ruler, begin: int, end: int, limit: int) -> list[int]:
    """Where to cut ``[begin, end)`` so that each part has at most `limit` tokens."""
    if ruler.count(begin, end) <= limit:
        return []
    borders = _borders(document, ruler, begin, end)
    cuts: list[int] = []
    at = begin
    while (left := ruler.count(at, end)) > limit:
        target = -(-left // -(-left // limit))
        cut = _best(borders, ruler, at, end, target, limit)
        if cut is None:
            break
        cuts.append(cut)
        at = cut
    return cuts


def _borders(document: Document, ruler: Ruler, begin: int, end: int) -> list[_Ints]:
    """The allowed cuts by kind of border, best kind first; inside a table only between rows."""
    data = document.data
    ranks = [
        np.fromiter((m.end() for m in pattern.finditer(data, begin, end)), dtype=np.int64)
        for pattern in _BORDERS
    ]
    ranks.append(ruler.begins[ruler.index(begin) : ruler.index(end)])
    for table in document.tables:
        if begin < table.end_byte and table.begin_byte < end:
            ranks = [rank[(rank <= table.begin_byte) | (rank >= table.end_byte)] for rank in ranks]
            rows = np.asarray(table.row_begins[1:], dtype=np.int64)
            ranks[1] = np.union1d(ranks[1], rows[(rows > begin) & (rows < end)])
    return ranks


def _best(borders: list[_Ints], ruler: Ruler, at: int, end: int, target: int, limit: int) -> int | None:
    """The border nearest to the target, among those of the best kind that leave between 0.6 of the target and
    the limit before them; the next border of any kind when there is none."""
    first = ruler.index(at)
    low, high = _byte_of(ruler, first + max(1, int(target * 0.6)), end), _byte_of(ruler, first + limit, end)
    wish = _byte_of(ruler, first + target, end)
    for rank in borders:
        near = rank[np.searchsorted(rank, low) : np.searchsorted(rank, high, side="right")]
        near = near[(near > at) & (near < end)]
        if len(near):
            return int(near[np.argmin(np.abs(near - wish))])
    later = [int(rank[i]) for rank in borders if (i := np.searchsorted(rank, at, side="right")) < len(rank)]
    later = [cut for cut in later if cut < end]
    return min(later, default=None)


def _byte_of(ruler: Ruler, index: int, end: int) -> int:
    return int(ruler.begins[index]) if index < len(ruler.begins) else end


def _header(tables: tuple[Table, ...], byte: int) -> str:
    for table in tables:
        if table.row_begins and table.row_begins[0] < byte < table.end_byte:
            return table.header
    return ""
