"""Is a scoped top-k faster than NumPy told which rows to look at, and does it lose nothing?

    python -m bench.python.scoped_search [--rows 10000 100000] [--dim 384] [--vectors FILE]
        [--k 10] [--rounds 200] [--batch 32] [--results FILE]

NumPy's contender is as good as NumPy gets: a slice of one contiguous float32 matrix, a product, a
partition, a sort; the rows of a scope are given to it. The engine resolves the scope itself. `ratio`
is NumPy's median by the engine's: above 1 the engine is faster. One million rows of 384 numbers take
3 GB, for both hold their own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench import results
from bench.python.harness import alternate, ratio
from bench.python.library import DOCUMENT_ROWS, Library, Scope

from knarr import Engine

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
NOISE = 0.35
COLUMNS = [
    "rows", "scope", "filter", "queries_per_call", "rows_allowed", "plan", "engine_p50_ms",
    "engine_p99_ms", "numpy_p50_ms", "numpy_p99_ms", "ratio", "recall",
]  # fmt: skip
BLOCK_DOCUMENTS = 100


def _unit(values: Floats) -> Floats:
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return values


def make_vectors(rows: int, dim: int, seed: int, real: Floats | None) -> Floats:
    """(rows, dim) unit vectors: noisy copies of real ones, in their order, or random ones."""
    rng = np.random.default_rng(seed)
    out = np.empty((rows, dim), np.float32)
    for begin in range(0, rows, 65_536):
        block = out[begin : begin + 65_536]
        rng.standard_normal(dtype=np.float32, out=block)
        if real is not None:
            block *= NOISE / np.sqrt(dim)
            block += real[np.arange(begin, begin + len(block)) % len(real)]
        _unit(block)
    return out


def make_queries(count: int, vectors: Floats, seed: int) -> Floats:
    """(count, dim) queries near rows chosen at random, as a question lies near its answer."""
    rng = np.random.default_rng(seed)
    near = vectors[rng.integers(0, len(vectors), count)]
    noise = rng.standard_normal((count, vectors.shape[1]), dtype=np.float32)
    return _unit(near + noise * np.float32(NOISE / np.sqrt(vectors.shape[1])))


def fill(library: Library, vectors: Floats) -> tuple[Engine, float]:
    """An engine that holds the library, and the seconds it took."""
    engine = Engine(vectors.shape[1])
    begin = time.perf_counter()
    for first in range(0, library.documents, BLOCK_DOCUMENTS):
        last = min(first + BLOCK_DOCUMENTS, library.documents)
        uris = [uri for number in range(first, last) for uri in library.chunk_uris(number)]
        engine.add(uris, vectors[first * DOCUMENT_ROWS : last * DOCUMENT_ROWS])
    return engine, time.perf_counter() - begin


def numpy_top(
    vectors: Floats, query: Floats, k: int, allowed: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.intp]:
    """Rows of the k best scores, best first."""
    # Gathering the allowed rows beats scoring all of them while they are few.
    scores = (vectors if allowed is None else vectors[allowed]) @ query
    k = min(k, len(scores))
    best = np.argpartition(-scores, k - 1)[:k]
    best = best[np.argsort(-scores[best], kind="stable")]
    return best if allowed is None else allowed[best]


def recall(
    found: npt.NDArray[np.uint32], vectors: Floats, query: Floats, scope: Scope, mask: Mask | None, k: int
) -> float:
    """The share of the true k best that were found; equal scores (within 1e-5, far more than float32
    loses) may stand in for each other."""
    scores = vectors[scope.begin : scope.end] @ query
    if mask is not None:
        scores = np.where(mask[scope.begin : scope.end], scores, np.float32(-2))
    wanted = min(k, int((scores > -2).sum()))
    bound = np.partition(scores, len(scores) - wanted)[len(scores) - wanted] - 1e-5
    rows = found.astype(np.int64) - scope.begin
    inside = rows[(rows >= 0) & (rows < len(scores))]
    return len({int(row) for row in inside if scores[row] >= bound}) / wanted


Call = Callable[[int], Any]


def contenders(
    engine: Engine,
    vectors: Floats,
    queries: Floats,
    scope: Scope,
    k: int,
    batch: int,
    mask: Mask | None,
) -> tuple[Call, Call]:
    """The engine's call and NumPy's, each taking the number of the round."""
    part = vectors[scope.begin : scope.end]
    allowed = None if mask is None else np.flatnonzero(mask[scope.begin : scope.end])

    def chosen(number: int) -> Floats:
        return queries[np.arange(number * batch, (number + 1) * batch) % len(queries)]

    if batch == 1:
        return (
            lambda number: engine.search(queries[number % len(queries)], scope.uri, k, filter=mask),
            lambda number: numpy_top(part, queries[number % len(queries)], k, allowed),
        )

    def numpy_batch(number: int) -> list[npt.NDArray[np.intp]]:
        scores = chosen(number) @ part.T
        best = np.argpartition(-scores, min(k, scores.shape[1]) - 1, axis=1)[:, :k]
        return [row[np.argsort(-line[row], kind="stable")] for row, line in zip(best, scores, strict=True)]

    return lambda number: engine.search_batch(chosen(number), scope.uri, k, filter=mask), numpy_batch


def measure(
    engine: Engine, vectors: Floats, queries: Floats, scope: Scope, options: argparse.Namespace, *, batch: int = 1,
    mask: Mask | None = None,
) -> dict[str, Any]:  # fmt: skip
    """One row of the table."""
    ours, theirs = alternate(
        contenders(engine, vectors, queries, scope, options.k, batch, mask),
        options.rounds,
        limit_s=options.limit_s,
    )
    checks = [
        (engine.search(query, scope.uri, options.k, filter=mask), query)
        for query in queries[: min(len(queries), options.checks)]
    ]
    return {
        "rows": len(engine),
        "scope": scope.name,
        "filter": None if mask is None else "scattered 10%",
        "queries_per_call": batch,
        "rows_allowed": checks[0][0].rows_allowed,
        "plan": checks[0][0].plan,
        **ours.figures("engine"),
        **theirs.figures("numpy"),
        "ratio": ratio(theirs, ours),
        "recall": results.mean(
            [recall(hits.rows, vectors, query, scope, mask, options.k) for hits, query in checks]
        ),
        "rounds": len(ours.ms),
    }


def run(rows: int, real: Floats | None, options: argparse.Namespace) -> list[dict[str, Any]]:
    """All cases over one library of about `rows` rows."""
    library = Library(rows)
    vectors = make_vectors(library.rows, options.dim, seed=1, real=real)
    queries = make_queries(256, vectors, seed=2)
    engine, seconds = fill(library, vectors)
    added = {"rows": library.rows, "seconds": round(seconds, 3), "rows_per_s": round(library.rows / seconds)}
    settings = {
        "dim": options.dim,
        "k": options.k,
        "vectors": "random" if real is None else f"real, noise {NOISE}",
        "numpy": np.__version__,
    }
    results.emit(
        results.record("scoped_search/add", settings, added | {"stats": engine.stats()}), options.results
    )

    lines = []
    scattered = np.random.default_rng(3).random(library.rows) < 0.1
    wide, *_ = scopes = list(library.scopes())
    cases: list[tuple[Scope, int, Mask | None]] = [(scope, 1, None) for scope in scopes]
    cases += [(wide, 1, scattered)]
    cases += [(scope, options.batch, None) for scope in scopes]
    for scope, batch, mask in cases:
        line = measure(engine, vectors, queries, scope, options, batch=batch, mask=mask)
        results.emit(results.record("scoped_search", settings, line), options.results)
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--vectors", type=Path, help="a .npy of real vectors to repeat with noise")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--batch", type=int, default=32, help="queries per call of the batch cases")
    parser.add_argument("--checks", type=int, default=20, help="queries whose recall is computed")
    parser.add_argument("--limit-s", type=float, default=20.0, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    real: Floats | None = None
    if options.vectors is not None:
        real = _unit(np.load(options.vectors).astype(np.float32))
        options.dim = real.shape[1]
    lines = [line for rows in options.rows for line in run(rows, real, options)]
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
