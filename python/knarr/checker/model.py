"""`ModelChecker`: a chat model lists constraints, quotes evidence, and judges; rules hold it to the text.

A model that reads hostile documents cannot be taken at its word. Its "sufficient" counts only when every
constraint it lists has a quote that stands in the piece it names, and when the deterministic gates pass. The
score is half its word and half the score by rule, so that a calibrated threshold can ask for both.
"""

from __future__ import annotations

from knarr.checker.ask import ask
from knarr.checker.calibration import Threshold, at
from knarr.checker.evidence import Scorer
from knarr.checker.gates import failed, stands_in
from knarr.checker.reading import Claim, Judgement
from knarr.checker.rules import Findings, examine, scored
from knarr.checker.types import Case, Checked
from knarr.errors import ChatError
from knarr.models.chat import ChatModel
from knarr.types import ConstraintCheck, Gate, Verdict

THRESHOLD = 0.5  # the model's word is enough, whatever the score by rule; a calibration may ask for more


def judge_of(chat: ChatModel | None) -> str:
    """How verdicts name their judge: "rules" without a model, "model" for one that will not say its name."""
    try:
        return "rules" if chat is None else chat.name
    except ChatError:
        return "model"


class ModelChecker:
    """Asks `chat`; the reranker serves the rules beside it. Thread-safe when both are."""

    def __init__(
        self,
        chat: ChatModel,
        reranker: Scorer | None = None,
        *,
        threshold: Threshold = THRESHOLD,
    ) -> None:
        self._chat = chat
        self._reranker = reranker
        self.threshold = threshold

    def check(self, case: Case) -> Checked:
        plain = examine(case)
        nothing = failed(plain.gates[:2])
        if nothing is not None:  # no answer or no citation: a model need not be paid to say so
            return Checked(
                self._verdict(
                    Judgement("insufficient", f"gate {nothing.name}: {nothing.detail}"), plain, case
                )
            )
        judged, usage = ask(self._chat, case)
        found = examine(case, judged.quotes)
        return Checked(self._verdict(judged, found, case), usage)

    def _verdict(self, judged: Judgement, found: Findings, case: Case) -> Verdict:
        constraints = tuple(_held(claim, case) for claim in judged.claims)
        gates = (*found.gates, _evidenced(judged, constraints))
        bad = failed(gates)
        least = at(self.threshold, case.question)
        value = _blended(judged, scored(case, found, self._reranker, passed=bad is None))
        enough = judged.outcome == "sufficient" and bad is None and value >= least
        reason = judged.reason
        if judged.outcome == "sufficient" and bad is not None:
            reason = f"gate {bad.name}: {bad.detail}"
        elif judged.outcome == "sufficient" and not enough:
            reason = f"score {value:.2f} is below {least:.2f}"
        return Verdict(
            outcome="unknown" if judged.outcome == "unknown" else "sufficient" if enough else "insufficient",
            reason=reason,
            constraints=constraints or found.constraints,
            gates=gates,
            score=value,
            threshold=least,
            judge=judge_of(self._chat),
            said=judged.outcome,
        )


def _held(claim: Claim, case: Case) -> ConstraintCheck:
    """A constraint of the judge with the quotes that stand where the judge says."""
    kept = tuple(quote for quote in claim.quotes if stands_in(case, *quote))
    return ConstraintCheck(claim.kind, claim.text, kept, bool(kept))


def _evidenced(judged: Judgement, constraints: tuple[ConstraintCheck, ...]) -> Gate:
    """A "sufficient" needs constraints, and a quote that holds for each."""
    if judged.outcome != "sufficient":
        return Gate("evidenced", True)
    if not constraints:
        return Gate("evidenced", False, "the judge lists no constraint")
    bare = next((one for one in constraints if not one.met), None)
    return Gate("evidenced", bare is None, "" if bare is None else f"no quote that holds for {bare.text}")


def _blended(judged: Judgement, by_rule: float) -> float:
    if judged.outcome == "unknown":
        return 0.0
    return 0.5 * by_rule + (0.5 if judged.outcome == "sufficient" else 0.0)
