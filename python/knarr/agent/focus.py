"""What of its hits a search shows: the passages that fit the query best, within a bound of tokens.

Chunks are found by their vectors, a few times more than are asked for. Their passages are ordered by
the chunk's score and by words in common; the best of these are read by the cross-encoder, where there
is one, together with the query. They are then shown in that order until the room is filled, so that
tokens go to passages and not to whole chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from knarr.agent.decision import Shown
from knarr.agent.lexical import bm25
from knarr.agent.library import Library
from knarr.agent.passages import Part, passages
from knarr.agent.uris import name_of
from knarr.embed.rerank import Reranker
from knarr.errors import KnarrError
from knarr.types import Hit, Passage, Provenance, SearchResult

POOL = 30  # chunks looked into
READ = 24  # passages read by the cross-encoder
_WORD_WEIGHT = 1.0  # of words in common, beside the chunk's score; both scaled to the pool
_MARK_TOKENS = 6  # of numbers, lines and marks around a passage
_DROP = 7.0  # logits below the best at which a passage is no longer worth its tokens


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with where it stands and how it ranks."""

    hit: Hit
    whole: Passage
    part: Part
    score: float


class Focus:
    """Thread-safe when library and reranker are."""

    def __init__(
        self, library: Library, reranker: Reranker | None, *, pool: int = POOL, read: int = READ
    ) -> None:
        self._library = library
        self._reranker = reranker
        self._pool = pool
        self._read = read

    def search(self, query: str, scope: str, k: int, room: int) -> tuple[SearchResult, list[Shown]]:
        """The hits, cut to those that are shown, and the passages of theirs: of at most k objects and
        at most `room` tokens, best first."""
        result = self._library.search(query, scope, max(k, self._pool), kinds=("chunk",))
        ranked = self._rank(query, self._split(result.hits))
        shown = self._choose(ranked, k, room)
        named = {piece.uri for piece in shown}
        return replace(result, hits=tuple(hit for hit in result.hits if hit.uri in named)), shown

    def _split(self, hits: Sequence[Hit]) -> list[Ranked]:
        """The passages of the hits; a hit that is gone by now is left out."""
        found: list[Ranked] = []
        for hit in hits:
            try:
                whole = self._library.read(hit.uri)
            except KnarrError:
                continue
            found.extend(Ranked(hit, whole, part, hit.score) for part in passages(whole.text))
        return found

    def _rank(self, query: str, pool: list[Ranked]) -> list[Ranked]:
        """By chunk and words first; then the best by the cross-encoder, the others after them."""
        if not pool:
            return []
        texts = [_in_context(one) for one in pool]
        first = _scaled([one.score for one in pool]) + _WORD_WEIGHT * _scaled(bm25(query, texts))
        order = np.argsort(-first, kind="stable")
        if self._reranker is None:
            return [replace(pool[at], score=float(first[at])) for at in order]
        head = order[: self._read]
        logits = self._reranker.scores(query, [texts[at] for at in head])
        best = [replace(pool[at], score=float(logit)) for at, logit in zip(head, logits, strict=True)]
        best.sort(key=lambda one: -one.score)
        return [one for one in best if one.score >= best[0].score - _DROP]

    def _choose(self, ranked: Sequence[Ranked], k: int, room: int) -> list[Shown]:
        """Passages in order until k objects or the room are used up; neighbours are joined."""
        taken: dict[str, list[Ranked]] = {}
        used = _MARK_TOKENS * 3
        for one in ranked:
            if one.hit.uri not in taken and len(taken) >= k:
                continue
            cost = self._library.count_tokens(one.part.text) + one.part.text.count("\n") + 1
            if one.hit.uri not in taken:
                cost += self._library.count_tokens(one.hit.uri) + _MARK_TOKENS
            if used + cost > room and taken:
                continue
            used += cost
            taken.setdefault(one.hit.uri, []).append(one)
        return [piece for group in taken.values() for piece in _joined(group)]


def _in_context(one: Ranked) -> str:
    """A passage with the titles above it: "Grading: Late work loses ten points a day." """
    titles = one.hit.source.section[-2:] or (name_of(one.hit.source.document),)
    return f"{' / '.join(titles)}: {one.part.text}"


def _joined(group: Sequence[Ranked]) -> list[Shown]:
    """Passages of one object in its order, neighbours as one piece."""
    whole = group[0].whole
    runs: list[tuple[int, int, float]] = []
    for one in sorted(group, key=lambda one: one.part.begin):
        if runs and not whole.text[runs[-1][1] : one.part.begin].strip():
            begin, _, score = runs[-1]
            runs[-1] = (begin, one.part.end, max(score, one.score))
        else:
            runs.append((one.part.begin, one.part.end, one.score))
    return [piece_of(whole, begin, end, score) for begin, end, score in runs]


def piece_of(whole: Passage, begin: int, end: int, score: float = 0.0) -> Shown:
    """`whole.text[begin:end]` with its own place."""
    first = whole.source.lines[0] + whole.text.count("\n", 0, begin)
    last = first + whole.text.count("\n", begin, end)
    source = Provenance(
        whole.source.document, whole.source.version, whole.source.section, (first, last), whole.source.pages
    )
    at = whole.begin_byte + len(whole.text[:begin].encode("utf-8"))
    return Shown(whole.uri, whole.text[begin:end], source, at, score)


def _scaled(values: Sequence[float]) -> np.ndarray:
    """To mean 0 and deviation 1; all 0 when they are equal."""
    array = np.asarray(values, dtype=np.float64)
    spread = float(array.std())
    return (array - array.mean()) / spread if spread > 1e-9 else np.zeros_like(array)
