"""`knarr rights`, `--as` and `--tenant` over a real base."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import knarr.agent.agent
from knarr.cli import main
from knarr.cli.options import principal_of
from knarr.errors import InvalidArgument
from knarr.testing import HashEmbedder
from knarr.types import Principal
from support import WriteDocs

Run = Callable[..., tuple[int, str, str]]
PUB, PLAN = "viking://h/pub", "viking://h/sec/plan"


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], write_docs: WriteDocs
) -> Run:
    monkeypatch.setattr("knarr.knowledge_base.load_embedder", lambda _settings: HashEmbedder(64))
    monkeypatch.setattr(knarr.agent.agent, "load_reranker", lambda *_: None)
    monkeypatch.setenv("KNARR_KB", str(tmp_path / "cli.kb"))
    docs = write_docs(
        {"pub/loan.md": "# Loan\n\nThe loan lasts fourteen days.\n", "sec/plan.md": "# Plan\n\nA merger.\n"}
    )
    with knarr.open(tmp_path / "cli.kb") as kb:
        kb.add(docs, "viking://h")
        tenant = kb.tenant("Acme")
        tenant.add(docs / "sec", "viking://t")
        tenant.rights.grant("viking://", everyone=True)

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        out, err = capsys.readouterr()
        return int(exit_.value.code or 0), out, err

    return call


def test_rules_are_made_listed_explained_and_taken_back(run: Run) -> None:
    assert run("rights", "list")[0] == 3
    assert run("rights", "grant", PUB, "--group", "staff")[1] == f"granted {PUB}\n"
    assert "already" in run("rights", "grant", PUB, "--group", "staff")[1]
    assert run("rights", "deny", PLAN, "--subject", "ann")[0] == 0
    assert run("rights", "label", "viking://h", "legal", "secret")[0] == 0
    assert len(run("rights", "list")[1].splitlines()) == 4
    assert len(json.loads(run("rights", "list", "--json")[1])) == 4
    code, out, _ = run("rights", "explain", PLAN, "--as", "ann,label:legal,label:secret")
    assert code == 0 and "hidden" in out and "deny to subject ann" in out
    assert "seen" in run("rights", "explain", PLAN)[1]
    assert run("rights", "unlabel", "viking://h", "secret")[0] == 0
    assert run("rights", "revoke", PLAN)[0] == 0 and run("rights", "revoke", PLAN)[0] == 3
    code, _, err = run("rights", "grant", f"{PUB}/loan/Loan", "--everyone")
    assert code == 1 and "lies in the document" in err


def test_commands_that_read_read_as_somebody(run: Run) -> None:
    run("rights", "grant", PUB, "--group", "staff")
    who = ("--as", "ann,group:staff")
    assert run("list", "--as", "ann")[0] == 3 and "pub" in run("list", "viking://h", *who)[1]
    commands = (
        ("search", "loan merger"),
        ("grep", "[a-z]+"),
        ("list", "viking://h"),
        ("info",),
        ("ask", "How long does a loan last?"),
        ("read", f"{PUB}/loan"),
        ("show", f"{PUB}/loan"),
    )
    for command in commands:
        code, out, _ = run(*command, *who)
        assert code == 0 and "erger" not in out and "plan" not in out, command
    for command in (("read",), ("show",), ("list",)):
        hidden, missing = run(*command, PLAN, *who), run(*command, "viking://h/sec/none", *who)
        assert hidden[0] == missing[0] == 1
        assert hidden[2].replace(PLAN, "URI") == missing[2].replace("viking://h/sec/none", "URI")


def test_commands_that_read_read_in_a_tenant(run: Run) -> None:
    assert "viking://t" in run("list", "--tenant", "Acme")[1]
    assert "viking://t" in run("list", "--tenant", "Acme", "--as", "ann")[1]
    assert run("list", "--tenant", "Other", "--as", "ann")[0] == 3
    code, _, err = run("list", "--tenant", "Other")
    assert code == 1 and "Acme" in err
    assert run("rights", "list", "--tenant", "Acme")[1] == "grant to everyone on viking://\n"


def test_how_a_principal_is_spelled() -> None:
    assert principal_of("") == Principal()
    assert principal_of("ann, group:a,group:b,label:x y", "t") == Principal("t", "ann", ("a", "b"), ("x y",))
    assert principal_of("urn:ann") == Principal(subject="urn:ann")
    for wrong in ("ann,bob", "ann,group:", ",", "label:"):
        with pytest.raises(InvalidArgument, match="--as"):
            principal_of(wrong)
