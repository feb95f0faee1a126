"""The command line over a stand-in knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import knarr
from fake_base import FakeBase, Run
from knarr.cli import main, page


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


@pytest.fixture(autouse=True)
def _a_document(base: FakeBase) -> None:
    Path("loans.md").write_text("# Loans\n", encoding="utf-8")
