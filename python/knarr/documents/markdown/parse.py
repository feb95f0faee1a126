"""Markdown: the source is the canonical text, line for line; CommonMark finds the headings.

Rules beyond CommonMark:
- Only headings at the top level of the document make sections; those inside block quotes and list
  items belong to what they are quoted or listed in, and headings in HTML blocks are HTML.
- A heading that shows nothing (``##``, or only an anchor) makes no section.
- YAML front matter stays in the text, before the first section; it is hidden from CommonMark, to
  which its closing rule would be the underline of a heading.
- A file without any heading may have other titles (see `headings`).

Cost is bounded: inline markup, whose parsing can take quadratic time, is parsed only in titles,
nesting is cut off by the parser (which does not touch the text), tables cost one token each, and
the structure of lines after `Limits.markdown_lines` is not read. A link definition is looked for in a
few lines (see `bounds`).
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knarr.documents.decode import Limits, decode
from knarr.documents.markdown import bounds, pipe_table
from knarr.documents.markdown.headings import pseudo_headings, title_text
from knarr.documents.sections import Document, Heading, Table, section_tree

_MAX_MATTER_LINES = 500
_PAIR = re.compile(r"(?P<key>[A-Za-z_][\w.-]*|\"[^\"]+\"|'[^']+')\s*:(?:\s+(?P<value>.*))?$")
_TITLE_KEY = re.compile(r"[\"']?title[\"']?", re.IGNORECASE)


def _blocks() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    pipe_table.install(parser)
    bounds.install(parser)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


# Parsers hold only their rules; a parse keeps its state apart, so threads may share them.
_BLOCKS = _blocks()
_INLINE = MarkdownIt("commonmark")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a Markdown file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    text, notes = decoded.text, decoded.notes
    size_bytes, count = len(text.encode("utf-8")), text.count("\n") + 1
    # One line more than is read: where it begins, the last one ends.
    lines = text.split("\n", limits.markdown_lines)[: limits.markdown_lines]
    begins = [0, *accumulate(len(line.encode("utf-8")) + 1 for line in lines)]
    begins[-1] = min(begins[-1], size_bytes)  # the text's last line has no line end
    matter = front_matter(lines)
    env: dict[str, Any] = {}
    # CommonMark sees blank lines in place of the front matter, so that every line keeps its number.
    hidden = matter.lines if matter else 0
    seen = "\n" * hidden + "\n".join(lines[hidden:])
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
    )


def _headings(tokens: Sequence[Token], begins: Sequence[int], env: MutableMapping[str, Any]) -> list[Heading]:
    found = []
    for at, token in enumerate(tokens):
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


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """YAML at the start of a file: how many lines it takes, rules included, and the title it names."""

    lines: int
    title: str | None


def front_matter(lines: list[str]) -> FrontMatter | None:
    """The front matter among a file's lines (without their line ends), None when there is none.

    A rule line is front matter only when it really opens YAML: the first line is ``---``, a later
    one is ``---`` or ``...``, and between them every line is a ``key: value`` pair, a comment, a
    continuation (indented, or a list item after a key) or blank, with a pair or comment first and at
    least one pair. Anything else is Markdown, where ``---`` is a thematic break.
    """
    if not lines or lines[0].rstrip() != "---":
        return None
    pairs, title = 0, None
    for index, line in enumerate(lines[1:_MAX_MATTER_LINES], start=1):
        bare = line.rstrip()
        if bare in ("---", "..."):
            return FrontMatter(index + 1, title) if pairs else None
        match = _PAIR.match(bare)
        if match:
            pairs += 1
            if title is None and _TITLE_KEY.fullmatch(match["key"]):
                title = _scalar(match["value"] or "")
        elif not _continues(bare, pairs, index):
            return None
    return None


def _continues(line: str, pairs: int, index: int) -> bool:
    if line.startswith("#"):
        return True
    if not line:
        return index > 1
    return pairs > 0 and (line[0] in " \t" or line.startswith("- ") or line in ("-", "]", "}"))


def _scalar(value: str) -> str | None:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        quote, value = value[0], value[1:-1]
        return (value.replace("''", "'") if quote == "'" else value.replace('\\"', '"')).strip() or None
    value = re.split(r"\s#", value, maxsplit=1)[0].strip()
    # A block or flow value is not a title that can be shown.
    return None if not value or value[0] in "|>[{&*!" else value
