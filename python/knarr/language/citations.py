"""Is a quote really in the source it names? Decided by text alone, without a model.

Both sides are folded before they are compared: compatibility forms (ligatures, widths), typographic
quotes, white space of any kind to one space, hyphens inside or at the line end of a word. Case and
every other mark must agree. A quote that fails gets the reason:

    too_short      it has fewer than four words (eight characters where words are not spaced)
    misattributed  it is there whole, but in another object
    stitched       its parts are there, but apart, in one or several objects
    not_found      neither it nor its parts are there
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from knarr.language.plain import UNSPACED_LINE_END

Fault = Literal["", "not_found", "stitched", "misattributed", "too_short"]

MIN_WORDS = 4
_MIN_UNSPACED = 8
_PART_WORDS = 3
_MOST_PARTS = 4
_QUOTES = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "\u00ad": None})
_HYPHENS = "-\u2010\u2011"
_PLAIN = re.compile(r"[!-,.-~]+(?: [!-,.-~]+)*")  # text that folding leaves as it is
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_ELLIPSIS = re.compile(r"(?<!\s)\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\])\s*")
_MARK = re.compile(r"^> ?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and for each of its characters the index in the original."""

    text: str
    origin: Sequence[int]


def fold(text: str) -> Folded:
    """The text in the form in which quotes are compared (see the module). Linear in its length."""
    out: list[str] = []
    origin: list[int] = []
    at, size = 0, len(text)
    while at < size:
        if plain := _PLAIN.match(text, at):
            out.append(plain[0])
            origin.extend(range(at, plain.end()))
            at = plain.end()
            continue
        char = text[at]
        if char.isspace():
            if line_end := UNSPACED_LINE_END.match(text, at):
                at = line_end.end()
                continue
            if out and out[-1] != " ":
                out.append(" ")
                origin.append(at)
            at += 1
            continue
        if char in _HYPHENS and out and out[-1][-1].isalpha():
            after = _after_hyphen(text, at + 1)
            if after:
                at = after
                continue
        for piece in unicodedata.normalize("NFKC", char.translate(_QUOTES)):
            out.append(piece)
            origin.append(at)
        at += 1
    if out and out[-1] == " ":
        out.pop()
        origin.pop()
    return Folded("".join(out), origin)


def _after_hyphen(text: str, at: int) -> int:
    """Where the word goes on after a hyphen, directly or on the next line; 0 when it does not."""
    here = at
    while here < len(text) and text[here] in " \t\r":
        here += 1
    if here < len(text) and text[here] == "\n":
        here += 1
        while here < len(text) and text[here] in " \t":
            here += 1
    elif here != at:
        return 0
    return here if here < len(text) and text[here].isalpha() else 0


def bare(quote: str) -> str:
    """A quote without the marks that an observation put before its lines."""
    return _MARK.sub("", quote).strip()


def locate(quote: str, source: str) -> tuple[int, int] | None:
    """The quote's range [begin, end) in the source, in characters; None when it is not there."""
    exact = source.find(quote) if quote.strip() else -1
    if exact >= 0:  # a line may end in a hyphen, which folding would join to the next
        return exact, exact + len(quote)
    wanted, folded = fold(quote).text, fold(source)
    at = folded.text.find(wanted) if wanted else -1
    if at < 0:
        return None
    return folded.origin[at], folded.origin[at + len(wanted) - 1] + 1


def too_short(quote: str) -> bool:
    """Whether a quote is too short to be evidence."""
    return len(quote.split()) < MIN_WORDS and len(_UNSPACED.findall(quote)) < _MIN_UNSPACED


def fault_of(quote: str, source: str, others: Sequence[str]) -> Fault:
    """Why `quote` is no quote of `source`, "" when it is one. `others` are texts of other objects, where it
    may be found instead."""
    if too_short(quote):
        return "too_short"
    if quote in source:
        return ""
    wanted, own = fold(quote).text, fold(source).text
    if wanted in own:
        return ""
    rest = [fold(text).text for text in others]
    if any(wanted in text for text in rest):
        return "misattributed"
    return "stitched" if _stitched(_ELLIPSIS.sub(" ", quote), [own, *rest]) else "not_found"


def _stitched(quote: str, texts: Sequence[str]) -> bool:
    """Whether the quote is made of few parts of at least three words, each found somewhere."""
    words = fold(quote).text.split()
    for _ in range(_MOST_PARTS):
        part = _longest_part(words, texts)
        if part < _PART_WORDS:
            return False
        words = words[part:]
        if not words:
            return True
    return False


def _longest_part(words: Sequence[str], texts: Sequence[str]) -> int:
    """How many of the first words are together in one of the texts, such that no rest is left too short."""
    # What is there with its first n words is there with fewer, so the place to stop is found by halving.
    sure, most = 0, len(words)
    while sure < most:
        size = (sure + most + 1) // 2
        part = " ".join(words[:size])
        if any(part in text for text in texts):
            sure = size
        else:
            most = size - 1
    rest = len(words) - sure
    return max(0, len(words) - _PART_WORDS) if 0 < rest < _PART_WORDS else sure
