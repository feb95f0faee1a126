"""Plans of a search, from Python: what `plan`, `recall_target` and `explain` do."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import numpy.typing as npt
import pytest

from knarr import Engine
from knarr.errors import InvalidArgument

Floats = npt.NDArray[np.float32]
DIM = 128
ROWS = 12_000


@pytest.fixture(scope="module")
def vectors() -> Floats:
    """Families of twenty rows that lie close together, all near one direction."""
    rng = np.random.default_rng(1)
    heads = np.repeat(rng.standard_normal((ROWS // 20, DIM)), 20, axis=0)
    noise = rng.standard_normal((ROWS, DIM))
    out = (rng.standard_normal(DIM) + heads + 0.4 * noise).astype(np.float32)
    return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def engine(vectors: Floats) -> Engine:
    made = Engine(DIM)
    made.add([f"viking://all/folder_{i // 3000}/{i:05d}" for i in range(ROWS)], vectors)
    return made


def best(vectors: Floats, query: Floats, rows: npt.NDArray[np.intp], k: int) -> set[int]:
    return set(rows[np.argsort(-(vectors[rows] @ query), kind="stable")[:k]].tolist())


@pytest.mark.parametrize("plan", ["auto", "exact", "scan"])
def test_every_plan_finds_the_best(engine: Engine, vectors: Floats, plan: str) -> None:
    rows = np.arange(ROWS)
    for row in range(0, ROWS, 997):
        hits = engine.search(vectors[row], k=10, plan=plan)  # type: ignore[arg-type]
        assert len(set(hits.rows.tolist()) & best(vectors, vectors[row], rows, 10)) >= 9
        assert hits.rows[0] == row
        assert np.allclose(hits.scores, vectors[hits.rows] @ vectors[row], atol=2e-6)
        assert hits.plan in ("exact", "scan") if plan == "auto" else hits.plan == plan


def test_explain_says_what_was_done(engine: Engine, vectors: Floats) -> None:
    assert engine.search(vectors[0]).explain is None
    scanned = engine.search(vectors[0], plan="scan", explain=True).explain
    assert scanned is not None
    assert scanned.plan == "scan"
    assert scanned.rows_allowed == ROWS
    assert scanned.rows_scanned >= ROWS - 511  # the last rows may have no code yet
    assert 10 <= scanned.rows_reranked < ROWS // 4
    assert scanned.scan_us > 0 and scanned.rerank_us > 0
    exact = engine.search(vectors[0], "viking://all/folder_1", explain=True).explain
    assert exact is not None
    assert (exact.plan, exact.rows_allowed, exact.rows_scanned) == ("exact", 3000, 3000)
    assert exact.rows_reranked < 300
    assert exact.scan_us > 0


def test_a_batch_equals_its_queries(engine: Engine, vectors: Floats) -> None:
    queries = np.ascontiguousarray(vectors[::1500])
    for plan in ("auto", "exact", "scan"):
        batch = engine.search_batch(queries, k=7, plan=plan, explain=True)  # type: ignore[arg-type]
        for query, together in zip(queries, batch, strict=True):
            alone = engine.search(query, k=7, plan=plan)  # type: ignore[arg-type]
            assert together.rows.tolist() == alone.rows.tolist()
            assert together.scores.tolist() == alone.scores.tolist()
            assert together.explain is not None and together.explain.plan == alone.plan


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_rights_apply_before_the_best_are_chosen(engine: Engine, vectors: Floats, share: float) -> None:
    mask = np.random.default_rng(2).random(ROWS) < share
    allowed = np.flatnonzero(mask)
    for row in range(5, ROWS, 3001):
        hits = engine.search(vectors[row], k=20, filter=mask, plan="scan")
        assert len(hits) == min(20, len(allowed))
        assert mask[hits.rows].all()
        assert len(set(hits.rows.tolist()) & best(vectors, vectors[row], allowed, 20)) >= 0.9 * len(hits)


def test_narrow_scopes_are_exact(engine: Engine, vectors: Floats) -> None:
    assert engine.search(vectors[0], "viking://all/folder_2").plan == "exact"
    assert engine.search(vectors[0], recall_target=1.0).plan == "exact"


def test_removed_rows_are_not_found(vectors: Floats) -> None:
    engine = Engine(DIM)
    engine.add([f"viking://a/{i}" for i in range(3000)], vectors[:3000])
    near = engine.search(vectors[700], k=20, plan="scan")
    for uri in near.uris:
        engine.remove(uri)
    left = engine.search(vectors[700], k=20, plan="scan")
    assert len(left) == 20
    assert not set(left.rows.tolist()) & set(near.rows.tolist())


def test_bad_wishes_are_refused(engine: Engine, vectors: Floats) -> None:
    with pytest.raises(InvalidArgument, match="graph"):
        engine.search(vectors[0], plan="graph")  # type: ignore[arg-type]
    for target in (0.0, -1.0, 1.5, float("nan")):
        with pytest.raises(InvalidArgument, match="recall_target"):
            engine.search(vectors[0], recall_target=target)


# A fresh engine, asked queries from near a row to near nothing. Prints the plans and a digest of the results.
FRESH_ENGINE = """
import hashlib
import numpy as np
from knarr import Engine
rng = np.random.default_rng(7)
rows, dim = 120_000, 128
heads = np.repeat(rng.standard_normal((rows // 20, dim), dtype=np.float32), 20, axis=0)
noise = rng.standard_normal((rows, dim), dtype=np.float32)
vectors = rng.standard_normal(dim, dtype=np.float32) + 0.8 * heads + 0.4 * noise
engine = Engine(dim)
engine.add([f"viking://all/{i}" for i in range(rows)], vectors)
plans, digest = [], hashlib.sha256()
for i in range(12):
    query = (1 - i / 12) * vectors[9000 * i] + i / 12 * rng.standard_normal(dim, dtype=np.float32)
    for plan in ("auto", "scan"):
        hits = engine.search(query, k=10, plan=plan)
        plans.append(hits.plan)
        digest.update(hits.rows.tobytes() + hits.scores.tobytes())
print(plans, digest.hexdigest())
"""


def test_plans_and_results_are_the_same_under_any_load() -> None:
    over = threading.Event()

    def burn() -> None:
        while not over.is_set():
            np.linalg.norm(np.ones((200, 200)))

    def ask(threads: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", FRESH_ENGINE],
            env={**os.environ, "KNARR_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    quiet = ask("1")
    assert "scan" in quiet and "exact" in quiet
    burning = [threading.Thread(target=burn) for _ in range(3)]
    for thread in burning:
        thread.start()
    try:
        assert ask("2") == quiet
        assert ask("8") == quiet
    finally:
        over.set()
        for thread in burning:
            thread.join()
