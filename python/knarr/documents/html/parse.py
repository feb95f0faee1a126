"""HTML to canonical Markdown.

Headings (h1 to h6, role=heading) make sections wherever they stand, except in quotations. Kept are
paragraphs, lists, quotations, tables of data as pipe tables, preformatted text as fences, the text
of links and the alternative text of images. Left out are scripts, styles, templates, drawings and
navigation; and what stands outside ``<main>`` or ``<article>`` when that holds at least seven tenths
of the text. The notes say how much text was left out.

White space is collapsed as a browser does, no-break spaces included, except in ``<pre>``. Pages
that would cost too much are read as bare text (see `guard`).
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knarr.documents.decode import Limits, decode
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.convert import Converter, is_dropped, walk
from knarr.documents.html.guard import bare_text, too_costly
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_MAIN_SHARE = 0.7
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an HTML page. Raises DocumentError as `decode` does, and with status "no_text" when the
    page shows no text."""
    declared = _DECLARED.search(data[:2048])
    decoded = decode(data, name, declared=declared[1].decode("ascii") if declared else "", limits=limits)
    notes, title, writer = decoded.notes, "", MarkdownWriter()
    costly = too_costly(decoded.text, limits)
    if costly:
        notes = (*notes, f"limit: only the text was read, without structure ({costly})")
        writer.put(bare_text(decoded.text))
    else:
        tree = LexborHTMLParser(decoded.text)
        left_out = _write(tree, writer)
        title = _title(tree, writer)
        if left_out:
            notes = (*notes, f"left out {left_out:,} characters of navigation and page frame")
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the page shows no text", "no_text")
    return writer.document("html", title, notes)


def _write(tree: LexborHTMLParser, writer: MarkdownWriter) -> int:
    """Write the page; how many characters of it were left out."""
    body = tree.body or tree.root
    if body is None:
        return 0
    root, left_out = _main(body)
    blocks = BlockWriter(writer)
    walk(root, Converter(blocks))
    blocks.flush()
    return left_out


def _title(tree: LexborHTMLParser, writer: MarkdownWriter) -> str:
    """``<title>``, unless it only frames the h1 with the name of the site; else the h1."""
    element = tree.css_first("head > title")
    title = one_line(element.text()) if element else ""
    top = next((heading.title for heading in writer.headings if heading.level == 1), "")
    return top if top and (not title or top.lower() in title.lower()) else title


def _main(body: LexborNode) -> tuple[LexborNode, int]:
    """The element to read, and how many characters of text stand outside it or in navigation."""
    measure = _Measure()
    walk(body, measure)
    everything = measure.shown + measure.dropped
    # <main> before <article>, the one with more text before the other.
    for _, size, element in sorted(measure.found, key=lambda entry: (entry[0], -entry[1])):
        if size and size >= _MAIN_SHARE * measure.shown:
            return element, everything - size
    return body, everything - measure.shown


class _Measure:
    """A visitor that counts the characters of text, in all and in each <main> and <article>."""

    def __init__(self) -> None:
        self.shown = self.dropped = 0
        self.found: list[tuple[bool, int, LexborNode]] = []
        self._opened: list[int] = []

    def text(self, text: str) -> None:
        self.shown += len(text.strip())

    def enter(self, node: LexborNode) -> bool:
        if is_dropped(node):
            if node.tag == "nav" or node.attributes.get("role") == "navigation":
                self.dropped += len(node.text().strip())
            return False
        if _is_main(node):
            self._opened.append(self.shown)
        return True

    def leave(self, node: LexborNode) -> None:
        if _is_main(node):
            self.found.append((node.tag == "article", self.shown - self._opened.pop(), node))


def _is_main(node: LexborNode) -> bool:
    return node.tag in ("main", "article") or node.attributes.get("role") == "main"
