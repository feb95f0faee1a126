"""Texts for the grep bench: made ones with the habits of real ones, or real ones repeated to the size wanted.

A chunk has about 200 bytes. Made words follow Zipf's law over a few thousand; sums of money, dates, headings
and numbered clauses stand where contracts and reports have them. Needles are planted in both kinds of text.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bench.python.library import Library

CHUNK_BYTES = 200
# What is planted, and in one chunk of how many.
NEEDLES = {"needle of silver": 50_000, "needle of gold": 1_000, "Zürich café": 1_000}
COMMON = """
    the of and to in a is that for it as was with be by on not he at are this have from or had an they which
    one you were all her there would their we been has when who will no more if out agreement party notice
    termination payment interest report section evidence question document haystack pitchfork naïve café Zürich
"""
SYLLABLES = "ba co de fi gra hol in jor ka lem mo nes or pra qui ra sto tem ul ver wen xa yo zin"


def make_texts(library: Library, seed: int) -> list[list[str]]:
    """The chunk texts of each document."""
    rng = random.Random(seed)
    syllables = SYLLABLES.split()
    words = COMMON.split() + sorted(
        {"".join(rng.choices(syllables, k=rng.randrange(2, 5))) for _ in range(4000)}
    )
    weights = [1 / (rank + 5) for rank in range(len(words))]
    # Lines are drawn from a pool: drawing each word of a million chunks would take minutes.
    lines = [" ".join(rng.choices(words, weights, k=11)) for _ in range(20_000)]
    return [
        [_chunk(rng, lines, library, at) for at in range(library.document_rows)]
        for _ in range(library.documents)
    ]


def _chunk(rng: random.Random, lines: list[str], library: Library, at: int) -> str:
    body = [lines[int(rng.random() * len(lines))] for _ in range(3)]
    chance = rng.random()
    if chance < 0.1:
        body[0] += f" ${rng.randrange(1, 999)},{rng.randrange(1000):03d}"
    elif chance < 0.2:
        body[2] += f" on {rng.randrange(1, 29)} March {rng.randrange(1990, 2030)}"
    elif chance < 0.3:
        body[0] = f"{rng.randrange(1, 40)}.{rng.randrange(1, 9)} {body[0]}"
    section, within = divmod(at, library.chunks)
    heading = f"## Section {section} of this document\n\n" if within == 0 else ""
    return heading + "\n".join(body) + ".\n\n"


def read_texts(library: Library, paths: list[Path]) -> list[list[str]]:
    """The same shape filled with real texts, from their beginning again when they end."""
    chunks = [
        text[at : at + CHUNK_BYTES] for text in _texts(paths) for at in range(0, len(text), CHUNK_BYTES)
    ]
    if not chunks:
        raise SystemExit(f"no text in {', '.join(map(str, paths))}")
    return [
        [chunks[(number * library.document_rows + at) % len(chunks)] for at in range(library.document_rows)]
        for number in range(library.documents)
    ]


def plant(library: Library, texts: list[list[str]], seed: int) -> None:
    """Add the needles to chunks chosen at random, and the rarest to one of the middle document's."""
    rng = random.Random(seed)
    for needle, one_of in NEEDLES.items():
        for _ in range(library.rows // one_of):
            _add(texts[rng.randrange(library.documents)], rng.randrange(library.document_rows), needle)
    _add(texts[library.documents // 2], library.document_rows // 2, next(iter(NEEDLES)))


def _add(chunks: list[str], at: int, needle: str) -> None:
    before, _, after = chunks[at].rpartition(" ")
    chunks[at] = f"{before} {needle} {after}"


def _texts(paths: list[Path]) -> Iterator[str]:
    """The canonical texts of a knowledge base's catalog.sqlite, or the .md and .txt files below a folder."""
    for path in paths:
        if path.suffix == ".sqlite":
            database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            for (text,) in database.execute("select text from texts order by document_id"):
                yield text
            database.close()
            continue
        for file in sorted(path.rglob("*")):
            if file.suffix in (".md", ".txt"):
                yield file.read_text(encoding="utf-8", errors="replace").replace("\r", "")
