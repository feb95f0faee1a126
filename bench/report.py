"""Fills bench/RESULTS.in.md, where people write, with tables of what the benches wrote.

    python -m bench.report RESULTS.jsonl [MORE.jsonl ...] > bench/RESULTS.md

A line `{{name}}` of the template becomes the table of that name; no number is typed by hand.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.lines import Line, engine_ms, library_rows, load, peers, select, sizes
from bench.results import table
from bench.targets import rows, us

TEMPLATE = Path(__file__).with_name("RESULTS.in.md")
SCOPES = ("100%", "10%", "document", "section")


def machine(lines: Sequence[Line]) -> str:
    """Where and from which commits the lines come."""
    names = {"cpu": "CPU", "cores": "cores", "system": "system", "python": "Python", "commit": "commit"}
    seen = {name: sorted({str(line[key]) for line in lines if key in line}) for key, name in names.items()}
    days = sorted({line["at"][:10] for line in lines if "at" in line})
    seen["vectors"] = sorted(
        {f"{x['settings']['vectors']}, {x['settings']['dim']} wide" for x in select(lines, "peers")}
    )
    seen["threads of others"] = sorted(
        {
            " ".join(f"{k}={v}" for k, v in x["settings"]["environment"].items())
            for x in select(lines, "peers")
        }
    )
    text = "\n".join(f"- {name}: {', '.join(found)}" for name, found in seen.items() if found)
    return f"{text}\n- measured: {', '.join(days)}"


def targets(lines: Sequence[Line]) -> str:
    marks = {True: "yes", False: "**no**", None: "–"}
    return table(
        [
            {
                "case": row.case,
                "target": row.target,
                "measured": row.measured,
                "met": marks[row.met],
                "with": row.detail,
            }
            for row in rows(lines)
        ],
        ["case", "target", "measured", "met", "with"],
    )


def beside(lines: Sequence[Line]) -> str:
    """A table a size: the engine's and each peer's median of a single query, without rights."""
    singles = [line for line in select(lines, "peers", queries_per_call=1) if line["rights"] is None]
    return "\n\n".join(_scopes(singles, size, None) for size in sizes(singles))


def with_rights(lines: Sequence[Line]) -> str:
    """The same at the size that most peers ran, for the rights of 10 %."""
    some = select(lines, "peers", queries_per_call=1, rights="random_10")
    if not some:
        return ""
    size = max(sizes(some), key=lambda rows: (len(peers(select(some, "peers", rows=rows))), rows))
    return _scopes(some, size, "random_10")


def _scopes(lines: Sequence[Line], size: int, rights: str | None) -> str:
    here = select(lines, "peers", rows=size, rights=rights)
    cells = [
        {"": "**knarr**"} | {scope: _engine_cell(select(here, "peers", scope=scope)) for scope in SCOPES}
    ]
    for peer in peers(here):
        mine = select(here, "peers", peer=peer)
        cell: dict[str, str] = {line["scope"]: _peer_cell(line) for line in mine}
        cells.append({"": f"{peer} {mine[0]['peer_version']}"} | cell | {"setting": mine[0]["peer_setting"]})
    title = f"{size:,} rows" + (
        f", {rights.removeprefix('random_')} % of them allowed at random" if rights else ""
    )
    return f"**{title}**\n\n{table(cells, ['', *SCOPES, 'setting'])}"


def _engine_cell(lines: Sequence[Line]) -> str:
    if not lines:
        return "–"
    return f"{us(engine_ms(lines))}, {lines[0]['plan']}, {min(line['recall'] for line in lines):.3f}"


def _peer_cell(line: Line) -> str:
    """Its median, how many times the engine's beside it that is, and its recall where it is not whole."""
    loss = "" if line["peer_recall"] > 0.9995 else f", recall {line['peer_recall']:.2f}"
    return f"{us(line['peer_p50_ms'])} ({line['ratio']:.3g} ×{loss})"


def batches(lines: Sequence[Line]) -> str:
    found = select(lines, "peers", queries_per_call=32, rights=None)
    cells = [
        {
            "rows": f"{line['rows']:,}",
            "scope": line["scope"],
            "peer": line["peer"],
            "knarr, a query": us(line["engine_p50_ms"] / 32),
            "peer, a query": us(line["peer_p50_ms"] / 32),
            "ratio": line["ratio"],
        }
        for line in found
    ]
    return table(cells, ["rows", "scope", "peer", "knarr, a query", "peer, a query", "ratio"])


def built(lines: Sequence[Line]) -> str:
    cells = [
        {"rows": f"{line['rows']:,}", "contender": line.get("peer", "**knarr**"), "seconds": line.get("build_s", line.get("seconds"))}
        for line in [*select(lines, "peers/engine"), *select(lines, "peers/build")]
    ]  # fmt: skip
    return table(cells, ["rows", "contender", "seconds"])


def skipped(lines: Sequence[Line]) -> str:
    found = [*select(lines, "peers/skipped"), *select(lines, "scoped_grep/skipped")]
    return (
        "\n".join(f"- {line['peer']} ({line.get('rows', 'grep')}): {line['reason']}" for line in found)
        or "None."
    )


def grep(lines: Sequence[Line]) -> str:
    """The widest and the narrow scopes of the largest library."""
    found = select(lines, "scoped_grep")
    most = max(map(library_rows, found), default=0)
    parts = []
    for scope in ("100%", "10%", "document"):
        here = [line for line in found if library_rows(line) == most and line["scope"] == scope]
        cells = []
        for pattern in dict.fromkeys(line["pattern"] for line in here):
            mine = select(here, "scoped_grep", pattern=pattern)
            cell = {"pattern": pattern, "matches": f"{mine[0]['total']:,}", "knarr": us(engine_ms(mine))}
            cells.append(
                cell | {line["peer"]: f"{us(line['peer_p50_ms'])} ({line['ratio']:.3g} ×)" for line in mine}
            )
        if cells:
            title = f"**{scope}: {here[0]['bytes'] / 1e6:,.1f} MB**"
            start = [
                f"Of rg's time, {us(line['start_ms'])} are the start of a process."
                for line in here
                if line["start_ms"]
            ]
            text = table(cells, ["pattern", "matches", "knarr", *peers(here)])
            parts.append("\n\n".join([title, text, *start[:1]]))
    return "\n\n".join(parts)


# The columns of a bench whose lines are shown as they are.
OTHER = {
    "structure": "rows case leaves p50_us p99_us per_s bytes_per_object",
    "churn": "phase objects rows rss_mib search_all_us search_folder_us edit_p50_us lost ghosts",
    "opening": "rows cache file_mib open_ms first_search_ms both_ms again_ms plan",
    "opening_base": "chunks cache snapshot_mib open_ms first_search_ms both_ms again_ms",
    "edges": "case edges found p50_us p99_us",
    "precision": "rows precision recall_10 recall_100 auto_recall_10 vectors_bytes short_bytes codes_bytes"
    " document_ms 10%_ms 100%_ms 100%_of_float32 exact_ms",
    "graph": "rows queries filter recall_target plan graph_p50_ms scan_p50_ms recall scan_recall rows_scanned",
    "embed": "contender threads texts_per_s p50_ms of_alone",
}


def other(lines: Sequence[Line]) -> str:
    """A table for each bench of OTHER that ran."""
    found = [(select(lines, bench), columns.split()) for bench, columns in OTHER.items()]
    return "\n\n".join(table(rows, columns) for rows, columns in found if rows)


PARTS: dict[str, Callable[[Sequence[Line]], str]] = {
    "machine": machine,
    "targets": targets,
    "beside": beside,
    "with_rights": with_rights,
    "batches": batches,
    "built": built,
    "skipped": skipped,
    "grep": grep,
    "other": other,
}


def fill(template: str, lines: Sequence[Line]) -> str:
    """The template with its places filled. Raises KeyError for a name that is none of PARTS."""
    return re.sub(r"^\{\{(\w+)\}\}$", lambda found: PARTS[found[1]](lines), template, flags=re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help="JSON lines, as the benches write them")
    options = parser.parse_args()
    print(fill(TEMPLATE.read_text(encoding="utf-8"), load(options.results)), end="")


if __name__ == "__main__":
    main()
