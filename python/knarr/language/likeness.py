"""Whether an earlier question asks for something in particular that another one does not.

Vectors blur exactly what tells near-identical questions apart: the year, the number, the code. "Revenue in
2023" and "revenue in 2024" are as good as equal to an embedder, and their answers stand in different places.
"""

from __future__ import annotations

from functools import lru_cache

from knarr.language.constraints import constraints
from knarr.language.words import words

_TELLING = ("identifier", "number", "quoted")


def asks_beyond(earlier: str, question: str) -> bool:
    """Whether `earlier` names an identifier, a number, a date or quoted words that `question` lacks."""
    has = _words(question)
    return any(not wanted <= has for wanted in _particulars(earlier))


@lru_cache(maxsize=1 << 14)
def _particulars(question: str) -> tuple[frozenset[str], ...]:
    return tuple(_words(one.text) for one in constraints(question) if one.kind in _TELLING)


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> frozenset[str]:
    return frozenset(form for word in words(text) for form in (word.whole, *word.parts)) | frozenset(
        text.casefold().split()
    )
