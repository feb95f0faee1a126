"""How the cost of a call grows: measured at two sizes, in CPU time of this thread, as a ratio with much slack.

A pattern's steps are taken inside the regular expression engine, where no profiler counts them, so their time
stands for them. Eight times the input may cost eight times as much; where the cost is quadratic it is 64 times.
"""

from __future__ import annotations

import time
from collections.abc import Callable

SMALL, TIMES = 4_000, 8
_SLACK = 3
_LEAST_S = 0.005  # below this a time says nothing; it also bounds what a fast call may take at the large size


def repeated(unit: str, size: int) -> str:
    """About `size` bytes of the unit, with a line of prose at the end, where lazy patterns would look."""
    return unit * max(1, size // len(unit.encode())) + "\nThe end of it."


def is_linear(work: Callable[[str], object], unit: str, small: int = SMALL) -> bool:
    """Whether the cost of `work` on the repeated unit grows with its size."""
    little, much = repeated(unit, small), repeated(unit, small * TIMES)
    work(little)  # what is loaded at the first call is no cost of the text
    bound = max(_LEAST_S, min(_cpu(work, little) for _ in range(2))) * TIMES * _SLACK
    return any(_cpu(work, much) <= bound for _ in range(3))


def _cpu(work: Callable[[str], object], text: str) -> float:
    begin = time.thread_time()
    work(text)
    return time.thread_time() - begin
