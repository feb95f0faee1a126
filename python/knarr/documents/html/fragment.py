"""HTML inside of another format: a chapter of a book, the body of a message, a table in a notebook.

It is text from its first word to its last, so no main part of a page is looked for; only what nobody sees is left
out. In XHTML an element may end where it begins (`<a id="x"/>`), which HTML would take for one without an end.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from knarr.documents.decode import Limits
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.convert import Converter
from knarr.documents.html.elements import unseen, walk
from knarr.documents.html.guard import bare_text, too_costly
from knarr.documents.html.source import with_ends
from knarr.documents.writer import MarkdownWriter
from knarr.language.plain import one_line


def write_fragment(html: str, writer: MarkdownWriter, limits: Limits) -> tuple[str, tuple[str, ...]]:
    """Write the text; the title that its head names, and notes."""
    html = with_ends(html)
    costly = too_costly(html, limits)
    if costly:
        writer.gap()
        writer.put(bare_text(html))
        return "", (f"limit: only the text was read, without structure ({costly})",)
    tree = LexborHTMLParser(html)
    title = tree.css_first("head > title")
    body = tree.body or tree.root
    if body is not None:
        blocks = BlockWriter(writer)
        walk(body, Converter(blocks, unseen))
        blocks.flush()
    return one_line(title.text()) if title else "", ()
