"""Small cases for the checker's tests: documents of our own, and a cross-encoder that counts words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from knarr.checker import Case, Evidence
from knarr.language.lexical import terms
from knarr.trace.record import DroppedCitation
from knarr.types import Citation, Provenance


class WordRanker:
    """A logit that grows with the share of the query's words in the passage: 8 for all, -8 for none."""

    def scores(self, query: str, passages: Sequence[str]) -> npt.NDArray[np.float32]:
        asked = set(terms(query))
        return np.asarray(
            [16.0 * len(asked & set(terms(one))) / max(1, len(asked)) - 8.0 for one in passages],
            dtype=np.float32,
        )


def evidence(document: str, text: str, *, title: str = "", score: float | None = 6.0) -> Evidence:
    """The only chunk of a document."""
    uri = f"viking://lib/{document}"
    source = Provenance(f"{uri}/", 1, (title or document,), (1, 1), None)
    return Evidence(f"{uri}/{document}_1.md", text, source, score)


def case(
    question: str,
    *shown: Evidence,
    cited: Sequence[int] = (0,),
    answer: str = "",
    quote: str = "",
    found: bool = True,
    scopes: Sequence[str] = (),
    dropped: Sequence[DroppedCitation] = (),
) -> Case:
    """A candidate that cites the whole text (or `quote`) of the pieces numbered in `cited`."""
    citations = tuple(
        Citation(shown[at].uri, quote or shown[at].text, (1, 1), None, shown[at].source.document)
        for at in cited
    )
    text = answer or " ".join(one.text for one in citations) or "The evidence is not there."
    return Case(question, question, tuple(scopes), text, found, citations, tuple(dropped), shown)
