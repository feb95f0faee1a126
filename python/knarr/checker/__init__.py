"""Is the evidence enough? Constraints first, direct evidence for each, then the verdict.

rules.py needs no model, model.py asks one and holds it to the text; both pass the gates of gates.py.
calibration.py chooses the score to ask for, records.py reads labels and figures out of recorded runs. The
checker sees a question, an answer and evidence; it knows no engine, no policy and no tool.
May import: trace, language, models, config, types, errors, uris.
"""

from knarr.checker.calibration import Calibrated, Calibration, Threshold, calibrate, calibrate_groups
from knarr.checker.evidence import Scorer, supports
from knarr.checker.forced import PRESETS, Rule, forced, rules_of
from knarr.checker.model import THRESHOLD as MODEL_THRESHOLD
from knarr.checker.model import ModelChecker, judge_of
from knarr.checker.rules import RuleChecker
from knarr.checker.score import scorer_of
from knarr.checker.types import Case, Checked, Checker, Evidence
from knarr.models.chat import ChatModel


def load_checker(
    chat: ChatModel | None, reranker: Scorer | None, *, threshold: Threshold | None = None
) -> Checker:
    """The checker by model where there is a chat model, by rule otherwise.

    `threshold` is the score from which evidence suffices, one for all questions or a function of the question, by a
    calibration; None for the checker's own."""
    if chat is None:
        return RuleChecker(reranker, threshold=threshold)
    return ModelChecker(chat, reranker, threshold=MODEL_THRESHOLD if threshold is None else threshold)


__all__ = [
    "PRESETS",
    "Calibrated",
    "Calibration",
    "Case",
    "Checked",
    "Checker",
    "Evidence",
    "ModelChecker",
    "Rule",
    "RuleChecker",
    "Threshold",
    "calibrate",
    "calibrate_groups",
    "forced",
    "judge_of",
    "load_checker",
    "rules_of",
    "scorer_of",
    "supports",
]
