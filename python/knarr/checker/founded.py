"""Has the answer nothing that its evidence lacks? A number, a unit, or all of its words and names.

What founds an answer are the cited words with the paragraph or the row that they stand in, the headings above, and the
question. Names found no numbers, except years: a file called 999 says nothing about a fare. Nor do marks in brackets,
which look like citations of ours, nor citations that give orders to a model. Numbers are compared by value: 55 million is
55,000,000, and fourteen days are two weeks. What simple arithmetic gives over the numbers of the cited words is founded.

Cost: linear in the texts, times the numbers of the answer that differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation
from itertools import permutations, takewhile

from knarr.checker.constraints import YEAR
from knarr.checker.evidence import Ground, numbers
from knarr.checker.opposites import key_of
from knarr.language.citations import locate
from knarr.language.instructions import addresses_model, paragraphs_with_orders
from knarr.language.quantities import Quantity, quantities
from knarr.language.question_type import question_type
from knarr.language.words import STOP, proper_runs, stem, words
from knarr.uris import name_of

_MARKS = re.compile(r"\[\^?\d{1,4}(?:\s{0,2}[,–-]\s{0,2}\d{1,4}){0,40}\]|【[^】]{0,40}】|\b\w{1,20}://\S+")
_LISTED = re.compile(
    r"(?:^|\n)[ \t]{0,40}\(?(?:\d{1,2}|[a-z])[.)]\s|(?<=\s)\(\d{1,2}\)\s|\((?:pages?|pp?\.|lines?|passages?|sources?|see)\s[^)]{1,40}\)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:^|\n)[ \t]{0,40}(?:[-*•]|\d{1,2}[.)])\s")
_FEW = 3
_MOST_DERIVED = 24  # numbers that are tried with each other
_IN_PARTS = re.compile(
    r"%|\bper ?cent|\btimes\b|\bfold\b|\bratio\b|\bhalf\b|\bthird\b|\bquarter\b", re.IGNORECASE
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_HOW_MANY = re.compile(
    r"\bhow many\s+(?:(?:more|other|different|full|working|business|calendar)\s+)*([^\W\d_]{3,})",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?<![\w.,])\d[\d,.]*\d?\s+([^\W\d_]{3,})")
_SPANS = {"second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800", "month": "2629800", "quarter": "7889400", "year": "31557600", "decade": "315576000"}  # fmt: skip
_TIMES = frozenset({*_SPANS, "night"})


def unfounded(question: str, answer: str, stands: Sequence[Ground]) -> str:
    """The first thing in an answer that neither its evidence nor the question has: a number, a value of another unit, a
    count of something else than what was asked, the names of persons or places, or all of its words. "" for none."""
    said = _MARKS.sub(" ", answer)
    stands = [one for one in stands if not gives_orders(one)]
    founding = "\n".join([question, *map(_founding, stands)])
    if number := _foreign_number(question, _LISTED.sub(" ", said), founding, stands):
        return number
    if counted := _counts_else(question, said):
        return counted
    founded = "\n".join([founding, *(one.near for one in stands), *(one.place for one in stands)])
    known = {key_of(part) for word in words(founded) for part in (word.whole, *word.parts)}
    if name := _foreign_names(question, said, known):
        return name
    told = [key_of(word.text) for word in words(said) if _telling(word.text)]
    if (
        len(told) >= _FEW
        and not any(word in known for word in told)
        and not numbers(said) & numbers(founding)
    ):
        return "every word of the answer"
    return ""


def gives_orders(ground: Ground) -> bool:
    """Whether the paragraph of the cited words, or a heading above it, gives orders."""
    if any(map(addresses_model, ground.titles)):
        return True
    place = locate(ground.quote, ground.near)
    begin = 0 if place is None else place[0]
    return any(start <= begin < end for start, end in paragraphs_with_orders(ground.near))


def _founding(ground: Ground) -> str:
    """What of a citation founds numbers: its paragraph or row, the headings above it, and the years in names."""
    name = _letters(name_of(ground.document))
    titles = [title for title in ground.titles if _letters(title) != name]
    return _MARKS.sub(" ", "\n".join([ground.quote, _around(ground), *titles, *YEAR.findall(ground.place)]))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _around(ground: Ground) -> str:
    """The paragraph of the cited words; nothing for a table's row, whose neighbours are about other things."""
    place = locate(ground.quote, ground.near)
    if place is None or ground.quote.lstrip().startswith("|"):
        return ""
    begin, end = 0, len(ground.near)
    for border in _BLANK_LINE.finditer(ground.near):
        if border.end() <= place[0]:
            begin = border.end()
        elif border.start() >= place[1]:
            end = border.start()
            break
    lines = ground.near[begin:end].split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("|"))


# --------------------------------------------------------------------- numbers


def _foreign_number(question: str, answer: str, founding: str, stands: Sequence[Ground]) -> str:
    given = {_plain(number) for number in numbers(founding)}
    found = quantities(founding)
    values = {one.value for one in found} | {one.high for one in found if one.high is not None}
    spans = [span for one in found if (span := _seconds(one)) is not None]
    said = list({(one.kind, one.unit, one.value, one.text): one for one in quantities(answer)}.values())
    for one in said:
        if one.value not in values and _other_scale(one, found):
            return one.text
        if _other_unit(one, found, founding) and not _near_span(one, spans):
            return one.text
    holding: dict[str, set[tuple[Decimal, Decimal | None, Decimal]]] = {}
    for one in said:
        for number in numbers(one.text):
            value = None if _near_span(one, spans) else one.value
            holding.setdefault(number, set()).add((one.value, value, one.step))
    derived: list[Decimal] | None = None
    for number in sorted(numbers(answer)):
        if _plain(number) in given or _decimal(number) in values or number == "1":
            continue
        read = holding.get(number, set())
        if any(value is None or value in values for _, value, _ in read) or _counts_items(
            number, answer, stands
        ):
            continue
        if derived is None:
            derived = _derivable(quantities(f"{question}\n{_cited(stands)}")[:_MOST_DERIVED], answer)
        tried = [(value, step) for value, _, step in read]
        if (plain := _decimal(number)) is not None:
            tried.append((plain, Decimal(1).scaleb(-_places(number))))
        if not any(abs(abs(result) - value) < step / 2 for value, step in tried for result in derived):
            return number
    return ""


def _cited(stands: Sequence[Ground]) -> str:
    return _MARKS.sub(" ", "\n".join(one.quote for one in stands))


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


def _seconds(one: Quantity) -> Decimal | None:
    unit = one.unit.rpartition(" ")[2]
    return one.value * Decimal(_SPANS[unit]) if one.kind == "duration" and unit in _SPANS else None


def _near_span(one: Quantity, spans: Iterable[Decimal]) -> bool:
    """Whether a duration is one of those given in other units; a month and a year are not of one length."""
    span = _seconds(one)
    return span is not None and any(abs(span - other) <= span * Decimal("0.03") for other in spans)


def _other_scale(one: Quantity, found: Sequence[Quantity]) -> bool:
    """Whether the evidence has the numeral with other scales alone: 55 billion where it says 55 million."""
    alike = [other for other in found if other.value / other.scale == one.value / one.scale]
    return one.scale != 1 and bool(alike) and all(other.scale not in (1, one.scale) for other in alike)


_UNLIKE = frozenset({"duration", "money", "percent"})
_NOUN = re.compile(r"[ \t]*([^\W\d_]{3,}(?:[ \t]+[^\W\d_]{3,}){0,2})")


def _other_unit(one: Quantity, found: Sequence[Quantity], text: str) -> bool:
    """Whether the evidence has the number for something else alone: "two days" where it says "two crowns" or "2 %"."""
    alike = [other for other in found if other.value == one.value]
    return one.kind in _UNLIKE and bool(alike) and not any(_fits(one, other, text) for other in alike)


def _fits(one: Quantity, other: Quantity, text: str) -> bool:
    unit = one.unit.rpartition(" ")[2]
    if other.kind in _UNLIKE:
        return other.kind == one.kind and other.unit.rpartition(" ")[2] == unit
    noun = _NOUN.match(text, other.end)
    after = [] if noun is None else list(takewhile(lambda word: word not in STOP, noun[1].lower().split()))
    counted = any(
        word.endswith("s") for word in after
    )  # "two crowns"; "two remain" counts nothing that is named
    return not counted or one.kind == "money" or key_of(unit) in map(key_of, after)


def _places(number: str) -> int:
    return len(number.partition(".")[2])


def _derivable(given: Sequence[Quantity], answer: str) -> list[Decimal]:
    """The sums, differences and products of two of those given, and all their sum; where the answer speaks of parts, their
    ratios and percentages. Of years only the differences count."""
    parts = _IN_PARTS.search(answer) is not None
    plain = [one.value for one in given if one.kind not in ("date", "time", "year")]
    years = [one.value for one in given if one.kind == "year"]
    found = {result for left, right in permutations(plain, 2) for result in _results(left, right, parts)}
    found |= {left - right for left, right in permutations(years, 2)}
    return [*found, sum(plain, Decimal(0))] if len(plain) > 1 else list(found)


def _results(left: Decimal, right: Decimal, parts: bool) -> Iterator[Decimal]:
    yield from (left + right, left - right, left * right)
    if parts:
        try:
            yield from (left / right, 100 * left / right, 100 * (left - right) / right)
        except (DivisionByZero, InvalidOperation):
            return


def _counts_items(number: str, answer: str, stands: Sequence[Ground]) -> bool:
    """Whether a number counts what the answer lists, each with its own mark, or the citations of which it speaks."""
    value = _decimal(number)
    items = len(_ITEM.findall(answer))
    return items > 1 and value in (items, len(stands))


def _counts_else(question: str, answer: str) -> str:
    """ "10 documents" where days were asked for: every count in the answer is one of something else."""
    asked = _HOW_MANY.search(question)
    if asked is None:
        return ""
    unit = stem(asked[1].lower())
    counted = [stem(match[1].lower()) for match in _COUNTED.finditer(answer)]
    plain = len(numbers(answer)) > len(counted)
    fits = any(key_of(one) == key_of(unit) or {one, unit} <= _TIMES for one in counted)
    near = any(
        key_of(unit) in {key_of(word.text) for word in words(answer[match.end() : match.end() + 40])}
        for match in _COUNTED.finditer(answer)
    )
    return "" if plain or fits or near or not counted else f"a number of {asked[1]}"


# ----------------------------------------------------------------------- words


def _foreign_names(question: str, answer: str, known: set[str]) -> str:
    """Of a question for a person or place the answer's names, where the evidence has none of them."""
    if question_type(question) not in ("who", "where"):
        return ""
    names = [
        run
        for run in proper_runs(answer)
        if any(key_of(word.text) not in _asked(question) for word in words(run))
    ]
    foreign = [run for run in names if not any(key_of(word.text) in known for word in words(run))]
    return foreign[0].rstrip(" .,;:") if foreign and len(foreign) == len(names) else ""


def _asked(question: str) -> set[str]:
    return {key_of(word.text) for word in words(question)}


def _telling(word: str) -> bool:
    return len(word) > 2 and word.isascii() and word.lower() not in STOP
