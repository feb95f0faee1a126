"""Traces made by hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from by_hand import MakeTrace

from knarr.trace import CallRecord, RoundRecord, ScopeRecord, Trace
from knarr.types import AnswerStatus, Citation


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
            text="the answer",
            citations=tuple(citations),
            **more,
        )

    return make
