"""The constraints that an answer must satisfy, read off the question by rule: entity, time, scope, quantity,
negation.

Years, numbers and names are *hard*: evidence that lacks them is about something else. What a question
excludes ("not in 2023", "other than Oslo") is a constraint of its own, and no longer one to be found.
The form of the answer counts too: "when" wants a time, "how many" a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knarr.language.question import Constraint, constraints, focus_words
from knarr.language.sentences import prose_spans
from knarr.language.words import STOP, words
from knarr.uris import name_of

NeedKind = Literal["entity", "time", "scope", "quantity", "negation"]
Want = Literal[
    "words", "phrase", "year", "number", "version", "document", "a time", "a number", "absence", "denial"
]

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORT_YEAR = re.compile(r"\b(?:FY|CY)\s?['’]?(\d\d)\b(?!\d)", re.IGNORECASE)
_VERSIONED = re.compile(r"\b(?:versions?|releases?|v\.?)\s*$", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:when|(?:what|which) (?:\w+ )?(?:date|day|time|year|month|deadline)s?|how (?:long ago|soon|recently))\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|often|old|large|big|far|tall|high)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:percent(?:age)?|share|number|amount|rate|ratio|proportion)\b",
    re.IGNORECASE,
)
_EXCLUDING = re.compile(
    r"\b(?:not|except(?:ing)?|excluding|excludes?|other than|besides|apart from|aside from|outside(?: of)?|but not|without)"
    r"(?:\s+(?:in|for|from|by|during|on|at|of|the|those|any|year|fiscal|counting|including))*\s+$",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|cannot|neither|nor|without|except|excluding|excluded|unless|\w+n['’]t)\b",
    re.IGNORECASE,
)
_AROUND = 32


@dataclass(frozen=True, slots=True)
class Need:
    """One constraint.

    kind:  as verdicts name it
    text:  as the question has it; for a scope its URI
    want:  how it is looked for: its words, a phrase as it stands, an exact year, number or version, a
           document, any time or number at all, the absence of what the question excludes, a denial
    hard:  evidence without it is about something else
    """

    kind: NeedKind
    text: str
    want: Want
    hard: bool = False


def needs(question: str, scopes: Sequence[str] = ()) -> tuple[Need, ...]:
    """In the order of how much they pin down. `question` is without the words that name documents,
    `scopes` are the documents it means."""
    found: list[Need] = [Need("scope", uri, "document") for uri in scopes]
    excluded = False
    asking = _asking(question)
    for one in constraints(question):
        if _excluded(question, one.text):
            found.append(Need("negation", one.text, "absence", hard=True))
            excluded = True
        else:
            told = one.text not in asking or (one.kind == "name" and _no_name(asking, one.text))
            found += (replace(need, hard=need.hard and not told) for need in _named(question, one))
    found += _form(question)
    denial = None if excluded else _DENIES.search(question)
    if denial:
        tail = " ".join(question[denial.start() :].split()[:4]).strip(" ,.;:?!")
        found.append(Need("negation", tail, "denial"))
    focus = [word for word in focus_words(question) if word not in STOP and len(word) > 3]
    found += [Need("entity", word, "words") for word in sorted(focus)]
    return tuple(dict.fromkeys(found))


_CIRCUMSTANCES = re.compile(r"\b(?:I|I['’]\w+|me|my|we|our|if|suppose)\b", re.IGNORECASE)


def _asking(question: str) -> str:
    """A question without the sentences that tell the asker's circumstances: "I have exams on 12 May. When is yours?"."""
    spans = [question[begin:end] for begin, end in prose_spans(question, 0, len(question))]
    asking = [text for text in spans if text.rstrip().endswith("?") or not _CIRCUMSTANCES.search(text)]
    return " ".join(asking) or question


def _no_name(asking: str, name: str) -> bool:
    """Whether a name need not stand in the evidence: it is only an example ("such as IP infringement"), it says of what
    kind several things are ("CSS selectors"), it is the noun after the asking word ("How Many Credits is this?"), or a
    title has capitals throughout ("How Is The Course Graded?")."""
    said = re.escape(name)
    example = rf"\b(?:such as|e\.g\.|for example|including)\s+(?:\w+\s+){{0,2}}{said}\b"
    if re.search(example, asking):
        return True
    if " " not in name and re.search(rf"\b(?:many|much|which|what|whose)\s+{said}\b", asking, re.IGNORECASE):
        return True
    if name.isupper() and name.isalpha() and (after := re.search(rf"\b{said}\s+([a-z]{{3,}}s)\b", asking)):
        return after[1] not in STOP
    rest = [word.text for word in words(asking)][1:]
    return len(rest) > 3 and all(word[0].isupper() or word in _SMALL_IN_TITLES for word in rest)


_SMALL_IN_TITLES = frozenset("a an and at by for from in of on or the to with".split())  # noqa: SIM905 - a line


def _named(question: str, one: Constraint) -> Iterator[Need]:
    """A constraint of the question as needs; years that stand in a name or date are needs too."""
    years = [*YEAR.findall(one.text), *(f"20{short}" for short in _SHORT_YEAR.findall(one.text))]
    for year in years:
        yield Need("time", year, "year", hard=True)
    if one.kind == "quoted":
        yield Need("entity", one.text, "phrase")
    elif one.kind == "identifier":
        yield Need("entity", one.text, "phrase", hard=True)
    elif one.kind == "name":
        rest = " ".join(YEAR.sub(" ", _SHORT_YEAR.sub(" ", one.text)).split())
        if _tells(rest):
            yield Need("entity", rest, "words", hard=not _DESCRIBES.fullmatch(rest))
    elif not years:
        version = _is_version(question, one.text)
        small = len(one.text) == 1  # "a 4-letter word" needs no 4 in its evidence
        yield Need("quantity", one.text, "version" if version else "number", hard=version or not small)
    elif not YEAR.fullmatch(one.text.strip("$€£")):
        yield Need("time", one.text, "words")


# Where someone or something is from: evidence may say so in other words.
_DESCRIBES = re.compile(r"[A-Z][a-z]+(?:ish|ese|ian|can|man|ean)|French|Dutch|Greek|Swiss|Welsh|English")
_EMPTY = STOP | frozenset(
    {"fy", "cy", "q1", "q2", "q3", "q4", "fiscal", "year", "quarter", "usd", "eur", "gbp"}
)


def _tells(name: str) -> bool:
    """Whether something is left of a name without years and the words around them."""
    return any(word.text.lower() not in _EMPTY and not word.text.isdigit() for word in words(name))


def _is_version(question: str, number: str) -> bool:
    at = question.find(number)
    return number.count(".") > 1 or bool(_VERSIONED.search(question[max(0, at - _AROUND) : at]))


def _excluded(question: str, text: str) -> bool:
    """Whether the question names this only to exclude it, each time it does."""
    ends = [match.start() for match in re.finditer(re.escape(text), question)]
    return bool(ends) and all(_EXCLUDING.search(question[max(0, at - _AROUND) : at]) for at in ends)


def _form(question: str) -> Iterator[Need]:
    if match := _WHEN.search(question):
        yield Need("time", match[0], "a time")
    if match := _HOW_MUCH.search(question):
        yield Need("quantity", match[0], "a number")


_ROLE = (
    r"(?:writer|author|director|producer|singer|songwriter|composer|musician|artist|actor|actress|founder|creator|inventor|owner|"
    r"player|footballer|politician|president|manager|wife|husband|son|daughter|father|mother|brother|sister|band|group|team|club|"
    r"company|school|university|city|town|country|state|album|film|movie|song|single|novel|book|show|series|episode|character)s?"
)
_DESCRIBED = re.compile(
    rf"\bwhose\b|\w,\s+(?:who|which)\b|\b(?:the|an?|this|that)\s+(?:[\w'’-]+\s+){{1,6}}?who\b"
    rf"|\b(?:the|an?|this|that)\s+(?:[\w'’-]+\s+){{0,3}}?{_ROLE}\s+(?:of|by|for|behind|that|which|where|in\s+which)\b",
    re.IGNORECASE,
)


def described(question: str) -> str:
    """The words by which a question describes what it means instead of naming it ("the writer of", "whose"): its answer
    takes a step from one document to another. "" for none."""
    found = _DESCRIBED.search(question)
    return "" if found is None else found[0]


def named(need: Need) -> str:
    """The need in words, for reasons."""
    return f"the document {name_of(need.text)}" if need.kind == "scope" else f"“{need.text}”"
