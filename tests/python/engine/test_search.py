"""`Engine` as users meet it: vectors, order and filters."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyroaring
import pytest

from engine_rows import DIM, unit, vectors
from knarr.engine import Engine
from knarr.errors import InvalidArgument
from knarr.types import Kind


def test_scoped_top_k_is_full_and_correct() -> None:
    """VEC-01, smaller: every scope and k equals brute force."""
    dim, documents, chunks = 32, 200, 10
    engine = Engine(dim)
    rng = np.random.default_rng(1)
    rows = vectors(documents * chunks, 1, dim)
    uris = [f"viking://s{d % 20}/d{d}/{c}" for d in range(documents) for c in range(chunks)]
    order = rng.permutation(len(uris))
    for part in np.array_split(order, 7):
        engine.add([uris[i] for i in part], rows[part])
    normalised = unit(rows)
    for scope in ("viking://", "viking://s3", "viking://s3/d3", "viking://s3/d3/7"):
        inside = [i for i, uri in enumerate(uris) if f"{uri}/".startswith(scope.rstrip("/") + "/")]
        if scope == "viking://":
            inside = list(range(len(uris)))
        for k in (1, 20, 50, 5000):
            query = rng.standard_normal(dim).astype(np.float32)
            scores = normalised[inside] @ (query / np.linalg.norm(query))
            best = np.argsort(-scores, kind="stable")[:k]
            hits = engine.search(query, scope, k)
            assert len(hits) == min(k, len(inside))
            assert hits.uris == [uris[inside[i]] for i in best]
            np.testing.assert_allclose(hits.scores, scores[best], atol=1e-5)
            assert hits.rows_allowed == len(inside)


@pytest.mark.parametrize("k", [0, -1, 2**63, 1.5])
def test_k_must_be_a_positive_integer(engine: Engine, k: int) -> None:
    engine.add(["viking://a"], vectors(1))
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], k=k)


def test_bad_vectors_are_refused_whole(engine: Engine) -> None:
    """VEC-02."""
    good = vectors(100)
    engine.add([f"viking://a/{i}" for i in range(100)], good)
    for value in (np.nan, np.inf, -np.inf, 0.0, 1e-42):
        bad = vectors(3, 2)
        bad[1] = value if not np.isfinite(value) else np.full(DIM, value)
        with pytest.raises(InvalidArgument, match="viking://b/1"):
            engine.add([f"viking://b/{i}" for i in range(3)], bad)
        with pytest.raises(InvalidArgument):
            engine.search(bad[1])
        with pytest.raises(InvalidArgument):
            engine.search_batch(bad)
    assert len(engine) == 100
    scores = engine.search(good[0], k=1000).scores
    assert np.isfinite(scores).all()
    assert (np.diff(scores) <= 0).all()


def test_arrays_are_taken_as_they_are_or_refused(engine: Engine) -> None:
    rows = vectors(4)
    engine.add([f"viking://a/{i}" for i in range(4)], rows)
    wrong: Any
    for wrong in (
        rows.astype(np.float64),
        rows[:, ::2],
        rows[:, :-1].copy(),
        np.asfortranarray(rows),
        rows[0],
    ):
        with pytest.raises(InvalidArgument):
            engine.add([f"viking://b/{i}" for i in range(4)], wrong)
    for wrong in (rows[0].astype(np.float64), rows[:1], rows[0][:-1].copy(), rows[0][::2], rows.T[0]):
        with pytest.raises(InvalidArgument):
            engine.search(wrong)
    with pytest.raises(InvalidArgument, match="expected dimension 16"):
        engine.search_batch(np.ones((2, 15), np.float32))
    with pytest.raises(InvalidArgument):
        Engine(0)
    assert engine.search_batch(np.empty((0, DIM), np.float32)) == []
    assert len(engine.add([], np.empty((0, DIM), np.float32))) == 0


def test_pages_are_deterministic(engine: Engine) -> None:
    """VEC-05, with ties, pages and eight threads."""
    rows = vectors(100)
    rows[:30] = rows[0]
    uris = [f"viking://{'abc'[i % 3]}{'/' if i % 2 else '-'}{(i * 37) % 100}" for i in range(100)]
    order = np.random.default_rng(3).permutation(100)
    engine.add([uris[i] for i in order], rows[order])
    query = rows[0]
    whole = engine.search(query, k=100)
    assert whole.uris[:30] == sorted(uris[:30])
    assert len(set(whole.scores[:30])) == 1
    expected = sorted(zip(-whole.scores, whole.uris, strict=True))
    assert [uri for _, uri in expected] == whole.uris

    def pages(_: int) -> list[str]:
        return [uri for at in range(0, 100, 10) for uri in engine.search(query, k=10, offset=at).uris]

    with ThreadPoolExecutor(8) as pool:
        for answer in pool.map(pages, range(32)):
            assert answer == whole.uris
    assert len(engine.search(query, k=10, offset=95)) == 5
    assert len(engine.search(query, k=10, offset=100)) == 0
    assert len(engine.search(query, k=10, offset=10**12)) == 0


def test_a_batch_equals_its_queries(engine: Engine) -> None:
    rows = vectors(300)
    engine.add([f"viking://{i % 5}/{i}" for i in range(300)], rows)
    queries = vectors(9, 5)
    for scope in ("viking://", "viking://3"):
        for query, hits in zip(queries, engine.search_batch(queries, scope, 7), strict=True):
            one = engine.search(query, scope, 7)
            assert hits.uris == one.uris
            assert hits.scores.tobytes() == one.scores.tobytes()


def test_filters_from_bitmap_bytes_and_mask(engine: Engine) -> None:
    rows = vectors(200)
    uris = [f"viking://{i % 4}/{i}" for i in range(200)]
    kinds: list[Kind] = ["abstract" if i % 5 == 0 else "chunk" for i in range(200)]
    engine.add(uris, rows, [f"word{i} " for i in range(200)], kinds)
    seen = {i for i in range(200) if i % 3 == 0}
    mask = np.array([i in seen for i in range(200)])
    bitmap = pyroaring.BitMap(seen)
    forms = [bitmap, bitmap.serialize(), mask, pyroaring.FrozenBitMap(seen), mask[:199]]
    for form in forms:
        hits = engine.search(rows[0], "viking://1", 1000, filter=form, kinds=["chunk"])
        expected = {uris[i] for i in seen if i % 4 == 1 and kinds[i] == "chunk"}
        assert set(hits.uris) == expected
        assert hits.rows_allowed == len(expected)
        assert set(hits.kinds) == {"chunk"}
        found = engine.grep(r"word\d+", filter=form, kinds=None, limit=1000)
        assert {match.uri for match in found.matches} == {uris[i] for i in seen}
    assert len(engine.search(rows[0], filter=pyroaring.BitMap())) == 0
    assert len(engine.search(rows[0], filter=pyroaring.BitMap([5_000_000]))) == 0
    assert len(engine.search(rows[0], k=1000, kinds=())) == 0
    assert engine.count(kinds="abstract") == 40


@pytest.mark.parametrize(
    "bad", [b"", b"junk", np.ones(200, np.int64), np.ones((10, 20), bool), [1, 2], np.ones(400, bool)[::2]]
)
def test_a_filter_that_cannot_be_applied_is_an_error(engine: Engine, bad: object) -> None:
    engine.add(["viking://a"], vectors(1))
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], filter=bad)


def test_unknown_kinds_are_refused(engine: Engine) -> None:
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], kinds="chunks")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(InvalidArgument):
        engine.add(["viking://a"], vectors(1), None, ["chunks"])  # type: ignore[list-item]  # the mistake under test


def test_arguments_are_taken_as_python_takes_them(engine: Engine) -> None:
    engine.add(["viking://a", "viking://b"], vectors(2))
    query = vectors(1)[0]
    best = engine.search(query, k=1).uris
    assert engine.search(query, k=np.int64(1)).uris == engine.search(query, k=True).uris == best
    assert engine.search(query, kinds=iter(["chunk"])).rows_allowed == 2
    assert (
        engine.search(query, kinds={"abstract"}).rows_allowed
        == engine.search(query, kinds=()).rows_allowed
        == 0
    )
    assert len(engine.expand(iter(["viking://a"]), query)) == 0  # type: ignore[arg-type]
    assert engine.list(limit=np.uint8(1)).total == 2


def test_arguments_of_other_types_are_named(engine: Engine) -> None:
    engine.add(["viking://a"], vectors(1))
    query = vectors(1)[0]
    calls: dict[str, Callable[[], object]] = {
        "k: expected an integer, got '3'": lambda: engine.search(query, k="3"),  # type: ignore[arg-type]
        "k: 9223372036854775808 is out of range": lambda: engine.search(query, k=2**63),
        "URI: expected str, got b'x'": lambda: engine.search(query, b"x"),  # type: ignore[arg-type]
        "a lone surrogate has no UTF-8 form": lambda: engine.search(query, "viking://\ud800"),
        "query: expected a float32 array, got list": lambda: engine.search([1.0]),  # type: ignore[arg-type]
        "gamma: expected a number, got 'x'": lambda: engine.search(query, gamma="x"),  # type: ignore[arg-type]
        "plan: expected str, got None": lambda: engine.search(query, plan=None),  # type: ignore[arg-type]
        "kinds: expected 'chunk' or 'abstract', got 3": lambda: engine.count(kinds=[3]),  # type: ignore[list-item]
        "pattern: expected str, got 3": lambda: engine.grep(3),  # type: ignore[arg-type]
        "limit must not be negative, got -1": lambda: engine.grep("x", limit=-1),
        "max_bytes: expected an integer, got 1.5": lambda: engine.read("viking://a", 0, 1.5),  # type: ignore[arg-type]
    }
    for message, call in calls.items():
        with pytest.raises(InvalidArgument, match=re.escape(message)):
            call()
    with pytest.raises(InvalidArgument, match="kinds: expected"):
        engine.search(query, kinds=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="incompatible function arguments"):
        engine._core.search(query)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        type(engine._core).__new__(type(engine._core)).exists("viking://a")
