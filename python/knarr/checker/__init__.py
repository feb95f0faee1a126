"""Is the evidence enough? Constraints first, direct evidence for each, then the verdict."""

from knarr.checker.evidence import supports
from knarr.checker.forced import PRESETS, Rule, forced, rules_of
from knarr.checker.rules import RuleChecker
from knarr.checker.types import Case, Checked, Checker, Evidence

__all__ = [
    "PRESETS",
    "Case",
    "Checked",
    "Checker",
    "Evidence",
    "Rule",
    "RuleChecker",
    "forced",
    "rules_of",
    "supports",
]
