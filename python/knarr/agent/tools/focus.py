"""Focus ranking: which passages of its hits a search shows, within a bound of tokens.

Tokens are what a policy pays for, so they go to passages and not to whole chunks. Three rankings follow each
other, each more exact and dearer than the one before. First the vectors find a pool of chunks, a few times more
than are asked for. Then the passages of the pool are ordered by the chunk's cosine and by BM25 over the
passages (Robertson and Zaragoza, 2009), both scaled to mean 0 and deviation 1 within the pool. Last a
cross-encoder reads the best of these together with the query, and its logit counts most. Without the
cross-encoder the second order stands.

Passages are shown in that order until the room is filled; a passage that plainly answers needs half the room.
What was shown once in a run is not shown again, which is why the same paragraph in ten versions of a manual
costs its tokens once. The cost is one vector search (two with `also`), a read per chunk of the pool, and at
most `READ_TOKENS` tokens through the cross-encoder.

With experience (VikingRAG-E, arXiv 2609.11390, Algorithm 3) the search also follows the edges of its hits. What
they lead to joins the pool and is lifted there, but it is read and ordered like any other passage: an edge is a
hint where to look and never stands for evidence.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from knarr.agent.excerpts import excerpt_of
from knarr.agent.library import Library
from knarr.agent.values import Excerpt
from knarr.errors import NotFound
from knarr.language.lexical import bm25
from knarr.language.passages import Part, passages
from knarr.models.rerank import Reranker
from knarr.types import Hit, Passage, SearchResult
from knarr.uris import name_of

POOL = 48  # chunks looked into
READ = 16  # passages that the cross-encoder reads at most,
READ_TOKENS = 1_600  # and their tokens: they bound the time of a search
SURE = 7.0  # logit of a passage that plainly answers: then half the room does
_WORD_WEIGHT = 0.7  # of BM25, beside the chunk's cosine
# The next four were set by judgement, not fitted: few development questions have an edge.
PROVEN = -2.0  # logit from which a passage that an edge leads to is taken for evidence again,
PROVEN_AMONG = 3  # when it is among this many best;
_PROVEN_SAVES = 0.5  # it then saves this share of the room, if the earlier question was equal
_EDGE_LIFT = 1.0  # in deviations of the pool's scores, for what an edge of an equal question leads to
_TWICE = 1.6  # weight of the chunk's score when it is the sum of two searches
_READ_WEIGHT = 2.0  # of the cross-encoder, beside the cosine and BM25
_MARK_TOKENS = 6  # of numbers, lines and marks around a passage
_LEAST_ROOM = 200  # tokens that are shown however sure the best passage is
_GAP_CHARS = 160  # a shorter gap between two shown passages is shown too

Key = tuple[str, int]
_NON_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with where it stands and how it ranks: `rank` orders, `score` is the logit (or the
    rank, without a cross-encoder)."""

    hit: Hit
    whole: Passage
    part: Part
    rank: float = 0.0
    score: float = 0.0

    @property
    def key(self) -> Key:
        """Names the passage: its object, and where it begins in it."""
        return self.hit.uri, self.part.begin

    @property
    def words(self) -> str:
        """Its words alone: what makes two passages say the same."""
        return " ".join(_NON_WORD.sub(" ", self.part.text.lower()).split())


@dataclass(frozen=True, slots=True)
class EdgeRecall:
    """How a search follows edges.

    question:  what the run asks, without the words that name documents: those would make any two questions
               about one document alike
    gamma:     the cosine from which a historical question counts as alike
    """

    question: str
    gamma: float


class Focus:
    """Thread-safe when library and reranker are."""

    def __init__(
        self, library: Library, reranker: Reranker | None, *, pool: int = POOL, read: int = READ
    ) -> None:
        self._library = library
        self._reranker = reranker
        self._pool = pool
        self._read = read

    @property
    def reranker(self) -> Reranker | None:
        """What orders passages; None for words alone."""
        return self._reranker

    def search(
        self,
        query: str,
        scope: str,
        k: int,
        room: int,
        *,
        also: str | None = None,
        seen: set[str] | None = None,
        recall: EdgeRecall | None = None,
    ) -> tuple[SearchResult, list[Excerpt], tuple[float, ...]]:
        """The hits that are shown, their passages, best first, and the scores of the passages that were left.

        k, room:  the most objects, and about the most tokens, that are shown
        also:     the same need in other words; the scores of both searches are added
        seen:     passages that were shown before and are left out; what is shown now is added
        recall:   follow edges"""
        seen = set() if seen is None else seen
        result = self._chunks(query, scope, k, recall)
        hits, weight = _with_edges(result), 1.0
        if also and also != query:
            hits, weight = _summed(hits, self._chunks(also, scope, k, None).hits), _TWICE
        ranked = self._rank(query, self._split(hits), weight, _lifts(result, recall))
        chosen = self._choose(ranked, k, self._room(ranked, room, result, recall), seen)
        shown = [piece for group in chosen.values() for piece in self._pieces(group)]
        edges = tuple(edge for edge in result.edges if edge.uri in chosen)
        unread = min((one.score for one in ranked), default=0.0)  # the score of what was not read
        left = tuple(one.score for one in ranked if one.words not in seen and one.score > unread)
        cut = replace(result, hits=tuple(hit for hit in hits if hit.uri in chosen), edges=edges)
        return cut, shown, left

    def _chunks(self, query: str, scope: str, k: int, recall: EdgeRecall | None) -> SearchResult:
        more: dict[str, Any] = {} if recall is None else {"gamma": recall.gamma, "question": recall.question}
        return self._library.search(query, scope, max(k, self._pool), kinds=("chunk",), distinct=True, **more)

    def _split(self, hits: Sequence[Hit]) -> list[Ranked]:
        """The passages of the hits. A hit that was deleted meanwhile is left out."""
        found: list[Ranked] = []
        for hit in hits:
            try:
                whole = self._library.read(hit.uri)
            except NotFound:
                continue
            found.extend(Ranked(hit, whole, part) for part in passages(whole.text))
        return found

    def _rank(
        self, query: str, pool: list[Ranked], vector_weight: float, lifts: Mapping[str, float]
    ) -> list[Ranked]:
        if not pool:
            return []
        texts = [_in_context(one) for one in pool]
        cosine = _scaled([one.hit.score for one in pool])
        rank = vector_weight * cosine + _WORD_WEIGHT * _scaled(bm25(query, texts))
        if lifts:
            rank = rank + np.asarray([lifts.get(one.hit.uri, 0.0) for one in pool])
        score = rank.copy()
        if self._reranker is not None:
            head = self._head(np.argsort(-rank, kind="stable").tolist(), texts)
            logits = self._reranker.scores(query, [texts[at] for at in head])
            score = np.full(len(pool), float(logits.min()))
            score[head] = logits
            rank = rank + _READ_WEIGHT * _scaled(score.tolist())
        order = np.argsort(-rank, kind="stable")
        return [replace(pool[at], rank=float(rank[at]), score=float(score[at])) for at in order]

    def _head(self, order: Sequence[int], texts: Sequence[str]) -> list[int]:
        """The first places of an order that may be read within the bounds; at least one."""
        left, head = READ_TOKENS, list[int]()
        for at in order[: self._read]:
            left -= self._library.count_tokens(texts[at])
            if left < 0 and head:
                break
            head.append(at)
        return head

    def _room(
        self, ranked: Sequence[Ranked], room: int, result: SearchResult, recall: EdgeRecall | None
    ) -> int:
        """Tokens that the passages are worth. They are fewer when one passage plainly answers, and when one of
        the best was the evidence of an earlier question: the more alike the questions, the fewer."""
        if self._reranker is None or not ranked:
            return room
        least = min(room, _LEAST_ROOM)
        if max(one.score for one in ranked) >= SURE:
            return max(room // 2, least)
        alike = {edge.uri: edge.similarity for edge in result.edges}
        again = [
            alike[one.hit.uri]
            for one in ranked[:PROVEN_AMONG]
            if one.hit.uri in alike and one.score >= PROVEN
        ]
        if not again or recall is None:
            return room
        nearness = (max(again) - recall.gamma) / max(1e-6, 1.0 - recall.gamma)
        return max(int(room * (1.0 - _PROVEN_SAVES * max(0.0, nearness))), least)

    def _choose(self, ranked: Sequence[Ranked], k: int, room: int, seen: set[str]) -> dict[str, list[Ranked]]:
        """Passages by object, in order until k objects or the room are used up."""
        after = _following(ranked)
        taken: dict[str, list[Ranked]] = {}
        used = _MARK_TOKENS * 3
        for one in ranked:
            if one.words in seen or (one.hit.uri not in taken and len(taken) >= k):
                continue
            group = [one]
            follower = after.get(one.key)
            if follower is not None and one.part.text.endswith(":") and follower.words not in seen:
                group.append(follower)  # the colon announces it
            cost = self._cost(group, taken)
            if used + cost > room and taken:
                continue
            used += cost
            seen.update(member.words for member in group)
            taken.setdefault(one.hit.uri, []).extend(group)
        return taken

    def _cost(self, group: Sequence[Ranked], taken: dict[str, list[Ranked]]) -> int:
        """About how many tokens showing these passages of one object adds."""
        count = self._library.count_tokens
        cost = sum(count(one.part.text) + one.part.text.count("\n") + 1 for one in group)
        uri, document = group[0].hit.uri, group[0].hit.source.document
        if uri in taken:
            return cost
        cost += count(uri.removeprefix(document)) + _MARK_TOKENS
        known = any(other[0].hit.source.document == document for other in taken.values())
        return cost if known else cost + count(document)

    def _pieces(self, group: Sequence[Ranked]) -> list[Excerpt]:
        """The passages of one object in its order, as one excerpt where they touch or nearly do."""
        whole = group[0].whole
        runs: list[tuple[int, int, float]] = []
        for one in sorted(group, key=lambda one: one.part.begin):
            if runs and len(whole.text[runs[-1][1] : one.part.begin].strip()) <= _GAP_CHARS:
                begin, _, score = runs[-1]
                runs[-1] = (begin, one.part.end, max(score, one.score))
            else:
                runs.append((one.part.begin, one.part.end, one.score))
        return [excerpt_of(self._library, whole, *run) for run in runs]


def _summed(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits of two searches with the sum of their scores, each scaled within its own search. A hit that one
    search did not find has the lowest score of that search."""
    scores: dict[str, float] = {}
    for hits, others in ((first, second), (second, first)):
        scaled = dict(
            zip((hit.uri for hit in hits), _scaled([hit.score for hit in hits]).tolist(), strict=True)
        )
        lowest = min(scaled.values(), default=0.0)
        for uri in {hit.uri for hit in (*hits, *others)}:
            scores[uri] = scores.get(uri, 0.0) + scaled.get(uri, lowest)
    distinct = {hit.uri: replace(hit, score=scores[hit.uri]) for hit in (*first, *second)}
    return tuple(sorted(distinct.values(), key=lambda hit: (-hit.score, hit.uri)))


def _with_edges(result: SearchResult) -> tuple[Hit, ...]:
    """The hits, then what only edges reached, at the score of the last hit."""
    known = {hit.uri for hit in result.hits}
    lowest = min((hit.score for hit in result.hits), default=0.0)
    new = [edge for edge in result.edges if edge.uri not in known]
    return (*result.hits, *(Hit(edge.uri, lowest, edge.kind, edge.preview, edge.source) for edge in new))


def _lifts(result: SearchResult, recall: EdgeRecall | None) -> dict[str, float]:
    """By URI, how far an edge lifts what it leads to: the more alike the questions, the further."""
    if recall is None:
        return {}
    room = max(1e-6, 1.0 - recall.gamma)
    return {
        edge.uri: _EDGE_LIFT * (0.5 + 0.5 * (edge.similarity - recall.gamma) / room) for edge in result.edges
    }


def _following(ranked: Sequence[Ranked]) -> dict[Key, Ranked]:
    """For each passage the next one of its object."""
    ordered = sorted(ranked, key=lambda one: one.key)
    pairs = itertools.pairwise(ordered)
    return {left.key: right for left, right in pairs if left.hit.uri == right.hit.uri}


def _in_context(one: Ranked) -> str:
    """A passage with the titles above it: "Grading: Late work loses ten points a day." """
    titles = one.hit.source.section[-2:] or (name_of(one.hit.source.document),)
    return f"{' / '.join(titles)}: {one.part.text}"


def _scaled(values: Sequence[float]) -> np.ndarray:
    """The values with mean 0 and deviation 1; all 0 when they are equal."""
    array = np.asarray(values, dtype=np.float64)
    deviation = float(array.std())
    return (array - array.mean()) / deviation if deviation > 1e-9 else np.zeros_like(array)
