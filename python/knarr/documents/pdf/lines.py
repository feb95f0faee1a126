"""Words of a page to lines, in reading order.

A line is everything on one base line, its words in x order, so that the label and the figures of a
table's row stay together; wide gaps part it into cells. Columns of prose are read one after the other
(see `columns`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knarr.documents.pdf.columns import in_columns
from knarr.documents.pdf.placed import Cells, PlacedWord, is_leftwards, leftwards
from knarr.documents.pdf.ruled import RuledTable, take_tables
from knarr.documents.pdf.ruling import NO_RULINGS, Rulings
from knarr.documents.pdf.strays import with_initials
from knarr.documents.pdf.word_places import WordPlaces, word_places
from knarr.documents.symbols import symbol
from knarr.documents.tables import TableText

_ROW_TOLERANCE = 0.45
_CELL_GAP = 1.6
_CURRENCY_GAP = 0.4
_FIGURE_ENDS = "0123456789)%–—-"
_CURRENCIES = ("$", "€", "£", "¥", "$(", "€(", "£(")
_FARTHEST = 20_000.0
_QUARTER = math.pi / 2
CELL_SEPARATOR = "  "
_BEFORE_FIGURE = re.compile(r"[$€£¥(]+|[$€£¥]\(")
_AFTER_FIGURE = re.compile(r"[)%]+|\)\s?%|pts?\.?|x")
_MARKER = re.compile(
    r"[•●▪■◦‣·○–—*o☐☒☑✓➢❖◆]|\[[x ]\]|\(?[0-9]{1,3}[.)]|\([a-zA-Z0-9]{1,4}\)|[a-zA-Z][.)]|[ivxIVX]{1,5}[.)]|"
    r"\d+(\.\d+)+\.?|(item|note|part|section|article|exhibit)\s+([0-9]+(\.[0-9]+)*|[ivx]+)[a-z]?[.:]?",
    re.IGNORECASE,
)
_PRIVATE = re.compile("[\uf000-\uf0ff]")
# A word of a font that was declared a symbol font by mistake: its private characters are letters.
_DRESSED = re.compile("[\uf041-\uf05a\uf061-\uf07a]{4}")


@dataclass(slots=True)
class Line:
    """One line of a page.

    text:  cells joined by two spaces; a soft hyphen at the end marks a hyphen that may be mended
    cells: their number; 1 for prose
    size:  the size of most of its characters
    bold, italic: whether all of it is
    places: left and right end of each cell
    words: where each of its words stands
    aside: whether it is turned otherwise than the text of its page
    """

    text: str
    cells: int
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    italic: bool
    page: int
    places: tuple[tuple[float, float], ...] = ()
    words: WordPlaces | None = None
    aside: bool = False


@dataclass(slots=True)
class TableLine(Line):
    """A table that stands in the place of a line; `text` is all of its words, by which it is known on other pages.
    `title` stands above it, and `units` do: lines that say in what it counts. `parts` are the lines that it was made
    of."""

    table: TableText | None = None
    title: str = ""
    units: tuple[str, ...] = ()
    ruled: RuledTable | None = None
    parts: tuple[Line, ...] = ()


def page_lines(words: Iterable[Sequence[Any]], page: int, drawn: Rulings = NO_RULINGS) -> list[Line]:
    """The lines of one page (from 0), from its words as `words.read_words` gives them; each table whose cells are
    drawn is one. Words that are turned as most are come first: others are labels of figures, or stand in the
    margin."""
    placed = [_placed(word, order) for order, word in enumerate(words)]
    turns: dict[int, list[PlacedWord]] = {}
    for word in with_initials([word for word in placed if word.text]):
        turns.setdefault(round(word.angle / _QUARTER) % 4, []).append(word)
    lines: list[Line] = []
    for at, alike in enumerate(sorted(turns.values(), key=len, reverse=True)):
        tables, others = take_tables(alike, NO_RULINGS if at else drawn)
        others = sorted([*others, *(table.mark for table in tables)], key=lambda word: word.order)
        rows = [_segments(row) for part in in_columns(others) for row in _rows(part)]
        lines += [line for row in rows for line in _row_lines(row, tables, page, at > 0)]
    return lines


def _placed(word: Sequence[Any], order: int) -> PlacedWord:
    """A word of a message, within the bounds of a page; a file may state any number, NaN among them."""
    text, x0, x1, y, size, bold, italic, *turned = word
    far = _FARTHEST
    if not (-far <= x0 <= far and -far <= x1 <= far and -far <= y <= far and -far <= size <= far):
        x0, x1, y, size = (max(-far, min(far, value)) for value in (x0, x1, y, size))
    if not text.isascii():
        text = _readable(text)
    return PlacedWord(text, x0, x1, y, size, bool(bold), bool(italic), order, turned[0] if turned else 0.0)


def _row_lines(row: Cells, tables: Sequence[RuledTable], page: int, aside: bool) -> Iterator[Line]:
    """The line of a row, and those of the tables that stand beside it or in its place."""
    marks = {id(table.mark): table for table in tables}
    found = [marks[id(word)] for segment in row for word in segment if id(word) in marks]
    if found:
        row = [rest for segment in row if (rest := [word for word in segment if id(word) not in marks])]
    if line := _line(row, page, aside):
        yield line
    for table in found:
        mark, place = table.mark, (table.mark.x0, table.mark.x1)
        text = " ".join(word.text for word in table.words)
        rows = (_line(_segments(part), page, aside) for part in _rows(list(table.words)))
        yield TableLine(
            text, 2, *place, mark.y, mark.size, False, False, page, (place,), aside=aside,
            table=table.text, ruled=replace(table, words=()), parts=tuple(filter(None, rows)),
        )  # fmt: skip


def unknown_symbols(words: Iterable[Sequence[Any]]) -> int:
    """How many characters of the words no line has, since it is not known what they show."""
    found = _PRIVATE.findall("".join([word[0] for word in words]))
    return sum(not symbol(ord(char), "") for char in found)


def is_known_symbol(char: str) -> bool:
    """Whether a private character of a symbol font is shown as another one."""
    return "\uf000" <= char <= "\uf0ff" and bool(symbol(ord(char), ""))


def _readable(text: str) -> str:
    if _DRESSED.search(text):
        return _PRIVATE.sub(lambda match: chr(ord(match[0]) & 0xFF), text)
    return _PRIVATE.sub(lambda match: symbol(ord(match[0]), ""), text)


def _rows(words: list[PlacedWord]) -> list[list[PlacedWord]]:
    """Words grouped by base line, top to bottom; raised and lowered ones join their line."""
    rows: list[list[PlacedWord]] = []
    anchor: PlacedWord | None = None
    for word in sorted(words, key=lambda word: (-word.y, word.x0)):
        if anchor is not None and anchor.y - word.y <= _ROW_TOLERANCE * max(anchor.size, word.size):
            rows[-1].append(word)
            if word.size > anchor.size:
                anchor = word
        else:
            rows.append([word])
            anchor = word
    return rows


def _segments(row: list[PlacedWord]) -> list[list[PlacedWord]]:
    """A row parted at wide gaps. Some programs print a word twice to make it bold: it is kept once."""
    row.sort(key=lambda word: (word.x0, word.order))
    segments: list[list[PlacedWord]] = []
    last: PlacedWord | None = None
    for word in row:
        if last is not None and word.text == last.text and abs(word.x0 - last.x0) < 0.2 * word.size:
            last.bold = True
            continue
        if last is None or _parted(last, word):
            segments.append([])
        segments[-1].append(word)
        last = word
    if is_leftwards(row):
        return [leftwards(segment) for segment in reversed(segments)]
    return segments


def _parted(left: PlacedWord, right: PlacedWord) -> bool:
    """Whether a gap makes the right word a new cell. A currency sign, which tables often set closer
    to the figure before it than to its own, begins one."""
    if left.text in _CURRENCIES:
        return False
    gap = (right.x0 - left.x1) / max(min(left.size, right.size), 1.0)
    return gap > (_CURRENCY_GAP if right.text in _CURRENCIES and left.text[-1] in _FIGURE_ENDS else _CELL_GAP)


def _line(row: Cells, page: int, aside: bool) -> Line | None:
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for segment in row:
        # A line-end hyphen inside a line is a hyphen between two words that PDFium parted.
        text = " ".join([word.text for word in segment]).replace("\xad ", "-")
        right = max([word.x1 for word in segment])
        if cells and (_BEFORE_FIGURE.fullmatch(cells[-1]) or _AFTER_FIGURE.fullmatch(text)):
            # A currency sign or a closing bracket set apart belongs to its figure.
            cells[-1] += text if text[0] == ")" or cells[-1].endswith("(") or text[0] == "%" else f" {text}"
            places[-1] = (places[-1][0], right)
        else:
            cells.append(text)
            places.append((min([word.x0 for word in segment]), right))
    if len(cells) == 2 and _MARKER.fullmatch(cells[0]):
        cells, places = [" ".join(cells)], [(places[0][0], places[1][1])]
    words = row[0] if len(row) == 1 else [word for segment in row for word in segment]
    if not words:
        return None
    joined = CELL_SEPARATOR.join(cells)
    return Line(
        joined,
        len(cells),
        min([word.x0 for word in words]),
        max([word.x1 for word in words]),
        _usual([word.y for word in words], itertools.repeat(1)),
        _usual([word.size for word in words], [len(word.text) for word in words]),
        *_dressed(words),
        page,
        tuple(places),
        word_places(joined, words),
        aside,
    )


def _usual(values: Sequence[float], weights: Iterable[int]) -> float:
    """The value that has most weight; the first of several."""
    first = values[0]
    if values.count(first) == len(values):
        return first
    total: dict[float, int] = {}
    for value, weight in zip(values, weights, strict=False):
        total[value] = total.get(value, 0) + weight
    return max(total, key=total.__getitem__)


def _dressed(words: Sequence[PlacedWord]) -> tuple[bool, bool]:
    """Whether all words are bold, and whether all are italic; those without a letter or figure count where no other
    is."""
    if not any(word.bold or word.italic for word in words):
        return False, False
    lettered = [word for word in words if any(map(str.isalnum, word.text))] or words
    return all(word.bold for word in lettered), all(word.italic for word in lettered)
