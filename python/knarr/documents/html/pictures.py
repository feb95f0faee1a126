"""The words that stand for a picture, said once.

In an article most pictures have a caption, and their alternative text says the same in other words or names who is seen:
there it is left out where a caption stands beside it, where it was said before, or where it is a word or two. What is long
describes something, a chart say, and is always read. What is left out is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container

from selectolax.lexbor import LexborNode

from knarr.documents.html.equations import pictured

SAID_TWICE = "alternative texts beside captions"
_FILE_NAME = re.compile(
    r"\S+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)|[^\s_-]+(?:[_-]+[^\s_-]+){2,}|\d+", re.IGNORECASE
)
_LONG, _LEAST_WORDS = 160, 3


class Pictures:
    """The pictures of one page; `captioned` are the elements that hold a picture and what is said of it."""

    def __init__(
        self, dropped: Counter[str] | None = None, captioned: Container[int] = (), title: str = ""
    ) -> None:
        self._dropped, self._captioned = dropped, captioned
        self._said = {title} if title else set()
        self._around = 0

    def enter(self, node: LexborNode) -> None:
        if not self._around and node.mem_id in self._captioned:
            self._around = node.mem_id

    def leave(self, node: LexborNode) -> None:
        if self._around == node.mem_id:
            self._around = 0

    def words(self, node: LexborNode, caption: str) -> str:
        """The words for a picture, "" where they only name its file or say what is said already."""
        words = pictured((node.attributes.get("alt") or "").strip())
        # A caption often says the same again.
        if not words or _FILE_NAME.fullmatch(words) or words in caption:
            return ""
        if self._dropped is None or len(words) > _LONG or words.startswith("$"):
            return words
        if self._around or words in self._said or (len(words.split()) < _LEAST_WORDS and words.isascii()):
            self._dropped[SAID_TWICE] += len(words)
            return ""
        self._said.add(words)
        return words
