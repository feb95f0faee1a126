"""Words of a page to lines, in reading order.

A line is everything on one base line, its words in x order, so that the label and the figures of a
table's row stay together; wide gaps part it into cells. Columns of prose are read one after the other
(see `columns`).
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knarr.documents.pdf.columns import in_columns
from knarr.documents.pdf.placed import Cells, PlacedWord
from knarr.documents.pdf.ruled import RuledTable, take_tables
from knarr.documents.pdf.ruling import NO_RULINGS, Rulings
from knarr.documents.tables import TableText

_ROW_TOLERANCE = 0.45
_CELL_GAP = 1.6
_CURRENCY_GAP = 0.4
_FIGURE_ENDS = "0123456789)%–—-"
_CURRENCIES = ("$", "€", "£", "¥", "$(", "€(", "£(")
_FARTHEST = 20_000.0
CELL_SEPARATOR = "  "
_WORD_BREAK = "\x1f"
_BEFORE_FIGURE = re.compile(r"[$€£¥(]+|[$€£¥]\(")
_AFTER_FIGURE = re.compile(r"[)%]+|\)\s?%|pts?\.?|x")
_MARKER = re.compile(
    r"[•●▪■◦‣·○–—*o☐☒☑✓➢❖◆]|\(?[0-9]{1,3}[.)]|\([a-zA-Z0-9]{1,4}\)|[a-zA-Z][.)]|[ivxIVX]{1,5}[.)]|"
    r"\d+(\.\d+)+\.?|(item|note|part|section|article|exhibit)\s+([0-9]+(\.[0-9]+)*|[ivx]+)[a-z]?[.:]?",
    re.IGNORECASE,
)
# Private characters of symbol fonts that show as bullets, boxes and dashes.
_SYMBOLS = {0xB7: "•", 0xA7: "▪", 0x6F: "☐", 0x78: "☒", 0xA8: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xBE: "—"}
_PRIVATE = re.compile("[\uf000-\uf0ff]")


@dataclass(slots=True)
class Line:
    """One line of a page.

    text:  cells joined by two spaces; a soft hyphen at the end marks a hyphen that may be mended
    cells: their number; 1 for prose
    size:  the size of most of its characters
    bold, italic: whether all of it is
    places: left and right end of each cell
    spots: its words and where they are
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
    spots: LineWords | None = None


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words of a line in a compact form: their texts, one after the other, and left and right end of each."""

    texts: str
    ends: array[float]

    @staticmethod
    def of(words: Sequence[PlacedWord]) -> LineWords:
        ends = array("f", [end for word in words for end in (word.x0, word.x1)])
        return LineWords(_WORD_BREAK.join(word.text for word in words), ends)

    def __iter__(self) -> Iterator[tuple[str, float, float]]:
        return zip(self.texts.split(_WORD_BREAK), self.ends[::2], self.ends[1::2], strict=True)


@dataclass(slots=True)
class TableLine(Line):
    """A table that stands in the place of a line; `text` is all of its words, by which it is known on other pages.
    `title` stands above it, and `units` do: lines that say in what it counts."""

    table: TableText | None = None
    title: str = ""
    units: tuple[str, ...] = ()
    ruled: RuledTable | None = None


def page_lines(words: Iterable[Sequence[Any]], page: int, drawn: Rulings = NO_RULINGS) -> list[Line]:
    """The lines of one page (from 0), from its words as `words.read_words` gives them; each table whose
    cells are drawn is one."""
    placed = [
        PlacedWord(
            _readable(text), _clamp(x0), _clamp(x1), _clamp(y), _clamp(size), bool(bold), bool(italic), order
        )
        for order, (text, x0, x1, y, size, bold, italic) in enumerate(words)
    ]
    tables, others = take_tables([word for word in placed if word.text], drawn)
    rows = [_segments(row) for row in _rows([*others, *(table.mark for table in tables)])]
    return [line for row in in_columns(rows) for line in _table_lines(row, tables, page)]


def _table_lines(row: Cells, tables: Sequence[RuledTable], page: int) -> Iterator[Line]:
    """The line of a row, and those of the tables that stand beside it or in its place."""
    if not tables:
        if line := _line(row, page):
            yield line
        return
    marks = {id(table.mark): table for table in tables}
    found = [marks[id(word)] for segment in row for word in segment if id(word) in marks]
    row = [rest for segment in row if (rest := [word for word in segment if id(word) not in marks])]
    if line := _line(row, page):
        yield line
    for table in found:
        mark, text = table.mark, table.words_text
        place = (mark.x0, mark.x1)
        yield TableLine(
            text, 1, *place, mark.y, mark.size, False, False, page, (place,), table=table.text, ruled=table
        )


def unknown_symbols(words: Iterable[Sequence[Any]]) -> int:
    """How many characters of the words no line has, since it is not known what they show."""
    return sum(ord(char) & 0xFF not in _SYMBOLS for word in words for char in _PRIVATE.findall(word[0]))


def _clamp(value: float) -> float:
    """A place that a page can have; a file may state any number, NaN among them."""
    return max(-_FARTHEST, min(_FARTHEST, value))


def _readable(text: str) -> str:
    text = text.replace(_WORD_BREAK, "")
    return _PRIVATE.sub(lambda match: _SYMBOLS.get(ord(match[0]) & 0xFF, ""), text)


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
    return segments


def _parted(left: PlacedWord, right: PlacedWord) -> bool:
    """Whether a gap makes the right word a new cell. A currency sign, which tables often set closer
    to the figure before it than to its own, begins one."""
    if left.text in _CURRENCIES:
        return False
    gap = (right.x0 - left.x1) / max(min(left.size, right.size), 1.0)
    return gap > (_CURRENCY_GAP if right.text in _CURRENCIES and left.text[-1] in _FIGURE_ENDS else _CELL_GAP)


def _line(row: Cells, page: int) -> Line | None:
    cells: list[str] = []
    places: list[tuple[float, float]] = []
    for segment in row:
        # A line-end hyphen inside a line is a hyphen between two words that PDFium parted.
        text = " ".join(word.text for word in segment).replace("\xad ", "-")
        right = max(word.x1 for word in segment)
        if cells and (_BEFORE_FIGURE.fullmatch(cells[-1]) or _AFTER_FIGURE.fullmatch(text)):
            # A currency sign or a closing bracket set apart belongs to its figure.
            cells[-1] += text if text[0] == ")" or cells[-1].endswith("(") or text[0] == "%" else f" {text}"
            places[-1] = (places[-1][0], right)
        else:
            cells.append(text)
            places.append((segment[0].x0, right))
    if len(cells) == 2 and _MARKER.fullmatch(cells[0]):
        cells, places = [" ".join(cells)], [(places[0][0], places[1][1])]
    words = [word for segment in row for word in segment]
    if not words:
        return None
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    lettered = [word for word in words if any(map(str.isalnum, word.text))] or words
    return Line(
        CELL_SEPARATOR.join(cells),
        len(cells),
        words[0].x0,
        max(word.x1 for word in words),
        Counter(word.y for word in words).most_common(1)[0][0],
        sizes.most_common(1)[0][0],
        all(word.bold for word in lettered),
        all(word.italic for word in lettered),
        page,
        tuple(places),
        LineWords.of(words),
    )
