"""Automatic numbers and bullets, which Word computes and does not write into the text.

Paragraphs of one list share a counter for each level. A paragraph counts its own level up and starts
the deeper ones anew, unless they say that only a higher level restarts them. A label is the level's
pattern ("%1.%2") with the counters in place, each in its own number format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from knarr.documents.docx.styles import Styles, attribute, child, number

BULLET = "-"
_MAX_LEVELS = 9
_MAX_LABEL_CHARS = 40
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


@dataclass(slots=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = "%1."
    restart: int | None = None
    legal: bool = False


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level] = field(default_factory=dict)
    counts: list[int | None] = field(default_factory=lambda: [None] * _MAX_LEVELS)


class Numbering:
    """Counts list paragraphs in document order and gives their labels."""

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, etree._Element] = {}
        self._lists: dict[str, _List] = {}
        self._numbers: dict[str, etree._Element] = {}
        self._overridden: dict[str, dict[int, _Level]] = {}
        self._started: set[tuple[str, int]] = set()
        for element in () if root is None else root.iterchildren("{*}abstractNum"):
            self._abstract[attribute(element, "abstractNumId")] = element
        for element in () if root is None else root.iterchildren("{*}num"):
            self._numbers[attribute(element, "numId")] = element

    def label(self, number_id: str, depth: int) -> str:
        """The label of the next paragraph of this list at this depth (from 0): "3.", "b)", "-" for
        any bullet, "" where the level shows none or the list is unknown."""
        element = self._numbers.get(number_id)
        if element is None or not 0 <= depth < _MAX_LEVELS:
            return ""
        list_ = self._list_of(element)
        overrides = self._overridden.get(number_id)
        if overrides is None:
            overrides = self._overridden[number_id] = self._overrides(element)
        level = overrides.get(depth) or list_.levels.get(depth, _Level(text=f"%{depth + 1}."))
        self._count(list_, level, number_id, depth, depth in overrides)
        if level.format == "bullet":
            return BULLET
        text = level.text[:_MAX_LABEL_CHARS]
        return _PLACE.sub(lambda place: self._shown(list_, level, int(place[1]) - 1), text).strip()

    def _count(self, list_: _List, level: _Level, number_id: str, depth: int, overridden: bool) -> None:
        counts = list_.counts
        first = (number_id, depth) not in self._started
        self._started.add((number_id, depth))
        if counts[depth] is None or (first and overridden):
            counts[depth] = level.start
        else:
            counts[depth] = (counts[depth] or 0) + 1
        for deeper in range(depth + 1, _MAX_LEVELS):
            restart = list_.levels.get(deeper, _Level()).restart
            if restart is None or depth < restart:
                counts[deeper] = None

    def _shown(self, list_: _List, level: _Level, place: int) -> str:
        shown = list_.levels.get(place, _Level())
        count = list_.counts[place]
        return spell(shown.start if count is None else count, "decimal" if level.legal else shown.format)

    def _list_of(self, element: etree._Element) -> _List:
        id_ = attribute(child(element, "abstractNumId"), "val")
        abstract = self._abstract.get(id_)
        link = attribute(child(abstract, "numStyleLink"), "val")
        if link:
            numbering = self._styles.paragraph(link).numbering
            linked = self._numbers.get(numbering[0]) if numbering else None
            if linked is not None:
                id_ = attribute(child(linked, "abstractNumId"), "val")
                abstract = self._abstract.get(id_)
        if id_ not in self._lists:
            self._lists[id_] = _List(_levels(abstract))
        return self._lists[id_]

    def _overrides(self, element: etree._Element) -> dict[int, _Level]:
        found: dict[int, _Level] = {}
        for override in element.iterchildren("{*}lvlOverride"):
            depth = number(override, "ilvl")
            start = number(child(override, "startOverride"))
            whole = child(override, "lvl")
            if depth is None or (start is None and whole is None):
                continue
            base = self._list_of(element).levels.get(depth, _Level(text=f"%{depth + 1}."))
            level = base if whole is None else _level(whole)
            found[depth] = _Level(
                level.start if start is None else start, level.format, level.text, level.restart, level.legal
            )
        return found


def _levels(abstract: etree._Element | None) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for element in () if abstract is None else abstract.iterchildren("{*}lvl"):
        depth = number(element, "ilvl")
        if depth is not None:
            found[depth] = _level(element)
    return found


def _level(element: etree._Element) -> _Level:
    start = number(child(element, "start"))
    return _Level(
        0 if start is None else start,
        attribute(child(element, "numFmt"), "val", "decimal"),
        attribute(child(element, "lvlText"), "val"),
        number(child(element, "lvlRestart")),
        child(element, "isLgl") is not None,
    )


def spell(count: int, format_: str) -> str:
    """A count in one of Word's number formats; decimal for formats that are not known here."""
    if format_ == "none":
        return ""
    if format_ in ("lowerLetter", "upperLetter") and 0 < count < 1000:
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters.upper() if format_ == "upperLetter" else letters
    if format_ in ("lowerRoman", "upperRoman") and 0 < count < 5000:
        numeral = ""
        for value, letters in _ROMAN:
            times, count = divmod(count, value)
            numeral += letters * times
        return numeral if format_ == "upperRoman" else numeral.lower()
    if format_ == "decimalZero":
        return f"{count:02d}"
    if format_ == "ordinal":
        suffix = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
        return f"{count}{suffix}"
    return str(count)
