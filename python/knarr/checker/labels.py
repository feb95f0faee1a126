"""Things that are told apart by a label, and ways that are told apart by their direction.

A label is the number or letter of a thing: zone 2, annex B, schedule II, week three. "Labs 1-5" has five of them, and
chapter 3 has chapter 3.2. A way goes from one place to another, and back is another way. Cost: linear in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knarr.checker.opposites import Pair, key_of
from knarr.language.numerals import SMALL
from knarr.language.words import STOP, stem

_SMALL = {word: str(at) for at, word in enumerate(SMALL[:10], 1)}
_ROMAN = {word: str(at) for at, word in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), 1)}  # noqa: SIM905
# Nouns that are numbered by Roman numerals, where "I" is no pronoun.
_NUMBERED = frozenset(
    """act annex appendix article chapter class exhibit group grade level part phase schedule section stage step table title
    tier type volume world""".split()  # noqa: SIM905 - one word per line would hide the list
)
_ONE = r"(?:\d{1,4}(?:\.\d+)*|[A-Z]|[IVX]{2,4})(?!['’.]?\w)"
_LABELLED = re.compile(
    rf"\b([^\W\d_]{{3,}})\s+(?:no\.?\s*|number\s+|#)?({_ONE}|(?:{'|'.join(_SMALL)})\b(?!\s+[a-z]))"
    rf"((?:\s*(?:,|and|or|&|to|through|-|–|—)\s*{_ONE}){{0,12}})"
)
_NEXT = re.compile(rf"\s*(,|and|or|&|to|through|-|–|—)\s*({_ONE})")
_MOST = 60  # labels of one range
_NO_NOUNS = frozenset(
    """about after and are around before between but byte day earn from get give got grade have hour into least less make
    minute month more most near over page percent receive than the then through total under until upto week-day with within
    year january february march april may june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec""".split()  # noqa: SIM905 - one word per line would hide the list
)


def label_contrast(question: str, quote: str, place: str) -> Pair | None:
    """A labelled thing of the question, and the same thing with another label in the quote instead."""
    asked = labels(question)
    if not asked:
        return None
    said = labels(quote)
    have = said | labels(place)
    for noun, label in sorted(asked):
        if any(one == noun and _within(label, other) for one, other in have):
            continue
        others = sorted(other for one, other in said if one == noun and (one, other) not in asked)
        if others and _comparable(label, others[0]):
            return f"{noun} {label}", f"{noun} {others[0]}"
    return None


def _within(left: str, right: str) -> bool:
    """Whether labels are equal, or one is a part of the other: 3 and 3.2."""
    return left == right or left.startswith(f"{right}.") or right.startswith(f"{left}.")


def _comparable(left: str, right: str) -> bool:
    """Numbers and letters count apart: class 2 may well be class B."""
    return left[0].isdigit() == right[0].isdigit()


def labels(text: str) -> set[tuple[str, str]]:
    """Every labelled thing of a text."""
    found = set()
    for match in _LABELLED.finditer(text):
        noun = stem(match[1].lower())
        if noun in _NO_NOUNS or noun in STOP or (match[2] == "I" and noun not in _NUMBERED):
            continue
        found |= {(noun, label) for label in _listed(match[2], match[3])}
    return found


def _listed(first: str, more: str) -> Iterator[str]:
    before = _plain(first)
    yield before
    for join, text in _NEXT.findall(more):
        label = _plain(text)
        if join in ("to", "through", "-", "–", "—") and before.isdigit() and label.isdigit():
            yield from map(str, range(int(before), min(int(label), int(before) + _MOST)))
        yield label
        before = label


def _plain(label: str) -> str:
    return _SMALL.get(label.lower()) or _ROMAN.get(label) or label


# ------------------------------------------------------------------ directions

_NAME = r"(?:the\s{1,3})?[^\W\d_][\w'’-]{0,40}(?:\s{1,3}[^\W\d_][\w'’-]{0,40})?"
_WAY = re.compile(
    rf"(\bfrom\s{{1,3}})?(?<![\w'’-])({_NAME})\s{{0,3}}(?:\bto\b|–|—|→|->|\s-\s)\s{{0,3}}({_NAME})",
    re.IGNORECASE,
)


def way_contrast(question: str, quote: str) -> Pair | None:
    """A way from one place to another in the question, and only the way back in the quote."""
    asked = list(_ways(question))
    if not asked:
        return None
    said = list(_ways(quote))
    for start, goal in asked:
        there = any(start & one and goal & other for one, other in said)
        back = any(start & other and goal & one for one, other in said)
        if back and not there:
            names = " ".join(sorted(start)), " ".join(sorted(goal))
            return f"from {names[0]} to {names[1]}", f"from {names[1]} to {names[0]}"
    return None


def _ways(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Where ways begin and end, in words as they are compared."""
    for match in _WAY.finditer(text):
        start, goal = _places(match[2]), _places(match[3])
        capitals = match[3].removeprefix("the ")[:1].isupper()
        if start and goal and (match[1] or capitals):
            yield start, goal


def _places(text: str) -> frozenset[str]:
    return frozenset(key_of(word) for word in text.split() if word.lower() not in STOP and len(word) > 2)
