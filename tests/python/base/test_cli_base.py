"""The command line over a real knowledge base, with an embedder that needs no model."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.cli import main
from knarr.testing import HashEmbedder

Run = Callable[..., tuple[int, str, str]]

LOANS = """# Loans

Items are lent for ten days.

## Late returns

A late fee of 15 euros is due for each day.

## TCP/IP 50%

Odd names are fine. ÆØÅ 测试.
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `knarr ARGS` in a folder with `docs/loans.md` and `docs/more/notes.txt`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KNARR_KB", raising=False)
    real = knarr.open
    monkeypatch.setitem(vars(knarr), "open", functools.partial(real, embedder=HashEmbedder()))
    monkeypatch.setattr("knarr.agent.agent.load_reranker", lambda *_: None)
    (tmp_path / "docs" / "more").mkdir(parents=True)
    (tmp_path / "docs" / "loans.md").write_text(LOANS, encoding="utf-8")
    (tmp_path / "docs" / "more" / "notes.txt").write_text("The winch is in the shed.\n", encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(arguments)
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    return call


def loaded(run: Run, *arguments: str) -> Any:
    """The JSON of a command that must succeed without a word on stderr."""
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def walk(run: Run, uri: str = "viking://") -> list[str]:
    """Every URI below, as `list` gives them."""
    found = []
    for entry in loaded(run, "list", uri)["entries"]:
        found.append(entry["uri"])
        if entry["is_directory"]:
            found += walk(run, entry["uri"])
    return found


def test_from_documents_to_an_answer(run: Run) -> None:
    report = loaded(run, "add", "docs", "--into", "viking://office")
    assert report["ok"]
    assert [(file["status"], file["change"]) for file in report["files"]] == [("ok", "added")] * 2
    hits = loaded(run, "search", "late fee", "--scope", "viking://office/loans")["hits"]
    assert "A late fee" in hits[0]["preview"]
    matches = loaded(run, "grep", "late fee of \\d+", "-s", "viking://office")["matches"]
    assert [match["line"] for match in matches] == [7]
    assert loaded(run, "read", matches[0]["uri"])["text"].endswith(
        "A late fee of 15 euros is due for each day.\n\n"
    )
    answer = loaded(run, "ask", "How high is the late fee?")
    assert answer["status"] == "answered"
    assert "15 euros" in answer["citations"][0]["text"]
    trace = loaded(run, "trace", answer["trace_id"])
    assert trace["question"] == "How high is the late fee?"
    assert answer["trace_id"] in run("trace", answer["trace_id"])[1]
    assert loaded(run, "trace")["traces"][0]["id"] == answer["trace_id"]
    assert loaded(run, "info")["documents"] == 2


def test_adding_again_and_changing(run: Run) -> None:
    run("add", "docs")
    assert [file["change"] for file in loaded(run, "add", "docs")["files"]] == ["unchanged"] * 2
    Path("docs/loans.md").write_text(LOANS.replace("15", "20"), encoding="utf-8")
    assert [file["change"] for file in loaded(run, "add", "docs")["files"]] == ["updated", "unchanged"]
    assert run("grep", "15 euros")[0] == 3
    assert run("grep", "20 euros")[0] == 0


def test_every_listed_uri_can_be_used(run: Run) -> None:
    """NS-03 from the outside: what `list` prints goes into read, search and grep as it is."""
    run("add", "docs")
    uris = walk(run)
    assert any("TCP%2FIP_50%25" in uri for uri in uris)
    for uri in uris:
        readable = loaded(run, "list", uri)["entries"] if uri.endswith("/") else []
        assert run("search", "fee", "--scope", uri, "--kind", "all")[0] == 0
        assert run("grep", "nothing like this", "--scope", uri)[0] == 3
        if not uri.endswith("/more/"):
            assert run("read", uri)[0] == 0, (uri, readable)


def test_everything_is_removed_with_all_alone(run: Run) -> None:
    run("add", "docs", "--into", "viking://office")
    code, out, err = run("remove", "viking://")
    assert code == 1 and "--all" in err and not out
    assert loaded(run, "info")["documents"] > 0
    assert run("remove", "viking://", "--all")[0] == 0
    assert loaded(run, "info")["documents"] == 0


def test_an_empty_path_is_refused(run: Run) -> None:
    for path in ("", "no/such/file"):
        code, _out, err = run("add", path)
        assert code == 1 and "no such file or folder" in err


def test_remove_and_move(run: Run) -> None:
    run("add", "docs", "--into", "viking://office")
    assert loaded(run, "move", "viking://office/loans", "viking://old/loans") == {
        "from": "viking://office/loans",
        "to": "viking://old/loans",
        "documents": 1,
    }
    assert run("list", "viking://old/loans")[0] == 0
    assert run("remove", "viking://old")[:2] == (0, "removed viking://old  1 document\n")
    assert run("grep", "late fee")[0] == 3
    code, out, err = run("remove", "viking://old")
    assert (code, out) == (1, "")
    assert "viking://old" in err
    assert err.count("\n") == 1


def test_errors_name_the_value_and_the_fix(run: Run) -> None:
    run("add", "docs")
    code, out, err = run("search", "fee", "--scope", "viking://nowhere")
    assert (code, out) == (1, "")
    assert "viking://nowhere" in err
    assert err.endswith("see what there is with: knarr list\n")
    for arguments in (
        ("grep", "(unclosed"),
        ("grep", "(?=ahead)"),
        ("search", "   "),
        ("list", "http://somewhere"),
        ("read", "viking://more"),
        ("move", "viking://more", "viking://more/in/itself"),
        ("move", "viking://more", "viking://loans"),
        ("trace", "ffffffff"),
        ("add", "docs", "--into", "viking://loans/Loans"),
        ("add", "file:///etc/passwd"),
        ("info", "--kb", "docs"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (1, ""), arguments
        assert err.startswith("knarr: "), arguments
        assert err.count("\n") == 1, arguments
        assert "Traceback" not in err
    assert not Path("docs/catalog.sqlite").exists()


@pytest.mark.parametrize(
    "uri",
    [
        "viking://x/../y",
        "viking://%2e%2e%2fy",
        "viking://a/..",
        "viking://a//b",
        "/etc/passwd",
        "file:///etc/passwd",
    ],
)
def test_no_uri_leads_outside(run: Run, uri: str) -> None:
    """SEC-01 from the outside: refused in one line, with nothing of the file shown."""
    run("add", "docs")
    for arguments in (
        ("read", uri),
        ("list", uri),
        ("grep", "root", "--scope", uri),
        ("search", "root", "--scope", uri),
        ("ask", "root?", "--scope", uri),
        ("remove", uri),
        ("move", uri, "viking://b"),
        ("move", "viking://loans", uri),
        ("add", "docs", "--into", uri),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (1, ""), arguments
        assert err.startswith("knarr: ")
        assert "root:" not in err


def test_a_link_is_passed_over_and_listed(run: Run) -> None:
    """SEC-01: a link in a folder is never followed; the receipt says so."""
    Path("docs/passwd.txt").symlink_to("/etc/passwd")
    _, out, _ = run("add", "docs")
    assert "skipped     passwd.txt" in out
    assert run("grep", "root:")[0] == 3


def test_what_cannot_be_read_is_said(run: Run) -> None:
    """ING-10: an empty file and a damaged one are in the receipt, and exit code 4 tells a script."""
    Path("docs/empty.md").write_bytes(b"")
    Path("docs/cut.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<<")
    code, out, _ = run("add", "docs")
    assert code == 4
    assert "empty       empty.md" in out
    assert "corrupt     cut.pdf" in out
    assert "2 of 4 files searchable: 2 added" in out


def test_adding_the_folder_one_stands_in(run: Run) -> None:
    """The knowledge base itself is no document, although it may lie in the folder that is added."""
    run("add", "docs")
    code, out, _ = run("add", ".")
    assert code == 0, out
    assert run("grep", "catalog|sqlite")[0] == 3
