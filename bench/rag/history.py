"""What does the agent's history cost, sent whole (append) or folded?

    python -m bench.rag.history --data SETS --kb BASES [--sets a b] [--limit N] [--window TOKENS]
        [--runs extractive steady] [--results FILE]

Runs are made once and recorded: what was to be sent before each decision. Both ways of sending are then
made from the same record, as `ModelPolicy` makes them. Counted are the tokens of all requests together,
those that a prefix cache serves (whole messages that begin the request as they began the last one), and
the price when a cached token costs a tenth. `evidence` is the mean share of the gold evidence that still
stands in the last request. Two kinds of run:

    extractive  the policy without a model: few rounds, many calls in each
    steady      a scripted policy as a patient model acts: one call a round, searching and reading by turns
                for as many rounds as the budget has

The bases are asked, and not changed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import results
from bench.rag.bases import Base, open_base
from bench.rag.datasets import Question, load_all, sample
from bench.rag.observed import blocks
from bench.rag.retrieval import score

from knarr.agent import Agent, Budget, Decision, ExtractivePolicy, Message, Policy, View
from knarr.agent.policy.model_history import Sent, Sizes, fit, fold, sent_messages
from knarr.agent.policy.model_messages import tool_schemas
from knarr.agent.tools import TOOLS
from knarr.language.constraints import content_words
from knarr.models.rerank import load_reranker

CACHED_PRICE = 0.1
COLUMNS = [
    "set", "run", "history", "questions", "requests", "sent", "cached", "fresh", "price", "left_out",
    "evidence",
]  # fmt: skip


@dataclass
class Recorder:
    """A policy that keeps what it was shown."""

    policy: Policy
    views: list[View] = field(default_factory=list)

    def decide(self, view: View) -> Decision:
        self.views.append(view)
        return self.policy.decide(view)


class Steady:
    """One call a round: a search for the question, then by turns a read of the best passage that was not
    read yet and a search for the question's next telling words. Answers in the last turn only."""

    def decide(self, view: View) -> Decision:
        if view.final:
            return Decision.answer("That is all.")
        read = {str(seen.arguments.get("uri")) for seen in view.observations if seen.tool == "Read"}
        waiting = [piece.uri for piece in view.shown if piece.uri not in read]
        if view.round % 2 == 0 and waiting:
            return Decision.call("Read", uri=waiting[0])
        words = [one.text for one in content_words(view.resolution.core)] or [view.question]
        at = view.round // 2
        query = view.resolution.core if not at else " ".join(words[(at - 1) % len(words) :][:3])
        return Decision.call("Search", query=f"{query} ({at})" if at > len(words) else query)


@dataclass
class Cost:
    """Tokens of one way of sending, over all runs of a kind."""

    questions: int = 0
    requests: int = 0
    sent: int = 0
    cached: int = 0
    left_out: int = 0
    evidence: list[float] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Means per question."""
        count = max(1, self.questions)
        fresh = self.sent - self.cached
        return {
            "questions": self.questions,
            "requests": self.requests / count,
            "sent": self.sent / count,
            "cached": self.cached / count,
            "fresh": fresh / count,
            "price": (fresh + CACHED_PRICE * self.cached) / count,
            "left_out": self.left_out / count,
            "evidence": results.mean(self.evidence),
        }


def replay(
    views: Sequence[View], mode: str, window: int, count: Callable[[str], int], cost: Cost
) -> list[Message]:
    """Adds what sending these views costs. The last request's messages."""
    sent, before = Sent(), list[Message]()
    sizes = Sizes(count)
    tools = sum(count(str(schema)) for schema in tool_schemas(TOOLS))
    cost.questions += 1
    for view in views:
        if mode == "fold":
            fold(view, sent, sizes)
        fit(view, sent, sizes, window - tools)
        messages = sent_messages(view, sent)
        common = 0
        while common < min(len(before), len(messages)) and before[common] == messages[common]:
            common += 1
        cost.requests += 1
        cost.sent += tools + sizes.messages(messages)
        cost.cached += (tools + sizes.messages(messages[:common])) if before else 0
        before = messages
    cost.left_out += len(sent.instead)
    return before


def evidence(base: Base, question: Question, messages: Sequence[Message]) -> float:
    """The share of the question's gold evidence that stands in tool messages."""
    shown = [
        base.piece(block.text, block.uri, block.lines, block.pages)
        for message in messages
        if message.role == "tool"
        for block in blocks(message.content)
    ]
    return float(score(question, shown)["coverage"])


def runs_of(base: Base, questions: Sequence[Question], kind: str, rounds: int) -> list[list[View]]:
    """What would have been sent to a model, per question. The steady runs go without a reranker: they are
    long, and what is measured is how much is sent."""
    ranker = load_reranker() if kind == "extractive" else None
    recorded = []
    for question in questions:
        recorder = Recorder(ExtractivePolicy(ranker) if kind == "extractive" else Steady())
        Agent(base.kb.library, recorder, reranker=ranker).run(
            question.text, base.scope, 10, Budget(rounds=rounds)
        )
        recorded.append(recorder.views)
    return recorded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of document sets")
    parser.add_argument("--kb", type=Path, required=True, help="folder of bases, made by bench.rag.build")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets (default: all)")
    parser.add_argument("--limit", type=int, default=20, help="a deterministic sample per set")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--window", type=int, default=32_000, help="tokens of the model's window")
    parser.add_argument("--runs", nargs="*", default=["extractive", "steady"])
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()

    rows = []
    for data in load_all(options.data, options.sets):
        base = open_base(options.kb, data)
        for kind in options.runs:
            questions = [one for one in sample(data.questions, options.limit) if one.answerable]
            recorded = runs_of(base, questions, kind, options.rounds)
            for mode in ("append", "fold"):
                cost = Cost()
                for question, views in zip(questions, recorded, strict=True):
                    last = replay(views, mode, options.window, base.kb.library.count_tokens, cost)
                    if question.evidence:
                        cost.evidence.append(evidence(base, question, last))
                line = {"set": data.name, "run": kind, "history": mode, **cost.row()}
                settings = {"limit": options.limit, "rounds": options.rounds, "window": options.window}
                results.emit(results.record("rag/history", settings, line), options.results)
                rows.append(line)
        base.kb.close()
    print(results.table(rows, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
