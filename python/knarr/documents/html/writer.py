"""Writes blocks of canonical Markdown and remembers where headings and tables came to stand.

Blocks are parted by a blank line, items of a list by a line end. Inside lists and quotations lines
carry their prefix (``> ``, indentation). Text is not escaped: it is read and searched as it stands,
and the headings are those recorded here, not those a Markdown parser would find again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knarr.documents.sections import Heading, Table
from knarr.documents.tables import TableText

_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_TICKS = re.compile(r"`+")
# Prefixes of deeper containers are left off, so that output stays within a few times the input.
_MAX_PREFIX_LEVELS = 12


@dataclass(slots=True)
class _Container:
    """A list item or quotation around the blocks to come; `first` prefixes its first line."""

    first: str
    later: str
    fresh: bool = True


@dataclass(slots=True)
class Writer:
    """Takes text and blocks in order; `text` is what came out."""

    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _size_bytes: int = 0
    _containers: list[_Container] = field(default_factory=list)
    _inline: list[str | None] = field(default_factory=list)
    _after_item: bool = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def inline(self, text: str) -> None:
        """Add running text to the open paragraph."""
        self._inline.append(text)

    def line_break(self) -> None:
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
                # An empty item: nothing to say.
                return
            self._after_item = container.first != container.later

    def end_list(self) -> None:
        """Part what comes next from the list before it."""
        self._after_item = False

    def flush(self) -> None:
        """End the open paragraph."""
        text = self.take()
        if text:
            self._block(text)

    def take(self) -> str:
        """The open paragraph's text, which is then forgotten; its lines have no outer white space."""
        lines: list[list[str]] = [[]]
        for piece in self._inline:
            if piece is None:
                lines.append([])
            else:
                lines[-1].append(piece)
        self._inline.clear()
        joined = (_SPACE.sub(" ", "".join(pieces)).strip(" ") for pieces in lines)
        return "\n".join(line for line in joined if line)

    def heading(self, level: int) -> None:
        """Make the open paragraph a heading; one without text is dropped."""
        title = self.take().replace("\n", " ")
        if not title:
            return
        begin = self._begin_block()
        self._put(f"{'#' * level} {title}\n")
        self.headings.append(Heading(title, level, begin, self._size_bytes))

    def preformatted(self, text: str) -> None:
        """A fenced block, its text unchanged."""
        self.flush()
        if not text.strip():
            return
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
        body = text.removesuffix("\n")
        self._block(f"{fence}\n{body}\n{fence}")

    def table(self, table: TableText) -> None:
        """A pipe table; written without prefix, so that its rows stay rows."""
        self.flush()
        begin = self._begin_block()
        self._put(table.text)
        self.tables.append(table.at(begin))

    def rule(self) -> None:
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
        lines = text.split("\n")
        prefixed = (f"{later}{line}" if line else later.rstrip() for line in lines[1:])
        self._put("\n".join((first + lines[0], *prefixed)) + "\n")
        self._after_item = item

    def _inside_item(self) -> bool:
        """Whether a list inside an item goes on from the item's own text."""
        return any(not c.fresh and c.first != c.later for c in self._containers)

    def _begin_block(self, *, tight: bool = False) -> int:
        """Part from the block before; the byte where the next begins."""
        if self._parts and not tight:
            self._put("\n")
        self._after_item = False
        return self._size_bytes

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._size_bytes += len(text.encode("utf-8"))
