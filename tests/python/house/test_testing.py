"""The test helpers that users get too."""

from __future__ import annotations

import numpy as np

import knarr
from knarr.agent import Decision, ToolCall
from knarr.testing import HashEmbedder, ScriptedPolicy
from support import WriteDocs


def test_the_hash_embedder_is_deterministic_and_counts() -> None:
    embedder = HashEmbedder(32)
    first = embedder.embed(["one two", "two three", ""])
    np.testing.assert_array_equal(first, HashEmbedder(32).embed(["one two", "two three", ""]))
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, rtol=1e-6)
    assert (embedder.calls, embedder.texts) == (1, 3)
    assert first[0] @ first[1] > 0.2


def test_a_scripted_policy_drives_the_loop_over_a_knowledge_base(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    kb.add(write_docs({"d.md": "# Fees\n\nThe fee is 15 crowns.\n"}), into="viking://kb")
    calls = [ToolCall("Grep", {"pattern": "fee is"}), ToolCall("Read", {"uri": "viking://kb/d/Fees"})]
    answer = kb.ask("What is the fee?", policy=ScriptedPolicy([Decision(calls=tuple(calls))]))
    assert answer.usage.calls == {"Grep": 1, "Read": 1}
    trace = kb.traces.get(answer.trace_id)
    assert trace.question == "What is the fee?"
    assert kb.traces.list()[0][0] == answer.trace_id
