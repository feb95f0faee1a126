"""From passages shown to an answer: which sentences say it, and whether anything does.

Sentences of the best passages are ordered by the cross-encoder (by words in common without one). The
best ones are quoted, each with enough around it to stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.agent.citations import too_short
from knarr.agent.decision import Draft, Quote, Shown
from knarr.agent.lexical import bm25
from knarr.agent.passages import Part, sentences
from knarr.embed.rerank import Reranker

_SENTENCES = 14  # read by the cross-encoder
_QUOTES = 4
_NEAR = 3.0  # logits below the best sentence at which another is still quoted
_MOST_CHARS = 700
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence of a shown piece."""

    piece: Shown
    part: Part
    score: float


def ranked_sentences(question: str, shown: Sequence[Shown], reranker: Reranker | None) -> list[Scored]:
    """Sentences of the shown pieces, best first, equal ones once."""
    found: dict[str, Scored] = {}
    for piece in shown:
        for part in sentences(piece.text):
            key = " ".join(part.text.split())
            if key not in found and _says_something(part.text):
                found[key] = Scored(piece, part, 0.0)
    pool = list(found.values())
    common = bm25(question, [one.part.text for one in pool])
    strength = _piece_strength(shown)
    first = sorted(range(len(pool)), key=lambda at: -(common[at] + strength[id(pool[at].piece)]))
    if reranker is None:
        return [Scored(pool[at].piece, pool[at].part, common[at]) for at in first]
    head = [pool[at] for at in first[:_SENTENCES]]
    logits = reranker.scores(question, [_titled(one) for one in head])
    scored = [Scored(one.piece, one.part, float(logit)) for one, logit in zip(head, logits, strict=True)]
    return sorted(scored, key=lambda one: -one.score)


def _says_something(text: str) -> bool:
    """Not a heading, a rule, a lone number or a comment of the markup."""
    return len(_LETTERS.findall(text)) >= 3 and not text.startswith(("#", "<!--", "pr-url", "|--", "| --"))


def _piece_strength(shown: Sequence[Shown]) -> dict[int, float]:
    """Earlier and better pieces first, on the scale of word scores."""
    best = best_passage(shown)
    return {id(piece): max(-6.0, (piece.score or 0.0) - best) * 0.5 if piece.score is not None else -3.0 for piece in shown}


def best_passage(shown: Sequence[Shown]) -> float:
    """The score of the best passage that a search showed."""
    return max((piece.score for piece in shown if piece.score is not None), default=float("-inf"))


def _titled(one: Scored) -> str:
    return f"{' / '.join(one.piece.source.section[-2:])}: {one.part.text}"


def quoted_answer(ranked: Sequence[Scored]) -> Draft:
    """The best sentences as an answer, in the order of their rank."""
    best = ranked[0].score
    chosen = [one for one in ranked[:_QUOTES] if one.score >= best - _NEAR]
    quotes = tuple(dict.fromkeys(Quote(one.piece.uri, _standing(one)) for one in chosen))
    text = "\n".join(" ".join(quote.text.split()) for quote in quotes)
    return Draft(text, quotes)


def _standing(one: Scored) -> str:
    """The sentence, widened line by line while it is too short to be checked."""
    text = one.piece.text
    begin, end = one.part.begin, one.part.end
    while too_short(text[begin:end]) and (begin > 0 or end < len(text)):
        before = text.rfind("\n", 0, max(0, begin - 1)) + 1 if begin > 0 else 0
        after = text.find("\n", end + 1)
        end = len(text) if after < 0 else after
        begin = before
    piece = text[begin:end].strip()
    return piece if len(piece) <= _MOST_CHARS else piece[: piece.rfind(" ", 0, _MOST_CHARS)]
