"""Blocks of a page in a row: paragraphs, headings, tables and fences, inside lists and quotations.

Blocks are parted by a blank line, items of a list by a line end. Inside lists and quotations every
line carries the prefix of its containers (``> ``, indentation). Text is not escaped: it is read and
searched as it stands, and the sections are those of the headings met here, not those that a
Markdown parser would find in the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knarr.documents.html.bold_lines import BoldLines
from knarr.documents.tables import TableText
from knarr.documents.writer import MarkdownWriter
from knarr.language.plain import UNSPACED_LINE_END

_SPACES = "\t\n\r\f\xa0"
_TICKS = re.compile(r"`+")
# Prefixes of deeper containers are left off, so that the text stays within a few times the page.
_MAX_PREFIX_LEVELS = 12


@dataclass(slots=True)
class _Container:
    """A list item or quotation around the blocks to come; `first` prefixes its first line."""

    first: str
    later: str
    fresh: bool = True


class BlockWriter:
    """Takes running text and the ends of blocks in order, and writes whole blocks."""

    def __init__(self, writer: MarkdownWriter, bold_lines: BoldLines | None = None) -> None:
        self._writer = writer
        self._bold_lines = bold_lines
        self._all_bold = True
        self._containers: list[_Container] = []
        self._inline: list[str | None] = []  # the open paragraph; None is a line break
        self._after_item = False  # the last block written is an item of a list

    def inline(self, text: str, *, bold: bool = False) -> None:
        """Add running text to the open paragraph."""
        self._inline.append(text)
        if not bold and self._all_bold and not text.isspace() and text:
            self._all_bold = False

    def line_break(self) -> None:
        """Begin a new line in the open paragraph."""
        self._inline.append(None)

    def open_container(self, first: str, later: str) -> None:
        """Begin a list item (``- ``) or quotation (``> ``)."""
        self.flush()
        self._containers.append(_Container(first, later))

    def close_container(self) -> None:
        self.flush()
        if self._containers:
            container = self._containers.pop()
            if container.fresh and container.first != container.later:
                # An empty item writes nothing.
                return
            self._after_item = container.first != container.later

    def term(self) -> None:
        """End the open paragraph, which names what the next container explains."""
        self.flush()
        self._after_item = True

    def end_list(self) -> None:
        """The outermost list has ended: a blank line follows it."""
        self._after_item = False

    def flush(self) -> None:
        """End the open paragraph."""
        bold = self._all_bold and not self._containers
        text = self.take()
        if not text:
            return
        level = self._bold_lines.level(text) if bold and self._bold_lines else 0
        if level:
            self._begin_block()
            self._writer.heading(level, text.replace("\n", " "))
        else:
            self._block(text)

    def take(self) -> str:
        """Hand over the text of the open paragraph and begin a new one; lines have no outer white space."""
        lines: list[list[str]] = [[]]
        for piece in self._inline:
            if piece is None:
                lines.append([])
            else:
                lines[-1].append(piece)
        self._inline.clear()
        self._all_bold = True
        joined = (_collapsed("".join(pieces)).strip(" ") for pieces in lines)
        return "\n".join(line for line in joined if line)

    def heading(self, level: int) -> None:
        """Make the open paragraph a heading; one without text is dropped."""
        title = self.take().replace("\n", " ")
        if not title:
            return
        self._begin_block()
        self._writer.heading(level, title)

    def preformatted(self, text: str, language: str = "") -> None:
        """A fenced block, its text unchanged."""
        self.flush()
        if not text.strip():
            return
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
        body = text.strip("\n")
        self._block(f"{fence}{language}\n{body}\n{fence}")

    def table(self, table: TableText) -> None:
        """A pipe table; written without prefix, so that its rows stay rows."""
        self.flush()
        self._begin_block()
        self._writer.table(table)

    def rule(self) -> None:
        """A thematic break."""
        self.flush()
        self._block("---")

    def _block(self, text: str) -> None:
        containers = self._containers[:_MAX_PREFIX_LEVELS]
        item = any(c.fresh and c.first != c.later for c in containers)
        self._begin_block(tight=item and (self._after_item or self._inside_item()))
        first = "".join(c.first if c.fresh else c.later for c in containers)
        later = "".join(c.later for c in containers)
        for container in self._containers:
            container.fresh = False
        if not containers:
            self._writer.put(text + "\n")
            self._after_item = False
            return
        lines = text.split("\n")
        prefixed = (f"{later}{line}" if line else later.rstrip() for line in lines[1:])
        self._writer.put("\n".join((first + lines[0], *prefixed)) + "\n")
        self._after_item = item

    def _inside_item(self) -> bool:
        """Whether the next block is in an item that has written something: an inner list follows its
        item's own text without a blank line."""
        return any(not c.fresh and c.first != c.later for c in self._containers)

    def _begin_block(self, *, tight: bool = False) -> None:
        """Part the next block from the one before, by a blank line unless `tight`."""
        if not tight:
            self._writer.gap()
        self._after_item = False


def _collapsed(text: str) -> str:
    """White space as a browser shows it, and none for a line end inside of Chinese, Japanese or Thai. A few passes, which make no object for each word of a long text."""
    if "\n" in text and not text.isascii():
        text = UNSPACED_LINE_END.sub("", text)
    for space in _SPACES:
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text
