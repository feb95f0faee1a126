"""What figure a question asks for, and whether a figure of a text can be its answer.

A figure answers when its kind is the one asked for, when every telling word and name of the question stands in its
sentence or in its row, column and titles, when its row is the row that was asked about and no other, and when its years
are those of the question. It says nothing about which of two answers is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from knarr.language.figures import Figure, figures, years_of
from knarr.language.lexical import root, terms
from knarr.language.quantities import DURATIONS, Kind
from knarr.language.question import Constraint, constraints
from knarr.language.words import STOP, stem, words
from knarr.types import Provenance
from knarr.uris import components, name_of


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of document text, and the sentence or row of it that is looked at: ``text[begin:end]``, in characters. All of
    the text where `end` is None."""

    uri: str
    text: str
    source: Provenance
    begin: int = 0
    end: int | None = None

    @property
    def titles(self) -> str:
        """The titles and names above, as running text."""
        names = components(self.source.document)[-1:] or components(self.uri)[:1]
        return " / ".join(
            (*(name.rpartition(".")[0] or name for name in names), *self.source.section)
        ).replace("_", " ")

    @property
    def name(self) -> str:
        """The name of its document, in words."""
        return name_of(self.source.document).replace("_", " ")

    def figures(self) -> tuple[Figure, ...]:
        """The figures of the sentence or row that is looked at."""
        end = len(self.text) if self.end is None else self.end
        return tuple(one for one in _figures(self.text) if self.begin <= one.begin < end)


@lru_cache(maxsize=64)
def _figures(text: str) -> tuple[Figure, ...]:
    return figures(text)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    kinds:   of the figures that can answer it
    words:   roots of the telling words that say what the figure is of
    names:   names, identifiers and quoted words, which the answer's sentence or titles must have
    years:   that the question names
    counted: roots of the noun after "how many"; empty without one
    """

    question: str
    kinds: frozenset[Kind]
    words: frozenset[str]
    names: tuple[Constraint, ...]
    years: frozenset[int]
    counted: frozenset[str]


_SPAN = "|".join(DURATIONS)
_LONG = re.compile(rf"\bhow (?:many|much)(?: \w+)?(?: \w+)? (?:{_SPAN})s?\b|\bhow (?:long|soon|quickly)\b|\b(?:what|which) (?:is|are|was|were) the (?:\w+ )?(?:notice period|duration|period|term|warranty)\b", re.IGNORECASE)  # fmt: skip
_SHARE = re.compile(r"\b(?:percent(?:age)?|per cent|proportion|what (?:share|fraction))\b|%", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?:what|which) time\b|\bwhat (?:is|are) the (?:opening|closing|start|end) time", re.IGNORECASE
)
_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:date|day|deadline|month)\b|\b(?:date|deadline)\b", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:what|which) year\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\s+(?:of the\s+|of\s+)?((?:[\w'’-]+\s+){0,2}?[\w'’-]+)(?=\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must|there)\b|\s*\?|$|\s+(?:in|of|at|on|for|per|to|work|exist)\b)", re.IGNORECASE)  # fmt: skip
_MUCH = re.compile(r"\bhow (?:much|large|big|high|far|tall|old|heavy|wide|deep|expensive)\b", re.IGNORECASE)
_WHAT = re.compile(r"\b(?:what|which|tell me|give me)\b", re.IGNORECASE)
_MEASURE = re.compile(
    r"\b(?:fares?|fees?|prices?|costs?|rents?|salary|salaries|wages?|revenues?|sales|income|profits?|loss(?:es)?|budgets?|amounts?|rates?"
    r"|limits?|maximum|minimum|number|totals?|penalt(?:y|ies)|fines?|discounts?|deposits?|weights?|heights?|lengths?|sizes?|areas?"
    r"|distances?|temperatures?|speeds?|capacity|population|scores?|age|expenses?|taxes|tax|premium|deductible|allowance|charge|charges"
    r"|value|margin|credits?|points|quota|threshold|dose|dosage|interest|balance|volume|turnover)\b",
    re.IGNORECASE,
)
# Verbs and nouns of asking and paying that texts exchange for one another.
_LIGHT_WORDS = """
able does did allow allowed amount apply applied ask available be become begin bring buy call charge charged check come cost count customer
day days deadline do due duration exist expect find follow get give given go happen have hour hours include issue issued keep know last
length let list long make made many maximum may mean minute minutes money month months much must need needed now number offer offered
once order paid pay payable payment people per percent percentage period permit permitted person place please price process processed
provide provided quantity quarter reach receive received require required run say second seconds see send sent set share should soon
start state stated take taken tell time times total two use used user value want week weeks within work year years currently
according current exact exactly maximum minimum new note notice please remember also always inform informed announce effective still
fiscal calendar company we our your you us they their it its here there each every any all one page section document text table report
""".split()  # noqa: SIM905 - one word per line would hide the list
_LIGHT = frozenset(_LIGHT_WORDS) | frozenset(root(stem(word)) for word in _LIGHT_WORDS)
_KINDS_OF_MEASURE: frozenset[Kind] = frozenset({"money", "number", "percent"})


# Light in a question, and yet "cost of sales" is not "sales".
NAMING = frozenset(root(stem(word)) for word in ("cost", "price", "payment", "charge", "count", "customer", "order", "total", "maximum", "minimum", "number", "percent", "percentage", "user", "share", "people", "quarter", "month", "week"))  # fmt: skip


def light(term: str) -> bool:
    """Whether a word says little about what a figure is of."""
    return term in _LIGHT or term in STOP or term.isdigit()


def asked(question: str) -> Asked | None:
    """What a question asks for; None where no figure can answer it."""
    kinds = _kinds(question)
    if not kinds:
        return None
    years = frozenset(years_of(question))
    counted = _COUNT.search(question)
    return Asked(
        question=question,
        kinds=kinds,
        words=frozenset(term for term in terms(question) if not light(term) and not term.isdigit()),
        names=tuple(one for one in constraints(question) if one.kind in ("name", "identifier", "quoted") and not years_of(one.text)),
        years=years,
        counted=frozenset(terms(counted[1])) - _LIGHT if counted and "duration" not in kinds else frozenset(),
    )  # fmt: skip


def _kinds(question: str) -> frozenset[Kind]:
    if _LONG.search(question):
        return frozenset({"duration"})
    if _SHARE.search(question):
        return frozenset({"percent"})
    if _CLOCK.search(question):
        return frozenset({"time"})
    if _YEAR.search(question):
        return frozenset({"year", "date"})
    if _COUNT.search(question):
        return frozenset({"number"})
    if _MUCH.search(question):
        return _KINDS_OF_MEASURE
    if _DATE.search(question):
        return frozenset({"date", "year", "time"})
    if _WHAT.search(question) and _MEASURE.search(question):
        return _KINDS_OF_MEASURE
    return frozenset()


_DENIED = re.compile(
    r"\b(?:not|instead of|rather than|formerly|previously|used to|no longer|until (?:now|then)|originally|before that|unlike)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|once|should you|provided)\b[^,;]{0,60}$", re.IGNORECASE
)
_CODE = re.compile(r"\w\([^)\n]*\)[;,{]|[{};]\s*(?://.*)?$|=>|[!=]=")  # a number in a program is no statement
_FROM_TO = re.compile(r"\b([\w'’-]+)\s*(?:\bto\b|→|->|–)\s*(?:the\s+)?([\w'’-]+)", re.IGNORECASE)


def answers(want: Asked, piece: Piece) -> list[Figure]:
    """The figures of the sentence or row that can answer, in order."""
    found = [one for one in piece.figures() if one.kind in want.kinds and not one.unsure]
    found = [one for one in found if _is_about(want, piece, one)]
    if any(one.place is not None for one in found):
        return _best_columns(want, found)
    return found


def _is_about(want: Asked, piece: Piece, one: Figure) -> bool:
    line = piece.text[one.line[0] : one.line[1]]
    if (
        line.rstrip().endswith("?")
        or _CODE.search(line)
        or other_way(want.question, line if one.place is None else one.row)
    ):
        return False
    if one.place is None and _beside_the_point(want, piece, one):
        return False
    if (
        want.years
        and not want.years & frozenset(one.years or years_of(piece.titles))
        and one.kind not in ("date", "year")
    ):
        return False
    place = frozenset(terms(f"{piece.titles} {one.caption}"))
    if want.words - one.subject - place or (want.words and not want.words & one.subject):
        return False
    if want.counted and not _counts(want, piece, one):
        return False
    if one.place is not None and _other_row(want, one, place):
        return False
    said = frozenset(
        word.whole for word in words(f"{line} {one.row} {one.column} {one.caption} {piece.titles}")
    )
    return all(word.whole in said or word.whole in STOP for name in want.names for word in words(name.text))


def _beside_the_point(want: Asked, piece: Piece, one: Figure) -> bool:
    """Whether a sentence has a value only to deny it, as a condition, or as the year of a work that it cites."""
    before = piece.text[max(one.line[0], one.begin - 60) : one.begin]
    after = piece.text[one.end : one.line[1]]
    if _DENIED.search(before) or (_CONDITION.search(before) and not _CONDITION.search(want.question)):
        return True
    return one.kind == "year" and bool(
        re.search(r"\($|,\s$|\b[A-Z]\.\s$", before) and re.match(r"[).;]|\s*$", after)
    )


def _counts(want: Asked, piece: Piece, one: Figure) -> bool:
    """Whether a number counts what "how many" asks about: the noun is near behind it, or names its row or column."""
    if one.place is not None:
        return bool(want.counted <= one.subject)
    behind = terms(piece.text[one.end : min(one.line[1], one.end + 60)])[:4]
    return bool(want.counted & frozenset(behind))


def _other_row(want: Asked, one: Figure, place: frozenset[str]) -> bool:
    """Whether a row is of something that was not asked about: its label has a telling word that the question lacks."""
    label = frozenset(word for word in one.row_words if not light(word) or word in NAMING)
    return bool(label - frozenset(terms(want.question)) - place)


def _best_columns(want: Asked, found: Sequence[Figure]) -> list[Figure]:
    """Of a row's cells those whose column the question names; all where it names none."""
    asked_words = frozenset(terms(want.question))
    fits = [len(one.column_words & asked_words) for one in found]
    most = max(fits)
    if most == 0:
        return list(found)
    return [
        one for one, fit in zip(found, fits, strict=True) if fit == most and not _foreign(one, asked_words)
    ]


def _foreign(one: Figure, asked_words: frozenset[str]) -> bool:
    return any(not light(word) or word in NAMING for word in one.column_words - asked_words)


def other_way(question: str, line: str) -> bool:
    """Whether a line speaks of "B to A" where the question says "A to B"."""
    pairs = {(first.lower(), second.lower()) for first, second in _FROM_TO.findall(question)}
    told = {(first.lower(), second.lower()) for first, second in _FROM_TO.findall(line)}
    return any((second, first) in told and (first, second) not in told for first, second in pairs)
