"""What the tests of care share."""

from __future__ import annotations

from care_base import fill

__all__ = ["fill"]
