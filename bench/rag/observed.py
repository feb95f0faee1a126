"""The document text in an observation, taken from the very text that the policy saw.

Observations quote documents on lines that begin with ">"; the line before such a block names the
URI it is from, with its lines and pages; after a line `under <URI>` it may name a path below that.
Everything else in an observation is ours, not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_URI = re.compile(r"viking://\S+")
_BELOW = re.compile(r"\[\d+\] (\S+)")
_GLUED = re.compile(r":\d+,?$")
_LINES = re.compile(r"\blines (\d+)-(\d+)|:(\d+)(?:,|$)")
_PAGES = re.compile(r"\bpp?\. (\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Block:
    """Quoted text and where the observation says it is from. Lines and pages count from 1."""

    uri: str
    text: str
    lines: tuple[int, int] | None
    pages: tuple[int, int] | None


def _span(match: re.Match[str] | None) -> tuple[int, int] | None:
    if match is None:
        return None
    numbers = [int(group) for group in match.groups() if group is not None]
    return numbers[0], numbers[-1]


def _uri(head: str, under: str) -> tuple[str, str]:
    """The URI that a head line names, and what follows it."""
    found = _URI.search(head)
    if found is None:
        below = _BELOW.match(head)
        return (under + below[1], head[below.end() :]) if below else ("", head)
    # Grep glues the line to the URI: `viking://a/b_1.md:12, p. 3`.
    glued = _GLUED.search(found[0])
    name = found[0][: glued.start()] if glued else found[0].rstrip(",:")
    return name, (glued[0] if glued else "") + head[found.end() :]


def blocks(observation: str) -> Iterator[Block]:
    """The quoted blocks of one observation, in order."""
    head, under, quoted = "", "", list[str]()
    for line in [*observation.split("\n"), ""]:
        if line.startswith(">"):
            quoted.append(line[1:].removeprefix(" "))
            continue
        if quoted:
            uri, rest = _uri(head, under)
            yield Block(uri, "\n".join(quoted), _span(_LINES.search(rest)), _span(_PAGES.search(rest)))
            quoted = []
        head = line
        if line.startswith("under "):
            under = line.removeprefix("under ").rstrip("/") + "/"
