"""The title of a Markdown heading as a reader sees it: one line, no markup, no anchors."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Inline parsing of a hostile line grows with its square; no title needs more than this.
_MAX_SOURCE_CHARS = 1000
_MAX_TITLE_CHARS = 300

# `{#anchor .class}`, as pandoc, kramdown and Hugo write it after a title.
_ATTRIBUTES = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")
# Text of permanent links that page generators put after a title.
_PERMALINKS = frozenset({"#", "¶", "§", "🔗", "\u200b", "link", "permalink", ""})
_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n]")
_SPACE = re.compile(r"\s+")


def title_text(parser: MarkdownIt, source: str, env: MutableMapping[str, Any]) -> str:
    """The visible text of a heading's inline source; "" when nothing is visible.

    Link and emphasis marks, HTML tags and comments go, an image gives its alternative text, and a
    `{#id}` or a permanent link at the end is dropped. Cut after 300 characters.
    """
    source = _ATTRIBUTES.sub("", source[:_MAX_SOURCE_CHARS])
    if _MARKUP.search(source):
        tokens = parser.parseInline(source, env)[0].children or []
        source = _visible(_without_permalink(tokens))
    title = _SPACE.sub(" ", source).strip()
    return title if len(title) <= _MAX_TITLE_CHARS else title[: _MAX_TITLE_CHARS - 1].rstrip() + "…"


def _visible(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            parts.append(token.content)
        elif token.type == "image":
            parts.append(_visible(token.children or []) or token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)


def _without_permalink(tokens: Sequence[Token]) -> Sequence[Token]:
    end = len(tokens)
    while end and tokens[end - 1].type == "text" and not tokens[end - 1].content.strip():
        end -= 1
    if not end or tokens[end - 1].type != "link_close":
        return tokens
    begin = max((at for at in range(end) if tokens[at].type == "link_open"), default=end)
    if begin == end:
        return tokens
    address = str(tokens[begin].attrGet("href") or "")
    label = _visible(tokens[begin:end]).strip().lower()
    return tokens[:begin] if "#" in address and label in _PERMALINKS else tokens
