"""Where a numbered clause may begin: every place in a plain text that looks like its label.

A mark is only a candidate: ``ARTICLE IV``, ``Section 2.4``, ``3.``, ``3.1``, ``(a)``, ``iv)``,
``EXHIBIT B``. `clause_sequence` decides which marks are clauses, so a mark may be wrong but none may
be missed. It is at the start of a line, or after a gap of three spaces, where a line end was lost.
Since many texts hold a whole page in one line, the surer labels also count after the end of a
sentence. The text after a label must begin like a clause, so that "under Section 2.4 and" is no mark.

Cost: one pass of each pattern over the text, with bounded looks to either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice


class LabelPlace(IntEnum):
    """Where a mark is, the surest place first."""

    LINE = 0
    GAP = 1
    INLINE = 2


@dataclass(frozen=True, slots=True)
class LabelReading:
    """One way to read a label: (i) may be a letter or a numeral. `form` tells labels of one list from
    those of another; `path` holds the numbers, (2, 4) for "2.4"."""

    kind: str
    form: str
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClauseMark:
    """A label at its place, in characters. `indent` is its column, -1 unless it begins a line; `worded` labels have a
    word before their number."""

    begin: int
    end: int
    place: LabelPlace
    indent: int
    readings: tuple[LabelReading, ...]
    worded: bool = False

    @property
    def kind(self) -> str:
        return self.readings[0].kind

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        return (self.readings[0].form, self.readings[0].path)


MAX_MARKS = 50_000

_KINDS = {
    "article": "article", "chapter": "article", "section": "section", "sec.": "section", "§": "section",
    "part": "part", "item": "item", "note": "note",
}  # fmt: skip

_KEYWORD = re.compile(
    r"(?<![\w-])(?P<word>ARTICLE|Article|CHAPTER|Chapter|SECTION|Section|Sec\.|SEC\.|PART|Part|ITEM|Item|NOTE|Note|§)"
    r"[ \t]{0,3}(?<=[\w.§ \t])(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}){0,4}|[IVXLC]{1,7})(?![\w])\.?"
)
_EXHIBIT = re.compile(
    r"(?<![\w-])(?P<word>EXHIBIT|Exhibit|SCHEDULE|Schedule|ANNEX|Annex|APPENDIX|Appendix|ATTACHMENT|Attachment|ADDENDUM|Addendum)"
    r"[ \t]+[\"“]?(?P<number>[A-Z]{1,2}(?:-?\d{1,2})?(?!\w|-\w)|\d{1,2}(?:\.\d{1,2})?(?![\w.-])|[IVX]{1,5}(?!\w))[\"”]?\.?:?"
)
_DECIMAL = re.compile(
    r"(?<![\w.,$€£%/:#-])(?P<number>\d{1,3}(?:\.\d{1,3}){1,4})\.?(?=[ \t]+\S|[\"“(A-Z]|[ \t]*$)", re.MULTILINE
)
_NUMBER = re.compile(
    r"(?<![\w.,$€£%/:#(-])(?P<number>\d{1,3})(?P<close>[.)])(?=[ \t]+\S|[\"“A-Z]|[ \t]*$)", re.MULTILINE
)
_PARENTHESIS = re.compile(r"\((?P<number>[a-z]{1,4}|[A-Z]{1,3}|\d{1,2})\)(?=[ \t]+\S|[\"“A-Z])")
_LETTER = re.compile(r"(?<![\w.,$'’&(-])(?P<number>[a-z]{1,4}|[A-Z]{1,4})(?P<close>[.)])(?=[ \t]+\S)")
_BARE = re.compile(
    r"^[ \t]*(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[ \t]+(?=[A-Z][^\n.;:]{2,70}$)", re.MULTILINE
)

_LETTERS = 32
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_SENTENCE_END = ".;:?!)]”\"’'*_│|"
_TITLE_WORD = re.compile(r"(?<!\S)[A-Z][\w'’&-]*[ \t]*$")
_AFTER_KEYWORD = re.compile(
    r"(?![ \t]*\([a-z]{1,3}\))[ \t]*[.:;—–-]*[ \t]*(?=$|[A-Z\"“(\[‘'*☐☒]|\d)", re.MULTILINE
)
_REFERENCE = re.compile(
    r"(?<!\w)(?:sections?|secs?\.?|articles?|paragraphs?|clauses?|exhibits?|schedules?|items?|notes?|and|or|to|of|in|under|"
    r"through|§+|version|page|no\.?)[ \t]*$",
    re.IGNORECASE,
)


def find_marks(text: str) -> list[ClauseMark]:
    """The candidates in order of place; of two that overlap the first and longer one is kept. At most
    `MAX_MARKS` of a kind are looked at; only a text made of nothing but labels has more."""
    found = [mark for kind in (_keywords, _decimals, _enumerators) for mark in islice(kind(text), MAX_MARKS)]
    found.sort(key=lambda mark: (mark.begin, -mark.end))
    marks: list[ClauseMark] = []
    for mark in found:
        if not marks or mark.begin >= marks[-1].end:
            marks.append(mark)
    return marks


def _keywords(text: str) -> Iterator[ClauseMark]:
    for match in _KEYWORD.finditer(text):
        kind = _KINDS[match["word"].lower()]
        path = _path(match["number"])
        if path and kind == "item":
            path = (path[0] if match["number"][-1].isalpha() else path[0] * _LETTERS,)
        if path is None or not _AFTER_KEYWORD.match(text, match.end()):
            continue
        place = _place(text, match.start(), loose=kind in ("article", "section"))
        if place is None or (kind in ("part", "item", "note") and place is not LabelPlace.LINE):
            continue
        if kind == "section" and len(path) > 1:
            kind = "decimal"
        mark = _mark(text, match.start(), match.end(), place, (LabelReading(kind, kind, path),))
        yield replace(mark, worded=True)
    for match in _EXHIBIT.finditer(text):
        place = _place(text, match.start())
        if place is None or place is LabelPlace.INLINE:
            continue
        label = f"{match['word']} {match['number']}".lower()
        yield _mark(text, match.start(), match.end(), place, (LabelReading("exhibit", label, ()),))


def _decimals(text: str) -> Iterator[ClauseMark]:
    for match in _DECIMAL.finditer(text):
        path = tuple(int(part) for part in match["number"].split("."))
        place = _place(text, match.start(), loose=True)
        if place is None or not _begins_clause(text, match.end()):
            continue
        if len(path) == 2 and path[1] == 0:
            yield _mark(text, match.start(), match.end(), place, (LabelReading("number", "1.0", path[:1]),))
        else:
            yield _mark(text, match.start(), match.end(), place, (LabelReading("decimal", "decimal", path),))
    for match in _BARE.finditer(text):
        path = tuple(int(part) for part in match["number"].split("."))
        kind, form = ("number", "1") if len(path) == 1 else ("decimal", "decimal")
        begin = match.start("number")
        yield _mark(text, begin, match.end("number"), LabelPlace.LINE, (LabelReading(kind, form, path),))


def _enumerators(text: str) -> Iterator[ClauseMark]:
    for match in _NUMBER.finditer(text):
        place = _place(text, match.start(), loose=match["close"] == ".")
        if place is not None and _begins_clause(text, match.end()):
            reading = LabelReading("number", f"1{match['close']}", (int(match["number"]),))
            yield _mark(text, match.start(), match.end(), place, (reading,))
    for pattern in (_PARENTHESIS, _LETTER):
        for match in pattern.finditer(text):
            close = "()" if pattern is _PARENTHESIS else match["close"]
            readings = tuple(_letters(match["number"], close))
            place = _place(text, match.start()) if readings else None
            if place is not None and _begins_clause(text, match.end()):
                yield _mark(text, match.start(), match.end(), place, readings)


def _letters(label: str, close: str) -> Iterator[LabelReading]:
    if label.isdigit():
        yield LabelReading("number", f"1{close}", (int(label),))
        return
    case = "a" if label.islower() else "A"
    lower = label.lower()
    if label.isupper() or label.islower():
        if len(set(lower)) == 1 and len(lower) <= 2:
            yield LabelReading("letter", case + close, (ord(lower[0]) - 96 + 26 * (len(lower) - 1),))
        if _ROMAN.fullmatch(lower):
            yield LabelReading("roman", ("i" if case == "a" else "I") + close, (roman(lower),))


def _path(number: str) -> tuple[int, ...] | None:
    """The numbers of a keyword's label, None for no number. "7A" becomes 7 times `_LETTERS`, plus 1."""
    if number[0].isdigit():
        parts = number.split(".")
        if number[-1].isalpha():
            return (int(number[:-1]) * _LETTERS + ord(number[-1]) - 64,) if len(parts) == 1 else None
        return tuple(int(part) for part in parts)
    value = roman(number.lower()) if _ROMAN.fullmatch(number) or set(number) <= set("IVXLC") else 0
    return (value,) if value else None


def roman(numeral: str) -> int:
    """The value of a lower-case Roman numeral."""
    total = 0
    for this, following in zip(numeral, [*numeral[1:], ""], strict=True):
        value = _ROMAN_VALUES[this]
        total += -value if following and _ROMAN_VALUES[following] > value else value
    return total


def _place(text: str, at: int, *, loose: bool = False) -> LabelPlace | None:
    """The kind of place where a label is; None inside a sentence. With `loose`, for labels that their
    numbers confirm, the text before may also end in a number, such as the year of a running header, or in
    a capitalised word, as a title does ("3. FEES 3.1 The")."""
    begin = at
    while begin and text[begin - 1] in " \t":
        begin -= 1
    if begin == 0 or text[begin - 1] == "\n":
        return LabelPlace.LINE
    if at == begin or _REFERENCE.search(text, max(0, begin - 12), begin):
        return None
    if at - begin >= 3:
        return LabelPlace.GAP
    before = text[begin - 1]
    if before in _SENTENCE_END or (
        loose and (before.isdigit() or _TITLE_WORD.search(text, max(0, begin - 40), begin))
    ):
        return LabelPlace.INLINE
    return None


def _begins_clause(text: str, at: int) -> bool:
    """Whether a clause can begin after a label: with a capital, a quote, a bracket, or a blank line."""
    end = at
    while end < len(text) and text[end] in " \t":
        end += 1
    if end == len(text) or text[end] == "\n":
        return True
    return not (text[end].islower() or text[end] in ",;.)%/-" or text[end].isdigit())


def _mark(text: str, begin: int, end: int, place: LabelPlace, readings: Sequence[LabelReading]) -> ClauseMark:
    indent = -1
    if place is LabelPlace.LINE:
        indent = begin - (text.rfind("\n", 0, begin) + 1)
    return ClauseMark(begin, end, place, indent, tuple(readings))
