"""Is the evidence enough? Constraints first, direct evidence for each, then the verdict."""

from knarr.checker.calibration import Calibration, calibrate
from knarr.checker.evidence import supports
from knarr.checker.forced import PRESETS, Rule, forced, rules_of
from knarr.checker.load import load_checker, scorer_of
from knarr.checker.model import ModelChecker, judge_of
from knarr.checker.naive import NaiveChecker
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
    "NaiveChecker",
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
