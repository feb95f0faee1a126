"""The Python of the README and of python/README.md is run as it is printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.agent import Decision, tools
from knarr.documents import Limits
from knarr.testing import HashEmbedder, ScriptedPolicy
from support import WriteDocs

README = Path(__file__).parents[3] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)

LOANS = """# Missed payments

A late fee of 15 crowns is due after a missed payment. A second missed payment in the same year adds a
penalty of 2 per cent of the open amount.

# Early repayment

Loans may be repaid early without a fee.
"""

MAP = README.parent / "python" / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
# The blocks of python/README.md by their headings, as links name them.
NAMED = {
    heading.strip().lower().replace(" ", "-"): found.group(1)
    for heading, section in re.findall(
        r"^##+ (.*)\n((?:(?!^##+ ).*\n)*)", MAP.read_text(encoding="utf-8"), re.M
    )
    if (found := BLOCK.search(section))
}


def test_there_are_the_two_examples() -> None:
    assert len(BLOCKS) == 1
    assert len([line for line in BLOCKS[0].splitlines() if line.strip()]) <= 15
    assert set(NAMED) == {
        "add-a-document-format",
        "add-a-tool",
        "write-a-policy",
        "the-engine-alone",
    }
    assert "(python/README.md#the-engine-alone)" in README.read_text(encoding="utf-8")


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


def run(name: str) -> dict[str, Any]:
    """The names that a block of python/README.md defines."""
    names: dict[str, Any] = {}
    exec(compile(NAMED[name], str(MAP), "exec"), names)
    return names


def test_the_second_example(capsys: pytest.CaptureFixture[str]) -> None:
    run("the-engine-alone")
    assert "viking://a/x.md" in capsys.readouterr().out


def test_the_format_of_the_recipe_keeps_the_invariants() -> None:
    document = run("add-a-document-format")["parse"](b"first\n@ Fees\n15 crowns\n", "a.notes", Limits())
    document.check()
    assert [section.title for section in document.root.children] == ["Fees"]


def test_the_tool_and_the_policy_of_the_recipes_run(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"payments.md": LOANS}), into="viking://x")
    answer = kb.ask("What is the late fee?", policy=run("write-a-policy")["FirstHit"]())
    assert answer.status == "answered" and answer.citations
    count = run("add-a-tool")["COUNT"]
    monkeypatch.setitem(tools._BY_NAME, "Count", count)
    policy = ScriptedPolicy([Decision.call("Count", scope="viking://x"), Decision.answer("two")])
    kb.ask("How many?", policy=policy)
    assert policy.views[-1].observations[-1].text == "Count viking://x/: 2 entries"
