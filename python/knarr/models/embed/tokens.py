"""Counting and locating tokens. The chunker asks once per document where its tokens begin."""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]

# A piece is tokenised on its own, so that a 100 MB text never becomes one encoding.
_PIECE_CHARS = 200_000


class Tokenizer(Protocol):
    """What the chunker and the token budgets need of a tokenizer."""

    def token_begins(self, text: str) -> Offsets:
        """Where each token of `text` begins, in code points, ascending; no special tokens."""
        ...


def count_tokens(tokenizer: Tokenizer, text: str) -> int:
    """The number of tokens of `text`, without special tokens."""
    return len(tokenizer.token_begins(text))


def pieces(text: str) -> list[tuple[int, str]]:
    """`text` in parts of bounded size, each with its first code point, cut at white space. Lone surrogates, which
    no tokenizer takes, become "?"."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= _PIECE_CHARS:
        return [(0, text)]
    found, at = [], 0
    while at < len(text):
        end = min(at + _PIECE_CHARS, len(text))
        if end < len(text):
            cut = max(text.rfind("\n", at, end), text.rfind(" ", at, end))
            end = cut + 1 if cut > at else end
        found.append((at, text[at:end]))
        at = end
    return found


class RegexTokenizer:
    """An approximation for embedders whose tokenizer is not at hand: words in parts of at most six
    characters, single CJK characters, single marks. Within a few per cent of word-piece counts on
    English prose."""

    _TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]{1,6}|[^\w\s]|_")

    def token_begins(self, text: str) -> Offsets:
        return np.fromiter((match.start() for match in self._TOKEN.finditer(text)), dtype=np.int64)
