"""How fast is a folder of documents made searchable, and what does its receipt say?

    python -m bench.rag.build --data SETS --out BASES [--sets a b] [--embedder local|hash]

Makes one knowledge base per set. The receipt tells seconds in all and seconds embedding, so one run
gives both rates; what is in a base already is neither read nor embedded again. `--embedder hash` makes
a base of free vectors in a folder of its own: for the rate without a model, of no use for retrieval.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from bench import results
from bench.rag.bases import add_documents, paths
from bench.rag.datasets import DataSet, load_all

import knarr
from knarr.testing import HashEmbedder

COLUMNS = [
    "set", "files", "ready", "size_bytes", "pages", "missing_pages", "sections", "chunks", "tokens",
    "embedded", "reused", "seconds", "seconds_embedding", "documents_per_s", "documents_per_s_not_embedding",
]  # fmt: skip
SUMS = ("size_bytes", "text_bytes", "pages", "sections", "chunks", "tokens", "embedded", "reused")


def totals(report: knarr.AddReport) -> dict[str, Any]:
    """The receipt of a set, added up from its files, and its rates."""
    files = report.files
    rest = report.seconds - report.seconds_embedding
    return {
        "files": len(files),
        "ready": sum(file.ready for file in files),
        "status": dict(Counter(file.status for file in files)),
        "change": dict(Counter(file.change for file in files)),
        **{name: report.total(name) for name in SUMS},
        "missing_pages": sum(len(file.missing_pages) for file in files),
        "seconds": round(report.seconds, 2),
        "seconds_embedding": round(report.seconds_embedding, 2),
        "documents_per_s": round(len(files) / report.seconds, 2),
        "documents_per_s_not_embedding": round(len(files) / rest, 2) if rest > 0 else None,
        "incomplete": [f"{file.path}: {file.status}" for file in files if file.status != "ok"],
    }


def build(data: DataSet, out: Path, embedder: str) -> dict[str, Any]:
    """Build one set into `out` and return its totals."""
    path, listing = paths(out, data)
    with knarr.open(path, embedder=HashEmbedder() if embedder == "hash" else None) as kb:
        return totals(add_documents(kb, data, listing))


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
