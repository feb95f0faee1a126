"""How long does a knowledge base take to open and to answer its first search?

    python -m bench.python.opening_base [--chunks 100000] [--repeat 5] [--keep FOLDER] [--results FILE]

Markdown documents of 100 paragraphs in ten sections are added, in a temporary folder, with an embedder that
gives each text a vector of its own and no meaning: no model is run or loaded. Then a new process opens the
base, searches it once, and tells the times; `import_ms` is that of Python's modules, and `again_ms` a second
search. `warm`: the files lie in the page cache; `cold`: they were dropped from there before.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench import results
from bench.python.fresh_process import opened
from bench.python.structure import TEXT

import knarr
from knarr.models.embed.tokens import RegexTokenizer

SECTIONS, PARAGRAPHS, WORDS = 10, 10, 50
COLUMNS = ["chunks", "cache", "catalog_mib", "snapshot_mib", "import_ms", "open_ms", "first_search_ms", "both_ms", "again_ms"]  # fmt: skip
READER = """
import json, sys, time
times = [time.perf_counter()]
from bench.python.opening_base import AnyVectors
import knarr
knarr.open
times.append(time.perf_counter())
with knarr.open(sys.argv[1], embedder=AnyVectors(), create=False) as base:
    times.append(time.perf_counter())
    base.search("what is the fee of the branch?")
    times.append(time.perf_counter())
    base.search("who agreed to another day?")
    times.append(time.perf_counter())
took = [round((b - a) * 1e3, 2) for a, b in zip(times, times[1:])]
print(json.dumps({"import_ms": took[0], "open_ms": took[1], "first_search_ms": took[2],
    "both_ms": round(took[1] + took[2], 2), "again_ms": took[3]}))
"""


class AnyVectors:
    """An embedder whose vectors mean nothing: each text has its own, always the same."""

    id = "any:384"
    dim = 384
    tokenizer = RegexTokenizer()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One unit vector for each text, drawn with its checksum as the seed."""
        seeds = [zlib.crc32(text.encode()) for text in texts]
        drawn = [np.random.default_rng(seed).standard_normal(self.dim, dtype=np.float32) for seed in seeds]
        return np.stack([vector / np.linalg.norm(vector) for vector in drawn])


def make(chunks: int, folder: Path) -> None:
    """A knowledge base of at least so many chunks in `folder`."""
    source = folder / "source"
    words, rng = TEXT.split(), np.random.default_rng(1)
    for number in range(-(-chunks // (SECTIONS * PARAGRAPHS))):
        lines = [f"# Document {number}"]
        for section in range(SECTIONS):
            lines.append(f"## Section {section} of {number}")
            for paragraph in range(PARAGRAPHS):
                text = " ".join(words[i] for i in rng.integers(0, len(words), WORDS))
                lines.append(f"{text}, as item {number}.{section}.{paragraph} says.")
        path = source / f"folder_{number % 10}" / f"document_{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    settings = knarr.Settings(chunk_tokens=64)
    with knarr.open(folder / "base", embedder=AnyVectors(), settings=settings) as base:
        report = base.add(source, into="viking://library")
    print(f"{report.total('chunks')} chunks", file=sys.stderr)


def measure(folder: Path, repeat: int) -> list[dict[str, Any]]:
    """The medians, warm and cold."""
    base = folder / "base"
    files = [path for path in base.rglob("*") if path.is_file()]
    mib = {path.suffix: round(path.stat().st_size / 2**20) for path in files}
    lines = []
    for warm in (True, False):
        runs = [opened(READER, base, files, warm=warm) for _ in range(repeat)]
        line: dict[str, Any] = {"cache": "warm" if warm else "cold", "catalog_mib": mib.get(".sqlite")}
        line |= {"snapshot_mib": mib.get(".snapshot")}
        line |= {name: results.percentile([run[name] for run in runs], 0.5) for name in runs[0]}
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a folder to keep, or to take when it is there")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "base").exists():
            make(options.chunks, folder)
        lines = [{"chunks": options.chunks, **line} for line in measure(folder, options.repeat)]
    for line in lines:
        results.emit(results.record("opening_base", {"dim": AnyVectors.dim}, line), options.results)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
