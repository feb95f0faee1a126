"""What each element of a page becomes; `parse` states the rules."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

from selectolax.lexbor import LexborNode

from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.cells import data_table
from knarr.documents.html.code import language, source_text
from knarr.documents.html.elements import BLOCKS, Omission, heading_level
from knarr.documents.html.equations import equation, script
from knarr.documents.html.inline import caption_of, file_behind, is_plain, raised, short_row
from knarr.documents.html.lists import ListNumbers
from knarr.documents.html.pictures import Pictures
from knarr.language.plain import one_line

_CODE = frozenset(("code", "kbd", "samp", "tt"))
_BOLD = frozenset(("b", "strong"))
_BOLD_STYLE = re.compile(
    r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)|\bfont\s*:[^;]{0,60}\bbold\b", re.IGNORECASE
)


class Converter:
    """A visitor that writes every element as a block of Markdown."""

    def __init__(
        self,
        writer: BlockWriter,
        omission: Omission,
        demoted: Container[int] = (),
        pictures: Pictures | None = None,
    ) -> None:
        self._writer = writer
        self._omission = omission
        self._demoted = demoted
        self._pictures = pictures or Pictures()
        self._lists: list[ListNumbers] = []
        self._heading = 0
        self._quotes = 0
        self._last = ""
        self._lowered = False
        self._caption = ""
        self._bold: list[int] = []
        self._row_table = 0
        self._terms = False

    def text(self, text: str) -> None:
        if self._lowered and text[:1].isdigit():
            text = f" {text}"
        self._lowered = False
        self._last = text[-1:] or self._last
        self._writer.inline(text, bold=bool(self._bold))

    def enter(self, node: LexborNode) -> bool:
        tag, writer = node.tag or "", self._writer
        if tag in ("math", "script"):
            if tag == "script" or self._omission(node) is None:
                writer.inline(equation(node) if tag == "math" else script(node), bold=bool(self._bold))
            return False
        if self._omission(node) is not None:
            return False
        if tag in ("img", "sup"):
            return self._enter_run(node, tag)
        self._pictures.enter(node)
        if tag in _BOLD or _BOLD_STYLE.search((node.attributes.get("style") or "")[:500]):
            self._bold.append(node.mem_id)
        if self._heading:
            if tag == "br" or tag in BLOCKS:
                writer.inline(" ")
            return True
        level = heading_level(node)
        if level and node.mem_id in self._demoted:
            writer.flush()
        elif level:
            writer.flush()
            self._heading = level
        elif tag == "br":
            writer.line_break()
        elif tag == "hr":
            writer.rule()
        elif tag == "pre":
            writer.preformatted(source_text(node, self._omission), language(node))
            return False
        elif tag == "table":
            return self._enter_table(node)
        elif tag in ("ol", "ul", "menu"):
            writer.flush()
            self._lists.append(ListNumbers(node))
        elif tag == "li":
            marker = self._lists[-1].marker(node) if self._lists else "- "
            writer.open_container(marker, " " * len(marker))
        elif tag == "dd" and self._terms:
            writer.open_container(": ", "  ")
        elif tag == "blockquote":
            self._quotes += 1
            writer.open_container("> ", "> ")
        elif tag in _CODE:
            writer.inline("`")
        elif tag == "q":
            writer.inline("“")
        elif self._row_table and tag in ("td", "th"):
            writer.inline(" ")
        elif tag in BLOCKS:
            if tag == "figure":
                self._caption = caption_of(node)
            writer.flush()
        return True

    def leave(self, node: LexborNode) -> None:
        tag, writer = node.tag or "", self._writer
        self._pictures.leave(node)
        if self._bold and self._bold[-1] == node.mem_id:
            self._bold.pop()
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
        elif node.mem_id in self._demoted:
            writer.flush()
        elif tag in ("ol", "ul", "menu"):
            writer.flush()
            if self._lists:
                self._lists.pop()
            if not self._lists:
                writer.end_list()
        elif tag == "li" or (tag == "dd" and self._terms):
            writer.close_container()
        elif tag == "dt":
            self._terms = True
            writer.term()
        elif tag == "dl":
            self._terms = False
            writer.flush()
            writer.end_list()
        elif tag == "blockquote":
            writer.close_container()
            self._quotes -= 1
        elif tag in _CODE:
            writer.inline("`")
        elif tag == "q":
            writer.inline("”")
        elif tag == "a" and node.first_child is None:
            writer.inline(file_behind(node))
        elif tag == "sub":
            self._lowered = self._last.isdigit()
        elif tag in BLOCKS and not (self._row_table and tag in ("td", "th")):
            if self._row_table == node.mem_id:
                self._row_table = 0
            if tag == "figure":
                self._caption = ""
            writer.flush()

    def _enter_run(self, node: LexborNode, tag: str) -> bool:
        """A picture or raised letters, which are read whole."""
        if tag == "img":
            words = self._pictures.words(node, self._caption)
            if words:
                self._writer.inline(f" {words} ")
            return False
        if is_plain(node):
            self._writer.inline(raised(node, self._last), bold=bool(self._bold))
            return False
        return True

    def _enter_table(self, node: LexborNode) -> bool:
        """Write a table of data; walk into one that only lays out the page."""
        self._writer.flush()
        table, caption = data_table(node, self._omission)
        if table is None:
            # One short row is a line: "Item 1." beside "Business".
            if not self._row_table and short_row(node):
                self._row_table = node.mem_id
            return True
        if caption := one_line(caption):
            table = replace(table, title="\n".join(filter(None, (caption, table.title))))
        self._writer.table(table)
        return False
