"""What the report says of the benches' lines: the newest counts, and a target is met or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import guard
from bench.lines import Line, load
from bench.report import TEMPLATE, fill, other
from bench.targets import rows


def line(**values: object) -> Line:
    """The engine beside NumPy on a section of a million rows."""
    usual: Line = {
        "bench": "peers", "peer": "numpy", "peer_version": "2", "peer_setting": "", "rows": 1_000_000,
        "scope": "section", "rights": None, "queries_per_call": 1, "rows_allowed": 50, "plan": "exact",
        "engine_p50_ms": 0.005, "peer_p50_ms": 0.01, "ratio": 2.0, "ns_per_row": 100.0, "recall": 1.0,
        "peer_recall": 1.0, "settings": {"vectors": "real", "dim": 384, "environment": {}}, "cpu": "a machine",
    }  # fmt: skip
    return usual | values


def verdict(lines: list[Line], case: str) -> bool | None:
    return next(row.met for row in rows(lines) if row.case == case)


def test_a_target_is_met_by_time_and_recall() -> None:
    assert verdict([line()], "section of 50") is True
    assert verdict([line(engine_p50_ms=0.007)], "section of 50") is False
    assert verdict([line(recall=0.99)], "section of 50") is False
    assert verdict([], "section of 50") is None


def test_rights_are_judged_by_the_time_per_row_and_the_recall() -> None:
    some = [line(rights="random_50", ns_per_row=140.0), line(rights="random_10", ns_per_row=149.0)]
    assert verdict([line(), *some], "section ∧ random rights") is True
    assert (
        verdict([line(), *some, line(rights="random_1", ns_per_row=200.0)], "section ∧ random rights")
        is False
    )


def test_of_two_lines_of_a_case_the_newer_counts(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps(line())}\n\n{json.dumps(line(engine_p50_ms=1))}\n", encoding="utf-8")
    assert [each["engine_p50_ms"] for each in load([path])] == [1]
    path.write_text("{not json\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"results\.jsonl:1"):
        load([path])


def test_the_template_is_filled_with_what_there_is() -> None:
    text = fill(TEMPLATE.read_text(encoding="utf-8"), [line()])
    assert "{{" not in text
    assert "| numpy 2 | – | – | – | 10 µs (2 ×) |  |" in text
    assert "a machine" in text


def test_each_case_of_a_graph_or_a_precision_has_a_row(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    graph = {"bench": "graph", "rows": 1000, "queries": "near rows", "filter": "10%", "scan_p50_ms": 0.5}
    precisions = [{"bench": "precision", "rows": 1000, "precision": name} for name in ("float32", "int8")]
    lines = [*(graph | {"recall_target": target} for target in (0.9, 0.99)), *precisions]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    text = other(load([path]))
    assert text.count("| 1000 | near rows | 10% |") == 2
    assert text.count("| 1000 | float32 |") == text.count("| 1000 | int8 |") == 1


def test_the_guard_fails_what_became_dearer(capsys: pytest.CaptureFixture[str]) -> None:
    worse = guard.compare("plain", {"a": 100, "b": 100}, {"a": 109, "b": 111, "c": 5}, judge=True)
    assert len(worse) == 1
    assert "b: 100 -> 111" in worse[0]
    assert guard.compare("plain", {"b": 100}, {"b": 111}, judge=False) == []
    assert "new: --update" in capsys.readouterr().out


def test_the_guard_knows_the_same_steps_at_every_level() -> None:
    steps = json.loads(guard.COUNTS.read_text(encoding="utf-8"))["steps"]
    assert set(steps) == set(guard.LEVELS)
    assert steps["plain"].keys() == steps["avx2"].keys()
