"""Tables in PDFs against the gold of the ICDAR 2013 table competition (the files ``*-str.xml`` beside their PDFs).

Gold says of each table which cells it has and which rows and columns they cover. Asked is what a reader of the text
needs, in three shares over all files:

cells   the text of a cell stands in the output
rows    the cells of a row stand on one line, in their order; cells that cover several rows are left out
labels  a figure stands under its labels: in a pipe table, in a row with most figures of its row, and above it in the
        same column the text of every head that covers its column and of no head that covers only others

White space, case, markup and the kind of dashes do not count. The heads of a table are its rows above the first that
states figures; years, and ranges as of
ages, are none. Cost: linear in the lines for each row of gold.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

_GOLD = "-str.xml"
_DROPPED = re.compile(r"[\s|*_`\\#­​]+|<br ?/?>|</?(?:sup|sub|b|i)>|&nbsp;", re.IGNORECASE)
_DASHES = re.compile("[‐-―−]")
_LEADERS = re.compile(r"(?<=\w)\.{4,}")
_FIGURE = re.compile(r"[^\w]*\d[\d.,'/:%()-]*[^\w]*")
_NO_FIGURE = re.compile(r"\(?(?:19|20)\d\d(?:[-/]\d{2,4})?\)?\W*|\d{1,2}-\d{1,2}")
_DELIMITER = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?")
_CELL_BREAK = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class Figures:
    """Counts over a folder; `tables_found` of `tables_made` pipe tables hold cells of gold."""

    files: int = 0
    cells: int = 0
    cells_found: int = 0
    rows: int = 0
    rows_found: int = 0
    labels: int = 0
    labels_found: int = 0
    tables_made: int = 0
    tables_found: int = 0

    def __iadd__(self, other: Figures) -> Figures:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    def shares(self) -> dict[str, float]:
        """The three shares, and the share of pipe tables that are tables of gold."""
        return {
            "cells": self.cells_found / max(1, self.cells),
            "rows": self.rows_found / max(1, self.rows),
            "labels": self.labels_found / max(1, self.labels),
            "pipe tables in gold": self.tables_found / max(1, self.tables_made),
        }


@dataclass(frozen=True, slots=True)
class GoldCell:
    """A cell with text, plain; ranges of the rows and columns that it covers."""

    text: str
    rows: range
    columns: range


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a pipe table, plain, and the rows above it."""

    cells: Sequence[str]
    above: Sequence[Sequence[str]]
    table: int


def score(folder: Path, read: Callable[[Path], str]) -> Figures:
    """The figures of `read`, which gives the text of a PDF as Markdown, over all files with gold below the folder."""
    total = Figures()
    for gold in sorted(folder.rglob(f"*{_GOLD}")):
        pdf = gold.with_name(gold.name.removesuffix(_GOLD) + ".pdf")
        if pdf.exists():
            total += score_text(gold_tables(gold), read(pdf))
    return total


def score_text(tables: Sequence[Sequence[GoldCell]], text: str) -> Figures:
    """The figures of one file."""
    figures = Figures(files=1)
    lines = [plain(line) for line in text.splitlines()]
    whole = "".join(lines)
    pipes = list(_pipe_rows(text))
    figures.tables_made = len({row.table for row in pipes})
    known = {cell.text for table in tables for cell in table}
    figures.tables_found = len({row.table for row in pipes if sum(cell in known for cell in row.cells) > 1})
    for table in tables:
        figures.cells += len(table)
        figures.cells_found += sum(cell.text in whole for cell in table)
        for row in rows_of(table):
            figures.rows += len(row) > 1
            figures.rows_found += len(row) > 1 and any(_in_order(row, line) for line in lines)
        _score_labels(table, pipes, figures)
    return figures


def gold_tables(path: Path) -> list[list[GoldCell]]:
    """The tables of a gold file, each as its cells in order."""
    tables = []
    for table in ET.parse(path).getroot().iter("table"):
        cells = []
        for region in table.iter("region"):
            right, down = int(region.get("col-increment", "0")), int(region.get("row-increment", "0"))
            for cell in region.iter("cell"):
                text = plain(cell.findtext("content") or "")
                row, column = int(cell.get("start-row", "0")) + down, int(cell.get("start-col", "0")) + right
                last_row = int(cell.get("end-row") or row - down) + down
                last_column = int(cell.get("end-col") or column - right) + right
                if text:
                    cells.append(GoldCell(text, range(row, last_row + 1), range(column, last_column + 1)))
        tables.append(sorted(cells, key=lambda cell: (cell.rows.start, cell.columns.start)))
    return tables


def plain(text: str) -> str:
    """Text as it is compared."""
    return _LEADERS.sub("", _DASHES.sub("-", _DROPPED.sub("", text))).casefold()


def rows_of(table: Sequence[GoldCell]) -> list[list[GoldCell]]:
    """The rows, of the cells that cover one row only."""
    last = max((cell.rows.stop for cell in table), default=0)
    rows: list[list[GoldCell]] = [[] for _ in range(last)]
    for cell in table:
        if len(cell.rows) == 1:
            rows[cell.rows.start].append(cell)
    return [row for row in rows if row]


def _score_labels(table: Sequence[GoldCell], pipes: Sequence[_Row], figures: Figures) -> None:
    rows = rows_of(table)
    first = next((row[0].rows.start for row in rows if any(map(_states_figure, row))), 0)
    heads = [cell for cell in table if cell.rows.start < first]
    if not heads:
        return
    for row in rows:
        asked = [cell for cell in row if cell.rows.start >= first and _states_figure(cell)]
        pairs = [(cell, _labels(cell, heads)) for cell in asked]
        pairs = [(cell, labels) for cell, labels in pairs if labels]
        figures.labels += len(pairs)
        best = 0
        for pipe in pipes if pairs else ():
            if 2 * sum(cell.text in pipe.cells for cell, _ in pairs) >= len(pairs):
                best = max(best, sum(_under(cell, labels, heads, pipe) for cell, labels in pairs))
                if best == len(pairs):
                    break
        figures.labels_found += best


def _states_figure(cell: GoldCell) -> bool:
    return bool(_FIGURE.fullmatch(cell.text)) and not _NO_FIGURE.fullmatch(cell.text)


def _labels(cell: GoldCell, heads: Sequence[GoldCell]) -> list[str]:
    return [head.text for head in heads if cell.columns.start in head.columns]


def _under(cell: GoldCell, labels: Sequence[str], heads: Sequence[GoldCell], pipe: _Row) -> bool:
    """Whether a place of the row that has the figure's text has exactly its labels above it."""
    others = {head.text for head in heads} - set(labels)
    for at, text in enumerate(pipe.cells):
        if text == cell.text:
            above = "".join(row[at] for row in pipe.above if at < len(row))
            left = above
            for label in sorted(labels, key=len, reverse=True):
                if label not in left:
                    break
                left = left.replace(label, "\n", 1)
            else:
                if not any(other in left for other in others if not any(other in label for label in labels)):
                    return True
    return False


def _in_order(row: Sequence[GoldCell], line: str) -> bool:
    at = 0
    for cell in row:
        at = line.find(cell.text, at)
        if at < 0:
            return False
        at += len(cell.text)
    return True


def _pipe_rows(text: str) -> Iterator[_Row]:
    """The rows of all pipe tables; only the first rows of each are above the others, since heads are."""
    lines = text.splitlines()
    table = 0
    rows: list[list[str]] = []
    for line in lines:
        if not line.lstrip().startswith("|"):
            rows = []
            continue
        if _DELIMITER.fullmatch(line):
            continue
        if not rows:
            table += 1
        yield _Row(cells := _cells(line), rows[:], table)
        if len(rows) < 8:
            rows.append(cells)


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    return [plain(cell) for cell in _CELL_BREAK.split(bare.removesuffix("|"))]
