"""What do structural operations cost, and does the number of leaves matter to those it should not?

    python -m bench.python.structure [--rows 1000 10000 100000 1000000] [--dim 384] [--text-bytes 200]
        [--rounds 20] [--results FILE]

Each size gets an engine of its own: a quarter of its rows (at most 100,000) are one folder of documents,
which is moved away and back, removed and added again; as many lie in one huge directory, which is listed.
`insert` adds documents of 1,000 chunks with texts, one call each, from Python; fresh memory may be slow to
come by on a virtual machine, hence `per_cpu_s` beside `per_s`: objects per second of processor time.
Times are of calls from Python: the price of a call (about a microsecond) is in all of them; `core_bench
trie` measures without. One line tells what an object costs in memory, by part.
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

from knarr import Engine

Floats = npt.NDArray[np.float32]
DOCUMENT_ROWS = 1000
SECTION_ROWS = 50
MOST = 100_000  # rows of the folder, and of the huge directory
PAGE = 100
TEXT = "the fee is due on the first day of a month unless the branch has agreed to another one"
COLUMNS = ["rows", "case", "leaves", "p50_us", "p99_us", "per_s", "per_cpu_s", "bytes_per_object"]


class Library:
    """An engine of `rows` objects: folders of documents, and one directory with many children."""

    def __init__(self, rows: int, dim: int, text_bytes: int) -> None:
        self.engine = Engine(dim)
        self.leaves = max(PAGE, min(rows // 4, MOST))  # of the folder and of the huge directory
        self._texts = make_texts(text_bytes)
        self._vectors = _vectors(dim)
        self.insert_s = self.insert_cpu_s = 0.0
        self.huge()
        self.folder("a")
        for number in range((rows - 2 * self.leaves) // DOCUMENT_ROWS):
            self.document(f"viking://rest/folder_{number % 10}/document_{number}", DOCUMENT_ROWS)

    def folder(self, name: str) -> None:
        """`leaves` objects in documents below viking://moving/<name>."""
        for number in range(-(-self.leaves // DOCUMENT_ROWS)):
            size = min(DOCUMENT_ROWS, self.leaves - number * DOCUMENT_ROWS)
            self.document(f"viking://moving/{name}/document_{number}", size)

    def document(self, uri: str, rows: int) -> None:
        """One call, timed: a document of sections of chunks."""
        uris = [f"{uri}/section_{i // SECTION_ROWS}/section_{i // SECTION_ROWS}_{i}.md" for i in range(rows)]
        self._add(uris, uri)

    def huge(self) -> None:
        """`leaves` objects in one directory, a thousand a call."""
        for first in range(0, self.leaves, DOCUMENT_ROWS):
            last = min(first + DOCUMENT_ROWS, self.leaves)
            self._add([f"viking://huge/object_{i:07d}.md" for i in range(first, last)], None)

    def _add(self, uris: list[str], document: str | None) -> None:
        rows = len(uris)
        begin, begin_cpu = time.perf_counter(), time.process_time()
        self.engine.add(uris, self._vectors[:rows], self._texts[:rows], document=document)
        self.insert_s += time.perf_counter() - begin
        self.insert_cpu_s += time.process_time() - begin_cpu


def make_texts(size: int) -> list[str]:
    """A thousand different texts of `size` bytes."""
    words = TEXT.split()
    rng = np.random.default_rng(1)
    return [
        " ".join(words[i] for i in rng.integers(0, len(words), size // 4))[: size - 1] + "\n"
        for _ in range(DOCUMENT_ROWS)
    ]


def _vectors(dim: int) -> Floats:
    return np.random.default_rng(2).standard_normal((DOCUMENT_ROWS, dim), dtype=np.float32)


def _times(call: Callable[[int], Any], rounds: int, calls: int = 1) -> dict[str, float]:
    """Median and p99 of a call in microseconds; `calls` are timed together."""
    took = []
    for number in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call(number)
        took.append((time.perf_counter() - begin) * 1e6 / calls)
    return {
        "p50_us": round(results.percentile(took, 0.5), 2),
        "p99_us": round(results.percentile(took, 0.99), 2),
    }


def _removing(library: Library, rounds: int) -> dict[str, float]:
    took = []
    for _ in range(rounds):
        begin = time.perf_counter()
        library.engine.remove("viking://moving/a")
        took.append((time.perf_counter() - begin) * 1e6)
        library.folder("a")
    return {
        "p50_us": round(results.percentile(took, 0.5), 1),
        "p99_us": round(results.percentile(took, 0.99), 1),
    }


def _memory(engine: Engine) -> dict[str, float]:
    stats = engine.stats()
    parts = {
        name.removesuffix("_size_bytes"): size for name, size in stats.items() if name.endswith("_size_bytes")
    }
    each = {f"{name}_per_object": round(size / stats["objects"], 1) for name, size in parts.items()}
    return {"bytes_per_object": round(sum(parts.values()) / stats["objects"], 1), **each}


def measure(rows: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The lines of one size."""
    library = Library(rows, options.dim, options.text_bytes)
    engine, rounds = library.engine, options.rounds
    lines: list[dict[str, Any]] = []

    def line(case: str, leaves: int, figures: dict[str, float]) -> None:
        lines.append({"rows": len(engine), "case": case, "leaves": leaves, **figures})

    objects = len(engine)
    speed = {"per_s": round(objects / library.insert_s), "per_cpu_s": round(objects / library.insert_cpu_s)}
    line("insert with texts", objects, speed)
    line("memory", objects, _memory(engine))
    for scope in ("viking://moving/a", "viking://huge", "viking://moving/a/document_0/section_1"):
        line(
            f"count {scope}",
            engine.count(scope),
            _times(lambda _, uri=scope: engine.count(uri), rounds, 1000),
        )
    line("exists", 1, _times(lambda _: engine.exists("viking://huge/object_0000099.md"), rounds, 1000))
    for name, offset in (("begin", 0), ("middle", library.leaves // 2), ("end", library.leaves - PAGE)):
        page = _times(lambda _, at=offset: engine.list("viking://huge", at, PAGE), rounds, 20)
        line(f"list {PAGE} at the {name}", library.leaves, page)
    places = ("viking://moving/a", "viking://elsewhere/b")
    move = _times(lambda number: engine.move(places[number % 2], places[1 - number % 2]), 2 * rounds)
    line("move the folder", library.leaves, move)
    line("remove the folder", library.leaves, _removing(library, max(3, rounds // 4)))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--text-bytes", type=int, default=200, help="of each text")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    settings = {"dim": options.dim, "text_bytes": options.text_bytes}
    lines = []
    for rows in options.rows:
        for line in measure(rows, options):
            results.emit(results.record("structure", settings, line), options.results)
            lines.append(line)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
