"""HTML to canonical Markdown.

Headings (h1 to h6, role=heading) make sections wherever they stand, except in quotations. Kept are
paragraphs, lists, quotations, tables of data as pipe tables, preformatted text as fences, the text
of links and the alternative text of images. Left out is what a reader does not see or that only frames the
text (see `elements`), and what stands outside ``<main>`` or ``<article>`` when that holds at least seven
tenths of the text. The notes say what was left out, and how much. A page that is nothing but frame is read
whole.

White space is collapsed as a browser does, no-break spaces included, except in ``<pre>``. Pages
that would cost too much are read as bare text (see `guard`).
"""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knarr.documents.decode import Limits, decode
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.convert import Converter
from knarr.documents.html.boxes import Boxes
from knarr.documents.html.evidence import Evidence
from knarr.documents.html.main_text import MainText
from knarr.documents.html.elements import unread, unseen, walk
from knarr.documents.html.guard import bare_text, too_costly
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_MAIN_SHARE = 0.7
_BESIDE = "beside the main text"
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
            named = ", ".join(f"{kind} {chars:,}" for kind, chars in left_out.items())
            notes = (*notes, f"left out {left_out.total():,} characters: {named}")
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the page shows no text", "no_text")
    return writer.document("html", title, notes)


def _write(tree: LexborHTMLParser, writer: MarkdownWriter) -> Counter[str]:
    """Write the page; how many characters of it were left out as what."""
    body = tree.body or tree.root
    if body is None:
        return Counter()
    boxes = Boxes(unread)
    walk(body, boxes)
    if not sum(boxes.sizes):
        boxes = Boxes(unseen)
        walk(body, boxes)
    evidence = Evidence(tree)
    document = evidence.is_document()
    choice = MainText(boxes, article=not document and (evidence.is_article() or any(boxes.bodies) or boxes.is_framed()))
    blocks = BlockWriter(writer)
    omitted = boxes.omitted
    for piece in choice.pieces:
        walk(boxes.nodes[piece], Converter(blocks, lambda node: omitted.get(node.mem_id)))
        blocks.flush()
    return +boxes.dropped


def _title(tree: LexborHTMLParser, writer: MarkdownWriter) -> str:
    """``<title>``, unless it only frames the h1 with the name of the site; else the h1."""
    element = tree.css_first("head > title")
    title = one_line(element.text()) if element else ""
    top = next((heading.title for heading in writer.headings if heading.level == 1), "")
    return top if top and (not title or top.lower() in title.lower()) else title


