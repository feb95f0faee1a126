"""The styles of an OpenDocument file, as far as they say what text means: outline levels, titles, numbers, hiding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml import etree

from knarr.documents.docx.numbering import spell
from knarr.documents.xml import attribute_of, local

_MAX_PARENTS = 30
_FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
DEEPEST_LIST = 10


@dataclass(frozen=True, slots=True)
class ListLevel:
    """A level of a list: `format` is Word's name for how its numbers look, "" for a bullet or nothing."""

    format: str = ""
    prefix: str = ""
    suffix: str = ""
    display: int = 1
    start: int = 1


@dataclass(slots=True)
class _Style:
    parent: str = ""
    level: int = 0
    list_style: str = ""
    hidden: bool = False
    raised: bool = False


@dataclass(slots=True)
class OdfStyles:
    """Styles by name, over automatic and common ones."""

    _styles: dict[str, _Style] = field(default_factory=dict)
    _lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    outline: dict[int, ListLevel] = field(default_factory=dict)
    hidden_pages: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, roots: Iterable[etree._Element | None]) -> OdfStyles:
        """The styles of several parts; those of the last one count."""
        found = cls()
        for root in roots:
            for element in () if root is None else root.iter("{*}style", "{*}list-style", "{*}outline-style"):
                found._take(element)
        return found

    def chain(self, name: str) -> list[str]:
        """A style's name and those that it inherits from."""
        names: list[str] = []
        while name and name not in names and len(names) < _MAX_PARENTS:
            names.append(name)
            style = self._styles.get(name)
            name = style.parent if style else ""
        return names

    def level(self, name: str) -> int:
        """The outline level of paragraphs in a style, 0 for body text."""
        return next((style.level for style in self._inherited(name) if style.level), 0)

    def list_style(self, name: str) -> str:
        return next((style.list_style for style in self._inherited(name) if style.list_style), "")

    def is_hidden(self, name: str) -> bool:
        """Whether a style hides its text."""
        return name != "" and any(style.hidden for style in self._inherited(name))

    def is_raised(self, name: str) -> bool:
        """Whether a style raises its text above the line."""
        return name != "" and any(style.raised for style in self._inherited(name))

    def list_level(self, name: str, depth: int) -> ListLevel:
        return self._lists.get(name, {}).get(depth, ListLevel())

    def _inherited(self, name: str) -> list[_Style]:
        return [self._styles[one] for one in self.chain(name) if one in self._styles]

    def _take(self, element: etree._Element) -> None:
        name, kind = attribute_of(element, "name"), local(element)
        if kind == "outline-style":
            self.outline = _levels(element)
        elif kind == "list-style":
            self._lists[name] = _levels(element)
        else:
            level = attribute_of(element, "default-outline-level")
            self._styles[name] = _Style(
                attribute_of(element, "parent-style-name"),
                int(level) if level.isdecimal() and len(level) < 3 else 0,
                attribute_of(element, "list-style-name"),
                any(
                    attribute_of(one, "display") == "none"
                    for one in element.iterchildren("{*}text-properties")
                ),
                any(
                    _above(attribute_of(one, "text-position"))
                    for one in element.iterchildren("{*}text-properties")
                ),
            )
            for page in element.iterchildren("{*}drawing-page-properties"):
                if attribute_of(page, "visibility") == "hidden":
                    self.hidden_pages.add(name)


def _above(position: str) -> bool:
    """Whether a `text-position` ("super 58%", "33% 58%") stands above the line."""
    first = position.partition(" ")[0]
    return first == "super" or (first.endswith("%") and first.strip("%0.").isdecimal())


class Counters:
    """Running numbers of the levels of a list or an outline."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def next(self, depth: int, levels: dict[int, ListLevel], start: int | None = None) -> str:
        """The number of the next item at a depth (from 1), as it is written; "" where it has none."""
        level = levels.get(depth, ListLevel())
        self._counts[depth] = start if start is not None else self._counts.get(depth, level.start - 1) + 1
        for deeper in [one for one in self._counts if one > depth]:
            del self._counts[deeper]
        if not level.format:
            return ""
        shown = []
        for one in range(max(1, depth - level.display + 1), depth + 1):
            above = levels.get(one, ListLevel())
            if above.format:
                shown.append(spell(self._counts.get(one, above.start), above.format))
        return f"{level.prefix}{'.'.join(shown)}{level.suffix}".strip()


def _levels(element: etree._Element) -> dict[int, ListLevel]:
    found: dict[int, ListLevel] = {}
    for one in element:
        number = attribute_of(one, "level")
        if not number.isdecimal() or len(number) > 2 or local(one).endswith("bullet"):
            continue
        display, start = attribute_of(one, "display-levels", "1"), attribute_of(one, "start-value", "1")
        found[int(number)] = ListLevel(
            _FORMATS.get(attribute_of(one, "num-format"), ""),
            attribute_of(one, "num-prefix"),
            attribute_of(one, "num-suffix"),
            min(int(display), DEEPEST_LIST) if display.isdecimal() and len(display) < 3 else 1,
            int(start) if start.isdecimal() and len(start) < 7 else 1,
        )
    return found
