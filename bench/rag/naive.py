"""`NaiveChecker`: is the evidence enough? One question, no constraints, no gates. Kept to be compared with.

With a chat model it asks the model for a verdict; without one it asks whether some passage fits the question
well.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knarr.checker import Case, Checked, judge_of
from knarr.checker.messages import messages
from knarr.checker.score import squash
from knarr.models.chat import ChatModel, ChatRequest, read_object
from knarr.types import ModelUsage, Sufficiency, Verdict

BOUND_LOGIT = 0.0  # without a model: the best passage's logit above which it says yes
_TRIES = 2
_REPLY_TOKENS = 1200
_PROMPT = Path(__file__).with_name("checker_naive_v1.md")
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["sufficient", "insufficient"]},
    },
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}


class NaiveChecker:
    """A checker to compare the product's with."""

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
        turn, _pieces = messages(case, _PROMPT.read_text(encoding="utf-8").strip(), chat)
        usage, outcome, reason = ModelUsage(), "unknown", "the reply could not be read"
        for _ in range(_TRIES):
            reply = chat.chat(ChatRequest(turn, schema=_SCHEMA, max_tokens=_REPLY_TOKENS))
            usage += reply.usage
            outcome, reason = _verdict(reply.text, cut=reply.cut)
            if outcome != "unknown":
                break
        value = 1.0 if outcome == "sufficient" else 0.0
        judge = f"naive:{judge_of(chat)}"
        return Checked(Verdict(outcome, reason, score=value, threshold=1.0, judge=judge, said=outcome), usage)


def _verdict(text: str, *, cut: bool) -> tuple[Sufficiency, str]:
    """Verdict and reason of a reply; "unknown" for all that is unclear."""
    found = read_object(text)
    value = found.value or {}
    verdict, reason = value.get("verdict"), value.get("reason")
    if cut or found.cut or not isinstance(reason, str) or not reason.strip():
        return "unknown", "the reply could not be read"
    if verdict == "sufficient":
        return "sufficient", reason
    return ("insufficient", reason) if verdict == "insufficient" else ("unknown", "no such verdict")
