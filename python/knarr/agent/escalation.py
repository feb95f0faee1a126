"""VikingRAG-E+: one round, a candidate answer, the checker; then the answer, or the full loop.

The first round is planned here and not by the policy, so that it costs little and the same for all: a
search (with edges) where the question means to look, its best passages read within a budget. The policy
drafts an answer from that alone, the checker judges it, and what is not surely enough goes on in the full
loop, which starts with what the first round found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from knarr.agent.decision import Draft, Shown, ToolCall, View
from knarr.checker import Case, Checked, Checker, Evidence
from knarr.language.citations import fold
from knarr.trace.record import DroppedCitation
from knarr.types import AnswerStatus, Citation, ModelUsage, Verdict

Action = Literal["answered", "escalated", "resampled", "shadow"]
FIRST_TOKENS = 900

CANDIDATE = (
    "Answer now from what was shown, with quotes, if it holds the answer; else say that it does not. "
    "You may look further afterwards."
)


@dataclass(frozen=True, slots=True)
class Escalation:
    """How mode "vikingrag-e+" decides.

    checker:   judges the candidate
    forced:    names the rule by which a question, asked in or meaning these scopes, goes to the full loop
               whatever the checker says; "" for none
    shadow:    decide and log, but let the loop answer as if nothing had been decided
    resample:  the share of early answers whose full path is run too, to be compared
    tokens:    shown by the first round
    draw:      gives numbers in [0, 1) for the sample
    """

    checker: Checker
    forced: Callable[[str, Sequence[str]], str] = field(default=lambda _question, _scopes: "")
    shadow: bool = False
    resample: float = 0.0
    tokens: int = FIRST_TOKENS
    draw: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if not 0.0 <= self.resample <= 1.0:
            raise ValueError(f"expected resample in [0, 1], got {self.resample}")
        if self.tokens < 64:
            raise ValueError(f"expected tokens >= 64 for the first round, got {self.tokens}")

    def action(self, verdict: Verdict) -> tuple[Action, str]:
        """What to do with a verdict, and why."""
        passed = verdict.outcome == "sufficient" and verdict.score >= verdict.threshold
        if self.shadow:
            return "shadow", f"would have {'answered' if passed else 'escalated'}: {verdict.reason}"
        if not passed:
            return "escalated", verdict.reason
        if self.resample > 0.0 and self.draw() < self.resample:
            return "resampled", verdict.reason
        return "answered", verdict.reason


@dataclass(frozen=True, slots=True)
class Judged:
    """The checker's outcome, and how long it took."""

    checked: Checked
    ms: float


def unasked(rule: str) -> Judged:
    """Stands for a verdict where a rule decides."""
    return Judged(Checked(Verdict("unknown", f"rule: {rule}", judge="rules"), ModelUsage()), 0.0)


def first_calls(view: View, tokens: int) -> tuple[ToolCall, ...]:
    """The searches of the first round, which show `tokens` tokens of passages together: inside the documents
    that the question names; else in those that it hints at and, with half of the tokens, everywhere."""
    resolution = view.resolution
    scopes = [found.uri for found in resolution.candidates]
    if not resolution.wide:
        share = max(120, tokens // max(1, len(scopes)))
        return tuple(
            _search(resolution.core, uri, min(50, 4 * view.k), share, resolution.asked) for uri in scopes
        )
    if not scopes:
        return (_search(resolution.core, view.scope, view.k, tokens),)
    share = max(120, tokens // 2 // len(scopes))
    beside = [_search(resolution.core, uri, 2 * view.k, share) for uri in scopes]
    return (*beside, _search(resolution.core, view.scope, view.k, tokens // 2))


def _search(query: str, scope: str, k: int, max_tokens: int, also: str = "") -> ToolCall:
    more = {"also": also} if also and also != query else {}
    return ToolCall("Search", {"query": query, "scope": scope, "k": k, "max_tokens": max_tokens, **more})


def go_on(verdict: Verdict, question: str) -> str:
    """What a model is told when its candidate was not enough: in words of the question and ours only, since
    a judge that read documents may say what they told it to say."""
    asked = " ".join(question.split()).casefold()
    unmet = [" ".join(one.text.split()) for one in verdict.constraints if not one.met]
    named = [text for text in unmet if text.casefold() in asked][:5]
    missing = f" Not yet covered: {'; '.join(named)}." if named else ""
    return f"That is not enough yet.{missing} Go on with the tools, or say that the library does not hold it."


def case_of(
    view: View, draft: Draft, citations: Sequence[Citation], dropped: Sequence[DroppedCitation]
) -> Case:
    """What the checker is given for a candidate."""
    evidence = tuple(
        Evidence(piece.uri, piece.text, piece.source, piece.score) for piece in view.shown if piece.text
    )
    meant = () if view.resolution.wide else tuple(one.uri for one in view.resolution.candidates)
    return Case(
        question=view.question,
        core=view.resolution.core,
        scopes=meant,
        answer=draft.text,
        found=draft.found,
        citations=citations,
        dropped=dropped,
        evidence=evidence,
        left=tuple(score for seen in view.observations for score in seen.left),
    )


def agrees(shown: Sequence[Shown], status: AnswerStatus, citations: Sequence[Citation]) -> bool:
    """Whether the full path came to what the first round had: an answer whose every citation stands in the
    text that the first round showed (`shown`)."""
    if status != "answered" or not citations:
        return False
    texts = [fold(piece.text).text for piece in shown]
    return all(any(fold(cited.text).text in text for text in texts) for cited in citations)
