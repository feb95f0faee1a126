"""How often do the first ten hits of one plain search show all the gold evidence?

    python -m bench.rag.retrieval --data SETS --kb BASES [--sets a b] [--k 10] [--scope set|gold]
        [--kinds chunk abstract] [--distinct] [--limit N] [--details FILE] [--results FILE]

The text shown is the full text of the objects hit. `--scope gold` searches only inside the gold
documents: the difference to `set` is what a perfect choice of scope is worth. `--details` writes a
JSON line per question, with its hits, to look at misses.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import results
from bench.rag.bases import Base, full_text, open_base
from bench.rag.datasets import Question, load_all, sample
from bench.rag.scoring import Shown, all_shown, gold_docs_share, question_coverage

from knarr.types import Hit, Kind

COLUMNS = [
    "set", "questions", "recall", "mean_coverage", "recall_own_document", "gold_docs_questions",
    "gold_docs_share", "tokens_shown", "abstract_hits", "ms_p50", "ms_p99",
]  # fmt: skip


def search(base: Base, question: Question, options: argparse.Namespace) -> list[Hit]:
    """The first k hits in the scope asked for; over several documents, merged by score."""
    kinds: tuple[Kind, ...] = tuple(options.kinds)
    scopes = [base.scope]
    if options.scope == "gold":
        scopes = [base.uri_of(doc) for doc in question.gold_docs] or scopes
    hits = [
        hit
        for scope in scopes
        for hit in base.kb.search(question.text, scope, options.k, kinds=kinds, distinct=options.distinct)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.uri))[: options.k]


def score(question: Question, shown: list[Shown]) -> dict[str, Any]:
    """Coverage of a question: by spans where it has some, else by gold documents."""
    if not question.evidence:
        return {"gold_docs_share": gold_docs_share(question.gold_docs, shown)}
    coverage, own = (
        question_coverage(
            question.evidence,
            shown,
            mode=question.mode,
            alternatives=question.alternatives,
            own_document=own_document,
        )
        for own_document in (False, True)
    )
    return {"coverage": coverage, "coverage_own_document": own}


def run(base: Base, questions: list[Question], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row per answerable question."""
    texts: dict[str, str] = {}
    tokens: dict[str, int] = {}
    for question in questions:
        begin = time.perf_counter()
        hits = search(base, question, options)
        ms = (time.perf_counter() - begin) * 1e3
        for hit in hits:
            if hit.uri not in texts:
                texts[hit.uri] = full_text(base.kb, hit.uri)
                tokens[hit.uri] = base.kb.library.count_tokens(texts[hit.uri])
        shown = [base.piece(texts[hit.uri], hit.uri, hit.source.lines, hit.source.pages) for hit in hits]
        yield {
            "set": base.data.name,
            "id": question.id,
            "type": question.type,
            "question": question.text,
            **score(question, shown),
            "tokens_shown": sum(tokens[hit.uri] for hit in hits),
            "abstract_hits": sum(hit.kind == "abstract" for hit in hits),
            "ms": round(ms, 3),
            "hits": [
                {
                    "uri": hit.uri,
                    "score": round(hit.score, 4),
                    "kind": hit.kind,
                    "doc": piece.doc,
                    "pages": piece.pages,
                }
                for hit, piece in zip(hits, shown, strict=True)
            ],
        }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one set."""

    def column(name: str) -> list[float]:
        return [row[name] for row in rows if name in row]

    covered, own = column("coverage"), column("coverage_own_document")
    return {
        "questions": len(covered),
        "recall": results.mean([float(all_shown(value)) for value in covered]),
        "mean_coverage": results.mean(covered),
        "recall_own_document": results.mean([float(all_shown(value)) for value in own]),
        "gold_docs_questions": len(column("gold_docs_share")),
        "gold_docs_share": results.mean(column("gold_docs_share")),
        "tokens_shown": results.mean(column("tokens_shown")),
        "abstract_hits": results.mean(column("abstract_hits")),
        "ms_p50": results.percentile(column("ms"), 0.5),
        "ms_p99": results.percentile(column("ms"), 0.99),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--kb", type=Path, required=True, help="folder of bases, made by bench.rag.build")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--kinds", nargs="+", choices=["chunk", "abstract"], default=["chunk"])
    parser.add_argument("--scope", choices=["set", "gold"], default="set")
    parser.add_argument("--distinct", action="store_true", help="list equal texts once")
    parser.add_argument("--limit", type=int, help="a deterministic sample per set")
    parser.add_argument("--details", type=Path, help="a JSON line per question")
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    settings = {name: getattr(options, name) for name in ("k", "kinds", "scope", "distinct", "limit")}
    summaries = []
    for data in load_all(options.data, options.sets):
        base = open_base(options.kb, data)
        questions = [question for question in sample(data.questions, options.limit) if question.answerable]
        rows = list(run(base, questions, options))
        base.kb.close()
        line = {"set": data.name, **summary(rows)}
        results.emit(results.record("rag/retrieval", settings, line), options.results)
        summaries.append(line)
        if options.details:
            with options.details.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(results.table(summaries, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
