"""What accepted answers teach: Algorithm 2, and the keeping of its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knarr import late

if TYPE_CHECKING:
    from knarr.experience.judge import Judge, ModelJudge, RuleJudge
    from knarr.experience.types import EdgePage, EdgeRecord, EdgeState

_JUDGE, _TYPES = "knarr.experience.judge", "knarr.experience.types"
late.install(
    globals(),
    {
        "Judge": _JUDGE,
        "ModelJudge": _JUDGE,
        "RuleJudge": _JUDGE,
        "EdgePage": _TYPES,
        "EdgeRecord": _TYPES,
        "EdgeState": _TYPES,
    },
)

__all__ = ["EdgePage", "EdgeRecord", "EdgeState", "Judge", "ModelJudge", "RuleJudge"]
