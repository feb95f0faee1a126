"""The command line: options, what is shown in a terminal and what in a pipe."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fake_base import CHUNK, COMMANDS, LOANS, LONG_CHUNK, QUOTE, FakeBase, Run
from knarr.agent.budget import Budget
from knarr.cli import main
from knarr.cli.progress import progress_line, waiting
from knarr.writing.receipt import FileReport


def test_options_arrive(base: FakeBase, run: Run) -> None:
    run("search", "late fee", "--scope", LOANS, "-k", "3", "--kind", "abstract", "--offset", "3")
    assert base.calls[0] == (
        "search",
        ("late fee",),
        {"scope": LOANS, "k": 3, "kinds": ("abstract",), "offset": 3},
    )
    base.calls.clear()
    run("grep", "a.b", "-s", LOANS, "-F", "-i", "--limit", "5", "--offset", "1")
    assert base.calls[0] == (
        "grep",
        ("a.b",),
        {"scope": LOANS, "literal": True, "ignore_case": True, "limit": 5, "offset": 1},
    )
    base.calls.clear()
    run("read", CHUNK, "--begin-byte", "60", "--max-tokens", "40")
    assert base.calls[0] == ("read", (CHUNK,), {"begin_byte": 60, "max_tokens": 40})
    base.calls.clear()
    run(
        "ask",
        "What?",
        "--scope",
        LOANS,
        "-k",
        "4",
        "--rounds",
        "2",
        "--max-tokens",
        "900",
        "--timeout",
        "1.5",
        "-m",
        "vikingrag-e+",
        "--policy",
        "model",
        "--shadow",
    )
    wanted = {
        "scope": LOANS,
        "k": 4,
        "mode": "vikingrag-e+",
        "policy": "model",
        "budget": Budget(rounds=2, tokens=900, timeout_s=1.5, cost=None),
        "shadow": True,
    }
    assert base.calls[0] == ("ask", ("What?",), wanted)
    base.calls.clear()
    run("add", "loans.md", "knarr.kb", "--into", "viking://x")
    assert base.calls[0] == ("add", ([Path("loans.md"), Path("knarr.kb")],), {"into": "viking://x"})


def test_grep_lines_for_pipes(base: FakeBase, run: Run) -> None:
    base.uri = LONG_CHUNK
    _, out, err = run("grep", "late fee")
    assert out == f"{LONG_CHUNK}:8:{QUOTE}\n"
    assert "80 matches" in err


def test_grep_that_could_not_finish(base: FakeBase, run: Run) -> None:
    base.outcome, base.empty = "incomplete", True
    code, out, err = run("grep", "late fee")
    assert (code, out) == (1, "")
    assert "not everything was searched: stopped after 10 s" in err


@pytest.mark.parametrize("command", ["search", "list", "grep", "ask"])
def test_uris_stay_whole(command: str, base: FakeBase, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    base.uri = LONG_CHUNK
    assert LONG_CHUNK in run(*COMMANDS[command])[1]


@pytest.mark.usefixtures("terminal")
def test_terminal_output_is_wrapped_and_harmless(base: FakeBase, run: Run) -> None:
    base.preview = "Words and \x1b]0;a new title\x07 more words " * 20
    _, out, _ = run("search", "late fee")
    assert "\x1b" not in out
    assert "\x07" not in out
    assert max(len(line) for line in out.splitlines() if "viking://" not in line) <= 60
    _, out, err = run("read", CHUNK)
    assert "\x1b" not in out
    assert "lines 7-9, version 1" in err
    for command in ("search", "list", "grep", "ask"):
        base.uri = LONG_CHUNK
        assert LONG_CHUNK in run(*COMMANDS[command])[1]


def test_read_gives_the_text_word_for_word(base: FakeBase, run: Run) -> None:
    _, out, err = run("read", CHUNK)
    assert out == QUOTE + "\x1b[31m\n"
    assert err == "bytes 60-90 of 2,000; go on with --begin-byte 90\n"


def test_ask_shows_answer_evidence_path_and_cost(base: FakeBase, run: Run) -> None:
    code, out, _ = run("ask", "What is the fee?")
    assert code == 0
    assert f"{QUOTE} [1]" in out
    assert f"  [1] {CHUNK}  page 2, line 7\n      > {QUOTE}" in out
    assert f'  1  search "late fee" in {LOANS}\n       {CHUNK}\n' in out
    assert "and 2 more" in out
    assert "2 rounds, 500 tokens shown" in out
    assert "search 420 in 2 calls; read 80 in 1 call" in out
    assert "knarr trace t-1" in out


def test_ask_json(base: FakeBase, run: Run) -> None:
    record = json.loads(run("ask", "What is the fee?", "--json")[1])
    assert record["status"] == "answered"
    assert record["tokens_shown"] == 500
    assert record["trace_id"] == "t-1"
    assert record["citations"] == [
        {
            "uri": CHUNK,
            "text": QUOTE,
            "lines": [7, 7],
            "pages": [2, 2],
            "document": LOANS,
            "version": 3,
            "bytes": [60, 90],
            "boxes": [{"page": 2, "left": 72, "bottom": 500.5, "right": 210.2, "top": 512}],
        }
    ]
    assert record["path"][0]["calls"][0]["uris"][0] == CHUNK


def test_show_says_what_a_document_is(base: FakeBase, run: Run) -> None:
    text = run("show", LOANS)[1]
    for shown in ("/docs/loans.pdf", "author  A. Moor", "fees, loans", "no outline in the file", "ab" * 32):
        assert shown in text
    assert "\x1b" not in text
    record = json.loads(run("show", LOANS, "--json")[1])
    assert record["metadata"]["tags"] == ["fees", "loans"] and record["pages"][0]["right"] == 612
    assert record["boxes"] == [{"page": 2, "left": 72, "bottom": 500.5, "right": 210.2, "top": 512}]


def test_trace_draws_and_lists(base: FakeBase, run: Run) -> None:
    assert "round 1" in run("trace", "t-1")[1]
    assert run("trace")[1].split() == ["t-1", "2026-01-01T10:00", "answered", "What", "is", "the", "fee?"]


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_signs_of_life_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_line("adding") as progress, waiting("looking"):
        assert progress is None
    assert capsys.readouterr() == ("", "")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress_line("adding") as progress:
        assert progress is not None
        progress(500, 1000, "odd [name].md")
    with waiting("looking [here]"):
        pass
    assert "odd [name].md" in screen.getvalue()
    assert "looking [here]" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_any_character_can_be_printed(base: FakeBase, capfd: pytest.CaptureFixture[str]) -> None:
    """Where stdout is ASCII, JSON escapes; a file name that is no UTF-8 does not stop a receipt."""
    base.files = (FileReport("gr\udcfc\N{LATIN SMALL LETTER O WITH STROKE}n.bin", "unsupported", "none"),)
    with open(1, "w", encoding="ascii", closefd=False) as ascii_out, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", ascii_out)
        for arguments in (["add", "loans.md"], ["add", "loans.md", "--json"]):
            with pytest.raises(SystemExit):
                main(arguments)
    out = capfd.readouterr().out
    assert "unsupported gr\\udcfc\\xf8n.bin" in out
    assert '"path": "gr\\udcfc\\u00f8n.bin"' in out


def test_start_up_loads_nothing_heavy() -> None:
    """`knarr --help` must not pay for models, numbers or databases."""
    code = (
        "import sys, knarr.cli\n"
        "heavy = {'onnxruntime', 'tokenizers', 'numpy', 'sqlalchemy', 'rich', 'docx', 'pypdfium2', 'lxml', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
