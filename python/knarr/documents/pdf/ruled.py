"""Tables whose cells are drawn: the words of a page into the cells that its lines make.

Lines tell more than places do: which cells are merged, where a text cell of several lines ends, which blank cells
there are. They do not always tell all: where no line is drawn between rows, the base lines of figures make rows,
and where none is drawn between columns, the white between figures does. A grid with few filled cells is the
scale of a chart or an empty form, and stays as the lines of text that it holds.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from knarr.documents.pdf.placed import PlacedWord, is_leftwards, leftwards
from knarr.documents.pdf.ruling import RuledGrid, Rulings, ruled_grids
from knarr.documents.pdf.tables import is_figure, is_year
from knarr.documents.tables import Cell, TableText, table_text
from knarr.language.plain import line_gap

_RAISED = 0.3
_ROW = 0.45
_GAP = 1.0
_LEAST_FILLED = 0.3
_LEAST_WORDS = 4
_MOST_HEADS = 6
_OPEN_ROWS, _ALIGNED, _MOST_SPLITS = 3, 0.7, 40
_SAME_PLACE = 4.0
_CENTRAL = 0.1
_LEADER = 4

_Line = list[PlacedWord]


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table as text and as the cells it is made of, the first `heads` rows of which name its columns, between the
    lines `xs`; `mark`, a word that holds its place on its page; and the words of all its cells."""

    text: TableText
    rows: Sequence[Sequence[Cell]]
    heads: int
    xs: Sequence[float]
    mark: PlacedWord
    words: Sequence[PlacedWord]

    def below(self, before: RuledTable) -> RuledTable | None:
        """This table as one that goes on from `before`, the last one on the page before; None where it does not. It has
        the columns of that one, and no heads of its own or the same ones."""
        if len(self.xs) != len(before.xs) or any(
            abs(one - other) > _SAME_PLACE for one, other in zip(self.xs, before.xs, strict=True)
        ):
            return None
        heads = before.rows[: before.heads]
        if _texts(self.rows[: before.heads]) == _texts(heads):
            return replace(self, heads=before.heads, text=table_text(self.rows, before.heads) or self.text)
        rows = [*heads, *self.rows]
        text = table_text(rows, before.heads)
        return replace(self, rows=rows, heads=before.heads, text=text) if text is not None else None


def take_tables(words: list[PlacedWord], lines: Rulings) -> tuple[list[RuledTable], list[PlacedWord]]:
    """The ruled tables of a page, and the words that are in none."""
    tables: list[RuledTable] = []
    for grid in ruled_grids(lines):
        inside, outside = _within(words, grid)
        if len(inside) < _LEAST_WORDS:
            continue
        rows = _Cells(inside, grid).rows()
        if not rows:
            continue
        heads = _head_rows(rows)
        text = table_text(rows, heads)
        if text is not None:
            tables.append(RuledTable(text, rows, heads, grid.xs, _mark(inside), inside))
            words = outside
    return tables, words


def _mark(words: Sequence[PlacedWord]) -> PlacedWord:
    """One word as wide as all, on the first base line."""
    x0, x1 = min(word.x0 for word in words), max(word.x1 for word in words)
    first = max(words, key=lambda word: word.y)
    return PlacedWord("▦", x0, x1, first.y, first.size, False, False, words[0].order)


def _middle(word: PlacedWord) -> tuple[float, float]:
    return (word.x0 + word.x1) / 2, word.y + _RAISED * word.size


def _within(words: Sequence[PlacedWord], grid: RuledGrid) -> tuple[list[PlacedWord], list[PlacedWord]]:
    inside: list[PlacedWord] = []
    outside: list[PlacedWord] = []
    for word in words:
        x, y = _middle(word)
        within = grid.xs[0] <= x <= grid.xs[-1] and grid.ys[-1] <= y <= grid.ys[0]
        (inside if within else outside).append(word)
    return inside, outside


@dataclass(slots=True)
class _Block:
    """A cell as it is drawn: rows and columns of the grid, and its words."""

    top: int
    bottom: int
    left: int
    right: int
    words: list[PlacedWord] = field(default_factory=list)


class _Cells:
    """The drawn cells of a grid, and how they are rows of a table."""

    def __init__(self, words: Sequence[PlacedWord], grid: RuledGrid) -> None:
        self._grid = grid
        self._rows, self._columns = len(grid.ys) - 1, len(grid.xs) - 1
        self._base_lines: Counter[int] | None = None
        filled: dict[tuple[int, int], list[PlacedWord]] = {}
        falling = [-y for y in grid.ys]
        for word in words:
            x, y = _middle(word)
            row = min(max(bisect_right(falling, -y) - 1, 0), self._rows - 1)
            column = min(max(bisect_right(grid.xs, x) - 1, 0), self._columns - 1)
            filled.setdefault((row, column), []).append(word)
        blocks = [part for block in self._drawn(filled) for part in self._parts(block)]
        self._blocks = [row for block in blocks for row in self._by_rows(block, words)]
        self._of_row: dict[int, list[_Block]] = {}
        self._of_column: dict[int, list[_Block]] = {}
        for block in self._blocks:
            if block.right - block.left == 1:
                self._of_column.setdefault(block.left, []).append(block)
                if block.bottom - block.top == 1:
                    self._of_row.setdefault(block.top, []).append(block)

    def _drawn(self, filled: dict[tuple[int, int], list[PlacedWord]]) -> list[_Block]:
        """Places of the grid without a line between them as one block, where they are a rectangle."""
        parents = list(range(self._rows * self._columns))

        def root(one: int) -> int:
            while parents[one] != one:
                parents[one] = parents[parents[one]]
                one = parents[one]
            return one

        for row in range(self._rows):
            for column in range(self._columns):
                one = row * self._columns + column
                if column + 1 < self._columns and not self._grid.right[row, column]:
                    parents[root(one)] = root(one + 1)
                if row + 1 < self._rows and not self._grid.below[row, column]:
                    parents[root(one)] = root(one + self._columns)
        groups: dict[int, list[tuple[int, int]]] = {}
        for one in range(len(parents)):
            groups.setdefault(root(one), []).append(divmod(one, self._columns))
        blocks = []
        for places in groups.values():
            block = _around(places)
            if (block.bottom - block.top) * (block.right - block.left) == len(places):
                found = [block]
            else:
                found = [_Block(row, row + 1, column, column + 1) for row, column in places]
            for one_block in found:
                for row in range(one_block.top, one_block.bottom):
                    for column in range(one_block.left, one_block.right):
                        one_block.words += filled.get((row, column), [])
            blocks += found
        return blocks

    def _parts(self, block: _Block) -> list[_Block]:
        """A block over several columns whose words leave the lines between them free has a cell in each: only its
        sides are not drawn."""
        if block.right - block.left == 1 or not block.words:
            return [block]
        segments = [(line[0].x0, max(word.x1 for word in line)) for line in segments_of(block.words)]
        cuts = [block.left]
        for column in range(block.left + 1, block.right):
            x = self._grid.xs[column]
            crossed = any(begin < x - 1 and end > x + 1 for begin, end in segments)
            left = any(end <= x + 1 for _, end in segments)
            right = any(begin >= x - 1 for begin, _ in segments)
            if not crossed and left and right:
                cuts.append(column)
        parts: list[_Block] = []
        for left_column, right_column in zip(cuts, [*cuts[1:], block.right], strict=True):
            begin, end = self._grid.xs[left_column], self._grid.xs[right_column]
            words = [word for word in block.words if begin <= _middle(word)[0] < end]
            parts += self._beside_blanks(_Block(block.top, block.bottom, left_column, right_column, words))
        return parts

    def _beside_blanks(self, block: _Block) -> list[_Block]:
        """A figure in a block over several columns is that of one of them, unlike a label, which names all: of the one
        that it stands in, or, in the middle, of the first."""
        lines = lines_of(block.words) if block.right - block.left > 1 else []
        texts = [_text(part) for line in lines for part in _split(line)]
        # A year names columns.
        if not texts or not all(is_figure(text) and not is_year(text) for text in texts):
            return [block]
        begin, end = min(word.x0 for word in block.words), max(word.x1 for word in block.words)
        left, right = self._grid.xs[block.left], self._grid.xs[block.right]
        if abs(begin + end - left - right) / 2 <= _CENTRAL * (right - left):
            column, after = block.left, block.left + 1
        else:
            column = min(max(bisect_right(self._grid.xs, begin + 1) - 1, block.left), block.right - 1)
            after = min(max(bisect_right(self._grid.xs, end - 1), column + 1), block.right)
        borders = (block.left, column, after, block.right)
        return [
            _Block(block.top, block.bottom, first, last, block.words if first == column else [])
            for first, last in itertools.pairwise(borders)
            if first < last
        ]

    def _by_rows(self, block: _Block, words: Sequence[PlacedWord]) -> list[_Block]:
        """A block over several rows as a cell in each, where its lines stand on the base lines of those rows: only the
        lines between them are not drawn."""
        lines = lines_of(block.words) if block.bottom - block.top >= _OPEN_ROWS else []
        if len(lines) < _OPEN_ROWS:
            return [block]
        if self._base_lines is None:
            self._base_lines = Counter(round(word.y) for word in words)
        here = Counter(round(word.y) for word in block.words)
        falling = [-y for y in self._grid.ys]
        rows: dict[int, list[PlacedWord]] = {}
        shared = 0
        for line in lines:
            y = round(line[0].y)
            shared += any(self._base_lines[one] > here[one] for one in (y - 1, y, y + 1))
            row = bisect_right(falling, -(line[0].y + _RAISED * line[0].size)) - 1
            rows.setdefault(min(max(row, block.top), block.bottom - 1), []).extend(line)
        if len(rows) < _ALIGNED * len(lines) or shared < _ALIGNED * len(lines):
            return [block]
        return [
            _Block(row, row + 1, block.left, block.right, rows.get(row, []))
            for row in range(block.top, block.bottom)
        ]

    def rows(self) -> list[list[Cell]]:
        """The rows of the table; none where the grid is none."""
        filled = [block for block in self._blocks if block.words]
        if len(filled) < max(_LEAST_WORDS, _LEAST_FILLED * len(self._blocks)):
            return []
        bands = [self._bands(row) for row in range(self._rows)]
        starts = [0]
        for row_bands in bands:
            starts.append(starts[-1] + max(1, len(row_bands)))
        splits = [self._splits(column) for column in range(self._columns)]
        offsets = [0]
        for cuts in splits:
            offsets.append(offsets[-1] + len(cuts) + 1)
        rows: list[list[tuple[int, Cell]]] = [[] for _ in range(starts[-1])]
        for block in self._blocks:
            first, last = starts[block.top], starts[block.bottom]
            parts = (
                _by_bands(block.words, bands[block.top])
                if block.bottom - block.top == 1 and len(bands[block.top]) > 1
                else None
            )
            for at, words in enumerate(parts) if parts else ((0, block.words),):
                height = 1 if parts else last - first
                cells = self._cells(words, block, splits, offsets)
                rows[first + at] += [(column, Cell(text, width, height)) for column, width, text in cells]
        # The first column of a table in Arabic or Hebrew is the one on the right.
        turned = is_leftwards([word for block in self._blocks for word in block.words])
        return [[cell for _, cell in sorted(row, key=lambda pair: pair[0], reverse=turned)] for row in rows]

    def _bands(self, row: int) -> list[float]:
        """The base lines of the rows that the lines of one drawn row hold: those of a column of figures under each
        other."""
        best: list[float] = []
        for block in self._of_row.get(row, ()):
            lines = lines_of(block.words)
            figures = [line for line in lines if is_figure(_text(line))]
            if len(figures) > 1 and 2 * len(figures) >= len(lines) and len(lines) > len(best):
                best = [line[0].y for line in lines]
        return best

    def _splits(self, column: int) -> list[float]:
        """Where the white between figures parts a drawn column into several."""
        lines = [line for block in self._of_column.get(column, ()) for line in lines_of(block.words)]
        several = [parts for line in lines if len(parts := _split(line)) > 1]
        several = [parts for parts in several if all(is_figure(_text(part)) for part in parts[1:])]
        if len(several) < _OPEN_ROWS or 2 * len(several) < len(lines):
            return []
        places = sorted((part[0].x0, part[-1].x1) for parts in several for part in parts)
        cuts: list[float] = []
        reach = places[0][1]
        for begin, end in places:
            if begin > reach:
                cuts.append((begin + reach) / 2)
            reach = max(reach, end)
        return cuts if len(cuts) < _MOST_SPLITS else []

    def _cells(
        self,
        words: list[PlacedWord],
        block: _Block,
        splits: Sequence[Sequence[float]],
        offsets: Sequence[int],
    ) -> list[tuple[int, int, str]]:
        """First column, width and text of the cells that a block is."""
        first, last = offsets[block.left], offsets[block.right]
        cuts = splits[block.left] if block.right - block.left == 1 else []
        if not cuts:
            return [(first, last - first, cell_text(words))]
        claimed: dict[range, list[PlacedWord]] = {}
        for segment in segments_of(words):
            over = range(bisect_right(cuts, segment[0].x0 + 1), bisect_right(cuts, segment[-1].x1 - 1) + 1)
            for other in [one for one in claimed if one.start < over.stop and over.start < one.stop]:
                segment = [*claimed.pop(other), *segment]
                over = range(min(over.start, other.start), max(over.stop, other.stop))
            claimed[over] = segment
        taken = {column for over in claimed for column in over}
        cells = [(first + over.start, len(over), cell_text(found)) for over, found in claimed.items()]
        return cells + [(first + at, 1, "") for at in range(last - first) if at not in taken]


def _around(places: Sequence[tuple[int, int]]) -> _Block:
    rows, columns = [row for row, _ in places], [column for _, column in places]
    return _Block(min(rows), max(rows) + 1, min(columns), max(columns) + 1)


def lines_of(words: Sequence[PlacedWord]) -> list[_Line]:
    """Words by base line, from the top, each line from the left; raised and lowered ones join their line."""
    lines: list[_Line] = []
    anchor: PlacedWord | None = None
    for word in sorted(words, key=lambda word: (-word.y, word.x0)):
        if anchor and anchor.y - word.y <= _ROW * max(anchor.size, word.size):
            lines[-1].append(word)
            anchor = max(anchor, word, key=lambda one: one.size)
        else:
            lines.append([word])
            anchor = word
    return [sorted(line, key=lambda word: (word.x0, word.order)) for line in lines]


def _split(line: _Line) -> list[_Line]:
    parts: list[_Line] = []
    for word in line:
        if parts and word.x0 - parts[-1][-1].x1 <= _GAP * min(word.size, parts[-1][-1].size):
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def segments_of(words: Sequence[PlacedWord]) -> list[_Line]:
    """Runs of words without wide gaps."""
    return [part for line in lines_of(words) for part in _split(line)]


def _text(line: _Line) -> str:
    return " ".join(word.text for word in (leftwards(line) if is_leftwards(line) else line))


def _is_leader(text: str) -> bool:
    """Whether it only leads the eye to the next cell. Alone it may say that a value is missing."""
    return len(text) >= _LEADER and not text.strip(".…·")


def cell_text(words: Sequence[PlacedWord]) -> str:
    """The words of a cell as its lines, one after the other. The hyphen that ends a line goes where a word plainly goes
    on; "2018-" above "2019" keeps it."""
    text = ""
    led = [word for word in words if not _is_leader(word.text)]
    for line in map(_text, lines_of(led or words)):
        if not text.endswith("\xad"):
            text += f"{line_gap(text, line)}{line}" if text else line
        else:
            parted = text[-2:-1].isalpha() and line[:1].islower()
            text = f"{text[:-1]}{'' if parted else '-'}{line}"
    return text.replace("\xad", "-")


def _by_bands(words: Sequence[PlacedWord], bands: Sequence[float]) -> list[list[PlacedWord]]:
    """Words by the row whose base line is nearest."""
    parts: list[list[PlacedWord]] = [[] for _ in bands]
    falling = [-(above + below) / 2 for above, below in itertools.pairwise(bands)]
    for word in words:
        parts[bisect_right(falling, -word.y)].append(word)
    return parts


def _head_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """How many rows name the columns: those above the first that states figures beside its label; none where the
    first is nearly all figures."""
    first = [cell.text for cell in rows[0] if cell.text]
    if len(first) > 1 and 2 * sum(is_figure(text) and not is_year(text) for text in first) > len(first):
        return 0
    for at, row in enumerate(rows[:_MOST_HEADS]):
        if any(is_figure(cell.text) and not is_year(cell.text) for cell in row[1:] if cell.text):
            return max(1, at)
    return 1


def _texts(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    return [[cell.text for cell in row] for row in rows]
