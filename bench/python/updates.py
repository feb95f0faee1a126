"""What does bringing a base in step cost, by what happened to a document?

    python -m bench.python.updates FOLDER [--embedder local|hash] [--pattern 'assert_nodejs_*.md'] [--results FILE]

The documents of a folder that fit the pattern are copied, synced once, and then changed in one way after another; after
each a sync is timed. Documents are Markdown, the last two by name being versions of one manual. `chunks` are those whose
text was new to the embedder, `texts` all that it was given (names, abstracts of sections, documents and folders too), in
`calls` calls; `model_calls` are those of a chat model, of which there is none. `ms` is the whole sync, `embed_ms` what
embedding took of it; `of_all` the share of the base's chunks that was embedded.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from bench import results

import knarr
from knarr.catalog.schema import objects
from knarr.config import Settings
from knarr.models.embed import Embedder, load_embedder
from knarr.testing import HashEmbedder

COLUMNS = [
    "case",
    "embedder",
    "documents",
    "chunks",
    "texts",
    "calls",
    "model_calls",
    "of_all",
    "ms",
    "embed_ms",
]


class Counted:
    """An embedder, with what it is given and how long it takes."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.id, self.dim, self.tokenizer = inner.id, inner.dim, inner.tokenizer
        self.calls = self.texts = 0
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        began = time.perf_counter()
        found = self._inner.embed(texts)
        self.seconds += time.perf_counter() - began
        self.calls, self.texts = self.calls + 1, self.texts + len(texts)
        return found


def one_sentence(path: Path) -> None:
    """Change a sentence in the middle."""
    lines = path.read_text("utf-8").split("\n")
    prose = [at for at, line in enumerate(lines) if len(line) > 60 and line[0].isalpha()]
    lines[prose[len(prose) // 2]] += " This sentence is new."
    path.write_text("\n".join(lines), "utf-8")


def section_at_the_top(path: Path) -> None:
    """Put a section before all others, below the title."""
    lines = path.read_text("utf-8").split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith("## "))
    lines[at:at] = ["## What is new", "", "This section was not there before. It says what changed.", ""]
    path.write_text("\n".join(lines), "utf-8")


def heading_renamed(path: Path) -> None:
    """Give the middle one of its sections another name."""
    lines = path.read_text("utf-8").split("\n")
    heads = [at for at, line in enumerate(lines) if line.startswith("## ")]
    lines[heads[len(heads) // 2]] += " and more"
    path.write_text("\n".join(lines), "utf-8")


def chunks_of(kb: knarr.KnowledgeBase) -> set[bytes]:
    query = sa.select(objects.c.vector_hash).where(objects.c.kind == "chunk")
    with kb._catalog.reading() as connection:
        return set(connection.execute(query).scalars())


def cases(docs: Path, next_version: Path) -> list[tuple[str, Callable[[], object]]]:
    """What happens to the folder, one after the other."""
    names = sorted(path.name for path in docs.iterdir())
    manual, other, newest = docs / names[0], docs / names[1], docs / names[-1]
    return [
        ("nothing changed", lambda: None),
        ("one sentence", lambda: one_sentence(manual)),
        ("one section inserted at the top", lambda: section_at_the_top(manual)),
        ("heading renamed", lambda: heading_renamed(manual)),
        (
            "document moved",
            lambda: ((docs / "sub").mkdir(), other.rename(docs / "sub" / f"moved_{other.name}")),
        ),
        ("folder renamed", lambda: (docs / "sub").rename(docs / "renamed")),
        ("document deleted", lambda: shutil.rmtree(docs / "renamed")),
        ("a manual's next version", lambda: shutil.copyfile(next_version, newest)),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", choices=("local", "hash"), default="local")
    parser.add_argument("--pattern", default="assert_nodejs_*.md")
    parser.add_argument("--results", type=Path)
    given = parser.parse_args(arguments)
    files = sorted(given.folder.glob(given.pattern))
    if len(files) < 4:
        sys.exit(f"{given.folder}: {len(files)} files fit {given.pattern!r}, expected 4 or more")
    embedder = Counted(HashEmbedder(384) if given.embedder == "hash" else load_embedder(Settings()))
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        docs.mkdir()
        for path in files[:-1]:
            shutil.copyfile(path, docs / path.name)
        with knarr.open(Path(folder) / "updates.kb", embedder=embedder) as kb:
            for name, change in [("all of it", lambda: None), *cases(docs, files[-1])]:
                change()
                before = chunks_of(kb)
                embedder.calls, embedder.texts, embedder.seconds = 0, 0, 0.0
                began = time.perf_counter()
                report = kb.sync(docs, into="viking://manuals")
                ms = (time.perf_counter() - began) * 1e3
                after = chunks_of(kb)
                assert report.ok, report
                result = {"case": name, "embedder": given.embedder, "documents": len(files) - 1}
                result |= {"chunks": len(after - before), "texts": embedder.texts, "calls": embedder.calls}
                result |= {"model_calls": 0, "of_all": round(len(after - before) / len(after), 3)}
                result |= {"ms": round(ms, 1), "embed_ms": round(embedder.seconds * 1e3, 1)}
                lines.append(result)
    for line in lines:
        settings = {"folder": given.folder.name, "pattern": given.pattern}
        results.emit(results.record("updates", settings, line), given.results)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
