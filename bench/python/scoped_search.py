"""Is a scoped top-k faster than NumPy told which rows to look at, and does it lose nothing?

    python -m bench.python.scoped_search [--rows 10000 100000] [--dim 384] [--vectors FILE]
        [--k 10] [--rounds 200] [--batch 32] [--plan auto] [--recall-target 0.99] [--results FILE]

NumPy's contender is as good as NumPy gets: a slice of one contiguous float32 matrix, a product, a
partition, a sort; the rows of a scope are given to it. The engine resolves the scope itself. `ratio`
is NumPy's median by the engine's: above 1 the engine is faster; `of_numpy` is its inverse, and
`ns_per_row` the engine's median for each allowed row and query. `recall` stands beside the plan, the
rows it scanned (codes or vectors) and those it reranked. One million rows of 384 numbers take
3 GB, for both hold their own. NumPy's threads do not spin after a product (see the package).
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
from bench.python import OPENBLAS_THREAD_TIMEOUT
from bench.python.harness import alternate, ratio
from bench.python.library import Library, Scope

from knarr import Engine

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
NOISE = 0.35
COLUMNS = [
    "rows", "scope", "filter", "queries_per_call", "rows_allowed", "plan", "rows_scanned", "rows_reranked",
    "engine_p50_ms", "engine_p99_ms", "numpy_p50_ms", "ratio", "of_numpy", "ns_per_row", "recall",
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
        engine.add(uris, vectors[first * library.document_rows : last * library.document_rows])
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
    how: dict[str, Any],
) -> tuple[Call, Call]:
    """The engine's call and NumPy's, each taking the number of the round."""
    part = vectors[scope.begin : scope.end]
    allowed = None if mask is None else np.flatnonzero(mask[scope.begin : scope.end])

    def chosen(number: int) -> Floats:
        return queries[np.arange(number * batch, (number + 1) * batch) % len(queries)]

    if batch == 1:
        return (
            lambda number: engine.search(queries[number % len(queries)], scope.uri, k, filter=mask, **how),
            lambda number: numpy_top(part, queries[number % len(queries)], k, allowed),
        )

    def numpy_batch(number: int) -> list[npt.NDArray[np.intp]]:
        scores = chosen(number) @ part.T
        best = np.argpartition(-scores, min(k, scores.shape[1]) - 1, axis=1)[:, :k]
        return [row[np.argsort(-line[row], kind="stable")] for row, line in zip(best, scores, strict=True)]

    return lambda number: engine.search_batch(chosen(number), scope.uri, k, filter=mask, **how), numpy_batch


def measure(
    engine: Engine, vectors: Floats, queries: Floats, scope: Scope, options: argparse.Namespace, *, batch: int = 1,
    mask: Mask | None = None,
) -> dict[str, Any]:  # fmt: skip
    """One row of the table."""
    how = {"plan": options.plan, "recall_target": options.recall_target}
    ours, theirs = alternate(
        contenders(engine, vectors, queries, scope, options.k, batch, mask, how),
        options.rounds,
        limit_s=options.limit_s,
    )
    checks = [
        (engine.search(query, scope.uri, options.k, filter=mask, explain=True, **how), query)
        for query in queries[: min(len(queries), options.checks)]
    ]
    explained = [hits.explain for hits, _ in checks if hits.explain is not None]
    allowed = checks[0][0].rows_allowed
    our_p50, their_p50 = (results.percentile(timing.ms, 0.5) for timing in (ours, theirs))
    return {
        "rows": len(engine),
        "scope": scope.name,
        "filter": None if mask is None else f"random {100 * mask.mean():.0f}%",
        "queries_per_call": batch,
        "rows_allowed": allowed,
        "plan": checks[0][0].plan,
        "rows_scanned": explained[0].rows_scanned,
        "rows_reranked": results.mean([float(each.rows_reranked) for each in explained]),
        "scan_us": results.percentile([each.scan_us for each in explained], 0.5),
        "rerank_us": results.percentile([each.rerank_us for each in explained], 0.5),
        **ours.figures("engine"),
        **theirs.figures("numpy"),
        "ratio": ratio(theirs, ours),
        "of_numpy": round(our_p50 / max(their_p50, 1e-9), 4),
        "ns_per_row": round(our_p50 * 1e6 / max(1, allowed * batch), 2),
        "recall": results.mean(
            [recall(hits.rows, vectors, query, scope, mask, options.k) for hits, query in checks]
        ),
        "rounds": len(ours.ms),
    }


def run(rows: int, real: Floats | None, options: argparse.Namespace) -> list[dict[str, Any]]:
    """All cases over one library of about `rows` rows."""
    library = Library(rows, options.sections, options.chunks)
    vectors = make_vectors(library.rows, options.dim, seed=1, real=real)
    queries = make_queries(256, vectors, seed=2)
    engine, seconds = fill(library, vectors)
    added = {"rows": library.rows, "seconds": round(seconds, 3), "rows_per_s": round(library.rows / seconds)}
    settings = {
        "dim": options.dim,
        "k": options.k,
        "vectors": "random" if real is None else f"real, noise {NOISE}",
        "numpy": np.__version__,
        "openblas_thread_timeout": OPENBLAS_THREAD_TIMEOUT,
    }
    results.emit(
        results.record("scoped_search/add", settings, added | {"stats": engine.stats()}), options.results
    )

    lines = []
    random = np.random.default_rng(3).random(library.rows)
    wide, *_ = scopes = list(library.scopes())
    cases: list[tuple[Scope, int, Mask | None]] = [(scope, 1, None) for scope in scopes]
    cases += [(wide, 1, random < share) for share in (0.5, 0.1, 0.01)]
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
    parser.add_argument("--sections", type=int, default=20, help="of a document")
    parser.add_argument("--chunks", type=int, default=50, help="of a section")
    parser.add_argument("--plan", default="auto", help="auto, exact or scan")
    parser.add_argument("--recall-target", type=float, default=0.99)
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
