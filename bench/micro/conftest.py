"""What the microbenchmarks call: an engine of a made library, and a small knowledge base of the demo's documents.

    pytest bench/micro --benchmark-only [--rows 100000]
        [--benchmark-autosave] [--benchmark-compare]          before and after a change
        [-k "search and section"]                             some of them

Each test is one call as a user writes it, with warm caches, in a group by scope, so that the table shows side by side
what a call costs in a section, a document, a folder and everything. Compare runs of one machine only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from bench.python.library import Library
from bench.python.scoped_search import make_queries, make_vectors

import knarr
from knarr.testing import HashEmbedder

DIM = 384
SCOPES = ("section", "document", "10%", "100%")
DEMO = Path(knarr.__file__).parent / "demo" / "library"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", type=int, default=100_000, help="chunks in the made library")


@dataclass(frozen=True)
class Bench:
    """An engine of `rows` chunks with texts and edges, the URIs of its scopes, and queries that take turns."""

    engine: knarr.Engine
    rows: int
    scopes: dict[str, str]
    chunk: str
    queries: Iterator[npt.NDArray[np.float32]]


@pytest.fixture(scope="session")
def made(request: pytest.FixtureRequest) -> Bench:
    library = Library(request.config.getoption("--rows"))
    vectors = make_vectors(library.rows, DIM, 1, None)
    engine = knarr.Engine(DIM)
    size = library.document_rows
    for number in range(library.documents):
        uris = library.chunk_uris(number)
        texts = [
            f"Clause {row} of document {number}: notice within {row % 30} days.\n" for row in range(size)
        ]
        engine.add(
            uris, vectors[number * size : (number + 1) * size], texts, document=library.document_uri(number)
        )
    sources = [library.chunk_uris(number)[0] for number in range(library.documents)]
    for number, source in enumerate(sources):
        targets = library.chunk_uris(number)[1:5]
        engine.add_edges(
            [source] * 4, targets, f"question {number}", vectors[number * size], trace=f"t{number}"
        )
    scopes = {scope.name: scope.uri for scope in library.scopes()}
    queries = cycle(make_queries(256, vectors, 2))
    return Bench(engine, library.rows, scopes, library.chunk_uris(library.documents // 2)[3], queries)


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[knarr.KnowledgeBase]:
    with knarr.open(tmp_path_factory.mktemp("micro") / "demo.kb", embedder=HashEmbedder(DIM)) as base:
        base.add(DEMO, into="viking://demo")
        yield base
