"""Relations that exclude each other: the side of a thing on which something is, and what a value is per.

relations  opposite prepositions before one thing: before the trip and after the trip, with heating and without heating
rates      what a value is per: a month, a week, a person, or all together

Each of the functions returns the words that were asked for and those that stand in their place, None when there is no
contrast. Cost: linear in the texts.
"""

from __future__ import annotations

import re

from knarr.checker.opposites import Pair, key_of

_RELATIONS = (
    ("before", "after"), ("prior to", "after"), ("above", "below"), ("above", "under"), ("over", "under"), ("inside", "outside"),
    ("with", "without"), ("including", "excluding"), ("with", "excluding"), ("including", "without"), ("incl", "excl"),
    ("into", "out of"), ("onto", "off"), ("upstream of", "downstream of"),
)  # fmt: skip
_BEFORE_THING = r"\b({})\.?\s+(?:(?:the|a|an|its|their|your|my|our|any|all|that|this)\s+)?([^\W\d_]{{2,}})"
_OPPOSITE = {
    one: {other for pair in _RELATIONS if one in pair for other in pair if other != one}
    for one in dict.fromkeys(word for pair in _RELATIONS for word in pair)
}
_RELATED = re.compile(_BEFORE_THING.format("|".join(map(re.escape, _OPPOSITE))), re.IGNORECASE)


_IT = frozenset({"it", "that", "them", "this", "thi"})


def relation(question: str, quote: str) -> Pair | None:
    """A preposition before a thing in the question, and only the opposite before the same thing in the quote."""
    asked = _related(question)
    if not asked:
        return None
    said = _related(quote)
    both = {(other, thing) for word, thing in asked for other in _OPPOSITE[word]} & set(asked)
    for word, thing in asked:
        if (word, thing) in both:
            continue
        words = {one for one, what in said if what == thing or what in _IT}
        against = words & _OPPOSITE[word]
        if against and not words - against:
            return f"{word} the {thing}", f"{min(against)} the {thing}"
    return None


def _related(text: str) -> list[tuple[str, str]]:
    return [(match[1].lower(), key_of(match[2])) for match in _RELATED.finditer(text)]


_UNITS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annual": "year", "annually": "year", "annum": "year", "head": "person", "each": "person", "apiece": "person",
    "individual": "person", "guest": "person", "adult": "person", "participant": "person",
}  # fmt: skip
_UNIT = r"(hour|day|night|week|month|quarter|year|annum|person|head|individual|guest|participant|kilometre|mile|page|unit)"
_PER = re.compile(
    rf"\b(?:per|each|every)\s+{_UNIT}\b|/\s?{_UNIT}\b|\b(hourly|daily|nightly|weekly|monthly|quarterly|yearly|annual|annually)\b",
    re.IGNORECASE,
)
_A_UNIT = re.compile(
    rf"(?:(?<!\S)[^\w\s]?\d\S{{0,20}}|\bmuch|\bmany)\s{{1,3}}(?:[^\W\d_]{{1,30}}\s{{1,3}}){{0,3}}?an?\s{{1,3}}{_UNIT}\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|apiece)\b(?=\s*(?:[.;,|]|$))", re.IGNORECASE)
_TOTAL = re.compile(
    r"(?<!of the )(?<!of your )(?<!of )\b(?:total|altogether|in all|combined|overall)\b", re.IGNORECASE
)
_VALUE = re.compile(r"\bhow (?:much|many)\b|\bwhat\b|\bwhich\b", re.IGNORECASE)


def rate(question: str, quote: str, place: str) -> Pair | None:
    """What a value is asked per, and what it is given per instead; a total and a share are such measures, too."""
    if not _VALUE.search(question):
        return None
    asked, said = _rates(question), _rates(quote)
    have = set(said) | set(_rates(place))
    if not asked or not said or set(asked) & have:
        return None
    return next(iter(asked.values())), next(iter(said.values()))


def _rates(text: str) -> dict[str, str]:
    """By what is counted per, the words that say so."""
    found: dict[str, str] = {}
    for pattern in (_PER, _A_UNIT):
        for match in pattern.finditer(text):
            word = next(filter(None, match.groups())).lower()
            found.setdefault(_UNITS.get(word, word), f"per {_UNITS.get(word, word)}")
    if _EACH.search(text):
        found.setdefault("person", "each")
    if total := _TOTAL.search(text):
        found.setdefault("total", total[0])
    return found
