"""Near-identical questions that ask for different things (EDGE-03)."""

from __future__ import annotations

import pytest

from knarr.language.question import asks_beyond


@pytest.mark.parametrize(
    ("earlier", "question", "beyond"),
    [
        ("What was the revenue in 2023?", "What was the revenue in 2024?", True),
        ("What was the revenue in 2023?", "And the revenue in 2023, what was it?", False),
        ("What was the revenue?", "What was the revenue in 2024?", False),
        ("What does ERR_A12 mean?", "What does ERR_B12 mean?", True),
        ("What does ERR_A12 mean?", "When is ERR_A12 thrown?", False),
        ('Who may use the "north gate"?', "Who may use the south gate?", True),
        ('Who may use the "north gate"?', "Who may use the north gate?", False),
        ("What is due on 3 May 2024?", "What is due on 4 May 2024?", True),
        ("How long may a book be borrowed?", "For how long can books be lent?", False),
        ("", "Anything?", False),
    ],
)
def test_particulars(earlier, question, beyond):
    assert asks_beyond(earlier, question) is beyond
