"""An index over the names, titles and first lines of the documents, for finding which one is meant.

It keeps inverted lists from words to documents, one for names and one for heads, so that a question costs its
own words only. The index is built once from the namespace and kept until the knowledge base changes. It is
immutable after it is built, so any thread may use it.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from knarr.language.words import GENERIC, STOP, Version, Word, forms, initials, versions, words
from knarr.uris import name_of

HEAD_CHARS = 3_000
_HEAD_WEIGHT = 0.85
_GENERIC_WEIGHT = 0.25


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """A document (or a folder, with an empty head): its URI, its title and its first lines."""

    uri: str
    title: str
    head: str = ""
    is_folder: bool = False


@dataclass(slots=True)
class _Known:
    """What is kept of a document: `short` is its name's initials, `total` the weight of all words of its
    name."""

    entry: ScopeEntry
    name_words: tuple[Word, ...]
    versions: tuple[Version, ...]
    short: str
    total: float = 0.0


@dataclass(slots=True)
class NameIndex:
    """See the module. `known` is indexed by document number."""

    known: list[_Known] = field(default_factory=list)
    _names: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _heads: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _sorted: list[str] = field(default_factory=list)

    @classmethod
    def build(cls, entries: Iterable[ScopeEntry]) -> NameIndex:
        index = cls()
        for entry in entries:
            index._add(entry)
        for known in index.known:
            known.total = sum(index.weight(part) for word in known.name_words for part in word.parts)
        index._sorted = sorted(index._names)
        return index

    def _add(self, entry: ScopeEntry) -> None:
        number = len(self.known)
        name = name_of(entry.uri).replace("_", " ")
        listed = tuple(word for word in words(name) if word.whole not in STOP)
        found = versions(name.replace("v", " v"), named=False)
        short = initials(name)
        self.known.append(_Known(entry, listed, tuple(found), short))
        for form in forms(f"{name}\n{entry.title}"):
            self._names[form].add(number)
        if short:
            self._names[short].add(number)
        for form in {part for word in words(entry.head[:HEAD_CHARS]) for part in (word.whole, *word.parts)}:
            self._heads[form].add(number)

    def weight(self, form: str) -> float:
        """How much a word tells: its IDF over names and heads, lowered for words that any document may have."""
        if form in STOP:
            return 0.0
        seen = len(self._names.get(form, ())) + 0.3 * len(self._heads.get(form, ()))
        idf = math.log(1.0 + (len(self.known) + 1.0) / (seen + 0.5))
        return idf * (_GENERIC_WEIGHT if form in GENERIC else 1.0)

    def by_name(self, form: str) -> set[int]:
        """Documents with this word in name or title."""
        return self._names.get(form, set())

    def coverage(self, text: str) -> dict[int, float]:
        """For a mention: the share, by weight, of its words that each document has in name or head."""
        listed = [word for word in words(text) if word.whole not in STOP]
        joined = _joined(listed)
        scores: dict[int, float] = defaultdict(float)
        total = 0.0
        for at, word in enumerate(listed):
            for part in word.parts:
                weight = self.weight(part)
                total += weight
                named = self.by_name(part) | self.by_name(word.whole)
                for form in joined.get(at, ()):
                    named = named | self.by_name(form)
                for number in named:
                    scores[number] += weight
                for number in self._heads.get(part, set()) - named:
                    scores[number] += weight * _HEAD_WEIGHT
        return {number: score / total for number, score in scores.items()} if total else {}

    def with_beginnings(self, asked: set[str], question: str) -> set[str]:
        """The forms, and the names that the question's abbreviations begin (MGM for MGMResorts)."""
        more = set(asked)
        for word in words(question):
            if word.text.isupper() and 3 <= len(word.text) <= 8 and word.text.isalpha():
                more.update(self._beginning(word.text.lower()))
        return more

    def _beginning(self, prefix: str) -> list[str]:
        at = bisect.bisect_left(self._sorted, prefix)
        return self._sorted[at : bisect.bisect_right(self._sorted, prefix + "\uffff")][:8]

    def name_share(self, number: int, asked: set[str]) -> float:
        """The share, by weight, of a document's name that stands in the question's forms."""
        known = self.known[number]
        short = known.short in asked
        met = sum(
            self.weight(part)
            for word in known.name_words
            for part in word.parts
            if part in asked or word.whole in asked or (short and word.text[0].isupper())
        )
        return met / known.total if known.total else 0.0

    def letter_share(self, number: int, asked: set[str]) -> float:
        """`name_share` of the words that begin with a letter: who, without when."""
        known = self.known[number]
        weights = [(self.weight(word.whole), word) for word in known.name_words if word.text[0].isalpha()]
        total = sum(weight for weight, _ in weights)
        short = known.short in asked
        met = sum(
            weight
            for weight, word in weights
            if short or word.whole in asked or all(p in asked for p in word.parts)
        )
        return met / total if total else 0.0

    def words_met(self, number: int, asked: set[str]) -> int:
        """How many words of a document's name were asked for."""
        return sum(word.whole in asked for word in self.known[number].name_words)

    def naming(self, number: int, asked: set[str]) -> bool:
        """Whether a telling word of the name (no number, shared by few documents) was asked for."""
        few = max(4, len(self.known) // 50)
        known = self.known[number]
        return any(
            len(self.by_name(word.whole)) <= few and not word.whole[0].isdigit() and word.whole not in GENERIC
            for word in known.name_words
            if word.whole in asked or (known.short in asked and word.text[0].isupper())
        )


def _joined(listed: list[Word]) -> dict[int, list[str]]:
    """For each word, the joined forms of two and three neighbours that it is part of."""
    found: dict[int, list[str]] = defaultdict(list)
    for size in (2, 3):
        for at in range(len(listed) - size + 1):
            form = "".join(word.text.lower() for word in listed[at : at + size])
            for inside in range(at, at + size):
                found[inside].append(form)
    return found
