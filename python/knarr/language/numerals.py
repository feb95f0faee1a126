"""Numerals and number words as numbers, and what makes one of them unsure.

"1,234" and "1.234" can both be thousands or decimals. A comma before exactly three digits is read as a mark of thousands
and a point as the decimal mark, as English has it; where other numbers of the text show the contrary, they decide, and
where nothing does, a point before three digits is unsure.
"""

from __future__ import annotations

import re
from decimal import Decimal

SMALL = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: number for number, word in enumerate(SMALL, 1)} | {
    word: 10 * number for number, word in enumerate(TENS, 2)
}
COMMA = re.compile(r"(?<![\d.,])\d{1,3},\d{3}(?![\d.,])")
EITHER = "its point or comma may set apart thousands or decimals"


def decimal_mark(text: str) -> str:
    """ "." or "," where numbers of the text can only be read with it as the decimal mark; "" when none or both can."""
    point = bool(re.search(r"(?<![\d.,])\d{1,3}(?:,\d{3}){1,6}\.\d|(?<![\d.,])(?:0|\d{4,12})\.\d|(?<![\d.,])\d{1,3}\.(?:\d|\d\d)(?![\d.,])", text))  # fmt: skip
    comma = bool(re.search(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){1,6},\d|(?<![\d.,])\d{1,3},\d\d?(?![\d.,])", text))
    return "" if point == comma else "." if point else ","


def from_word(word: str, same: str | None) -> tuple[Decimal, int, str]:
    """The number, its decimal places, and why it is unsure; `same` is the numeral in parentheses after it."""
    listed = re.split(r"[-\s]", word.lower())
    value = Decimal(sum(100 if one == "hundred" else _WORDS[one] for one in listed))
    if same and Decimal(same) != value:
        return value, 0, f"{word} and {same} differ"
    return value, 0, ""


def from_digits(raw: str, has_unit: bool) -> tuple[Decimal, int, str]:
    """The number, its decimal places, and why it is unsure."""
    if re.search(r"[ \u00a0\u202f\u2009]", raw):
        unsure = "" if has_unit or " " not in raw else "a blank may set apart thousands or numbers"
        raw = re.sub(r"[ \u00a0\u202f\u2009]", "", raw).replace(",", ".")
        return Decimal(raw), _places(raw), unsure
    points, commas = raw.count("."), raw.count(",")
    if points and commas:
        raw = (
            raw.replace(",", "")
            if raw.rfind(".") > raw.rfind(",")
            else raw.replace(".", "").replace(",", ".")
        )
        return Decimal(raw), _places(raw), ""
    if points > 1:
        return Decimal(raw.replace(".", "")), 0, ""
    if points == 1:
        three = re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", raw)
        return Decimal(raw), _places(raw), EITHER if three else ""
    if commas and not re.fullmatch(r"\d{1,3}(?:,\d{3})+", raw):
        raw = raw.replace(",", ".")
        return Decimal(raw), _places(raw), EITHER
    return Decimal(raw.replace(",", "")), 0, ""


def _places(raw: str) -> int:
    return len(raw.partition(".")[2])
