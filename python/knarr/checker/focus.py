"""Is a quote about what was asked? A check of words in their places, in both directions of a contrast.

A cross-encoder likes a sentence that differs from the question in one word: "the head of the depot" for the head of
the workshop, Saturday for Sunday, the landlord for the tenant. No score tells these apart, so they are told apart by
rule, each with the word that was asked for and the word that stands in its place:

class      words of which a text means one at a time, opposites among them (`opposites.py`), and opposite relations
           ("before the trip", "per week", `relations.py`)
label      a numbered or lettered thing, and a way from one place to another (`labels.py`)
slot       the same word in the same phrase with another thing in it: "the head of the …", "the … has", "the … must";
           of a table row the thing is its first cell, and its column names the phrases
qualified  the deputy, the former or the vice president, where the president is asked for

A contrast holds only when the asked word is missing from the quote and from all that the quote stands under: its column
names, titles and names, and the sentence before it where it leans on that. Cost: linear in the question and the quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from knarr.checker.constraints import YEAR, needs
from knarr.checker.evidence import Ground, has
from knarr.checker.labels import label_contrast, way_contrast
from knarr.checker.opposites import class_contrast, key_of, negation, same_meaning, tokens_of
from knarr.checker.relations import rate, relation
from knarr.language.question_type import question_type
from knarr.language.rows import cells_of
from knarr.language.sentences import leans_back
from knarr.language.words import STOP, stem

_DETERMINERS = frozenset("a an any each every its my no our that the their these this those your".split())  # noqa: SIM905
_PREPOSITIONS = frozenset("of for at in from to on".split())  # noqa: SIM905 - a line, not a column
_AUXILIARIES = frozenset(
    "is are was were has have had does do did must may can should shall will would could might cost costs".split()  # noqa: SIM905
)
# What may stand for anything in a slot, so that another word there is no contrast.
_OPEN = frozenset(
    """amount annual approach author case class company contract course data date day document edition event experiment
    fact following example item kind list matter method model name number one other paper part people person party place
    policy problem program project proposed question result same section set such system text thing time total type use
    value way whole work year""".split()  # noqa: SIM905 - one word per line would hide the list
)
_VERBS = {"has": "have", "had": "have", "costs": "cost", "was": "is", "are": "is", "were": "is"}
_HAVING = frozenset({"has", "have", "had"})
_BEING = frozenset({"is", "are", "was", "were"})
_PRICES = frozenset(map(key_of, ("price", "cost", "fee", "fare", "charge")))


@dataclass(frozen=True, slots=True)
class Contrast:
    """What was asked for, and what the text speaks of instead."""

    asked: str
    instead: str

    def __str__(self) -> str:
        return f"the text speaks of “{self.instead}”, not of “{self.asked}”"


def contrast(question: str, ground: Ground, before: str = "") -> Contrast | None:
    """The first contrast between a question and a quote, None when there is none.

    `before` is the sentence before the quote, which counts where the quote leans on it; a row is quoted with its column
    names."""
    quote = f"{before} {ground.quote}" if before and leans_back(ground.quote) else ground.quote
    found = (
        class_contrast(question, quote, ground.place)
        or label_contrast(question, quote, ground.place)
        or way_contrast(question, quote)
        or negation(question, quote)
        or relation(question, quote)
        or rate(question, quote, ground.place)
        or _slot(question, quote, ground.place)
        or _other_kind(question, quote, ground.place)
        or _qualified(question, quote)
    )
    return None if found is None else Contrast(*found)


def astray(question: str, ground: Ground, before: str = "") -> str:
    """In words, what a quote is about instead of what was asked, "" when it is to the point: a contrast, or figures of
    other years and versions than the question's."""
    found = contrast(question, ground, before)
    if found is not None:
        return str(found)
    around = f"{before} {ground.place}"
    years = [need for need in needs(question) if need.want == "year"]
    said = YEAR.findall(ground.quote) or YEAR.findall(ground.place)
    if years and said and not any(has(need, f"{ground.quote} {around}") for need in years):
        return f"the text speaks of {said[0]}, not of {' or '.join(need.text for need in years)}"
    return ""


_QUALIFIERS = r"(?:deputy|vice|assistant|associate|acting|interim|former|ex|past|previous|honorary|junior|trainee|substitute|co|sub|under)"
_ROLE = re.compile(
    r"\bwho\s+(?:is|was|are|were)\s+(?:the|our|its|their|your|my)\s+(?:[\w'’-]+\s+){0,3}?([^\W\d_]{4,})(?=\s+(?:of|for|in|at)\b|\s*\?|\s*$)",
    re.IGNORECASE,
)


def _qualified(question: str, quote: str) -> tuple[str, str] | None:
    """The holder of a role, and only the deputy or the predecessor in the quote."""
    asked = _ROLE.search(question)
    if asked is None:
        return None
    role = stem(asked[1].lower())
    places = re.compile(rf"\b(?:({_QUALIFIERS})[\s-]+)?{re.escape(role)}s?\b", re.IGNORECASE)
    said = [match[1] for match in places.finditer(quote)]
    if not said or not all(said) or re.search(rf"\b{said[0]}\b", question, re.IGNORECASE):
        return None
    return role, f"{said[0]} {role}"


@dataclass(frozen=True, slots=True)
class _Slot:
    """`frame` names the phrase, `thing` is the word that fills it, `words` the words of its noun phrase."""

    frame: tuple[str, str]
    thing: str
    words: frozenset[str]


def _slot(question: str, quote: str, place: str) -> tuple[str, str] | None:
    have = {key_of(match[0]) for match in tokens_of(f"{quote} {place}")}
    asked_words = {key_of(match[0]) for match in tokens_of(question)}
    said: dict[tuple[str, str], list[_Slot]] = {}
    for one in (*_slots(quote), *_row_slots(quote)):
        said.setdefault(one.frame, []).append(one)
    for asked in _slots(question):
        others = said.get(asked.frame, [])
        if asked.thing not in _OPEN and others:
            found = _thing(asked, others, have, asked_words) or _kind(asked, others, have, asked_words)
            if found is not None:
                return found
    return None


def _thing(asked: _Slot, others: list[_Slot], have: set[str], words: set[str]) -> tuple[str, str] | None:
    """Another thing in each of the places."""
    if key_of(asked.thing) in have:
        return None
    other = [
        one
        for one in others
        if one.thing not in _OPEN
        and key_of(one.thing) not in words
        and not one.words & asked.words
        and not same_meaning(asked.thing, one.thing)
    ]
    return (asked.thing, other[0].thing) if len(other) == len(others) else None


def _kind(asked: _Slot, others: list[_Slot], have: set[str], words: set[str]) -> tuple[str, str] | None:
    """The same thing of another kind in each of the places: the island ferry, and the harbour ferry."""
    thing = key_of(asked.thing)
    kind = asked.words - {thing}
    if not kind or kind & have:
        return None
    other = [
        one
        for one in others
        if key_of(one.thing) == thing and one.words - {thing} and not (one.words - {thing}) & words
    ]
    if len(other) != len(others):
        return None
    return f"{min(kind)} {asked.thing}", f"{min(other[0].words - {thing})} {asked.thing}"


_WHICH = re.compile(
    r"\b(?:which|what)\s+([^\W\d_]{4,})\s+([^\W\d_]{4,})(?=\s+(?:is|are|was|were|do|does|did|has|have|can|must|will|should)\b)",
    re.IGNORECASE,
)


def _other_kind(question: str, quote: str, place: str) -> tuple[str, str] | None:
    """Another kind at each place where the quote has the thing: "which dental insurance" and the health insurance. Of a
    question for yes or no any two neighbours may be a kind and its thing."""
    if (asked := _WHICH.search(question)) is not None:
        pairs = [(asked[1], asked[2])]
    elif question_type(question) == "yes_no":
        spoken = [match[0] for match in tokens_of(question)]
        pairs = [
            (kind, thing)
            for kind, thing in pairwise(spoken)
            if _tells(kind.lower()) and _tells(thing.lower())
        ]
    else:
        return None
    tokens = [match[0].lower() for match in tokens_of(quote)]
    above = {key_of(match[0]) for match in tokens_of(place)}
    words = above | {key_of(match[0]) for match in tokens_of(question)}
    for kind, thing in pairs:
        before = [
            tokens[at - 1] if at else "" for at, token in enumerate(tokens) if key_of(token) == key_of(thing)
        ]
        if not before or key_of(kind) in above | set(map(key_of, tokens)):
            continue
        if all(_tells(one) and key_of(one) not in words and one not in _OPEN for one in before):
            return f"{kind} {thing}", f"{before[0]} {thing}"
    return None


def _row_slots(quote: str) -> Iterator[_Slot]:
    """A row with its column names says "the price of the island ferry", "the price for …" and "the island ferry costs"."""
    lines = quote.strip().split("\n")
    if len(lines) < 2 or not all(line.lstrip().startswith("|") for line in (lines[0], lines[-1])):
        return
    names, cells = cells_of(lines[0]), cells_of(lines[-1])
    label = [word for word in (match[0].lower() for match in tokens_of(cells[0])) if _tells(word)][:3]
    if not label or len(names) != len(cells):
        return
    keys = frozenset(map(key_of, label))
    for name in names[1:]:
        heads = [word for word in (match[0].lower() for match in tokens_of(name)) if _tells(word)]
        for head in heads[-1:]:
            for link in ("of", "for", "in", "at", "from", "to", "the"):
                yield _Slot((_frame(head), link), label[-1], keys)
            yield _Slot(("", _frame(head)), label[-1], keys)


def _slots(text: str) -> Iterator[_Slot]:
    """The slots of a text: "X of the Y" has its Y and "leads the Y" its object; "the Y has", "must the Y give", "the Y
    must give" and "a Y gives" have their subject, framed by the verb."""
    tokens = [match[0].lower() for match in tokens_of(text)]
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        if token in _PREPOSITIONS and _tells(before):
            phrase, _ = _phrase(tokens, at + 1)
            if phrase:
                yield _Slot((_frame(before), token), phrase[-1], frozenset(map(key_of, phrase)))
        if token in _DETERMINERS:
            phrase, end = _phrase(tokens, at)
            inverted = before in _AUXILIARIES
            if phrase and (inverted or not before or not before.isalnum()):
                yield from _subject(tokens, phrase, end, inverted)
            elif phrase and _tells(before):
                yield _Slot((_frame(before), "the"), phrase[-1], frozenset(map(key_of, phrase)))


def _subject(tokens: list[str], phrase: list[str], end: int, inverted: bool) -> Iterator[_Slot]:
    """The subject of a verb. Where no auxiliary follows, the verb is the phrase's last word ("must the tenant give")."""
    after = tokens[end] if end < len(tokens) else ""
    verb = after if after in _AUXILIARIES else ""
    if verb and not inverted and verb not in _HAVING:
        main = tokens[end + 1] if end + 1 < len(tokens) else ""
        passive = verb in _BEING and _tells(main)
        verb = main if _tells(main) or main in _HAVING else verb
        if passive:  # "the Y is led by X", beside "X leads the Y"
            yield _Slot((_frame(main), "the"), phrase[-1], frozenset(map(key_of, phrase)))
    if not verb and len(phrase) > 1:
        phrase, verb = phrase[:-1], phrase[-1]
    if verb:
        yield _Slot(("", _frame(verb)), phrase[-1], frozenset(map(key_of, phrase)))


def _phrase(tokens: list[str], at: int) -> tuple[list[str], int]:
    """The words of the noun phrase that begins here, without its determiner, at most three; and where it ends."""
    if at < len(tokens) and tokens[at] in _DETERMINERS:
        at += 1
    found: list[str] = []
    while at < len(tokens) and len(found) < 3 and _tells(tokens[at]) and tokens[at] not in _AUXILIARIES:
        found.append(tokens[at])
        at += 1
    return found, at


def _tells(token: str) -> bool:
    return token.isalpha() and len(token) > 2 and stem(token) not in STOP and token not in STOP


def _frame(word: str) -> str:
    """The word that names a phrase; all words for a price are one."""
    key = key_of(_VERBS.get(word, word))
    return "price" if key in _PRICES else key
