"""Does a search of the graph beat the scan of codes, and what does it find?

    python -m bench.python.graph --vectors FILE [--questions FILE] [--rows 100000] [--results FILE]

Both take turns in one process, for several recall targets, with filters that allow a random share of the
rows and with one folder as the scope. Queries lie near rows, as in scoped_search, or are real ones:
`--questions` is a .npy of the vectors of questions about the texts behind FILE. `plan` is the plan that
answered `plan="graph"`: where the filter is too narrow, or the graph too small for the target, another one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.python.harness import alternate
from bench.python.library import Library
from bench.python.scoped_search import Floats, Mask, _unit, fill, make_queries, make_vectors

from knarr import Engine

K = 10
COLUMNS = [
    "rows", "queries", "filter", "recall_target", "plan", "graph_p50_ms", "scan_p50_ms", "recall", "scan_recall",
    "rows_scanned",
]  # fmt: skip


def share_found(engine: Engine, queries: Floats, scope: str, mask: Mask | None, how: dict[str, Any]) -> float:
    """The share of the true ten best that is found; equal scores may stand in for each other."""
    found = 0
    for query in queries:
        least = engine.search(query, scope, K, mask, plan="exact").scores[-1] - 1e-6
        found += int((engine.search(query, scope, K, mask, **how).scores >= least).sum())
    return found / (K * len(queries))


def measure(
    engine: Engine, queries: Floats, scope: str, mask: Mask | None, target: float, options: argparse.Namespace
) -> dict[str, Any]:
    """One row of the table."""
    graph: dict[str, Any] = {"plan": "graph", "recall_target": target}
    scan: dict[str, Any] = {"plan": "scan", "recall_target": target}
    graphs, scans = alternate(
        (
            lambda i: engine.search(queries[i % len(queries)], scope, K, mask, **graph),
            lambda i: engine.search(queries[i % len(queries)], scope, K, mask, **scan),
        ),
        options.rounds,
        limit_s=options.limit_s,
    )
    seen = engine.search(queries[0], scope, K, mask, explain=True, **graph)
    checked = queries[: options.checks]
    return {
        "rows": len(engine),
        "recall_target": target,
        "plan": seen.plan,
        "rows_scanned": seen.explain.rows_scanned if seen.explain else None,
        "recall": share_found(engine, checked, scope, mask, graph),
        "scan_recall": share_found(engine, checked, scope, mask, scan),
        **graphs.figures("graph"),
        **scans.figures("scan"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--targets", type=float, nargs="+", default=[0.7, 0.8, 0.9, 0.95, 0.99])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--checks", type=int, default=50, help="queries whose recall is computed")
    parser.add_argument("--limit-s", type=float, default=5.0, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    real = _unit(np.load(options.vectors).astype(np.float32))
    library = Library(options.rows)
    vectors = make_vectors(library.rows, real.shape[1], 1, real)
    engine, _ = fill(library, vectors)
    begin = time.perf_counter()
    engine.keep_graph()
    engine.wait_for_graph(1e6)
    settings = {"build_s": time.perf_counter() - begin, "graph_bytes": engine.stats()["graph_size_bytes"]}
    asked = {"near rows": make_queries(100, vectors, 2)}
    if options.questions is not None:
        asked["questions"] = _unit(np.load(options.questions).astype(np.float32))
    _, folder, *_ = library.scopes()
    rng = np.random.default_rng(3)
    cases: list[tuple[str, str, Mask | None]] = [("none", "viking://", None), ("folder", folder.uri, None)]
    cases += [(f"{share:.0%}", "viking://", rng.random(library.rows) < share) for share in (0.5, 0.1, 0.01)]
    lines = []
    for queries, values in asked.items():
        for filter, scope, mask in cases:
            for target in options.targets:
                line = measure(engine, values, scope, mask, target, options)
                line |= {"queries": queries, "filter": filter}
                results.emit(results.record("graph", settings, line), options.results)
                lines.append(line)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
