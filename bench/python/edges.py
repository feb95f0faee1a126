"""What does experience cost a search: following the edges of ten hits, from Python, in one call?

    python -m bench.python.edges [--rows 100000] [--edges 1000000] [--vectors FILE] [--rounds 300]
        [--results FILE]

A made library and `edges` edges over a tenth as many historical questions, each of which led from two objects
to five. Every round asks for other objects. `expand` follows the edges of ten given URIs, `search` is a plain
search in everything by the plan that is chosen, `search+expand` is the same with the edges of its ten hits;
`uris` also looks at the URIs of what was found. Then the rate of learning, the memory of an edge by part, and
the time to save and load.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.python.harness import alternate
from bench.python.library import Library
from bench.python.scoped_search import fill, make_queries, make_vectors

from knarr import Engine

PER_QUESTION = 10
COLUMNS = ["case", "edges", "found", "p50_us", "p99_us"]


def learn(engine: Engine, uris: list[str], questions: np.ndarray[Any, Any]) -> float:
    """Edges of the questions; returns the seconds it took."""
    rng = np.random.default_rng(5)
    begin = time.perf_counter()
    for number, vector in enumerate(questions):
        first = int(rng.integers(0, len(uris) - 1))
        targets = rng.integers(0, len(uris), PER_QUESTION)
        engine.add_edges(
            [uris[first + i % 2] for i in range(PER_QUESTION)],
            [uris[int(target)] for target in targets],
            f"historical question {number}",
            vector,
            trace=f"trace-{number}",
            summary="search, read",
        )
    return time.perf_counter() - begin


def kept(engine: Engine) -> dict[str, float]:
    """Seconds to save and to load, and the size of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "engine.snapshot"
        begin = time.perf_counter()
        engine.save(path)
        saved = time.perf_counter()
        Engine.load(path)
        loaded = time.perf_counter()
        return {
            "save_s": round(saved - begin, 3),
            "load_s": round(loaded - saved, 3),
            "file_bytes": path.stat().st_size,
        }


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    library = Library(options.rows, 20, 50)
    real = None if options.vectors is None else np.load(options.vectors).astype(np.float32)
    if real is not None:
        real /= np.linalg.norm(real, axis=1, keepdims=True)
        options.dim = real.shape[1]
    vectors = make_vectors(library.rows, options.dim, seed=1, real=real)
    engine, _ = fill(library, vectors)
    bare = kept(engine)
    uris = [uri for number in range(library.documents) for uri in library.chunk_uris(number)]
    questions = make_queries(options.edges // PER_QUESTION, vectors, seed=2)
    seconds = learn(engine, uris, questions)
    stats = engine.stats()
    links = stats["edges_size_bytes"] - stats["edge_questions_size_bytes"]
    settings = {"dim": options.dim, "rows": library.rows, "numpy": np.__version__}
    memory = {
        "edges": stats["edges"],
        "edges_per_s": round(stats["edges"] / seconds),
        "links_and_episodes_bytes_per_edge": round(links / stats["edges"], 1),
        "question_bytes_each": round(stats["edge_questions_size_bytes"] / stats["questions"], 1),
        "without_edges": bare,
        "with_edges": kept(engine),
    }
    results.emit(results.record("edges/store", settings, memory), options.results)

    rng = np.random.default_rng(7)
    seeds = [[uris[int(i)] for i in rng.integers(0, len(uris), 10)] for _ in range(options.rounds)]
    queries = questions[: options.rounds]

    def looked(number: int) -> list[str]:
        return [each.uri for each in engine.expand(seeds[number], queries[number], gamma=options.gamma)]

    cases = {
        "expand": lambda n: engine.expand(seeds[n], queries[n], gamma=options.gamma),
        "expand, uris": looked,
        "expand, all activate": lambda n: engine.expand(seeds[n], queries[n], gamma=-1.0),
        "search": lambda n: engine.search(queries[n]),
        "search+expand": lambda n: engine.search(queries[n], expand=True, gamma=options.gamma),
    }
    timings = alternate(list(cases.values()), options.rounds, limit_s=options.limit_s)
    found = {
        "expand": [len(cases["expand"](n)) for n in range(20)],
        "expand, all activate": [len(cases["expand, all activate"](n)) for n in range(20)],
        "search+expand": [len(cases["search+expand"](n).expanded) for n in range(20)],
    }
    lines = []
    for name, timing in zip(cases, timings, strict=True):
        line = {
            "case": name,
            "edges": stats["edges"],
            "found": results.mean([float(n) for n in found[name]]) if name in found else None,
            "p50_us": round(results.percentile(timing.ms, 0.5) * 1e3, 1),
            "p99_us": round(results.percentile(timing.ms, 0.99) * 1e3, 1),
        }
        results.emit(results.record("edges", settings, line), options.results)
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--vectors", type=Path, help="a .npy of real vectors to repeat with noise")
    parser.add_argument("--gamma", type=float, default=0.8)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--limit-s", type=float, default=20.0)
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    print(results.table(run(parser.parse_args()), COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
