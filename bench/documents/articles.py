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
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from bench.documents.readers import Reading
from selectolax.lexbor import LexborHTMLParser

_GRAM = 4
_WORD = re.compile(r"\w+")


def score(folder: Path, read: Callable[[Path], Reading]) -> dict[str, Any]:
    """Read every page of the folder once, as a file of its own: means over pages, for headings shares of all of them.

    A page without gold words counts for precision only."""
    gold = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    recalls, precisions = [], []
    wanted = found = shown = right = 0
    with TemporaryDirectory() as place:
        for name, truth in gold.items():
            page = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
            body = truth["articleBody"]
            path = Path(place) / "page.html"
            path.write_bytes(page)
            reading = read(path)
            expected, given = _grams(body), _grams(reading.text)
            common = (expected & given).total()
            if expected:
                recalls.append(common / expected.total())
            if given:
                precisions.append(common / given.total())
            inside, titles = f" {_words(body)} ", {_words(title) for title in reading.headings}
            shown += len(reading.headings)
            right += sum(bool(_words(title)) and f" {_words(title)} " in inside for title in reading.headings)
            headings = _headings(page) & {_words(line) for line in body.split("\n")}
            wanted += len(headings)
            found += len(headings & titles)
    return {
        "recall": _mean(recalls),
        "precision": _mean(precisions),
        "heading_recall": round(found / max(1, wanted), 3),
        "heading_precision": round(right / max(1, shown), 3),
    }


def _headings(page: bytes) -> set[str]:
    nodes = LexborHTMLParser(page).css("h1, h2, h3, h4, h5, h6")
    return {words for node in nodes if (words := _words(node.text()))}


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _grams(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(tuple(words[at : at + _GRAM]) for at in range(max(1, len(words) - _GRAM + 1)) if words)


def _mean(values: list[float]) -> float:
    return round(mean(values), 3) if values else 0.0
