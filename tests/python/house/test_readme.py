"""The README's Python is run as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder

README = Path(__file__).parents[3] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)

LOANS = """# Missed payments

A late fee of 15 crowns is due after a missed payment. A second missed payment in the same year adds a
penalty of 2 per cent of the open amount.

# Early repayment

Loans may be repaid early without a fee.
"""


def test_there_are_the_two_examples() -> None:
    assert len(BLOCKS) == 2
    assert len([line for line in BLOCKS[0].splitlines() if line.strip()]) <= 15


def test_the_first_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "docs" / "loans"
    folder.mkdir(parents=True)
    (folder / "payments.md").write_text(LOANS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    real_open = knarr.open
    monkeypatch.setattr(knarr, "open", lambda path: real_open(path, embedder=HashEmbedder(128)))
    names: dict[str, object] = {}
    exec(compile(BLOCKS[0], str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert "1 of 1 files searchable in viking://handbook" in printed
    assert "viking://handbook/loans/payments/Missed_payments/Missed_payments_1.md" in printed
    assert "late fee" in printed
    answer = names["answer"]
    assert isinstance(answer, knarr.Answer)
    assert answer.status == "answered" and "15 crowns" in answer.text and answer.citations
    base = names["kb"]
    assert isinstance(base, knarr.KnowledgeBase)
    base.close()


def test_the_second_example(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(BLOCKS[1], str(README), "exec"), {})
    assert "viking://a/x.md" in capsys.readouterr().out
