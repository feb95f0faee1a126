"""`knarr trace`: a list, a run, two runs side by side, and all of them as JSON Lines or spans."""

from __future__ import annotations

import functools
import io
import json
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from knarr.cli import main, page
from knarr.testing import HashEmbedder
from knarr.trace.export import read_jsonl
from knarr.trace.record import Trace
from make_traces import FEES, SECRET, full_trace

Run = Callable[..., tuple[int, str, str]]
A = full_trace(created_at="2026-03-01T10:00:00.250+00:00")
B = full_trace(id="eeeeffff00001111", text="20 euros. [1]", created_at="2026-03-02T10:00:00.250+00:00")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `knarr ARGS` beside ./knarr.kb, which holds the traces A and B."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KNARR_KB", raising=False)
    real = knarr.open
    monkeypatch.setitem(vars(knarr), "open", functools.partial(real, embedder=HashEmbedder()))
    with knarr.open(tmp_path / "knarr.kb") as base:
        base.library.store_trace(A)
        base.library.store_trace(B)

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(arguments)
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    return call


@pytest.mark.parametrize("words", [("trace",), ("trace", "show"), ("trace", "--kb", "knarr.kb")])
def test_without_an_id_the_latest_are_listed(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [B.id, A.id]
    assert [one["id"] for one in json.loads(run(*words, "--json")[1])["traces"]] == [B.id, A.id]


@pytest.mark.parametrize(
    "words",
    [
        ("trace", A.id),
        ("trace", "aaaa"),
        ("trace", "show", "aaaa"),
        ("trace", "--kb", "knarr.kb", "aaaa"),
        ("trace", "aaaa", "--kb", "knarr.kb"),
    ],
)
def test_an_id_draws_its_run(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith(A.question) and FEES in out and out.rstrip().endswith(A.id)
    assert Trace.from_json(run(*words, "--json")[1]) == A


def test_in_a_terminal_it_is_wrapped_and_clean(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with knarr.open("knarr.kb") as base:
        base.library.store_trace(
            full_trace(id="cccc", question="What\x1b[31m? " + "word " * 50, text="a\x07b")
        )
    for terminal in (True, False):
        monkeypatch.setattr(page, "in_terminal", lambda terminal=terminal: terminal)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
        for words in (("trace", "cccc"), ("trace",), ("trace", "diff", "aaaa", "cccc")):
            out = run(*words)[1]
            assert not any(unicodedata.category(c) == "Cc" and c != "\n" for c in out), words
            if terminal and "cccc" in words:
                assert max(len(line) for line in out.split("\n") if "viking://" not in line) <= 80


def test_diff(run: Run) -> None:
    code, out, err = run("trace", "diff", "aaaa", "eeee")
    assert (code, err) == (0, "")
    assert out.startswith(f"a {A.id} ") and "20 euros" in out and "calls  3 in both" in out
    record = json.loads(run("trace", "diff", "aaaa", "eeee", "--json")[1])
    assert record["text"] == [A.text, B.text] and record["changed"] == {}


@pytest.mark.parametrize(
    "words", [("trace", "ffff"), ("trace", "diff", "aaaa", "ffff"), ("trace", "show", "ffff")]
)
def test_an_unknown_id_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (1, "") and err == "knarr: 'ffff': no trace has this id, or several begin so\n"


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "a", "b"),
        ("trace", "diff", "a"),
        ("trace", "diff"),
        ("trace", "export", "--limit", "0"),
        ("trace", "export", "--content"),
        ("trace", "export", "--otel", "-o", "x"),
        ("trace", "--no-such"),
    ],
)
def test_wrong_usage_exits_2(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "") and "Error: " in err


def test_help_names_the_three(run: Run) -> None:
    for words in (("trace", "--help"), ("trace", "-h")):
        code, out, _ = run(*words)
        assert code == 0
        for name in ("show", "diff", "export", "Without an id"):
            assert name in out
    assert "word `show` may be left out" in run("trace", "aaaa", "--help")[1]


def test_export_writes_json_lines_oldest_first(run: Run, tmp_path: Path) -> None:
    code, out, err = run("trace", "export")
    assert (code, err) == (0, "")
    assert list(read_jsonl(out.splitlines())) == [A, B]
    assert list(read_jsonl(run("trace", "export", "--limit", "1")[1].splitlines())) == [A]
    assert list(read_jsonl(run("trace", "export", "--since", "2026-03-02")[1].splitlines())) == [B]
    code, out, err = run("trace", "export", "-o", "traces.jsonl")
    assert (code, out, err) == (0, "", "2 traces written to traces.jsonl\n")
    with (tmp_path / "traces.jsonl").open(encoding="utf-8") as file:
        assert list(read_jsonl(file)) == [A, B]


def test_nothing_to_export_exits_3(run: Run) -> None:
    assert run("trace", "export", "--since", "2027-01-01") == (3, "", "")


def test_a_time_that_is_none_is_one_line(run: Run) -> None:
    code, out, err = run("trace", "export", "--since", "soon", "-o", "x")
    assert (code, out) == (1, "") and err.startswith("knarr: 'soon': expected a time such as")
    assert not Path("x").exists()


def test_otel_without_an_exporter_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_PROTOCOL", raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", raising=False)
    for kind in ("http", "grpc"):
        monkeypatch.setitem(sys.modules, f"opentelemetry.exporter.otlp.proto.{kind}.trace_exporter", None)
    code, out, err = run("trace", "export", "--otel")
    assert (code, out) == (1, "")
    assert (
        err
        == "knarr: no OpenTelemetry exporter is installed: pip install opentelemetry-exporter-otlp-proto-http\n"
    )


def test_otel_sends_what_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[list[str], bool]] = []

    def send(found: object, *, content: bool) -> int:
        sent.append(([trace.id for trace in found], content))  # type: ignore[attr-defined]  # an iterator
        return len(sent[-1][0])

    monkeypatch.setattr("knarr.trace.otlp.send", send)
    assert run("trace", "export", "--otel") == (0, "", "2 traces sent\n")
    assert run("trace", "export", "--otel", "--content", "--limit", "1") == (0, "", "1 trace sent\n")
    assert sent == [([A.id, B.id], False), ([A.id], True)]


def test_lines_are_whole_where_stdout_is_ascii(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with knarr.open("knarr.kb") as base:
        base.library.store_trace(full_trace(id="cccc", question="Wie hoch ist die Gebühr? 测试", text=SECRET))
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    with pytest.raises(SystemExit):
        main(["trace", "export"])
    screen.flush()
    lines = screen.buffer.getvalue().decode("ascii").splitlines()
    assert "Wie hoch ist die Gebühr? 测试" in [trace.question for trace in read_jsonl(lines)]
