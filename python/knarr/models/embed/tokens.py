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


# A vocabulary of word pieces takes no run of more than a hundred letters apart: it becomes one unknown token, and a line of
# a megabyte counts as one. Runs are cut before that (an accent or a syllable may be taken apart further); letters of
# scripts that have no spaces are looked up one by one, as ideographs are.
_RUN_CHARS = 32
_SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_LONG = re.compile(
    rf"(?P<spaceless>[{_SPACELESS}]{{2,}})"
    rf"|[^\s!-/:-@\[-`{{-~\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff{_SPACELESS}]{{{_RUN_CHARS + 1},}}"
)


def parted(text: str) -> tuple[str, Offsets]:
    """The text with spaces in its long runs of letters, and where, in code points of what comes out, these stand."""
    found: list[str] = []
    spaces: list[int] = []
    at, size = 0, 0
    for run in _LONG.finditer(text):
        most = 1 if run["spaceless"] else _RUN_CHARS
        for begin in range(run.start() + most, run.end(), most):
            found += (text[at:begin], " ")
            size += begin - at
            spaces.append(size)
            size, at = size + 1, begin
    return "".join((*found, text[at:])), np.asarray(spaces, dtype=np.int64)


class RegexTokenizer:
    """An approximation for embedders whose tokenizer is not at hand: words in parts of at most six
    characters, single CJK characters, single marks. Within a few per cent of word-piece counts on
    English prose."""

    _TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]{1,6}|[^\w\s]|_")

    def token_begins(self, text: str) -> Offsets:
        return np.fromiter((match.start() for match in self._TOKEN.finditer(text)), dtype=np.int64)
