"""What do experience and the checker save, and what do they cost in evidence?

    python -m bench.rag.modes --data SETS --kb BASES --out FILE [--sets a b] [--limit N] [--modes m ...]
        [--tokens N] [--results FILE]

Asks every question in each mode, one mode after the other per question, in turns, with learning frozen: the
edges are those that the base holds (`knarr warm-up`, on questions made from the documents), and no question
of the set ever teaches. Beside the checker that decides, the naive one judges the same candidates. FILE gets
one JSON line per question and mode; a run that was stopped goes on where it ended.

all_shown             share of questions with all evidence shown (coverage >= 0.8)
escalated             share of questions that went on after the first round
early_wrong           false no-escalation: share of all questions answered after the first round although
                      that had not shown all evidence (or although there is no answer)
naive_early           share that the naive checker would answer after the first round
naive_early_wrong     its false no-escalation
first_shown           share with all evidence shown by the first round alone
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
from bench.rag.bases import Base, open_base
from bench.rag.datasets import Question, load_all, sample
from bench.rag.naive import NaiveChecker
from bench.rag.observed import blocks
from bench.rag.retrieval import score
from bench.rag.scoring import Shown, abstained, all_shown

from knarr.agent import Agent, Escalation
from knarr.checker import Case, Checked, Checker, RuleChecker
from knarr.models.rerank import load_reranker
from knarr.trace.record import Trace
from knarr.types import Mode

MODES: tuple[Mode, ...] = ("vikingrag", "vikingrag-e", "vikingrag-e+")
COLUMNS = [
    "set", "mode", "questions", "all_shown", "coverage", "gold_docs_share", "tokens", "tokens_ratio", "rounds",
    "ms_p50", "abstained_rightly", "abstained_wrongly", "edges_used", "escalated", "early_wrong",
    "first_shown", "naive_early", "naive_early_wrong",
]  # fmt: skip


class Beside:
    """The checker that decides, and the naive one whose word is only kept."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._naive = NaiveChecker()
        self.naive = Checked(self._naive.check(_EMPTY).verdict)

    def check(self, case: Case) -> Checked:
        self.naive = self._naive.check(case)
        return self._checker.check(case)


_EMPTY = Case("", "", (), "", False, (), (), ())


def shown_until(base: Base, trace: Trace, rounds: int | None = None) -> list[Shown]:
    """The document text shown by the first so many rounds with calls, by all when None."""
    steps = [step for step in trace.rounds if step.calls][:rounds]
    return [
        base.piece(block.text, block.uri, block.lines, block.pages)
        for step in steps
        for call in step.calls
        for block in blocks(call.text)
    ]


def ask(base: Base, agent: Agent, beside: Beside, question: Question, mode: Mode, k: int) -> dict[str, Any]:
    """One question in one mode, scored."""
    ranker = load_reranker()
    if ranker is not None:
        ranker._remembered.clear()  # what another mode has read is not free here
    begin = time.perf_counter()
    run = agent.run(question.text, base.scope, k=k, mode=mode)
    ms = (time.perf_counter() - begin) * 1e3
    answer, trace = run.answer, run.trace
    row: dict[str, Any] = {
        "set": base.data.name,
        "id": question.id,
        "mode": mode,
        "answerable": question.answerable,
        "status": answer.status,
        "rounds": answer.rounds,
        "tokens": answer.usage.tokens_shown,
        "ms": round(ms, 1),
        "edges": sum(len(call.edges) for call in trace.calls()),
        "similarity": max((edge.similarity for call in trace.calls() for edge in call.edges), default=None),
    }
    if question.answerable:
        row |= score(question, shown_until(base, trace))
    for check in trace.checks:
        row |= {
            "action": check.action,
            "cause": check.cause,
            "score": check.verdict.score,
            "gates": [gate.name for gate in check.verdict.gates if not gate.passed],
            "first_tokens": check.tokens,
            "naive": beside.naive.verdict.outcome == "sufficient",
            "naive_score": beside.naive.verdict.score,
            "candidate_found": bool(check.candidate),
        }
        if question.answerable:
            row["first"] = score(question, shown_until(base, trace, check.round))
    return row


def enough(row: dict[str, Any], found: dict[str, Any] | None) -> bool:
    """Whether what was shown holds the evidence."""
    if not row["answerable"] or found is None:
        return False
    if "coverage" in found:
        return all_shown(float(found["coverage"]))
    return float(found.get("gold_docs_share", 0.0)) >= 1.0


def summary(rows: list[dict[str, Any]], plain: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one set in one mode."""

    def column(name: str, answerable: bool | None = None) -> list[float]:
        chosen = [row for row in rows if answerable is None or row["answerable"] is answerable]
        return [float(row[name]) for row in chosen if row.get(name) is not None]

    for row in rows:
        row["abstained"] = abstained(row["status"])
    covered = column("coverage")
    tokens = results.mean(column("tokens"))
    base = results.mean([float(row["tokens"]) for row in plain])
    line: dict[str, Any] = {
        "questions": len(rows),
        "all_shown": results.mean([float(all_shown(value)) for value in covered]),
        "coverage": results.mean(covered),
        "gold_docs_share": results.mean(column("gold_docs_share")),
        "tokens": tokens,
        "tokens_ratio": tokens / base if tokens is not None and base else None,
        "rounds": results.mean(column("rounds")),
        "ms_p50": results.percentile(column("ms"), 0.5),
        "abstained_rightly": results.mean(column("abstained", False)),
        "abstained_wrongly": results.mean(column("abstained", True)),
        "edges_used": results.mean([float(row["edges"] > 0) for row in rows]),
    }
    looked = [row for row in rows if "action" in row]
    if looked:
        early = [row["action"] == "answered" for row in looked]
        right = [enough(row, row.get("first")) for row in looked]
        line |= {
            "escalated": 1.0 - sum(early) / len(looked),
            "early_wrong": sum(e and not r for e, r in zip(early, right, strict=True)) / len(looked),
            "first_shown": sum(right) / len(looked),
            "naive_early": sum(row["naive"] for row in looked) / len(looked),
            "naive_early_wrong": sum(row["naive"] and not r for row, r in zip(looked, right, strict=True))
            / len(looked),
        }
    return line


def done_before(out: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The rows of an earlier, stopped run."""
    if not out.exists():
        return {}
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line.endswith("}")]
    return {(row["set"], row["id"], row["mode"]): row for row in rows}


def in_turns(modes: list[Mode], number: int) -> Iterator[Mode]:
    """Each mode once, beginning with another one for each question."""
    at = number % len(modes)
    yield from (*modes[at:], *modes[:at])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--kb", type=Path, required=True, help="folder of bases, warmed up")
    parser.add_argument("--out", type=Path, required=True, help="a JSON line per question and mode; resumed")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--limit", type=int, help="a deterministic sample per set")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--tokens", type=int, help="shown by the first round of E+ (default: the agent's)")
    parser.add_argument("--results", type=Path, help="append the JSON lines of the sets to this file")
    options = parser.parse_args()

    before = done_before(options.out)
    lines = []
    for data in load_all(options.data, options.sets):
        base = open_base(options.kb, data)
        beside = Beside(RuleChecker(load_reranker()))
        more = {} if options.tokens is None else {"tokens": options.tokens}
        agent = Agent(base.kb.library, escalation=Escalation(beside, **more))
        rows: list[dict[str, Any]] = []
        with options.out.open("a", encoding="utf-8") as file:
            for number, question in enumerate(sample(data.questions, options.limit)):
                for mode in in_turns(options.modes, number):
                    row = before.get((data.name, question.id, mode))
                    if row is None:
                        row = ask(base, agent, beside, question, mode, options.k)
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")
                        file.flush()
                    rows.append(row)
        base.kb.close()
        plain = [row for row in rows if row["mode"] == "vikingrag"]
        for mode in options.modes:
            line = {"set": data.name, "mode": mode} | summary(
                [row for row in rows if row["mode"] == mode], plain
            )
            settings = {"k": options.k, "limit": options.limit, "first_tokens": options.tokens}
            results.emit(results.record("rag/modes", settings, line), options.results)
            lines.append(line)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
