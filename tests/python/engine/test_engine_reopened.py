"""The engine after reopening, and while a long call runs (VEC-03 c, VEC-05, GREP-01)."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt

from knarr import Engine


def unit(rows: int, dim: int = 16) -> npt.NDArray[np.float32]:
    return np.random.default_rng(7).standard_normal((rows, dim)).astype(np.float32)


def test_pages_are_the_same_after_reopening(tmp_path: Path) -> None:
    vectors = unit(100)
    vectors[:30] = vectors[0]
    engine = Engine(16)
    engine.add([f"viking://a/{n:03}.md" for n in range(100)], vectors)
    whole = engine.search(vectors[0], k=100).uris
    assert whole[:30] == [f"viking://a/{n:03}.md" for n in range(30)]
    engine.save(tmp_path / "engine.snapshot")
    for each in (engine, Engine.load(tmp_path / "engine.snapshot")):
        for _ in range(2):
            pages = [each.search(vectors[0], k=10, offset=offset).uris for offset in range(0, 100, 10)]
            assert [uri for page in pages for uri in page] == whole


def test_removed_objects_never_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    vectors = unit(1200)
    engine = Engine(16)
    engine.add([f"viking://d{n // 10}/{n}.md" for n in range(1200)], vectors)
    gone = set(rng.permutation(1200)[:600].tolist())
    for n in gone:
        engine.remove(f"viking://d{n // 10}/{n}.md")
    engine.save(tmp_path / "engine.snapshot")
    for each in (engine, Engine.load(tmp_path / "engine.snapshot")):
        assert len(each) == 600
        for n in range(1200):
            found = each.search(vectors[n], k=10).uris
            assert len(found) == 10
            assert (f"viking://d{n // 10}/{n}.md" in found) == (n not in gone)


def test_a_long_grep_holds_nobody_up() -> None:
    engine = Engine(4)
    text = ("a" * 60 + "\n") * 40_000
    engine.add(["viking://long/1.md", "viking://short/1.md"], np.eye(4, dtype=np.float32)[:2], [text, "word"])
    answered = []

    def grep() -> None:
        engine.grep("(a|aa)+b|(a+)+c", "viking://long", timeout_ms=5_000)

    thread = threading.Thread(target=grep)
    thread.start()
    while thread.is_alive():
        answered.append(engine.grep("word", "viking://short").total)
    thread.join()
    assert all(total == 1 for total in answered)
    assert len(answered) > 2
