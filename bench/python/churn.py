"""Do inserts and deletes leave latency and memory where they were?

    python -m bench.python.churn [--rows 100000] [--edits 80000] [--share 0.5] [--dim 384] [--results FILE]

A library of documents and loose objects is edited: objects and small documents come and go in equal
numbers, and documents are replaced, so that the size stays. `compact(share)` is called after every
1,000 edits; with `--share 1` never in effect, which shows what is left behind. The lines: before the
edits, after them, and after one last `compact()`. `rss_mib` is the process's memory, `rows` what the
engine keeps for `objects`, `bytes_per_object` what it says it holds. At the end each of 2,000 live
objects must be found by its own vector, and no deleted one at all: `lost` and `ghosts` are 0.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench import results
from bench.python.scoped_search import make_vectors

from knarr import Engine

Floats = npt.NDArray[np.float32]
DOCUMENT_ROWS = 20
TEXT = "The fee is due on the first day of a month unless the branch has agreed to another one. \n"
COLUMNS = [
    "phase", "objects", "rows", "rss_mib", "bytes_per_object", "search_all_us", "search_folder_us", "search_document_us",
    "count_us", "edit_p50_us", "edit_p99_us", "compactions", "compact_p50_ms", "lost", "ghosts",
]  # fmt: skip


class Churn:
    """An engine and what should be in it: each object's URI and the number of its vector."""

    def __init__(self, rows: int, vectors: Floats, seed: int) -> None:
        self.engine = Engine(vectors.shape[1])
        self.vectors = vectors
        self.rng = np.random.default_rng(seed)
        self.live: dict[str, int] = {}
        self.documents: list[str] = []
        self.loose: list[str] = []
        self.dead: set[str] = set()
        self.next = 0
        while len(self.live) < rows:
            self.add_document(self._name())
            for _ in range(DOCUMENT_ROWS // 4):
                self.add_object()

    def _name(self) -> str:
        self.next += 1
        return f"viking://library/folder_{self.rng.integers(0, 10)}/document_{self.next}"

    def _numbers(self, count: int) -> npt.NDArray[np.int64]:
        return self.rng.integers(0, len(self.vectors), count)

    def add_document(self, name: str, *, replace: bool = False) -> None:
        rows = int(self.rng.integers(1, 2 * DOCUMENT_ROWS))
        uris = [f"{name}/part_{i // 5}/{i}.md" for i in range(rows)]
        numbers = self._numbers(rows)
        self.engine.add(uris, self.vectors[numbers], [TEXT] * rows, document=name, replace=replace)
        if replace:
            self._forget(name)
        else:
            self.documents.append(name)
        self._learn(uris, numbers)

    def add_object(self) -> None:
        self.next += 1
        uris, numbers = [f"viking://loose/{self.next % 10}/object_{self.next}.md"], self._numbers(1)
        self.engine.add(uris, self.vectors[numbers], [TEXT])
        self.loose += uris
        self._learn(uris, numbers)

    def remove_one(self, names: list[str]) -> None:
        at = int(self.rng.integers(0, len(names)))
        names[at], names[-1] = names[-1], names[at]
        name = names.pop()
        self.engine.remove(name)
        self._forget(name)

    def replace_document(self) -> None:
        self.add_document(self.documents[int(self.rng.integers(0, len(self.documents)))], replace=True)

    def edit(self) -> None:
        """One of them at random, so that the numbers stay about the same."""
        match int(self.rng.integers(0, 10)):
            case 0 | 1 | 2 | 3:
                self.add_object()
            case 4 | 5 | 6 | 7 if len(self.loose) > 100:
                self.remove_one(self.loose)
            case 8:
                self.add_document(self._name())
                self.remove_one(self.documents)
            case _:
                self.replace_document()

    def _learn(self, uris: list[str], numbers: npt.NDArray[np.int64]) -> None:
        self.live.update(zip(uris, numbers.tolist(), strict=True))
        self.dead.difference_update(uris)

    def _forget(self, name: str) -> None:
        gone = [name] if name in self.live else self._below(name)
        for uri in gone:
            del self.live[uri]
        self.dead.update(gone)

    def _below(self, name: str) -> list[str]:
        uris = (f"{name}/part_{i // 5}/{i}.md" for i in range(2 * DOCUMENT_ROWS))
        return [uri for uri in uris if uri in self.live]


def _rss_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * 4096 / 2**20, 1)


def _p50_us(call: Any, rounds: int = 200) -> float:
    took = []
    for number in range(rounds):
        begin = time.perf_counter()
        call(number)
        took.append((time.perf_counter() - begin) * 1e6)
    return round(results.percentile(took, 0.5), 1)


def _state(churn: Churn, phase: str) -> dict[str, Any]:
    gc.collect()
    time.sleep(0.5)  # what was let go is freed aside
    engine, queries = churn.engine, churn.vectors
    stats = engine.stats()
    held = sum(size for name, size in stats.items() if name.endswith("_size_bytes"))
    document = churn.documents[len(churn.documents) // 2]

    def search(scope: str) -> float:
        return _p50_us(lambda number: engine.search(queries[number], scope, 10))

    return {
        "phase": phase,
        "objects": stats["objects"],
        "rows": stats["rows"],
        "rss_mib": _rss_mib(),
        "bytes_per_object": round(held / stats["objects"], 1),
        "search_all_us": search("viking://"),
        "search_folder_us": search("viking://library/folder_4"),
        "search_document_us": search(document),
        "count_us": _p50_us(lambda _: engine.count("viking://library")),
    }


def _checked(churn: Churn) -> dict[str, int]:
    """Objects that their own vector does not find, and deleted ones that something finds."""
    names = list(churn.live)
    lost = ghosts = 0
    for at in churn.rng.integers(0, len(names), 2000):
        vector = churn.vectors[churn.live[names[at]]]
        hits = churn.engine.search(vector, names[at], 1)
        wide = churn.engine.search(vector, k=10)
        lost += int(hits.uris != [names[at]] or float(wide.scores[0]) < 0.9999)
        ghosts += sum(uri in churn.dead for uri in wide.uris)
    return {"lost": lost, "ghosts": ghosts}


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The three lines."""
    churn = Churn(options.rows, make_vectors(options.rows, options.dim, seed=1, real=None), seed=2)
    lines = [_state(churn, "before")]
    edits, compactions = [], []
    for number in range(options.edits):
        begin = time.perf_counter()
        churn.edit()
        edits.append((time.perf_counter() - begin) * 1e6)
        if number % 1000 == 999:
            begin = time.perf_counter()
            if churn.engine.compact(options.share) is not None:
                compactions.append((time.perf_counter() - begin) * 1e3)
    lines.append(_state(churn, "after") | _checked(churn))
    lines[-1] |= {
        "edit_p50_us": round(results.percentile(edits, 0.5), 1),
        "edit_p99_us": round(results.percentile(edits, 0.99), 1),
        "compactions": len(compactions),
        "compact_p50_ms": round(results.percentile(compactions, 0.5), 1),
    }
    churn.engine.compact()
    lines.append(_state(churn, "compacted") | _checked(churn))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--edits", type=int, default=80_000)
    parser.add_argument("--share", type=float, default=0.5, help="of dead rows, from which it is compacted")
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    settings = {"dim": options.dim, "edits": options.edits, "share": options.share}
    lines = run(options)
    for line in lines:
        results.emit(results.record("churn", settings, line), options.results)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
