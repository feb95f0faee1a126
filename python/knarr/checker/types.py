"""The checker's values: a question with a candidate answer and its evidence, and the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from knarr.trace.record import DroppedCitation
from knarr.types import Citation, ModelUsage, Provenance, Verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of document text that was read in this run. `score` is a cross-encoder's logit for the
    question, None where there is none."""

    uri: str
    text: str
    source: Provenance
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One candidate answer to be judged.

    question:   as it was asked; `core` without the words that name documents
    scopes:     the documents that the question means, when it names some, else empty
    answer:     the candidate's text; `found` is False when it says that the evidence is not there
    citations:  the candidate's, as far as they hold in their sources; `dropped` are the others
    evidence:   every piece that was shown, in order
    left:       the cross-encoder's logits of passages that were found and not shown
    by_rule:    the answer was made by rule from its citations, and may have numbers reckoned from theirs
    """

    question: str
    core: str
    scopes: tuple[str, ...]
    answer: str
    found: bool
    citations: Sequence[Citation]
    dropped: Sequence[DroppedCitation]
    evidence: Sequence[Evidence]
    left: Sequence[float] = ()
    by_rule: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, what a chat model cost for it, and the wall milliseconds, which the caller measures."""

    verdict: Verdict
    usage: ModelUsage = field(default_factory=ModelUsage)
    ms: float = 0.0


class Checker(Protocol):
    """Judges whether the evidence suffices. Never raises for what a model says."""

    def check(self, case: Case) -> Checked: ...
