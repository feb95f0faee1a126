"""Do two pieces of evidence give different values for the one thing that was asked?

Both must answer the question (`knarr.checker.asked`), and then say the same of it: two values conflict only when nothing
on either side tells what they are of apart. A condition, another party, another reference point, another year, version or
document of the same kind all do; so does a heading, where the question is general. Values conflict beyond their rounding
and outside of each other's ranges. The rule errs towards silence: a conflict that is none would take back a right answer.

Cost: each pair of at most `MOST` pieces, and one reading of each text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from knarr.checker.asked import NAMING, Asked, Piece, answers, asked, light
from knarr.language.figures import Figure, years_of
from knarr.language.lexical import root, terms
from knarr.language.plain import one_line
from knarr.language.quantities import quantities
from knarr.language.words import GENERIC, STOP, stem, versions, words
from knarr.types import Provenance

MOST = 12


@dataclass(frozen=True, slots=True)
class Side:
    """One of two values: as it stands, in its sentence or row (`text`), which is in the object `uri`."""

    value: str
    uri: str
    text: str
    source: Provenance


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values for one thing, the better ranked first.

    asked:  the words of the question that both are of
    newer:  the side that its sources say is the later one, and `why`; None where they do not say
    """

    asked: str
    sides: tuple[Side, Side]
    newer: Side | None = None
    why: str = ""

    @property
    def text(self) -> str:
        """In words: both values with where they stand, and which is the newer."""
        told = " and ".join(f"“{side.value}” ({side.uri})" for side in self.sides)
        tail = f"; the newer is “{self.newer.value}”: {self.why}" if self.newer else ""
        return f"different values: {told}{tail}"


@dataclass(frozen=True, slots=True)
class _Answer:
    piece: Piece
    figure: Figure

    @property
    def line(self) -> str:
        return self.piece.text[self.figure.line[0] : self.figure.line[1]]


def conflicts(question: str, pieces: Sequence[Piece]) -> tuple[Conflict, ...]:
    """The conflicts among the pieces, which are given best first; further than the first `MOST` is not looked. `question`
    is without the words that name documents. Each value is told once, against the best ranked that it differs from."""
    want = asked(question)
    if want is None:
        return ()
    single = [
        _Answer(piece, found[0]) for piece in pieces[:MOST] if len(found := _per_line(want, piece)) == 1
    ]
    kept: list[Conflict] = []
    told: set[tuple[Decimal, str]] = set()
    for first, second in itertools.combinations(single, 2):
        key = (second.figure.value, second.figure.unit)
        if key not in told and _same_thing(want, first, second) and _differ(first.figure, second.figure):
            told |= {key, (first.figure.value, first.figure.unit)}
            kept.append(_conflict(want, first, second))
    return tuple(kept)


def _per_line(want: Asked, piece: Piece) -> list[Figure]:
    """The figures that can answer, one of equal ones; several in one piece leave open which one is meant."""
    found = answers(want, piece)
    return list({(one.value, one.unit, one.high): one for one in found}.values())


# ------------------------------------------------------------------ values

_DAYS = {
    "second": Decimal(1) / 86400,
    "minute": Decimal(1) / 1440,
    "hour": Decimal(1) / 24,
    "day": Decimal(1),
    "week": Decimal(7),
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_LOOSE = Decimal("0.05")  # a month is not always thirty days, and "about" is not exact


def _differ(one: Figure, two: Figure) -> bool:
    """Whether two figures of one thing exclude each other."""
    if one.kind != two.kind and {one.kind, two.kind} != {"money", "number"}:
        return False
    if "least" in (one.bound, two.bound) and one.bound != two.bound:
        return False
    if one.kind == "date":
        return _dates_differ(one, two)
    if one.kind == "duration" and one.unit != two.unit:
        return _durations_differ(one, two)
    if one.unit != two.unit and one.unit and two.unit:
        return False
    return _apart(one, two, one.value, two.value, one.high, two.high, max(one.step, two.step) / 2)


def _apart(
    one: Figure, two: Figure, first: Decimal, second: Decimal, first_high: Decimal | None, second_high: Decimal | None, slack: Decimal
) -> bool:  # fmt: skip
    """Whether two ranges do not meet, `slack` of rounding allowed. Whole numbers as stated are exact among themselves."""
    exact = one.step == two.step and "about" not in (one.bound, two.bound)
    slack = Decimal(0) if exact else slack
    if "about" in (one.bound, two.bound):
        slack = max(slack, _LOOSE * max(abs(first), abs(second)))
    return first - slack > (second_high or second) or second - slack > (first_high or first)


def _durations_differ(one: Figure, two: Figure) -> bool:
    if one.unit in _DAYS and two.unit in _DAYS:
        left, right = one.value * _DAYS[one.unit], two.value * _DAYS[two.unit]
        loose = Decimal(0)
    else:
        sizes = [_in_days(figure.unit) for figure in (one, two)]
        if sizes[0] is None or sizes[1] is None:
            return False  # business days and days have no fixed ratio
        left, right, loose = one.value * sizes[0], two.value * sizes[1], _LOOSE
    if one.high is not None or two.high is not None:
        return False
    return abs(left - right) > loose * max(left, right)


def _in_days(unit: str) -> Decimal | None:
    return _DAYS.get(unit) or (Decimal("30.44") * _MONTHS[unit] if unit in _MONTHS else None)


def _dates_differ(one: Figure, two: Figure) -> bool:
    """Dates of one precision; a month holds its days, and a day without its year is compared as such."""
    return one.unit == two.unit and one.value != two.value


# ------------------------------------------------------------------ what they are of

_ENTERS = frozenset("for if unless when where except excluding only during in on at under per with without as between before until since through among whose while".split())  # fmt: skip  # noqa: SIM905
_NEGATED = re.compile(r"\b(?:not|no|non|never|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_TAIL = re.compile(r"^\W*(?:of|from|after|following|upon)\b(?P<tail>[^.;,]*)", re.IGNORECASE)
_NEUTRAL_TITLES = GENERIC | frozenset(
    """general terms overview summary introduction notice notices policy policies faq details information rules conditions misc
    appendix help support website update updates announcement newsletter readme index frequently asked questions email mail news
    memo info old new draft final copy revised note notes current latest archive archived minutes handbook terms welcome
    table tables page pages main body""".split()  # noqa: SIM905 - one word per line would hide the list
)  # fmt: skip


def _same_thing(want: Asked, one: _Answer, two: _Answer) -> bool:
    """Whether nothing on either side tells apart what the two values are of."""
    first, second = one.figure, two.figure
    same_document = one.piece.source.document == two.piece.source.document
    same_line = one.piece.uri == two.piece.uri and one.line == two.line
    if same_document and (same_line or (first.place and second.place)):
        return False  # tables of one document are of its segments and periods
    told = [set(answer.figure.years) & set(years_of(answer.line)) for answer in (one, two)]
    if first.kind not in ("date", "year") and told[0] != told[1] and not want.years:
        return False
    if _other_edition(one.piece, two.piece):
        return False
    strong = len(want.words & first.subject) > 1 and len(want.words & second.subject) > 1
    if not _same_place(want, one, two, strong=strong):
        return False
    return not _set_apart(want, one, two, strong=strong)


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_EDITION = re.compile(r"[\s_.-]*\bv?\d+(?:\.\d+)*\b", re.IGNORECASE)


def _other_edition(one: Piece, two: Piece) -> bool:
    """Whether the documents are of other versions or years by their names, folders or titles. Two editions of one document
    ("Refunds 2023", "Refunds 2025") are about one thing: of a question that names neither, both values are told. So are a
    dated and an undated text."""
    if _editions(one, two):
        return False
    left, right = (f"{piece.source.document} {piece.titles}".replace("_", " ") for piece in (one, two))
    pairs = (
        (set(versions(left, named=True)), set(versions(right, named=True))),
        (_years(left), _years(right)),
    )
    return any(first and second and first != second for first, second in pairs)


def _editions(one: Piece, two: Piece) -> bool:
    """Whether two documents have one name, or one title, but for a year or version."""
    if one.source.document == two.source.document:
        return False
    names, titles = (
        [_EDITION.sub("", text.replace("_", " ")).casefold() for text in pair]
        for pair in (
            (one.source.document, two.source.document),
            ("/".join(one.source.section), "/".join(two.source.section)),
        )
    )
    return names[0] == names[1] or (titles[0] == titles[1] != "")


def _years(text: str) -> set[str]:
    return set(_YEAR.findall(text))


def _same_place(want: Asked, one: _Answer, two: _Answer, *, strong: bool) -> bool:
    """Whether titles and names leave both about the same. Documents of one kind ("Lease A", "Lease B") are each about their
    own; otherwise titles count as far as the question is general, and codes in them always."""
    named = bool(want.names) and all(_in_line(want, answer) for answer in (one, two))
    left, right = (_title_words(want, answer.piece) for answer in (one, two))
    apart = (left - right, right - left)
    editions = _editions(one.piece, two.piece)
    if one.piece.source.document != two.piece.source.document and not named and not editions:
        first, second = (frozenset(terms(answer.piece.name)) for answer in (one, two))
        own = [
            frozenset(
                word
                for word in names
                if word not in _NEUTRAL_TITLES and len(word) > 2 and not _YEAR.fullmatch(word)
            )
            for names in (first - second, second - first)
        ]
        if first & second and (own[0] or own[1]):
            return False
        if own[0] - want.words and own[1] - want.words and not strong:
            return False
    codes = {word for words_ in apart for word in words_ if len(word) > 2 and any(map(str.isdigit, word))}
    if any(not (_YEAR.fullmatch(word) and editions) for word in codes):
        return False
    if named or strong:
        same_document = one.piece.source.document == two.piece.source.document
        return not (same_document and apart[0] and apart[1])
    return not (apart[0] and apart[1])


def _in_line(want: Asked, answer: _Answer) -> bool:
    said = frozenset(
        word.whole for word in words(f"{answer.line} {answer.figure.row} {answer.figure.column}")
    )
    return all(word.whole in said or word.whole in STOP for name in want.names for word in words(name.text))


def _title_words(want: Asked, piece: Piece) -> frozenset[str]:
    own = frozenset(terms(" ".join(piece.source.section)))
    return frozenset(word for word in own if word not in _NEUTRAL_TITLES and not light(word)) - want.words


def _set_apart(want: Asked, one: _Answer, two: _Answer, *, strong: bool) -> bool:
    """Whether one sentence restricts its value in a way that the other does not."""
    left, right = _restrictions(want, one, strong=strong), _restrictions(want, two, strong=strong)
    if left != right:
        return True
    if bool(_NEGATED.search(one.line)) != bool(_NEGATED.search(two.line)):
        return True
    counts = _numerals(one), _numerals(two)
    if counts[0] and counts[1] and counts[0] != counts[1]:
        return True  # "Exam 1" and "Exam 2"
    tails = _tail(one), _tail(two)
    return bool(tails[0] and tails[1] and tails[0] != tails[1])


def _numerals(answer: _Answer) -> frozenset[str]:
    """The numerals of a sentence besides its value and the years."""
    figure, text = answer.figure, answer.piece.text
    if figure.place is not None:
        return frozenset()
    rest = f"{text[figure.line[0] : figure.begin]} {text[figure.end : figure.line[1]]}"
    return frozenset(re.findall(r"\d+", rest)) - {str(year) for year in figure.years}


def _tail(answer: _Answer) -> frozenset[str]:
    """The reference point of a value: "30 days of receipt"."""
    found = _TAIL.match(answer.piece.text[answer.figure.end : answer.figure.line[1]])
    return frozenset(terms(found["tail"])) if found else frozenset()


def _restrictions(want: Asked, answer: _Answer, *, strong: bool) -> frozenset[str]:
    """The words of a sentence that narrow what its value is of: after a preposition or conjunction that narrows, and
    directly before a word of the question. Of a general question every telling word may be one."""
    figure, text = answer.figure, answer.piece.text
    if figure.place is not None:
        return frozenset()
    kept: set[str] = set()
    for begin, end in ((figure.line[0], figure.begin), (figure.end, figure.line[1])):
        segment = text[begin:end]
        if begin == figure.end and (tail := _TAIL.match(segment)):
            segment = segment[tail.end() :]
        kept |= _narrowing(want, segment, strong=strong)
    return frozenset(kept)


def _narrowing(want: Asked, segment: str, *, strong: bool) -> set[str]:
    kept: set[str] = set()
    pending: set[str] = set()
    inside = False
    said = frozenset(terms(want.question))
    for token in re.finditer(r"[^\W_]+(?:['’-][^\W_]+)*|[,;:.()]", segment):
        word = token[0].lower()
        if word in _ENTERS or word in (",", ";", ":", ".", "(", ")"):
            inside, pending = word in _ENTERS, set()
        elif word in STOP:
            pending = {one for one in pending if one in NAMING} if word in ("of", "the", "a") else set()
        elif (term := root(stem(word))) in want.words:
            kept |= pending
            pending = set()
        elif term in NAMING and term not in said:
            pending.add(term)
        elif not light(term) and not light(word):
            pending.add(term)
            if inside or not strong:
                kept.add(term)
    return kept


# ------------------------------------------------------------------ telling it

_PASSED = re.compile(
    r"\b(?:superseded|archived?|obsolete|deprecated|outdated|withdrawn|old|former|expired)\b", re.IGNORECASE
)
_DATED = re.compile(
    r"\b(?:last )?(?:updated|revised|effective|as of|valid from|in force (?:from|since)|dated|published|issued|version of)\b[^\n]{0,24}",
    re.IGNORECASE,
)


def _conflict(want: Asked, one: _Answer, two: _Answer) -> Conflict:
    sides = (_side(one), _side(two))
    newer, why = _newer(one.piece, two.piece)
    return Conflict(" ".join(sorted(want.words)), sides, None if newer is None else sides[newer], why)


def _newer(one: Piece, two: Piece) -> tuple[int | None, str]:
    """Which of two sources says that it is the later one, and with what words."""
    first, second = _age(one), _age(two)
    if first is not None and second is not None and first[0] != second[0]:
        return (0, first[1]) if first[0] > second[0] else (1, second[1])
    passed = [_passed(piece) for piece in (one, two)]
    if passed[0] != passed[1]:
        return int(passed[0]), "the other is marked as passed"
    known = [versions(piece.source.document.replace("_", " "), named=True) for piece in (one, two)]
    if known[0] and known[1] and max(known[0]) != max(known[1]):
        at = int(max(known[1]) > max(known[0]))
        return at, f"its name says version {'.'.join(map(str, max(known[at])))}"
    return None, ""


def _side(answer: _Answer) -> Side:
    figure = answer.figure
    return Side(one_line(figure.text), answer.piece.uri, answer.line.strip(), answer.piece.source)


def _age(piece: Piece) -> tuple[Decimal, str] | None:
    """When the source says that it was made or took effect, as an ordinal day, with its words; else the year in its
    name."""
    for found in _DATED.finditer(f"{piece.titles}\n{piece.text}"):
        for one in quantities(found[0]):
            if one.kind == "date" and one.unit != "yearless" and not one.unsure:
                return one.value, one_line(found[0][: one.end])
        if years := years_of(found[0]):
            return Decimal(years[0] * 365), one_line(found[0])
    named = sorted(_years(f"{piece.source.document} {piece.titles}".replace("_", " ")))
    return (Decimal(int(named[-1]) * 365), f"its name says {named[-1]}") if named else None


def _passed(piece: Piece) -> bool:
    return bool(_PASSED.search(f"{piece.source.document} {piece.titles}".replace("_", " ").replace("/", " ")))
