"""Words that stand apart from the line they belong to: initials over several lines, and small raised words, such as
the signs of footnotes, that were written after the text around them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from knarr.documents.pdf.placed import PlacedWord, WordRun

_INITIAL_CHARS = 2
_INITIAL_SIZE = 1.8
_INITIAL_GAP = 1.0
_INITIAL_WORDS = frozenset("AIOYEÀÓÈÉ")
_SMALL = 0.8
_RAISED = 0.7
_TOUCHES = 0.35
_STEP = 8.0
_LOOKED_AT = 4


def with_initials(words: list[PlacedWord]) -> list[PlacedWord]:
    """The words, given in the order of writing, with large initials put onto the line that they begin. An initial is
    part of the word after it, unless both may be words."""
    counts: Counter[str] | None = None
    kept: list[PlacedWord] = []
    initial: PlacedWord | None = None
    for word in words:
        if initial is not None and _begins(initial, word):
            counts = Counter(other.text.lower() for other in words) if counts is None else counts
            two = initial.text in _INITIAL_WORDS and counts[word.text.lower()] > 1
            if two or not word.text[0].isalpha():
                initial.y, initial.size = word.y, word.size
            else:
                word.text, word.x0 = initial.text + word.text, initial.x0
                kept.pop()
        kept.append(word)
        initial = word if len(word.text) <= _INITIAL_CHARS and word.text[0].isupper() else None
    return kept


def _begins(initial: PlacedWord, word: PlacedWord) -> bool:
    """Whether a word goes on after an initial, on the first of the lines beside it."""
    if initial.size < _INITIAL_SIZE * word.size or word.angle != initial.angle:
        return False
    beside = -_TOUCHES * word.size <= word.x0 - initial.x1 <= _INITIAL_GAP * word.size
    return beside and _SMALL * word.size < word.y - initial.y < initial.size


def with_raised(runs: Sequence[WordRun]) -> list[WordRun]:
    """The runs, from top to bottom, with small raised or lowered words at the end of the larger runs that they
    touch. Cost: that of sorting."""
    ends: dict[int, list[tuple[float, int]]] = {}
    for at, run in enumerate(runs):
        ends.setdefault(_step(run), []).append((run.x1, at))
    for places in ends.values():
        places.sort()
    kept: list[WordRun] = []
    for run in runs:
        base = _touched(run, runs, ends) if len(run.words) == 1 else None
        if base is None:
            kept.append(run)
        else:
            base.words += run.words
            base.x1 = max(base.x1, run.x1)
    return kept


def _step(run: WordRun) -> int:
    return int(run.y // _STEP)


def _touched(
    run: WordRun, runs: Sequence[WordRun], ends: Mapping[int, list[tuple[float, int]]]
) -> WordRun | None:
    reach = _TOUCHES * run.size
    for step in (_step(run), _step(run) - 1, _step(run) + 1):
        places = ends.get(step, [])
        begin = bisect_left(places, (run.x0 - reach, -1))
        for x1, at in places[begin : begin + _LOOKED_AT]:
            base = runs[at]
            small = run.size <= _SMALL * base.size
            if small and x1 <= run.x0 + reach and abs(base.y - run.y) <= _RAISED * base.size:
                return base
    return None
