"""Traces for tests: one that has everything, and a strategy for any."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from knarr.trace.record import (
    CallRecord,
    CheckRecord,
    DroppedCitation,
    EdgeUse,
    RoundRecord,
    ScopeRecord,
    Trace,
)
from knarr.types import Box, Citation, ConstraintCheck, Gate, ModelUsage, Usage, Verdict

LOANS = "viking://handbook/Loans"
FEES = f"{LOANS}/Late_returns/Late_returns_1.md"
RATES = "viking://handbook/Rates/Rates_1.md"
QUOTE = "A late fee of 15 euros is due."
SECRET = "only the people of the office know this sentence"


def full_trace(**changes: Any) -> Trace:
    """A run in mode -e+ that escalated: an edge was used, a check failed, a model decided, one
    citation was dropped. `changes` replace fields."""
    edge = EdgeUse(RATES, FEES, 0.91, "How much is the fine?", "0123456789abcdef")
    search = CallRecord(
        "call_1",
        "Search",
        {"query": "late fee", "scope": LOANS, "also": None},
        (FEES, RATES),
        420,
        30.0,
        text=SECRET,
        edges=(edge,),
    )
    refused = CallRecord("call_2", "Serch", {"refused": "x"}, (), 12, 1.0, "there is no tool", "unknown tool")
    read = CallRecord("call_3", "Read", {"uri": FEES}, (FEES,), 80, 5.0, text=SECRET)
    model = ModelUsage(1, 1200, 900, 56, 0, 0.002, 800.0)
    judge = ModelUsage(1, 300, 0, 20, 1, 0.0, 150.0)
    verdict = Verdict(
        "insufficient",
        "the year is nowhere",
        (
            ConstraintCheck("entity", "late fee", ((FEES, QUOTE),), True),
            ConstraintCheck("time", "2026", (), False),
        ),
        (Gate("quotes stand in their sources", True), Gate("years", False, "2026 is in no evidence")),
        0.41,
        0.7,
        "judge-7b",
        "sufficient",
    )
    values: dict[str, Any] = {
        "id": "aaaabbbbccccdddd",
        "question": "How high is the late fee in 2026?",
        "scope": "viking://handbook",
        "policy": "ModelPolicy",
        "created_at": "2026-03-01T10:00:00.250+00:00",
        "resolution": ScopeRecord(((LOANS + "/", 0.83),), ("loans",), True),
        "rounds": (
            RoundRecord(1, (search,), "", 2.0),
            RoundRecord(2, (refused, read), "I read it.", 900.0, model),
            RoundRecord(3, (), "15 euros.", 10.0),
        ),
        "status": "answered",
        "text": "15 euros. [1]",
        "citations": (
            Citation(FEES, QUOTE, (7, 7), (2, 2), LOANS, 3, (60, 90), (Box(2, 72, 500.5, 210.2, 512),)),
        ),
        "dropped": (DroppedCitation(RATES, "made up", "not_found"),),
        "usage": Usage(
            {"Search": 420, "Serch": 12, "Read": 80},
            {"Search": 1, "Serch": 0, "Read": 1},
            {"resolve": 4.0, "decide": 912.0, "Search": 30.0, "Read": 5.0, "cite": 1.0},
            model + judge,
        ),
        "mode": "vikingrag-e+",
        "checks": (
            CheckRecord(
                1, "15 euros.", verdict, "escalated", "gate years failed", 420, 160.0, judge, agrees=True
            ),
        ),
        "versions": {LOANS: 3, "viking://handbook/Rates": 1},
        "chat_model": "small-3b",
    }
    return Trace(**(values | changes))


# Traces are large: few examples of short lists find what many would.
few = settings(max_examples=20)
texts = st.one_of(
    st.text(max_size=12), st.sampled_from(["\x1b[31m\x9b\u202e\r\n\u2028", "a b " * 40, "漢" * 60])
)
uris = st.one_of(st.sampled_from([FEES, RATES, LOANS]), texts)
counts = st.integers(0, 10**9)
amounts = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | amounts | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=3,
)
spans = st.tuples(st.integers(1, 10**6), st.integers(1, 10**6))


def many(of: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


models = st.builds(ModelUsage, counts, counts, counts, counts, counts, amounts, amounts)
edges = st.builds(EdgeUse, uris, uris, amounts, texts, texts)
calls = st.builds(
    CallRecord,
    texts,
    texts,
    st.dictionaries(texts, json_values, max_size=2),
    many(uris, 8),
    counts,
    amounts,
    texts,
    texts,
    texts,
    many(edges),
)
rounds = st.builds(RoundRecord, st.integers(1, 9), many(calls), texts, amounts, models)
constraints = st.builds(ConstraintCheck, texts, texts, many(st.tuples(uris, texts)), st.booleans())
verdicts = st.builds(
    Verdict,
    st.sampled_from(["sufficient", "insufficient", "unknown"]),
    texts,
    many(constraints),
    many(st.builds(Gate, texts, st.booleans(), texts)),
    amounts,
    amounts,
    texts,
    texts,
)
checks = st.builds(
    CheckRecord,
    st.integers(1, 12),
    texts,
    verdicts,
    texts,
    texts,
    counts,
    amounts,
    models,
    st.none() | st.booleans(),
)
traces = st.builds(
    Trace,
    id=texts,
    question=texts,
    scope=uris,
    policy=texts,
    created_at=texts,
    resolution=st.builds(ScopeRecord, many(st.tuples(uris, amounts)), many(texts), st.booleans()),
    rounds=many(rounds),
    status=st.sampled_from(["answered", "not_found", "no_answer", "budget_exhausted"]),
    text=texts,
    citations=many(st.builds(Citation, uris, texts, spans, st.none() | spans, uris)),
    dropped=many(st.builds(DroppedCitation, uris, texts, texts)),
    usage=st.builds(
        Usage,
        st.dictionaries(texts, counts, max_size=2),
        st.dictionaries(texts, counts, max_size=2),
        st.dictionaries(texts, amounts, max_size=2),
        models,
    ),
    spent=texts,
    mode=st.sampled_from(["vikingrag", "vikingrag-e", "vikingrag-e+"]),
    checks=many(checks),
    versions=st.dictionaries(uris, counts, max_size=2),
    chat_model=texts,
)
