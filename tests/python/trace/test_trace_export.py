"""Traces out of the catalog in order of time, and through JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import knarr
from knarr.errors import InvalidArgument
from knarr.testing import HashEmbedder
from knarr.trace.export import read_jsonl, write_jsonl
from knarr.trace.record import Trace
from make_traces import few, full_trace, traces


@few
@given(st.lists(traces, max_size=3))
def test_any_traces_survive_json_lines(many: list[Trace]) -> None:
    file = io.StringIO()
    assert write_jsonl(many, file) == len(many)
    assert file.getvalue().isascii()
    # However a reader splits lines, it finds one trace in each.
    assert len(file.getvalue().splitlines()) == len(many)
    assert list(read_jsonl(file.getvalue().splitlines())) == many


def test_writing_and_reading_take_one_at_a_time() -> None:
    written: list[str] = []

    class File:
        def write(self, text: str) -> None:
            written.append(text)

    def source() -> Iterator[Trace]:
        for n in range(3):
            assert len(written) == n, "the traces before are written before the next is asked for"
            yield full_trace(id=str(n))

    write_jsonl(source(), File())
    taken = read_jsonl(iter([*written, "no trace"]))
    assert [next(taken).id for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(ValueError, match="line 4"):
        next(taken)


@pytest.mark.parametrize("line", ["{}", "[1]", "null", "{", "[" * 100_000, '{"schema": 99}'])
def test_a_line_that_is_no_trace_is_named(line: str) -> None:
    good = json.dumps(full_trace().to_json())
    with pytest.raises(ValueError, match="line 3: "):
        list(read_jsonl([good, "  \n", line]))


def stamp(minute: int) -> str:
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)).isoformat(timespec="milliseconds")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[knarr.KnowledgeBase]:
    """70 traces, more than two pages, stored out of order; ten of them in each of seven minutes."""
    with knarr.open(tmp_path_factory.mktemp("traces") / "test.kb", embedder=HashEmbedder(dim=64)) as kb:
        for n in [*range(1, 70, 2), *range(0, 70, 2)]:
            kb.library.store_trace(full_trace(id=f"{n:016x}", created_at=stamp(n // 10)))
        yield kb


def ids(found: Iterator[Trace]) -> list[int]:
    return [int(trace.id, 16) for trace in found]


def test_all_traces_in_order_of_time(filled: knarr.KnowledgeBase) -> None:
    assert ids(filled.traces.walk()) == list(range(70))
    assert next(filled.traces.walk()) == full_trace(id="0" * 16, created_at=stamp(0))


@pytest.mark.parametrize("limit", [0, 1, 31, 32, 33, 64, 69, 70, 71])
def test_limits(filled: knarr.KnowledgeBase, limit: int) -> None:
    assert ids(filled.traces.walk(limit=limit)) == list(range(min(limit, 70)))


@pytest.mark.parametrize(
    "since",
    [
        "2026-01-01T00:03:00+00:00",
        "2026-01-01T00:03",
        "2026-01-01T01:03:00.000+01:00",
        datetime(2026, 1, 1, 0, 3),
        datetime(2026, 1, 1, 2, 3, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_since_is_a_moment_in_any_zone(filled: knarr.KnowledgeBase, since: str | datetime) -> None:
    assert ids(filled.traces.walk(since)) == list(range(30, 70))
    assert ids(filled.traces.walk(since, 5)) == list(range(30, 35))


def test_a_day_is_a_moment_too(filled: knarr.KnowledgeBase) -> None:
    assert len(ids(filled.traces.walk("2026-01-01"))) == 70
    assert ids(filled.traces.walk("2026-01-02")) == []


@pytest.mark.parametrize("since", ["yesterday", "", "2026-13-01", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_refused_at_once(kb: knarr.KnowledgeBase, since: str) -> None:
    with pytest.raises(InvalidArgument, match="expected a time such as"):
        kb.traces.walk(since)


def test_a_negative_limit_is_refused_at_once(kb: knarr.KnowledgeBase) -> None:
    with pytest.raises(InvalidArgument, match="limit -1"):
        kb.traces.walk(limit=-1)


def test_a_slow_taker_holds_up_nobody(kb: knarr.KnowledgeBase) -> None:
    for n in range(3):
        kb.library.store_trace(full_trace(id=f"{n:016x}", created_at=stamp(n)))
    found = kb.traces.walk()
    next(found)
    kb.library.store_trace(full_trace(id="f" * 16, created_at=stamp(9)))
    assert ids(found) == [1, 2, int("f" * 16, 16)]
