"""Reads results back: the JSON lines of one or several runs, the newest of each case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.results import percentile

Line = dict[str, Any]

# What tells two cases of one bench apart.
_KEYS = (
    "bench", "rows", "scope", "rights", "filter", "queries_per_call", "pattern", "peer", "case", "contender", "edges",
    "threads", "leaves", "phase", "cache", "precision", "queries", "recall_target",
)  # fmt: skip


def load(paths: Iterable[Path]) -> list[Line]:
    """The lines of the files, in order; of the same case the last one only.

    Raises ValueError with the place of a line that is not JSON."""
    newest: dict[tuple[str, ...], Line] = {}
    for path in paths:
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not text.startswith("{"):
                continue
            try:
                line: Line = json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}:{number}: {error}") from None
            settings = line.get("settings", {})
            size = settings.get("library_rows", "")
            newest[(*(str(line.get(key, "")) for key in _KEYS), str(size))] = line
    return list(newest.values())


def select(lines: Sequence[Line], bench: str, **wanted: Any) -> list[Line]:
    """The lines of a bench that have these values."""
    return [
        line
        for line in lines
        if line.get("bench") == bench and all(line.get(k) == v for k, v in wanted.items())
    ]


def library_rows(line: Line) -> int:
    """Of the library that a scope of grep lies in."""
    return int(line["settings"].get("library_rows", line.get("rows", 0)))


def engine_ms(lines: Sequence[Line]) -> float:
    """The engine's median beside each peer: the median of them."""
    return percentile([float(line["engine_p50_ms"]) for line in lines], 0.5)


def sizes(lines: Sequence[Line]) -> list[int]:
    """The library sizes that were measured, ascending."""
    return sorted({int(line["rows"]) for line in lines})


def peers(lines: Sequence[Line]) -> list[str]:
    """The peers, in the order in which they ran."""
    return list(dict.fromkeys(str(line["peer"]) for line in lines))
