"""Markdown: the source is the canonical text, line for line; CommonMark finds the headings.

Rules beyond CommonMark:
- Only headings at the top level of the document make sections; those inside block quotes and list
  items belong to what they are quoted or listed in. Headings in HTML blocks count (see `html_headings`).
- In MDX, where JSX may be indented and stand around Markdown, indentation means nothing and no block is HTML; lines of `import` and `export` are no text to CommonMark. They stay in the canonical text, as all lines do.
- A heading that shows nothing (``##``, or only an anchor) makes no section.
- Front matter stays in the text, before the first section, and names the document (see `front_matter`); it is
  hidden from CommonMark, to which its closing rule would be the underline of a heading.
- A file without any heading may have other titles (see `headings`).

Cost is bounded: inline markup, whose parsing can take quadratic time, is parsed only in titles,
nesting is cut off by the parser (which does not touch the text), tables cost one token each, and
the structure of lines after `Limits.markdown_lines` is not read. A link definition is looked for in a
few lines (see `bounds`).
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from itertools import accumulate
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knarr.documents.decode import Limits, decode
from knarr.documents.line_ends import whole_words
from knarr.documents.markdown import bounds, pipe_table
from knarr.documents.markdown.front_matter import front_matter
from knarr.documents.markdown.headings import pseudo_headings, title_text
from knarr.documents.markdown.html_headings import html_headings
from knarr.documents.sections import Document, Heading, Table, section_tree


def _blocks(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark").disable(list(without))
    pipe_table.install(parser)
    bounds.install(parser)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


# Parsers hold only their rules; a parse keeps its state apart, so threads may share them.
_BLOCKS = _blocks()
_MDX_BLOCKS = _blocks("code", "html_block")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_MODULE_LINES = re.compile(r"^(?:import|export)[ \t{][^\n]*(?:\n(?![ \t]*\n)[^\n]*)*", re.MULTILINE)
_INLINE = MarkdownIt("commonmark")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a Markdown file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    text, mended = whole_words(decoded.text)
    notes = (*decoded.notes, *mended)
    size_bytes, count = len(text.encode("utf-8")), text.count("\n") + 1
    # One line more than is read: where it begins, the last one ends.
    lines = text.split("\n", limits.markdown_lines)[: limits.markdown_lines]
    begins = [0, *accumulate(len(line.encode("utf-8")) + 1 for line in lines)]
    begins[-1] = min(begins[-1], size_bytes)  # the text's last line has no line end
    matter = front_matter(lines)
    if matter and matter.note:
        notes = (*notes, matter.note)
    env: dict[str, Any] = {}
    # CommonMark sees blank lines in place of the front matter, so that every line keeps its number.
    hidden = matter.lines if matter else 0
    seen = "\n" * hidden + "\n".join(lines[hidden:])
    if name.lower().endswith(".mdx"):
        flat = _INDENT.sub("", _MODULE_LINES.sub(lambda block: "\n" * block[0].count("\n"), seen))
        tokens = _MDX_BLOCKS.parse(flat, env)
    else:
        tokens = _BLOCKS.parse(seen, env)
    real = _headings(tokens, begins, env)
    headings = real or pseudo_headings(tokens, lines, begins)
    if count > limits.markdown_lines:
        notes = (
            *notes,
            f"headings were read in the first {limits.markdown_lines:,} of {count:,} lines",
        )
    title = (matter and matter.title) or next((h.title for h in real if h.level == 1), "")
    return Document(
        title=title,
        text=text,
        root=section_tree(title, size_bytes, headings),
        format="markdown",
        tables=tuple(_table(token, lines, begins) for token in tokens if token.type == pipe_table.TOKEN),
        notes=notes,
        metadata=matter.metadata if matter else {},
    )


def _headings(tokens: Sequence[Token], begins: Sequence[int], env: MutableMapping[str, Any]) -> list[Heading]:
    found = []
    for at, token in enumerate(tokens):
        is_html = token.type == "html_block" or (token.type == "inline" and token.content.startswith("<h"))
        if is_html and token.level < 2 and token.map is not None:
            first = token.map[0]
            found += [
                Heading(title, level, begins[first + line], begins[min(first + after, len(begins) - 1)])
                for level, title, line, after in html_headings(token.content)
            ]
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        title = title_text(_INLINE, tokens[at + 1].content, env)
        if title:
            first, after = token.map
            found.append(Heading(title, int(token.tag[1:]), begins[first], begins[after]))
    return found


def _table(token: Token, lines: list[str], begins: Sequence[int]) -> Table:
    assert token.map is not None
    first, after = token.map
    header = f"{lines[first].strip()}\n{lines[first + 1].strip()}\n"
    return Table(begins[first], begins[after], header, tuple(begins[first + 2 : after]))
