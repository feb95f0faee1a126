"""Traces made by hand, and a small library to learn from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

import knarr
from by_hand import DOCS, MakeTrace, trace_by_hand
from knarr.trace.record import CallRecord, Trace
from knarr.types import Citation
from support import WriteDocs


@pytest.fixture
def make_trace() -> MakeTrace:
    numbers = itertools.count(1)

    def make(
        question: str,
        calls: Sequence[CallRecord],
        citations: Sequence[Citation],
        *,
        id: str = "",
        **more: Any,
    ) -> Trace:
        return trace_by_hand(id or f"trace{next(numbers)}", question, calls, citations, **more)

    return make


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    """The library of `DOCS` under viking://kb."""
    kb.add(write_docs(DOCS), into="viking://kb")
    return kb
