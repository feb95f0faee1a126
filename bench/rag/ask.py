"""Does `ask` show all the gold evidence, at what cost, and does it abstain where it should?

    python -m bench.rag.ask --data SETS --kb BASES --out FILE [--sets a b] [--limit N]
        [--k 10] [--rounds 15] [--results FILE]

The text shown is all document text in the observations of the run, as its trace records them. FILE
gets one JSON line per question; a run that was stopped goes on where it ended. The result names the
commits whose answers it holds (`commits`): more than one means that the code changed on the way.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from bench import results
from bench.rag.bases import Base, open_base
from bench.rag.datasets import Question, load_all, sample
from bench.rag.observed import blocks
from bench.rag.retrieval import score
from bench.rag.scoring import Shown, abstained, all_shown

from knarr import Budget

COLUMNS = [
    "set", "questions", "all_shown", "mean_coverage", "all_shown_own_document", "gold_docs_questions",
    "gold_docs_share", "unanswerable", "abstained_rightly", "abstained_wrongly", "tokens_shown",
    "rounds", "ms_p50", "ms_p99",
]  # fmt: skip


def shown_in(base: Base, trace_id: str) -> list[Shown]:
    """Every piece of document text that the run showed to its policy, in order."""
    trace = base.kb.traces.get(trace_id)
    return [
        base.piece(block.text, block.uri, block.lines, block.pages)
        for step in trace.rounds
        for call in step.calls
        for block in blocks(call.text)
    ]


def ask(base: Base, question: Question, k: int, rounds: int) -> dict[str, Any]:
    """Ask one question and score the run."""
    begin = time.perf_counter()
    answer = base.kb.ask(question.text, base.scope, k=k, budget=Budget(rounds=rounds))
    ms = (time.perf_counter() - begin) * 1e3
    row = {
        "set": base.data.name,
        "id": question.id,
        "type": question.type,
        "question": question.text,
        "answerable": question.answerable,
        "status": answer.status,
        "abstained": abstained(answer.status),
        "rounds": answer.rounds,
        "tokens_shown": answer.usage.tokens_shown,
        "calls": dict(answer.usage.calls),
        "ms": round(ms, 2),
        "answer": answer.text,
        "gold_answer": question.answer,
        "citations": [{"uri": piece.uri, "text": piece.text} for piece in answer.citations],
        "trace_id": answer.trace_id,
    }
    if question.answerable:
        row |= score(question, shown_in(base, answer.trace_id))
    return row


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one set. Means of cost are over all its questions."""

    def column(name: str, answerable: bool | None = None) -> list[float]:
        chosen = [row for row in rows if answerable is None or row["answerable"] is answerable]
        return [float(row[name]) for row in chosen if name in row]

    covered, own = column("coverage"), column("coverage_own_document")
    return {
        "questions": len(covered),
        "all_shown": results.mean([float(all_shown(value)) for value in covered]),
        "mean_coverage": results.mean(covered),
        "all_shown_own_document": results.mean([float(all_shown(value)) for value in own]),
        "gold_docs_questions": len(column("gold_docs_share")),
        "gold_docs_share": results.mean(column("gold_docs_share")),
        "unanswerable": len(column("abstained", False)),
        "abstained_rightly": results.mean(column("abstained", False)),
        "abstained_wrongly": results.mean(column("abstained", True)),
        "tokens_shown": results.mean(column("tokens_shown")),
        "rounds": results.mean(column("rounds")),
        "ms_p50": results.percentile(column("ms"), 0.5),
        "ms_p99": results.percentile(column("ms"), 0.99),
    }


def done_before(out: Path, settings: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows already in `out`, by set and id. Refuses a file made with other settings."""
    if not out.exists():
        return {}
    lines = out.read_text(encoding="utf-8").split("\n")
    if lines[-1]:  # the writer was stopped inside its last line
        lines.pop()
        out.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    rows = [json.loads(line) for line in lines if line]
    if any(row["settings"] != settings for row in rows):
        raise SystemExit(f"{out} was made with other settings than {settings}")
    return {(row["set"], row["id"]): row for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--kb", type=Path, required=True, help="folder of bases, made by bench.rag.build")
    parser.add_argument("--out", type=Path, required=True, help="a JSON line per question; resumed")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--limit", type=int, help="a deterministic sample per set")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--results", type=Path, help="append the JSON lines of the sets to this file")
    options = parser.parse_args()

    settings: dict[str, Any] = {"k": options.k, "rounds": options.rounds}
    made = {"settings": settings, "commit": results.environment()["commit"]}
    before = done_before(options.out, settings)
    summaries = []
    for data in load_all(options.data, options.sets):
        base = open_base(options.kb, data)
        rows = []
        with options.out.open("a", encoding="utf-8") as file:
            for question in sample(data.questions, options.limit):
                row = before.get((data.name, question.id))
                if row is None:
                    row = ask(base, question, options.k, options.rounds) | made
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    file.flush()
                rows.append(row)
        base.kb.close()
        line = {"set": data.name, **summary(rows), "commits": sorted({row["commit"] for row in rows})}
        results.emit(results.record("rag/ask", settings | {"limit": options.limit}, line), options.results)
        summaries.append(line)
    print(results.table(summaries, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
