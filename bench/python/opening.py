"""How long does a saved engine take to open and to answer its first search?

    python -m bench.python.opening [--rows 100000 1000000] [--dim 384] [--text-bytes 200] [--repeat 5]
        [--vectors FILE] [--results FILE]

Documents of 1,000 chunks with texts are saved to a file in a temporary folder; then a new process opens it,
searches everything once for what is near an object, greps a rare word once, and tells the times. `warm`: the
file lies in the page cache; `cold`: it was dropped from there before (the disk's own caches were not).
`again_ms` is a second search.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.python.fresh_process import opened
from bench.python.scoped_search import make_queries, make_vectors
from bench.python.structure import DOCUMENT_ROWS, SECTION_ROWS, make_texts

from knarr import Engine

COLUMNS = [
    "rows", "cache", "file_mib", "open_ms", "first_search_ms", "both_ms", "again_ms", "first_grep_ms", "plan", "rss_mib",
]  # fmt: skip
READER = """
import json, sys, time
from pathlib import Path
import numpy as np
from knarr import Engine
path = sys.argv[1]
query, other = np.load(path + ".npy")
times = [time.perf_counter()]
engine = Engine.load(path)
times.append(time.perf_counter())
plan = engine.search(query).plan
times.append(time.perf_counter())
engine.search(other)
times.append(time.perf_counter())
engine.grep("unheard-of", limit=1)
times.append(time.perf_counter())
took = [round((b - a) * 1e3, 2) for a, b in zip(times, times[1:])]
rss = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
print(json.dumps({"open_ms": took[0], "first_search_ms": took[1], "both_ms": round(took[0] + took[1], 2),
    "again_ms": took[2], "first_grep_ms": took[3], "plan": plan, "rss_mib": round(rss)}))
"""


def make(rows: int, options: argparse.Namespace, path: Path) -> None:
    """Save an engine of `rows` objects."""
    real = None if options.vectors is None else np.load(options.vectors).astype(np.float32)
    engine = Engine(options.dim)
    texts = make_texts(options.text_bytes)
    for number in range(rows // DOCUMENT_ROWS):
        base = f"viking://library/folder_{number % 10}/document_{number}"
        uris = [f"{base}/section_{i // SECTION_ROWS}/{i}.md" for i in range(DOCUMENT_ROWS)]
        first = number * DOCUMENT_ROWS
        part = None if real is None else real[np.arange(first, first + DOCUMENT_ROWS) % len(real)]
        vectors = make_vectors(DOCUMENT_ROWS, options.dim, seed=number, real=part)
        engine.add(uris, vectors, texts, document=base)
    engine.save(path)
    np.save(f"{path}.npy", make_queries(2, vectors, seed=1))


def measure(rows: int, options: argparse.Namespace, path: Path) -> list[dict[str, Any]]:
    """The medians, warm and cold, of one size."""
    lines = []
    for warm in (True, False):
        runs = [opened(READER, path, [path], warm=warm) for _ in range(options.repeat)]
        line: dict[str, Any] = {"rows": rows, "cache": "warm" if warm else "cold"}
        line["file_mib"] = round(path.stat().st_size / 2**20)
        for name, value in runs[0].items():
            is_number = not isinstance(value, str)
            line[name] = results.percentile([run[name] for run in runs], 0.5) if is_number else value
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--text-bytes", type=int, default=200, help="of each text")
    parser.add_argument("--vectors", type=Path, help="a .npy of real vectors to repeat with noise")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a file to keep, or to take when it is there")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    settings = {"dim": options.dim, "text_bytes": options.text_bytes}
    lines = []
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = options.keep or Path(folder) / "engine.snapshot"
            if not path.exists():
                make(rows, options, path)
            for line in measure(rows, options, path):
                results.emit(results.record("opening", settings, line), options.results)
                lines.append(line)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
