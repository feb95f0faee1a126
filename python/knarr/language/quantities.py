"""Quantities in a line of text: numbers, money, percentages, durations, dates, years and times of day.

One pass of one pattern finds them; each is then read together with the few characters before and after it: a currency, a
scale ("million"), a unit, a bound ("at least"). Numerals that name something (Section 4, version 1.2, 10-K, a list's
number) are no quantities. What can be read in two ways ("1.234", "03/04/2024") keeps its first reading and says in
`unsure` why it is not to be relied on. All repeats are bounded, so the cost is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from knarr.language.dates import MONTHS, read_date
from knarr.language.numerals import COMMA, EITHER, SMALL, TENS, decimal_mark, from_digits, from_word

Kind = Literal["number", "money", "percent", "duration", "date", "year", "time"]
Bound = Literal["", "least", "most", "about"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value as it stands in ``text[begin:end]``, in characters.

    value:   scaled: "55 million" is 55,000,000; a date is its ordinal day, a time its minutes after midnight
    unit:    "USD", "%", "business day", "kg"; of a date its precision ("day", "month", "yearless"); "" for none
    high:    the upper end of a range, whose lower end is `value`
    scale:   by which the numeral was multiplied
    step:    one unit of the last place stated: half of it is what rounding may hide
    bound:   "at least", "at most", "about"
    unsure:  why the reading is not to be relied on; "" when it is
    """

    begin: int
    end: int
    text: str
    kind: Kind
    value: Decimal
    unit: str = ""
    high: Decimal | None = None
    scale: Decimal = Decimal(1)
    step: Decimal = Decimal(1)
    bound: Bound = ""
    unsure: str = ""


_SCALES = {
    "hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "mn": 10**6, "mio": 10**6, "m": 10**6,
    "billion": 10**9, "bn": 10**9, "b": 10**9, "trillion": 10**12, "tn": 10**12,
}  # fmt: skip
_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "us dollar": "USD", "u.s. dollar": "USD", "€": "EUR",
    "eur": "EUR", "euro": "EUR", "£": "GBP", "gbp": "GBP", "pound sterling": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY",
    "chf": "CHF", "franc": "CHF", "nok": "NOK", "sek": "SEK", "dkk": "DKK", "₹": "INR", "inr": "INR", "rupee": "INR",
    "cad": "CAD", "c$": "CAD", "aud": "AUD", "a$": "AUD", "cent": "cent",
}  # fmt: skip
_UNITS = {
    "sec": "second", "min": "minute", "hr": "hour", "yr": "year", "mile": "mi", "kilometre": "km", "kilometer": "km",
    "metre": "meter", "x": "times", "time": "times", "kilogram": "kg", "gram": "g", "litre": "liter",
}  # fmt: skip
DURATIONS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade")

_BLANK = r"[ \t\u00a0\u202f]{0,3}\n?[ \t]{0,3}"
_SIGNS = r"(?:US|C|A)?\$|€|£|¥|₹"
_CODES = r"USD|EUR|GBP|JPY|CHF|NOK|SEK|DKK|INR|CAD|AUD"
_DIGITS = (
    r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,12})?(?![\d])|\d{1,3}(?:\.\d{3}){1,6},\d{1,12}(?!\d)|\d{1,3}(?:\.\d{3}){2,6}(?![\d.])"
    r"|\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3}){1,6}(?:[.,]\d{1,12})?(?!\d)|\d{1,18}(?:[.,]\d{1,12})?|\.\d{1,12}"
)
_QUANTITY = re.compile(
    rf"""
    (?P<date>\b\d{{4}}-\d\d-\d\d\b
      |\b\d{{1,2}}(?:st|nd|rd|th)?\ {{1,2}}(?:of\ )?(?:{MONTHS})\b\.?(?:,?\ {{1,2}}\d{{4}}\b)?
      |\b(?:{MONTHS})\.?\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?\b(?![.,:]\d|\ ?[%€$])(?:,?\s{{1,2}}\d{{4}}\b)?
      |\b(?:{MONTHS})\.?,?\s{{1,2}}(?:19|20)\d\d\b
      |(?<![\w./-])\d{{1,2}}(?P<mark>[/.])\d{{1,2}}(?P=mark)(?:\d{{4}}|\d\d)\b(?![./]\d))
    |(?P<time>(?<![\w.,:])\d{{1,2}}(?:[:.]\d\d)?\s?[aApP]\.?[mM]\b\.?|(?<![\w.,:])(?:[01]?\d|2[0-3]):[0-5]\d\b(?![:\d]))
    |\b(?:FY|CY)\s?['’]?(?P<fiscal>(?:19|20)\d\d|\d\d)\b
    |(?P<open>\()?(?P<minus>(?<![\w)\].%])[-−–])?(?:(?P<code>\b(?:{_CODES})\s?|(?<![\w$])(?:{_SIGNS})\s{{0,2}})
      (?P<minus2>[-−–])?)?(?<![\w.,:/#@&°^=\\])(?<![^\W\d]-)(?P<digits>{_DIGITS})(?P<close>\))?
    |\b(?P<word>(?:{"|".join(TENS)})(?:[-\ ](?:{"|".join(SMALL[:9])}))?|{"|".join(SMALL)}|hundred)\b
      (?:\s?\((?P<same>\d{{1,9}})\))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_AFTER = re.compile(
    rf"""
    (?:{_BLANK}(?P<scale>hundred|thousand|millions?|billions?|trillion|mn|mio|bn|tn|[kmb](?![\w/]))(?![\w-]))?
    (?:{_BLANK}(?P<percent>%|percent\b|per\ cent\b|pct\b)
      |{_BLANK}(?P<points>percentage\ points?\b|pp\b|basis\ points?\b|bps\b)
      |{_BLANK}(?P<currency>€|£|euros?\b|(?:US\ |U\.S\.\ )?dollars?\b|pounds?\ sterling\b|yen\b|francs?\b|rupees?\b|cents?\b
          |(?:{_CODES})\b)
      |(?:{_BLANK}|-)(?P<quality>business\ |working\ |calendar\ |trading\ |banking\ |school\ |academic\ |consecutive\ )?
          (?P<duration>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|quarters?|years?|yrs?|decades?)\b(?!\.\w)
      |\ ?(?P<unit>kg|mg|km|cm|mm|GB|MB|TB|KB|kWh|MWh|GWh|kW|MW|GW|ms|ml|°C|°F|ha|kilomet(?:re|er)s?|miles?
          |met(?:re|er)s?|kilograms?|grams?|tons?|tonnes?|lit(?:re|er)s?|acres?|x|times)(?![\w]))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A numeral after one of these is a name: Section 4, page 12, version 3.
_NAMES = re.compile(
    r"(?:\b(?:sections?|sec|articles?|art|notes?|figures?|fig|tables?|pages?|pp?|exhibits?|chapters?|ch|items?|rooms?|nos?"
    r"|numbers?|versions?|ver|releases?|clauses?|schedules?|appendix|annex|steps?|phase|level|parts?|rules?|forms?|lines?"
    r"|paragraphs?|para|volume|vol|grade|building|suite|unit|class|course|phone|tel|fax|zip|lot|route|line|id|ext|week|day"
    r"|module|lecture|lab|homework|assignment|quiz|question|problem|unit|session|group|type|tier|stage|proposal)\.?|§|\#)\s?$",
    re.IGNORECASE,
)
_BOUNDS = re.compile(
    r"\b(?:(?P<least>at least|no(?:t)? (?:less|fewer|earlier) than|(?:a )?minimum(?: of)?|more than|over|exceed(?:s|ing)|above"
    r"|greater than|upwards of|in excess of)|(?P<most>at most|up to|no(?:t)? (?:more|later|longer|greater) than"
    r"|(?:a )?maximum(?: of)?|less than|fewer than|under|below|not (?:to )?exceed(?:ing)?)"
    r"|(?P<about>about|approximately|around|roughly|nearly|almost|circa|some|(?:an )?estimated))\s*$|(?P<about2>[~≈])\s?$",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|of|for|during|since|by|until|till|from|to|through|year|years|ended|ending|fiscal|calendar|and|or|after|before|between"
    r"|versus|vs\.?|than|early|late|mid|spring|summer|fall|autumn|winter|founded|established|quarter|q[1-4])[\s,]{1,3}$",
    re.IGNORECASE,
)
_BACK = 32
_LIST_MARK = re.compile(r"[.)]\s{1,3}(?=\S)")


def quantities(text: str, begin: int = 0, end: int | None = None, *, cell: bool = False) -> list[Quantity]:
    """The quantities of ``text[begin:end]`` in order. In a table's `cell`, a number in parentheses is negative, and four
    digits may be a plain number."""
    end = len(text) if end is None else end
    found = [
        one for match in _QUANTITY.finditer(text, begin, end) if (one := _read(text, match, begin, end, cell))
    ]
    mark = (
        decimal_mark(text[begin:end])
        if any(COMMA.search(one.text) or one.unsure == EITHER for one in found)
        else ""
    )
    return list(_ranges(text, [_settled(one, mark) for one in _apart(text, found)]))


def _apart(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Without what begins inside the quantity before, or says it again: "ten percent (10 %)"."""
    last: Quantity | None = None
    for one in found:
        if last is not None:
            again = one.value == last.value and one.kind == last.kind
            if one.begin < last.end or (again and text[last.end : one.begin].strip() == "("):
                continue
        yield one
        last = one


def _read(text: str, match: re.Match[str], begin: int, end: int, cell: bool) -> Quantity | None:
    if match["date"]:
        day = read_date(match["date"])
        if day is None:
            return None
        return Quantity(match.start(), match.end(), match[0], "date", day.value, day.unit, bound=_bound(text, match.start(), begin), unsure=day.unsure)  # fmt: skip
    if match["time"]:
        return _time(match)
    if match["fiscal"]:
        year = match["fiscal"] if len(match["fiscal"]) == 4 else f"20{match['fiscal']}"
        return Quantity(match.start(), match.end(), match[0], "year", Decimal(year), "year")
    return _number(text, match, begin, end, cell)


def _time(match: re.Match[str]) -> Quantity | None:
    parts = re.fullmatch(r"(\d{1,2})(?:[:.](\d\d))?\s?([ap]?).*", match["time"], re.IGNORECASE)
    if parts is None:
        return None
    hour, minute = int(parts[1]), int(parts[2] or 0)
    if parts[3]:
        hour = hour % 12 + (12 if parts[3].lower() == "p" else 0)
    if hour > 23 or minute > 59:
        return None
    return Quantity(
        match.start(), match.end(), match[0].strip(), "time", Decimal(60 * hour + minute), "minute"
    )


def _settled(one: Quantity, mark: str) -> Quantity:
    """A number that can be read in two ways, read as the other numbers of its text are."""
    if mark == "," and COMMA.search(one.text):
        return replace(one, unsure=one.unsure or EITHER)
    if one.unsure != EITHER:
        return one
    digits = re.search(r"\d[\d.,]*\d", one.text)
    if not mark or digits is None:
        return one
    other = "," if mark == "." else "."
    raw = digits[0]
    if other in raw and not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", raw):
        return one
    plain = Decimal(raw.replace(other, "").replace(mark, "."))
    sign = -1 if one.value < 0 else 1
    places = len(raw) - raw.find(mark) - 1 if mark in raw else 0
    return replace(
        one, value=sign * plain * one.scale, step=Decimal(1).scaleb(-places) * one.scale, unsure=""
    )


def _number(text: str, match: re.Match[str], begin: int, end: int, cell: bool) -> Quantity | None:
    """A numeral or number word with what stands around it; None where it names something."""
    start = match.start("word") if match["word"] else _start(match)
    negative = _negative(match, cell)
    closed = negative and bool(match["open"] and match["close"])
    stop = match.end() if match["word"] else match.end("close" if closed else "digits")
    start = match.start("open") if closed else start
    after = _AFTER.match(text, stop, end)
    assert after is not None  # every part of it is optional
    code = (match["code"] or after["currency"] or "").strip().lower()
    if match["word"]:
        if not after["duration"] and re.match(r"-[A-Za-z]", text[stop : min(end, stop + 2)]):
            return None  # "two-stage" counts nothing
        plain, places, unsure = from_word(match["word"], match["same"])
        if match["word"].lower() == "one" and not (
            after["duration"] or after["scale"] or after["percent"] or match["same"]
        ):
            return None
    else:
        plain, places, unsure = from_digits(match["digits"], bool(code or after.end() > stop))
        if _names(text, match, after, begin, end, cell):
            return None
    stop = max(stop, after.end())
    scale = Decimal(_SCALES.get((after["scale"] or "").lower().removesuffix("s"), 1))
    if (after["scale"] or "").lower() in ("k", "m", "b") and not code:
        unsure = unsure or "its scale is one letter"
    kind, unit = _kind(code, after)
    value = plain * scale
    if negative:
        value = -value
    if (
        kind == "number"
        and scale == 1
        and not match["word"]
        and re.fullmatch(r"(?:19|20)\d\d", match["digits"])
    ):
        kind, unit, unsure = _year(text, start, stop, begin, end, cell, unsure)
    return Quantity(
        start, stop, text[start:stop].strip(), kind, value, unit, None, scale,
        Decimal(1).scaleb(-places) * scale, _bound(text, start, begin), unsure,
    )  # fmt: skip


def _start(match: re.Match[str]) -> int:
    return next(match.start(name) for name in ("minus", "code", "minus2", "digits") if match[name])


def _negative(match: re.Match[str], cell: bool) -> bool:
    if match["word"]:
        return False
    grouped = bool(match["code"]) or "," in match["digits"]
    closed = match["close"] and match["open"] and (cell or grouped)
    return bool(closed or match["minus"] or match["minus2"])


def _kind(code: str, after: re.Match[str]) -> tuple[Kind, str]:
    if after["percent"]:
        return "percent", "%"
    if after["points"]:
        return "number", "basis point" if after["points"].lower().startswith("b") else "percentage point"
    if code:
        name = " ".join(code.split())
        return "money", _CURRENCIES.get(name) or _CURRENCIES.get(name.removesuffix("s").replace("pounds ", "pound "), name.upper())  # fmt: skip
    if after["duration"]:
        unit = after["duration"].lower().removesuffix("s")
        quality = (after["quality"] or "").strip().lower()
        quality = "" if quality in ("calendar", "consecutive") else quality
        quality = "business" if quality in ("working", "banking") else quality
        return "duration", f"{quality} {_UNITS.get(unit, unit)}".strip()
    unit = after["unit"] or ""
    return "number", _UNITS.get(unit.lower().removesuffix("s"), unit)


def _year(
    text: str, start: int, stop: int, begin: int, end: int, cell: bool, unsure: str
) -> tuple[Kind, str, str]:
    """Four digits are a year, unless a plural noun follows and nothing before speaks of a time."""
    before = text[max(begin, start - _BACK) : start]
    noun = re.match(r"\s(?!was|has|is|vs)[a-z]{3,}s\b", text[stop : min(end, stop + 24)])
    if noun and not _YEAR_BEFORE.search(before):
        return "number", "", unsure or "a year or a number"
    return "year", "year", "" if not cell else unsure


def _names(text: str, match: re.Match[str], after: re.Match[str], begin: int, end: int, cell: bool) -> bool:
    """Whether a numeral names something: it touches letters, follows "Section", counts a list, marks a footnote."""
    stop = match.end("digits")
    following = text[stop : min(end, stop + 5)]
    united = after.end() > stop
    if not united and re.match(r"[\w@°^]|[-–/.:]\w", following) and not re.match(r"[-–]\d", following):
        return True
    start = _start(match)
    before = text[max(begin, start - _BACK) : start]
    chained = re.search(r"\d-$", before) and following.startswith("-")
    if (
        chained
        or re.match(r"[./:]\d|-\d{1,12}-", text[stop : min(end, stop + 14)])
        or re.search(r"\d-\d{1,12}-$", before)
    ):
        return True  # a version, a path, a telephone number
    if match["code"]:
        return False
    if not united and "." in match["digits"] and re.match(r"\s{1,3}[A-Z][a-z]", following):
        return True  # the number of a clause before its title
    if not united and not cell and following.startswith(":") and re.search(r"\b[A-Z][a-z]+\s$", before):
        return True  # "Theme 2: …"
    if match["open"] and match["close"] and not cell and len(match["digits"]) < 3 and not united:
        return True
    if match["open"] and match["close"] and re.search(r"[A-Za-z]\($", text[max(begin, start - 2) : start]):
        return True
    if (
        not united
        and not cell
        and _LIST_MARK.match(following)
        and not before.rpartition("\n")[2].strip("# \t*-")
    ):
        return True
    return not united and _NAMES.search(before) is not None


def _bound(text: str, start: int, begin: int) -> Bound:
    found = _BOUNDS.search(text[max(begin, start - _BACK) : start])
    if found is None:
        return ""
    return "least" if found["least"] else "most" if found["most"] else "about"


_DASH = re.compile(r"\s?[-–—]\s?")
_TO = re.compile(r"\s{1,2}to\s{1,2}")
_AND = re.compile(r"\s{1,2}and\s{1,2}")


def _ranges(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Two ends of a range as one: "3–5 days", "3 to 5 days", "between 3 and 5". "From 3 to 5" may be a change."""
    at = 0
    while at < len(found):
        one = found[at]
        two = found[at + 1] if at + 1 < len(found) else None
        joined = two and _joined(text, one, two)
        yield joined or one
        at += 2 if joined else 1


def _joined(text: str, one: Quantity, two: Quantity) -> Quantity | None:
    if two.begin - one.end > 6 or one.kind in ("date", "time"):
        return None
    between, before = text[one.end : two.begin], text[max(0, one.begin - 9) : one.begin].lower()
    value = two.value
    if between == "" and value < 0 and two.text[0] in "-–−":
        between, value = "-", -value
    dashed = _DASH.fullmatch(between)
    listed = _TO.fullmatch(between) and not re.search(r"\bfrom\s$", before)
    if not (dashed or listed or (_AND.fullmatch(between) and re.search(r"\bbetween\s$", before))):
        return None
    bare = one.kind == "number" and not one.unit and one.scale == 1
    same = one.kind == two.kind and one.unit == two.unit
    money = one.kind == "money" and two.kind == "number" and not two.unit
    low = one.value * two.scale if bare and two.scale != 1 else one.value
    if money and two.scale != 1 and one.scale == 1:
        low = one.value * two.scale
    if not (same or bare or money) or value <= low:
        return None
    kept = one if money else two
    return replace(
        kept, begin=one.begin, end=two.end, text=text[one.begin : two.end], value=low, high=value, bound=one.bound,
        unsure=one.unsure or two.unsure, step=max(one.step, two.step),
    )  # fmt: skip
