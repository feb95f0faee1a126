"""Has the evidence the form that the question asks for? Who wants a name, when a time, how many a number, and a question
for the holder of a role wants that role. And has the answer nothing that its evidence lacks?

Both are checks of form: they refuse what cannot be an answer, and say nothing for what can. Cost: linear in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from knarr.checker.constraints import Need
from knarr.checker.evidence import Ground, has, numbers
from knarr.language.lexical import root
from knarr.language.question_type import question_type
from knarr.language.words import STOP, proper_runs, stem, words

_IDENTITY = re.compile(
    r"\bwho\s+(?:is|was|are|were)\s+(?:the|our|its|their|your|my)\s+((?:[\w'’-]+\s*){1,6}?)(?=\b(?:of|for|in|at|on|from|to|that|who|when)\b|[?,.;]|$)",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[^\W\d_a-zà-öø-ÿ][\w.'’-]+")
_PERSONS = re.compile(
    r"\b(?:\w{3,}(?:er|or|ee|ist|ant|ent|ian|man|men|woman|women|ic|ian)s?|people|persons?|staff|team|board|committee|council|court|office"
    r"|department|members?|anyone|everyone|everybody|nobody|no one|someone|party|parties|company|bank|agency|authority|team|you|we|they|he"
    r"|she|us|our|group|faculty|children|child|adults?|participants?|individuals?|family|families|public)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:since|until|till|after|before|during|when|while|upon|once|by|within|end|start|beginning)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\bhow many\s+(?:(?:more|other|different|full|working|business|calendar)\s+)*([^\W\d_]{3,})",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?<![\w.,])\d[\d,.]*\d?\s+([^\W\d_]{3,})")
_TIMES = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year", "night", "decade"})


def lacking(question: str, stands: Sequence[Ground]) -> str:
    """What the evidence lacks of the form that is asked for, in words; "" when nothing is lacking."""
    texts = [f"{one.quote} {one.place}" for one in stands]
    kind = question_type(question)
    if kind == "when" and not _any(Need("time", "", "a time"), texts) and not any(map(_LATER.search, texts)):
        return "a time"
    if kind == "how_many" and not _any(Need("quantity", "", "a number"), texts):
        return "a number"
    return _lacks_person(question, texts) if kind == "who" else ""


def _any(need: Need, texts: Iterable[str]) -> bool:
    return any(has(need, text) for text in texts)


def _lacks_person(question: str, texts: Sequence[str]) -> str:
    identity = _IDENTITY.search(question)
    if identity is None:
        named = any(_PERSONS.search(text) or _names(text) for text in texts)
        return "" if named else "a person or body"
    role = [word for word in words(identity[1]) if word.whole not in STOP]
    if role:
        wanted = root(stem(role[-1].text.lower()))
        if not any(wanted in _roots(text) for text in texts):
            return role[-1].text
    return "" if any(_names(text) for text in texts) else "a name"


def _names(text: str) -> bool:
    return any(True for _ in proper_runs(text)) or len(_CAPITAL.findall(text)) > 1


def _roots(text: str) -> set[str]:
    return {root(part) for word in words(text) for part in (word.whole, *word.parts)}


def unfounded(question: str, answer: str, stands: Sequence[Ground]) -> str:
    """The first thing in an answer that neither its evidence nor the question has: a number that the evidence does not
    give and that simple arithmetic over its numbers does not give either, a count of something else than what was asked,
    or all of its words. "" when there is none."""
    founded = " ".join([question, *(f"{one.quote} {one.near} {one.place}" for one in stands)])
    given = numbers(founded)
    for number in sorted(numbers(_LISTED.sub(" ", answer)) - given):
        if not _derived(number, given):
            return number
    if counted := _counts_else(question, answer):
        return counted
    told = [root(stem(word.text.lower())) for word in words(answer) if _telling(word.text)]
    known = _roots(founded)
    if len(told) >= _FEW and not any(word in known for word in told) and not numbers(answer) & given:
        return "every word of the answer"
    return ""


_LISTED = re.compile(r"(?:^|\n)\s*\(?\d{1,2}[.)]\s|\[\d{1,4}\]")
_FEW = 3
_MOST_DERIVED = 24  # numbers that are tried with each other


def _telling(word: str) -> bool:
    return len(word) > 3 and word.isascii() and word.lower() not in STOP


def _derived(number: str, given: Iterable[str]) -> bool:
    """Whether a number is the sum, difference, product, ratio or percentage of two of those given, as it is rounded."""
    wanted = _value(number)
    values = [value for text in sorted(given)[:_MOST_DERIVED] if (value := _value(text)) is not None]
    if wanted is None:
        return False
    near = 0.5 * 10.0 ** -len(number.partition(".")[2]) + 1e-9
    for left in values:
        for right in values:
            results = [left + right, left - right, left * right]
            if right:
                results += [left / right, 100.0 * left / right, 100.0 * (left - right) / right]
            if any(abs(abs(result) - wanted) <= near for result in results):
                return True
    return bool(values) and abs(sum(values) - wanted) <= near


def _value(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _counts_else(question: str, answer: str) -> str:
    """ "10 documents" where days were asked for: every count in the answer is one of something else."""
    asked = _HOW_MANY.search(question)
    if asked is None:
        return ""
    unit = stem(asked[1].lower())
    counted = [stem(match[1].lower()) for match in _COUNTED.finditer(answer)]
    plain = len(numbers(answer)) > len(counted)
    fits = any(root(one) == root(unit) or {one, unit} <= _TIMES for one in counted)
    adjectives = any(
        root(unit) in _roots(answer[match.end() : match.end() + 40]) for match in _COUNTED.finditer(answer)
    )
    return "" if plain or fits or adjectives or not counted else f"a number of {asked[1]}"
