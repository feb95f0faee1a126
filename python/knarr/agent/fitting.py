"""Which sentence or table row of a passage is meant: a citation is one of these, not a whole chunk.

A model that cites by number need not copy anything. The host takes the sentence that holds the words it gave, or
else the one that shares most with the answer: numbers count double, since a figure is what is checked first, and
the words of the question half, since they only break ties. Cost: linear in the passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knarr.checker.evidence import numbers
from knarr.language.citations import locate
from knarr.language.lexical import terms
from knarr.language.passages import Part, sentences
from knarr.language.sentences import sentence_spans

_LONG_CHARS = 400  # a longer sentence is cut where any mark ends one
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_RULE = re.compile(r"\|?\s*:?-{2,}")
_ITEM = re.compile(r"\(?\w{1,3}[.)]|[-*+•]")
_MARKUP = ("#", "<!--", "```")
_NUMBERS_COUNT, _ALSO_COUNT = 2.0, 0.5

Span = tuple[int, int]


def parts_of(text: str) -> list[Part]:
    """The sentences and table rows of a passage that may be cited: no headings, rules or rows of column names,
    unless there is nothing else."""
    whole = list(_cut(text))
    told = [
        one for at, one in enumerate(whole) if _tells(one, whole[at + 1] if at + 1 < len(whole) else None)
    ]
    return told or whole


def best_part(text: str, answer: str, question: str = "") -> Span | None:
    """Where the part is that fits best, in characters; the first among equals. None for an empty text."""
    parts = parts_of(text)
    if not parts:
        return None
    best = max(parts, key=lambda one: fit(one.text, answer, question))
    return best.begin, best.end


def part_with(text: str, words: str) -> Span | None:
    """The part that holds these words, or the parts over which they run; None where they do not stand."""
    found = locate(words, text)
    if found is None:
        return None
    met = [one for one in _cut(text) if one.begin < found[1] and one.end > found[0]]
    return (met[0].begin, met[-1].end) if met else found


def fit(text: str, answer: str, question: str = "") -> float:
    """How much of an answer, and of its question, a text has in common with them."""
    words, figures = _units(text), numbers(text)
    shared = _NUMBERS_COUNT * len(figures & numbers(answer)) + len(words & _units(answer))
    return shared + _ALSO_COUNT * len(words & _units(question))


def share_of(words: str, text: str) -> float:
    """The share of some words that a text has, in any form; 1 where there are none."""
    asked = _units(words) | numbers(words)
    return len(asked & (_units(text) | numbers(text))) / len(asked) if asked else 1.0


def _cut(text: str) -> Iterator[Part]:
    mark = -1  # where the "1." of an item begins, which goes with the sentence after it
    for part in sentences(text):
        if _ITEM.fullmatch(part.text):
            mark = part.begin if mark < 0 else mark
            continue
        if mark >= 0:
            part = Part(mark, part.end, text[mark : part.end])
            mark = -1
        row = part.text.startswith("|")
        if not row and (len(part.text) > _LONG_CHARS or re.search("[。！？]", part.text)):
            for begin, end in sentence_spans(part.text):
                yield Part(part.begin + begin, part.begin + end, part.text[begin:end])
        else:
            yield part
    if mark >= 0:
        yield Part(mark, len(text), text[mark:])


def _tells(part: Part, after: Part | None) -> bool:
    names = part.text.startswith("|") and after is not None and _RULE.match(after.text) is not None
    return not (names or part.text.startswith(_MARKUP) or _RULE.match(part.text))


def _units(text: str) -> set[str]:
    """Roots of words; in scripts without spaces, pairs of characters."""
    runs = _UNSPACED.findall(text)
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    return set(terms(_UNSPACED.sub(" ", text))) | pairs
