"""Numbers as a spreadsheet shows them: the number formats of Excel, for figures, percentages and dates.

A cell stores 0.25 or 45292 and shows "25%" or "2024-01-01"; people search for what they see. Colours, widths and
alignment are left out. Names of days and months are English; a format that is not understood gives the
plain number.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    5: "#,##0;(#,##0)", 6: "#,##0;(#,##0)", 7: "#,##0.00;(#,##0.00)", 8: "#,##0.00;(#,##0.00)", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that files name only by number; the short date, whose order depends on the reader, as ISO has it, and amounts
without the currency, which depends on the reader too."""
_TOKEN = re.compile(
    r"\"(?P<quoted>[^\"]*)\"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|"
    r"\[(?P<condition>[<>=]{1,2}-?\d[\d.]*)\]|\[[^\]]*\]|(?P<am>AM/PM|A/P)|(?P<general>General)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)|"
    r"(?P<exponent>[Ee][+-])|(?P<figure>[0#?.,/%]+)|(?P<text>@)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MAX_FORMAT_CHARS = 255
_MAX_DAYS = 2_958_466  # the end of the year 9999
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

_Token = tuple[str, str]


def shown(value: float, code: str, *, from_1904: bool = False) -> str:
    """A number under a number format."""
    sections = _sections(code[:_MAX_FORMAT_CHARS])
    at, signed = _section_of(value, sections)
    if at < 0:
        return plain(value)
    tokens = sections[at]
    kinds = {kind for kind, _ in tokens}
    try:
        if kinds & {"date", "elapsed"}:
            return _date(value, tokens, from_1904)
        if not kinds & {"figure", "general"}:
            # Nothing but words, such as "n/a" for zero; an empty section hides the number.
            return plain(value) if "text" in kinds or code == "" else _literal(tokens)
        sign = "-" if value < 0 and signed else ""
        return sign + _figure(abs(value), tokens)
    except (ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        return plain(value)


def _section_of(value: float, sections: tuple[tuple[_Token, ...], ...]) -> tuple[int, bool]:
    """Which section of a format a value is shown by, -1 for none, and whether a minus sign stands before it."""
    limits = [next((text for kind, text in one if kind == "condition"), "") for one in sections]
    if any(limits):
        for at, limit in enumerate(limits):
            if not limit or _meets(value, limit):
                return at, True
        return -1, True
    if len(sections) == 1 or value > 0 or (value == 0 and len(sections) == 2):
        return 0, len(sections) == 1
    return (1 if value < 0 else 2), False


def _meets(value: float, limit: str) -> bool:
    sign = limit.rstrip("0123456789.-")
    bound = float(limit[len(sign) :])
    return (
        (value > bound and ">" in sign)
        or (value < bound and "<" in sign)
        or (value == bound and "=" in sign)
        or (value != bound and sign == "<>")
    )


def plain(value: float) -> str:
    """A number as "General" shows it: no noise of binary fractions."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    return f"{value:.15g}" if abs(value) >= 1e11 or value != int(value) else str(int(value))


@lru_cache(maxsize=2_000)
def _sections(code: str) -> tuple[tuple[_Token, ...], ...]:
    sections: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or ""
        text = match[kind] if kind else ""
        if kind == "other" and text == ";":
            sections.append([])
        elif kind:
            sections[-1].append(("quoted" if kind in ("escaped", "currency", "other") else kind, text))
    return tuple(map(tuple, sections))


def _literal(tokens: tuple[_Token, ...]) -> str:
    return "".join(text for kind, text in tokens if kind == "quoted").strip()


def _figure(value: float, tokens: tuple[_Token, ...]) -> str:
    figures = "".join(text for kind, text in tokens if kind == "figure")
    number = Decimal(repr(value)) * 100 ** figures.count("%")
    if any(kind == "exponent" for kind, _ in tokens):
        figures = next(text for kind, text in tokens if kind == "figure")
    whole, _, decimals = figures.replace("%", "").partition(".")
    if "/" in figures:
        return _around(tokens, plain(value))
    if any(kind == "exponent" for kind, _ in tokens):
        places = len(decimals) - len(decimals.lstrip("0#?")) if decimals else 0
        at = next(at for at, (kind, _) in enumerate(tokens) if kind == "exponent")
        power = len(next((text for kind, text in tokens[at:] if kind == "figure"), "0"))
        mantissa, _, exponent = f"{number:.{places}E}".partition("E")
        return _around(tokens, f"{mantissa}E{exponent[:1]}{exponent[1:].zfill(power)}")
    if any(kind == "general" for kind, _ in tokens):
        return _around(tokens, plain(value))
    scaled = whole if decimals == "" and "." not in figures else decimals
    while scaled.endswith(","):
        scaled, number = scaled[:-1], number / 1000
    decimals = decimals.replace(",", "")
    least = sum(char == "0" for char in decimals)
    text = format(number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP), "f")
    groups = [text for kind, text in tokens if kind == "figure"]
    if len(groups) > 1 and not set("".join(groups)) - set("0#?.") and "." not in "".join(groups[:-1]):
        return _spread(tokens, whole, text)
    before, _, after = text.partition(".")
    while len(after) > least and after.endswith("0"):
        after = after[:-1]
    before = before.zfill(sum(char == "0" for char in whole)).lstrip("-")
    if before == "0" and "0" not in whole:
        before = ""
    if "," in whole.rstrip(","):
        before = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", before) if len(before) < 60 else before
    return _around(tokens, before + (f".{after}" if after else "") + "%" * figures.count("%"))


def _spread(tokens: tuple[_Token, ...], figures: str, number: str) -> str:
    """A whole number over several groups of places with signs in between, as telephone numbers are written; the first
    group takes all digits that are left."""
    whole, _, rest = number.partition(".")
    digits = whole.zfill(figures.count("0"))
    left = sum(kind == "figure" for kind, _ in tokens)
    pieces: list[str] = []
    for kind, text in reversed(tokens):
        if kind == "figure":
            left -= 1
            take = sum(char in "0#?" for char in text.partition(".")[0]) if left else len(digits)
            pieces.append((digits[-take:] if take else "") + (f".{rest}" if "." in text else ""))
            digits = digits[:-take] if take else digits
        elif kind == "quoted" and (digits or left == 0 or not pieces):
            pieces.append(text)
    return "".join(reversed(pieces)).strip()


def _around(tokens: tuple[_Token, ...], number: str) -> str:
    """The number in the place of its figures, with the words around it."""
    pieces, written = [], False
    for kind, text in tokens:
        if kind == "quoted":
            pieces.append(text)
        elif kind in ("figure", "general") and not written:
            pieces.append(number)
            written = True
    return "".join(pieces).strip()


def _date(value: float, tokens: tuple[_Token, ...], from_1904: bool) -> str:
    if not 0 <= value < _MAX_DAYS:
        return plain(value)
    places = max((len(text.partition(".")[2]) for kind, text in tokens if kind == "date"), default=0)
    moment = _moment(value, from_1904, places)
    clock = any(kind == "am" for kind, _ in tokens)
    pieces, last = [], ""
    for at, (kind, text) in enumerate(tokens):
        if kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[text[0].lower()]
            pieces.append(str(round(value * 86_400) // unit).zfill(len(text)))
            last = text[0].lower()
        elif kind == "date":
            low = text.lower()
            following = next((t.lower() for k, t in tokens[at + 1 :] if k == "date"), "")
            minutes = low[0] == "m" and len(low) < 3 and (last in ("h",) or following.startswith("s"))
            pieces.append(_part("n" * len(low) if minutes else low, moment, clock))
            last = low[0]
        elif kind == "am":
            pieces.append("AM" if moment.hour < 12 else "PM")
        elif kind == "quoted":
            pieces.append(text)
        elif kind == "figure":
            pieces.append(text if text in (".", "/", ",") else "")
    return "".join(pieces).strip()


def _moment(value: float, from_1904: bool, places: int) -> datetime:
    # Excel takes 1900 for a leap year; from March on its days count from two days before 1900.
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if value >= 60 else 31)
    return start + timedelta(seconds=round(value * 86_400, places))


def _part(low: str, moment: datetime, clock: bool) -> str:
    kind, size = low[0], len(low.partition(".")[0])
    if kind == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if kind == "m" and size >= 3:
        name = _MONTHS[moment.month - 1]
        return name[:3] if size == 3 else name[:1] if size == 5 else name
    if kind == "d" and size >= 3:
        name = _DAYS[moment.weekday()]
        return name[:3] if size == 3 else name
    if kind == "s":
        decimals = low.partition(".")[2]
        text = f"{moment.second:0{min(size, 2)}d}"
        return text + (f".{moment.microsecond:06d}"[: 1 + len(decimals)] if decimals else "")
    hour = (moment.hour % 12 or 12) if clock else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute}[kind]
    return f"{number:0{min(size, 2)}d}"
