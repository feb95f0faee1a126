"""The document text in an observation, taken back out of the very text a policy saw.

The inverse of `observe`: for scoring what was shown, and for reading old traces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knarr.types import Span

_UNDER = re.compile(r"^under (viking://\S+)$")
_HEAD = re.compile(r"^(?:\[\d+\] |- |List |Read )?(\S+?)(?::(\d+))?[,:]?(?:\s|$)")
_LINES = re.compile(r"\blines (\d+)-(\d+)")
_PAGES = re.compile(r"\bpp?\. (\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Block:
    """Quoted text, and where the observation says it is from."""

    uri: str
    text: str
    lines: Span | None
    pages: Span | None


def quoted_blocks(observation: str) -> Iterator[Block]:
    """The quoted blocks of one observation, in order."""
    base, head, quoted = "", "", list[str]()
    for line in [*observation.split("\n"), ""]:
        if line.startswith(">"):
            quoted.append(line[1:].removeprefix(" "))
            continue
        if quoted:
            yield _block(base, head, "\n".join(quoted))
            quoted = []
        if under := _UNDER.match(line):
            base = under[1]
        head = line


def _block(base: str, head: str, text: str) -> Block:
    found = _HEAD.match(head)
    name, line = (found[1], found[2]) if found else ("", None)
    uri = name if name.startswith("viking://") else base + name
    after = head[found.end(1) :] if found else head
    pages = _PAGES.search(after)
    lines = _LINES.search(after)
    span = (int(lines[1]), int(lines[2])) if lines else (int(line), int(line)) if line else None
    return Block(uri, text, span, (int(pages[1]), int(pages[2] or pages[1])) if pages else None)
