"""The numbers by which passages are cited: `[1]`, `[2]`, … unique in a run, and the same to its end.

Documents have bracketed numbers of their own: references, footnotes, or a forgery of ours. On the lines that quote
documents these are shown with a space, `[ 3]`, so that the form without one is ours alone: a model that repeats
what it read cites nothing by accident, and no document can put a number on its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from knarr.agent.values import Excerpt
from knarr.uris import SCHEME

_LISTED = r"\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*"
_OURS = re.compile(rf"\[(?:\^|#)?(?P<plain>{_LISTED})\]|【(?P<wide>{_LISTED})(?:†[^】]{{0,40}})?】")
_SPACED = re.compile(rf"(?P<gap>[ \t]{{0,8}})(?:{_OURS.pattern})")
_FORGED = re.compile(rf"(?<=[\[【])(?=(?:\^|#)?{_LISTED}[\]】†])")
_BROKEN = re.compile(rf"(?<=[\[【]) (?=(?:\^|#)?{_LISTED}[\]】†])")
_URI = re.compile(rf"{SCHEME}\S+")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_MOST_RANGE = 8


@dataclass(slots=True)
class Numbers:
    """Gives numbers in one run. A passage that is shown again keeps its own."""

    _known: dict[tuple[str, int, int, str], int] = field(default_factory=dict)

    def numbered(self, piece: Excerpt) -> Excerpt:
        """The passage with its number."""
        key = (piece.uri, piece.source.version, piece.begin_byte, piece.text)
        return replace(piece, number=self._known.setdefault(key, len(self._known) + 1))


def without_numbers(text: str) -> str:
    """Document text in which no bracketed number can be taken for one of ours."""
    return _FORGED.sub(" ", text)


def plain_numbers(text: str) -> str:
    """The inverse of `without_numbers`, for words that a model copied."""
    return _BROKEN.sub("", text)


def cited_in(text: str) -> Iterator[int]:
    """The numbers that a model wrote in its prose, in order; none inside URIs."""
    for found in _OURS.finditer(_URI.sub("", text)):
        yield from _listed(found["plain"] or found["wide"])


def renumbered(text: str, places: dict[int, int]) -> str:
    """A text whose numbers are the places of its citations; numbers without a place are left out."""

    def again(found: re.Match[str]) -> str:
        kept = dict.fromkeys(
            places[number] for number in _listed(found["plain"] or found["wide"]) if number in places
        )
        return found["gap"] + "".join(f"[{place}]" for place in kept) if kept else ""

    pieces, at = list[str](), 0
    for uri in _URI.finditer(text):
        pieces += [_SPACED.sub(again, text[at : uri.start()]), uri[0]]
        at = uri.end()
    return "".join([*pieces, _SPACED.sub(again, text[at:])])


def _listed(numbers: str) -> list[int]:
    """ "1, 3-5" as 1, 3, 4, 5; a range that is too wide to be one as its ends."""
    found: list[int] = []
    for item in re.split(r"[,;]", numbers):
        ends = _RANGE.fullmatch(item.strip())
        if ends is None:
            found += [int(one) for one in re.findall(r"\d+", item)]
            continue
        first, last = int(ends[1]), int(ends[2])
        found += range(first, last + 1) if 0 <= last - first < _MOST_RANGE else (first, last)
    return found
