"""`NaiveChecker`: one question to the judge, no constraints, no gates. Kept only to be compared with."""

from __future__ import annotations

from knarr.checker.ask import ask
from knarr.checker.model import judge_of
from knarr.checker.reading import NAIVE_SCHEMA
from knarr.checker.score import squash
from knarr.checker.types import Case, Checked
from knarr.models.chat import ChatModel
from knarr.types import Verdict

PROMPT = "checker_naive_v1"
BOUND_LOGIT = 0.0  # without a model: the best passage's logit above which it says yes


class NaiveChecker:
    """With a chat model: is the evidence enough? Without: does some passage fit the question well?"""

    def __init__(self, chat: ChatModel | None = None, *, bound_logit: float = BOUND_LOGIT) -> None:
        self._chat = chat
        self._bound = bound_logit

    def check(self, case: Case) -> Checked:
        return self._by_logit(case) if self._chat is None else self._by_model(self._chat, case)

    def _by_logit(self, case: Case) -> Checked:
        best = max((piece.score for piece in case.evidence if piece.score is not None), default=None)
        if best is None:
            return Checked(Verdict("insufficient", "no passage has a score", judge="naive"))
        return Checked(
            Verdict(
                "sufficient" if best >= self._bound else "insufficient",
                f"the best passage's logit is {best:.2f}, the bound {self._bound:.2f}",
                score=squash(best),
                threshold=squash(self._bound),
                judge="naive",
            )
        )

    def _by_model(self, chat: ChatModel, case: Case) -> Checked:
        judged, usage = ask(chat, case, PROMPT, NAIVE_SCHEMA, naive=True)
        value = 1.0 if judged.outcome == "sufficient" else 0.0
        verdict = Verdict(
            judged.outcome,
            judged.reason,
            score=value,
            threshold=1.0,
            judge=f"naive:{judge_of(chat)}",
            said=judged.outcome,
        )
        return Checked(verdict, usage)
