"""Simple arithmetic over cited figures: change, difference, sum, ratio, share, average, highest, lowest, count, span of days.

The question says by its words which operation it wants and of what; `knarr.agent.policy.reckoning` finds the operands. The
result shows them: "55 million euro (2025) − 41 million euro (2024) = 14 million euro (+34.1 %)", with a quote of each.
Nothing is reckoned that stands in the evidence as it is, and what is unsure is refused with its reason. A table may go on
beyond what is shown, so a highest value or a count is told of the rows shown.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from knarr.agent.policy.reckoning import VALUES, Operand, Refused, like, operand, plain, same_units, shown
from knarr.agent.policy.tabular import counted, extreme
from knarr.agent.values import Quote
from knarr.checker.asked import NAMING, Piece, light
from knarr.language.figures import years_of
from knarr.language.lexical import root, terms
from knarr.language.plain import one_line
from knarr.language.words import stem


@dataclass(frozen=True, slots=True)
class Computed:
    """What was reckoned.

    text:      the operands and the result, "" when it is refused
    quotes:    the row or sentence of each operand, each once
    operands:  in the order of the text
    refused:   why nothing was reckoned, in words of the question and the evidence: "2025 is missing"
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    operands: tuple[Operand, ...] = ()
    refused: str = ""


def computed(question: str, pieces: Sequence[Piece]) -> Computed | None:
    """The arithmetic that a question asks for, over the figures of `pieces`. None when it asks for none, when its answer
    stands in the evidence as it is, or when no operand was found; with `refused` when it cannot be relied on."""
    seen = list({(piece.uri, piece.begin, piece.end, piece.text): piece for piece in pieces}.values())
    try:
        for operation in (_span, _ratio, _average, _total, _change, _difference, _extreme, _counted):
            found = operation(question, seen)
            if found is not None:
                return found
    except Refused as refused:
        return Computed("", refused=str(refused))
    return None


# ------------------------------------------------------------------ what is asked

_CHANGE = re.compile(
    r"\bhow (?:much )?(?:did|has|have|was|were|do|does|is)\b.*\b(?:change|changed|grow|grown|develop|developed|increased?|decreased?"
    r"|fall|fallen|rise|risen|drop|dropped|declined?|improved?)\b|\b(?:change|increase|decrease|growth|decline|drop|rise) (?:in|of)\b"
    r"|\bby (?:how much|what)\b.*\b(?:change|grow|increase|decrease|fall|rise|drop|decline)d?\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\bpercent(?:age)?\b|\bper cent\b|%|\bgrowth rate\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bdifference (?:in (?P<of>[\w\s'’-]+?) )?between (?:the )?(?P<one>[^?]+?) and (?:the )?(?P<two>[^?]+)"
    r"|\bhow much (?:more|less|higher|lower|larger|smaller|cheaper|longer|bigger)\b(?P<which>[^?]*?) (?:is|was|are|were|does|did) "
    r"(?:the )?(?P<one2>[^?]+?)(?: cost)? than (?:the )?(?P<two2>[^?]+)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(?:total|sum|combined)\b[^?]*\b(?:of|for|in|from|over)\b (?:the )?(?P<one>[^?]+?) and (?:the )?(?P<two>[^?]+)"
    r"|\b(?P<one2>[\w\s'’-]+?) and (?P<two2>[\w\s'’-]+?) (?:together|combined|in total|taken together)\b",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_RATIO = re.compile(
    r"\bratio (?:of|between) (?:the )?(?P<one>[^?]+?) (?:to|and) (?:the )?(?P<two>[^?]+)"
    r"|\b(?:what|which) (?:percentage|percent|share|proportion|fraction) of (?:the )?(?P<whole>[^?]+?) "
    r"(?:is|was|are|were|comes? from|came from|went to|goes to) (?:the )?(?P<part>[^?]+)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\bhow (?:many (?P<unit>day|week|month|year)s|long)\b[^?]*?\b(?:between (?:the )?(?P<one>[^?]+?) and|from (?:the )?(?P<one2>[^?]+?)"
    r" (?:to|until|till)) (?:the )?(?P<two>[^?]+)",
    re.IGNORECASE,
)
_OPERATING = frozenset(
    root(stem(word))
    for word in """
    change changed grow grew grown growth increase increased decrease decreased fall fell rise rose drop dropped decline declined improve
    develop difference differ total sum combined together average mean ratio share proportion fraction percentage percent highest
    lowest most least largest smallest biggest greatest cheapest expensive more less higher lower larger smaller cheaper than between
    calculate compute much overall how did does was relative compared versus
    """.split()  # noqa: SIM905 - one word per line would hide the list
)
_ASKING = NAMING & {"number", "count", "quarter", "month", "week"}


def _asked(text: str, *, total: bool = True) -> frozenset[str]:
    """The telling words of a question or a name without those of the operation, and without years. `total` says that the
    word itself names something, as in "total costs"."""
    kept = [
        word
        for word in terms(text)
        if word.isalpha() and (not light(word) or word in NAMING) and word not in _ASKING
    ]
    return frozenset(word for word in kept if word not in _OPERATING or (total and word == "total"))


def _known(question: str) -> frozenset[str]:
    return frozenset(terms(question))


def _stands(question: str, words: frozenset[str], told: str, pieces: Sequence[Piece]) -> bool:
    """Whether the evidence tells the result itself: a figure whose row, column or sentence has the operation's word."""
    wanted = frozenset(root(stem(word)) for word in told.split())
    years = set(years_of(question))
    for piece in pieces:
        for one in piece.figures():
            said = frozenset(terms(f"{one.row} {one.column}")) if one.place else one.subject
            names_years = (
                not years
                or not set(one.years)
                or years <= set(one.years)
                or (len(years) == 1 and years & set(one.years))
            )
            if (
                one.kind in VALUES
                and wanted & said
                and words <= said | frozenset(terms(piece.titles))
                and names_years
            ):
                return True
    return False


def _two(
    question: str, pieces: Sequence[Piece], names: Sequence[str], around: frozenset[str]
) -> list[Operand] | None:
    """An operand for each name, a year or words, of what `around` says; None where none of them was found."""
    wanted: list[tuple[str, frozenset[str], int | None]] = []
    shared = years_of(question)
    for name in names:
        own = years_of(name)
        words = _asked(name)
        year = own[0] if own else shared[0] if len(shared) == 1 else None
        wanted.append(
            (one_line(name).strip(" ,."), (words | around) if not own or not words else words, year)
        )
    every = frozenset(word for _, words, _ in wanted for word in words)
    found = [
        # What the question says of the others is not known of this one: "rent" is not "rent and wages".
        operand(name, words, year, pieces, known=_known(question) - (every - words))
        for name, words, year in wanted
    ]
    if not any(found):
        return None
    missing = [name for (name, _, _), one in zip(wanted, found, strict=True) if one is None]
    if missing:
        raise Refused(f"{' and '.join(missing)} is missing")
    listed = [one for one in found if one is not None]
    same_units(listed)
    return listed


def _result(text: str, operands: Sequence[Operand]) -> Computed:
    return Computed(text, tuple(dict.fromkeys(one.quote for one in operands)), tuple(operands))


# ------------------------------------------------------------------ operations


def _change(question: str, pieces: Sequence[Piece]) -> Computed | None:
    years = sorted(years_of(question))
    if not _CHANGE.search(question) or len(years) != 2:
        return None
    words = _asked(question)
    if not words or _stands(
        question,
        words,
        "change growth increase decrease rise rose grew grow fell fall dropped declined decline",
        pieces,
    ):
        return None
    found = _two(question, pieces, [str(year) for year in years], words)
    if found is None:
        return None
    return _subtracted(found[1], found[0], percent=bool(_PERCENT.search(question)))


def _subtracted(later: Operand, earlier: Operand, *, percent: bool = False, share: bool = True) -> Computed:
    """`later` less `earlier`, with the change in per cent where that means something."""
    value = later.figure.value - earlier.figure.value
    text = f"{shown(later)} ({later.name}) − {_bracketed(earlier)} ({earlier.name}) = {like(value, (later, earlier))}"
    base = earlier.figure.value
    if share and later.figure.kind != "percent" and base > 0:
        part = round(100 * value / base, 1)
        text += f" ({'+' if part > 0 else '−' if part < 0 else ''}{abs(part)} %)"
    elif percent and later.figure.kind != "percent":
        raise Refused(f"a change from “{earlier.figure.text}” has no percentage")
    return _result(text, (later, earlier))


def _bracketed(one: Operand) -> str:
    text = shown(one)
    return f"({text})" if one.figure.value < 0 and not text.startswith("(") else text


def _named(match: re.Match[str], *names: str) -> str:
    return next((match[name] for name in names if match[name]), "")


def _difference(question: str, pieces: Sequence[Piece]) -> Computed | None:
    match = _DIFFERENCE.search(question)
    if match is None:
        return None
    one, two = _named(match, "one", "one2"), _named(match, "two", "two2")
    turned = bool(match["one2"]) and re.search(
        r"\bhow much (?:less|lower|smaller|cheaper)\b", question, re.IGNORECASE
    )

    def reckon(found: list[Operand]) -> Computed:
        if match["one"]:
            dated = [min(one.figure.years, default=0) for one in found]
            found = sorted(found, key=lambda one: -one.figure.value)
            if dated[0] != dated[1]:
                found.sort(key=lambda one: -min(one.figure.years, default=0))
        first, second = found[::-1] if turned else found
        return _subtracted(first, second, share=False)

    return _of_two(question, pieces, one, two, "difference", reckon)


def _of_two(
    question: str,
    pieces: Sequence[Piece],
    one: str,
    two: str,
    told: str,
    reckon: Callable[[list[Operand]], Computed],
    *,
    total: bool = True,
) -> Computed | None:
    """An operation on two things that the question names, each with what the question says of both."""
    both = _asked(one) | _asked(two)
    around = _asked(question, total=total) - both
    tail = _asked(two) - _asked(one)
    if not both and not (years_of(one) and years_of(two)):
        return None
    if _stands(question, around or both, told, pieces):
        return None
    try:
        found = _two(question, pieces, (one, two), around)
    except Refused:
        # "the rent and the wages of the depot": what follows the second may be said of both.
        found = None if not tail else _shared_tail(question, pieces, one, two, around)
        if found is None:
            raise
    return None if found is None else reckon(found)


def _shared_tail(
    question: str, pieces: Sequence[Piece], one: str, two: str, around: frozenset[str]
) -> list[Operand] | None:
    head, mark, tail = two.partition(" of ")
    if not mark:
        return None
    return _two(question, pieces, (one, head), around | _asked(tail))


def _total(question: str, pieces: Sequence[Piece]) -> Computed | None:
    match = _TOTAL.search(question)
    if match is None:
        return None
    one, two = _named(match, "one", "one2"), _named(match, "two", "two2")
    one = re.sub(r"^.*\b(?:is|are|was|were)\s+(?:the\s+)?", "", one, flags=re.IGNORECASE)

    def reckon(found: list[Operand]) -> Computed:
        value = sum((one.figure.value for one in found), Decimal(0))
        terms_ = " + ".join(f"{_bracketed(one)} ({one.name})" for one in found)
        if found[0].figure.kind == "percent":
            raise Refused("percentages are not added")
        return _result(f"{terms_} = {like(value, found)}", found)

    return _of_two(question, pieces, one, two, "total sum combined", reckon, total=False)


def _average(question: str, pieces: Sequence[Piece]) -> Computed | None:
    years = sorted(years_of(question))
    if not _AVERAGE.search(question) or len(years) < 2:
        return None
    if len(years) == 2 and not re.search(rf"{years[0]}\s+and\s+\D{{0,8}}{years[1]}", question):
        years = list(range(years[0], years[1] + 1))
    words = _asked(question)
    if not words or len(years) > 20 or _stands(question, words, "average mean", pieces):
        return None
    found = _two(question, pieces, [str(year) for year in years], words)
    if found is None:
        return None
    if found[0].figure.kind == "percent":
        raise Refused("percentages are not averaged")
    value = sum((one.figure.value for one in found), Decimal(0)) / len(found)
    summed = " + ".join(f"{_bracketed(one)} ({one.name})" for one in found)
    return _result(f"({summed}) ÷ {len(found)} = {like(value, found, places=1)}", found)


def _ratio(question: str, pieces: Sequence[Piece]) -> Computed | None:
    match = _RATIO.search(question)
    if match is None:
        return None
    share = bool(match["part"])
    one, two = _named(match, "one", "part"), _named(match, "two", "whole")

    def reckon(found: list[Operand]) -> Computed:
        top, below = found[0].figure.value, found[1].figure.value
        if below == 0 or (share and (top < 0 or below < 0)):
            raise Refused(f"nothing is divided by “{found[1].figure.text}”")
        value = f"{round(100 * top / below, 1)} %" if share else plain(top / below, 2)
        return _result(
            f"{_bracketed(found[0])} ({found[0].name}) ÷ {_bracketed(found[1])} ({found[1].name}) = {value}",
            found,
        )

    return _of_two(question, pieces, one, two, "ratio share percentage proportion", reckon)


def _span(question: str, pieces: Sequence[Piece]) -> Computed | None:
    match = _SPAN.search(question)
    if match is None:
        return None
    names = (_named(match, "one", "one2"), match["two"])
    words = [_asked(name) for name in names]
    if not all(words):
        return None
    known = _known(question)
    found = [
        operand(one_line(name).strip(" ,."), own, None, pieces, known=known, kinds=frozenset({"date"}))
        for name, own in zip(names, words, strict=True)
    ]
    if not any(found):
        return None
    missing = [name for name, one in zip(names, found, strict=True) if one is None]
    if missing:
        raise Refused(f"the date of {' and of '.join(one_line(name) for name in missing)} is missing")
    listed = [one for one in found if one is not None]
    if any(one.figure.unit != "day" for one in listed):
        raise Refused("a date has no day or no year")
    return _dated(listed[0], listed[1], (match["unit"] or "day").lower())


def _dated(one: Operand, two: Operand, unit: str) -> Computed:
    first, second = sorted((int(one.figure.value), int(two.figure.value)))
    days = second - first
    told = f"{days:,} day{'' if days == 1 else 's'}"
    if unit == "week":
        told = f"{days // 7:,} weeks" + (f" and {days % 7} days" if days % 7 else "") + f" ({told})"
    elif unit in ("month", "year"):
        told = f"{_calendar(first, second, unit)} ({told})"
    return _result(
        f"{one_line(one.figure.text)} ({one.name}) to {one_line(two.figure.text)} ({two.name}): {told}",
        (one, two),
    )


def _calendar(first: int, second: int, unit: str) -> str:
    """Whole months or years between two days, and whether days are left over."""
    one, two = datetime.date.fromordinal(first), datetime.date.fromordinal(second)
    months = 12 * (two.year - one.year) + two.month - one.month - (two.day < one.day)
    whole = months if unit == "month" else months // 12
    over = one.day != two.day or (unit == "year" and months % 12 != 0)
    return f"{'more than ' if over else ''}{whole} {unit}{'' if whole == 1 else 's'}"


def _extreme(question: str, pieces: Sequence[Piece]) -> Computed | None:
    found = extreme(question, _asked(question), pieces)
    return None if found is None else _result(*found)


def _counted(question: str, pieces: Sequence[Piece]) -> Computed | None:
    found = counted(question, pieces)
    return None if found is None else _result(*found)
