"""FictionBook (FB2): books in one XML file, whose sections nest and have titles."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.decode import Limits
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import all_text, local, parse_text
from knarr.errors import DocumentError
from knarr.language.plain import one_line


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a book. Raises DocumentError with status "corrupt", "limit" or "no_text"."""
    root, notes = parse_text(data, name, limits)
    writer = MarkdownWriter()
    reader = _Reader(writer)
    for body in root.iterchildren("{*}body"):
        title = body.get("name", "")
        if title and body.find("{*}title") is None:
            reader.heading(title, 1)
        reader.children(body, 1)
    reader.blocks.flush()
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the book holds no text", "no_text")
    metadata = _metadata(root)
    return writer.document(
        "fb2", str(metadata.get("title", "")), (*notes, *said(reader.notes)), metadata=metadata
    )


_BLOCKS = frozenset(
    ("p", "v", "title", "subtitle", "section", "stanza", "poem", "cite", "table", "image", "text-author")
)


class _Reader:
    def __init__(self, writer: MarkdownWriter) -> None:
        self.notes: Counter[str] = Counter()
        self.blocks = BlockWriter(writer)

    def heading(self, text: str, level: int) -> None:
        self.blocks.flush()
        self.blocks.inline(one_line(text))
        self.blocks.heading(level)

    def children(self, element: etree._Element, level: int) -> None:
        for child in element:
            kind = local(child)
            if kind == "title":
                self.heading(" ".join(all_text(one) for one in child.iter("{*}p")), level)
            elif kind == "section":
                self.children(child, level + 1)
            elif kind in ("p", "v", "subtitle", "text-author", "date"):
                self._paragraph(child)
            elif kind == "code":
                self.blocks.preformatted(all_text(child).strip("\n"))
            elif kind == "image":
                self._picture(child)
            elif kind in ("epigraph", "cite", "annotation"):
                self.blocks.open_container("> ", "> ")
                self.children(child, level)
                self.blocks.close_container()
            elif kind == "table":
                self._table(child)
            elif any(local(one) in _BLOCKS for one in child):
                self.children(child, level)  # poems, stanzas, and what nobody knows
            elif kind:
                self._paragraph(child)

    def _paragraph(self, element: etree._Element) -> None:
        self.blocks.inline(all_text(element))
        self.blocks.flush()
        for picture in element.iter("{*}image"):
            self._picture(picture)

    def _picture(self, element: etree._Element) -> None:
        said = one_line(element.get("alt") or element.get("title") or "")
        if said:
            self.blocks.inline(f"[Picture: {said}]")
            self.blocks.flush()
        else:
            self.notes["pictures without a description left out:"] += 1

    def _table(self, element: etree._Element) -> None:
        rows = [
            [Cell(all_text(one)) for one in row if isinstance(one.tag, str)] for row in element.iter("{*}tr")
        ]
        table = table_text(rows)
        if table is not None:
            self.blocks.table(table)
        for row in rows if table is None else ():
            self.blocks.inline("  ".join(cell.text for cell in row))
            self.blocks.flush()


def _metadata(root: etree._Element) -> dict[str, MetadataValue]:
    info = root.find("{*}description/{*}title-info")
    if info is None:
        return {}
    found = [("author", " ".join(one.itertext())) for one in info.iterchildren("{*}author")]
    for name, key in (
        ("book-title", "title"), ("date", "date"), ("lang", "language"), ("genre", "category"), ("keywords", "keywords"),
        ("annotation", "description"),
    ):  # fmt: skip
        found += [(key, all_text(one)) for one in info.iterchildren("{*}" + name)]
    return properties(found)
