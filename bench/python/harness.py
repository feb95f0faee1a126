"""Times two ways of doing the same thing, side by side in one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.results import percentile


@dataclass
class Timing:
    """Milliseconds per call of one contender. `first_ms` is its first call, not in the others."""

    first_ms: float = 0.0
    ms: list[float] = field(default_factory=list)

    def figures(self, name: str) -> dict[str, float]:
        """Median, p99 and first call, in milliseconds, under names that begin with `name`."""
        return {
            f"{name}_p50_ms": round(percentile(self.ms, 0.5), 4),
            f"{name}_p99_ms": round(percentile(self.ms, 0.99), 4),
            f"{name}_first_ms": round(self.first_ms, 4),
        }


def alternate(
    contenders: Sequence[Callable[[int], Any]], rounds: int, *, limit_s: float = 20.0
) -> list[Timing]:
    """Call each contender with round numbers 0, 1, …, taking turns (and turns at going first), until
    `rounds` or `limit_s` are spent. Alternating lets a busy machine slow all of them alike."""
    timings = [Timing() for _ in contenders]
    for contender, timing in zip(contenders, timings, strict=True):
        timing.first_ms = _once(contender, 0)
    end = time.perf_counter() + limit_s
    for number in range(rounds):
        order = range(len(contenders)) if number % 2 == 0 else range(len(contenders) - 1, -1, -1)
        for at in order:
            timings[at].ms.append(_once(contenders[at], number))
        if time.perf_counter() > end:
            break
    return timings


def _once(contender: Callable[[int], Any], number: int) -> float:
    begin = time.perf_counter()
    contender(number)
    return (time.perf_counter() - begin) * 1e3


def ratio(other: Timing, ours: Timing) -> float:
    """How many times faster ours is than the other, by medians; above 1 we are faster."""
    return round(percentile(other.ms, 0.5) / max(percentile(ours.ms, 0.5), 1e-6), 3)
