"""Where sentences begin and end, by rule: enough for abstracts, quotes and chunk borders."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|etc|al|Inc|Ltd|Co|Corp|No|Nos|Art|Sec|Fig|Eq|pp?|cf|approx|dept|Vol)"
    r"|\b[A-Z]|\b(?:e\.g|i\.e|U\.S|a\.m|p\.m))\.$"
)
_END = re.compile(r"[.!?][\"'”’)\]]*\s+|[。！？]|\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*+•|]|\d+[.)])[ \t])|\n(?=#)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """`(begin, end)` of each sentence, in code points, without surrounding white space. Blank lines,
    list items, table rows and headings end a sentence as well."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for match in _END.finditer(text):
        mark = text[match.start()]
        if mark == "." and _ABBREVIATION.search(text, max(begin, match.start() - 12), match.start() + 1):
            continue
        _push(text, begin, match.start() if mark == "\n" else match.end(), spans)
        begin = match.end()
    _push(text, begin, len(text), spans)
    return spans


def _push(text: str, begin: int, end: int, spans: list[tuple[int, int]]) -> None:
    part = text[begin:end]
    stripped = part.strip()
    if stripped:
        at = begin + part.index(stripped[0])
        spans.append((at, at + len(stripped)))
