"""Table rows in running text: in pipes, or in columns that are set apart by spaces."""

from __future__ import annotations

import re

_CELL_CHARS = 48  # prose may hold double spaces; a cell after the first is short


def is_row(text: str, below: str) -> bool:
    """A table's row: in pipes, or in columns of figures set apart by spaces; the line above such figures
    is their column names. Prose, too, may hold double spaces."""
    return text.startswith("|") or _figures(text) or (_in_columns(text) and _figures(below))


def cells_of(row: str) -> list[str]:
    """The cells of a row, without outer white space."""
    inner = row.strip()
    cells = inner.strip("|").split("|") if inner.startswith("|") else re.split(r" {2,}|\t", inner)
    return [cell.strip() for cell in cells]


def _figures(text: str) -> bool:
    return _in_columns(text) and any(re.search(r"\d", cell) for cell in cells_of(text)[1:])


def _in_columns(text: str) -> bool:
    cells = cells_of(text)
    return len(cells) > 1 and all(len(cell) <= _CELL_CHARS for cell in cells[1:])
