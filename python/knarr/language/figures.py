"""Figures: values with what they are values of, read out of a passage.

A value in a table is of its row and its column; one in a sentence is of that sentence. Its years are those of its
header, its row or its clause, and its scale may stand in the caption ("in millions"). What is not sure (a row with a
blank cell somewhere, a sentence of several years and values) is said in `unsure` and never guessed: a figure that is
unsure may be shown, and is not to be compared or reckoned with. The cost is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from knarr.language.lexical import terms
from knarr.language.passages import sentences
from knarr.language.quantities import Bound, Kind, Quantity, quantities
from knarr.language.tables import Row, TableCell, TextTable, tables


@dataclass(frozen=True, slots=True)
class Figure:
    """A value and what it is of.

    value, kind, unit, high, scale, step, bound:  see `knarr.language.quantities.Quantity`
    text:         as it stands in ``passage[begin:end]``, in characters; `line` is the range of its row or sentence
    row, column:  the label of its row and the names of its column; "" in a sentence
    caption:      the lines above its table
    years:        that it is of, by its column, its row or its clause; a figure of kind "year" has itself
    subject:      roots of the telling words of its sentence, or of its row and column
    place:        which table of the passage, from 0, and which row and column in it; None in a sentence
    unsure:       why it is not to be relied on
    """

    value: Decimal
    kind: Kind
    unit: str
    text: str
    begin: int
    end: int
    line: tuple[int, int]
    subject: frozenset[str]
    years: tuple[int, ...] = ()
    row: str = ""
    column: str = ""
    caption: str = ""
    high: Decimal | None = None
    scale: Decimal = Decimal(1)
    step: Decimal = Decimal(1)
    bound: Bound = ""
    place: tuple[int, int, int] | None = None
    unsure: str = ""

    @property
    def row_words(self) -> frozenset[str]:
        """Roots of the label's telling words."""
        return frozenset(terms(self.row))

    @property
    def column_words(self) -> frozenset[str]:
        """Roots of the telling words of the column's names, years apart."""
        return frozenset(term for term in terms(self.column) if not term.isdigit())


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of a passage, in order."""
    listed = tables(text)
    found = [one for at, table in enumerate(listed) for one in _of_table(text, table, at)]
    found += _of_prose(text, [(table.begin, table.end) for table in listed])
    return tuple(sorted(found, key=lambda one: one.begin))


def years_of(text: str) -> tuple[int, ...]:
    """The years that a text names, dates and ranges included, in order."""
    return _years(quantities(text))


def _years(found: Sequence[Quantity]) -> tuple[int, ...]:
    years: list[int] = []
    for one in found:
        if one.kind == "year":
            last = int(one.high) if one.high is not None else int(one.value)
            years += [int(one.value), *([last] if last != int(one.value) else [])]
        elif one.kind == "date" and (year := re.search(r"(?:19|20)\d\d", one.text)):
            years.append(int(year[0]))
    return tuple(dict.fromkeys(years))


# ------------------------------------------------------------------ tables

_SCALED = re.compile(
    r"\b(?:in\s+)?(thousand|million|billion)s?\b|\b[$€£]\s?(mn?|bn?|k)\b|\((?:000s?|'000s?)\)", re.IGNORECASE
)
_FACTORS = {
    "thousand": 1000,
    "k": 1000,
    "million": 10**6,
    "m": 10**6,
    "mn": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "b": 10**9,
}
_MONEY = re.compile(
    r"\b(US\s?dollars?|dollars?|USD|euros?|EUR|GBP|CHF|JPY|yen|NOK|SEK|DKK|INR)\b|([$€£¥])", re.IGNORECASE
)
_SIGNED = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "dollar": "USD", "us dollar": "USD", "usdollar": "USD", "euro": "EUR", "yen": "JPY"}  # fmt: skip
_NOT_SCALED = re.compile(
    r"\bper\b|%|\bpercent|\brates?\b|\bratios?\b|\bmargins?\b|\bdays\b|\beps\b", re.IGNORECASE
)
_COUNTED = re.compile(
    r"\bshares\b|\bunits\b|\bweighted\b|\bnumber of\b|\bheadcount\b|\bstores\b|\bemployees\b", re.IGNORECASE
)
_PERCENT = re.compile(r"%|\bper ?cent(?:age)?\b|\bpct\b", re.IGNORECASE)
_DURATION = re.compile(r"\b(second|minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
_EARLY = re.compile(r"\bJan(?:uary|\.)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Head:
    """The name of a row or column with what it tells, read once for all of its cells."""

    name: str
    years: tuple[int, ...]
    words: frozenset[str]


_NO_HEAD = _Head("", (), frozenset())


def _of_table(text: str, table: TextTable, number: int) -> Iterator[Figure]:
    above = table.caption.rpartition(" / ")[2] if table.columns else table.caption
    around = f"{table.caption} {table.corner}"
    heads = [
        _Head(name, years_of(name), frozenset(terms(f"{name} {table.corner}"))) for name in table.columns
    ]
    said = years_of(table.caption)
    for at, row in enumerate(table.rows):
        label = row.label.text
        own = _Head(label, years_of(label) or (said if len(said) == 1 else ()), frozenset(terms(label)))
        for column, cell in enumerate(row.cells):
            one = _of_cell(text, cell)
            if one is None:
                continue
            head = heads[column] if not row.fault and column < len(heads) else _NO_HEAD
            read = _with_units(one, label, head.name, around)
            yield _figure(read, row, own, head, above, (number, at, column))


def _of_cell(text: str, cell: TableCell) -> Quantity | None:
    """The one quantity that a cell holds; with words or more quantities beside it, it is unsure."""
    found = quantities(text, cell.begin, cell.end, cell=True)
    if not found:
        return None
    one = found[0]
    rest = (text[cell.begin : one.begin] + text[one.end : cell.end]).strip(" *()[]†‡").strip()
    if len(found) > 1 or re.search(r"\d", re.sub(r"\(\d\)", "", rest)):
        return replace(one, unsure=one.unsure or "its cell holds more than one number")
    if rest in ("-", "–", "−"):
        return replace(one, unsure=one.unsure or "a dash stands before it")
    return one


def _with_units(one: Quantity, label: str, name: str, around: str) -> Quantity:
    """A cell's quantity with the unit and the scale that stand in its row, its column or the caption, the nearest
    first."""
    if (
        one.kind == "year"
        and (name or label)
        and not re.search(r"\byears?|date|founded|since|opened|built\b", f"{name} {label}", re.IGNORECASE)
    ):
        one = replace(one, kind="number", unit="")
    if one.kind == "number" and not one.unit:
        one = _named_unit(one, label, name)
    if one.kind not in ("number", "money") or one.unit in ("times", "percentage point", "basis point"):
        return one
    near = f"{label} {name}"
    money = _MONEY.search(near) or (
        None if _PERCENT.search(near) or _COUNTED.search(near) else _MONEY.search(around)
    )
    if (
        one.kind == "number"
        and not one.unit
        and money
        and not _NOT_SCALED.search(label.replace("per share", ""))
    ):
        sign = (money[1] or money[2]).lower()
        one = replace(one, kind="money", unit=_SIGNED.get(sign.removesuffix("s"), sign.upper()))
    scaled = _SCALED.search(near) or _SCALED.search(around)
    if scaled is None or one.scale != 1 or (_NOT_SCALED.search(near) and not _SCALED.search(near)):
        return one
    word = (scaled[1] or scaled[2] or "thousand").lower()
    factor = Decimal(_FACTORS[word])
    high = None if one.high is None else one.high * factor
    unsure = one.unsure
    if _COUNTED.search(near) and not _SCALED.search(near):
        unsure = unsure or "the caption's scale may not be of this row"
    return replace(
        one, value=one.value * factor, high=high, scale=factor, step=one.step * factor, unsure=unsure
    )


def _named_unit(one: Quantity, label: str, name: str) -> Quantity:
    """A plain number of which the column or the row says that it is a percentage or a duration."""
    for told in (name, label):
        if _PERCENT.search(told):
            return replace(one, kind="percent", unit="%")
        if duration := re.search(r"[(,]\s*(?:in )?(second|minute|hour|day|week|month|year)s?\)?$|^(second|minute|hour|day|week|month|year)s$", told, re.IGNORECASE):  # fmt: skip
            return replace(one, kind="duration", unit=(duration[1] or duration[2]).lower())
    return one


def _figure(
    one: Quantity, row: Row, own: _Head, head: _Head, above: str, place: tuple[int, int, int]
) -> Figure:
    years = head.years or own.years
    unsure = one.unsure or row.fault
    if one.kind == "year":
        years = (int(one.value),)
    elif years and _EARLY.search(head.name):
        unsure = unsure or "a year that ends in January may bear either year's name"
    return Figure(
        one.value, one.kind, one.unit, one.text, one.begin, one.end, (row.begin, row.end), own.words | head.words, years,
        own.name, head.name, above, one.high, one.scale, one.step, one.bound, place, unsure,
    )  # fmt: skip


# ------------------------------------------------------------------ sentences

_CLAUSE = re.compile(
    r"[,;:]\s|\s(?:and|but|while|whereas|versus|vs\.?|compared (?:to|with)|against|from|up from|down from|to)\s",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\W*(?:and |but )?(?:in|for|during) (?:fiscal |the year )?(?:FY)?(?:19|20)\d\d,?\s?", re.IGNORECASE
)
_MOST_IN_SENTENCE = 40  # values and years; each is held against all of its sentence
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)


def _of_prose(text: str, taken: Sequence[tuple[int, int]]) -> Iterator[Figure]:
    """The figures of the sentences outside of tables. Both lists are in order, so one walk compares them."""
    at = 0
    for part in sentences(text):
        while at < len(taken) and taken[at][1] <= part.begin:
            at += 1
        if at < len(taken) and taken[at][0] < part.end:
            continue
        yield from _of_sentence(text, part.begin, part.end)


def _of_sentence(text: str, begin: int, end: int) -> Iterator[Figure]:
    found = quantities(text, begin, end)
    if not found:
        return
    subject = frozenset(terms(text[begin:end]))
    values = [one for one in found if one.kind not in ("year", "date")]
    dated = [one for one in found if one.kind in ("year", "date")]
    alone = not any(char.isalpha() for char in re.sub(r"(?i)million|billion|thousand", "", text[begin:end]))
    spoken = _years(dated)
    for one in found:
        years, unsure = _its_years(text, one, values, dated, spoken, (begin, end))
        if alone:
            unsure = unsure or "it stands alone on its line"
        yield Figure(
            one.value, one.kind, one.unit, one.text, one.begin, one.end, (begin, end), subject, years, high=one.high,
            scale=one.scale, step=one.step, bound=one.bound, unsure=one.unsure or unsure,
        )  # fmt: skip


def _its_years(
    text: str,
    one: Quantity,
    values: Sequence[Quantity],
    dated: Sequence[Quantity],
    years: tuple[int, ...],
    line: tuple[int, int],
) -> tuple[tuple[int, ...], str]:
    """The years of a figure, and why they are unsure: all of a sentence with one; with several, those of its clause, or
    its own in order where the sentence says "respectively"."""
    if one.kind in ("year", "date"):
        return _years([one]), ""
    if len(years) < 2:
        return years, ""
    if len(values) + len(dated) > _MOST_IN_SENTENCE:
        return years[:_MOST_IN_SENTENCE], "its sentence holds very many values"
    mine: tuple[int, ...] = ()
    like = [value for value in values if (value.kind, value.unit) == (one.kind, one.unit)]
    if _RESPECTIVELY.search(text[line[0] : line[1]]):
        return (
            ((years[like.index(one)],), "")
            if len(like) == len(years)
            else (years, "several years and values")
        )
    for left, right in _clauses(text, line):
        own = _years([day for day in dated if left <= day.begin < right])
        beside = [value for value in values if left <= value.begin < right]
        if own and not beside:
            return (
                years,
                "its sentence names several years",
            )  # a year without a value of its own may be of any
        if (
            left <= one.begin < right
            and len(own) == 1
            and [value for value in beside if value in like] == [one]
        ):
            mine = own
    return (mine, "") if mine else (years, "its sentence names several years")


def _clauses(text: str, line: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The clauses of a sentence. A year set off in front ("In 2024, sales were …") belongs to what follows."""
    left = line[0]
    for mark in _CLAUSE.finditer(text, *line):
        if not _OPENING.fullmatch(text, left, mark.end()):
            yield left, mark.start()
            left = mark.end()
    yield left, line[1]
