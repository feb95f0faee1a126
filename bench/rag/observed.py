"""The document text in an observation, taken from the very text that the policy saw.

Observations quote documents on lines that begin with ">"; the line before such a block names the
URI it is from, with its lines and pages. Everything else in an observation is ours, not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_URI = re.compile(r"viking://\S+")
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


def blocks(observation: str) -> Iterator[Block]:
    """The quoted blocks of one observation, in order."""
    head, quoted = "", list[str]()
    for line in [*observation.split("\n"), ""]:
        if line.startswith(">"):
            quoted.append(line[1:].removeprefix(" "))
            continue
        if quoted:
            uri = _URI.search(head)
            after = head[uri.end() :] if uri else head
            # Grep glues the line to the URI: `viking://a/b_1.md:12, p. 3`.
            glued = re.search(r":\d+,?$", uri[0]) if uri else None
            name = uri[0].rstrip(",:") if uri else ""
            if glued and uri:
                name, after = uri[0][: glued.start()], glued[0] + after
            yield Block(name, "\n".join(quoted), _span(_LINES.search(after)), _span(_PAGES.search(after)))
            quoted = []
        head = line
