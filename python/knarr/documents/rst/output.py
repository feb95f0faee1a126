"""Markdown as the reader of reStructuredText writes it: blocks with what every line of theirs begins with.

An item's mark stands before its first line, and as much white space before the others. Headings stand at the margin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from knarr.documents.rst.inline import Inline
from knarr.documents.rst.tables import Drawn
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter

_TICKS = re.compile(r"`{3,}")


class Output:
    """Writes into `writer`; nothing is ever taken back."""

    def __init__(self, writer: MarkdownWriter) -> None:
        self.writer = writer
        self._prefix = ""
        self._mark = ""

    def gap(self) -> None:
        """The blank line between two blocks, which a first block in an item goes without."""
        if not self._mark and self.writer.size_bytes:
            self.writer.put(f"{self._prefix.rstrip()}\n")

    def lines(self, lines: Sequence[str]) -> None:
        for line in lines:
            before, self._mark = self._mark or self._prefix, ""
            self.writer.put(f"{before}{line}".rstrip() + "\n")

    def block(self, text: str) -> None:
        """A paragraph."""
        self.gap()
        self.lines([line.strip() for line in text.split("\n")])

    def heading(self, level: int, shown: str, title: str) -> None:
        if not title:
            return
        self.gap()
        self.writer.heading(level, shown, title)

    def fence(self, lines: Sequence[str], language: str = "") -> None:
        """Lines as they are, between marks that do not occur in them."""
        while lines and not lines[-1]:
            lines = lines[:-1]
        if not lines:
            return
        longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=2)
        mark = "`" * (longest + 1)
        self.gap()
        self.lines([mark + language, *lines, mark])

    def table(self, drawn: Drawn, inline: Inline, title: str) -> None:
        """A pipe table at the margin, where a table can be found again; cells as paragraphs where it is none."""
        rows = [[Cell(inline.text(cell.text), cell.columns, cell.rows) for cell in row] for row in drawn.rows]
        table = table_text(rows, max(1, drawn.heads))
        if title:
            self.block(title)
        if table is None:
            for cell in (cell for row in rows for cell in row if cell.text):
                self.block(cell.text)
            return
        self._flush()
        self.gap()
        self.writer.table(table)

    def _flush(self) -> None:
        """An item that begins with a table has its mark on a line of its own."""
        if self._mark:
            self.lines([""])

    @contextmanager
    def inside(self, prefix: str) -> Iterator[None]:
        """Blocks whose lines begin with `prefix`."""
        outer, self._prefix = self._prefix, self._prefix + prefix
        if self._mark:
            self._mark += prefix
        else:
            self._blank(outer)
            self._mark = self._prefix
        yield
        self._prefix, self._mark = outer, ""

    @contextmanager
    def item(self, mark: str, *, tight: bool, hang: int = 2) -> Iterator[None]:
        """Blocks behind a mark, the other lines `hang` columns in; `tight` items follow without a blank line. An item
        without text keeps its mark."""
        outer = self._prefix
        if self._mark:
            self._mark += mark
        else:
            if not tight:
                self._blank(outer)
            self._mark = outer + mark
        self._prefix = outer + " " * hang
        yield
        self._flush()
        self._prefix = outer

    def _blank(self, prefix: str) -> None:
        if self.writer.size_bytes:
            self.writer.put(f"{prefix.rstrip()}\n")
