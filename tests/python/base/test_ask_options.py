"""The options of `ask`: spelled once, checked at once, and the same for `aask`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import knarr
from knarr.agent import Decision, ScriptedPolicy
from knarr.errors import InvalidArgument, NotFound
from support import WriteDocs

QUESTION = "What is the late fee?"


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    kb.add(write_docs({"fees.md": "# Fees\n\nThe late fee is 15 euros.\n"}), into="viking://kb")
    return kb


def searching() -> ScriptedPolicy:
    return ScriptedPolicy([Decision.call("Search", query=f"fee {at}") for at in range(9)])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rounds": 3}, "no option rounds"),
        ({"max_tokens": 9, "timeout_s": 1.0}, "no option max_tokens, timeout_s"),
        ({"mode": "vikingrag-x"}, "'vikingrag-x'"),
        ({"policy": "clever"}, "'clever'"),
        ({"budget": 3}, "expected a knarr.Budget"),
        ({"shadow": True}, 'belong to mode "vikingrag-e'),
        ({"resample": 0.5}, 'belong to mode "vikingrag-e'),
    ],
)
def test_wrong_options_are_refused_by_name(
    base: knarr.KnowledgeBase, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidArgument, match=said):
        base.ask(QUESTION, **options)
    with pytest.raises(InvalidArgument, match=said):
        asyncio.run(base.aask(QUESTION, **options))
    assert base.traces.list() == []


def test_a_scope_that_is_not_there_is_not_asked_in(base: knarr.KnowledgeBase) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        base.ask(QUESTION, "viking://nowhere")


def test_a_budget_bounds_the_run(base: knarr.KnowledgeBase) -> None:
    answer = base.ask(QUESTION, policy=searching(), budget=knarr.Budget(rounds=2))
    assert len([step for step in base.traces.get(answer.trace_id).rounds if step.calls]) == 2


def test_aask_takes_the_same_options(base: knarr.KnowledgeBase) -> None:
    budget = knarr.Budget(rounds=1)
    answer = asyncio.run(
        base.aask(QUESTION, "viking://kb", k=3, mode="vikingrag-e", policy=searching(), budget=budget)
    )
    trace = base.traces.get(answer.trace_id)
    assert (trace.mode, trace.scope) == ("vikingrag-e", "viking://kb")
    assert len([step for step in trace.rounds if step.calls]) == 1


def test_every_option_is_documented() -> None:
    said = knarr.AskOptions.__doc__ or ""
    assert all(f"\n    {name}:" in said for name in knarr.AskOptions.__annotations__)
