"""VikingRAG-E+ (arXiv 2609.11390): one round, a candidate answer, the checker; then the answer, or the full
loop.

Most questions need one search, and a loop spends rounds to find that out. So the first round is planned here,
by rule, and not by the policy: it costs little, and the same for every policy. It searches, with edges, where
the question means to look, and reads the best passages within a budget of tokens. From that alone the policy
drafts an answer, and the checker judges the draft. An answer that is surely enough ends the run. Everything
else goes on in the full loop, which begins with what the first round found; the cost of a wrong start is that
one round and one check.

The decision errs on one side only. "unknown" is never a pass, rules can force the loop whatever the checker
says, and the score that is asked for can be calibrated on recorded runs (`knarr.checker.calibration`), so that
the share of questions answered too early stays below a stated bound. `shadow` and `resample` make the labels
for that: they run the full loop beside the decision and record whether it came to the same evidence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from knarr.agent.tools.search import search_call
from knarr.agent.values import Draft, Excerpt, ToolCall, View
from knarr.checker import Case, Checked, Checker, Evidence
from knarr.errors import InvalidArgument
from knarr.language.citations import fold
from knarr.language.plain import one_line, shortened
from knarr.trace.record import DroppedCitation
from knarr.types import AnswerStatus, Citation, Verdict
from knarr.uris import SCHEME

Action = Literal["answered", "escalated", "resampled", "shadow"]
FIRST_TOKENS = 900
_LEAST_TOKENS = 64
_LEAST_SHARE = 120  # tokens of one search among several
_MOST_K = 50
_MISSING_CHARS = 80

CANDIDATE = (
    "Answer now from what was shown, with the numbers of its passages, if it holds the answer; else say that it "
    "does not. "
    "You may look further afterwards."
)


@dataclass(frozen=True, slots=True)
class Escalation:
    """How mode "vikingrag-e+" decides.

    checker:   judges the candidate
    forced:    names the rule that sends a question, asked in or meaning these scopes, to the full loop whatever
               the checker says; "" for none
    shadow:    decide and log, but let the loop answer as if nothing had been decided
    resample:  the share of early answers whose full path is run too, to be compared
    tokens:    shown by the first round
    draw:      gives numbers in [0, 1) for the sample

    Raises InvalidArgument for a share outside [0, 1] and for too few tokens.
    """

    checker: Checker
    forced: Callable[[str, Sequence[str]], str] = field(default=lambda _question, _scopes: "")
    shadow: bool = False
    resample: float = 0.0
    tokens: int = FIRST_TOKENS
    draw: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if not 0.0 <= self.resample <= 1.0:
            raise InvalidArgument(f"expected resample in [0, 1], got {self.resample}")
        if self.tokens < _LEAST_TOKENS:
            raise InvalidArgument(
                f"expected tokens >= {_LEAST_TOKENS} for the first round, got {self.tokens}"
            )

    def action(self, verdict: Verdict, lacking: str = "") -> tuple[Action, str]:
        """What to do with a verdict, and why. `lacking` says what the check of every answer found wrong, ""
        for nothing."""
        passed = passes(verdict) and not lacking
        reason = lacking if passes(verdict) and lacking else verdict.reason
        if self.shadow:
            return "shadow", f"would have {'answered' if passed else 'escalated'}: {reason}"
        if not passed:
            return "escalated", reason
        if self.resample > 0.0 and self.draw() < self.resample:
            return "resampled", verdict.reason
        return "answered", verdict.reason


def passes(verdict: Verdict) -> bool:
    """Whether a verdict lets an early answer stand."""
    return verdict.outcome == "sufficient" and verdict.score >= verdict.threshold


def unasked(rule: str) -> Checked:
    """Stands for the checker's verdict where a rule decides."""
    return Checked(Verdict("unknown", f"rule: {rule}", judge="rules"))


def first_calls(view: View, tokens: int) -> tuple[ToolCall, ...]:
    """The searches of the first round, which show `tokens` tokens of passages together. They run inside the
    documents that the question names; else inside those that it hints at and, with half of the tokens,
    everywhere."""
    resolution = view.resolution
    scopes = [found.uri for found in resolution.candidates]
    if not resolution.wide:
        share = max(_LEAST_SHARE, tokens // max(1, len(scopes)))
        return tuple(
            search_call(resolution.core, uri, min(_MOST_K, 4 * view.k), share, resolution.asked)
            for uri in scopes
        )
    if not scopes:
        return (search_call(resolution.core, view.scope, view.k, tokens),)
    share = max(_LEAST_SHARE, tokens // 2 // len(scopes))
    inside = [search_call(resolution.core, uri, 2 * view.k, share) for uri in scopes]
    return (*inside, search_call(resolution.core, view.scope, view.k, tokens // 2))


def go_on(verdict: Verdict, question: str) -> str:
    """The message to a model whose candidate was not enough. Only words of the question and of ours are used,
    since a judge that read documents may repeat what they instructed it to say."""
    asked = one_line(question).casefold()
    unmet = [one_line(one.text) for one in verdict.constraints if not one.met]
    named = [text for text in unmet if text.casefold() in asked][:5]
    missing = f" Not yet covered: {'; '.join(named)}." if named else ""
    return f"That is not enough yet.{missing} Go on with the tools, or say that the library does not hold it."


def unsupported(missing: Sequence[str]) -> str:
    """The message to a model whose answer did not pass its check. `missing` are words of the question and of
    ours; a URI among them would be a name out of a document, and is left out."""
    named = [shortened(text, _MISSING_CHARS) for text in missing if SCHEME not in text][:5]
    lacks = f" Not covered: {'; '.join(named)}." if named else ""
    return (
        f"This answer does not stand: what it cites does not bear it out.{lacks} Look further, or answer again and "
        "cite the numbers of the passages that say it; or say that the library does not hold the answer."
    )


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
        by_rule=draft.by_rule,
    )


def agrees(shown: Sequence[Excerpt], status: AnswerStatus, citations: Sequence[Citation]) -> bool:
    """Whether the full path came to the evidence of the first round: it answered, and every citation stands in
    the text that the first round showed (`shown`)."""
    if status != "answered" or not citations:
        return False
    texts = [fold(piece.text).text for piece in shown]
    return all(any(fold(cited.text).text in text for text in texts) for cited in citations)
