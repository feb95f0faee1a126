"""EDGE-03 whole: a shortcut learnt from one question never answers another one."""

from __future__ import annotations

import pytest

REPORTS = {
    "report_2023.md": "# Report 2023\n\n## Revenue\n\nThe revenue in 2023 was 41 million crowns, earned by the ferries.\n\n"
    "## Costs\n\nThe costs in 2023 were 17 million crowns, most of them for fuel.\n\n## Crew\n\nNinety people sailed.\n",
    "report_2024.md": "# Report 2024\n\n## Revenue\n\nThe revenue in 2024 was 52 million crowns, earned by the ferries.\n\n"
    "## Costs\n\nThe costs in 2024 were 23 million crowns, most of them for fuel.\n\n## Crew\n\nEighty people sailed.\n",
}
LEARNT = "What was the revenue in 2023?"
OTHERS = [
    ("What was the revenue in 2024?", "52 million"),
    ("What was the revenue, but not in 2023?", "52 million"),
    ("What were the costs in 2023?", "17 million"),
]


@pytest.fixture
def taught(kb, write_docs):
    kb.add(write_docs(REPORTS), into="viking://reports")
    answer = kb.ask(LEARNT, mode="vikingrag-e", policy="extractive")
    assert answer.status == "answered" and "41 million" in answer.text
    assert kb.experience.stats()["edges"], "the answer taught something, or this proves nothing"
    return kb, answer.trace_id


@pytest.mark.parametrize("mode", ["vikingrag-e", "vikingrag-e+"])
@pytest.mark.parametrize(("question", "wanted"), OTHERS)
def test_others_are_answered_from_their_own_text(taught, question, wanted, mode):
    kb, _ = taught
    answer = kb.ask(question, mode=mode, policy="extractive")
    assert answer.status == "not_found" or wanted in " ".join(piece.text for piece in answer.citations)
    plain = kb.ask(question, policy="extractive")
    right = wanted in " ".join(piece.text for piece in plain.citations)
    assert not right or wanted in " ".join(piece.text for piece in answer.citations), (
        "never worse than without"
    )


def test_marked_wrong_it_has_no_effect_on_the_very_next_query(taught):
    kb, trace_id = taught
    used = kb.search(LEARNT, k=3, gamma=0.5).edges
    kb.experience.mark(trace_id, good=False)
    assert used and not kb.search(LEARNT, k=3, gamma=0.5).edges
