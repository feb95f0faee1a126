"""Is a scoped grep as fast as ripgrep, Hyperscan or a compiled Python `re` on the same bytes?

    python -m bench.python.scoped_grep [--rows 100000 1000000] [--texts PATH ...] [--peers grep_rg ...]
        [--limit-s 0.5] [--results FILE]

A chunk has 200 bytes: 100,000 rows are 20 MB, a million 200 MB. Every contender counts all matches of the
scope; the engine and `re` also find the lines of the first hundred. Contenders take turns in one process;
`ratio` is the peer's median by the engine's (above 1 the engine is faster), `start_ms` what of the peer's
time is the start of a process. Totals must be equal, but for Hyperscan's, which reports every end.

Time with --limit-s 0.2: two minutes at 100,000 rows; six at a million, which needs 2 GB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.peers.grep_peer import NAMES, PATTERNS, GrepPeer, Pattern, Texts, find
from bench.python.harness import alternate, ratio
from bench.python.library import Library, Scope
from bench.python.texts import make_texts, plant, read_texts

from knarr import Engine

LIMIT = 100
DIM = 8
COLUMNS = [
    "rows", "scope", "pattern", "peer", "bytes", "total", "engine_p50_ms", "engine_p99_ms", "peer_p50_ms",
    "start_ms", "ratio", "totals_equal",
]  # fmt: skip


def fill(library: Library, texts: list[list[str]]) -> tuple[Engine, float]:
    """An engine that holds the texts (with small vectors), and the seconds it took."""
    engine = Engine(DIM)
    vectors = np.random.default_rng(1).standard_normal((library.document_rows, DIM), dtype=np.float32)
    begin = time.perf_counter()
    for number, chunks in enumerate(texts):
        engine.add(library.chunk_uris(number), vectors, chunks, document=library.document_uri(number))
    return engine, time.perf_counter() - begin


def scopes(library: Library, texts: list[list[str]], root: Path) -> Iterator[tuple[Scope, Texts]]:
    """Each scope with its texts, and as files: one a document, in a folder per library folder."""
    documents = ["".join(chunks) for chunks in texts]
    per_folder = library.documents // 10
    paths = [root / f"folder_{n // per_folder}" / f"document_{n:06d}.md" for n in range(library.documents)]
    for path, text in zip(paths, documents, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    for scope in library.scopes():
        first = scope.begin // library.document_rows
        last = -(-scope.end // library.document_rows)
        if scope.name == "section":
            begin = scope.begin % library.document_rows
            section = "".join(texts[first][begin : begin + library.chunks])
            path = root / "section.txt"
            path.write_text(section, encoding="utf-8", newline="")
            yield scope, Texts([section], path)
            path.unlink()
        else:
            wide = root if scope.name == "100%" else paths[first].parent
            yield scope, Texts(documents[first:last], paths[first] if scope.name == "document" else wide)


def measure(engine: Engine, scope: Scope, pattern: Pattern, peer: GrepPeer, limit_s: float) -> dict[str, Any]:
    """One line: the engine and a peer on one pattern in one scope."""

    def ours(_: int) -> Any:
        return engine.grep(
            pattern.text, scope.uri, literal=pattern.literal, ignore_case=pattern.ignore_case, limit=LIMIT,
            timeout_ms=60_000,
        )  # fmt: skip

    peer.compile(pattern)
    totals = ours(0).total, peer.count()
    mine, theirs = alternate([ours, lambda _: peer.count()], 10_000, limit_s=limit_s)
    return {
        "rows": scope.end - scope.begin,
        "scope": scope.name,
        "pattern": pattern.name,
        "has_literal": pattern.has_literal,
        "total": totals[0],
        "peer_total": totals[1],
        "totals_equal": totals[0] == totals[1] if peer.same_total else None,
        **mine.figures("engine"),
        **theirs.figures("peer"),
        "start_ms": round(peer.start_ms, 3),
        "ratio": ratio(theirs, mine),
        "rounds": len(mine.ms),
    }


def run(rows: int, folder: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """All scopes, peers and patterns over one library of about `rows` chunks."""
    library = Library(rows, sections=20, chunks=50)
    texts = read_texts(library, options.texts) if options.texts else make_texts(library, seed=1)
    plant(library, texts, seed=2)
    engine, seconds = fill(library, texts)
    settings = {"limit": LIMIT, "texts": "real" if options.texts else "made", "library_rows": library.rows}
    added = {"rows": library.rows, "seconds": round(seconds, 3), "stats": engine.stats()}
    results.emit(results.record("scoped_grep/add", settings, added), options.results)
    found, skipped = find(options.peers)
    for name, reason in skipped.items():
        results.emit(
            results.record("scoped_grep/skipped", settings, {"peer": name, "reason": reason}), options.results
        )
    lines = []
    for scope, searched in scopes(library, texts, folder):
        size = sum(len(text.encode()) for text in searched.documents)
        for name, kind in found.items():
            peer = kind(searched)
            about = {"peer": name, "peer_version": kind.version(), "bytes": size}
            for pattern in PATTERNS:
                line = about | measure(engine, scope, pattern, peer, options.limit_s)
                results.emit(results.record("scoped_grep", settings, line), options.results)
                lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000])
    parser.add_argument(
        "--texts", type=Path, nargs="+", help="catalog.sqlite files, or folders of .md and .txt"
    )
    parser.add_argument("--peers", nargs="+", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--limit-s", type=float, default=0.5, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    lines: list[dict[str, Any]] = []
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            lines += run(rows, Path(folder), options)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
