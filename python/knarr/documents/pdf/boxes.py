"""Which words of the canonical text are which words of the page.

Between a page and its text lies everything that makes prose of lines: hyphens are mended, cells put into columns,
labels repeated, notes moved. None of that has to keep places: when the text is done, its words are held against those
of the page's lines, in order. Where the two part, a word of the text belongs to the nearest word of the page that is
spelled alike and was not taken yet; a label that rows of a table repeat belongs to where it is printed. Only equal
words are ever matched, so a box always holds the word that it is said to hold, and a heading that stands in the outline
alone has none.

Cost: linear; every look aside is bounded.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from knarr.documents.boxes import WordBoxes
from knarr.documents.characters import plain_characters
from knarr.documents.pdf.lines import Line, TableLine
from knarr.documents.pdf.word_places import Sides
from knarr.documents.sections import Document

_TOKEN = re.compile(r"\S+")
_MARK = re.compile(r"\||---|#{1,6}")  # of Markdown, which no page has
_FEW, _ASIDE = 4, 24
_FIRST = itemgetter(0)
_TOKEN_CHARS = 200


def word_boxes(document: Document, lines: Iterable[Line]) -> WordBoxes:
    """The boxes of a document's words, from the lines that it was written from, in the order of the text."""
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    words, sides = array("q"), array("d")
    begins = [*document.page_begins, len(document.data)]
    for page, page_lines in sorted(by_page.items()):
        if page + 1 >= len(begins):
            break
        data = document.data[begins[page] : begins[page + 1]]
        plain = ((plain_characters(word), place) for word, place in _printed(page_lines))
        printed = [(word, place) for word, place in plain if word]
        found = _Matching([word for word, _ in printed]).run(data.decode("utf-8"))
        ours: list[int] = []
        theirs: list[float] = []
        for begin, end, at in found:
            ours += (begin, end, page)
            theirs += printed[at][1]
        placed = np.asarray(ours, dtype=np.int64).reshape(-1, 3)
        placed[:, :2] = begins[page] + _first_bytes(data)[placed[:, :2]]
        words.frombytes(placed.tobytes())
        sides.extend(theirs)
    return WordBoxes.of(words, sides)


def _first_bytes(data: bytes) -> npt.NDArray[np.int64]:
    """Where each character of a text in UTF-8 begins, and its end."""
    codes = np.frombuffer(data + b" ", dtype=np.uint8)
    return np.flatnonzero(codes & 0xC0 != 0x80)


def _printed(lines: Iterable[Line]) -> Iterator[tuple[str, Sides]]:
    for line in lines:
        if isinstance(line, TableLine):
            yield from _printed(line.parts)
        elif line.words is not None:
            yield from filter(_FIRST, line.words.words(line.text, line.y))


def _tokens(text: str) -> Iterator[tuple[int, str, bool]]:
    """Where each word of a text begins, the word, and whether it is in a row of a table."""
    in_table = False
    for match in _TOKEN.finditer(text):
        begin, token = match.start(), match[0]
        if begin == 0 or text[begin - 1] == "\n":
            in_table = token == "|"
        if token[0] not in "|-#" or not _MARK.fullmatch(token):
            yield begin, token, in_table


class _Matching:
    """The words of one page, and how far the text has come among them."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._taken = bytearray(len(words))
        self._at = 0  # the word that should come next
        self._left = 0  # the one that should have come where the text last went elsewhere
        self._goes_on = False  # whether the last token of the text was found
        self._after = ""  # the next one
        self._in_table = False
        self._places: dict[str, list[int]] = {}
        for at, word in enumerate(words):
            self._places.setdefault(word, []).append(at)

    def run(self, text: str) -> Iterator[tuple[int, int, int]]:
        """(begin, end, word) in characters of the text, in order."""
        tokens = list(_tokens(text))
        for at, (place, token, self._in_table) in enumerate(tokens):
            if (
                (self._goes_on or self._in_table)
                and self._is_free(self._at)
                and token == self._words[self._at]
            ):
                # Nearly always: the next word of the page, and nothing to be unsure of.
                self._goes_on = True
                yield place, place + len(token), self._take(self._at)
                continue
            self._after = tokens[at + 1][1] if at + 1 < len(tokens) else ""
            taken = self._at
            for begin, end, word in self._token(token):
                yield place + begin, place + end, word
            self._goes_on = self._at != taken

    def _token(self, token: str) -> Iterator[tuple[int, int, int]]:
        """A word of the text may be several of the page: halves of one that was broken, a figure and its sign."""
        at = 0
        while at < len(token):
            word = self._next(token, at)
            if word is None and (found := self._within(token, at)) is not None:
                at, word = found
            if word is None:
                if token[at].isalnum():
                    return
                at += 1
                continue
            end = at + len(self._words[word])
            yield at, end, word
            at = end

    def _next(self, token: str, at: int) -> int | None:
        for word in (self._at, self._left):
            if self._is_free(word) and self._fits(token, at, word) and self._is_sure(token, at, word):
                if word == self._left:
                    self._left = self._at
                return self._take(word)
        rest = token[at:] if len(token) - at <= _TOKEN_CHARS else ""
        places = self._places.get(rest, ())
        if (near := self._nearest(places, taken=False)) is not None and self._is_sure(token, at, near):
            self._left = self._at
            return self._take(near)
        for word in range(self._at + 1, self._at + _FEW):
            if self._is_free(word) and self._fits(token, at, word) and self._is_sure(token, at, word):
                return self._take(word)
        return self._nearest(places, taken=True) if self._in_table and at == 0 else None

    def _is_free(self, word: int) -> bool:
        return word < len(self._words) and not self._taken[word]

    def _is_sure(self, token: str, at: int, word: int) -> bool:
        """Whether the text goes on as the page does: by the word before, or by the one after. Cells of a table stand
        alone; a heading that only the outline has must take no word from the prose."""
        if self._in_table or at or (self._goes_on and word == self._at):
            return True
        if at + len(self._words[word]) < len(token) or word + 1 >= len(self._words) or not self._after:
            return True
        below = self._words[word + 1]
        return self._after.startswith(below[: len(self._after)])

    def _take(self, word: int) -> int:
        self._taken[word] = 1
        self._at = word + 1
        return word

    def _fits(self, token: str, at: int, word: int) -> bool:
        """Whether the token has the word there, as a whole: what follows is nothing, the next word, or, after a letter
        or digit, neither."""
        text = self._words[word]
        if not token.startswith(text, at):
            return False
        end = at + len(text)
        rest = token[end : end + _ASIDE]
        if not rest or (any(map(str.isalnum, text)) and not any(map(str.isalnum, rest))):
            return True
        below = self._words[word + 1] if word + 1 < len(self._words) else ""
        return bool(below) and token.startswith(below, end + (rest[0] == "-" != below[0]))

    def _nearest(self, places: Sequence[int], *, taken: bool) -> int | None:
        """The word at one of the places that is nearest to where the text is."""
        middle = bisect_left(places, self._at)
        near = sorted(places[max(0, middle - _ASIDE) : middle + _ASIDE], key=lambda at: abs(at - self._at))
        return next((at for at in near if self._taken[at] == taken), None)

    def _within(self, token: str, at: int) -> tuple[int, int] | None:
        """Where in the rest of a token one of the next words begins: lines of a script without spaces are one."""
        for word in range(self._at, self._at + _FEW):
            if self._is_free(word):
                found = token.find(self._words[word], at + 1, at + _TOKEN_CHARS)
                if found > 0 and self._fits(token, found, word):
                    return found, self._take(word)
        return None
