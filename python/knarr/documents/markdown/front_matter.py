"""YAML front matter at the start of a Markdown file: where it ends, and its title.

A rule line is front matter only when it really opens YAML: the first line is ``---``, a later
one is ``---`` or ``...``, and between them every line is a ``key: value`` pair, a comment, a
continuation (indented, or a list item after a key) or blank, with a pair or comment first and at
least one pair. Anything else is Markdown, where ``---`` is a thematic break.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_LINES = 500
_PAIR = re.compile(r"(?P<key>[A-Za-z_][\w.-]*|\"[^\"]+\"|'[^']+')\s*:(?:\s+(?P<value>.*))?$")
_TITLE_KEY = re.compile(r"[\"']?title[\"']?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`lines` is how many lines it takes, rules included."""

    lines: int
    title: str | None


def front_matter(lines: list[str]) -> FrontMatter | None:
    """Find front matter in a file's lines (without their line ends)."""
    if not lines or lines[0].rstrip() != "---":
        return None
    pairs, title = 0, None
    for index, line in enumerate(lines[1:_MAX_LINES], start=1):
        bare = line.rstrip()
        if bare in ("---", "..."):
            return FrontMatter(index + 1, title) if pairs else None
        match = _PAIR.match(bare)
        if match:
            pairs += 1
            if title is None and _TITLE_KEY.fullmatch(match["key"]):
                title = _scalar(match["value"] or "")
        elif not _continues(bare, pairs, index):
            return None
    return None


def _continues(line: str, pairs: int, index: int) -> bool:
    if line.startswith("#"):
        return True
    if not line:
        return index > 1
    return pairs > 0 and (line[0] in " \t" or line.startswith("- ") or line in ("-", "]", "}"))


def _scalar(value: str) -> str | None:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        quote, value = value[0], value[1:-1]
        return (value.replace("''", "'") if quote == "'" else value.replace('\\"', '"')).strip() or None
    value = re.split(r"\s#", value, maxsplit=1)[0].strip()
    # A block or flow value is not a title that can be shown.
    return None if not value or value[0] in "|>[{&*!" else value
