"""Rights given again and again: the set that was read before is used only while it must be the same."""

from __future__ import annotations

import numpy as np
import pyroaring
import pytest

from knarr import Engine

ROWS = 4_000


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine(8)
    vectors = np.random.default_rng(1).standard_normal((ROWS, 8), dtype=np.float32)
    engine.add([f"viking://a/s{row // 50}/c{row}" for row in range(ROWS)], vectors)
    return engine


def allowed(seed: int) -> set[int]:
    return {int(row) for row in np.random.default_rng(seed).choice(ROWS, ROWS // 2, replace=False)}


def seen(engine: Engine, rights: object) -> set[int]:
    hits = engine.search(np.ones(8, np.float32), k=ROWS, filter=rights)
    return {int(row) for row in hits.rows}


def test_a_bitmap_that_was_changed_is_read_again(engine: Engine) -> None:
    rows = allowed(2)
    bitmap = pyroaring.BitMap(rows)
    assert seen(engine, bitmap) == rows
    gone = min(rows)
    bitmap.discard(gone)
    assert seen(engine, bitmap) == rows - {gone}


@pytest.mark.parametrize("frozen", [False, True])
def test_the_same_object_gives_the_same_rows(engine: Engine, frozen: bool) -> None:
    rows = allowed(3)
    rights = pyroaring.FrozenBitMap(rows) if frozen else pyroaring.BitMap(rows).serialize()
    for _ in range(3):
        assert seen(engine, rights) == rows


def test_objects_that_come_to_lie_where_others_were_are_not_taken_for_them(engine: Engine) -> None:
    for seed in range(10, 40):  # each is freed before the next is made
        assert seen(engine, pyroaring.BitMap(allowed(seed)).serialize()) == allowed(seed)
        assert seen(engine, pyroaring.FrozenBitMap(allowed(seed + 100))) == allowed(seed + 100)


def test_a_subclass_may_change(engine: Engine) -> None:
    class Rights(pyroaring.FrozenBitMap):  # type: ignore[misc]
        denied: frozenset[int] = frozenset()

        def serialize(self) -> bytes:
            return bytes(pyroaring.BitMap(set(self) - self.denied).serialize())

    rows = allowed(4)
    rights = Rights(rows)
    assert seen(engine, rights) == rows
    rights.denied = frozenset([min(rows)])
    assert seen(engine, rights) == rows - {min(rows)}
