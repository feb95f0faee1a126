"""Plain characters for parsers: `knarr.language.characters` says what they are. Grep and Search make patterns and
queries plain by the same functions, without loading this room."""

from __future__ import annotations

import re

from knarr.language.characters import plain_characters, plain_lines

__all__ = ["plain_characters", "plain_lines", "written"]

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def written(text: str) -> str:
    """The text as it stands in a document: in plain characters, its line ends ``\\n``, and U+FFFD in place of what is
    no character, NUL and halves of surrogate pairs, which formats of bytes and of JSON may hold."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.replace("\0", "\ufffd")
    return plain_characters(_NO_TEXT.sub("\ufffd", text))
