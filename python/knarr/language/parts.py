"""Several questions in one sentence, apart: "What is the fee, and when is it due?" asks two things."""

from __future__ import annotations

import re

_ASKING = r"(?:by |in |on |at |for |from |to |of |with |since |until )?(?:what|which|who|whom|whose|when|where|why|how)\b"
_SPLIT = re.compile(rf"\?\s+|[,;]?\s+(?:and|or|but)\s+(?={_ASKING})|[,;]\s+(?={_ASKING})", re.IGNORECASE)
_BARE = re.compile(
    r"((?:\w+ )?(?:which|what)) (?:is|are|was|were|has|have|had|did|does|do|will|would)\b", re.IGNORECASE
)
_NOUN = re.compile(r"(?:which|what) (?!is\b|are\b|was\b|were\b|has\b|did\b|does\b|do\b)(\w+)", re.IGNORECASE)
_MOST = 3
_LEAST_WORDS = 3


def parts(question: str) -> tuple[str, ...]:
    """The questions in a question, in order; the question itself when it is one. Short rests stay with
    what stands before them."""
    found: list[str] = []
    begin = 0
    for match in _SPLIT.finditer(question):
        piece = question[begin : match.start()].strip(" ,;")
        if len(piece.split()) < _LEAST_WORDS or len(question[match.end() :].split()) < _LEAST_WORDS:
            continue
        found.append(piece)
        begin = match.end()
    found.append(question[begin:].strip())
    if len(found) == 1 or len(found) > _MOST:
        return (question,)
    return tuple(_named(part, found[0]) for part in found)


def _named(part: str, first: str) -> str:
    """ "which was reached" after "Which availability is promised" as "which availability was reached"."""
    bare, noun = _BARE.match(part), _NOUN.match(first)
    return f"{bare[1]} {noun[1]} {part[bare.end(1) + 1 :]}" if bare and noun else part
