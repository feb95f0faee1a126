"""Judges of Algorithm 2: does a text support the question and its answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from knarr.language.citations import locate, too_short
from knarr.types import Citation

Supports = Callable[[str, str, str], bool]


class Judge(Protocol):
    """Keeps the texts that support question and answer."""

    def keep(self, question: str, answer: str, texts: Sequence[tuple[str, str]]) -> list[bool]:
        """One word for each (URI, text), in their order."""
        ...


class RuleJudge:
    """Without a model: a text supports the answer when a citation of the answer stands in it word for word,
    or when `supports(question, answer, text)` says so."""

    def __init__(self, citations: Sequence[Citation], supports: Supports | None = None) -> None:
        self._quotes = [citation.text for citation in citations if not too_short(citation.text)]
        self._supports = supports

    def keep(self, question: str, answer: str, texts: Sequence[tuple[str, str]]) -> list[bool]:
        return [self._one(question, answer, text) for _, text in texts]

    def _one(self, question: str, answer: str, text: str) -> bool:
        if any(locate(quote, text) is not None for quote in self._quotes):
            return True
        return self._supports is not None and self._supports(question, answer, text)
