"""Rows of cells to a Markdown pipe table, for every format that has tables.

No text is lost: `|` in a cell is escaped, line breaks become spaces, a merged cell keeps its text
in its first place and leaves the others empty. Rows and columns without text are dropped.

**Layout rule.** The rest is a table only when it has at least two rows and two columns, and no cell
is longer than `LAYOUT_CELL_CHARS`. Anything else serves the layout of a page (a framed note, two
columns of prose) and reads better as paragraphs, cell after cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.sections import Table
from knarr.language.plain import one_line

LAYOUT_CELL_CHARS = 1500
_MAX_SPAN = 64
_MAX_CELLS = 500_000
_MAX_EMPTY = 8  # places for each cell


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
    are byte offsets of the body rows in the UTF-8 of `text`."""

    text: str
    header: str
    row_begins: tuple[int, ...]

    def at(self, begin_byte: int) -> Table:
        """The record of this table in a document where its text begins at `begin_byte`."""
        end_byte = begin_byte + len(self.text.encode("utf-8"))
        return Table(begin_byte, end_byte, self.header, tuple(begin_byte + at for at in self.row_begins))


def grid(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Cells at their places: a rectangle of one-line texts, merged cells filled with "", rows and
    columns without text dropped. Spans are bounded, and ignored in tables of absurd size. Nothing for a table
    of that size whose places are nearly all empty: one wide row would widen all others."""
    covered = sum(min(cell.columns, _MAX_SPAN) * min(cell.rows, len(rows)) for row in rows for cell in row)
    spans = covered <= _MAX_CELLS
    placed: list[dict[int, str]] = [{} for _ in rows]
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
            placed[number][column] = one_line(cell.text)
            column += width
    used = sorted({at for row_cells in placed for at, text in row_cells.items() if text})
    if len(used) * len(rows) > max(_MAX_CELLS, _MAX_EMPTY * sum(map(len, rows))):
        return []
    return [[cells.get(at, "") for at in used] for cells in placed if any(cells.values())]


def table_text(rows: Sequence[Sequence[Cell]]) -> TableText | None:
    """The table as Markdown with its first row as header; None when the layout rule says that it is no
    table, and the caller writes the cells as paragraphs."""
    cells = grid(rows)
    if len(cells) < 2 or len(cells[0]) < 2:
        return None
    if max(len(text) for row in cells for text in row) > LAYOUT_CELL_CHARS:
        return None
    return pipe_text(cells)


def pipe_text(cells: Sequence[Sequence[str]]) -> TableText:
    """Rows of one-line texts, all of one length and at least one, as Markdown; the first names the columns."""
    lines = [_line(row) for row in cells]
    header = f"{lines[0]}|{' --- |' * len(cells[0])}\n"
    begins, at = [], len(header.encode("utf-8"))
    for line in lines[1:]:
        begins.append(at)
        at += len(line.encode("utf-8"))
    return TableText(header + "".join(lines[1:]), header, tuple(begins))


def _line(row: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in row) + " |\n"
