"""Pages whose characters are not the letters that a reader sees.

A font that does not say what its glyphs mean gives private characters, controls, or the numbers of its glyphs, read
as letters. Three things tell:
- characters that show nothing, or controls within words, where other fonts have spaces ("7KH\\x03TXLFN");
- fluent nonsense, on a page that is long enough to count: the usual letters of languages in Latin script are rare
  among its many different letters, or most are of the kind that a wrong code page gives ("Ïðèâåò"), or it is made of
  signs;
- PDFium says that it guesses, and what it guesses is mostly beyond the scripts of Europe.
Formulas, code, tables of figures and other scripts pass: they have few Latin letters, or the usual ones.

Cost: linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from knarr.documents.pdf.lines import is_known_symbol

_FEWEST_CHARS = 12
_MOST_UNREADABLE, _MOST_CONTROLLED = 0.2, 0.3
_MOST_GUESSED, _MOST_FAR = 0.5, 0.3
_FAR, _KANA = "\u0250", re.compile("[\u3040-\u30ff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_FEWEST_LETTERS, _FEWEST_KINDS = 150, 16
_USUAL = frozenset("eainotrsl")
_LEAST_USUAL = 0.35
_MOST_ACCENTED = 0.55
_ODD = frozenset("!\"#$%&'()+/:;<=>?@[\\]^`{|}~¡¢£¤¥¦§¨©ª«¬®¯°±²³´¶·¸¹º»¼½¾¿")
_FEWEST_SIGNS, _MOST_ODD = 100, 0.5


def is_garbled(words: Sequence[Sequence[Any]], unmapped: int = 0) -> bool:
    """Whether the words of a page are not what a reader sees. `unmapped`: how many of them PDFium only guesses."""
    chars = "".join([word[0] for word in words])
    total = len(chars)
    if total < _FEWEST_CHARS:
        return False
    counts = Counter(chars)
    unreadable = sum(count for char, count in counts.items() if is_unreadable(char))
    controlled = (
        sum(len(word[0]) for word in words if _has_controls(word[0])) if _CONTROL.search(chars) else 0
    )
    far = sum(
        count for char, count in counts.items() if char >= _FAR and char.isalpha() and not _KANA.match(char)
    )
    return (
        unreadable > _MOST_UNREADABLE * total
        or controlled > _MOST_CONTROLLED * total
        or (unmapped > _MOST_GUESSED * len(words) and far > _MOST_FAR * total)
        or _unusual(counts)
        or _odd(words, counts, total)
    )


def is_unreadable(char: str) -> bool:
    """A character that shows nothing a reader knows."""
    if char == "\ufffd":
        return True
    if char.isascii():
        return char < " " or char == "\x7f"
    kind = unicodedata.category(char)
    return kind in ("Cc", "Cn", "Cs") or (kind == "Co" and not is_known_symbol(char))


def readable_words(words: Sequence[Sequence[Any]]) -> tuple[list[Sequence[Any]], int]:
    """Those of the words that have more readable characters than others, and the number of characters of the rest."""
    kept = [
        word for word in words if _is_plain(word[0]) or 2 * sum(map(is_unreadable, word[0])) < len(word[0])
    ]
    if len(kept) == len(words):
        return kept, 0
    return kept, sum(len(word[0]) for word in words) - sum(len(word[0]) for word in kept)


def _is_plain(word: str) -> bool:
    """Whether all characters are readable for sure, told at once."""
    return word.isprintable() and "\ufffd" not in word and word != ""


def _has_controls(word: str) -> bool:
    """Whether controls stand within a word. A control alone is a bullet of a font that nobody knows."""
    return len(word) > 1 and _CONTROL.search(word) is not None


def _unusual(counts: Counter[str]) -> bool:
    """Whether Latin letters are mostly rare ones."""
    letters = usual = accented = 0
    kinds = set()
    for char, count in counts.items():
        base = _latin_base(char)
        if not base:
            continue
        kinds.add(base)
        letters += count
        usual += count if base in _USUAL else 0
        accented += count if "\xc0" <= char <= "\xff" else 0
    if letters < _FEWEST_LETTERS:
        return False
    rare = len(kinds) >= _FEWEST_KINDS and usual < _LEAST_USUAL * letters
    return rare or accented > _MOST_ACCENTED * letters


@lru_cache(4096)
def _latin_base(char: str) -> str:
    """The small letter without its marks that a Latin letter is made of; "" for any other character."""
    if not char.isalpha() or not unicodedata.name(char, "").startswith("LATIN"):
        return ""
    return unicodedata.normalize("NFD", char)[0].casefold()


def _odd(words: Sequence[Sequence[Any]], counts: Counter[str], total: int) -> bool:
    """Whether the page is made of signs, each of which stands for a letter: rules and leaders, which repeat one, and
    signs that stand alone do not count."""
    if total < _FEWEST_SIGNS or sum(counts[char] for char in _ODD) <= _MOST_ODD * total:
        return False
    odd = sum(
        sum(char in _ODD for char in word[0]) for word in words if len(word[0]) > 1 and len(set(word[0])) > 1
    )
    return odd > _MOST_ODD * total
