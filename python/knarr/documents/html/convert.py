"""What each element of a page becomes; `parse` states the rules.

`Converter` turns a page's text and elements into blocks; `_Source` keeps preformatted text as it stands.
"""

from __future__ import annotations

from dataclasses import replace

from selectolax.lexbor import LexborNode

from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.cells import data_table
from knarr.documents.html.elements import BLOCKS, Omission, heading_level, walk
from knarr.language.plain import one_line

_CODE = frozenset(("code", "kbd", "samp", "tt"))


class Converter:
    """A visitor that writes every element as a block of Markdown."""

    def __init__(self, writer: BlockWriter, omission: Omission) -> None:
        self._writer = writer
        self._omission = omission
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._heading = 0
        self._quotes = 0

    def text(self, text: str) -> None:
        self._writer.inline(text)

    def enter(self, node: LexborNode) -> bool:
        tag, writer = node.tag, self._writer
        if self._omission(node) is not None:
            return False
        if self._heading:
            if tag == "img":
                writer.inline(f" {node.attributes.get('alt') or ''} ")
            elif tag == "br" or tag in BLOCKS:
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
            writer.preformatted(_source_text(node, self._omission))
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
        elif tag in BLOCKS:
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
            elif tag in BLOCKS:
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
        elif tag in BLOCKS:
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
        table, caption = data_table(node, self._omission)
        if table is None:
            return True
        if caption := one_line(caption):
            table = replace(table, title="\n".join(filter(None, (caption, table.title))))
        self._writer.table(table)
        return False


class _Source:
    """A visitor that keeps text as it stands."""

    def __init__(self, omission: Omission) -> None:
        self.pieces: list[str] = []
        self._omission = omission

    def text(self, text: str) -> None:
        self.pieces.append(text)

    def enter(self, node: LexborNode) -> bool:
        if node.tag == "br":
            self.pieces.append("\n")
        return self._omission(node) is None

    def leave(self, node: LexborNode) -> None:
        pass


def _source_text(node: LexborNode, omission: Omission) -> str:
    source = _Source(omission)
    walk(node, source)
    return "".join(source.pieces)
