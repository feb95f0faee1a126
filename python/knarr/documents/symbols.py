"""What the characters of symbol fonts mean: Symbol, Wingdings, Webdings.

These fonts draw Greek letters, signs and boxes where other fonts have letters, and files keep them as single bytes or
as private characters (U+F020 to U+F0FF). Read as they stand they are wrong letters or nothing at all: a dose in "mg"
for one in "µg".
"""

from __future__ import annotations

import re

_SYMBOL: dict[int, str] = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA0, 0xFF)),
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS = {
    **dict(enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", 0x80)),
    0x20: " ", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x45: "☜", 0x46: "☞", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹",
    0x54: "❄", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x70: "☐", 0x71: "❑", 0x72: "❒", 0x73: "◆", 0x74: "◆", 0x75: "◆",
    0x76: "❖", 0x78: "☒", 0x9E: "·", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xB7: "•", 0xD8: "➢",
    0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE7: "←", 0xE8: "➔", 0xE9: "↑", 0xEA: "↓", 0xF0: "⇨", 0xFB: "✗",
    0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0xA3: "☐"}
_WEBDINGS = {0x61: "✓", 0x63: "☐", 0x67: "■", 0x6E: "●", 0x72: "✗"}
_FONTS: dict[str, dict[int, str]] = {
    "symbol": _SYMBOL, "symbolmt": _SYMBOL, "wingdings": _WINGDINGS, "wingdings2": _WINGDINGS_2, "webdings": _WEBDINGS,
}  # fmt: skip
# Without a font: the bullets, ticks, boxes and arrows that lists are made with, and then Symbol.
_USUAL = {0xA7, 0xA8, 0xB7, 0xE0, 0xFC, 0xFD, 0xFE, 0x6F, 0x78}
_ANY = {**_SYMBOL, **{point: _WINGDINGS[point] for point in _USUAL}}
UNKNOWN = "characters of symbol fonts without a known meaning left out"
"""What a receipt says, with their number after it."""
_PRIVATE = re.compile("[\uf000-\uf0ff]")
_WORD = re.compile("[A-Za-z]{4}")


def symbol_font(name: str) -> str:
    """The name by which this module knows a font; "" for one whose letters are letters."""
    name = name.replace(" ", "").casefold()
    return name if name in _FONTS else ""


def symbol(point: int, font: str) -> str:
    """The character of a code in a symbol font, "" when it is not known what it shows."""
    return _FONTS.get(symbol_font(font), _ANY).get(point & 0xFF, "")


def readable_symbols(text: str, font: str) -> tuple[str, int]:
    """Text in a font, symbols as what they show; and how many of them nobody knows, which are left out. Whole words
    in a symbol font are words that somebody dressed by mistake."""
    unknown = 0

    def shown(match: re.Match[str]) -> str:
        nonlocal unknown
        found = symbol(ord(match[0]), font)
        unknown += not found
        return found

    table = _FONTS.get(symbol_font(font))
    if table and not _WORD.search(text):
        text = "".join(table.get(ord(char), char) if char < "\u0100" else char for char in text)
    return _PRIVATE.sub(shown, text), unknown
