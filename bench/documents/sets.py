"""Is all the gold evidence in what was read of the document sets, and into how many sections and chunks did it fall?

    python -m bench.documents.sets --data SETS [--sets a b] [--trees FOLDER]

Only reads files: no base is made and nothing is embedded. `found` is the share of gold spans that the canonical text
of their document covers (see `bench.rag.scoring`), of those that name a page on that page or a neighbour. `--trees`
writes each document's section tree, to be compared with those of another version by `diff -r`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from bench import results
from bench.documents.readers import cpu_seconds
from bench.rag.datasets import DataSet, load_all
from bench.rag.scoring import ALL_SHOWN, Evidence, Shown, page_coverage, shown_text, text_coverage

from knarr.documents.registry import parse
from knarr.documents.sections import Document
from knarr.errors import DocumentError

COLUMNS = [
    "set",
    "documents",
    "status",
    "spans",
    "found",
    "coverage",
    "sections",
    "depth",
    "notes",
    "cpu_seconds",
]


def read(data: DataSet) -> Iterator[tuple[str, Document | DocumentError]]:
    """Each document of a set by its name, or why it was not read."""
    for name in data.titles:
        path = data.folder / name
        try:
            yield name, parse(path.read_bytes(), path.name)
        except DocumentError as error:
            yield name, error


def evidence(data: DataSet) -> list[Evidence]:
    """Every gold span of a set once."""
    spans = {(span.doc, span.text, span.page): span for one in data.questions for span in one.evidence}
    return list(spans.values())


def coverage(span: Evidence, documents: dict[str, Document]) -> float:
    """How much of a span its document has."""
    document = documents.get(span.doc)
    if document is None:
        return 0.0
    if span.page is None or not document.page_begins:
        return text_coverage(span.text, shown_text([Shown(document.text)]))
    return page_coverage(span, list(_pages(span.doc, document)))


def _pages(name: str, document: Document) -> Iterator[Shown]:
    ends = (*document.page_begins[1:], len(document.data))
    for number, (begin, end) in enumerate(zip(document.page_begins, ends, strict=True), 1):
        yield Shown(document.data[begin:end].decode("utf-8"), name, (number, number))


def measure(data: DataSet, trees: Path | None) -> dict[str, Any]:
    """The figures of one set."""
    began = cpu_seconds()
    found = dict(read(data))
    spent = cpu_seconds() - began
    documents = {name: one for name, one in found.items() if isinstance(one, Document)}
    shares = [coverage(span, documents) for span in evidence(data)]
    sections = [section.level for one in documents.values() for section in one.root.walk() if section.level]
    if trees is not None:
        _write_trees(trees / data.name, documents)
    return {
        "set": data.name,
        "documents": len(found),
        "status": dict(Counter(one.status for one in found.values())),
        "spans": len(shares),
        "found": round(mean(share >= ALL_SHOWN for share in shares), 4) if shares else None,
        "coverage": round(mean(shares), 4) if shares else None,
        "sections": len(sections),
        "depth": round(mean(sections), 2) if sections else 0,
        "notes": dict(
            Counter(note.partition(":")[0][:40] for one in documents.values() for note in one.notes)
        ),
        "cpu_seconds": round(spent, 1),
    }


def _write_trees(folder: Path, documents: dict[str, Document]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in documents.items():
        lines = [f"{'  ' * section.level}{section.title}\n" for section in document.root.walk()]
        (folder / f"{Path(name).name}.tree").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--trees", type=Path, help="write the section trees here")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    rows = []
    for data in load_all(options.data, options.sets):
        row = measure(data, options.trees)
        results.emit(results.record("document_sets", {"set": data.name}, row), options.results)
        rows.append(row)
    print(results.table(rows, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
