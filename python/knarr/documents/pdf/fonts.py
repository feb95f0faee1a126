"""What a font's name says of its look.

Names say more than numbers: the weight that a font states is derived from the width of its stems, which many programs
make up, so it counts only where the name says nothing ("F1", "AdvOT3b30f6db"). Loaded in the worker process, so it
imports the standard library only.
"""

from __future__ import annotations

import re

_SUBSET = re.compile(r"^[A-Z]{6}\+")
_WORDS = re.compile(
    r"bold|black|heavy|semib|demi|medi(?:um)?(?![a-z])|medi(?:ital|obli)|impact|negr(?:eta|ita)|fett|grass?etto|"
    # Families that are bold, or are set beside a lighter one as bold is: TeX's, and those of Chinese, Japanese, Korean.
    r"(?:cm|ec|sf|dc|la|lb)(?:ss)?(?:bx|sx|bi|xc|b1)(?:ti|sl)?\d|"
    r"simhei|heiti|黑体|ms-?p?gothic|futogo|gothicm?bb?b|dotum(?!light|l\b|pl)|"
    r"[-,. ]gras\b|[-,]bd\b",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"(?:[-,.](?:B|BI|Bd|Blk|Dm|Md|Hv|Sb|Xb)|(?<=[a-z])(?:Bd|Blk|PB))(?:I|It|Ital|Obl|Cn|Cm|Cond|MT|PS)*(?:\+\d+)?$"
)
_ITALIC = re.compile(
    r"ital|obli|slant|cursiv|kursiv|(?:cm|ec|sf|dc)(?:bx|ss)?(?:ti|sl|it)\d|[-,.](?:I|BI|It|BdIt|BkIt|LtIt)(?:\+\d+)?$",
    re.IGNORECASE,
)
_UNTOLD = re.compile(
    r"(?:CIDFont|Adv(?:OT|PS?|TT)?|MSTT|TT|T|F|Fd|R|C|G|font)?[-_+]?[0-9a-f]{0,12}(?:[-_+.]?[0-9]+)?",
    re.IGNORECASE,
)
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHTS = range(600, 1001)


# How high letters are, in units of the size: those like x, those that reach below the line, and all others.
_SMALL, _LOW = frozenset("acemnorsuvwxz"), frozenset("gpqy")
SMALLEST_SIZE = 2.0
"""Sizes below it are no measure: a font that is drawn glyph by glyph (Type 3) may state any."""


def drawn_size(char: str, height: float) -> float:
    """The size of a font whose letter `char` is drawn so high."""
    return height / (0.44 if char in _SMALL else 0.64 if char in _LOW else 0.69)


def look(name: str, flags: int, weight: int) -> tuple[bool, bool]:
    """Whether a font is bold, and whether italic, by its name, its descriptor's flags and the weight it states."""
    name = _SUBSET.sub("", name)
    bold = bool(_WORDS.search(name) or _MARKS.search(name)) or bool(flags & _FORCE_BOLD)
    if not bold and _UNTOLD.fullmatch(name):
        bold = weight in _BOLD_WEIGHTS
    return bold, bool(_ITALIC.search(name))
