"""Front matter: metadata at the start of a Markdown file, between ``---`` lines (YAML) or ``+++`` lines (TOML), as a JSON
object, or as pandoc's title lines (``% title``).

Where YAML ends is found by rule: between the lines stands a mapping, with any key that YAML allows: every line is a
pair, a comment, blank, or goes on with what the last pair began (indented, an item of a list, an open bracket or
quotation). Anything else is Markdown, where ``---`` is a thematic break. What it says is read by a parser (see
`front_values`); what that refuses, such as a colon in a title, line by line, and a note says so. Its length is
bounded, and each character is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knarr.documents.markdown.front_values import of_json, of_toml, of_yaml
from knarr.documents.sections import MetadataValue
from knarr.language.plain import one_line

_MAX_LINES = 500
_MAX_TITLE_LINES = 20
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
    """How many lines the front matter takes, its marks included, the title it names, and all that it says."""

    lines: int
    title: str | None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    note: str = ""


def front_matter(lines: list[str]) -> FrontMatter | None:
    """The front matter among a file's lines (without their line ends), None when there is none."""
    mark = lines[0].rstrip() if lines else ""
    if mark.startswith("{"):
        return _json(lines)
    if mark.startswith("% "):
        return _title_lines(lines)
    ends = {"---": ("---", "..."), "+++": ("+++",)}.get(mark)
    if ends is None:
        return None
    inside: list[str] = []
    size = 0
    for line in lines[1:_MAX_LINES]:
        if line.rstrip() in ends:
            return _yaml(inside) if mark == "---" else _toml(inside)
        inside.append(line)
        size += len(line)
        if size > _MAX_CHARS:
            break
    return None


def _toml(lines: Sequence[str]) -> FrontMatter | None:
    """None when it is no TOML, or empty."""
    found = of_toml("\n".join(lines))
    return None if found is None else FrontMatter(len(lines) + 2, _title(found), found)


def _json(lines: Sequence[str]) -> FrontMatter | None:
    """A JSON object at the start of the file that ends with a line, before other text."""
    text = "\n".join(lines[:_MAX_LINES])[:_MAX_CHARS]
    read = of_json(text)
    if read is None or text[read[1] :].split("\n", 1)[0].strip() or not text[read[1] :].strip():
        return None
    return FrontMatter(text.count("\n", 0, read[1]) + 1, _title(read[0]), read[0])


def _title_lines(lines: Sequence[str]) -> FrontMatter | None:
    """Up to three lines with a per cent sign: title, authors, date. A line that begins with a space goes on."""
    values: list[str] = []
    count = 0
    for line in lines[:_MAX_TITLE_LINES]:
        if line.startswith("%") and len(values) < 3:
            values.append(line[1:])
        elif line.startswith(" ") and line.strip():
            values[-1] += line if len(values) != 2 else f";{line}"
        else:
            break
        count += 1
    title, authors, date = (*values, "", "", "")[:3]
    names = tuple(filter(None, map(one_line, authors.split(";"))))
    found: dict[str, MetadataValue] = {"title": one_line(title), "author": names, "date": one_line(date)}
    found = {key: value for key, value in found.items() if value}
    return FrontMatter(count, _title(found), found)


def _yaml(lines: Sequence[str]) -> FrontMatter | None:
    """None when the lines are no mapping."""
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
    found, note = of_yaml("\n".join(lines)), ""
    if found is None:
        found = {pair.key.lower(): pair.scalar() for pair in reversed(pairs) if pair.scalar()}
        note = "the front matter is not YAML, or very long: read line by line"
    return FrontMatter(len(lines) + 2, _title(found), found, note)


def _title(found: Mapping[str, MetadataValue]) -> str | None:
    """The title that front matter names, in any language; None for none."""
    named = found.get("title") or next((found[key] for key in found if key.casefold() in _TITLES), None)
    return one_line(str(named)) or None if isinstance(named, str | int | float) else None


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
