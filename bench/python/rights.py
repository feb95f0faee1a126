"""What do rights cost: to hold them for many classes of principals, to follow a change, and in each call?

    python -m bench.python.rights [--rows 1000000] [--classes 1000] [--dim 64] [--limit-s 5] [--results FILE]

A document of 20 chunks may be read by one of 200 groups, a few of which hold most documents (Zipf's law); a
class of principals has 1 to 40 groups, and its rights are the rows of their documents, as a RowSet. `hold` is
the memory of all classes' rows. `replace a document` and `grant a document` change one document and bring all
classes that it concerns up to date; `grant a folder` does so for a tenth of all rows. These are times of the
processor. The calls take turns with the same call without a filter, each with the rights of another class than
the one before: `ratio` is the median under rights by that without, `parsed_ratio` that with the rights as
serialised bytes, which each call reads. Two minutes and 2 GB at a million rows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench import results
from bench.python.harness import Timing, alternate
from bench.python.library import FOLDERS, ROOT, Library
from bench.python.texts import make_texts

from knarr import Engine
from knarr.engine import RowSet

GROUPS = 200
MOST_GROUPS = 40  # of a class
COLUMNS = ["case", "scope", "classes", "allowed", "p50_us", "p99_us", "open_p50_us", "ratio", "parsed_ratio"]


class Rights:
    """Classes of principals over a library, and the rows of each."""

    def __init__(self, library: Library, classes: int, dim: int) -> None:
        self.library = library
        self.random = np.random.default_rng(3)
        self.engine = Engine(dim, "int8")
        self._vectors = self.random.standard_normal((library.rows, dim), dtype=np.float32)
        self._texts = make_texts(library, seed=1)
        rows = [self.put(number) for number in range(library.documents)]
        weights = 1 / np.arange(1, GROUPS + 1)
        weights /= weights.sum()
        owners = self.random.choice(GROUPS, library.documents, p=weights)
        self.owner: list[int] = [int(group) for group in owners]
        of_group = [RowSet(generation=self.engine.generation) for _ in range(GROUPS)]
        for group, each in zip(self.owner, rows, strict=True):
            of_group[group] |= each
        self.groups = [
            {
                int(group)
                for group in self.random.choice(GROUPS, self.random.integers(1, MOST_GROUPS + 1), p=weights)
            }
            for _ in range(classes)
        ]
        self.rows = [RowSet(generation=self.engine.generation) for _ in range(classes)]
        for groups, held in zip(self.groups, self.rows, strict=True):
            for group in groups:
                held |= of_group[group]

    def put(self, number: int) -> RowSet:
        """Add a document, or put it in its own place again; its rows."""
        each = self.library.document_rows
        uri = self.library.document_uri(number)
        vectors = self._vectors[number * each : (number + 1) * each]
        self.engine.add(
            self.library.chunk_uris(number), vectors, self._texts[number], document=uri, replace=True
        )
        return self.engine.rows(uri)

    def replace(self, number: int) -> float:
        """Put a document again and bring all classes up to date; the seconds of the latter."""
        uri = self.library.document_uri(number)
        before, now = self.engine.rows(uri), self.put(number)
        begin = time.thread_time()
        for groups, held in zip(self.groups, self.rows, strict=True):
            if self.owner[number] in groups:
                held -= before
                held |= now
        return time.thread_time() - begin

    def grant(self, uri: str, groups: set[int]) -> float:
        """Let some groups see what lies under a URI; the seconds."""
        begin = time.thread_time()
        now = self.engine.rows(uri)
        for each, held in zip(self.groups, self.rows, strict=True):
            if each & groups:
                held |= now
        return time.thread_time() - begin


def _figures(seconds: list[float]) -> dict[str, float]:
    return {
        "p50_us": round(results.percentile(seconds, 0.5) * 1e6, 2),
        "p99_us": round(results.percentile(seconds, 0.99) * 1e6, 2),
    }


def changes(rights: Rights, rounds: int) -> list[dict[str, Any]]:
    """What bringing all classes up to date takes, for a document and for a rule."""
    random, library = rights.random, rights.library
    numbers = [int(number) for number in random.integers(0, library.documents, rounds)]
    groups = [{int(group)} for group in random.integers(0, GROUPS, rounds)]
    replaced = [rights.replace(number) for number in numbers]
    granted = [
        rights.grant(library.document_uri(number), group)
        for number, group in zip(numbers, groups, strict=True)
    ]
    folder = [rights.grant(f"{ROOT}/folder_{at % FOLDERS}", group) for at, group in enumerate(groups[:20])]
    return [
        {"case": "replace a document", **_figures(replaced)},
        {"case": "grant a document", **_figures(granted)},
        {"case": "grant a folder", **_figures(folder)},
    ]


Call = Callable[[dict[str, Any], int], object]


def calls(engine: Engine, library: Library, queries: int = 64) -> list[tuple[str, str, Call]]:
    """Name, scope and call, given a `filter` or nothing and the number of the round."""
    asked = np.random.default_rng(5).standard_normal((queries, engine.dim), dtype=np.float32)
    document = library.document_uri(library.documents // 2)
    folder = document.rpartition("/")[0]
    out: list[tuple[str, str, Call]] = []
    for name, scope in (("100%", "viking://"), ("10%", folder)):
        out.append(("search", name, lambda f, n, s=scope: engine.search(asked[n % queries], s, **f).uris))
        out.append(("grep", name, lambda f, n, s=scope: engine.grep("haystack", s, limit=20, **f).matches))
    out.append(("list", "root", lambda f, n: engine.list(ROOT, **f).entries))
    out.append(("list, 100 of a folder", "10%", lambda f, n: engine.list(folder, 0, 100, **f).entries))
    out.append(("list, 1000 of a folder", "10%", lambda f, n: engine.list(folder, 0, 1000, **f).entries))
    # A document that every class sees, so that both calls find it.
    out.append(("search", "document", lambda f, n: engine.search(asked[n % queries], document, **f).uris))
    out.append(("grep", "document", lambda f, n: engine.grep("haystack", document, **f).matches))
    out.append(("read", "document", lambda f, n: engine.read(document, **f).text))
    return out


def _median(timing: Timing) -> float:
    return results.percentile(timing.ms, 0.5)


def measure(rights: Rights, limit_s: float) -> list[dict[str, Any]]:
    """Each call under the rights of all classes in turn, beside the one without."""
    engine, library = rights.engine, rights.library
    rights.grant(library.document_uri(library.documents // 2), set(range(GROUPS)))
    held, classes = rights.rows, len(rights.rows)
    parsed = [(rows.serialize(), engine.generation) for rows in held]
    lines = []
    for case, scope, call in calls(engine, library):
        under, bare, read = alternate(
            [
                lambda n, call=call: call({"filter": held[n % classes]}, n),
                lambda n, call=call: call({}, n),
                lambda n, call=call: call({"filter": parsed[n % classes]}, n),
            ],
            10_000,
            limit_s=limit_s,
        )
        lines.append(
            {
                "case": case,
                "scope": scope,
                **_figures([ms / 1e3 for ms in under.ms]),
                "open_p50_us": round(_median(bare) * 1e3, 2),
                "ratio": round(_median(under) / _median(bare), 3),
                "parsed_ratio": round(_median(read) / _median(bare), 3),
                "rounds": len(under.ms),
            }
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=200, help="changes of each kind")
    parser.add_argument("--limit-s", type=float, default=5.0, help="seconds per call at most")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    library = Library(options.rows, sections=4, chunks=5)
    rights = Rights(library, options.classes, options.dim)
    sizes = [rows.size_bytes for rows in rights.rows]
    shares = [len(rows) / library.rows for rows in rights.rows]
    held = {"case": "hold", "allowed": round(results.percentile(shares, 0.5), 3), "bytes": sum(sizes)}
    lines = [held, *changes(rights, options.rounds), *measure(rights, options.limit_s)]
    settings = {"dim": options.dim, "precision": "int8", "library_rows": library.rows}
    for line in lines:
        line |= {"rows": library.rows, "classes": options.classes}
        results.emit(results.record("rights", settings, line), options.results)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
