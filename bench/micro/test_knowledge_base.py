"""What does one call of a knowledge base cost, with an embedder that costs next to nothing?"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from bench.micro.conftest import DEMO
from pytest_benchmark.fixture import BenchmarkFixture

import knarr
from knarr.documents import parse

FILES = sorted(path for path in DEMO.rglob("*") if path.is_file())
HANDBOOK = "viking://demo/handbook"


@pytest.mark.parametrize("query", ["same", "new"])
def test_search(benchmark: BenchmarkFixture, kb: knarr.KnowledgeBase, query: str) -> None:
    """The vector of a query that was asked before is kept."""
    benchmark.group = "search"
    number = itertools.count()
    text = "late fee" if query == "same" else "late fee {}"
    assert benchmark(lambda: kb.search(text.format(next(number)), HANDBOOK)).hits


def test_list(benchmark: BenchmarkFixture, kb: knarr.KnowledgeBase) -> None:
    benchmark.group = "list, grep, read"
    assert benchmark(lambda: kb.list(HANDBOOK)).entries


def test_grep(benchmark: BenchmarkFixture, kb: knarr.KnowledgeBase) -> None:
    benchmark.group = "list, grep, read"
    assert benchmark(lambda: kb.grep("late fee", HANDBOOK)).total


def test_read(benchmark: BenchmarkFixture, kb: knarr.KnowledgeBase) -> None:
    benchmark.group = "list, grep, read"
    uri = kb.search("late fee", HANDBOOK).hits[0].uri
    assert benchmark(lambda: kb.read(uri)).text


def test_ask(benchmark: BenchmarkFixture, kb: knarr.KnowledgeBase) -> None:
    """The whole loop by the extractive policy, the trace stored."""
    benchmark.group = "ask"
    answer = benchmark(lambda: kb.ask("What is the late fee for an item?", HANDBOOK, policy="extractive"))
    assert answer.text


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_parse(benchmark: BenchmarkFixture, file: Path) -> None:
    benchmark.group = "parse"
    data = file.read_bytes()
    assert benchmark(lambda: parse(data, file.name)).text
