"""HTML to canonical Markdown.

Headings (h1 to h6, role=heading) make sections wherever they stand, except in quotations; where a page has none below
its title, lines that are bold as a whole do (`bold_lines`), and else the rules for plain text. Kept are paragraphs, lists,
quotations, tables of data as pipe tables, preformatted text as fences, the text of links and the alternative text of
images. Left out is what a reader does not see or that only frames the text (see `elements`), and what stands beside or
between the main text of an article (see `main_text`). The notes say what was left out, and how much. A page that is
nothing but frame is read whole.

White space is collapsed as a browser does, no-break spaces included, except in ``<pre>``. Pages
that would cost too much are read as bare text (see `guard`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knarr.documents.decode import Limits, decode
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.bold_lines import BoldLines
from knarr.documents.html.boxes import Boxes
from knarr.documents.html.convert import Converter
from knarr.documents.html.elements import NO_SCRIPTS, unread, unseen, walk
from knarr.documents.html.guard import bare_text, too_costly
from knarr.documents.html.main_text import MainText
from knarr.documents.html.page_facts import PageFacts
from knarr.documents.html.pictures import Pictures
from knarr.documents.html.source import plain_source
from knarr.documents.sections import Document, Heading, byte_offsets, section_tree
from knarr.documents.text.outline import Outline
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_FILE_NAME = re.compile(r"\S+\.x?html?", re.IGNORECASE)
_LEAST_FOR_NO_SCRIPTS = 200
_MOST_FRAMES_NAMED = 8


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an HTML page. Raises DocumentError as `decode` does, and with status "no_text" when the
    page shows no text."""
    declared = _DECLARED.search(data[:2048])
    decoded = decode(data, name, declared=declared[1].decode("ascii") if declared else "", limits=limits)
    source = plain_source(decoded.text, name)
    costly = too_costly(source, limits)
    if costly:
        writer = MarkdownWriter()
        writer.put(bare_text(source))
        notes = (*decoded.notes, f"limit: only the text was read, without structure ({costly})")
        if not writer.size_bytes:
            raise DocumentError(f"{name}: the page shows no text", "no_text")
        return writer.document("html", "", notes)
    return _Page(LexborHTMLParser(source), limits).document(name, decoded.notes)


class _Page:
    """One page on its way into a document."""

    def __init__(self, tree: LexborHTMLParser, limits: Limits) -> None:
        self._tree, self._limits = tree, limits
        self._facts = PageFacts(tree)
        self._writer = MarkdownWriter()
        self._left_out: Counter[str] = Counter()
        self._top = ""
        self._by_text = self._bold = False

    def document(self, name: str, notes: tuple[str, ...]) -> Document:
        frames = [frame.attributes.get("src") or "" for frame in self._tree.css("frameset frame")]
        body = self._tree.body or _without_frames(self._tree) or self._tree.root
        if body is not None:
            self._write(body)
        if frames:
            named = ", ".join(filter(None, frames[:_MOST_FRAMES_NAMED]))
            notes = (*notes, f"frames are not read: {len(frames):,}, with {named}")
        if self._left_out:
            kinds = ", ".join(f"{kind} {chars:,}" for kind, chars in self._left_out.items())
            notes = (*notes, f"left out {self._left_out.total():,} characters: {kinds}")
        if not self._writer.size_bytes:
            shown = f" ({notes[-1]})" if frames else ""
            raise DocumentError(f"{name}: the page shows no text{shown}", "no_text")
        made = self._writer.document("html", self._title(), notes, metadata=self._facts.metadata())
        return self._outlined(made) if self._by_text and not self._writer.headings else made

    def _write(self, body: LexborNode) -> None:
        boxes = _boxes(body)
        facts = self._facts
        marked = facts.is_article() or any(boxes.bodies)
        article = marked or boxes.is_framed()
        reads_article = article and not facts.is_document()
        text = MainText(boxes, article=reads_article, marked=marked, titles=self._names())
        self._top = one_line(text.title())
        self._by_text = not article
        tops = body.css_first("h1") is not None
        self._bold = not text.headings()
        blocks = BlockWriter(self._writer, BoldLines(2 if tops else 1) if self._bold else None)
        omitted = boxes.omitted
        pictures = Pictures(boxes.dropped, text.captioned(), self._top) if reads_article and marked else None
        for piece in text.pieces:
            converter = Converter(blocks, lambda node: omitted.get(node.mem_id), text.demoted, pictures)
            walk(boxes.nodes[piece], converter)
            blocks.flush()
        self._left_out = +boxes.dropped

    def _names(self) -> str:
        """What the page is called, in its head."""
        element = self._tree.css_first("head > title")
        return f"{one_line(element.text()) if element else ''} | {self._facts.title()}"

    def _title(self) -> str:
        """``<title>`` without the name of the site around it: the top heading or the title given to links where
        the title holds it."""
        element = self._tree.css_first("head > title")
        title = one_line(element.text()) if element else ""
        if _FILE_NAME.fullmatch(title):
            title = ""
        given = self._facts.title()
        written = () if self._bold else self._writer.headings
        top = next((heading.title for heading in written if heading.level == 1), "") or self._top
        around = f"{title}\n{given}".lower()
        for shown in (top, given):
            if shown and shown != self._facts.site() and (not title or shown.lower() in around):
                return shown
        return title or given or top

    def _outlined(self, made: Document) -> Document:
        """The document with the sections that its plain text shows."""
        lines = made.text.split("\n", self._limits.text_lines)
        head = "\n".join(lines[: self._limits.text_lines])
        found = Outline(head, []).headings()
        if not found:
            return made
        sizes = byte_offsets(made.text, [at for one in found for at in (one.begin, one.body)])
        headings = [Heading(one.title, one.level, sizes[one.begin], sizes[one.body]) for one in found]
        return replace(made, root=section_tree(made.title, len(made.data), headings))


def _without_frames(tree: LexborHTMLParser) -> LexborNode | None:
    """What a page of frames says to browsers that show none, which parsers keep as letters."""
    said = tree.css_first("noframes")
    return LexborHTMLParser(said.text()).body if said is not None else None


def _boxes(body: LexborNode) -> Boxes:
    """The boxes of a page without its frame; what is written for browsers without scripts is read where that is most
    of it, and all that is seen where the page is nothing but frame."""
    boxes = Boxes(unread)
    walk(body, boxes)
    without_scripts = boxes.dropped[NO_SCRIPTS]
    if without_scripts >= _LEAST_FOR_NO_SCRIPTS and without_scripts > 2 * sum(boxes.chars):
        boxes = Boxes(lambda node: None if node.tag == "noscript" else unread(node))
        walk(body, boxes)
    if not sum(boxes.sizes):
        boxes = Boxes(unseen)
        walk(body, boxes)
    return boxes
