"""The checker that the settings ask for."""

from __future__ import annotations

from knarr.checker.evidence import Scorer
from knarr.checker.model import THRESHOLD as MODEL_THRESHOLD
from knarr.checker.model import ModelChecker
from knarr.checker.rules import RuleChecker
from knarr.checker.score import SCORER, THRESHOLD
from knarr.checker.types import Checker
from knarr.config import Settings
from knarr.models.chat import ChatModel


def load_checker(
    settings: Settings, chat: ChatModel | None, reranker: Scorer | None, *, threshold: float | None = None
) -> Checker:
    """By model where there is a chat model, by rule otherwise. `threshold` is a calibrated one, None for
    the checker's own."""
    if chat is None:
        return RuleChecker(reranker, threshold=THRESHOLD if threshold is None else threshold)
    return ModelChecker(chat, reranker, threshold=MODEL_THRESHOLD if threshold is None else threshold)


def scorer_of(judge: str) -> str:
    """What a calibration belongs to: the judge, and the version of the score by rule."""
    return f"{judge}:{SCORER}"
