"""What an answer must satisfy, read off the question: quoted words, identifiers, names, numbers, dates.

A constraint is *covered* when its words stand in the text that was shown, or in the names and titles
above it. What is not covered is worth a Grep: vectors blur exactly these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from knarr.language.lexical import root
from knarr.language.words import GENERIC, STOP, forms, stem, words
from knarr.types import Provenance
from knarr.uris import components

ConstraintKind = Literal["quoted", "identifier", "name", "number", "word"]

# Words of asking, which no document need have.
_ASKING = frozenset(
    """able about actually allow allowed also another answer any anyone anything ask available become besides come
    different don dont else ensure even ever every exist expect find get getting give given go going good got happen
    happens help include including incl instead just kind know later let like long look make many mean meet mention
    miss more most much name need normally number obtain often one only other own part per please possible provide
    quote rather really say see sentence someone something sort specifically state still take tell than there thing
    think time try two type under use used using usually want way well went will within without work
    """.split()  # noqa: SIM905 - one word per line would hide the list
)

_QUOTED = re.compile(r"[\"“]([^\"“”]{2,120})[\"”]")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z]+[-#]\d[\w-]*|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z]\w*\.[A-Za-z_]\w*(?:\(\))?|[A-Z]\w+\.[a-z]\w*(?:\(\))?"
    r"|[a-z]+[A-Z]\w*(?:\(\))?|[A-Z][a-z]+[A-Z]\w+|--[\w-]+|\w+_\w+|#\d+)"
)
_PROPER = r"[A-Z](?:[\w&-]|\.(?=\w)|['’](?!s\b))*"
_NAME = re.compile(
    rf"\b{_PROPER}(?:\s+(?:(?:of|the|and|de|van|von|for|&)\s+)?(?:{_PROPER}|\d[\w.]*(?=\s|[,.?]|$)))*"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(
    rf"\b(?:(?:{_MONTHS})\s+\d{{1,2}}(?:,\s*\d{{4}})?|\d{{1,2}}\s+(?:{_MONTHS})(?:\s+\d{{4}})?)\b"
)
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\d[\d,]*(?:\.\d+)*%?(?![\w])")


_FOCUS = re.compile(
    r"\b(?:which|what|whose)\s+((?:[\w-]+\s+){1,3}?)(?=(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Constraint:
    """`text` as the question has it."""

    kind: ConstraintKind
    text: str

    def pattern(self) -> str:
        """As RE2: the words in order, any white space between them; a word in any of its forms."""
        if self.kind == "word":
            return rf"\b{re.escape(root(stem(self.text)))}"
        return r"\s+".join(re.escape(word) for word in self.text.split())


def constraints(question: str) -> tuple[Constraint, ...]:
    """In the order of how much they pin down; overlapping weaker ones are left out."""
    found: list[Constraint] = []
    taken: list[tuple[int, int]] = []

    def add(kind: ConstraintKind, matches: Iterable[re.Match[str]], group: int = 0) -> None:
        for match in matches:
            begin, end = match.span(group)
            text = match[group].strip(" ,.;:?!'’")
            if text and not any(begin < right and left < end for left, right in taken):
                found.append(Constraint(kind, text))
                taken.append((begin, end))

    add("quoted", _QUOTED.finditer(question), 1)
    add("identifier", _IDENTIFIER.finditer(question))
    add("number", _DATE.finditer(question))
    for name in _NAME.finditer(question):
        begin = name.start() + _idle(name[0])
        again = _NAME.match(question, begin) if begin < name.end() else None
        if again and _tells(again, question):
            add("name", [again])
    add("number", _NUMBER.finditer(question))
    return tuple(dict.fromkeys(found))


def content_words(question: str) -> tuple[Constraint, ...]:
    """The words that carry the question, longest first: small letters, no words of asking."""
    found = {
        word.text.lower(): None
        for word in words(question)
        if word.text.islower()
        and len(word.text) > 3
        and not {word.whole, word.text} & STOP
        and word.text not in _ASKING
        and root(word.text) not in _ASKING
        and word.whole not in GENERIC
    }
    return tuple(Constraint("word", text) for text in sorted(found, key=lambda text: (-len(text), text)))


def focus_words(question: str) -> frozenset[str]:
    """The words between "which" or "what" and the verb: "which dental insurance is …" asks for no other."""
    found = _FOCUS.findall(question)
    return frozenset(word.text.lower() for phrase in found for word in words(phrase))


def _idle(name: str) -> int:
    """How many characters of a run of capitals are words like "Does" at a sentence's beginning."""
    at = 0
    for word in re.finditer(r"\S+\s*", name):
        if word[0].strip().lower() not in STOP:
            return at
        at = word.end()
    return at


def _tells(match: re.Match[str], question: str) -> bool:
    """Whether capitals mark a name here, and not only the beginning of a sentence."""
    text = match[0].strip(" ,.;:?!")
    first = question[: match.start()].rstrip()[-1:] in ("", ".", "?", "!", ":")
    listed = [word.whole for word in words(text)]
    if first and listed and (listed[0] in STOP or len(listed) == 1):
        return False
    return bool(listed) and not all(word in STOP or word in GENERIC for word in listed)


class Piece(Protocol):
    """A piece of document text, and where it stands."""

    @property
    def uri(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def source(self) -> Provenance: ...


class Coverage:
    """The word forms of all that was shown, for asking what is still missing."""

    def __init__(self, shown: Iterable[Piece]) -> None:
        texts: list[str] = []
        for piece in shown:
            texts += [piece.text, *piece.source.section, *components(piece.uri)]
        self._text = " ".join(" ".join(texts).lower().split())
        self._forms = forms(" ".join(texts).replace("_", " "))
        self._roots = {root(form) for form in self._forms}

    def has(self, constraint: Constraint) -> bool:
        """Quoted words and identifiers as they stand; of names and numbers, all words somewhere."""
        if constraint.kind == "word":
            return root(stem(constraint.text)) in self._roots
        plain = " ".join(constraint.text.lower().split())
        if plain in self._text or plain.removesuffix("()") in self._text:
            return True
        if constraint.kind in ("identifier", "quoted"):
            return False
        return all(word.whole in self._forms or word.whole in STOP for word in words(constraint.text))

    def missing(self, wanted: Iterable[Constraint]) -> list[Constraint]:
        return [constraint for constraint in wanted if not self.has(constraint)]
