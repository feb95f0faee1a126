"""Loads a document set: a folder with `docs/`, `docs.jsonl` and `questions.jsonl`.

A set's folder name is its name. Documents are named by their path in the folder ("docs/x.md"),
in questions and everywhere else in these benches.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.rag.scoring import Evidence, Mode


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is asked, with its gold.

    evidence:     gold spans; empty where the set has none for it
    alternatives: evidence of other annotators, each as good as `evidence`
    gold_docs:    the documents that hold the answer
    """

    id: str
    type: str
    text: str
    answerable: bool
    answer: str
    gold_docs: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    mode: Mode = "all"
    alternatives: tuple[tuple[Evidence, ...], ...] = ()


@dataclass(frozen=True)
class DataSet:
    """A set of documents and the questions asked of them."""

    name: str
    folder: Path
    titles: dict[str, str]
    questions: tuple[Question, ...]
    _pages: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    def page_of_line(self, doc: str, line: int) -> int | None:
        """The page (from 1) of a line (from 1) of a text file whose pages are split by form
        feeds; None for every other document."""
        if doc not in self._pages:
            path = self.folder / doc
            data = path.read_bytes() if path.suffix == ".txt" else b""
            breaks = [at for at, byte in enumerate(data) if byte == 0x0C]
            self._pages[doc] = [data.count(b"\n", 0, at) + 1 for at in breaks]
        begins = self._pages[doc]
        return 1 + sum(begin <= line for begin in begins) if begins else None


def _spans(items: Iterable[dict[str, Any]]) -> tuple[Evidence, ...]:
    # The files count pages from zero.
    return tuple(
        Evidence(item["doc"], item["text"], None if item.get("page") is None else item["page"] + 1)
        for item in items
    )


def _question(row: dict[str, Any]) -> Question:
    context = row.get("context")
    answer = row.get("answer") or ""
    return Question(
        id=row["id"],
        type=row["type"],
        text=f"Based on {context}: {row['question']}" if context else row["question"],
        answerable=row["answerable"],
        answer=answer if isinstance(answer, str) else " / ".join(answer),
        gold_docs=tuple(row["gold_docs"]),
        evidence=_spans(row["evidence"]),
        mode=row.get("evidence_mode", "all"),
        alternatives=tuple(_spans(other) for other in row.get("evidence_alternatives", ())),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def load(folder: Path) -> DataSet:
    """The set in this folder. Raises OSError when a file is missing."""
    folder = folder.resolve()
    titles = {row["doc"]: row["title"] for row in _lines(folder / "docs.jsonl")}
    questions = tuple(_question(row) for row in _lines(folder / "questions.jsonl"))
    return DataSet(folder.name, folder, titles, questions)


def load_all(data: Path, names: Sequence[str] = ()) -> list[DataSet]:
    """The named sets under `data`, or all there are, by name."""
    found = sorted(path.parent.name for path in data.glob("*/questions.jsonl"))
    missing = sorted(set(names) - set(found))
    if missing or not found:
        raise FileNotFoundError(f"no set {', '.join(missing) or 'at all'} in {data}; found: {found}")
    return [load(data / name) for name in (names or found)]


def sample(questions: Sequence[Question], limit: int | None) -> list[Question]:
    """At most `limit` questions, in their own order: always the same ones, chosen by a hash of
    their ids, so that a larger sample contains the smaller."""
    if limit is None or limit >= len(questions):
        return list(questions)
    ranked = sorted(questions, key=lambda q: hashlib.sha256(f"knarr-sample:{q.id}".encode()).hexdigest())
    chosen = {question.id for question in ranked[:limit]}
    return [question for question in questions if question.id in chosen]
