"""Traces made by hand, and a small library to learn from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

import knarr
from by_hand import DOCS, MakeTrace
from knarr.trace import CallRecord, RoundRecord, ScopeRecord, Trace
from knarr.types import AnswerStatus, Citation
from support import WriteDocs


@pytest.fixture
def make_trace() -> MakeTrace:
    numbers = itertools.count(1)

    def make(
        question: str,
        calls: Sequence[CallRecord],
        citations: Sequence[Citation],
        *,
        status: AnswerStatus = "answered",
        id: str = "",
        **more: Any,
    ) -> Trace:
        return Trace(
            id=id or f"trace{next(numbers)}",
            question=question,
            scope="viking://",
            policy="by hand",
            created_at=more.pop("created_at", datetime.now(UTC).isoformat()),
            resolution=ScopeRecord(),
            rounds=(RoundRecord(1, tuple(calls)),),
            status=status,
            text=more.pop("text", "the answer"),
            citations=tuple(citations),
            **more,
        )

    return make


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    """The library of `DOCS` under viking://kb."""
    kb.add(write_docs(DOCS), into="viking://kb")
    return kb
