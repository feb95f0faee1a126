"""The commands of history, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import knarr
import knarr.knowledge_base
from knarr.cli import main
from knarr.testing import HashEmbedder
from support import WriteDocs

Out = tuple[int, str, str]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], write_docs: WriteDocs
):  # type: ignore[no-untyped-def]  # a function
    monkeypatch.setattr(knarr.knowledge_base, "load_embedder", lambda _settings: HashEmbedder())
    path = tmp_path / "cli.kb"
    with knarr.open(path) as kb:
        for fee in (15, 20):
            kb.add(write_docs({"fees.md": f"# Fees\n\nThe late fee is {fee} euros.\n"}) / "fees.md")

    def call(*arguments: str) -> Out:
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([*arguments, "--kb", str(path)])
        out, err = capsys.readouterr()
        return int(exit_.value.code or 0), out, err

    return call


def test_history_diff_and_rollback(run) -> None:  # type: ignore[no-untyped-def]  # see the fixture
    code, out, _ = run("history", "viking://fees")
    assert code == 0 and "first version" in out and "1 section changed" in out
    code, out, err = run("diff", "viking://fees", "1", "2")
    assert code == 0 and "-The late fee is 15 euros." in out and "1 section changed" in err
    assert run("read", "viking://fees", "--as-of", "1")[1] == "# Fees\n\nThe late fee is 15 euros.\n"
    assert "15 euros" in run("grep", "late fee", "-s", "viking://fees", "--as-of", "1")[1]
    assert "15 euros" in run("ask", "What is the late fee?", "-s", "viking://fees", "--as-of", "1")[1]
    code, out, _ = run("rollback", "viking://fees", "1")
    assert code == 0 and "as version 3" in out
    assert run("diff", "viking://fees", "1", "3")[0] == 3
    code, _, err = run("read", "viking://fees", "--as-of", "9")
    assert code == 1 and "version 9: there is none; kept are versions 1" in err and "knarr history URI" in err


def test_all_as_json(run) -> None:  # type: ignore[no-untyped-def]  # see the fixture
    history = json.loads(run("history", "viking://fees", "--json")[1])
    assert [one["version"] for one in history["versions"]] == [1, 2]
    diff = json.loads(run("diff", "viking://fees", "--json")[1])
    assert (
        diff["counts"]["changed"] == 1 and diff["differences"][0]["diff"][1] == "-The late fee is 15 euros."
    )
    answer = json.loads(
        run("ask", "What is the late fee?", "-s", "viking://fees", "--as-of", "1", "--json")[1]
    )
    assert answer["as_of"] == "version 1" and answer["now"][0]["state"] == "gone"
    assert "no longer says so" in run("trace", "show", answer["trace_id"])[1]
    assert json.loads(run("rollback", "viking://fees", "1", "--json")[1])["version"] == 3


def test_removed_documents_stay_in_history_unless_it_is_said(run) -> None:  # type: ignore[no-untyped-def]  # see the fixture
    assert run("remove", "viking://fees")[0] == 0
    assert "removed" in run("history", "viking://fees")[1]
    assert run("remove", "viking://fees", "--no-history")[0] == 0
    assert run("history", "viking://fees")[0] == 1
