"""VEC-03: what comes and goes leaves no rows behind, and nothing deleted returns."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from pyroaring import BitMap

from knarr.engine import Engine, Floats
from knarr.errors import InvalidArgument

DIM = 64
GONE = 2**32 - 1


def vectors(n: int, seed: int) -> Floats:
    found = np.random.default_rng(seed).standard_normal((n, DIM)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found, dtype=np.float32)


def add(engine: Engine, name: str, rows: int, seed: int) -> dict[str, Floats]:
    """Put a document there in place of what is there; its objects' vectors by URI."""
    uris = [f"viking://k/{name}/{i // 4}/{i}" for i in range(rows)]
    made = vectors(rows, seed)
    texts = [f"{name} {seed} {i} " for i in range(rows)]
    engine.add(uris, made, texts, document=f"viking://k/{name}", replace=True)
    return dict(zip(uris, made, strict=True))


def test_neighbours_that_were_deleted_take_no_place() -> None:
    engine = Engine(DIM)
    near = vectors(1, 1) + 0.01 * vectors(50, 2)
    far = vectors(1000, 3)
    engine.add([f"viking://near/{i}" for i in range(50)], near)
    engine.add([f"viking://far/{i}" for i in range(1000)], far)
    engine.remove("viking://near")
    query = vectors(1, 1)[0]
    best = [f"viking://far/{i}" for i in np.argsort(-(far @ query), kind="stable")[:10]]
    assert engine.search(query).uris == best
    assert engine.compact(0.04) is not None
    assert engine.search(query).uris == best
    assert engine.stats()["rows"] == 1000


def test_churn_is_bounded_and_loses_nothing() -> None:
    engine = Engine(DIM)
    rng = np.random.default_rng(7)
    begun = engine.generation
    live: dict[str, Floats] = {}
    ever: set[str] = set()
    most = 0
    for step in range(400):
        name = f"d{rng.integers(0, 40)}"
        live = {uri: vector for uri, vector in live.items() if not uri.startswith(f"viking://k/{name}/")}
        if rng.random() < 0.3 and engine.exists(f"viking://k/{name}"):
            engine.remove(f"viking://k/{name}")
        else:
            live |= add(engine, name, int(rng.integers(1, 60)), step)
        ever |= live.keys()
        engine.compact(0.5)
        most = max(most, engine.stats()["rows"])
        assert engine.stats()["rows"] <= 2 * len(live) + 60
    assert len(ever) > len(live) == len(engine)
    assert engine.stats()["generation"] == engine.generation > begun + 3
    for plan in ("exact", "scan"):
        for uri, vector in live.items():
            hits = engine.search(vector, k=10, plan=plan)  # type: ignore[arg-type]  # a str of two values
            assert uri in hits.uris
            assert live.keys() >= set(hits.uris)
    engine.compact()
    assert engine.stats()["rows"] == len(live)
    assert all(engine.search(vector, k=1).uris == [uri] for uri, vector in live.items())
    assert {match.uri for match in engine.grep(".", limit=10_000).matches} <= live.keys()


def test_removed_parts_of_a_text_that_lives_share_a_row() -> None:
    engine = Engine(DIM)
    add(engine, "d", 100, 1)
    text = engine.read("viking://k/d").text
    for i in (*range(20), *range(30, 60)):
        engine.remove(f"viking://k/d/{i // 4}/{i}")
    last = engine.grep("d 1 99 ").matches[0]
    engine.compact()
    assert engine.stats()["rows"] == 52
    assert engine.grep("d 1 99 ").matches[0].begin_byte == last.begin_byte == text.index("d 1 99 ")
    assert engine.grep(r"d 1 (5|25) ").total == 1
    assert engine.read("viking://k/d").text == "".join(f"d 1 {i} " for i in (*range(20, 30), *range(60, 100)))


def test_filters_follow_the_new_numbers() -> None:
    engine = Engine(DIM)
    add(engine, "old", 10, 1)
    rows = engine.add(["viking://a", "viking://b", "viking://c"], vectors(3, 2))
    allowed = BitMap([rows[0], rows[2]])
    seen = (allowed, engine.generation)
    query = vectors(1, 3)[0]
    before = engine.search(query, filter=seen).uris
    assert sorted(before) == ["viking://a", "viking://c"]
    engine.remove("viking://k")
    numbers = engine.compact()
    assert numbers is not None
    assert numbers.tolist() == [GONE] * 10 + [0, 1, 2]
    with pytest.raises(InvalidArgument, match=f"generation {seen[1]}"):
        engine.search(query, filter=seen)
    with pytest.raises(InvalidArgument, match="tuple of 3"):
        engine.search(query, filter=(allowed, 1, 2))  # type: ignore[arg-type]  # wrong on purpose
    moved = BitMap(numbers[list(allowed)].tolist())
    assert engine.search(query, filter=(moved, engine.generation)).uris == before


def test_filters_of_another_engine_are_refused(tmp_path: Path) -> None:
    engine = Engine(DIM)
    rows = engine.add(["viking://a", "viking://b", "viking://c"], vectors(3, 2))
    seen = (BitMap([rows[1]]), engine.generation)
    assert engine.search(vectors(1, 3)[0], filter=seen).uris == ["viking://b"]
    engine.remove("viking://a")
    engine.save(tmp_path / "engine.snapshot")  # in which b has another row
    for other in (Engine.load(tmp_path / "engine.snapshot"), Engine(DIM)):
        with pytest.raises(InvalidArgument, match="generation"):
            other.search(vectors(1, 3)[0], filter=seen)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_shares_are_shares(share: float) -> None:
    with pytest.raises(InvalidArgument, match=r"0 to 1|expected a number"):
        Engine(DIM).compact(share)


def test_readers_go_on_while_it_is_compacted() -> None:
    engine = Engine(DIM)
    begun = engine.generation
    kept = add(engine, "kept", 200, 1)
    done = threading.Event()

    def read() -> int:
        count = 0
        while not done.is_set() or count < 10:
            uri, vector = list(kept.items())[count % 200]
            assert engine.search(vector, "viking://k/kept", 1).uris == [uri]
            assert engine.grep("kept 1 7 ", "viking://k/kept").total == 1
            assert engine.read(uri).text.startswith("kept 1 ")
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        try:
            for step in range(60):
                add(engine, f"other{step % 3}", 300, step)
                engine.compact(0.3)
        finally:
            done.set()
        assert all(reader.result() >= 10 for reader in readers)
    assert engine.generation > begun + 5
