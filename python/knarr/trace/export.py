"""Traces as JSON Lines: one trace per line, written and read one at a time.

Lines are ASCII, other characters escaped, so that a line is a line in every reader and encoding.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Protocol

from knarr.errors import InvalidArgument
from knarr.trace.record import Trace


class Writable(Protocol):
    """What takes text: an open file, `sys.stdout`."""

    def write(self, text: str, /) -> object: ...


def write_jsonl(traces: Iterable[Trace], file: Writable) -> int:
    """Write each trace as a line; returns how many. Holds one trace in memory at a time."""
    written = 0
    for trace in traces:
        file.write(json.dumps(trace.to_json()) + "\n")
        written += 1
    return written


def read_jsonl(lines: Iterable[str]) -> Iterator[Trace]:
    """The traces of an open file, or of any lines; blank ones are skipped. Raises InvalidArgument naming
    the first line that is no trace, after those before it were given."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Trace.from_json(line)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"line {number}: {error}") from error
