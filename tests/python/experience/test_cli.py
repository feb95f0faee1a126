"""`knarr experience` over a real knowledge base."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import knarr
from by_hand import FEE, LOAN, QUESTION, ROOM, MakeTrace, call, cite
from knarr.cli import main
from knarr.testing import HashEmbedder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    base: knarr.KnowledgeBase,
    make_trace: MakeTrace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs `knarr experience ARGS` on a base that learnt two edges from the run "aa1"."""
    base.experience.learn(
        make_trace(QUESTION, [call("Search", [LOAN, ROOM])], [cite(base, FEE)], id="aa1"), batch="x"
    )
    monkeypatch.setenv("KNARR_KB", str(tmp_path / "test.kb"))
    monkeypatch.setitem(vars(knarr), "open", functools.partial(knarr.open, embedder=HashEmbedder(dim=64)))

    def call_main(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(["experience", *arguments])
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    return call_main


def loaded(run: Run, *arguments: str) -> Any:
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_list_and_explain(run: Run) -> None:
    code, out, err = run("list")
    assert code == 0 and err == "2 edges\n"
    first, facts, *edges = out.splitlines()
    assert first == QUESTION and "trace aa1" in facts and "batch x" in facts
    assert edges == [f"  {LOAN} -> {FEE}", f"  {ROOM} -> {FEE}"]
    assert loaded(run, "list", "--limit", "1")["next_offset"] == 1
    code, _, err = run("list", "--limit", "1")
    assert err == "2 edges; go on with --offset 1\n"
    assert run("list", "--state", "stale")[0] == 3
    assert run("list", "--trace", "zz")[0] == 1
    code, out, _ = run("explain", LOAN, FEE)
    assert code == 0 and out.startswith(f"{LOAN} -> {FEE}\n") and "found by Search(late return)" in out
    assert loaded(run, "explain", LOAN, FEE)["edges"][0]["question"] == QUESTION
    code, _, err = run("explain", FEE, LOAN)
    assert code == 1 and "no edge leads" in err


def test_quarantine_release_mark_and_forget(run: Run) -> None:
    assert run("quarantine", "aa1")[1] == "quarantined 1 episode\n"
    assert "quarantined" in run("list")[1]
    assert loaded(run, "stats")["edges"] == {"quarantined": 2}
    assert run("release", "--batch", "x")[1] == "released 1 episode\n"
    assert run("approve", "aa1")[1] == "approved 0 episodes\n"
    assert run("mark", "aa", "--bad")[1] == "marked aa as wrong\n"
    code, out, _ = run("stats")
    assert code == 0 and "2 quarantined" in out and "gamma" in out
    assert loaded(run, "forget", "--since", "2001-01-01") == {"forgot": 2}
    assert loaded(run, "stats")["episodes"] == {}


def test_what_is_named_wrongly_is_said_in_one_line(run: Run) -> None:
    for arguments in (["forget"], ["quarantine"], ["forget", "--since", "soon"], ["quarantine", "zz"]):
        code, out, err = run(*arguments)
        assert code == 1 and out == "" and err.startswith("knarr: ") and err.count("\n") == 1
