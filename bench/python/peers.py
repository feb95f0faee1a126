"""Is a scoped top-k faster than what other libraries can do for the same scope, and does it find as much?

    python -m bench.python.peers [--rows 10000 100000] [--vectors FILE] [--peers numpy faiss_flat ...]
        [--limit-s 0.4] [--results FILE]

Each peer (bench/peers) takes turns with the engine in one process, one peer at a time, over the cases:
everything, a folder, a document, a section, each without rights and with random ones of 50, 10 and 1 %, for
single queries and, where a peer can, for 32 at once. The engine gets rights as a serialised Roaring bitmap
(`--rights mask`: as a bool for each row, which it must read whole at each call). `ratio` is the peer's median
by the engine's: above 1 the engine is faster. Read it beside both recalls. Taking turns, a contender that
reads much leaves the other cold caches; `engine_in_a_row_ms` is the engine's median when it is called alone.
A peer that can't be imported, or that needs more than minutes to be built, is named with the reason.

Time on two cores with --limit-s 0.2: 10,000 rows, all peers, 90 seconds; 100,000 rows, all peers, 7 minutes (half a
minute each; Qdrant takes two to be built); a million rows, those that need no graph, 8 minutes. Memory: the
vectors three times (ours, the peer's, the source): 5 GB for a million.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.peers.peer import NAMES, Data, Floats, Mask, Peer, Prepared, Rights, Rows, find
from bench.python import CALM
from bench.python.harness import alternate, ratio
from bench.python.library import Library, Scope
from bench.python.scoped_search import NOISE, fill, make_queries, make_vectors
from bench.python.truth import Truth
from pyroaring import BitMap

SHARES = (0.5, 0.1, 0.01)
BATCH = 32
CHECKS = 20
COLUMNS = [
    "peer", "rows", "scope", "rights", "queries_per_call", "rows_allowed", "plan", "peer_plan",
    "engine_p50_ms", "peer_p50_ms", "ratio", "recall", "peer_recall",
]  # fmt: skip
Case = tuple[Scope, Rights | None, int]  # with the queries of a call


class Bench:
    """One library, the engine that holds it, and the truth of its cases, which all peers share."""

    def __init__(self, rows: int, real: Floats | None, folder: Path, options: argparse.Namespace) -> None:
        library = Library(rows, sections=20, chunks=50)
        vectors = make_vectors(library.rows, options.dim, seed=1, real=real)
        random = np.random.default_rng(3).random(library.rows)
        rights = tuple(Rights(f"random_{share * 100:.0f}", random < share) for share in SHARES)
        self.data = Data(vectors, library, rights, folder)
        self.queries = make_queries(256, vectors, seed=2)
        self.options = options
        self.engine, self.fill_s = fill(library, vectors)
        self._bitmaps: dict[str, bytes] = {}
        self._truths: dict[tuple[str, str], Truth] = {}

    def cases(self) -> list[Case]:
        """The narrow ones last; a rights filter that allows less than a row of a section is left out."""
        scopes = list(self.data.library.scopes())
        return [
            (scope, rights, queries)
            for queries in (1, BATCH)
            for rights in (None, *self.data.rights)
            for scope in scopes
            if len(self.data.allowed(scope, rights)) > 0
        ]

    def truth(self, scope: Scope, rights: Rights | None) -> Truth:
        key = (scope.name, rights.name if rights else "")
        if key not in self._truths:
            self._truths[key] = Truth(self.data, self.queries[:CHECKS], scope, rights, self.options.k)
        return self._truths[key]

    def engine_call(self, scope: Scope, rights: Rights | None, queries: int) -> Callable[[int], Any]:
        mask, k = self.filter(rights), self.options.k
        if queries == 1:
            return lambda number: self.engine.search(self.query(number), scope.uri, k, filter=mask)
        return lambda number: self.engine.search_batch(self.some(number, queries), scope.uri, k, filter=mask)

    def filter(self, rights: Rights | None) -> bytes | Mask | None:
        """As the engine gets it."""
        if rights is None:
            return None
        if self.options.rights == "mask":
            return rights.mask
        if rights.name not in self._bitmaps:
            self._bitmaps[rights.name] = BitMap(np.flatnonzero(rights.mask).astype(np.uint32)).serialize()
        return self._bitmaps[rights.name]

    def query(self, number: int) -> Floats:
        query: Floats = self.queries[number % len(self.queries)]
        return query

    def some(self, number: int, count: int) -> Floats:
        begin = number * count % len(self.queries)
        return self.queries[begin : begin + count]

    def measure(self, case: Case, prepared: Prepared) -> dict[str, Any]:
        """One line: the engine and a peer on one case."""
        scope, rights, count = case
        ours, theirs = alternate(
            [
                self.engine_call(scope, rights, count),
                lambda number: prepared.search(self.some(number, count)),
            ],
            10_000,
            limit_s=self.options.limit_s,
        )
        (in_a_row,) = alternate([self.engine_call(scope, rights, count)], 100, limit_s=0.1)
        truth = self.truth(scope, rights)
        mask = self.filter(rights)
        found = [
            self.engine.search(query, scope.uri, self.options.k, filter=mask, explain=True)
            for query in self.queries[:CHECKS]
        ]
        explained = [hits.explain for hits in found if hits.explain is not None]
        median = results.percentile(ours.ms, 0.5)
        return {
            "rows": self.data.library.rows,
            "scope": scope.name,
            "rights": rights.name if rights else None,
            "queries_per_call": count,
            "rows_allowed": truth.rows_allowed,
            "plan": found[0].plan,
            "rows_scanned": explained[0].rows_scanned,
            "rows_reranked": results.mean([float(each.rows_reranked) for each in explained]),
            **{
                name: round(results.percentile([getattr(each, name) for each in explained], 0.5), 2)
                for name in ("plan_us", "scan_us", "rerank_us")
            },
            "peer_plan": prepared.plan,
            **ours.figures("engine"),
            **theirs.figures("peer"),
            "engine_in_a_row_ms": in_a_row.figures("it")["it_p50_ms"],
            "ratio": ratio(theirs, ours),
            "ns_per_row": round(median * 1e6 / (truth.rows_allowed * count), 2),
            "recall": truth.recall([hits.rows.astype(np.int64) for hits in found]),
            "peer_recall": truth.recall(self._checked(prepared)),
            "rounds": len(ours.ms),
        }

    def _checked(self, prepared: Prepared) -> list[Rows]:
        """The peer's answers to the first queries: all of them, or those it gives in a second."""
        found: list[Rows] = []
        end = time.perf_counter() + 1.0
        for query in self.queries[:CHECKS]:
            found += prepared.search(query[None])
            if time.perf_counter() > end:
                break
        return found


def run_peer(bench: Bench, name: str, kind: type[Peer], settings: dict[str, Any]) -> list[dict[str, Any]]:
    """All cases beside one peer."""
    begin = time.perf_counter()
    peer = kind(bench.data)
    about = {
        "peer": name, "peer_version": kind.version(), "peer_exact": kind.exact, "peer_setting": kind.setting,
    }  # fmt: skip
    built = {"rows": bench.data.library.rows, "build_s": round(time.perf_counter() - begin, 2)}
    results.emit(results.record("peers/build", settings, about | built), bench.options.results)
    lines = []
    for case in bench.cases():
        if case[2] > 1 and not kind.batches:
            continue
        prepared = peer.prepare(case[0], case[1], bench.options.k)
        if prepared is None:
            continue
        line = about | bench.measure(case, prepared)
        results.emit(results.record("peers", settings, line), bench.options.results)
        lines.append(line)
    peer.close()
    return lines


def run(rows: int, real: Floats | None, options: argparse.Namespace) -> list[dict[str, Any]]:
    """All peers over one library of about `rows` rows."""
    settings = {
        "dim": options.dim,
        "k": options.k,
        "vectors": "random" if real is None else f"real, noise {NOISE}",
        "rights": options.rights,
        "environment": CALM,
    }
    found = find(tuple(options.peers))
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(rows, real, Path(folder), options)
        stats: dict[str, Any] = {"rows": bench.data.library.rows, "seconds": round(bench.fill_s, 3)}
        stats |= {"rows_per_s": round(bench.data.library.rows / bench.fill_s), "stats": bench.engine.stats()}
        results.emit(results.record("peers/engine", settings, stats), options.results)
        skipped = dict(found.skipped)
        for name, kind in found.peers.items():
            if rows > kind.most_rows and not options.patient:
                skipped[name] = f"building it for {rows:,} rows takes more than minutes: --patient"
                continue
            try:
                lines += run_peer(bench, name, kind, settings)
            except Exception as error:  # a peer's trouble is a line of the results, not the end of them
                skipped[name] = f"{type(error).__name__}: {error}"
    for name, reason in skipped.items():
        line = {"peer": name, "rows": rows, "reason": reason[:300]}
        results.emit(results.record("peers/skipped", settings, line), options.results)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--vectors", type=Path, help="a .npy of real vectors to repeat with noise")
    parser.add_argument("--dim", type=int, default=384, help="of random vectors")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--peers", nargs="+", default=NAMES, help=", ".join(NAMES))
    parser.add_argument(
        "--rights", choices=("bitmap", "mask"), default="bitmap", help="as the engine gets them"
    )
    parser.add_argument("--patient", action="store_true", help="build graphs of a million rows too")
    parser.add_argument("--limit-s", type=float, default=0.4, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    real: Floats | None = None
    if options.vectors is not None:
        real = np.load(options.vectors).astype(np.float32)
        real /= np.linalg.norm(real, axis=1, keepdims=True)
        options.dim = real.shape[1]
    lines = [line for rows in options.rows for line in run(rows, real, options)]
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
