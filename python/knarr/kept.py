"""Results kept by the text that they were made of, within a bound of bytes.

`functools.lru_cache` counts entries, and one entry may be the words of a text of megabytes. Here an entry
weighs what its text does, several times over, since words and their forms take more room than the letters.
A text that alone weighs a good part of the bound is not kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_T = TypeVar("_T")

_ENTRY_BYTES = 500
_BYTES_PER_CHAR = 40  # of the sets of word forms that are made of a text, as measured
_LARGEST_SHARE = 8


def kept(most_bytes: int) -> Callable[[Callable[[str], _T]], Callable[[str], _T]]:
    """Remember the results of a function of one text, those used last, up to about `most_bytes`. Thread-safe;
    results are shared, so they must not be changed. An error is not kept."""

    def around(make: Callable[[str], _T]) -> Callable[[str], _T]:
        found: OrderedDict[str, _T] = OrderedDict()
        lock = threading.Lock()
        weighs = 0

        @wraps(make)
        def call(text: str) -> _T:
            nonlocal weighs
            with lock:
                if text in found:
                    found.move_to_end(text)
                    return found[text]
            result = make(text)
            weight = weight_of(text)
            if weight * _LARGEST_SHARE > most_bytes:
                return result
            with lock:
                if text not in found:
                    found[text] = result
                    weighs += weight
                while weighs > most_bytes:
                    weighs -= weight_of(found.popitem(last=False)[0])
            return result

        return call

    return around


def weight_of(text: str) -> int:
    """About how many bytes a text and what is made of its words take."""
    return _ENTRY_BYTES + _BYTES_PER_CHAR * len(text)
