"""The canonical text under construction, for formats whose source is no Markdown itself.

A parser appends text front to back and says where a heading, a table or a page begins; the writer
counts the UTF-8 bytes as they come. So every offset in a `Document` is made here, once, and none is
ever searched for afterwards. Cost: linear in the text, which is encoded once to be counted.

What is written is made plain on its way in (see `characters`): here, so that a word is found whatever
format it came in.

Formats whose source is the canonical text (Markdown, plain text) need no writer: their lines are those of the
source, with its words made plain and whole (see `line_ends`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from knarr.documents.characters import written
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
        return self._append(written(text))

    def _append(self, text: str) -> int:
        begin_byte = self.size_bytes
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
        self.headings.append(Heading(written(title or shown), level, begin_byte, self.size_bytes))

    def table(self, table: TableText, units: Sequence[str] = ()) -> None:
        """A pipe table below its title and the lines that say in what it counts, which belong to it; no chunk is cut
        inside a row that fits into one."""
        self.tables.append(table.at(self.size_bytes, units))
        above = [table.title, *units] if table.title else units
        self.put("\n".join(above) + "\n\n" if above else "")
        # Its text is plain already, and its rows were counted so.
        self._append(table.text)

    def include(self, document: Document, deeper: int = 0) -> None:
        """All of another document, as it stands, its headings so many levels deeper; its pages are not kept."""
        data, sections = document.data, list(document.root.walk())[1:]
        parts: list[bytes] = []
        places, shifts, at = [-1], [0], 0  # marks put in: after which byte, and how many up to there
        for section in sections if deeper else ():
            line = data[section.begin_byte : section.begin_byte + _DEEPEST_MARK + 1]
            marks = len(line) - len(line.lstrip(b"#"))
            more = min(deeper, _DEEPEST_MARK - marks) if marks else 0
            if more > 0:
                parts += (data[at : section.begin_byte], b"#" * more)
                places.append(section.begin_byte)
                shifts.append(shifts[-1] + more)
                at = section.begin_byte
        parts.append(data[at:])
        if data and not data.endswith(b"\n"):
            parts.append(b"\n")
        base = self.size_bytes

        def moved(byte: int) -> int:
            # A heading begins before the marks that were put in for it.
            return base + byte + shifts[bisect_left(places, byte) - 1]

        for section in sections:
            begin, body = moved(section.begin_byte), moved(section.body_byte)
            self.headings.append(Heading(section.title, section.level + deeper, begin, body))
        for table in document.tables:
            rows = tuple(map(moved, table.row_begins))
            self.tables.append(Table(moved(table.begin_byte), moved(table.end_byte), table.header, rows))
        whole = b"".join(parts)
        self._parts.append(whole.decode("utf-8"))
        self.size_bytes += len(whole)

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
        title = written(title)
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
