"""What does a precision save, and what does it lose against float32?

    python -m bench.python.precision --vectors FILE [--rows 10000 1000000] [--precisions float32 int8]
        [--queries 200] [--rounds 100] [--results FILE]

The truth is NumPy's, in float32, over the real vectors, or, beyond their number, these repeated with noise as
in `bench.python.scoped_search`, which also makes the queries. `recall_10` and `recall_100` are those of the plan "exact": what rounding
costs. `auto_recall_10` is that of the plan that the engine chooses. `bytes` are those of a row, by part;
`of_float32` is the median time by that of float32, both called in turn. Engines of all precisions named
are held at once: a million rows of 384 numbers take 2 GB as float32, 1.2 as bfloat16, 0.5 as int8.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench import results
from bench.python.harness import Timing, alternate
from bench.python.library import Library, Scope
from bench.python.scoped_search import BLOCK_DOCUMENTS, Floats, make_queries, make_vectors

from knarr import Engine

COLUMNS = [
    "rows", "precision", "recall_10", "recall_100", "auto_recall_10",
    "vectors_bytes", "short_bytes", "codes_bytes",
    "section_ms", "document_ms", "10%_ms", "100%_ms", "100%_of_float32", "exact_ms",
]  # fmt: skip
KS = (10, 100)


def truth(vectors: Floats, queries: Floats, k: int) -> npt.NDArray[np.float32]:
    """For each query the k-th best score, within what float32 loses: rows at least as good are true."""
    bounds = []
    for begin in range(0, len(queries), 8):
        scores = queries[begin : begin + 8] @ vectors.T
        bounds.append(np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k])
    return np.concatenate(bounds) - np.float32(1e-6)


def recall(
    engine: Engine, vectors: Floats, queries: Floats, bounds: npt.NDArray[np.float32], k: int, plan: str
) -> float:
    """The mean share of the true k best that the engine finds."""
    found = 0
    for query, bound in zip(queries, bounds, strict=True):
        rows = engine.search(query, k=k, plan=plan).rows  # type: ignore[arg-type]
        found += min(k, int((vectors[rows] @ query >= bound).sum()))
    return found / (k * len(queries))


def filled(library: Library, vectors: Floats, precision: str) -> Engine:
    """An engine that holds the library."""
    engine = Engine(vectors.shape[1], precision)  # type: ignore[arg-type]
    for first in range(0, library.documents, BLOCK_DOCUMENTS):
        last = min(first + BLOCK_DOCUMENTS, library.documents)
        uris = [uri for number in range(first, last) for uri in library.chunk_uris(number)]
        engine.add(uris, vectors[first * library.document_rows : last * library.document_rows])
    return engine


def timings(
    engines: list[Engine], queries: Floats, scope: Scope, options: argparse.Namespace, plan: str
) -> list[Timing]:
    """One scope, the engines in turn."""
    calls = [
        lambda number, engine=engine: engine.search(queries[number % len(queries)], scope.uri, 10, plan=plan)
        for engine in engines
    ]
    return alternate(calls, options.rounds, limit_s=options.limit_s)


def run(rows: int, real: Floats, options: argparse.Namespace) -> list[dict[str, Any]]:
    """A line for each precision, over one library of about `rows` rows."""
    library = Library(rows, options.sections, options.chunks)
    few = library.rows <= len(real)
    vectors = real[: library.rows] if few else make_vectors(library.rows, real.shape[1], seed=1, real=real)
    queries = make_queries(options.queries, vectors, seed=2)
    bounds = {k: truth(vectors, queries, k) for k in KS}
    lines: list[dict[str, Any]] = []
    engines: list[Engine] = []
    for precision in options.precisions:
        engine = filled(library, vectors, precision)
        stats = engine.stats()
        line: dict[str, Any] = {"rows": library.rows, "precision": precision}
        for k in KS:
            line[f"recall_{k}"] = recall(engine, vectors, queries, bounds[k], k, "exact")
        line["auto_recall_10"] = recall(engine, vectors, queries, bounds[10], 10, "auto")
        for part in ("vectors", "short", "codes"):
            line[f"{part}_bytes"] = round(stats[f"{part}_size_bytes"] / library.rows)
        lines.append(line)
        engines.append(engine)
    del vectors
    wide, *_ = scopes = list(library.scopes())
    for scope in scopes:
        timed = timings(engines, queries, scope, options, "auto")
        for line, timing in zip(lines, timed, strict=True):
            line[f"{scope.name}_ms"] = round(results.percentile(timing.ms, 0.5), 4)
            line[f"{scope.name}_of_float32"] = round(
                line[f"{scope.name}_ms"] / lines[0][f"{scope.name}_ms"], 3
            )
    for line, timing in zip(lines, timings(engines, queries, wide, options, "exact"), strict=True):
        line["exact_ms"] = round(results.percentile(timing.ms, 0.5), 4)
    settings = {"dim": real.shape[1], "queries": options.queries, "first": options.precisions[0]}
    for line in lines:
        results.emit(results.record("precision", settings, line), options.results)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--vectors", type=Path, required=True, help="a .npy of real vectors")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--precisions", nargs="+", default=["float32", "bfloat16", "int8"])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--sections", type=int, default=20, help="of a document")
    parser.add_argument("--chunks", type=int, default=50, help="of a section")
    parser.add_argument("--limit-s", type=float, default=5.0, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    real = np.load(options.vectors).astype(np.float32)
    real /= np.linalg.norm(real, axis=1, keepdims=True)
    lines = [line for rows in options.rows for line in run(rows, real, options)]
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
