"""The command line over a stand-in knowledge base: output, JSON, exit codes, errors."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.cli import main, page
from knarr.cli.progress import progress_line, waiting
from knarr.errors import InvalidArgument, NotFound
from knarr.report import AddReport, FileReport
from knarr.trace import CallRecord, RoundRecord, ScopeRecord, Trace
from knarr.types import (
    Answer,
    Citation,
    Entry,
    GrepResult,
    Hit,
    Listing,
    Match,
    Passage,
    Provenance,
    SearchResult,
    Usage,
)

LOANS = "viking://handbook/Loans"
CHUNK = f"{LOANS}/Late_returns/Late_returns_1.md"
LONG_CHUNK = "viking://" + "/".join(f"a_rather_long_component_name_{n}" for n in range(9)) + "/x_1.md"
SOURCE = Provenance(LOANS, 1, ("Loans", "Late returns"), (7, 9), None)
QUOTE = "A late fee of 15 euros is due."


class FakeBase:
    """Answers like a knowledge base of one chunk, and records what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.files: tuple[FileReport, ...] = (
            FileReport("loans.md", "ok", "added", LOANS + "/", 1, 2048, 2000, 0, (), 4, 3, 210, 9, 0),
        )
        self.uri = CHUNK
        self.preview = QUOTE
        self.empty = False
        self.outcome: Any = None
        self.status: Any = "answered"
        self.error: Exception | None = None

    def __enter__(self) -> FakeBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.append(("close", (), {}))

    def _called(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.calls.append((name, args, kwargs))
        if self.error is not None:
            raise self.error

    def add(self, paths: Any, into: str, progress: Any = None) -> AddReport:
        self._called("add", paths, into=into)
        return AddReport(into, self.files, 0.5, 0.25)

    def search(self, query: str, **options: Any) -> SearchResult:
        self._called("search", query, **options)
        hits = () if self.empty else (Hit(self.uri, 0.83, "chunk", self.preview, SOURCE),)
        return SearchResult(query, options["scope"], hits, "exact", 9)

    def list(self, uri: str, **options: Any) -> Listing:
        self._called("list", uri, **options)
        entries = (
            ()
            if self.empty
            else (Entry(LOANS + "/", "Loans", True, 9), Entry(self.uri, "x", False, 1, QUOTE))
        )
        return Listing("viking://handbook/", "About loans.", entries, 7, None if self.empty else 2)

    def grep(self, pattern: str, **options: Any) -> GrepResult:
        self._called("grep", pattern, **options)
        match = Match(self.uri, (self.uri,), 8, 3, 60, 68, QUOTE, LOANS, ("Loans",), None)
        matches = () if self.empty else (match,)
        outcome = self.outcome or ("no_matches" if self.empty else "matches")
        return GrepResult(
            pattern, options["scope"], outcome, matches, 80 if matches else 0, None, "stopped after 10 s"
        )

    def read(self, uri: str, **options: Any) -> Passage:
        self._called("read", uri, **options)
        return Passage(uri, QUOTE + "\x1b[31m\n", SOURCE, 60, 90, 2000, 90, (CHUNK,))

    def remove(self, uri: str) -> int:
        self._called("remove", uri)
        return 9

    def move(self, source: str, target: str) -> int:
        self._called("move", source, target)
        return 9

    def info(self) -> dict[str, Any]:
        self._called("info")
        return {"documents": 1, "objects": 1234, "embedder": {"id": "hash", "dim": 64}}

    def ask(self, question: str, **options: Any) -> Answer:
        self._called("ask", question, **options)
        found = self.status == "answered"
        citations = (Citation(self.uri, QUOTE, (7, 7), (2, 2), LOANS),) if found else ()
        text = f"{QUOTE} [1]" if found else "The documents do not say."
        usage = Usage({"search": 420, "read": 80}, {"search": 2, "read": 1}, {"search": 3.0})
        return Answer(question, text, self.status, citations, 2, usage, "t-1")

    def trace(self, trace_id: str) -> Trace:
        self._called("trace", trace_id)
        call = CallRecord("1", "search", {"query": "late fee", "scope": LOANS}, (self.uri,) * 7, 420, 3.0)
        rounds = (RoundRecord(1, (call,)), RoundRecord(2, ()))
        return Trace(
            "t-1",
            "What?",
            "viking://",
            "extractive",
            "2026-01-01",
            ScopeRecord(),
            rounds,
            "answered",
            "A",
            (),
        )

    def traces(self, limit: int) -> list[tuple[str, str, str, str]]:
        self._called("traces", limit)
        return [] if self.empty else [("t-1", "2026-01-01T10:00:00+00:00", "What is the fee?", "answered")]


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeBase:
    """A stand-in at ./knarr.kb; whether it may be created is checked as the real one does."""
    fake = FakeBase()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KNARR_KB", raising=False)
    (tmp_path / "knarr.kb").mkdir()
    opened: list[tuple[Path, bool]] = []

    def open_(path: Path, *, embedder: Any = None, create: bool = True) -> FakeBase:
        opened.append((Path(path), create))
        return fake

    monkeypatch.setitem(vars(knarr), "open", open_)
    fake.calls.clear()
    fake.opened = opened  # type: ignore[attr-defined]  # seen by the tests of --kb
    return fake


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `knarr ARGS`; gives exit code, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        out, err = capsys.readouterr()
        code = exit_.value.code
        return (0 if code is None else int(code)), out, err

    return call


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "in_terminal", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")


COMMANDS: dict[str, list[str]] = {
    "add": ["add", "loans.md"],
    "search": ["search", "late fee"],
    "list": ["list", "viking://handbook"],
    "grep": ["grep", "late fee"],
    "read": ["read", CHUNK],
    "ask": ["ask", "What is the fee?"],
    "trace": ["trace", "t-1"],
    "traces": ["trace"],
    "info": ["info"],
    "remove": ["remove", LOANS],
    "move": ["move", LOANS, "viking://old"],
}


@pytest.fixture(autouse=True)
def _a_document(base: FakeBase) -> None:
    Path("loans.md").write_text("# Loans\n", encoding="utf-8")


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


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "add"])
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
    for command in ("search", "list", "grep", "traces"):
        code, out, _ = run(*COMMANDS[command])
        assert code == 3, command
        assert out == "" or command == "list"
        code, out, _ = run(*COMMANDS[command], "--json")
        assert code == 3
        json.loads(out)
    base.status = "not_found"
    assert run("ask", "What?")[0] == 3
    assert run("ask", "What?", "--json")[0] == 3


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
        "rounds": 2,
        "mode": "vikingrag-e+",
        "policy": "model",
        "max_tokens": 900,
        "timeout_s": 1.5,
        "max_cost": None,
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
        {"uri": CHUNK, "text": QUOTE, "lines": [7, 7], "pages": [2, 2], "document": LOANS}
    ]
    assert record["path"][0]["calls"][0]["uris"][0] == CHUNK


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
