"""How well, and how fast, are files read, beside the peers that are installed?

    python -m bench.documents FOLDER [FOLDER …] [--readers knarr pdftotext] [--results FILE] [--worst 10]

A FOLDER holds files and their gold: `gold.jsonl` (see `gold`, and `make_gold` which makes some from public files),
the tables of ICDAR-2013 (`*-str.xml`, see `icdar`), or web pages with the article in them (`ground-truth.json`, see
`articles`). Readers take turns, file by file; a file that a reader does not claim, or fails on, counts
as read with nothing found where it claims the format. Prints one JSON line a folder, reader and suffix, then a table.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from bench import results
from bench.documents import articles, gold, icdar
from bench.documents.readers import READERS, Reader, Reading, at_most, cpu_seconds
from bench.documents.scores import score

KINDS = ("prose", "heading_recall", "heading_precision", "values")
COLUMNS = [
    "folder", "suffix", "reader", "files", "failed", *KINDS, "prose_below_.85", "cells", "rows", "labelled",
    "recall", "precision", "pages_per_cpu_s", "files_per_cpu_s",
]  # fmt: skip
_PROSE_BOUND = 0.85
LONGEST_S = 300  # for one file; a peer may hang


class Costs:
    """Processor seconds, pages and failures of one reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.seconds, self.files, self.pages, self.failed = reader, 0.0, 0, 0, 0

    def read(self, path: Path) -> Reading:
        """Read one file; nothing where the reader fails."""
        began = cpu_seconds()
        try:
            with at_most(LONGEST_S):
                reading = self.reader.read(path)
        except Exception as error:  # a peer's failure is its result
            print(f"{self.reader.name}: {path.name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
            reading = Reading("", status="failed")
        self.seconds += cpu_seconds() - began
        self.files += 1
        self.pages += reading.pages
        self.failed += not reading.text.strip()
        return reading

    def figures(self) -> dict[str, Any]:
        rates = {f"{name}_per_cpu_s": round(count / self.seconds, 1) if self.seconds and count else None
                 for name, count in (("files", self.files), ("pages", self.pages))}  # fmt: skip
        return {"files": self.files, "failed": self.failed, **rates}


def by_gold(folder: Path, readers: Sequence[Reader], worst: int) -> Iterator[dict[str, Any]]:
    """One row for each suffix and reader of a folder with `gold.jsonl`."""
    rows: dict[tuple[str, str], list[tuple[str, dict[str, float]]]] = defaultdict(list)
    costs: dict[tuple[str, str], Costs] = {}
    for wanted in gold.load(folder):
        path = folder / wanted.file
        for reader in (reader for reader in readers if path.suffix.lower() in reader.suffixes):
            key = path.suffix.lower(), reader.name
            found = costs.setdefault(key, Costs(reader)).read(path)
            rows[key].append((wanted.file, score(wanted, found)))
    for (suffix, name), scored in sorted(rows.items()):
        figures = {kind: _mean([one[kind] for _, one in scored if kind in one]) for kind in KINDS}
        prose = sorted((one["prose"], file) for file, one in scored if "prose" in one)
        below = sum(value < _PROSE_BOUND for value, _ in prose)
        yield {
            "suffix": suffix, "reader": name, **figures, "prose_below_.85": f"{below} of {len(prose)}" if prose else None,
            **costs[suffix, name].figures(), "worst": [f"{file} {value:.2f}" for value, file in prose[:worst]],
        }  # fmt: skip


def by_scorer(folder: Path, readers: Sequence[Reader]) -> Iterator[dict[str, Any]]:
    """One row for each reader of a folder whose gold has a form of its own."""
    tables = next(folder.rglob("*-str.xml"), None) is not None
    suffix = ".pdf" if tables else ".html"
    for reader in (reader for reader in readers if suffix in reader.suffixes):
        cost = Costs(reader)
        figures = _tables(folder, cost) if tables else articles.score(folder, cost.read)
        yield {"suffix": suffix, "reader": reader.name, **figures, **cost.figures()}


def _tables(folder: Path, cost: Costs) -> dict[str, float]:
    shares = icdar.score(folder, lambda path: cost.read(path).text).shares()
    return {"labelled" if name == "labels" else name: round(share, 3) for name, share in shares.items()}


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 3) if values else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument(
        "--readers", nargs="*", default=[], help="names of readers (default: all that are installed)"
    )
    parser.add_argument("--worst", type=int, default=0, help="how many of the worst files to name")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    chosen = [reader for reader in READERS if not options.readers or reader.name in options.readers]
    readers = [reader for reader in chosen if reader.installed]
    for reader in set(chosen) - set(readers):
        print(f"{reader.name} is not installed: left out", file=sys.stderr)
    lines = []
    for folder in options.folders:
        own = (folder / gold.FILE_NAME).exists()
        for row in by_gold(folder, readers, options.worst) if own else by_scorer(folder, readers):
            line = results.record("documents", {"folder": folder.name}, {"folder": folder.name, **row})
            results.emit(line, options.results)
            lines.append(line)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
