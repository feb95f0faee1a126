"""The walk over a page's elements, and what each element becomes; `parse` states the rules.

The walk keeps no stack, since a page may be deeper than Python's: it finds its way back by parents.
Visitors see text and elements in document order. `Converter` turns them into blocks; `_Rows` reads
the cells of a table; `_Source` keeps preformatted text as it stands.
"""

from __future__ import annotations

from typing import Protocol

from selectolax.lexbor import LexborNode

from knarr.documents.html.blocks import BlockWriter
from knarr.documents.tables import Cell, TableText, table_text

# Elements that show nothing, or are the frame around the text.
_DROPPED = frozenset({
    "head", "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "audio",
    "video", "nav", "datalist",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr",
    "html", "legend", "li", "main", "menu", "ol", "option", "p", "pre", "search", "section", "select",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_MAX_SPAN = 1000


class Visitor(Protocol):
    """Receives text in order, and each element twice: when it begins and when it ends."""

    def text(self, text: str) -> None: ...

    def enter(self, node: LexborNode) -> bool:
        """Whether to go into this element; if not, `leave` is not called for it."""
        ...

    def leave(self, node: LexborNode) -> None: ...


def walk(root: LexborNode, visitor: Visitor) -> None:
    """Visit `root` and all below it in document order."""
    node: LexborNode | None = root
    depth = 0
    while node is not None:
        if node.is_text_node:
            visitor.text(node.text_content or "")
        elif node.is_element_node and visitor.enter(node):
            child = node.first_child
            if child is not None:
                node, depth = child, depth + 1
                continue
            visitor.leave(node)
        while depth and node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            if node is not None:
                visitor.leave(node)
        if not depth or node is None:
            return
        node = node.next


def is_dropped(node: LexborNode) -> bool:
    """Whether an element is left out with everything in it."""
    return node.tag in _DROPPED or node.attributes.get("role") == "navigation"


def heading_level(node: LexborNode) -> int:
    """1 to 6 for a heading, 0 for any other element."""
    tag = node.tag or ""
    if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
        return int(tag[1])
    if node.attributes.get("role") == "heading":
        level = node.attributes.get("aria-level") or ""
        return min(int(level), 6) if level.isdecimal() and level != "0" else 2
    return 0


class Converter:
    """A visitor that writes every element as a block of Markdown."""

    def __init__(self, writer: BlockWriter) -> None:
        self._writer = writer
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._heading = 0
        self._quotes = 0

    def text(self, text: str) -> None:
        self._writer.inline(text)

    def enter(self, node: LexborNode) -> bool:
        tag, writer = node.tag, self._writer
        if is_dropped(node):
            return False
        if self._heading:
            if tag == "img":
                writer.inline(f" {node.attributes.get('alt') or ''} ")
            elif tag == "br" or tag in _BLOCKS:
                writer.inline(" ")
            return True
        level = heading_level(node)
        if level:
            writer.flush()
            self._heading = level
        elif tag == "br":
            writer.line_break()
        elif tag == "img":
            writer.inline(f" {node.attributes.get('alt') or ''} ")
        elif tag == "hr":
            writer.rule()
        elif tag == "pre":
            writer.preformatted(_source_text(node))
            return False
        elif tag == "table":
            return self._enter_table(node)
        elif tag in ("ol", "ul", "menu"):
            writer.flush()
            start = node.attributes.get("start") or ""
            self._lists.append(
                (int(start) if start.isdecimal() and len(start) < 9 else 1) if tag == "ol" else None
            )
        elif tag == "li":
            self._enter_item()
        elif tag == "blockquote":
            self._quotes += 1
            writer.open_container("> ", "> ")
        elif tag in _CODE:
            writer.inline("`")
        elif tag in _BLOCKS:
            writer.flush()
        return True

    def leave(self, node: LexborNode) -> None:
        tag, writer = node.tag, self._writer
        if self._heading:
            # The level is the heading's own: other elements inside it end nothing.
            if heading_level(node):
                if self._quotes:
                    writer.flush()
                else:
                    writer.heading(self._heading)
                self._heading = 0
            elif tag in _BLOCKS:
                writer.inline(" ")
        elif tag in ("ol", "ul", "menu"):
            writer.flush()
            if self._lists:
                self._lists.pop()
            if not self._lists:
                writer.end_list()
        elif tag == "li":
            writer.close_container()
        elif tag == "blockquote":
            writer.close_container()
            self._quotes -= 1
        elif tag in _CODE:
            writer.inline("`")
        elif tag in _BLOCKS:
            writer.flush()

    def _enter_item(self) -> None:
        number = self._lists[-1] if self._lists else None
        marker = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._writer.open_container(marker, " " * len(marker))

    def _enter_table(self, node: LexborNode) -> bool:
        """Write a table of data; walk into one that only lays out the page."""
        self._writer.flush()
        table, caption = _data_table(node)
        if table is None:
            return True
        if caption:
            self._writer.inline(caption)
        self._writer.table(table)
        return False


class _Rows:
    """A visitor that reads a table's cells; `is_data` turns false when a cell holds more than text: a
    heading, preformatted text, another table."""

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = []
        self.caption: list[str] = []
        self.is_data = True
        self._cell: list[str] | None = None
        self._tables = 0

    def text(self, text: str) -> None:
        (self.caption if self._cell is None else self._cell).append(text)

    def enter(self, node: LexborNode) -> bool:
        tag = node.tag
        if tag == "table":
            self._tables += 1
        if self._tables > 1 or tag == "pre" or heading_level(node):
            self.is_data = False
        if not self.is_data or is_dropped(node):
            return False
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif self._cell is not None:
            self._cell.append((node.attributes.get("alt") or "") if tag == "img" else self._border(node))
        return True

    def leave(self, node: LexborNode) -> None:
        if node.tag in ("td", "th") and self._cell is not None:
            if not self.rows:
                self.rows.append([])
            text = "".join(self._cell)
            self.rows[-1].append(Cell(text, _span(node, "colspan"), _span(node, "rowspan")))
            self._cell = None
        elif self._cell is not None:
            self._cell.append(self._border(node))

    @staticmethod
    def _border(node: LexborNode) -> str:
        return " " if node.tag == "br" or node.tag in _BLOCKS else ""


def _data_table(node: LexborNode) -> tuple[TableText | None, str]:
    """The table as Markdown and its caption; None when it is no table of data."""
    if node.attributes.get("role") in ("presentation", "none"):
        return None, ""
    rows = _Rows()
    walk(node, rows)
    table = table_text(rows.rows) if rows.is_data else None
    return table, "".join(rows.caption)


def _span(node: LexborNode, name: str) -> int:
    value = node.attributes.get(name) or ""
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() and len(value) < 6 else 1


class _Source:
    """A visitor that keeps text as it stands."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def text(self, text: str) -> None:
        self.pieces.append(text)

    def enter(self, node: LexborNode) -> bool:
        if node.tag == "br":
            self.pieces.append("\n")
        return not is_dropped(node)

    def leave(self, node: LexborNode) -> None:
        pass


def _source_text(node: LexborNode) -> str:
    source = _Source()
    walk(node, source)
    return "".join(source.pieces)
