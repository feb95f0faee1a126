"""Markdown as running text: marks, tags, comments and the targets of links dropped.

It reads text that anybody may have written, so each pattern ends where the next of its kind could begin, and
a mark that is never closed is looked for once: the cost is linear whatever the text holds.
"""

from __future__ import annotations

import re

from knarr.language.plain import one_line

_MARKUP = re.compile(
    r"<[a-zA-Z/][^<>]*>|^#{1,6}\s+|^[-=]{3,}[ \t]*$|[`*]{1,3}|^(?=[ \t|:-][ \t:-]*\|)[ \t|:-]+$", re.M
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_PICTURED_LINK = 2  # a picture inside a link is a link inside a link


def running_text(text: str) -> str:
    """The text of Markdown on one line."""
    text = _MARKUP.sub(" ", _without_comments(text))
    for _ in range(_PICTURED_LINK if "](" in text else 0):
        text = _LINK.sub(r"\1", text)
    return one_line(text)


def _without_comments(text: str) -> str:
    """Without `<!-- … -->`; one that never ends is no comment."""
    pieces, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        pieces += [text[at:begin], " "]
        at = end + 3
    return "".join((*pieces, text[at:]))
