"""The cells of an HTML table, and whether it is a table of data at all.

A table that holds headings or preformatted text lays out the page. A table inside a cell becomes text of the cell
("a, b; c, d") where it is small; around a large one the outer table is layout. Rows of `thead`, and first rows of
nothing but `th`, are the header; the rows of `tfoot` come last, wherever the source has them; no cell goes down
beyond its group of rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborNode

from knarr.documents.html.elements import BLOCKS, Omission, heading_level, walk
from knarr.documents.tables import Cell, TableText, table_text

_GROUPS = ("thead", "tbody", "tfoot")
_MAX_COLUMNS, _MAX_ROWS = 1_000, 65_534  # as browsers have it
_MAX_NESTED_CELLS = 24
_ROW, _CELL = "\x1e", "\x1f"  # part the rows and cells of an inner table, until it is text
_NUMBER = re.compile(r"\s*(\d+)", re.ASCII)


def data_table(node: LexborNode, omission: Omission) -> tuple[TableText | None, str]:
    """The table as Markdown and its caption; None when it is no table of data."""
    if node.attributes.get("role") in ("presentation", "none"):
        return None, ""
    reader = _Rows(omission)
    walk(node, reader)
    table = reader.table() if reader.is_data else None
    return table, "".join(reader.caption)


@dataclass(slots=True)
class _Row:
    group: int
    foot: bool
    head: bool
    cells: list[Cell]


class _Rows:
    """A visitor that reads a table's cells; `is_data` turns false when a cell holds more than text."""

    def __init__(self, omission: Omission) -> None:
        self.caption: list[str] = []
        self.is_data = True
        self._omission = omission
        self._rows: list[_Row] = []
        self._cell: list[str] | None = None
        self._tables = self._group = self._nested_cells = 0
        self._part = ""

    def text(self, text: str) -> None:
        (self.caption if self._cell is None else self._cell).append(text)

    def enter(self, node: LexborNode) -> bool:
        tag = node.tag
        if tag == "pre" or heading_level(node):
            self.is_data = False
        if not self.is_data or self._omission(node) is not None:
            return False
        if self._cell is not None:
            self._enter_inside(node, self._cell)
        elif tag == "table":
            self._tables += 1
        elif tag in _GROUPS:
            self._group += 1
            self._part = tag or ""
        elif tag == "tr":
            self._open_row()
        elif tag in ("td", "th"):
            self._cell = []
        return self.is_data

    def _enter_inside(self, node: LexborNode, cell: list[str]) -> None:
        tag = node.tag
        if tag == "table":
            self._tables += 1
            cell.append(_ROW)
        elif tag == "tr":
            cell.append(_ROW)
        elif tag in ("td", "th"):
            cell.append(_CELL)
            self._nested_cells += 1
            self.is_data = self._nested_cells <= _MAX_NESTED_CELLS
        else:
            cell.append((node.attributes.get("alt") or "") if tag == "img" else _border(node))

    def leave(self, node: LexborNode) -> None:
        tag = node.tag
        if self._cell is None:
            return
        if tag == "table":
            self._tables -= 1
            self._cell.append(_ROW)
        elif tag in ("td", "th") and self._tables == 1:
            if not self._rows:
                self._open_row()
            row = self._rows[-1]
            cell = Cell(_flat("".join(self._cell)), _columns(node), _rows(node))
            row.head = row.head and (tag == "th" or self._part == "thead" or not cell.text)
            row.cells.append(cell)
            self._cell = None
        elif tag not in ("td", "th"):
            self._cell.append(_border(node))

    def _open_row(self) -> None:
        self._rows.append(_Row(self._group, self._part == "tfoot", True, []))

    def table(self) -> TableText | None:
        """The table, None where it is none."""
        rows = [*(row for row in self._rows if not row.foot), *(row for row in self._rows if row.foot)]
        ends: dict[int, int] = {row.group: at + 1 for at, row in enumerate(rows)}
        bounded = [
            [replace(cell, rows=min(cell.rows, ends[row.group] - at)) for cell in row.cells]
            for at, row in enumerate(rows)
        ]
        heads = next((at for at, row in enumerate(rows) if not row.head), len(rows))
        return table_text(bounded, max(1, heads))


def _flat(text: str) -> str:
    """The text of a cell, tables inside it as `a, b; c, d`."""
    if _ROW not in text:
        return text.strip()
    rows = (", ".join(filter(None, map(str.strip, row.split(_CELL)))) for row in text.split(_ROW))
    return "; ".join(filter(None, rows))


def _border(node: LexborNode) -> str:
    return " " if node.tag == "br" or node.tag in BLOCKS else ""


def _columns(node: LexborNode) -> int:
    return max(1, min(_number(node, "colspan"), _MAX_COLUMNS))


def _rows(node: LexborNode) -> int:
    """How far down a cell goes; 0 in the source means to the end of its group."""
    return min(_number(node, "rowspan"), _MAX_ROWS) or _MAX_ROWS


def _number(node: LexborNode, name: str) -> int:
    found = _NUMBER.match(node.attributes.get(name) or "")
    return int(found[1][:6]) if found else 1
