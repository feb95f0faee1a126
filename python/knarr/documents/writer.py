"""The canonical text under construction, for formats whose source is no Markdown itself.

A parser appends text front to back and says where a heading, a table or a page begins; the writer
counts the UTF-8 bytes as they come. So every offset in a `Document` is made here, once, and none is
ever searched for afterwards. Cost: linear in the text, which is encoded once to be counted.

What is written is made plain on its way in (see `characters`): here, so that a word is found whatever
format it came in.

Formats whose source is the canonical text (Markdown, plain text) need no writer: their offsets are
those of the source, and so are their characters, soft hyphens and ligatures included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knarr.documents.characters import plain_characters
from knarr.documents.sections import Document, Heading, MetadataValue, Table, section_tree
from knarr.documents.tables import TableText

_DEEPEST_MARK = 6  # Markdown knows no deeper heading; the section keeps its own level


class MarkdownWriter:
    """Appends only. `size_bytes` is where the next text will begin."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.headings: list[Heading] = []
        self.tables: list[Table] = []
        self._parts: list[str] = []
        self._page_begins: list[int] = []

    def put(self, text: str) -> int:
        """Append text, in plain characters; the byte where it begins."""
        text, begin_byte = plain_characters(text), self.size_bytes
        self._parts.append(text)
        self.size_bytes += len(text.encode("utf-8"))
        return begin_byte

    def gap(self) -> None:
        """A blank line, except at the beginning of the document."""
        if self._parts:
            self.put("\n")

    def heading(self, level: int, shown: str, title: str | None = None) -> None:
        """A heading line; the section that it opens is called `title` where that differs from `shown`."""
        begin_byte = self.put(f"{'#' * min(level, _DEEPEST_MARK)} {shown}\n")
        self.headings.append(Heading(plain_characters(title or shown), level, begin_byte, self.size_bytes))

    def table(self, table: TableText, units: Sequence[str] = ()) -> None:
        """A pipe table below its title and the lines that say in what it counts, which belong to it; no chunk is cut
        inside a row that fits into one."""
        self.tables.append(table.at(self.size_bytes, units))
        above = [table.title, *units] if table.title else units
        self.put("\n".join(above) + "\n\n" if above else "")
        self.put(table.text)

    def turn_to(self, page: int) -> None:
        """What follows stands on this page (from 0) at the earliest; pages in between are empty."""
        self._page_begins += [self.size_bytes] * (page + 1 - len(self._page_begins))

    def document(
        self,
        format: str,
        title: str,
        notes: tuple[str, ...],
        missing_pages: tuple[int, ...] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> Document:
        """The document with its sections nested; `missing_pages` are the pages (from 1) that gave no text."""
        title = plain_characters(title)
        return Document(
            title=title,
            text="".join(self._parts),
            root=section_tree(title, self.size_bytes, self.headings),
            format=format,
            page_begins=tuple(self._page_begins),
            tables=tuple(self.tables),
            status="partial" if missing_pages else "ok",
            missing_pages=missing_pages,
            notes=notes,
            metadata=metadata or {},
        )
