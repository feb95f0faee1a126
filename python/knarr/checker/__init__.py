"""Is the evidence enough? Constraints first, direct evidence for each, then the verdict.

rules.py needs no model, model.py asks one and holds it to the text; both pass the gates of gates.py.
calibration.py chooses the score to ask for, records.py reads labels and figures out of recorded runs. The
checker sees a question, an answer and evidence; it knows no engine, no policy and no tool.
May import: trace, language, models, config, types, errors, uris.
"""

from knarr.checker.calibration import Calibration, calibrate
from knarr.checker.evidence import supports
from knarr.checker.forced import PRESETS, Rule, forced, rules_of
from knarr.checker.load import load_checker, scorer_of
from knarr.checker.model import ModelChecker, judge_of
from knarr.checker.rules import RuleChecker
from knarr.checker.types import Case, Checked, Checker, Evidence

__all__ = [
    "PRESETS",
    "Calibration",
    "Case",
    "Checked",
    "Checker",
    "Evidence",
    "ModelChecker",
    "Rule",
    "RuleChecker",
    "calibrate",
    "forced",
    "judge_of",
    "load_checker",
    "rules_of",
    "scorer_of",
    "supports",
]
