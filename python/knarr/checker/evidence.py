"""Direct evidence for each constraint, found by rule in what was cited and shown.

A constraint is looked for in the cited words first, then in the piece they stand in, then in the titles and
names above it. Evidence is always words of a document, or the name of one. Years and numbers must be equal,
since 2023 is not 2024; words may differ in their endings. Where the cited words speak of other years, the piece
around them is no evidence for a year.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from knarr.checker.constraints import YEAR, Need, described, needs
from knarr.checker.opposites import names_time
from knarr.checker.types import Case, Evidence
from knarr.kept import kept
from knarr.language.citations import locate
from knarr.language.lexical import root, terms
from knarr.language.numerals import SMALL, TENS
from knarr.language.passages import sentences
from knarr.language.plain import first_words
from knarr.language.question_type import question_type
from knarr.language.words import STOP, forms, stem, words
from knarr.types import Citation, ConstraintCheck
from knarr.uris import components, name_of, within

_TIME = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\b\d{1,2}/\d{1,2}\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:\d+|one|two|three|four|five|six|seven|ten|thirty|sixty|ninety)(?:\s*\(\d+\))?\s+(?:business |calendar )?"
    r"(?:second|minute|hour|day|week|month|quarter|year|decade)s?\b"
    r"|\b(?:noon|midnight|century|weekly|daily|monthly|annually|immediately|upon|as soon as)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = (
    {"zero": "0"}
    | {word: str(number) for number, word in enumerate(SMALL, 1)}
    | {word: str(10 * number) for number, word in enumerate(TENS, 2)}
)
_ANY_NUMBER = re.compile(
    rf"\d|\b(?:{'|'.join(_NUMBER_WORDS)}|once|twice|half|dozens?|hundreds?|thousands?|millions?|billions?|single|both|none)\b",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)*")
_DENIAL = re.compile(
    r"\b(?:not?|never|none|nobody|nothing|cannot|neither|nor|without|except|exclud\w+|exception|unless|prohibit\w*|forbid\w*|"
    r"forbidden|deni\w+|refus\w+|lack\w*|fail\w*|absent|absence|only|instead|limit\w*|restrict\w*|exempt\w*|unable|"
    r"\w+n['’]t|un(?:able|allowed|available|supported|authorized|authorised|paid|known|changed)|non\w+)\b",
    re.IGNORECASE,
)
_SUFFIXES = frozenset(
    "inc incorporated corp corporation co company ltd limited llc lp plc gmbh ag sa nv the of and".split()  # noqa: SIM905 - as above
)
_LEADING = frozenset({"Both", "Either", "Between", "Among", "Based", "Since", "During", "Given"})
_JOINED = re.compile(r",?\s+(?:and|&)\s+")
_EXCERPT = 300


class Scorer(Protocol):
    """A cross-encoder: a logit per passage for a query, shape (n,)."""

    def scores(self, query: str, passages: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Ground:
    """What a citation stands on: the cited words (`quote`), the shown piece around them (`near`), the titles
    above."""

    uri: str
    quote: str
    near: str
    titles: tuple[str, ...]
    document: str

    @property
    def place(self) -> str:
        """Names and titles above, as running text."""
        return " / ".join((*self.titles, *components(self.uri))).replace("_", " ")

    @property
    def in_context(self) -> str:
        """The quote with the titles that it cannot be understood without; the cross-encoder reads this."""
        return f"{' / '.join(self.titles[-2:])}: {self.quote}"


def grounds(case: Case) -> tuple[Ground, ...]:
    """One per citation that holds, in order."""
    return tuple(_ground(one, case.evidence) for one in case.citations)


def _ground(cited: Citation, shown: Sequence[Evidence]) -> Ground:
    own = [piece for piece in shown if piece.uri == cited.uri]
    for piece in own:
        if locate(cited.text, piece.text) is not None:
            return Ground(cited.uri, cited.text, piece.text, piece.source.section, piece.source.document)
    titles = own[0].source.section if own else ()
    return Ground(cited.uri, cited.text, cited.text, titles, cited.document)


def direct(need: Need, stands: Sequence[Ground]) -> ConstraintCheck:
    """The evidence for one constraint in the citations; the constraint is unmet when there is none."""
    found = [piece for ground in stands if (piece := _in_ground(need, ground)) is not None]
    if not found and need.want == "words" and len(several := _JOINED.split(need.text)) > 1:
        # "A and B" need not stand together: each may have its own evidence.
        each = [direct(Need(need.kind, part, need.want), stands) for part in several]
        found = [piece for one in each for piece in one.evidence] if all(one.met for one in each) else []
    return ConstraintCheck(need.kind, need.text, tuple(dict.fromkeys(found)), bool(found))


def _in_ground(need: Need, ground: Ground) -> tuple[str, str] | None:
    """(URI, words) for the need in one citation; None when it is not there."""
    if need.want == "document":
        inside = within(ground.uri, need.text)
        return (need.text, name_of(need.text)) if inside else None
    if need.want == "absence":
        return None if _is_about(need.text, ground) else (ground.uri, _clip(ground.quote))
    if has(need, ground.quote):
        return ground.uri, _clip(_sentence(need, ground.quote))
    if need.want in ("a time", "a number", "denial"):
        return None
    if need.want == "year" and YEAR.search(ground.quote):
        return None  # the cited words speak of other years
    if has(need, ground.near):
        return ground.uri, _clip(_sentence(need, ground.near))
    if has(need, ground.place):
        return ground.uri, _clip(ground.place)
    if has(need, f"{ground.place} {ground.near}"):
        return ground.uri, _clip(ground.quote)
    return None


def unmet_names(
    question: str, checked: Iterable[tuple[Need, ConstraintCheck]], shown: Iterable[str]
) -> list[str]:
    """The hard names of a question that its citations lack. A question that takes a step from one document to another, or
    compares, needs one of its names there; the others may stand anywhere in what was shown."""
    names = [(need, check) for need, check in checked if need.hard and need.kind == "entity"]
    lacking = [need for need, check in names if not check.met]
    if not lacking or len(lacking) == len(names):
        return [need.text for need in lacking]
    if not described(question) and question_type(question) != "compare":
        return [need.text for need in lacking]
    texts = list(shown)
    return [need.text for need in lacking if not any(has(need, text) for text in texts)]


def exclusions(question: str) -> tuple[str, ...]:
    """What a question excludes: "2023" of "not in 2023"."""
    return tuple(need.text for need in needs(question) if need.want == "absence")


def about_excluded(excluded: Sequence[str], ground: Ground) -> bool:
    """Whether a piece of text is about something that was excluded."""
    return any(_is_about(text, ground) for text in excluded)


def _is_about(excluded: str, ground: Ground) -> bool:
    """Whether a citation speaks of what the question excludes, and does not set it apart itself."""
    want = Need("time", excluded, "year") if YEAR.fullmatch(excluded) else Need("entity", excluded, "words")
    if has(want, ground.quote):
        others = set(YEAR.findall(ground.quote)) - {excluded}
        return not _DENIAL.search(ground.quote) and not (want.want == "year" and others)
    return want.want == "year" and not YEAR.search(ground.quote) and has(want, ground.place)


def has(need: Need, text: str) -> bool:
    """Whether a text has what is needed. Years and numbers are exact: 2023 is not 2024."""
    match need.want:
        case "year":
            return _has_year(need.text, text)
        case "number":
            return numbers(need.text) <= numbers(text)
        case "version":
            return any(
                have == asked or have.startswith(f"{asked}.")
                for asked in numbers(need.text)
                for have in numbers(text)
            )
        case "phrase":
            plain = _plain(need.text)
            return plain in _plain(text) or plain.removesuffix("()") in _plain(text)
        case "words":
            return _has_words(need.text, text) or names_time(need.text, text)
        case "a time":
            return bool(_TIME.search(text))
        case "a number":
            return bool(_ANY_NUMBER.search(text))
        case "denial":
            return bool(_DENIAL.search(text))
    return False


_YEARS = re.compile(
    r"(?:\b(?:from|between)\s+)?(?<!\d)((?:19|20)\d\d)\s*(-|–|—|/|to|until|till|through|and)\s*((?:19|20)\d\d|\d\d)(?!\d)"
)


def _has_year(year: str, text: str) -> bool:
    """A year as it stands, of a fiscal year, or between the ends of a range: 2021 is in "from 2019 to 2023"."""
    if year in YEAR.findall(text) or re.search(rf"\b(?:FY|CY)\s?['’]?{year[2:]}\b", text, re.IGNORECASE):
        return True
    for match in _YEARS.finditer(text):
        first, last = match[1], match[3] if len(match[3]) == 4 else match[1][:2] + match[3]
        ranged = match[2] in "-–—" or (match[2] != "/" and match[0].startswith(("from", "between")))
        if year == last or (ranged and first <= year <= last):
            return True
    return False


def _has_words(name: str, text: str) -> bool:
    """All telling words of a name, in any form; what companies end in aside."""
    if _plain(name) in _plain(text):
        return True
    have, roots = _forms(text)
    asked = [word for word in words(name) if word.whole not in STOP and word.text not in _LEADING]
    telling = [word for word in asked if word.text.lower() not in _SUFFIXES] or asked
    return all(word.whole in have or root(stem(word.text.lower())) in roots for word in telling)


@kept(16 << 20)
def _forms(text: str) -> tuple[frozenset[str], frozenset[str]]:
    found = frozenset(forms(text.replace("_", " ")))
    return found, frozenset(root(form) for form in found)


def numbers(text: str) -> frozenset[str]:
    """Every number in a text, without signs of money and thousands; small number words as digits."""
    found = {match.replace(",", "").rstrip(".") for match in _NUMERAL.findall(text)}
    return frozenset(
        found
        | {_NUMBER_WORDS[word.text.lower()] for word in words(text) if word.text.lower() in _NUMBER_WORDS}
    )


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _sentence(need: Need, text: str) -> str:
    """The first sentence that has it, else the text."""
    return next((part.text for part in sentences(text) if has(need, part.text)), text)


def _clip(text: str) -> str:
    return first_words(text, _EXCERPT)


_SUPPORTS_LOGIT = -2.0
_SUPPORTS_WORDS = 0.5
_ANSWER_WORDS = 0.5


def supports(question: str, answer: str, text: str, reranker: Scorer | None) -> bool:
    """Whether a text by itself supports question and answer: it fits the question (by the cross-encoder,
    by words in common without one), lacks none of its years, and shares the answer's words."""
    if not text.strip():
        return False
    years = [need for need in needs(question) if need.want == "year"]
    if years and YEAR.search(text) and not any(has(need, text) for need in years):
        return False
    shared = share(answer, [text])
    if reranker is None:
        return share(question, [text]) >= _SUPPORTS_WORDS and shared >= _ANSWER_WORDS
    logit = max((float(one) for one in reranker.scores(question, [text])), default=float("-inf"))
    return logit >= _SUPPORTS_LOGIT or (shared >= 0.9 and logit >= 4.0 * _SUPPORTS_LOGIT)


def share(asked: str, texts: Iterable[str]) -> float:
    """The share of telling words that the texts have together; 0 without such words."""
    wanted = set(terms(asked))
    have = {term for text in texts for term in terms(text)}
    return len(wanted & have) / len(wanted) if wanted else 0.0
