"""VEC-01: scoped top-k is full and correct however narrow the scope."""

from __future__ import annotations

import numpy as np
import pyroaring
import pytest

from knarr.engine import Engine, Floats

DIM, DOCUMENTS, CHUNKS, QUERIES = 32, 2000, 50, 200


@pytest.fixture(scope="module")
def rows() -> Floats:
    matrix = np.random.default_rng(42).standard_normal((DOCUMENTS * CHUNKS, DIM)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix


@pytest.fixture(scope="module")
def uris() -> list[str]:
    return [f"viking://s{d % 40}/d{d}/{c}" for d in range(DOCUMENTS) for c in range(CHUNKS)]


@pytest.fixture(scope="module")
def engine(rows: Floats, uris: list[str]) -> Engine:
    engine = Engine(DIM)
    for at in range(0, len(uris), 100 * CHUNKS):
        engine.add(uris[at : at + 100 * CHUNKS], rows[at : at + 100 * CHUNKS])
    return engine


def check(
    engine: Engine, rows: Floats, uris: list[str], inside: np.ndarray, scope: str, bitmap: object
) -> None:
    queries = np.random.default_rng(len(inside)).standard_normal((QUERIES, DIM)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    scores = queries.astype(np.float64) @ rows[inside].T.astype(np.float64)
    for k in (1, 20, 50, 5000):
        many = engine.search_batch(queries, scope, k, bitmap)  # type: ignore[arg-type]  # a bitmap or None
        for query, expected, hits in zip(queries, scores, many, strict=True):
            assert len(hits) == min(k, len(inside)) == len(set(hits.uris))
            best = np.argsort(-expected, kind="stable")[:k]
            np.testing.assert_allclose(hits.scores, expected[best], atol=1e-5)
            # Scores closer than float32 tells apart may change places; others may not.
            apart = np.diff(expected[best], prepend=np.inf, append=-np.inf) < -1e-6
            settled = apart[:-1] & apart[1:]
            got = np.array(hits.uris)
            assert (got[settled] == np.array([uris[i] for i in inside[best]])[settled]).all()
            if k == 20:
                assert engine.search(query, scope, k, bitmap).uris == hits.uris  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("size", [1, 20, 1000])
def test_chunks_placed_at_random(engine: Engine, rows: Floats, uris: list[str], size: int) -> None:
    inside = np.sort(np.random.default_rng(size).choice(len(uris), size, replace=False))
    check(engine, rows, uris, inside, "viking://", pyroaring.BitMap(inside.tolist()))


@pytest.mark.parametrize("scope", ["viking://s7/d7/3", "viking://s7/d7", "viking://s7"])
def test_scopes(engine: Engine, rows: Floats, uris: list[str], scope: str) -> None:
    inside = np.array([i for i, uri in enumerate(uris) if f"{uri}/".startswith(f"{scope}/")])
    check(engine, rows, uris, inside, scope, None)


def test_an_empty_scope_is_an_empty_list(engine: Engine, rows: Floats) -> None:
    for k in (1, 50):
        hits = engine.search(rows[0], k=k, filter=pyroaring.BitMap())
        assert (len(hits), hits.uris, hits.rows_allowed) == (0, [], 0)
        assert hits.scores.shape == hits.rows.shape == (0,)
