"""The graph of an engine: kept on demand, used by the plan "graph" only, and named in the plan that ran."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import knarr
from knarr import Engine
from knarr.config import Settings
from knarr.errors import InvalidArgument, Unsupported
from knarr.index.index import Index
from knarr.testing import HashEmbedder

DIM = 64
ROWS = 20_500  # a graph is made from 20,000 on
LONG = 600.0


def clusters(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((n // 20 + 1, DIM), dtype=np.float32)
    noise = rng.standard_normal((n, DIM), dtype=np.float32)
    return centres[rng.integers(0, len(centres), n)] + 0.5 * noise


def uris(begin: int, end: int) -> list[str]:
    return [f"viking://folder{i % 2}/doc{i // 100}/{i}" for i in range(begin, end)]


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return clusters(ROWS, 1)


@pytest.fixture(scope="module")
def engine(vectors: np.ndarray) -> Engine:
    try:
        engine = Engine(DIM, graph=True)
    except Unsupported as error:
        pytest.skip(str(error))
    engine.add(uris(0, ROWS), vectors)
    assert engine.wait_for_graph(LONG)
    return engine


def test_without_a_graph_its_plan_is_refused() -> None:
    engine = Engine(DIM)
    engine.add(uris(0, 10), clusters(10, 2))
    assert not engine.keeps_graph
    with pytest.raises(InvalidArgument, match="keeps no graph"):
        engine.search(np.ones(DIM, np.float32), plan="graph")


def test_it_finds_what_the_exact_plan_finds(engine: Engine, vectors: np.ndarray) -> None:
    assert engine.keeps_graph and engine.graph_rows == ROWS
    assert engine.stats()["graph_rows"] == ROWS
    assert engine.stats()["graph_size_bytes"] > 100 * ROWS
    half = np.arange(ROWS) % 4 < 2
    for mask in (None, half):
        found = 0
        for query in vectors[:: ROWS // 50]:
            exact = engine.search(query, filter=mask, plan="exact")
            graph = engine.search(query, filter=mask, plan="graph", recall_target=0.9, explain=True)
            assert graph.plan == "graph" and len(graph) == 10
            assert graph.explain is not None and 0 < graph.explain.rows_scanned < ROWS // 2
            found += len(set(graph.uris) & set(exact.uris))
        assert found >= 0.98 * 10 * len(vectors[:: ROWS // 50])
    batch = engine.search_batch(vectors[:5], plan="graph", recall_target=0.9)
    alone = [engine.search(query, plan="graph", recall_target=0.9) for query in vectors[:5]]
    assert [hits.uris for hits in batch] == [hits.uris for hits in alone]


def test_the_plan_auto_never_takes_it(engine: Engine, vectors: np.ndarray) -> None:
    for target in (0.1, 0.5, 0.8, 0.9, 0.99):
        for k in (1, 10, 2000):
            assert engine.search(vectors[0], k=k, recall_target=target).plan != "graph"


def test_a_narrow_scope_or_an_exact_recall_takes_another_plan(engine: Engine, vectors: np.ndarray) -> None:
    narrow = engine.search(vectors[0], "viking://folder0/doc0", plan="graph", recall_target=0.9)
    assert narrow.plan == "exact" and len(narrow) == 10
    assert engine.search(vectors[0], plan="graph", recall_target=1.0).plan == "exact"
    assert engine.search(vectors[0], plan="graph", k=2000, recall_target=0.9).plan != "graph"
    share = np.arange(ROWS) % 10 == 0  # less than an eighth
    assert engine.search(vectors[0], filter=share, plan="graph", recall_target=0.9).plan == "exact"


def test_a_file_brings_it_along(engine: Engine, vectors: np.ndarray, tmp_path: Path) -> None:
    engine.save(tmp_path / "engine")
    plain = Engine.load(tmp_path / "engine")
    assert not plain.keeps_graph and plain.graph_rows == 0
    again = Engine.load(tmp_path / "engine", graph=True)
    assert again.wait_for_graph(LONG) and again.graph_rows == ROWS
    for query in vectors[:20]:
        before = engine.search(query, plan="graph", recall_target=0.9)
        after = again.search(query, plan="graph", recall_target=0.9)
        assert before.plan == after.plan == "graph"
        assert before.uris == after.uris and np.array_equal(before.scores, after.scores)


def test_writers_and_readers_go_on_while_it_is_made(vectors: np.ndarray, engine: Engine) -> None:
    other = Engine(DIM, graph=True)
    other.add(uris(0, ROWS), vectors)
    done = threading.Event()

    def read() -> None:
        while not done.wait(0.002):
            assert len(other.search(vectors[7], plan="graph")) == 10

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    other.remove("viking://folder0/doc3")
    other.move("viking://folder1", "viking://moved")
    other.add(uris(ROWS, ROWS + 300), clusters(300, 3))
    done.set()
    for reader in readers:
        reader.join()
    assert len(other.search(vectors[7], "viking://moved", plan="graph")) == 10


def test_a_knowledge_base_keeps_one_when_set(tmp_path: Path, engine: Engine) -> None:
    embedder = HashEmbedder(DIM)
    with knarr.open(tmp_path / "a.kb", embedder=embedder, settings=Settings(graph=True)) as kb:
        index: Index = kb._index
        assert index.engine.keeps_graph
    with knarr.open(tmp_path / "a.kb", embedder=embedder) as kb:
        assert not kb._index.engine.keeps_graph
