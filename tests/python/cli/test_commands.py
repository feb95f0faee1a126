"""The command line: JSON, exit codes, errors, and where the knowledge base is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from fake_base import COMMANDS, LOANS, FakeBase, Run
from knarr.cli import main
from knarr.cli.show_answer import WORDS
from knarr.errors import InvalidArgument, NotFound
from knarr.types import AnswerStatus
from knarr.writing.receipt import FileReport


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_all_of_stdout(command: str, base: FakeBase, run: Run) -> None:
    code, out, _ = run(*COMMANDS[command], "--json")
    assert code == 0
    assert isinstance(json.loads(out), dict)
    assert base.calls[-1][0] == "close"


@pytest.mark.parametrize("command", COMMANDS)
def test_text_ends_well(command: str, base: FakeBase, run: Run) -> None:
    code, out, _ = run(*COMMANDS[command])
    assert code == 0
    assert out.strip()
    assert "\x1b" not in out.replace("\x1b[31m", "")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("add", "sync")])
def test_reading_never_creates_a_base(command: str, base: FakeBase, run: Run, tmp_path: Path) -> None:
    code, out, err = run(*COMMANDS[command], "--kb", "elsewhere.kb")
    assert (code, out) == (1, "")
    assert err == (
        "knarr: no knowledge base at elsewhere.kb; make one with: knarr add YOUR-DOCUMENTS --kb elsewhere.kb\n"
    )
    assert not (tmp_path / "elsewhere.kb").exists()


def test_kb_from_option_and_environment(base: FakeBase, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = base.opened  # type: ignore[attr-defined]  # set by the fixture
    run("info")
    assert opened[-1] == (Path("knarr.kb"), False)
    run("add", "loans.md", "--kb", "new.kb")
    assert opened[-1] == (Path("new.kb"), True)
    Path("other.kb").mkdir()
    monkeypatch.setenv("KNARR_KB", "other.kb")
    run("info")
    assert opened[-1] == (Path("other.kb"), False)
    run("info", "--kb", "knarr.kb")
    assert opened[-1] == (Path("knarr.kb"), False)


def test_errors_are_one_line(base: FakeBase, run: Run) -> None:
    base.error = NotFound("no node\nviking://nowhere")
    code, out, err = run("read", "viking://nowhere")
    assert (code, out, err) == (
        1,
        "",
        "knarr: no node viking://nowhere; see what there is with: knarr list\n",
    )
    base.error = InvalidArgument("pattern '(': missing )")
    assert run("grep", "(", "--json") == (1, "", "knarr: pattern '(': missing )\n")


def test_own_mistakes_are_not_hidden(base: FakeBase) -> None:
    base.error = KeyError("a fault of ours")
    with pytest.raises(KeyError):
        main(["info"])


def test_usage_errors_exit_2(run: Run) -> None:
    for arguments in (
        ["serch"],
        ["search"],
        ["search", "x", "-k", "0"],
        ["grep", "x", "--limit", "none"],
        ["add"],
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert "Error: " in err


def test_help_and_version(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for word in ("demo", "add", "Exit codes:", "0  done", "1  an error", "3  nothing found", "4  done, but"):
        assert word in out
    assert "..." not in out.split("Commands:")[1], "a short help line is cut"
    assert run()[:2] == (0, out)
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("knarr ")


def test_nothing_found_exits_3(base: FakeBase, run: Run) -> None:
    base.empty = True
    for command in ("search", "list", "grep", "traces", "jobs"):
        code, out, _ = run(*COMMANDS[command])
        assert code == 3, command
        assert out == "" or command == "list"
        code, out, _ = run(*COMMANDS[command], "--json")
        assert code == 3
        json.loads(out)


@pytest.mark.parametrize(
    ("status", "exit_code"),
    [
        ("answered", 0),
        ("budget_exhausted", 0),
        ("conflicting", 3),
        ("not_found", 3),
        ("not_supported", 3),
        ("cut_off", 3),
        ("no_answer", 3),
        ("failed", 1),
    ],
)
def test_ask_exits_as_the_question_ended(
    base: FakeBase, run: Run, status: AnswerStatus, exit_code: int
) -> None:
    assert set(WORDS) == set(get_args(AnswerStatus))
    base.status = status
    code, out, err = run("ask", "What?")
    assert code == exit_code
    told = f"{WORDS[status]} (as told)"  # in plain words, with the reason
    assert (told in out) == (status != "answered")
    assert err == ("knarr: as told\n" if status == "failed" else "")
    code, out, _ = run("ask", "What?", "--json")
    assert (code, json.loads(out)["status"], json.loads(out)["reason"]) == (exit_code, status, "as told")


def test_add_says_what_is_missing(base: FakeBase, run: Run) -> None:
    base.files += (
        FileReport("scan.pdf", "no_text", "none", size_bytes=9, notes=("3 pages of pictures",)),
        FileReport(
            "half.pdf", "partial", "added", "viking://half/", 1, 9, 9, 10, tuple(range(1, 15)), 1, 2, 30, 3, 0
        ),
    )
    code, out, _ = run("add", "loans.md")
    assert code == 4
    assert "no_text     scan.pdf" in out
    assert "3 pages of pictures" in out
    assert "no text on pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more" in out
    assert "2 of 3 files searchable: 2 added" in out
    assert "1 file without any text, such as scans" in out
    code, out, _ = run("add", "loans.md", "--json")
    assert code == 4
    report = json.loads(out)
    assert report["ok"] is False
    assert [file["status"] for file in report["files"]] == ["ok", "no_text", "partial"]


def test_add_counts_large_folders(base: FakeBase, run: Run) -> None:
    base.files = base.files * 40 + (FileReport("cut.pdf", "corrupt", "none"),)
    _, out, _ = run("add", "loans.md")
    assert "corrupt     cut.pdf" in out
    assert "40 of 41 files searchable: 40 added" in out
    assert LOANS not in out
    base.files = (FileReport("cut.pdf", "corrupt", "none"),) * 100
    assert "and 76 more; --json lists all" in run("add", "loans.md")[1]


def test_add_of_nothing(base: FakeBase, run: Run) -> None:
    base.files = ()
    code, out, _ = run("add", ".")
    assert code == 3
    assert "no documents found" in out


def test_add_of_a_missing_path_touches_nothing(base: FakeBase, run: Run) -> None:
    code, out, err = run("add", "loans.md", "lonas.md", "--kb", "new.kb")
    assert (code, out) == (1, "")
    assert err == "knarr: no such file or folder: lonas.md; nothing was added\n"
    assert base.calls == []
    assert not Path("new.kb").exists()


def test_a_batch_that_was_ended_is_an_error_with_its_receipt(base: FakeBase, run: Run) -> None:
    base.stopped = "the disk is full"
    for command in ("add", "sync"):
        code, out, err = run(*COMMANDS[command])
        assert code == 1 and LOANS in out
        assert err == "knarr: stopped: the disk is full; knarr jobs resume 7 goes on\n"
        code, out, _ = run(*COMMANDS[command], "--json")
        assert code == 1 and json.loads(out)["ok"] is False


def test_sync_hands_on_what_it_was_told(base: FakeBase, run: Run) -> None:
    code, out, _ = run(
        "sync", ".", "--into", "viking://h", "--dry-run", "--follow-links", "--remove-unreadable", "--ignore", "*.tmp",
        "--ignore", "build/", "--allow-empty",
    )  # fmt: skip
    assert code == 0 and out.splitlines()[-2].startswith("would be in step: 1 added, 1 moved, 1 removed")
    assert base.calls[0] == (
        "sync",
        (Path(),),
        {
            "into": "viking://h", "dry_run": True, "when_unreadable": "remove", "links": "follow-inside",
            "ignore": ["*.tmp", "build/"], "allow_empty": True, "progress": None,
        },
    )  # fmt: skip
    assert (
        "viking://handbook/Fees: its file is gone" in out
        and "its file /far/x.md is no longer there; kept" in out
    )
    assert run("sync", ".", "--watch", "--dry-run")[0] == 1


def test_jobs_are_told_with_what_is_left_of_them(base: FakeBase, run: Run) -> None:
    code, out, _ = run("jobs")
    assert (
        code == 0
        and "7  failed" in out
        and "add /docs/loans.md" in out
        and "2 added; the disk is full" in out
    )
    assert run("jobs", "resume", "7")[0] == 0 and base.calls[-2][:2] == ("resume", (7,))
