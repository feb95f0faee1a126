"""What does one call into the native index cost from Python, by scope?"""

from __future__ import annotations

import numpy as np
import pytest
from bench.micro.conftest import SCOPES, Bench
from pyroaring import FrozenBitMap
from pytest_benchmark.fixture import BenchmarkFixture

by_scope = pytest.mark.parametrize("scope", SCOPES)


@by_scope
def test_search(benchmark: BenchmarkFixture, made: Bench, scope: str) -> None:
    benchmark.group = f"search, {scope}"
    uri = made.scopes[scope]
    hits = benchmark(lambda: made.engine.search(next(made.queries), uri, 10))
    benchmark.extra_info["plan"] = hits.plan
    assert len(hits) == 10


@by_scope
def test_search_under_rights(benchmark: BenchmarkFixture, made: Bench, scope: str) -> None:
    benchmark.group = f"search, {scope}"
    half = np.random.default_rng(3).random(made.rows) < 0.5
    allowed = FrozenBitMap(np.flatnonzero(half).astype(np.uint32))
    hits = benchmark(lambda: made.engine.search(next(made.queries), made.scopes[scope], 10, allowed))
    benchmark.extra_info["plan"] = hits.plan
    assert len(hits) > 0


@by_scope
def test_search_with_edges(benchmark: BenchmarkFixture, made: Bench, scope: str) -> None:
    benchmark.group = f"search, {scope}"
    uri = made.scopes[scope]
    hits = benchmark(lambda: made.engine.search(next(made.queries), uri, 10, expand=True, gamma=0.8))
    assert len(hits) == 10


@by_scope
@pytest.mark.parametrize("pattern", ["notice within 29 days", r"document \d+: .*7 days", "nowhere at all"])
def test_grep(benchmark: BenchmarkFixture, made: Bench, scope: str, pattern: str) -> None:
    benchmark.group = f"grep, {scope}"
    found = benchmark(lambda: made.engine.grep(pattern, made.scopes[scope], limit=10))
    assert found.outcome in ("matches", "no_matches")


@by_scope
def test_list(benchmark: BenchmarkFixture, made: Bench, scope: str) -> None:
    benchmark.group = f"list, {scope}"
    assert benchmark(lambda: made.engine.list(made.scopes[scope])).total > 0


@by_scope
def test_count(benchmark: BenchmarkFixture, made: Bench, scope: str) -> None:
    """The price of finding a scope and its rows."""
    benchmark.group = f"count, {scope}"
    assert benchmark(lambda: made.engine.count(made.scopes[scope])) > 0


def test_read(benchmark: BenchmarkFixture, made: Bench) -> None:
    benchmark.group = "read, chunk"
    assert "Clause" in benchmark(lambda: made.engine.read(made.chunk)).text
