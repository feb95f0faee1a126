"""Where sentences end, by rule; the one place that knows abbreviations.

Idea: a full stop, question or exclamation mark before white space ends a sentence, unless it ends an
abbreviation or an initial. Two borders are offered, because two kinds of mistakes cost differently:

- `sentence_spans` cuts at every such mark, at Chinese and Japanese stops, and where Markdown begins
  something new (blank line, list item, table row, heading). Abstracts choose among many sentences, and
  one that is cut short does no harm there.
- `prose_spans` cuts only where what follows looks like a beginning: a capital, a digit, or a quotation
  of one. Quotes and evidence must be whole, and a sentence too long still is.

Cost: linear in the text; an abbreviation is looked for in the few characters before a stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = r"[.!?][\"'”’)\]]*\s+"
_ANY_BORDER = re.compile(_STOP + r"|[。！？]|\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*+•|]|\d+[.)])[ \t])|\n(?=#)")
_SURE_BORDER = re.compile(_STOP + r"(?=[\"'“‘(\[]?[A-Z0-9])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|etc|cf|al|Inc|Ltd|Co|Corp|No|Nos|Art|Sec|Figs?|Eq|pp?|approx|dept|Vol)"
    r"|\b[A-Z]|\b(?:e\.g|i\.e|U\.S|a\.m|p\.m))\.$"
)
_LONGEST_ABBREVIATION = 12


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """`(begin, end)` of each sentence of a Markdown text, in characters, without outer white space."""
    spans = []
    for begin, end in _cut(text, 0, len(text), _ANY_BORDER):
        sentence = text[begin:end]
        if stripped := sentence.strip():
            at = begin + sentence.index(stripped[0])
            spans.append((at, at + len(stripped)))
    return spans


def prose_spans(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """`(begin, end)` of each sentence of ``text[begin:end]``, a run of prose; together they are all of it."""
    return _cut(text, begin, end, _SURE_BORDER)


def _cut(text: str, begin: int, end: int, border: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in border.finditer(text, begin, end):
        at = match.start()
        mark = text[at]
        if mark == "." and _ABBREVIATED.search(text, max(begin, at - _LONGEST_ABBREVIATION), at + 1):
            continue
        yield begin, at if mark == "\n" else match.end()
        begin = match.end()
    if begin < end:
        yield begin, end


_LEANS = frozenset("he her his it its she such that their there these they this those".split())  # noqa: SIM905 - a line
_FIRST_WORD = re.compile(r"[^\W_]+")


def leans_back(sentence: str) -> bool:
    """Whether a sentence begins with a word that points back to the one before it."""
    first = _FIRST_WORD.search(sentence)
    return first is not None and first[0].lower() in _LEANS
