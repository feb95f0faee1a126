"""One JSON line per result, with what is needed to compare it later; and a Markdown table."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any


def _git(*arguments: str) -> str:
    here = Path(__file__).resolve().parent
    try:
        done = subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@cache
def environment() -> dict[str, Any]:
    """The commit ("+" marks uncommitted changes), the machine and the versions of this process."""
    commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"
    dirty = "+" if _git("status", "--porcelain", "--untracked-files=no") else ""
    return {
        "commit": commit + dirty,
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def record(bench: str, settings: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """A result as it is printed: the bench, what was measured, how, where and when."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"bench": bench, **result, "settings": dict(settings), **environment(), "at": now}


def emit(line: Mapping[str, Any], out: Path | None = None) -> None:
    """Print a record as one JSON line, and append it to `out` when given."""
    text = json.dumps(line, ensure_ascii=False)
    print(text, flush=True)
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"
    return str(value)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """The named columns of the rows as a Markdown table; a missing value is a dash."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(row.get(name)) for name in columns)} |" for row in rows]
    return "\n".join(lines)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lie (nearest rank); 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def mean(values: Sequence[float]) -> float | None:
    """The mean, or None of nothing."""
    return sum(values) / len(values) if values else None
