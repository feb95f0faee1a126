"""What do rights cost, and does time tell what is hidden?

    python -m bench.python.principals [--rows 1000000] [--classes 1000] [--rounds 200] [--results FILE]

Three questions, a line each. `classes`: over an engine of so many rows, the memory of the rows of each class, the time to
make them and to follow one change of a document and one of a rule; `search_ratio` is the median of the engine's call under
rights by that without. `calls`: a view's whole call by the owner's on a base of 600 documents, query vectors
warm, in processor time, taking turns. `hidden`: the medians of the refusals of hidden and of missing places by verb, in
turn; `worst_ratio` is the largest of hidden by missing or the inverse.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from bench import results

import knarr
from knarr.catalog.rights import RuleRecord
from knarr.engine import Engine, RowSet
from knarr.errors import KnarrError
from knarr.rights.rows import Standing, Touch, VisibleRows
from knarr.rights.rules import RuleSet
from knarr.testing import HashEmbedder
from knarr.types import Principal
from knarr.uris import canonical

DIM = 16
CHUNKS = 20  # of a document
FOLDER = 100  # documents of one
COLUMNS = [
    "case",
    "rows",
    "classes",
    "rules",
    "bytes_of_class",
    "make_ms",
    "document_ms",
    "rule_ms",
    "search_ratio",
]


def _document(number: int) -> str:
    return f"viking://base/f{number // FOLDER}/d{number}"


def filled(rows: int) -> Engine:
    """An engine of so many rows in documents and folders."""
    engine, rng = Engine(DIM), np.random.default_rng(1)
    for number in range(rows // CHUNKS):
        uri = _document(number)
        vectors = rng.standard_normal((CHUNKS, DIM), dtype=np.float32)
        engine.add([f"{uri}/c_{one}.md" for one in range(CHUNKS)], vectors, document=uri)
    return engine


def ruled(documents: int, classes: int) -> RuleSet:
    """A grant to everyone, a deny for each class on some documents and folders of its own, and a label here and there."""
    rules, rng = RuleSet(), np.random.default_rng(2)
    found: dict[str, list[RuleRecord]] = {
        "viking://base": [RuleRecord("viking://base", "grant", "everyone", "")]
    }
    for one in range(classes):
        for number in rng.integers(0, documents, 8):
            uri = _document(int(number))
            uri = uri if rng.random() < 0.8 else uri.rpartition("/")[0]
            found.setdefault(uri, []).append(RuleRecord(uri, "deny", "group", f"g{one}"))
    for uri, some in found.items():
        rules._set(uri, some)
    return rules


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1e3


def of_classes(rows: int, classes: int, rounds: int) -> dict[str, Any]:
    """See the module."""
    engine = filled(rows)
    documents = rows // CHUNKS
    rules = ruled(documents, classes)
    standing = Standing(engine, rules, RowSet(), frozenset())
    keys = [rules.key(Principal(groups=(f"g{one}",))) for one in range(classes)]
    begin = time.perf_counter()
    made = [VisibleRows(key, standing) for key in keys]
    make_ms = (time.perf_counter() - begin) * 1e3 / classes
    vectors = np.random.default_rng(3).standard_normal((CHUNKS, DIM), dtype=np.float32)
    uri = _document(documents // 2)
    engine.add([f"{uri}/c_{one}.md" for one in range(CHUNKS)], vectors, document=uri, replace=True)
    put, rule = Touch(uri, "documents"), Touch(uri.rpartition("/")[0], "rights")
    document_ms = median(timed(lambda one=one: one.follow(standing, [put])) for one in made)  # type: ignore[misc]
    rule_ms = median(timed(lambda one=one: one.follow(standing, [rule])) for one in made)  # type: ignore[misc]
    plain, seen = [], []
    for number in range(rounds):
        filter_ = made[number % classes].rows
        plain.append(timed(lambda: engine.search(vectors[0], "viking://base", 10)))
        seen.append(timed(lambda filter_=filter_: engine.search(vectors[0], "viking://base", 10, filter_)))  # type: ignore[misc]
    return {
        "case": "classes", "rows": rows, "classes": classes, "rules": 8 * classes + 1,
        "bytes_of_class": int(median(len(one.rows.serialize()) for one in made)), "make_ms": make_ms,
        "document_ms": document_ms, "rule_ms": rule_ms, "search_ratio": median(seen) / median(plain),
    }  # fmt: skip


def small_base(folder: Path) -> knarr.KnowledgeBase:
    """600 documents, half of them in a folder that only the owner sees."""
    for number in range(600):
        path = folder / "docs" / ("open" if number % 2 else "shut") / f"d{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"# Title {number}\n\nThe loan of item {number} lasts {number} days.\n", encoding="utf-8"
        )
    kb = knarr.open(folder / "base.kb", embedder=HashEmbedder(384))
    kb.add(folder / "docs", "viking://h")
    kb.rights.grant("viking://h/open", everyone=True)
    return kb


def of_calls(kb: knarr.KnowledgeBase, rounds: int) -> dict[str, Any]:
    """See the module. Processor time, since other work on the machine is no cost of a call."""
    view = kb.as_(Principal(subject="ann"))
    ratios = {}
    for name in ("search", "grep", "list", "read"):
        arguments = {"search": ("loan days", "viking://h/open"), "grep": ("loan of item 77 ", "viking://h/open"),
                     "list": ("viking://h/open",), "read": ("viking://h/open/d77",)}[name]  # fmt: skip
        costs: tuple[list[int], list[int]] = [], []
        for _ in range(rounds):
            for reader, cost in ((kb, costs[0]), (view, costs[1])):
                begin = time.process_time_ns()
                getattr(reader, name)(*arguments)
                cost.append(time.process_time_ns() - begin)
        ratios[f"{name}_us"] = median(costs[1]) / 1e3
        ratios[f"{name}_ratio"] = median(costs[1]) / median(costs[0])
    return {"case": "calls", **ratios}


def of_hidden(kb: knarr.KnowledgeBase, rounds: int) -> dict[str, Any]:
    """See the module."""
    view = kb.as_(Principal(subject="ann"))
    figures: dict[str, Any] = {"case": "hidden"}
    for number in range(300):  # how a URI is spelled is kept, whoever names it first
        canonical(f"viking://h/shut/d{2 * number}"), canonical(f"viking://h/shut/e{2 * number}")
    worst = 1.0
    for name in ("read", "list", "document", "boxes", "search", "grep", "ask"):
        costs: tuple[list[int], list[int]] = [], []
        for number in range(rounds):
            places = (f"viking://h/shut/d{2 * (number % 300)}", f"viking://h/shut/e{2 * (number % 300)}")
            for uri, cost in zip(places, costs, strict=True):
                arguments = ("loan", uri) if name in ("search", "grep", "ask") else (uri,)
                begin = time.process_time_ns()
                with contextlib.suppress(KnarrError):
                    getattr(view, name)(*arguments)
                cost.append(time.process_time_ns() - begin)
        hidden, missing = median(costs[0]) / 1e3, median(costs[1]) / 1e3
        figures[f"{name}_hidden_us"], figures[f"{name}_missing_us"] = hidden, missing
        worst = max(worst, hidden / missing, missing / hidden)
    return {**figures, "worst_ratio": worst}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()
    lines = [of_classes(options.rows, options.classes, options.rounds)]
    with tempfile.TemporaryDirectory() as folder, small_base(Path(folder)) as kb:
        lines += [of_calls(kb, options.rounds), of_hidden(kb, options.rounds)]
    settings = {"dim": DIM, "chunks": CHUNKS, "rounds": options.rounds}
    for line in lines:
        results.emit(results.record("principals", settings, line), options.results)
    print(results.table(lines[:1], COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
