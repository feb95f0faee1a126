"""Draws what the benches wrote.

    python -m bench.plots RESULTS.jsonl [MORE.jsonl ...] --out bench/plots

selectivity  time and recall against the rows a scope and rights allow, the engine and each peer
sizes        time against the number of rows, searching everything and one section
stages       where the engine's time goes (explain=True)
grep         time by pattern, over all texts
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from bench.lines import Line, engine_ms, library_rows, load, peers, select, sizes

mpl.use("Agg")
from matplotlib import pyplot as plt

MOST_BYTES = 100_000  # of a plot that may be committed
ENGINE = {"color": "black", "linewidth": 2.2, "label": "knarr", "zorder": 3}
STAGES = ("plan_us", "scan_us", "rerank_us")
COLORS = [*plt.get_cmap("tab10").colors, *plt.get_cmap("Dark2").colors]  # type: ignore[attr-defined]


def selectivity(lines: Sequence[Line], out: Path) -> None:
    """For the size that most peers ran."""
    singles = select(lines, "peers", queries_per_call=1)
    if not singles:
        return
    rows = max(sizes(singles), key=lambda size: (len(peers(select(singles, "peers", rows=size))), size))
    here = select(singles, "peers", rows=rows)
    figure, (times, recalls) = plt.subplots(2, 1, figsize=(8, 8), sharex=True, height_ratios=(3, 2))
    for color, peer in zip(COLORS, peers(here), strict=False):
        mine = sorted(select(here, "peers", peer=peer), key=lambda line: int(line["rows_allowed"]))
        allowed = [line["rows_allowed"] for line in mine]
        style = {"color": color, "label": peer, "linewidth": 1.2, "marker": ".", "markersize": 4}
        times.plot(allowed, [line["peer_p50_ms"] for line in mine], **style)
        if not mine[0]["peer_exact"]:
            recalls.plot(allowed, [line["peer_recall"] for line in mine], color=color, linewidth=1.2)
    by_allowed: dict[int, list[Line]] = {}
    for line in here:
        by_allowed.setdefault(int(line["rows_allowed"]), []).append(line)
    allowed = sorted(by_allowed)
    times.plot(allowed, [engine_ms(by_allowed[n]) for n in allowed], **ENGINE)
    recalls.plot(allowed, [min(line["recall"] for line in by_allowed[n]) for n in allowed], **ENGINE)
    _label(times, "", "median of a call, ms", f"{rows:,} rows: scope and rights allow fewer")
    times.set_yscale("log")
    recalls.set_xlabel("rows allowed")
    recalls.set_ylabel("recall of approximate ones")
    recalls.grid(alpha=0.3)
    _save(figure, out / "selectivity.svg")


def over_sizes(lines: Sequence[Line], out: Path) -> None:
    singles = [line for line in select(lines, "peers", queries_per_call=1) if line["rights"] is None]
    if not singles:
        return
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5))
    for axis, scope in zip(axes, ("100%", "section"), strict=True):
        here = select(singles, "peers", scope=scope)
        for color, peer in zip(COLORS, peers(here), strict=False):
            mine = sorted(select(here, "peers", peer=peer), key=lambda line: int(line["rows"]))
            at = [line["rows"] for line in mine]
            axis.plot(
                at, [line["peer_p50_ms"] for line in mine], color=color, label=peer, marker=".", linewidth=1.2
            )
        at = sizes(here)
        axis.plot(at, [engine_ms(select(here, "peers", rows=n)) for n in at], marker=".", **ENGINE)
        _label(
            axis,
            "rows in all",
            "median of a call, ms",
            "everything" if scope == "100%" else "one section of 50",
        )
        axis.set_yscale("log")
    _save(figure, out / "sizes.svg")


def stages(lines: Sequence[Line], out: Path) -> None:
    """As shares, for the whole spans from microseconds to milliseconds. `rest`: the call from Python, the scope."""
    here = [
        line for line in select(lines, "peers", queries_per_call=1, peer="numpy") if line["rights"] is None
    ]
    if not here:
        return
    here.sort(key=lambda line: (line["rows"], line["rows_allowed"]))
    # The stages were timed in other calls than the whole: where they add up to more, they are the whole.
    whole = [
        max(
            1e3 * float(line.get("engine_in_a_row_ms") or line["engine_p50_ms"]),
            sum(float(line[stage]) for stage in STAGES),
        )
        for line in here
    ]
    names = [
        f"{line['rows']:,}: {line['scope']} ({line['plan']}, {us:,.0f} us)"
        for line, us in zip(here, whole, strict=True)
    ]
    figure, axis = plt.subplots(figsize=(9, 0.35 * len(here) + 1.2))
    left = [0.0] * len(here)
    shares = {
        stage.removesuffix("_us"): [
            100 * float(line[stage]) / us for line, us in zip(here, whole, strict=True)
        ]
        for stage in STAGES
    }
    shares["rest"] = [max(0.0, 100 - sum(parts)) for parts in zip(*shares.values(), strict=True)]
    for (name, width), color in zip(shares.items(), COLORS, strict=False):
        axis.barh(names, width, left=left, color=color, label=name)
        left = [a + b for a, b in zip(left, width, strict=True)]
    _label(axis, "share of the median, %", "", "Where the engine's time goes", scale="linear")
    _save(figure, out / "stages.svg")


def grep(lines: Sequence[Line], out: Path) -> None:
    whole = select(lines, "scoped_grep", scope="100%")
    if not whole:
        return
    rows = max(map(library_rows, whole))
    here = [line for line in whole if library_rows(line) == rows]
    patterns = list(dict.fromkeys(str(line["pattern"]) for line in here))
    figure, axis = plt.subplots(figsize=(9, 0.5 * len(patterns) + 1.2))
    by_pattern = [select(here, "scoped_grep", pattern=pattern) for pattern in patterns]
    bars: list[tuple[str, Any, list[float]]] = [
        ("knarr", "black", [engine_ms(found) for found in by_pattern])
    ]
    for color, peer in zip(COLORS, peers(here), strict=False):
        times = [
            [float(line["peer_p50_ms"]) for line in found if line["peer"] == peer] for found in by_pattern
        ]
        bars.append((peer, color, [found[0] if found else 0.0 for found in times]))
    height = 0.8 / len(bars)
    for number, (name, color, values) in enumerate(bars):
        axis.barh(
            [at + number * height for at in range(len(patterns))], values, height, color=color, label=name
        )
    axis.set_yticks([at + 0.4 - height / 2 for at in range(len(patterns))], patterns)
    axis.invert_yaxis()
    _label(axis, "median of a call, ms", "", f"grep over {here[0]['bytes'] / 1e6:,.0f} MB")
    _save(figure, out / "grep.svg")


def _label(axis: Any, x: str, y: str, title: str, *, scale: str = "log") -> None:
    axis.set_xscale(scale)
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.set_title(title, fontsize=10)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=7, ncols=2)


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    size = path.stat().st_size
    print(f"{path}: {size:,} bytes" + (" (too large to commit)" if size > MOST_BYTES else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help="JSON lines, as the benches write them")
    parser.add_argument("--out", type=Path, default=Path("bench/plots"))
    options = parser.parse_args()
    # Text stays text, and the same numbers give the same file.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "knarr", "font.size": 9})
    lines = load(options.results)
    options.out.mkdir(parents=True, exist_ok=True)
    for draw in (selectivity, over_sizes, stages, grep):
        draw(lines, options.out)


if __name__ == "__main__":
    main()
