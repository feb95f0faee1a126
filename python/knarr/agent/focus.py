"""What of its hits a search shows: the passages that fit the query best, within a bound of tokens.

Chunks are found by their vectors, a few times more than are asked for. Their passages are ordered by
the chunk's score and by words in common; the best of these are read by the cross-encoder, where there
is one, together with the query, and its view counts most. They are shown in that order until the room
is filled, so that tokens go to passages and not to whole chunks; a sure first passage needs less room.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from knarr.agent.decision import Shown
from knarr.agent.library import Library
from knarr.agent.observe import with_edges
from knarr.agent.place import piece_of
from knarr.errors import KnarrError
from knarr.language.lexical import bm25
from knarr.language.passages import Part, passages
from knarr.models.rerank import Reranker
from knarr.types import Hit, Passage, SearchResult
from knarr.uris import name_of

POOL = 48  # chunks looked into
READ = 16  # passages read by the cross-encoder at most,
READ_TOKENS = 1_600  # and their tokens: what a search may cost in time
SURE = 7.0  # logit of a passage that plainly answers: then half the room does
_WORD_WEIGHT = 0.7  # of words in common, beside the chunk's score; both scaled to the pool
# The next four were set by judgement, not fitted: few development questions have an edge.
PROVEN = -2.0  # logit from which a passage that an edge leads to is taken for evidence again,
_PROVEN_AMONG = 3  # when it is among so many best,
PROVEN_SAVES = 0.5  # and then the share of the room that an equal question saves
EDGE_LIFT = 1.0  # in deviations of the pool's scores, for what an edge of an equal question leads to
_TWICE = 1.6  # weight of the chunk's score when two searches agree on it
_READ_WEIGHT = 2.0  # of the cross-encoder beside these
_MARK_TOKENS = 6  # of numbers, lines and marks around a passage
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
class Recall:
    """Follow edges: what the run asks, without the words that name documents (they would make any two
    questions about one document alike), and the similarity from which a historical question counts."""

    question: str
    gamma: float


def edges_asked(recall: Recall | None) -> dict[str, Any]:
    """What a search is asked beside, to follow edges."""
    return {} if recall is None else {"gamma": recall.gamma, "question": recall.question}


class Focus:
    """Thread-safe when library and reranker are."""

    def __init__(
        self, library: Library, reranker: Reranker | None, *, pool: int = POOL, read: int = READ
    ) -> None:
        self._library = library
        self._reranker = reranker
        self._pool = pool
        self._read = read

    def search(
        self,
        query: str,
        scope: str,
        k: int,
        room: int,
        *,
        also: str | None = None,
        seen: set[str] | None = None,
        recall: Recall | None = None,
    ) -> tuple[SearchResult, list[Shown], tuple[float, ...]]:
        """The hits, cut to those that are shown, the passages of theirs: of at most k objects and
        at most `room` tokens, best first, and the scores of the passages that were left. `also` finds chunks
        beside the query; their scores are added. Texts in `seen` are left out, and what is shown is added to it: the same paragraph in ten
        versions of a manual is shown once. With `recall` edges of the hits add objects and lift them: they
        are read and ordered like any other, so that an edge never stands for evidence."""
        seen = set() if seen is None else seen
        result = self._library.search(
            query, scope, max(k, self._pool), kinds=("chunk",), distinct=True, **edges_asked(recall)
        )
        hits = with_edges(result)
        if also and also != query:
            hits = _both(
                hits,
                self._library.search(also, scope, max(k, self._pool), kinds=("chunk",), distinct=True).hits,
            )
        spread = _TWICE if also and also != query else 1.0
        ranked = self._rank(query, self._split(hits), spread, _lifts(result, recall))
        chosen = self._choose(ranked, k, self._room(ranked, room, result, recall), seen)
        shown = [piece for group in chosen.values() for piece in self._pieces(group)]
        edges = tuple(edge for edge in result.edges if edge.uri in chosen)
        unread = min((one.score for one in ranked), default=0.0)  # what those not read were given
        left = tuple(one.score for one in ranked if one.words not in seen and one.score > unread)
        cut = replace(result, hits=tuple(hit for hit in hits if hit.uri in chosen), edges=edges)
        return cut, shown, left

    def _split(self, hits: Sequence[Hit]) -> list[Ranked]:
        """The passages of the hits; a hit that is gone by now is left out."""
        found: list[Ranked] = []
        for hit in hits:
            try:
                whole = self._library.read(hit.uri)
            except KnarrError:
                continue
            found.extend(Ranked(hit, whole, part) for part in passages(whole.text))
        return found

    def _rank(
        self, query: str, pool: list[Ranked], spread: float = 1.0, lifts: Mapping[str, float] | None = None
    ) -> list[Ranked]:
        if not pool:
            return []
        texts = [_in_context(one) for one in pool]
        rank = spread * _scaled([one.hit.score for one in pool]) + _WORD_WEIGHT * _scaled(bm25(query, texts))
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
        """The first of an order whose reading is within bounds; at least one."""
        left, head = READ_TOKENS, list[int]()
        for at in order[: self._read]:
            left -= self._library.count_tokens(texts[at])
            if left < 0 and head:
                break
            head.append(at)
        return head

    def _room(self, ranked: Sequence[Ranked], room: int, result: SearchResult, recall: Recall | None) -> int:
        """Tokens that the passages are worth: less when one plainly answers, or when one of the best was
        the evidence of a question like this one, and the less the more alike they are."""
        if self._reranker is None or not ranked:
            return room
        least = min(room, 200)
        if max(one.score for one in ranked) >= SURE:
            return max(room // 2, least)
        alike = {edge.uri: edge.similarity for edge in result.edges}
        again = [
            alike[one.hit.uri]
            for one in ranked[:_PROVEN_AMONG]
            if one.hit.uri in alike and one.score >= PROVEN
        ]
        if not again or recall is None:
            return room
        nearness = (max(again) - recall.gamma) / max(1e-6, 1.0 - recall.gamma)
        return max(int(room * (1.0 - PROVEN_SAVES * max(0.0, nearness))), least)

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
                group.append(follower)  # what a colon announces
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

    def _pieces(self, group: Sequence[Ranked]) -> list[Shown]:
        """Passages of one object in its order, those that (nearly) touch as one piece."""
        whole = group[0].whole
        runs: list[tuple[int, int, float]] = []
        for one in sorted(group, key=lambda one: one.part.begin):
            if runs and len(whole.text[runs[-1][1] : one.part.begin].strip()) <= _GAP_CHARS:
                begin, _, score = runs[-1]
                runs[-1] = (begin, one.part.end, max(score, one.score))
            else:
                runs.append((one.part.begin, one.part.end, one.score))
        return [piece_of(self._library, whole, *run) for run in runs]


def _both(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits of two searches, each scaled to its own spread, with their scores added. What only one
    search found has the lowest score of the other."""
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


def _lifts(result: SearchResult, recall: Recall | None) -> dict[str, float]:
    """How far edges lift what they lead to: the more alike the questions, the further."""
    if recall is None:
        return {}
    room = max(1e-6, 1.0 - recall.gamma)
    return {
        edge.uri: EDGE_LIFT * (0.5 + 0.5 * (edge.similarity - recall.gamma) / room) for edge in result.edges
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
    """To mean 0 and deviation 1; all 0 when they are equal."""
    array = np.asarray(values, dtype=np.float64)
    spread = float(array.std())
    return (array - array.mean()) / spread if spread > 1e-9 else np.zeros_like(array)
