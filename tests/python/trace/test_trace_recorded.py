"""What runs really record, and that it is told: edges used and learnt, the chat model, versions."""

from __future__ import annotations

import json

import pytest

import knarr
from knarr.agent import Decision, Quote, ScriptedPolicy
from knarr.cli import main
from knarr.models.chat import ChatReply, WishedCall
from knarr.testing import HashEmbedder, ScriptedChat
from knarr.trace.view import render
from knarr.types import ModelUsage
from support import WriteDocs

LOANS = "# Loans\n\n## Terms\n\nItems are lent for ten days.\n\n## Late returns\n\nA late fee of 15 euros is due.\n"
FEES = "viking://loans/Loans/Late_returns/Late_returns_1.md"
TERMS = "viking://loans/Loans/Terms/Terms_1.md"
QUESTION = "How high is the late fee?"


def script() -> ScriptedPolicy:
    """Searches the terms, reads about the fee, and quotes it: an edge from the one to the other."""
    return ScriptedPolicy(
        [
            Decision.call("Search", query="Items are lent for ten days", k=2),
            Decision.call("Read", uri=FEES),
            Decision.answer("15 euros.", Quote(FEES, "A late fee of 15 euros is due.")),
        ]
    )


@pytest.fixture
def filled(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    kb.add(write_docs({"loans.md": LOANS}))
    return kb


def test_what_was_learnt_and_used_is_drawn(
    filled: knarr.KnowledgeBase, capsys: pytest.CaptureFixture[str]
) -> None:
    first = filled.ask(QUESTION, mode="vikingrag-e", policy=script()).trace_id
    second = filled.ask(QUESTION, mode="vikingrag-e", policy=script()).trace_id
    edges = [edge for call in filled.traces.get(second).calls() for edge in call.edges]
    assert [(edge.seed, edge.target, edge.trace) for edge in edges] == [(TERMS, FEES, first)]
    text = render(filled.traces.get(second))
    assert f"edge to {FEES} (1.00)" in text and f'asked before: "{QUESTION}", trace {first}' in text
    assert filled.traces.get(second).versions == {"viking://loans": 1} and "viking://loans version 1" in text

    path = str(filled.path)
    filled.close()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        real = knarr.open
        patch.setitem(vars(knarr), "open", lambda *a, **k: real(*a, **k, embedder=HashEmbedder(dim=64)))
        main(["trace", first, "--kb", path])
    assert "├─ learnt 1 edge\n" in capsys.readouterr().out


def test_the_chat_model_that_decided_is_named(filled: knarr.KnowledgeBase) -> None:
    from knarr.agent.policy.model import ModelPolicy

    usage = ModelUsage(1, 300, 200, 20, 0, 0.001, 5.0)
    read = WishedCall("1", "Read", json.dumps({"uri": FEES}))
    replies = [ChatReply("", (read,), usage=usage), ChatReply("15 euros.", usage=usage)]
    chat = ScriptedChat(replies, name="small-3b")
    trace = filled.traces.get(filled.ask(QUESTION, policy=ModelPolicy(chat, style="native")).trace_id)
    assert trace.chat_model == "small-3b" and trace.usage.model == usage + usage
    assert "by ModelPolicy with small-3b" in render(trace)
    assert filled.traces.get(filled.ask(QUESTION, policy=script()).trace_id).chat_model == ""
