"""What accepted answers teach: Algorithm 2, and the keeping of its edges."""

from knarr.experience.judge import Judge, RuleJudge
from knarr.experience.types import EdgePage, EdgeRecord, EdgeState, EpisodeState

__all__ = ["EdgePage", "EdgeRecord", "EdgeState", "EpisodeState", "Judge", "RuleJudge"]
