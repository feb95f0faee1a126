"""Vectors stored in float32, bfloat16 and int8: every plan and scope beside NumPy on the rounded vectors."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest

import knarr
from knarr import Engine
from knarr.engine import Precision
from knarr.errors import Corruption, EngineError, InvalidArgument, StorageError
from knarr.testing import HashEmbedder
from support import WriteDocs

Floats = npt.NDArray[np.float32]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
DIM = 96
ROWS = 12_000  # more than are always searched exactly
# What a score may be off: float32 rounds sums, int8 splits queries into 16 bits.
SLACK = {"float32": 1e-6, "bfloat16": 1e-6, "int8": 2e-5}


def unit(values: Floats) -> Floats:
    lengths = np.linalg.norm(values.astype(np.float64), axis=-1, keepdims=True)
    return np.asarray(values / lengths, dtype=np.float32)


def rotated(vectors: Floats) -> Floats:
    """A Hadamard matrix over groups of eight numbers, sixteen groups at a time, then eight, then four."""
    out, at, width = np.empty_like(vectors), 0, vectors.shape[1]
    for groups in (16, 8, 4):
        while width - at >= 8 * groups:
            block, part = vectors[:, at : at + 8 * groups].reshape(len(vectors), groups, 8), 1
            while part < groups:  # in the order of the engine's additions
                pairs = block.reshape(len(vectors), -1, 2, part, 8)
                a, b = pairs[:, :, 0], pairs[:, :, 1]
                block, part = np.stack([a + b, a - b], axis=2), 2 * part
            scale = np.sqrt(np.float32(1) / np.float32(groups))
            out[:, at : at + 8 * groups] = block.reshape(len(vectors), -1) * scale
            at += 8 * groups
    return out


def rounded(vectors: Floats, precision: Precision) -> Floats:
    """The reference for what is stored."""
    vectors = unit(vectors)
    if precision == "bfloat16":
        bits = vectors.view(np.uint32)
        return unit(((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32))
    if precision == "int8":
        width = vectors.shape[1]
        vectors = rotated(np.pad(vectors, [(0, 0), (0, -vectors.shape[1] % 32)]))
        pairs = np.abs(vectors[:, 0::2]) + np.abs(vectors[:, 1::2])
        steps = pairs.max(axis=1, keepdims=True) / np.float32(127)
        scaled = vectors * (np.float32(1) / steps)
        numbers = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)).astype(np.float64)
        return np.ascontiguousarray(rotated(unit(numbers.astype(np.float32)))[:, :width])
    return vectors


@pytest.fixture(scope="module")
def vectors() -> Floats:
    """Families of twenty rows that lie close together, all near one direction; some are equal."""
    rng = np.random.default_rng(1)
    heads = np.repeat(rng.standard_normal((ROWS // 20, DIM)), 20, axis=0)
    out = (rng.standard_normal(DIM) + heads + 0.4 * rng.standard_normal((ROWS, DIM))).astype(np.float32)
    out[49::50] = out[48::50]
    return out


def uris(rows: int) -> list[str]:
    return [
        f"viking://all/folder_{i // 3000}/document_{i // 500}/section_{i // 50}/{i:05d}" for i in range(rows)
    ]


def filled(vectors: Floats, precision: Precision) -> Engine:
    engine = Engine(DIM, precision)
    engine.add(uris(len(vectors)), vectors, [f"text {i}" for i in range(len(vectors))])
    return engine


@pytest.fixture(scope="module", params=PRECISIONS)
def engine(request: pytest.FixtureRequest, vectors: Floats) -> Engine:
    return filled(vectors, request.param)


SCOPES = [
    ("viking://all", 0, ROWS),
    ("viking://all/folder_2", 6000, 9000),
    ("viking://all/folder_1/document_7", 3500, 4000),
    ("viking://all/folder_1/document_7/section_77", 3850, 3900),
    ("viking://all/folder_1/document_7/section_77/03899", 3899, 3900),
]


def test_every_plan_and_scope(engine: Engine, vectors: Floats) -> None:
    stored = rounded(vectors, engine.precision)
    rng = np.random.default_rng(2)
    mask = rng.random(ROWS) < 0.3
    slack = SLACK[engine.precision]
    for scope, begin, end in SCOPES:
        for seen in (None, mask):
            rows = np.arange(begin, end) if seen is None else begin + np.flatnonzero(mask[begin:end])
            for query in unit(vectors[rng.integers(0, ROWS, 4)] + rng.standard_normal((4, DIM)) * 0.3):
                query = np.ascontiguousarray(query, dtype=np.float32)
                scores = stored[rows].astype(np.float64) @ query
                best = np.sort(scores)[::-1][:10]
                exact = engine.search(query, scope, 10, filter=seen, plan="exact")
                assert np.allclose(exact.scores, best, atol=slack, rtol=0)
                assert np.allclose(
                    exact.scores, stored[exact.rows].astype(np.float64) @ query, atol=slack, rtol=0
                )
                assert np.isin(exact.rows, rows).all()
                (batched,) = engine.search_batch(query[np.newaxis], scope, 10, filter=seen, plan="exact")
                assert batched.rows.tolist() == exact.rows.tolist()
                assert batched.scores.tolist() == exact.scores.tolist()
                scanned = engine.search(query, scope, 10, filter=seen, plan="scan")
                assert len(scanned) == len(exact) == len(best)
                assert np.isin(scanned.rows, rows).all()
                assert len(set(scanned.rows.tolist()) & set(exact.rows.tolist())) >= len(best) - 1


def test_equal_vectors_tie_and_their_uris_decide(engine: Engine, vectors: Floats) -> None:
    hits = engine.search(vectors[48], k=2)
    assert hits.rows.tolist() == [48, 49]
    assert hits.scores[0] == hits.scores[1]


def test_a_batch_equals_its_queries(engine: Engine, vectors: Floats) -> None:
    queries = np.ascontiguousarray(vectors[::1500])
    for plan in ("auto", "exact", "scan"):
        batch = engine.search_batch(queries, k=7, plan=plan)  # type: ignore[arg-type]
        for query, together in zip(queries, batch, strict=True):
            alone = engine.search(query, k=7, plan=plan)  # type: ignore[arg-type]
            assert together.rows.tolist() == alone.rows.tolist()
            assert together.scores.tolist() == alone.scores.tolist()


def test_most_of_the_best_in_float32_are_found(engine: Engine, vectors: Floats) -> None:
    true = unit(vectors)
    found = 0
    for row in range(0, ROWS, 997):
        best = np.argsort(-(true @ true[row]), kind="stable")[:10]
        found += len(set(best.tolist()) & set(engine.search(vectors[row], plan="exact").rows.tolist()))
    assert found >= 0.95 * 10 * len(range(0, ROWS, 997))


def test_stats_show_the_bytes(engine: Engine) -> None:
    stats = engine.stats()
    per_row = {"float32": (4 * DIM, DIM + 12), "bfloat16": (2 * DIM + 4, DIM + 12), "int8": (DIM + 12, 0)}
    vectors, short = per_row[engine.precision]
    assert (stats["vectors_size_bytes"], stats["short_size_bytes"]) == (ROWS * vectors, ROWS * short)
    assert stats["codes_size_bytes"] > 0


def test_save_and_load(engine: Engine, vectors: Floats, tmp_path: Path) -> None:
    path, again = tmp_path / "engine", tmp_path / "again"
    engine.save(path)
    for wanted in (None, engine.precision):
        loaded = Engine.load(path, wanted)
        assert loaded.precision == engine.precision
        for plan in ("exact", "scan"):
            for row in range(0, ROWS, 2999):
                here, there = (each.search(vectors[row], k=20, plan=plan) for each in (engine, loaded))  # type: ignore[arg-type]
                assert here.uris == there.uris and here.scores.tolist() == there.scores.tolist()
    for other in PRECISIONS:
        if other != engine.precision:
            with pytest.raises(InvalidArgument, match=f"expected vectors in {other}.* {engine.precision};"):
                Engine.load(path, other)
    # A loaded engine goes on, and closes up what went.
    for each in (loaded, whole := filled(vectors, engine.precision)):
        each.remove("viking://all/folder_0")
        each.add(["viking://new"], vectors[:1])
    loaded.save(again)
    whole.save(path)
    assert again.read_bytes() == path.read_bytes()
    assert len(Engine.load(again).search(vectors[0], k=5)) == 5


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_same_vectors_make_the_same_file(vectors: Floats, precision: Precision, tmp_path: Path) -> None:
    names = uris(3000)
    for name, step in (("one", 700), ("other", 3000)):
        engine = Engine(DIM, precision)
        for begin in range(0, 3000, step):
            end = min(begin + step, 3000)
            engine.add(names[begin:end], vectors[begin:end])
        engine.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_damage_is_refused(vectors: Floats, precision: Precision, tmp_path: Path) -> None:
    """PER-01: cut at every kilobyte and at the ends, a byte flipped at 200 places."""
    path, damaged = tmp_path / "engine", tmp_path / "damaged"
    filled(vectors[:600], precision).save(path)
    data = path.read_bytes()
    for size in {0, 1, len(data) // 2, len(data) - 1, *range(0, len(data), 1024)}:
        damaged.write_bytes(data[:size])
        with pytest.raises((Corruption, StorageError), match="damaged"):
            Engine.load(damaged)
    rng = np.random.default_rng(4)
    for at in rng.integers(0, len(data), 200):
        flipped = bytearray(data)
        flipped[at] ^= 1 << int(rng.integers(0, 8))
        damaged.write_bytes(flipped)
        with pytest.raises(EngineError, match="damaged"):
            Engine.load(damaged)


@pytest.mark.parametrize("dim", [1, 3, 63, 64, 65])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_narrow_vectors(dim: int, precision: Precision, tmp_path: Path) -> None:
    values = np.random.default_rng(5).standard_normal((40, dim)).astype(np.float32)
    engine = Engine(dim, precision)
    engine.add([f"viking://{i:02d}" for i in range(40)], values)
    engine.save(tmp_path / "engine")
    query = unit(values[7])
    expected = np.sort(rounded(values, precision).astype(np.float64) @ query)[::-1]
    for each in (engine, Engine.load(tmp_path / "engine", precision)):
        assert np.allclose(each.search(values[7], k=40).scores, expected, atol=5e-5, rtol=0)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_has_no_direction_is_refused(precision: Precision) -> None:
    engine = Engine(4, precision)
    for bad in ([0, 0, 0, 0], [1, np.nan, 0, 0], [np.inf, 0, 0, 0], [1e-42, 0, 0, 0]):
        with pytest.raises(InvalidArgument, match="viking://bad"):
            engine.add(["viking://good", "viking://bad"], np.array([[1, 0, 0, 0], bad], np.float32))
    assert len(engine) == 0
    # However short, a direction is a direction: vectors are made of length one before they are rounded.
    engine.add(["viking://tiny"], np.array([[0, 2e-38, 0, 0]], np.float32))
    assert engine.search(np.array([0, 1, 0, 0], np.float32)).scores.tolist() == [1.0]


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="int4"):
        Engine(4, "int4")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="precision"):
        Engine(4, None)  # type: ignore[arg-type]
    Engine(4).save(tmp_path / "engine")
    with pytest.raises(InvalidArgument, match="int4"):
        Engine.load(tmp_path / "engine", "int4")  # type: ignore[arg-type]


def test_a_knowledge_base_changes_precision_without_embedding(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    docs = {
        f"{i}.md": f"# Part {i}\n\nalpha beta word{i}\n\n# More\n\ngamma delta word{i}\n" for i in range(8)
    }
    path = tmp_path / "p.kb"
    found: dict[str, list[str]] = {}
    with knarr.open(path, embedder=embedder) as base:
        base.add(write_docs(docs), into="viking://kb")
        assert base.info()["precision"] == "float32"
    embedded = embedder.texts
    for precision in ("int8", "bfloat16", "int8", "float32"):
        settings = knarr.Settings(precision=precision)  # type: ignore[arg-type]
        with knarr.open(path, embedder=embedder, settings=settings) as base:
            assert base.info()["precision"] == precision
            assert embedder.texts == embedded
            hits = base.search("gamma delta word3", k=5)
            found[precision] = [hit.uri for hit in hits]
            embedded = embedder.texts  # the question
            assert "note" not in base.info()
        (snapshot,) = path.glob("engine-*.snapshot")
        assert Engine.load(snapshot).precision == precision
    assert found["int8"][0] == found["bfloat16"][0] == found["float32"][0]
    # Opened again as it is, the snapshot is taken.
    (snapshot,) = path.glob("engine-*.snapshot")
    before = snapshot.stat().st_mtime_ns
    with knarr.open(path, embedder=embedder) as base:
        assert base.info()["precision"] == "float32"
    assert snapshot.stat().st_mtime_ns == before
