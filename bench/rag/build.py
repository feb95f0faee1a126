"""How fast is a folder of documents made searchable, and what does its receipt say?

    python -m bench.rag.build --data SETS --out BASES [--sets a b] [--embedder local|hash]

Makes one knowledge base per set. With `--embedder hash` the vectors cost nothing, so that the rate
is that of parsing, chunking, abstracts, catalog and index alone; such a base is made in a folder
of its own and is of no use for retrieval.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench import results
from bench.rag.bases import add_documents, paths
from bench.rag.datasets import DataSet, load_all
from knarr.testing import HashEmbedder

import knarr

COLUMNS = [
    "set", "files", "ready", "not_ready", "bytes", "pages", "missing_pages", "sections", "chunks",
    "tokens", "embedded", "reused", "seconds", "documents_per_s",
]  # fmt: skip
READY = {"added", "updated", "unchanged", "partial"}


def totals(report: knarr.AddReport, seconds: float) -> dict[str, Any]:
    """The receipt of a set, added up from its files."""
    files = report.files
    status = Counter(file.status for file in files)
    done = sum(count for name, count in status.items() if name in READY)
    sums = {
        name: sum(getattr(file, name) or 0 for file in files)
        for name in ("bytes", "pages", "sections", "chunks", "tokens", "embedded", "reused")
    }
    return {
        "files": len(files),
        "ready": done,
        "not_ready": len(files) - done,
        "status": dict(status),
        **sums,
        "missing_pages": sum(len(file.missing_pages) for file in files),
        "seconds": round(seconds, 2),
        "documents_per_s": round(len(files) / seconds, 2),
        "left_out": [f"{Path(file.path).name}: {file.status}" for file in files if file.status not in READY],
    }


def build(data: DataSet, out: Path, embedder: str) -> dict[str, Any]:
    """Build one set into `out` and return its totals."""
    path, listing = paths(out, data)
    begin = time.perf_counter()
    with knarr.open(path, embedder=HashEmbedder() if embedder == "hash" else None) as kb:
        report = add_documents(kb, data, listing)
    return totals(report, time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for the knowledge bases")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--embedder", choices=["local", "hash"], default="local")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    out = options.out / "hash" if options.embedder == "hash" else options.out
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for data in load_all(options.data, options.sets):
        row = {"set": data.name, **build(data, out, options.embedder)}
        results.emit(results.record("rag/build", {"embedder": options.embedder}, row), options.results)
        rows.append(row)
    print(results.table(rows, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
