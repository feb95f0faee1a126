"""Is a quote about what was asked? A check of words in their places, in both directions of a contrast.

A cross-encoder likes a sentence that differs from the question in one word: "the head of the depot" for the head of
the workshop, Saturday for Sunday, the landlord for the tenant. No score tells these apart, so they are told apart by
rule. Three kinds of contrast are known, each with the word that was asked for and the word that stands in its place:

class  words of which a text means one at a time (days, ordinals, buyer and seller, early and late): the question has
       one of them, the quote has another and not that one
label  a numbered or lettered thing: zone 2 is not zone 1, annex B is not annex A
slot   the same word in the same phrase with another thing in it: "the head of the …", "the … has", "the … must"

A contrast holds only when the asked word is missing from all that the quote stands under: its sentence with the one
before, its column names, titles and names. Cost: linear in the question and the quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knarr.checker.constraints import YEAR, needs
from knarr.checker.evidence import Ground, has
from knarr.language.lexical import root
from knarr.language.words import STOP, stem

# One class a line; members in groups: the forms of one meaning are joined by "/".
_CLASSES = """
monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thurs friday/fri saturday/sat sunday/sun weekday/weekdays weekend/weekends
january february march april june july august september october november december
spring summer autumn/fall winter
morning/mornings afternoon/afternoons evening/evenings night/nights
first/1st second/2nd third/3rd fourth/4th fifth/5th sixth/6th seventh/7th eighth/8th ninth/9th tenth/10th last/final
early/earlier late/later
front back/rear
left right
upper/top lower/bottom
inner/inside/internal outer/outside/external
north/northern south/southern east/eastern west/western
adult/adults child/children/kids senior/seniors/pensioner/pensioners student/students
minimum/min maximum/max average/mean median
arrival/arrivals departure/departures
entry entrance exit
buyer/purchaser seller/vendor
landlord/lessor tenant/lessee/renter
licensor licensee
employer employee/employees
lender borrower
franchisor franchisee
supplier customer/customers
distributor manufacturer
domestic international/foreign
full-time part-time
undergraduate/undergraduates graduate/graduates
monthly weekly daily quarterly annual/yearly hourly
gross net
revenue/revenues/sales/turnover profit/profits/earnings cost/costs expense/expenses loss/losses asset/assets liability/liabilities
oral/spoken written
public private
single double triple
standard deluxe premium basic economy business
primary secondary tertiary
gold silver bronze platinum
breakfast lunch dinner
male/men/man female/women/woman
training validation/dev test
red blue green yellow black white grey/gray brown orange purple
plaintiff defendant
doctor nurse patient
mother father son daughter brother sister
train bus tram ferry plane
cat dog horse
beginning/start end
increase/increased decrease/decreased
import/imports export/exports
debit credit
input/inputs output/outputs
"""
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
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[.;:!?|,()\n]")
_LABEL = re.compile(r"\b([^\W\d_]{3,})\s+(?:no\.?\s*|number\s+|#)?(\d{1,4}(?:\.\d+)*|[A-Z])\b(?!['’.]\w)")
_UNITS = frozenset(
    [
        "about",
        "after",
        "and",
        "are",
        "around",
        "before",
        "between",
        "but",
        "byte",
        "from",
        "hour",
        "into",
        "least",
        "less",
        "minute",
        "month",
        "more",
        "most",
        "near",
        "over",
        "page",
        "than",
        "the",
        "then",
        "through",
        "under",
        "until",
        "upto",
        "with",
        "within",
        "day",
        "week",
        "year",
        "percent",
    ]
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """What was asked for, and what the text speaks of instead."""

    asked: str
    instead: str

    def __str__(self) -> str:
        return f"the text speaks of “{self.instead}”, not of “{self.asked}”"


def contrast(question: str, ground: Ground, before: str = "") -> Contrast | None:
    """The first contrast between a question and a quote, None when there is none.

    `before` is the sentence that the quote leans on; a row is quoted with its column names."""
    around = f"{before} {ground.place}"
    for kind in (_class, _label, _slot):
        if (found := kind(question, ground.quote, around)) is not None:
            return found
    return None


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


@lru_cache(maxsize=1)
def _members() -> dict[str, tuple[int, int]]:
    """By word, its class and its group there."""
    return {
        word: (line, group)
        for line, text in enumerate(_CLASSES.strip().splitlines())
        for group, forms in enumerate(text.split())
        for word in forms.split("/")
    }


def _class(question: str, quote: str, around: str) -> Contrast | None:
    asked, said = _classed(question), _classed(quote)
    above = {key for _word, key in _classed(around)}
    wanted = {key for _word, key in asked}
    have = {key for _word, key in said} | above
    for word, key in asked:
        if key in have:
            continue
        other = next(
            (one for one, (line, group) in said if line == key[0] and (line, group) not in wanted), None
        )
        if other is not None:
            return Contrast(word, other)
    return None


def _classed(text: str) -> list[tuple[str, tuple[int, int]]]:
    """The words of a text that are in a class, in order. "May" and "second" as verbs or units are not in the list."""
    members = _members()
    found = []
    for match in _TOKEN.finditer(text):
        word = match[0].lower()
        if word in members:
            found.append((match[0], members[word]))
    return found


def _label(question: str, quote: str, around: str) -> Contrast | None:
    said = _labels(quote)
    have = said | _labels(around)
    for noun, label in _labels(question):
        if (noun, label) in have:
            continue
        other = sorted(other for one, other in said if one == noun)
        if other:
            return Contrast(f"{noun} {label}", f"{noun} {other[0]}")
    return None


def _labels(text: str) -> set[tuple[str, str]]:
    found = set()
    for match in _LABEL.finditer(text):
        noun = stem(match[1].lower())
        if noun not in _UNITS and noun not in STOP:
            found.add((noun, match[2]))
    return found


@dataclass(frozen=True, slots=True)
class _Slot:
    """`frame` names the phrase, `thing` is the word that fills it, `words` the words of its noun phrase."""

    frame: tuple[str, str]
    thing: str
    words: frozenset[str]


def _slot(question: str, quote: str, around: str) -> Contrast | None:
    have = {_key(word) for word in _TOKEN.findall(f"{quote} {around}")}
    asked_words = {_key(word) for word in _TOKEN.findall(question)}
    said: dict[tuple[str, str], list[_Slot]] = {}
    for one in _slots(quote):
        said.setdefault(one.frame, []).append(one)
    for asked in _slots(question):
        if _key(asked.thing) in have or asked.thing in _OPEN:
            continue
        others = [
            one
            for one in said.get(asked.frame, ())
            if one.thing not in _OPEN and _key(one.thing) not in asked_words and not one.words & asked.words
        ]
        if any(_same_class(asked.thing, one.thing) for one in others):
            continue
        if others and len(others) == len(said[asked.frame]):
            return Contrast(asked.thing, others[0].thing)
    return None


def _same_class(left: str, right: str) -> bool:
    """Whether two words are forms of one meaning: tenant and lessee."""
    members = _members()
    return left in members and members.get(left) == members.get(right)


def _slots(text: str) -> Iterator[_Slot]:
    """The slots of a text: "X of the Y" has its Y, "the Y has", "must the Y give" and "the Y must give" have their
    subject, framed by the verb."""
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    for at, token in enumerate(tokens):
        if token in _PREPOSITIONS and at and _tells(tokens[at - 1]):
            phrase, _ = _phrase(tokens, at + 1)
            if phrase:
                yield _Slot((_key(tokens[at - 1]), token), phrase[-1], frozenset(map(_key, phrase)))
        if token in _DETERMINERS:
            phrase, end = _phrase(tokens, at)
            inverted = at > 0 and tokens[at - 1] in _AUXILIARIES
            if phrase and (inverted or at == 0 or not tokens[at - 1].isalnum()):
                yield from _subject(tokens, phrase, end, inverted)


def _subject(tokens: list[str], phrase: list[str], end: int, inverted: bool) -> Iterator[_Slot]:
    """The subject of a verb. After "must the" the verb is the phrase's last word ("must the tenant give")."""
    if inverted:
        verb = tokens[end] if end < len(tokens) and tokens[end] in _AUXILIARIES else ""
        if not verb and len(phrase) > 1:
            phrase, verb = phrase[:-1], phrase[-1]
    else:
        verb = tokens[end] if end < len(tokens) and tokens[end] in _AUXILIARIES else ""
        after = tokens[end + 1] if verb and end + 1 < len(tokens) else ""
        verb = after if _tells(after) and verb not in ("has", "have", "had") else verb
    if verb:
        yield _Slot(("", _VERBS.get(verb, _key(verb))), phrase[-1], frozenset(map(_key, phrase)))


def _phrase(tokens: list[str], at: int) -> tuple[list[str], int]:
    """The words of the noun phrase that begins here, without its determiner, at most three; and where it ends."""
    if at < len(tokens) and tokens[at] in _DETERMINERS:
        at += 1
    found: list[str] = []
    while at < len(tokens) and len(found) < 3 and _tells(tokens[at]):
        found.append(tokens[at])
        at += 1
    return found, at


def _tells(token: str) -> bool:
    return token.isalpha() and len(token) > 2 and stem(token) not in STOP and token not in STOP


def _key(word: str) -> str:
    return root(stem(word.lower()))
