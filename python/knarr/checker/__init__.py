"""Is the evidence enough? Constraints first, direct evidence for each, then the verdict."""

from knarr.checker.types import Case, Checked, Checker, Evidence

__all__ = ["Case", "Checked", "Checker", "Evidence"]
