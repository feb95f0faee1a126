"""Tables in XML documents: CALS (`row`, `entry`), HTML (`tr`, `td`), and DITA's simple ones."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from knarr.documents.tables import Cell
from knarr.documents.xml import all_text, local
from knarr.documents.xml_docs import vocabulary as words
from knarr.language.plain import one_line

_HEADS = ("thead", "sthead", "chhead", "prophead")
_MAX_COLUMNS = 1_000


def rows_of(table: etree._Element) -> Iterator[tuple[list[list[Cell]], int]]:
    """The rows of each grid in a table, and how many of them are its header."""
    grids = list(table.iter("{*}tgroup")) or [table]
    for grid in grids:
        columns = {one.get("colname", ""): at for at, one in enumerate(grid.iter("{*}colspec"))}
        rows: list[list[Cell]] = []
        heads = 0
        for row in grid.iter():
            kind = local(row)
            if kind not in words.ROWS:
                continue
            cells = [_cell(one, columns) for one in row if local(one) in words.CELLS]
            if cells:
                rows.append(cells)
                if kind in _HEADS or local(row.getparent()) in _HEADS:
                    heads = len(rows)
        if rows:
            yield rows, heads


def _cell(element: etree._Element, columns: dict[str, int]) -> Cell:
    first, last = columns.get(element.get("namest", "")), columns.get(element.get("nameend", ""))
    across = (
        last - first + 1 if first is not None and last is not None else _number(element.get("colspan"), 1)
    )
    down = (
        _number(element.get("morerows"), 0) + 1
        if element.get("morerows")
        else _number(element.get("rowspan"), 1)
    )
    return Cell(one_line(all_text(element)), max(1, min(across, _MAX_COLUMNS)), max(1, down))


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 6 else default
