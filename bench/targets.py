"""What knarr set out to reach, and what the benches' lines say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.lines import Line, engine_ms, library_rows, select

RIGHTS = ("random_50", "random_10", "random_1")
SCOPES = ("section", "document", "10%", "100%")
MILLION = 1_000_000


@dataclass(frozen=True)
class Row:
    """A target, what was measured, and whether it was met (None: not measured)."""

    case: str
    target: str
    measured: str
    met: bool | None
    detail: str = ""  # plan, recall


Judge = Callable[[Sequence[Line]], tuple[str, bool, str] | None]


def rows(lines: Sequence[Line]) -> list[Row]:
    """Every target of the table, in its order."""
    out = []
    for case, target, judge in _targets():
        found = judge(lines)
        measured, met, detail = found if found else ("not measured", None, "")
        out.append(Row(case, target, measured, met, detail))
    return out


def _targets() -> Iterable[tuple[str, str, Judge]]:
    yield "section of 50", "≤ 0.6 × NumPy, recall 1.0", _of_numpy("section", 0.6, 1.0)
    yield "document of 1,000", "≤ 0.35 × NumPy, recall ≥ 0.995", _of_numpy("document", 0.35, 0.995)
    yield "100,000 rows (folder)", "≤ 0.06 × NumPy, recall ≥ 0.99", _of_numpy("10%", 0.06, 0.99)
    yield "1,000,000 rows", "≤ 0.025 × NumPy, recall ≥ 0.99", _of_numpy("100%", 0.025, 0.99)
    for scope in SCOPES:
        yield f"{scope} ∧ random rights", "≤ 1.5 × the time per allowed row, same recall", _with_rights(scope)
    yield "batch of 32 at 100,000", "≥ 4 × the single queries' throughput", _batch
    yield "scope resolution, 100,000 leaves", "≤ 2 µs", _timed("structure", "count viking://moving/a", 2)
    yield "move of 100,000 rows", "≤ 1 ms", _timed("structure", "move the folder", 1000)
    yield "remove of 100,000 rows", "≤ 5 ms", _timed("structure", "remove the folder", 5000)
    yield "insert with texts", "≥ 100,000 objects/s", _insert
    yield "rare literal, 200 MB", "≤ 1 ms", _literal("100%", 1.0)
    yield "rare literal, a document", "≤ 0.1 ms", _literal("document", 0.1)
    yield "patterns without a literal, 200 MB", "faster than `rg` with as many threads", _without_literal
    yield "opened and searched, 1,000,000 rows", "≤ 300 ms", _opening
    yield "expansion, 1,000,000 edges", "≤ 30 µs", _timed("edges", "expand", 30)


def _case(
    lines: Sequence[Line], scope: str, rights: str | None, queries: int, rows: int = MILLION
) -> Line | None:
    """The line of the engine beside NumPy."""
    wanted = {"peer": "numpy", "scope": scope, "rights": rights, "queries_per_call": queries, "rows": rows}
    found = select(lines, "peers", **wanted)
    return found[0] if found else None


def _of_numpy(scope: str, most: float, least_recall: float) -> Judge:
    def judge(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
        line = _case(lines, scope, None, 1)
        if line is None:
            return None
        share = line["engine_p50_ms"] / line["peer_p50_ms"]
        alone = f"; in a row {us(line['engine_in_a_row_ms'])}" if "engine_in_a_row_ms" in line else ""
        measured = f"{share:.3f} × ({us(line['engine_p50_ms'])} to {us(line['peer_p50_ms'])}{alone})"
        return measured, share <= most and line["recall"] >= least_recall, plan(line)

    return judge


def _with_rights(scope: str) -> Judge:
    def judge(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
        bare = _case(lines, scope, None, 1)
        found = [line for rights in RIGHTS if (line := _case(lines, scope, rights, 1))]
        if bare is None or not found:
            return None
        per_row = [line["ns_per_row"] / bare["ns_per_row"] for line in found]
        whole = [line["engine_p50_ms"] / bare["engine_p50_ms"] for line in found]
        shares = ", ".join(f"{line['rights'].removeprefix('random_')} %" for line in found)
        measured = f"{_listed(per_row)} × per row, {_listed(whole)} × in all ({shares})"
        met = all(x <= 1.5 for x in per_row) and all(
            line["recall"] >= bare["recall"] - 0.005 for line in found
        )
        return measured, met, "; ".join(plan(line) for line in found)

    return judge


def _batch(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
    for scope, rows in (("10%", MILLION), ("100%", 100_000)):
        single, batch = (_case(lines, scope, None, queries, rows) for queries in (1, 32))
        if single and batch:
            gain = 32 * single["engine_p50_ms"] / batch["engine_p50_ms"]
            return f"{gain:.1f} ×", gain >= 4, f"{us(batch['engine_p50_ms'] / 32)} a query, {plan(batch)}"
    return None


def _timed(bench: str, case: str, most_us: float) -> Judge:
    def judge(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
        found = select(lines, bench, case=case)
        if not found:
            return None
        line = max(found, key=lambda each: int(each.get("leaves") or each.get("edges") or 0))
        size = f"{line['leaves']:,} leaves" if "leaves" in line else f"{line['edges']:,} edges"
        return us(line["p50_us"] / 1e3), line["p50_us"] <= most_us, size

    return judge


def _insert(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
    found = select(lines, "structure", case="insert with texts")
    if not found:
        return None
    line = max(found, key=lambda each: int(each["rows"]))
    return f"{line['per_s']:,}/s", line["per_s"] >= 100_000, f"from Python, {line['rows']:,} rows"


def _opening(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
    found = [line for line in select(lines, "opening") if line["rows"] >= 0.9 * MILLION]
    if not found:
        return None
    times = ", ".join(f"{us(line['both_ms'])} ({line['cache']})" for line in found)
    return times, all(line["both_ms"] <= 300 for line in found), f"file of {found[0]['file_mib']:,.0f} MiB"


def _grep(lines: Sequence[Line], scope: str, **wanted: Any) -> list[Line]:
    found = select(lines, "scoped_grep", scope=scope, **wanted)
    most = max(map(library_rows, found), default=0)
    return [line for line in found if library_rows(line) == most]


def _literal(scope: str, most_ms: float) -> Judge:
    def judge(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
        found = _grep(lines, scope, pattern="rare literal")
        if not found:
            return None
        median = engine_ms(found)
        return (
            us(median),
            median <= most_ms,
            f"{found[0]['bytes'] / 1e6:,.1f} MB, {found[0]['total']:,} matches",
        )

    return judge


def _without_literal(lines: Sequence[Line]) -> tuple[str, bool, str] | None:
    found = _grep(lines, "100%", peer="rg", has_literal=False)
    if not found:
        return None
    gains = ", ".join(f"{line['pattern']} {line['ratio']:.1f} ×" for line in found)
    return gains, all(line["ratio"] > 1 for line in found), f"{found[0]['bytes'] / 1e6:,.0f} MB"


def us(ms: float) -> str:
    """Milliseconds in the unit that reads best."""
    if ms < 1:
        return f"{1e3 * ms:.3g} µs"
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms / 1e3:.3g} s"


def plan(line: Line) -> str:
    """The engine's plan and recall."""
    return f"{line['plan']}, recall {line['recall']:.3f}"


def _listed(values: Sequence[float]) -> str:
    return "/".join(f"{value:.2g}" for value in values)
