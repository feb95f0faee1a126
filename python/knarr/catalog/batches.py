"""Many values a bounded number at a time: no statement grows with the documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

VALUES = 500
"""The most values in one place of a statement."""

_T = TypeVar("_T")


def batches(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """The values in order, in parts of at most `VALUES`."""
    for begin in range(0, len(values), VALUES):
        yield values[begin : begin + VALUES]
