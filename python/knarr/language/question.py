"""What a question asks, read off its words: its constraints, its parts, its particulars.

A *constraint* is something that the answer must satisfy: quoted words, an identifier, a name, a number,
a date. It is *covered* when its words are in the text that was shown, or in the names and titles above
that text. A constraint that is not covered is worth a Grep, since vectors blur exactly these.

A sentence may hold several questions, which `parts` takes apart. And two questions that an embedder
cannot tell from each other may ask for different years or codes, which `asks_beyond` tells.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from knarr.kept import kept
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
    rf"\b{_PROPER}(?:\s+(?:(?:of|the|and|de|van|von|for|&)\s+)?(?:{_PROPER}|\d\w*(?:\.\w+)*(?=\s|[,.?]|$)))*"
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
_TELLING = ("identifier", "number", "quoted")

_ASKING_WORD = r"(?:by |in |on |at |for |from |to |of |with |since |until )?(?:what|which|who|whom|whose|when|where|why|how)\b"
_BETWEEN = re.compile(
    rf"\?\s+|[,;]?(?<!\s)\s+(?:and|or|but)\s+(?={_ASKING_WORD})|[,;]\s+(?={_ASKING_WORD})", re.IGNORECASE
)
_BARE_ASKING = re.compile(
    r"((?:\w+ )?(?:which|what)) (?:is|are|was|were|has|have|had|did|does|do|will|would)\b", re.IGNORECASE
)
_NOUN = re.compile(r"(?:which|what) (?!is\b|are\b|was\b|were\b|has\b|did\b|does\b|do\b)(\w+)", re.IGNORECASE)
_MOST_PARTS = 3
_LEAST_PART_WORDS = 3


@dataclass(frozen=True, slots=True)
class Constraint:
    """`text` as the question has it."""

    kind: ConstraintKind
    text: str

    def pattern(self) -> str:
        """As RE2 syntax: the words in order, with any white space between them; a word in any of its forms."""
        if self.kind == "word":
            return rf"\b{re.escape(root(stem(self.text)))}"
        return r"\s+".join(re.escape(word) for word in self.text.split())


def constraints(question: str) -> tuple[Constraint, ...]:
    """A question's constraints, the most restrictive first; of two that overlap the weaker is left out."""
    found: list[Constraint] = []
    taken: list[tuple[int, int]] = []  # in order, none over another

    def add(kind: ConstraintKind, matches: Iterable[re.Match[str]], group: int = 0) -> None:
        for match in matches:
            begin, end = match.span(group)
            text = match[group].strip(" ,.;:?!'’")
            at = bisect_left(taken, (begin, end))
            free = (at == 0 or taken[at - 1][1] <= begin) and (at == len(taken) or end <= taken[at][0])
            if text and free:
                found.append(Constraint(kind, text))
                taken.insert(at, (begin, end))

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


_COUNTING = frozenset({"many", "much"})  # "How Many Credits" names nothing


def _idle(name: str) -> int:
    """How many characters of a run of capitals are words like "Does" at a sentence's beginning."""
    at = 0
    for word in re.finditer(r"\S+\s*", name):
        if word[0].strip().lower() not in STOP | _COUNTING:
            return at
        at = word.end()
    return at


def _tells(match: re.Match[str], question: str) -> bool:
    """Whether capitals mark a name here, or only the beginning of a sentence."""
    text = match[0].strip(" ,.;:?!")
    first = question[: match.start()].rstrip()[-1:] in ("", ".", "?", "!", ":")
    listed = [word.whole for word in words(text)]
    if first and listed and (listed[0] in STOP or len(listed) == 1):
        return False
    return bool(listed) and not all(word in STOP or word in GENERIC for word in listed)


class SourcedText(Protocol):
    """A piece of document text, and where it stands."""

    @property
    def uri(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def source(self) -> Provenance: ...


class Coverage:
    """The word forms of everything that was shown, to ask what is still missing."""

    def __init__(self, shown: Iterable[SourcedText]) -> None:
        texts: list[str] = []
        for piece in shown:
            texts += [piece.text, *piece.source.section, *components(piece.uri)]
        self._text = " ".join(" ".join(texts).lower().split())
        self._forms = forms(" ".join(texts).replace("_", " "))
        self._roots = {root(form) for form in self._forms}

    def has(self, constraint: Constraint) -> bool:
        """Whether it is covered: quoted words and identifiers as they stand, names and numbers with all of
        their words somewhere."""
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


def parts(question: str) -> tuple[str, ...]:
    """The questions in a question, in order; the question itself when it is one. "What is the fee, and when
    is it due?" asks two things. A part too short to be a question stays with the part before it."""
    found: list[str] = []
    begin = 0
    for match in _BETWEEN.finditer(question):
        piece = question[begin : match.start()].strip(" ,;")
        rest = question[match.end() :].split(None, _LEAST_PART_WORDS)
        if len(piece.split()) < _LEAST_PART_WORDS or len(rest) < _LEAST_PART_WORDS:
            continue
        found.append(piece)
        begin = match.end()
    found.append(question[begin:].strip())
    if len(found) == 1 or len(found) > _MOST_PARTS:
        return (question,)
    return tuple(_named(part, found[0]) for part in found)


def _named(part: str, first: str) -> str:
    """ "which was reached" after "Which availability is promised" as "which availability was reached"."""
    bare, noun = _BARE_ASKING.match(part), _NOUN.match(first)
    return f"{bare[1]} {noun[1]} {part[bare.end(1) + 1 :]}" if bare and noun else part


def asks_beyond(earlier: str, question: str) -> bool:
    """Whether `earlier` names an identifier, a number, a date or quoted words that `question` lacks.

    "Revenue in 2023" and "revenue in 2024" are as good as equal to an embedder, and their answers stand in
    different places."""
    has = _word_forms(question)
    return any(not wanted <= has for wanted in _particulars(earlier))


@kept(8 << 20)
def _particulars(question: str) -> tuple[frozenset[str], ...]:
    return tuple(_word_forms(one.text) for one in constraints(question) if one.kind in _TELLING)


@kept(8 << 20)
def _word_forms(text: str) -> frozenset[str]:
    return frozenset(form for word in words(text) for form in (word.whole, *word.parts)) | frozenset(
        text.casefold().split()
    )
