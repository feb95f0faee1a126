"""Titles in Markdown: of real headings, as a reader sees them, and of files without any heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knarr.documents.sections import Heading
from knarr.language.markup import running_text
from knarr.language.plain import one_line

# Inline parsing takes time that grows with the square of a title's marks, or worse. No title needs more
# characters than this, and one with more marks was not written as Markdown: there the marks simply go.
_MAX_SOURCE_CHARS = 1000
_MAX_MARKS = 40
_MAX_TITLE_CHARS = 300

# `{#anchor .class}`, as pandoc, kramdown and Hugo write it after a title.
_ATTRIBUTES = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")
# `[[Page|shown]]` of wikis, and the mark of a footnote, which a title does not show.
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]{1,200}\|)?([^\[\]|]{1,200})\]\]")
_NOTE = re.compile(r"\[\^[^\]\s]{1,60}\]")
_EMOJI = re.compile(r":[a-z][a-z0-9_+-]{1,40}:\s+(?=\S)|(?<=\S)\s+:[a-z][a-z0-9_+-]{1,40}:$")
_STRUCK = re.compile(r"~~(?=\S)([^~]{1,200})~~")
# Text of permanent links that page generators put after a title.
_PERMALINKS = frozenset({"#", "¶", "§", "🔗", "\u200b", "link", "permalink", ""})
_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n]")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(?P<title>[^*_]{1,120}?)\1:?")
_TIGHT = re.compile(r"(#{1,6})(?![#!\s\d])([^\n]{2,120})")
_MIN_TIGHT = 2
_MAX_WORDS = 6
_MAX_CHARS = 60
_MIN_TITLES = 3
_MAX_SHARE = 1 / 3
_PUNCTUATION = re.compile(r"[.,;!?\"“”…`<>|=\[\]{}@\\]|(?:https?|www)|[-–—/]$")
_PICTOGRAPH = ("So", "Sk", "Mn", "Cf")


def title_text(parser: MarkdownIt, source: str, env: MutableMapping[str, Any]) -> str:
    """The visible text of a heading's inline source; "" when nothing is visible.

    Link and emphasis marks, HTML tags and comments go, an image gives its alternative text, and a
    `{#id}` or a permanent link at the end is dropped. Cut after 300 characters.
    """
    source = _NOTE.sub("", _ATTRIBUTES.sub("", source[:_MAX_SOURCE_CHARS]))
    source = _EMOJI.sub("", source.strip())
    source = _STRUCK.sub(r"\1", _WIKI_LINK.sub(r"\1", source))
    marks = sum(1 for _ in _MARKUP.finditer(source))
    if marks > _MAX_MARKS:
        source = running_text(source)
    elif marks:
        tokens = parser.parseInline(source, env)[0].children or []
        source = _visible(_without_permalink(tokens))
    title = one_line(source)
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


def pseudo_headings(tokens: Sequence[Token], lines: Sequence[str], begins: Sequence[int]) -> list[Heading]:
    """Headings for a file in which CommonMark found none; empty when the rule finds none.

    Release notes and pages saved as text often keep their titles only as short paragraphs. A
    top-level paragraph of a single line is a title when text follows it and it is
    - wholly bold, or
    - short (at most six words and 60 characters; with three words or more each long one begins with
      a capital), begins with a capital or a pictograph, has no digit and no punctuation but an
      optional colon at its end, and does not itself stand before another such line unless that one
      is a title (a run of short lines is a list, not a run of titles).

    - or marked as a title, but without the space that CommonMark wants after the mark (``##Title``), as
      older Markdown allowed; two of these at least.

    Bold lines are believed alone. Short lines, the weaker sign, count only if there are three or more
    and they are at most a third of all paragraphs, so that prose stays whole. A title that ends in a
    colon is one level below the others.
    """
    blocks = _blocks(tokens)
    bold = [at for at, (line, _) in enumerate(blocks) if _bold(lines[line], blocks[at])]
    bold = [at for at in bold if at + 1 < len(blocks)]
    if bold:
        return [_heading(_bold(lines[blocks[at][0]], blocks[at]), 1, blocks[at][0], begins) for at in bold]
    tight = [
        (at, match)
        for at, (line, _) in enumerate(blocks)
        if (match := _TIGHT.fullmatch(lines[line].rstrip()))
    ]
    if len(tight) >= _MIN_TIGHT:
        return [_heading(match[2].rstrip("# "), len(match[1]), blocks[at][0], begins) for at, match in tight]
    short = [after - line == 1 and _is_short_title(lines[line]) for line, after in blocks]
    titles = [at for at in range(len(blocks) - 1) if short[at] and not short[at + 1]]
    # Where two stand together the first is a title over titles, if it is the stronger of the two.
    titles += [at for at in range(len(blocks) - 2) if short[at] and short[at + 1] and at + 1 in titles]
    if len(titles) < _MIN_TITLES or len(titles) > _MAX_SHARE * len(blocks):
        return []
    found = []
    for at in sorted(set(titles)):
        title = lines[blocks[at][0]].strip()
        found.append(_heading(title.rstrip(":："), 2 if title[-1] in ":：" else 1, blocks[at][0], begins))
    return found


def _blocks(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """(first line, line after) of every top-level block, in order."""
    return [
        (token.map[0], token.map[1])
        for token in tokens
        if not token.level and token.nesting >= 0 and token.map
    ]


def _bold(line: str, block: tuple[int, int]) -> str:
    match = _BOLD.fullmatch(line.strip()) if block[1] - block[0] == 1 else None
    return match["title"].strip().rstrip(":") if match else ""


def _is_short_title(line: str) -> bool:
    bare = line.strip()
    if not bare or len(bare) > _MAX_CHARS or len(bare.split()) > _MAX_WORDS:
        return False
    if _PUNCTUATION.search(bare) or any(ch.isdigit() for ch in bare):
        return False
    words = [word for word in bare.split() if word[0].isalpha()]
    if len(words) > 2 and any(len(word) > 3 and word[0].islower() for word in words):
        return False
    first = next((ch for ch in bare if ch.isalpha()), "")
    if not first or first.islower():
        return False
    return bare[0].isalpha() or unicodedata.category(bare[0]) in _PICTOGRAPH


def _heading(title: str, level: int, line: int, begins: Sequence[int]) -> Heading:
    return Heading(title, level, begins[line], begins[line + 1])
