"""Front matter: metadata at the start of a Markdown file, between ``---`` lines (YAML) or ``+++`` lines (TOML).

It is recognised, not read: all that is needed is where it ends and which title it names. Between the lines of YAML
stands a mapping, with any key that YAML allows: every line is a pair, a comment, blank, or goes on with what the
last pair began (indented, an item of a list, an open bracket or quotation). Anything else is Markdown, where
``---`` is a thematic break. Its length is bounded, and each character is looked at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from knarr.language.plain import one_line

_MAX_LINES = 500
_MAX_CHARS = 1 << 16
# A plain key begins with no indicator of YAML, and a colon ends it only before white space.
_PAIR = re.compile(
    r"(?P<key>\"[^\"]{1,100}\"|'[^']{1,100}'|[^\s#>|&*!%@`'\"\[\]{},:?-](?:[^:#]|:(?=\S)|(?<=\S)#){0,100}?)\s{0,9}:(?:\s+(?P<value>.*))?$"
)
_TITLES = frozenset({
    "title", "titel", "titre", "título", "titulo", "titolo", "tytuł", "überschrift", "заголовок", "название",
    "标题", "標題", "タイトル", "題名", "제목",
})  # fmt: skip
_BLOCK_SCALAR = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?")
_BRACKET = re.compile(r"[\"'\[\]{}]|\s#")
_OPENING, _CLOSING = "[{", "]}"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """How many lines the front matter takes, its marks included, and the title it names."""

    lines: int
    title: str | None


def front_matter(lines: list[str]) -> FrontMatter | None:
    """The front matter among a file's lines (without their line ends), None when there is none."""
    mark = lines[0].rstrip() if lines else ""
    ends = {"---": ("---", "..."), "+++": ("+++",)}.get(mark)
    if ends is None:
        return None
    inside: list[str] = []
    size = 0
    for line in lines[1:_MAX_LINES]:
        if line.rstrip() in ends:
            title = _yaml_title(inside) if mark == "---" else _toml_title(inside)
            return None if title is None else FrontMatter(len(inside) + 2, title or None)
        inside.append(line)
        size += len(line)
        if size > _MAX_CHARS:
            break
    return None


def _toml_title(lines: Iterable[str]) -> str | None:
    """The title that TOML names, "" for none; None when it is no TOML, or empty."""
    try:
        found = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    title = found.get("title", "")
    return None if not found else one_line(title) if isinstance(title, str) else ""


def _yaml_title(lines: Iterable[str]) -> str | None:
    """The title that a mapping names, "" for none; None when the lines are no mapping."""
    pairs: list[_Pair] = []
    for line in lines:
        if pairs and pairs[-1].goes_on(line):
            continue
        if not line.strip() or line.startswith("#"):
            continue
        match = _PAIR.match(line.rstrip())
        if match is None:
            return None
        pairs.append(_Pair(match["key"].strip("\"' "), match["value"] or ""))
    if not pairs or pairs[-1].is_open:
        return None
    named = {pair.key.casefold(): pair for pair in reversed(pairs)}
    found = named.get("title") or next((named[key] for key in named if key in _TITLES), None)
    return found.scalar() if found else ""


class _Pair:
    """A pair of a mapping, and the lines that go on with its value."""

    def __init__(self, key: str, value: str) -> None:
        self.key = key
        self._lines = [value]
        self._depth = 0
        self._quote = ""
        self._block = bool(_BLOCK_SCALAR.fullmatch(value))
        if value[:1] in ("[", "{", '"', "'"):
            self._read(value)

    @property
    def is_open(self) -> bool:
        """Whether a bracket or quotation is not closed yet."""
        return bool(self._depth or self._quote)

    def goes_on(self, line: str) -> bool:
        """Take the line if it belongs to this pair's value."""
        if self.is_open:
            self._read(line)
        elif not (line[:1] in (" ", "\t") or line.startswith("- ") or line.rstrip() == "-"):
            return False
        self._lines.append(line)
        return True

    def _read(self, text: str) -> None:
        for match in _BRACKET.finditer(text):
            mark = match[0]
            if self._quote:
                escaped = self._quote == '"' and text[match.start() - 1 : match.start()] == "\\"
                self._quote = "" if mark == self._quote and not escaped else self._quote
            elif mark in ("'", '"'):
                # Inside of a word it is an apostrophe.
                self._quote = mark if not text[match.start() - 1 : match.start()].isalnum() else ""
            elif mark in _OPENING:
                self._depth += 1
            elif mark in _CLOSING:
                self._depth = max(0, self._depth - 1)
            else:
                return  # a comment

    def scalar(self) -> str:
        """The value on one line; "" for a list or a mapping."""
        if self._block:
            return one_line(" ".join(self._lines[1:]))
        value = one_line(" ".join(self._lines))
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            quote, value = value[0], value[1:-1]
            return one_line(value.replace("''", "'") if quote == "'" else value.replace('\\"', '"'))
        value = re.split(r"\s#", value, maxsplit=1)[0].strip()
        return "" if value[:1] in ("[", "{", "&", "*", "!", "-", "|", ">") else value
