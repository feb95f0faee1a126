"""Word overlap as a score: BM25 over a small pool of passages, with the pool's own document counts.

BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), over
the roots of words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from knarr.kept import kept
from knarr.language.words import STOP, words

_K1, _B = 1.2, 0.6


def terms(text: str) -> list[str]:
    """The roots of the words of a text, whole and in parts, without stop words."""
    found: list[str] = []
    for word in words(text):
        if word.whole in STOP:
            continue
        found.append(root(word.whole))
        if len(word.parts) > 1:
            found.extend(root(part) for part in word.parts if part not in STOP)
    return found


_SUFFIXES = (
    "ations", "ation", "ments", "ment", "ingly", "ings", "ing", "edly", "ities", "ity", "ions", "ion", "able", "ible",
    "ers", "ors", "ies", "ied", "ed", "es", "er", "or", "ly", "al", "e", "s", "y",
)  # fmt: skip
_SHORTEST_ROOT = 4


@kept(16 << 20)
def root(word: str) -> str:
    """A word without its ending, so that assign, assigned and assignment are equal. It is crude, which
    suffices where roots only order passages and both sides are treated alike."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_ROOT:
            return word[: -len(suffix)]
    return word


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """The BM25 score of each text for the query; 0 without a common word."""
    counted = [Counter(terms(text)) for text in texts]
    if not counted:
        return []
    sizes = [sum(counts.values()) for counts in counted]
    mean = max(1.0, sum(sizes) / len(sizes))
    asked = set(terms(query))
    weights = {}
    for term in asked:
        seen = sum(1 for counts in counted if term in counts)
        weights[term] = math.log(1.0 + (len(counted) - seen + 0.5) / (seen + 0.5))
    return [_score(counts, size / mean, weights) for counts, size in zip(counted, sizes, strict=True)]


def _score(counts: Counter[str], length: float, weights: dict[str, float]) -> float:
    norm = _K1 * (1.0 - _B + _B * length)
    return sum(
        weight * counts[term] * (_K1 + 1.0) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )


def support(query: str, texts: Sequence[str]) -> float:
    """The largest share of the query's terms that one text has, in [0, 1]; 1 for a query without terms."""
    asked = set(terms(query))
    return max((len(asked & set(terms(text))) / len(asked) for text in texts), default=0.0) if asked else 1.0
