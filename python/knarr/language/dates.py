"""Dates as they are written, read to the precision that they have."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

_NAMES = "january february march april may june july august september october november december".split()  # noqa: SIM905 - a line
# Case is ignored, so "may" needs a day or a year beside it to be a month; patterns with MONTHS ask for one.
MONTHS = "|".join(
    [
        *(name.capitalize() for name in _NAMES),
        *(name[:3].capitalize() for name in _NAMES if name != "may"),
        "Sept",
    ]
)
Precision = Literal["day", "month", "yearless"]


@dataclass(frozen=True, slots=True)
class Day:
    """A date: `value` is its proleptic ordinal (the first of a month), or 100 × month + day where the year is missing."""

    value: Decimal
    unit: Precision
    unsure: str = ""


def read_date(text: str) -> Day | None:
    """The date that the whole of `text` writes; None where there is no such day."""
    if iso := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text):
        return _day(int(iso[1]), int(iso[2]), int(iso[3]))
    if slashed := re.fullmatch(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d\d)", text):
        return _slashed(int(slashed[1]), int(slashed[3]), slashed[4], slashed[2])
    name = re.search(r"[A-Za-z]{3,}", re.sub(r"\bof\b", " ", text))
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if name is None or not numbers:
        return None
    month = next((at for at, full in enumerate(_NAMES, 1) if full.startswith(name[0].lower()[:3])), 0)
    year = next((number for number in numbers if number > 999), None)
    day = next((number for number in numbers if number < 32), None)
    if not month:
        return None
    if day is None:
        return _month(year, month)
    return _yearless(month, day) if year is None else _day(year, month, day)


def _slashed(first: int, second: int, year_text: str, mark: str) -> Day | None:
    year = int(year_text) if len(year_text) == 4 else 2000 + int(year_text)
    if mark == "." or first > 12:
        return _day(year, second, first)
    found = _day(year, first, second)
    if found is None or second > 12 or first == second:
        return found
    return Day(found.value, found.unit, "its day and month may be in either order")


def _day(year: int, month: int, day: int) -> Day | None:
    try:
        return Day(Decimal(datetime.date(year, month, day).toordinal()), "day")
    except ValueError:
        return None


def _month(year: int | None, month: int) -> Day | None:
    found = None if year is None else _day(year, month, 1)
    return None if found is None else Day(found.value, "month")


def _yearless(month: int, day: int) -> Day | None:
    return Day(Decimal(100 * month + day), "yearless") if _day(2024, month, day) else None
