"""What readers of marked text share: paragraphs of lines, lists line by line, fences and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.documents.tables import Cell, pipe_text, table_text
from knarr.documents.writer import MarkdownWriter
from knarr.language.plain import one_line

_TICKS = re.compile(r"`+")


class LineFlow:
    """Collects the lines of a paragraph and writes blocks, a blank line apart."""

    def __init__(self) -> None:
        self.writer = MarkdownWriter()
        self._lines: list[str] = []
        self._in_list = False

    def line(self, text: str) -> None:
        """A line of the open paragraph."""
        self._lines.append(text.rstrip())

    def item(self, text: str) -> None:
        """A list item, on a line of its own."""
        self.flush()
        if not self._in_list:
            self.writer.gap()
        self.writer.put(text.rstrip() + "\n")
        self._in_list = True

    def goes_on(self, text: str) -> bool:
        """Add a line to the item before; whether there is one."""
        if self._in_list and not self._lines:
            self.writer.put(f"  {text.strip()}\n")
            return True
        return False

    def flush(self) -> None:
        """End the open paragraph."""
        if any(self._lines):
            self.end_list()
            self.writer.gap()
            self.writer.put("\n".join(line for line in self._lines if line) + "\n")
        self._lines.clear()

    def end_list(self) -> None:
        self._in_list = False

    def heading(self, level: int, text: str) -> None:
        self.flush()
        self.end_list()
        if text.strip():
            self.writer.gap()
            self.writer.heading(level, one_line(text))

    def fence(self, lines: Sequence[str], kind: str = "") -> None:
        """Code, its lines unchanged."""
        self.flush()
        self.end_list()
        if any(line.strip() for line in lines):
            most = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
            marks = "`" * max(3, most + 1)
            self.writer.gap()
            self.writer.put("\n".join((marks + kind, *lines, marks)) + "\n")

    def table(self, rows: Sequence[Sequence[Cell]], head_rows: int = 1, title: str = "") -> None:
        """A table, or its cells as paragraphs where it only lays them out."""
        self.flush()
        self.end_list()
        if title:
            self.writer.gap()
            self.writer.put(one_line(title) + "\n")
        width = max(map(len, rows), default=0)
        if head_rows == 0 and width > 1 and len(rows) > 0:
            self.writer.gap()
            body = [[one_line(cell.text) for cell in row] + [""] * (width - len(row)) for row in rows]
            self.writer.table(pipe_text([[""] * width, *body]))
            return
        found = table_text(rows, max(1, head_rows))
        if found is not None:
            self.writer.gap()
            self.writer.table(found)
            return
        for row in rows:
            text = "  ".join(filter(None, (one_line(cell.text) for cell in row)))
            if text:
                self.writer.gap()
                self.writer.put(text + "\n")
