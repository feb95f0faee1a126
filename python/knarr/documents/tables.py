"""Rows of cells to a Markdown pipe table, for every format that has tables.

No text is lost: `|` in a cell is escaped, line breaks become spaces. Rows and columns without text are dropped.
A row must say by itself what its figures are, since it is searched and cited alone: a merged cell repeats its label in
all its places, and several header rows become one ("Units sold 2023"). A first row that is one cell as wide as the
table is its title, and stands above it.

**Layout rule.** The rest is a table only when it has at least two rows and two columns, and no cell
is longer than `LAYOUT_CELL_CHARS`. Anything else serves the layout of a page (a framed note, two
columns of prose) and reads better as paragraphs, cell after cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.characters import plain_characters, written
from knarr.documents.sections import Table
from knarr.language.plain import one_line

LAYOUT_CELL_CHARS = 1500
_LABEL_CHARS, _VALUE_CHARS = 200, 40
_MAX_SPAN = 1000
_MAX_CELLS = 500_000
_MAX_EMPTY = 8  # places for each cell
_MAX_HEAD_ROWS = 4
# What is repeated is at most so many times the table's own text.
_MAX_REPEATED = 4
_LEAST_REPEATED_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the source gives it, and how many columns and rows it spans; the text of nested tables
    is part of `text`."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class TableText:
    """A rendered table: `text` ends in one line end; `header` is its first two lines; `row_begins`
    are byte offsets of the body rows in the UTF-8 of `text`; `title` stands above it, "" where it has none; `notes`
    are the ids of the footnotes that its cells refer to."""

    text: str
    header: str
    row_begins: tuple[int, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

    def at(self, begin_byte: int, units: Sequence[str] = ()) -> Table:
        """The record of this table in a document where its title begins at `begin_byte`, then the lines of `units`
        where there are some, a blank line, and its text."""
        title, below = written(self.title), written("\n".join(units))
        above = "\n".join(filter(None, (title, below)))
        body = begin_byte + (len(above.encode("utf-8")) + 2 if above else 0)
        end_byte = body + len(self.text.encode("utf-8"))
        header = f"{below}\n\n{self.header}" if below else self.header
        return Table(
            begin_byte, end_byte, header, tuple(body + at for at in self.row_begins), one_line(title)
        )


def grid(rows: Sequence[Sequence[Cell]]) -> tuple[list[list[str]], list[int], int]:
    """Cells at their places: a rectangle of one-line texts, rows and columns without text of their own dropped;
    for each of its rows the number of the source's row; and how many of its first rows are one cell as wide as
    the table.

    A merged cell's text stands in every place that it covers, so that each row has its labels; one that is as wide
    as the table, and one too long to be a label, stands in its first place only. Spans are bounded, and ignored in
    tables of absurd size. Nothing for a table of that size whose places are nearly all empty: one wide row would
    widen all others."""
    covered = sum(min(cell.columns, _MAX_SPAN) * min(cell.rows, len(rows)) for row in rows for cell in row)
    spans = covered <= _MAX_CELLS
    placed: list[dict[int, str]] = [{} for _ in rows]
    merged: list[tuple[range, range, str]] = []
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while column in placed[number]:
                column += 1
            width = max(1, min(cell.columns, _MAX_SPAN)) if spans else 1
            height = max(1, min(cell.rows, len(rows) - number)) if spans else 1
            for below in range(number, number + height):
                for across in range(column, column + width):
                    placed[below].setdefault(across, "")
            placed[number][column] = text = one_line(plain_characters(cell.text))
            if text and (width > 1 or height > 1):
                merged.append((range(number, number + height), range(column, column + width), text))
            column += width
    used = sorted({at for row_cells in placed for at, text in row_cells.items() if text})
    if len(used) * len(rows) > max(_MAX_CELLS, _MAX_EMPTY * sum(map(len, rows))):
        return [], [], 0
    kept = [number for number, cells in enumerate(placed) if any(cells.values())]
    wide = _repeat(placed, merged, used)
    titles = next((at for at, number in enumerate(kept) if number not in wide), len(kept))
    return [[placed[number].get(at, "") for at in used] for number in kept], kept, titles


def _repeat(
    placed: list[dict[int, str]], merged: Sequence[tuple[range, range, str]], used: Sequence[int]
) -> set[int]:
    """Write the text of merged cells in all their places; the rows that one of them covers from side to side."""
    left = max(
        _LEAST_REPEATED_CHARS, _MAX_REPEATED * sum(len(text) for row in placed for text in row.values())
    )
    wide: set[int] = set()
    for down, across, text in merged:
        if len(used) > 1 and across.start <= used[0] and used[-1] < across.stop:
            wide.update(down)
            continue
        cost = len(text) * len(down) * len(across)
        labels = len(down) > 1 or down.start < _MAX_HEAD_ROWS
        if len(text) > (_LABEL_CHARS if labels else _VALUE_CHARS) or cost > left:
            continue
        left -= cost
        for below in down:
            for column in across:
                placed[below][column] = text
    return wide


def table_text(rows: Sequence[Sequence[Cell]], head_rows: int = 1) -> TableText | None:
    """The table as Markdown; None when the layout rule says that it is no table, and the caller writes the cells as
    paragraphs. The first `head_rows` rows become one header, in which each column has all its labels; the
    source's spans may show that there are more. With none, the columns have no names."""
    cells, numbers, titles = grid(rows)
    title = "\n".join(next(filter(None, row)) for row in cells[:titles])
    cells, numbers = cells[titles:], numbers[titles:]
    if len(cells) < 2 or len(cells[0]) < 2:
        return None
    if max(len(text) for row in cells for text in row) > LAYOUT_CELL_CHARS:
        return None
    spanned = _head_by_spans(rows[numbers[0]])
    last = max(head_rows, numbers[0] + spanned if spanned > 1 or head_rows else 0)
    if head_rows == 0 and last == 0:
        # A pipe table has a header: that of columns without names is blank.
        return pipe_text([[""] * len(cells[0]), *cells], title)
    heads = max(1, sum(number < last for number in numbers))
    if heads > _MAX_HEAD_ROWS or heads == len(cells):
        heads = 1
    return pipe_text([_joined(cells[:heads]), *cells[heads:]], title)


def pipe_text(cells: Sequence[Sequence[str]], title: str = "") -> TableText:
    """Rows of one-line texts, all of one length and at least one, as Markdown; the first names the columns."""
    lines = [written(_line(row)) for row in cells]
    header = f"{lines[0]}|{' --- |' * len(cells[0])}\n"
    begins, at = [], len(header.encode("utf-8"))
    for line in lines[1:]:
        begins.append(at)
        at += len(line.encode("utf-8"))
    return TableText(header + "".join(lines[1:]), header, tuple(begins), title)


def _head_by_spans(first: Sequence[Cell]) -> int:
    """How many rows the header has by its first row's spans: more than one where labels stand over several columns
    and every other label goes down as far as those below them."""
    single = [cell for cell in first if cell.columns == 1 and cell.text.strip()]
    grouped = any(cell.columns > 1 and cell.rows == 1 for cell in first)
    depths = {cell.rows for cell in single}
    return depths.pop() if grouped and len(depths) == 1 else 1


def _joined(heads: Sequence[Sequence[str]]) -> list[str]:
    """One header of several rows; a label that goes on below itself counts once."""
    return [
        " ".join(text for above, text in zip(("", *column), column, strict=False) if text and text != above)
        for column in zip(*heads, strict=True)
    ]


def _line(row: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in row) + " |\n"
