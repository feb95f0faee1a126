"""Is a scoped grep as fast as a compiled Python `re`, or ripgrep, on the same bytes?

    python -m bench.python.scoped_grep [--rows 10000 100000] [--texts FOLDER] [--rounds 30]
        [--results FILE]

`re` gets the texts of the scope as strings in memory and does the same work: it counts every match
and finds the line of the first hundred. ripgrep gets them as files, one a document, and counts; its
time holds the start of a process, which is measured apart (`rg_start_ms`). Totals must be equal.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.python.harness import Timing, alternate, ratio
from bench.python.library import CHUNKS, DOCUMENT_ROWS, SECTIONS, Library, Scope

from knarr import Engine

LIMIT = 100
DIM = 8
COLUMNS = [
    "rows", "scope", "pattern", "bytes", "total", "engine_p50_ms", "engine_p99_ms", "re_p50_ms",
    "rg_p50_ms", "rg_start_ms", "ratio_re", "ratio_rg", "totals_equal",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that means the same to RE2, to `re` with MULTILINE, and to ripgrep."""

    name: str
    text: str
    literal: bool = False
    ignore_case: bool = False

    def compiled(self) -> re.Pattern[str]:
        """For `re`."""
        flags = re.MULTILINE | re.ASCII | (re.IGNORECASE if self.ignore_case else 0)
        return re.compile(re.escape(self.text) if self.literal else self.text, flags)


PATTERNS = (
    Pattern("rare literal", "needle of gold", literal=True),
    Pattern("common literal", "the", literal=True),
    Pattern("rare literal, any case", "NEEDLE OF GOLD", literal=True, ignore_case=True),
    Pattern("alternation", r"needle|haystack|pitchfork"),
    Pattern("number", r"\$[0-9]{1,3}(,[0-9]{3})+"),
    Pattern("alternation, any case", r"GOLD|silver|copper", ignore_case=True),
    Pattern("over line ends", r"needle\s+of\s+gold"),
    Pattern("beyond ASCII", "Zürich café"),
    Pattern("heading", r"^## Section 7\b.*$"),
    Pattern("two words near", r"termination\b.{0,40}\bnotice"),
    Pattern("no match", r"zyzzyva[0-9]+"),
)

_WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "as",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "he",
    "his",
    "at",
    "are",
    "this",
    "have",
    "from",
    "or",
    "had",
    "an",
    "they",
    "which",
    "one",
    "you",
    "were",
    "all",
    "her",
    "she",
    "there",
    "would",
    "their",
    "we",
    "him",
    "been",
    "has",
    "when",
    "who",
    "will",
    "no",
    "more",
    "if",
    "out",
    "agreement",
    "party",
    "notice",
    "termination",
    "payment",
    "interest",
    "report",
    "section",
    "evidence",
    "question",
    "document",
    "haystack",
    "pitchfork",
    "naïve",
    "café",
    "Zürich",
]


def make_texts(library: Library, seed: int) -> list[list[str]]:
    """The chunk texts of each document: about 600 bytes each, with headings, sums and rare needles."""
    rng = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(_WORDS))]
    documents = []
    for _ in range(library.documents):
        chunks = []
        for number in range(DOCUMENT_ROWS):
            words = rng.choices(_WORDS, weights, k=110)
            if rng.random() < 0.3:
                words[rng.randrange(110)] = f"${rng.randrange(1, 999)},{rng.randrange(1000):03d}"
            if rng.random() < 0.001:
                words[rng.randrange(110)] = "needle of gold"
            body = "\n".join(" ".join(words[at : at + 11]) for at in range(0, 110, 11))
            section, within = divmod(number, CHUNKS)
            heading = f"## Section {section} of this document\n\n" if within == 0 else ""
            chunks.append(f"{heading}{body}\n\n")
        documents.append(chunks)
    return documents


def read_texts(library: Library, folder: Path) -> list[list[str]]:
    """The same shape filled with the text files under a folder, repeated as often as needed."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".md", ".txt"))
    text = "".join(path.read_text(encoding="utf-8", errors="replace").replace("\r", "") for path in paths)
    if not text:
        raise SystemExit(f"no .md or .txt below {folder}")
    size = 600
    slices = [text[at : at + size] for at in range(0, len(text) - size, size)]
    return [
        [slices[(number * DOCUMENT_ROWS + chunk) % len(slices)] for chunk in range(DOCUMENT_ROWS)]
        for number in range(library.documents)
    ]


def fill(library: Library, texts: list[list[str]]) -> tuple[Engine, float]:
    """An engine that holds the texts (with small vectors), and the seconds it took."""
    engine = Engine(DIM)
    vectors = np.random.default_rng(1).standard_normal((DOCUMENT_ROWS, DIM), dtype=np.float32)
    begin = time.perf_counter()
    for number, chunks in enumerate(texts):
        engine.add(library.chunk_uris(number), vectors, chunks, document=library.document_uri(number))
    return engine, time.perf_counter() - begin


def scope_texts(scope: Scope, texts: list[list[str]]) -> list[str]:
    """The text of each document in the scope, or of the one section."""
    first, last = scope.begin // DOCUMENT_ROWS, -(-scope.end // DOCUMENT_ROWS)
    if scope.end - scope.begin < DOCUMENT_ROWS:
        begin = scope.begin % DOCUMENT_ROWS
        return ["".join(texts[first][begin : begin + DOCUMENT_ROWS // SECTIONS])]
    return ["".join(chunks) for chunks in texts[first:last]]


def write_files(
    library: Library, scopes: Sequence[Scope], texts: list[list[str]], root: Path
) -> dict[str, Path]:
    """One file per document under a folder per library folder, and the path of each scope."""
    per_folder = library.documents // 10
    for number, chunks in enumerate(texts):
        folder = root / "all" / f"folder_{number // per_folder}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"document_{number:06d}.md").write_text("".join(chunks), encoding="utf-8", newline="")
    section = root / "section.md"
    section.write_text(scope_texts(scopes[3], texts)[0], encoding="utf-8", newline="")
    middle = library.documents // 2
    document = root / "all" / f"folder_{middle // per_folder}" / f"document_{middle:06d}.md"
    return {"100%": root / "all", "10%": root / "all" / "folder_4", "document": document, "section": section}


def with_re(pattern: re.Pattern[str], documents: Sequence[str]) -> int:
    """What `re` does for the engine's answer: the total, and the lines of the first matches."""
    total = 0
    lines: list[tuple[int, int]] = []
    for number, text in enumerate(documents):
        counted, at = 1, 0
        for match in pattern.finditer(text):
            total += 1
            if len(lines) < LIMIT:
                counted += text.count("\n", at, match.start())
                at = match.start()
                lines.append((number, counted))
    return total


def with_rg(rg: str, pattern: Pattern, path: Path) -> int:
    """ripgrep's total."""
    command = [rg, "--no-config", "--no-ignore", "--no-filename", "--count-matches"]
    command += ["--fixed-strings"] if pattern.literal else []
    command += ["--ignore-case"] if pattern.ignore_case else []
    done = subprocess.run(
        [*command, "-e", pattern.text, str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return sum(int(line) for line in done.stdout.split())


def measure(
    engine: Engine,
    scope: Scope,
    pattern: Pattern,
    documents: list[str],
    path: Path | None,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """One row of the table."""
    compiled = pattern.compiled()
    rg = options.rg if path is not None else None

    def ours() -> Any:
        return engine.grep(
            pattern.text, scope.uri, literal=pattern.literal, ignore_case=pattern.ignore_case, limit=LIMIT,
            timeout_ms=60_000,
        )  # fmt: skip

    calls: list[Any] = [lambda _: ours(), lambda _: with_re(compiled, documents)]
    totals = [ours().total, with_re(compiled, documents)]
    if rg is not None and path is not None:
        calls.append(lambda _: with_rg(rg, pattern, path))
        totals.append(with_rg(rg, pattern, path))
    mine, python, *rest = alternate(calls, options.rounds, limit_s=options.limit_s)
    rg_timing: Timing | None = rest[0] if rest else None
    return {
        "rows": scope.end - scope.begin,
        "scope": scope.name,
        "pattern": pattern.name,
        "bytes": sum(len(text.encode("utf-8")) for text in documents),
        "total": totals[0],
        "totals": totals,
        "totals_equal": len(set(totals)) == 1,
        **mine.figures("engine"),
        **python.figures("re"),
        **(rg_timing.figures("rg") if rg_timing else {}),
        "rg_start_ms": options.rg_start_ms,
        "ratio_re": ratio(python, mine),
        "ratio_rg": ratio(rg_timing, mine) if rg_timing else None,
        "rounds": len(mine.ms),
    }


def run(rows: int, folder: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """All scopes and patterns over one library of about `rows` chunks."""
    library = Library(rows)
    texts = read_texts(library, options.texts) if options.texts else make_texts(library, seed=1)
    scopes = list(library.scopes())
    paths = write_files(library, scopes, texts, folder) if options.rg else {}
    engine, seconds = fill(library, texts)
    settings = {"limit": LIMIT, "texts": "real" if options.texts else "made"}
    added = {"rows": library.rows, "seconds": round(seconds, 3), "stats": engine.stats()}
    results.emit(results.record("scoped_grep/add", settings, added), options.results)
    lines = []
    for scope in scopes:
        documents = scope_texts(scope, texts)
        for pattern in PATTERNS:
            line = measure(engine, scope, pattern, documents, paths.get(scope.name), options)
            results.emit(results.record("scoped_grep", settings, line), options.results)
            lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--texts", type=Path, help="fill the library with the .md and .txt below this folder")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--limit-s", type=float, default=10.0, help="seconds per case at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    options.rg = shutil.which("rg")
    options.rg_start_ms = None
    if options.rg:
        rg = options.rg
        (start,) = alternate(
            [lambda _: subprocess.run([rg, "--version"], capture_output=True, check=True)], 20
        )
        options.rg_start_ms = start.figures("rg")["rg_p50_ms"]
    lines: list[dict[str, Any]] = []
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            lines += run(rows, Path(folder), options)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
