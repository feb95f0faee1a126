"""Pages whose characters are not the letters that a reader sees.

A font that does not say what its glyphs mean gives private characters, controls, or the numbers of its glyphs, read
as letters. Characters of the first kinds tell by themselves. Glyph numbers give fluent nonsense ("7KH TXLFN"), which
only counts tell: a page long enough for them is garbled when the usual letters of languages in Latin script are rare
among its letters, when most of these are of the kind that a wrong code page gives ("Ïðèâåò"), or when it is made of
signs. Formulas, code, tables of figures and other scripts pass: they have few Latin letters, or the usual ones.

Cost: linear in the text, one pass over its distinct characters.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from knarr.documents.pdf.lines import is_known_symbol

_FEWEST_CHARS = 24
_MOST_UNREADABLE = 0.2
_FEWEST_LETTERS = 150
_USUAL = frozenset("eainotrsl")
_LEAST_USUAL = 0.36
_MOST_ACCENTED = 0.55
_ODD = frozenset("!\"#$%&'()+/:;<=>?@[\\]^`{|}~¡¢£¤¥¦§¨©ª«¬®¯°±²³´¶·¸¹º»¼½¾¿")
_FEWEST_SIGNS, _MOST_ODD = 100, 0.5


def is_garbled(words: Sequence[Sequence[Any]]) -> bool:
    """Whether the words of a page are not what a reader sees."""
    counts = Counter("".join(str(word[0]) for word in words))
    total = sum(counts.values())
    if total < _FEWEST_CHARS:
        return False
    unreadable = sum(count for char, count in counts.items() if is_unreadable(char))
    if unreadable > _MOST_UNREADABLE * total:
        return True
    return _unusual(counts) or _odd(words, total)


def is_unreadable(char: str) -> bool:
    """A character that shows nothing a reader knows."""
    if char == "\ufffd":
        return True
    kind = unicodedata.category(char)
    return kind in ("Cc", "Cn", "Cs") or (kind == "Co" and not is_known_symbol(char))


def readable_words(words: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Those of the words that have more readable characters than others."""
    return [word for word in words if 2 * sum(map(is_unreadable, word[0])) < len(word[0])]


def _unusual(counts: Counter[str]) -> bool:
    """Whether Latin letters are mostly rare ones."""
    letters = usual = accented = 0
    for char, count in counts.items():
        if not char.isalpha() or not unicodedata.name(char, "").startswith("LATIN"):
            continue
        base = unicodedata.normalize("NFD", char)[0].casefold()
        letters += count
        usual += count if base in _USUAL else 0
        accented += count if "\xc0" <= char <= "\xff" else 0
    return letters >= _FEWEST_LETTERS and (
        usual < _LEAST_USUAL * letters or accented > _MOST_ACCENTED * letters
    )


def _odd(words: Sequence[Sequence[Any]], total: int) -> bool:
    """Whether the page is made of signs, each of which stands for a letter: rules and leaders, which repeat one, and
    signs that stand alone do not count."""
    odd = sum(
        sum(char in _ODD for char in word[0]) for word in words if len(word[0]) > 1 and len(set(word[0])) > 1
    )
    return total >= _FEWEST_SIGNS and odd > _MOST_ODD * total
