"""`Engine` beside a list: random adds, replacements, removals, moves and saves; every answer equal."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from knarr.engine import Engine, Floats
from knarr.errors import EngineError
from knarr.uris import encode

DIM = 4
Parts = tuple[str, ...]
Item = tuple[Parts, int, str, str]  # path, number of its vector, text, kind

# Names that are prefixes of each other, that need escapes, and that sort around "/".
NAMES = st.sampled_from(["a", "ab", "a-b", "a/b", "%2F", "b c", "é"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
TEXTS = st.lists(st.sampled_from(["x", "yé", "xy", "\n", " "]), max_size=4).map("".join)
KINDS = st.sampled_from(["chunk", "chunk", "chunk", "abstract"])
# Few vectors, so that ties are common.
ITEMS = st.tuples(PATHS, st.integers(0, 4), TEXTS, KINDS)


def uri_of(path: Parts, directory: bool = False) -> str:
    return "viking://" + "/".join(encode(name) for name in path) + ("/" if directory and path else "")


def vector_of(number: int) -> Floats:
    vector = np.random.default_rng(number).standard_normal(DIM)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def under(path: Parts, scope: Parts) -> bool:
    return path[: len(scope)] == scope


class Model:
    """Objects in row order, and each directory's children in order of creation."""

    def __init__(self) -> None:
        self.objects: list[Item] = []
        self.order: dict[Parts, list[str]] = {(): []}

    def paths(self) -> set[Parts]:
        return {item[0] for item in self.objects}

    def directories(self) -> set[Parts]:
        return {path[:i] for path in self.paths() for i in range(len(path))} | {()}

    def scopes(self) -> list[Parts]:
        return sorted(self.directories() | self.paths())

    def inside(self, scope: Parts, kind: str | None = None) -> list[Item]:
        return [item for item in self.objects if under(item[0], scope) and kind in (None, item[3])]

    def link(self, path: Parts) -> None:
        for i in range(len(path)):
            names = self.order.setdefault(path[:i], [])
            if path[i] not in names:
                names.append(path[i])

    def tidy(self) -> None:
        """What exists no longer leaves the order."""
        alive = self.paths() | self.directories()
        self.order = {
            path: [name for name in names if (*path, name) in alive]
            for path, names in self.order.items()
            if path in alive
        }

    def fits(self, batch: list[Item], base: Parts | None, replace: bool) -> bool:
        """Whether the engine must take this batch."""
        if base is not None and base in self.paths():
            return False
        taken = {path for path in self.paths() if not (replace and base is not None and under(path, base))}
        above = {path[:i] for path in taken for i in range(len(path))}
        for path, *_ in batch:
            parents = {path[:i] for i in range(len(path))}
            if path in taken or path in above or parents & taken:
                return False
            taken.add(path)
            above |= parents
        return True

    def add(self, batch: list[Item], base: Parts | None, replace: bool) -> None:
        if replace and base is not None:
            self.objects = [item for item in self.objects if not under(item[0], base)]
            self.order = {path: names for path, names in self.order.items() if not under(path, base)}
        for item in batch:
            self.objects.append(item)
            self.link(item[0])
        self.tidy()

    def remove(self, scope: Parts) -> None:
        self.objects = [item for item in self.objects if not under(item[0], scope)]
        self.tidy()

    def move(self, source: Parts, target: Parts) -> None:
        def renamed(path: Parts) -> Parts:
            return target + path[len(source) :] if under(path, source) else path

        self.objects = [(renamed(item[0]), *item[1:]) for item in self.objects]
        self.order = {renamed(path): names for path, names in self.order.items()}
        self.link(target)
        self.tidy()


class EngineMachine(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.engine = Engine(DIM)
        self.model = Model()

    @rule(base=st.none() | PATHS, items=st.lists(ITEMS, min_size=1, max_size=5), replace=st.booleans())
    def add(self, base: Parts | None, items: list[Item], replace: bool) -> None:
        replace = replace and base is not None
        batch: list[Item] = [((base or ()) + path, *rest) for path, *rest in items]  # type: ignore[misc]  # a star in a tuple
        arguments: list[Any] = [
            [uri_of(item[0]) for item in batch],
            np.stack([vector_of(item[1]) for item in batch]),
            [item[2] for item in batch],
            [item[3] for item in batch],
        ]
        document = None if base is None else uri_of(base)
        if not self.model.fits(batch, base, replace):
            with pytest.raises(EngineError):
                self.engine.add(*arguments, document=document, replace=replace)
            return
        assert len(self.engine.add(*arguments, document=document, replace=replace)) == len(batch)
        self.model.add(batch, base, replace)

    @rule(path=PATHS, pick=st.integers(0, 1000), exact=st.booleans())
    def remove(self, path: Parts, pick: int, exact: bool) -> None:
        scope = self.picked(pick) if exact else path
        expected = len(self.model.inside(scope))
        if not expected and scope:
            with pytest.raises(EngineError):
                self.engine.remove(uri_of(scope))
            return
        assert self.engine.remove(uri_of(scope)) == expected
        self.model.remove(scope)

    @rule(to=PATHS, pick=st.integers(0, 1000))
    def move(self, to: Parts, pick: int) -> None:
        source = self.picked(pick)
        model = self.model
        blocked = any(to[:i] in model.paths() for i in range(1, len(to)))
        if not source or to in model.scopes() or blocked or under(to, source):
            with pytest.raises(EngineError):
                self.engine.move(uri_of(source), uri_of(to))
            return
        assert self.engine.move(uri_of(source), uri_of(to)) == len(model.inside(source))
        model.move(source, to)

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "engine.snapshot"
            self.engine.save(path)
            self.engine = Engine.load(path)

    @rule(share=st.sampled_from([0.0, 0.3, 0.5]))
    def compact(self, share: float) -> None:
        """Rows may get other numbers and nothing else changes; a search before goes on to see its state."""
        before = self.engine.stats()
        query = vector_of(1)
        hits = self.engine.search(query, k=100)
        uris = list(hits.uris)
        numbers = self.engine.compact(share)
        after = self.engine.stats()
        if numbers is None:
            assert after == before
            return
        assert after["generation"] == before["generation"] + 1
        assert before["rows"] - after["rows"] >= max(1, share * before["rows"])
        assert len(numbers) == before["rows"]
        again = self.engine.search(query, k=100)
        assert hits.uris == uris == again.uris
        assert numbers[hits.rows].tolist() == again.rows.tolist()
        kept = numbers[numbers != 2**32 - 1].tolist()
        assert kept == list(range(after["rows"]))

    def picked(self, pick: int) -> Parts:
        scopes = self.model.scopes()
        return scopes[pick % len(scopes)]

    @rule(number=st.integers(0, 4), pick=st.integers(0, 1000), k=st.integers(1, 8), kind=st.none() | KINDS)
    def search(self, number: int, pick: int, k: int, kind: Any) -> None:
        scope, query = self.picked(pick), vector_of(number)
        items = self.model.inside(scope, kind)
        scores = [float(np.dot(query.astype(float), vector_of(item[1]))) for item in items]
        ranked = sorted(zip(scores, items, strict=True), key=lambda pair: (-pair[0], uri_of(pair[1][0])))
        hits = self.engine.search(query, uri_of(scope), k, kinds=kind)
        assert hits.uris == [uri_of(item[0]) for _, item in ranked[:k]]
        np.testing.assert_allclose(hits.scores, [score for score, _ in ranked[:k]], atol=1e-6)

    @rule(pick=st.integers(0, 1000), pattern=st.sampled_from(["x", "é", "y", "z"]), kind=KINDS)
    def grep(self, pick: int, pattern: str, kind: Any) -> None:
        """One character matches whatever text a chunk is part of, so a count per object is the truth."""
        scope = self.picked(pick)
        found = self.engine.grep(pattern, uri_of(scope), kinds=kind, limit=1000)
        counts = {uri_of(item[0]): item[2].count(pattern) for item in self.model.inside(scope, kind)}
        assert found.total == sum(counts.values())
        for uri, count in counts.items():
            assert sum(match.uri == uri for match in found.matches) == count

    @invariant()
    def every_directory_lists_and_reads_the_same(self) -> None:
        assert len(self.engine) == len(self.model.objects)
        for scope in self.model.directories():
            uri = uri_of(scope, directory=True)
            page = self.engine.list(uri)
            assert [entry.name for entry in page.entries] == self.model.order[scope]
            for entry in page.entries:
                child = (*scope, entry.name)
                assert entry.uri == uri_of(child, entry.is_directory)
                assert entry.rows == len(self.model.inside(child))
            text = "".join(item[2] for item in self.model.inside(scope, "chunk"))
            assert self.engine.read(uri).text == text
        for path, _, text, kind in self.model.objects:
            assert self.engine.read(uri_of(path)).text == text
            assert self.engine.count(uri_of(path), kind) == 1  # type: ignore[arg-type]  # a str of two values


TestEngine = EngineMachine.TestCase
TestEngine.settings = settings(max_examples=40, stateful_step_count=30, deadline=None, derandomize=True)
