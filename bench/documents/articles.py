"""How well the text and the headings of web articles are read, against what people marked as the article.

A folder holds `ground-truth.json` (name to `articleBody`) and `html/<name>.html.gz`. Text is compared by word 4-grams
with their counts, page by page, and the mean over pages is given. A heading that was read is right when its words stand
in the gold text; a heading of the page (h1 to h6) is wanted when it is a line of the gold text.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from selectolax.lexbor import LexborHTMLParser

_GRAM = 4
_WORD = re.compile(r"\w+")

Read = Callable[[bytes], tuple[str, list[str]]]
"""A page to its text and the titles of its sections."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares over `pages` pages; those of headings are over all headings of all pages."""

    pages: int
    recall: float
    precision: float
    heading_recall: float
    heading_precision: float


def score(folder: Path, read: Read) -> Figures:
    """Read every page of the folder once. A page without gold words counts for precision only."""
    gold = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    recalls, precisions = [], []
    wanted = found = shown = right = 0
    for name, truth in gold.items():
        page, body = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()), truth["articleBody"]
        text, titles = read(page)
        expected, given = _grams(body), _grams(text)
        common = (expected & given).total()
        if expected:
            recalls.append(common / expected.total())
        if given:
            precisions.append(common / given.total())
        inside = _words(body)
        shown += len(titles)
        right += sum(bool(_words(title)) and f" {_words(title)} " in f" {inside} " for title in titles)
        headings = _headings(page) & {_words(line) for line in body.split("\n")}
        wanted += len(headings)
        found += len(headings & {_words(title) for title in titles})
    return Figures(
        len(gold), _mean(recalls), _mean(precisions), found / max(1, wanted), right / max(1, shown)
    )


def _headings(page: bytes) -> set[str]:
    nodes = LexborHTMLParser(page).css("h1, h2, h3, h4, h5, h6")
    return {words for node in nodes if (words := _words(node.text()))}


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _grams(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(tuple(words[at : at + _GRAM]) for at in range(max(1, len(words) - _GRAM + 1)) if words)


def _mean(values: list[float]) -> float:
    return mean(values) if values else 0.0
