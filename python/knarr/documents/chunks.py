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
or table row, or the end of a sentence; any line; white space; any token. A table is cut between rows. Only
a row that is longer than the bound is cut itself: between cells, else between words, else anywhere. So no
chunk exceeds the bound. A chunk that begins inside a table repeats its caption and header; where these take more than
half of the bound, first the caption goes, then each label of the header is cut off, all at one length.

A table of more than a few rows is a chunk of its own (or several): it is found by its caption and its columns, which
the words around it would hide. Few words before it (its heading, a sentence) or after it (notes, its source) stay
with it.

Cost: tokens are counted once per document; a cut is found by binary search among the borders.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knarr.documents.sections import Document, Section, Table
from knarr.models.embed.tokens import Tokenizer, count_tokens

_Ints = npt.NDArray[np.int64]

_FEW_ROWS, _FEW_TOKENS = 5, 64
_LABEL_CHARS = (60, 30, 15, 8)
_CELL_PARTS = re.compile(r"((?<!\\) *\| *|  +)")
_CELL = re.compile(rb"(?<!\\)(?=\|(?![ \t]*(?:\n|$)))|  +")
# Ends of sentences outside of Latin scripts: most need no space after them.
_STOPS = r"(?:。|！|？|；|।|॥|።|។)(?:”|’|」|』|）)*|(?:؟|۔|؛)\s+"
_BORDERS = (
    re.compile(rb"\n[ \t]*\n\s*"),
    re.compile(
        rb"\n(?=[ \t]*(?:[-*+|]|\d+[.)]|\([a-z]{1,3}\))[ \t])"
        rb"|[.!?;][\"')\]]*\s+|" + _STOPS.encode()
    ),
    re.compile(rb"\n"),
    re.compile(rb"[ \t]+"),
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The slice ``[begin_byte, end_byte)`` of the text, owned by `section`, whose chunks `number` counts
    from 1. `header` repeats a table's caption and column names when the chunk begins below them. `rows`: the rows of
    the table that it holds, where it is one."""

    section: Section
    number: int
    begin_byte: int
    end_byte: int
    tokens: int
    header: str = ""
    rows: TableRows | None = None


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows from `first` to `last` (from 1) of a table."""

    table: Table
    first: int
    last: int


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
        return int(self.begins.searchsorted(byte))

    def count(self, begin_byte: int, end_byte: int) -> int:
        """The number of tokens that begin in ``[begin_byte, end_byte)``."""
        return self.index(end_byte) - self.index(begin_byte)


def chunk(document: Document, tokenizer: Tokenizer, max_tokens: int) -> list[Chunk]:
    """All chunks of a document, in order. Each has at most `max_tokens`."""
    ruler = Ruler(document, tokenizer)
    tables = Tables(document.tables, tokenizer, max_tokens // 2)
    chunks: list[Chunk] = []
    carried: int | None = None
    for section in document.root.walk():
        begin = section.begin_byte if carried is None else carried
        end = section.children[0].begin_byte if section.children else section.end_byte
        if section.children and not document.data[section.body_byte : end].strip():
            carried = begin
            continue
        carried = None
        cuts: list[int] = []
        for left, right in itertools.pairwise([begin, *_apart(ruler, tables, begin, end), end]):
            cuts += [left, *_split(document, ruler, tables, left, right, max_tokens)] if right > left else []
        for number, (left, right) in enumerate(itertools.pairwise([*cuts, end]), 1):
            tokens = ruler.count(left, right)
            chunks.append(
                Chunk(section, number, left, right, tokens, tables.header(left), tables.rows(left, right))
            )
    return chunks


def _apart(ruler: Ruler, tables: Tables, begin: int, end: int) -> list[int]:
    """Where a section is parted before and after its larger tables."""
    cuts: list[int] = []
    at = begin
    for table in tables.within(begin, end):
        if len(table.row_begins) <= _FEW_ROWS or table.begin_byte < at:
            continue
        if ruler.count(at, table.begin_byte) > _FEW_TOKENS:
            cuts.append(table.begin_byte)
        at = min(table.end_byte, end)
        if ruler.count(at, end) > _FEW_TOKENS:
            cuts.append(at)
    return cuts


class Tables:
    """The tables of a document, found by their place."""

    def __init__(self, tables: Sequence[Table], tokenizer: Tokenizer, header_tokens: int) -> None:
        self._tables = sorted(tables, key=lambda table: table.begin_byte)
        self._begins = [table.begin_byte for table in self._tables]
        self._tokenizer, self._header_tokens = tokenizer, header_tokens
        self._headers: dict[int, str] = {}

    def rows(self, begin: int, end: int) -> TableRows | None:
        """The rows of the table that makes most of ``[begin, end)``, None where none does."""
        for table in self.within(begin, end):
            inside = min(end, table.end_byte) - max(begin, table.begin_byte)
            if len(table.row_begins) > _FEW_ROWS and 2 * inside > end - begin:
                first = bisect_left(table.row_begins, begin)
                last = bisect_left(table.row_begins, end)
                return TableRows(table, min(first + 1, last), last) if last else None
        return None

    def within(self, begin: int, end: int) -> Sequence[Table]:
        """The tables that lie in ``[begin, end)``, in part or whole."""
        first = max(0, bisect_right(self._begins, begin) - 1)
        found = self._tables[first : bisect_left(self._begins, end)]
        return [table for table in found if table.end_byte > begin]

    def header(self, byte: int) -> str:
        """Caption and header of the table that a chunk begins inside of, below its first row; "" where there is
        none."""
        at = bisect_right(self._begins, byte) - 1
        table = self._tables[at] if at >= 0 else None
        if table is None or not table.row_begins or not table.row_begins[0] < byte < table.end_byte:
            return ""
        if at not in self._headers:
            self._headers[at] = self._fitting(table)
        return self._headers[at]

    def _fitting(self, table: Table) -> str:
        """What of caption and header takes at most half of a chunk."""
        if not table.header:
            return ""
        whole = f"{table.title}\n\n{table.header}" if table.title else table.header
        lines = table.header.splitlines()
        short = ("".join(f"{_short_cells(line, chars)}\n" for line in lines) for chars in _LABEL_CHARS)
        for header in itertools.chain((whole, table.header), short):
            if count_tokens(self._tokenizer, header) <= self._header_tokens:
                return header
        return ""


def _short_cells(line: str, chars: int) -> str:
    """A row of a header with labels of at most so many characters; a rule has no labels."""
    if not set(line) - set("|-: "):
        return line
    parts = _CELL_PARTS.split(line)
    return "".join(
        part if at % 2 or len(part) <= chars else part[: chars - 1].rstrip() + "…"
        for at, part in enumerate(parts)
    )


@dataclass(frozen=True, slots=True)
class _Borders:
    """Where a section may be cut, by kind, best kind first: anywhere outside of rows, and inside of them."""

    between: list[_Ints]
    inside: list[_Ints]


def rows_cut(document: Document, chunks: Sequence[Chunk]) -> int:
    """How many table rows the chunks cut, for they are longer than the bound."""
    begins = [chunk.begin_byte for chunk in chunks]
    cut: set[int] = set()
    for table in document.tables:
        rows = (table.begin_byte, *table.row_begins)
        for begin in begins[bisect_right(begins, table.begin_byte) : bisect_left(begins, table.end_byte)]:
            row = rows[bisect_right(rows, begin) - 1]
            if row != begin:
                cut.add(row)
    return len(cut)


def _split(document: Document, ruler: Ruler, tables: Tables, begin: int, end: int, limit: int) -> list[int]:
    """Where to cut ``[begin, end)`` so that each part has at most `limit` tokens."""
    if ruler.count(begin, end) <= limit:
        return []
    borders = _borders(document, ruler, tables.within(begin, end), begin, end)
    cuts: list[int] = []
    at = begin
    while (left := ruler.count(at, end)) > limit:
        at = _best(borders, ruler, at, end, -(-left // -(-left // limit)), limit)
        cuts.append(at)
    return cuts


def _borders(document: Document, ruler: Ruler, tables: Sequence[Table], begin: int, end: int) -> _Borders:
    data = document.data
    ranks = [_places(pattern, data, begin, end) for pattern in _BORDERS]
    ranks.append(ruler.begins[ruler.index(begin) : ruler.index(end)])
    if not tables:
        return _Borders(ranks, [])
    inside = [_places(_CELL, data, begin, end), ranks[3], ranks[4]]
    first = np.asarray([table.begin_byte for table in tables], dtype=np.int64)
    last = np.asarray([table.end_byte for table in tables], dtype=np.int64)
    ranks = [rank[_outside(rank, first, last)] for rank in ranks]
    rows = np.asarray([row for table in tables for row in table.row_begins[1:]], dtype=np.int64)
    ranks[1] = np.union1d(ranks[1], rows[(rows > begin) & (rows < end)])
    return _Borders(ranks, inside)


def _places(border: re.Pattern[bytes], data: bytes, begin: int, end: int) -> _Ints:
    return np.fromiter((match.end() for match in border.finditer(data, begin, end)), dtype=np.int64)


def _outside(places: _Ints, first: _Ints, last: _Ints) -> npt.NDArray[np.bool_]:
    """Whether each place lies outside of every range ``(first, last)``; the ranges rise and do not overlap."""
    at = np.searchsorted(first, places) - 1
    outside: npt.NDArray[np.bool_] = (at < 0) | (places >= last[at])
    return outside


def _best(borders: _Borders, ruler: Ruler, at: int, end: int, target: int, limit: int) -> int:
    """The border nearest to the target, among those of the best kind that leave between 0.6 of the target and
    the limit before them. Where there is none, a row begins or is longer than that: the last border before
    it, and in the row itself the best one inside of it."""
    first = ruler.index(at)
    low, high = _byte_of(ruler, first + max(1, int(target * 0.6)), end), _byte_of(ruler, first + limit, end)
    wish = _byte_of(ruler, first + target, end)
    for rank in borders.between:
        if (cut := _nearest(rank, max(low, at + 1), high, wish)) is not None:
            return cut
    before = [cut for rank in borders.between if (cut := _nearest(rank, at + 1, low, low)) is not None]
    if before:
        return max(before)
    for rank in borders.inside:
        if (cut := _nearest(rank, max(low, at + 1), high, wish)) is not None:
            return cut
    return high


def _nearest(rank: _Ints, low: int, high: int, wish: int) -> int | None:
    """The place nearest to `wish` in ``[low, high]``."""
    near = rank[np.searchsorted(rank, low) : np.searchsorted(rank, high, side="right")]
    return int(near[np.argmin(np.abs(near - wish))]) if len(near) else None


def _byte_of(ruler: Ruler, index: int, end: int) -> int:
    return int(ruler.begins[index]) if index < len(ruler.begins) else end
