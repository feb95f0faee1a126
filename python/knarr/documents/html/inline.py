"""Running text of a page: raised and lowered letters, quotation marks, pictures and links without words.

10<sup>6</sup> is no 106: raised numbers are written ``10^6``, references to notes ``[1]``. Letters that are raised
(1<sup>st</sup>) and all that is lowered (CO<sub>2</sub>) are read with the word, for so they are searched; a digit that
follows a lowered one is set apart.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from knarr.documents.html.elements import BLOCKS
from knarr.documents.html.equations import pictured
from knarr.documents.raised import raised as as_written

_MOST_REFERENCE = 40
_REFERENCE = re.compile(r"\[.{1,12}\]")
_FILE = re.compile(r"[^/?#]+\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|csv|zip|epub)$", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"\S+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)|[^\s_-]+(?:[_-]+[^\s_-]+){2,}|\d+", re.IGNORECASE
)
_MOST_HREF = 1_000
_MOST_CHILDREN = 16
_ROW_NODES, _ROW_CHARS = 60, 200


def raised(node: LexborNode, before: str) -> str:
    """The text of a <sup> after `before`, the last character written."""
    shown = (node.text() or "").strip()
    link = node.css_first("a[href]")
    if (
        shown
        and link is not None
        and len(shown) <= _MOST_REFERENCE
        and "#" in (link.attributes.get("href") or "")
    ):
        return shown if _REFERENCE.fullmatch(shown) else f"[{shown}]"
    return as_written(shown, before)


def picture(node: LexborNode) -> str:
    """The words that stand for a picture, "" where they only name its file."""
    words = pictured((node.attributes.get("alt") or "").strip())
    return "" if _FILE_NAME.fullmatch(words) else words


def file_behind(node: LexborNode) -> str:
    """The name of the file that a link without words leads to, "" if it leads to no file."""
    found = _FILE.search((node.attributes.get("href") or "")[:_MOST_HREF].split("?")[0].split("#")[0])
    return found[0] if found else ""


def is_plain(node: LexborNode) -> bool:
    """Whether a node holds few children, none of which is a block."""
    child = node.first_child
    for _ in range(_MOST_CHILDREN):
        if child is None:
            return True
        if child.tag in BLOCKS:
            return False
        child = child.next
    return False


def caption_of(figure: LexborNode) -> str:
    """The caption of a figure, "" if none."""
    child = figure.first_child
    for _ in range(_MOST_CHILDREN):
        if child is None:
            return ""
        if child.tag == "figcaption":
            return child.text()
        child = child.next
    return ""


def short_row(table: LexborNode) -> bool:
    """Whether a table is one row of few words: a line set out in columns. Looks at few nodes, however large it is."""
    chars = rows = 0
    for nodes, node in enumerate(table.traverse(include_text=True)):
        rows += node.tag == "tr"
        chars += len((node.text_content or "").strip()) if node.is_text_node else 0
        if nodes > _ROW_NODES or chars > _ROW_CHARS or rows > 1 or (node.tag == "table" and nodes):
            return False
    return rows == 1
