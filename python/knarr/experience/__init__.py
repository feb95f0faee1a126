"""What accepted answers teach: Algorithm 2, and the keeping of its edges."""

from knarr.experience.judge import Judge, ModelJudge, RuleJudge
from knarr.experience.types import EdgePage, EdgeRecord, EdgeState

__all__ = ["EdgePage", "EdgeRecord", "EdgeState", "Judge", "ModelJudge", "RuleJudge"]
