"""Knowledge bases on files that cannot be written, or that are not what they were (PER-05)."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs


@pytest.fixture
def closed(tmp_path: Path, write_docs: WriteDocs) -> Path:
    """A knowledge base of one document, closed."""
    path = tmp_path / "r.kb"
    with knarr.open(path, embedder=HashEmbedder()) as kb:
        kb.add(write_docs({"a.md": "# Fees\n\nA late fee is 5 euros.\n"}), into="viking://kb")
    return path


def forbid(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Say that these may not be written; the tests run as root, who may write everything."""
    asked = os.access

    def answer(path: object, mode: int, **named: object) -> bool:
        if mode == os.W_OK and Path(str(path)).name in names:
            return False
        return asked(path, mode, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(os, "access", answer)


@pytest.mark.parametrize("names", [("catalog.sqlite",), ("r.kb",), ("r.kb", "catalog.sqlite")])
@pytest.mark.parametrize("snapshot", ["good", "damaged", "none"])
def test_what_cannot_be_written_is_read(
    closed: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], snapshot: str
) -> None:
    for path in closed.glob("engine-*"):
        if snapshot == "damaged":
            path.write_bytes(path.read_bytes()[:-9] + b"otherwise")
        elif snapshot == "none":
            path.unlink()
    forbid(monkeypatch, *names)
    before = {path.name: path.read_bytes() for path in closed.iterdir()}
    with knarr.open(closed, embedder=HashEmbedder(), create=False) as kb:
        assert len(kb.grep("late fee")) == len(kb.search("late fee")) == 1
        assert kb.list("viking://kb").total and kb.read("viking://kb/a").text
        assert kb.ask("How much is a late fee?").text
        assert kb.traces.list() == [] and not kb.refresh() and kb.info()["documents"] == 1
        for change in (
            lambda: kb.add(__file__),
            lambda: kb.remove("viking://kb"),
            lambda: kb.move("viking://kb", "viking://n"),
            lambda: kb.experience.mark("x", True),
        ):
            with pytest.raises(knarr.CatalogError, match="reading only"):
                change()
    after = {
        path.name: path.read_bytes()
        for path in closed.iterdir()
        if path.suffix not in (".sqlite-shm", ".sqlite-wal")
    }
    assert after == before


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_catalog_beside_a_snapshot_is_refused(closed: Path, create: bool) -> None:
    (closed / "catalog.sqlite").write_bytes(b"")
    with pytest.raises(knarr.CatalogError, match="the file is empty"):
        knarr.open(closed, embedder=HashEmbedder(), create=create)
    assert (closed / "catalog.sqlite").read_bytes() == b"" and list(closed.glob("engine-*.snapshot"))


def test_an_empty_catalog_that_a_kill_left_is_filled(tmp_path: Path) -> None:
    (tmp_path / "k.kb").mkdir()
    (tmp_path / "k.kb" / "catalog.sqlite").touch()
    with pytest.raises(knarr.CatalogError, match="the file is empty"):
        knarr.open(tmp_path / "k.kb", embedder=HashEmbedder(), create=False)
    with knarr.open(tmp_path / "k.kb", embedder=HashEmbedder()) as kb:
        assert kb.info()["documents"] == 0


def test_a_base_that_is_only_busy_is_not_to_be_restored(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knarr.catalog.opening._BUSY_S", 0.0)
    holder = sqlite3.connect(closed / "catalog.sqlite", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(knarr.CatalogError, match="locked") as caught:
            knarr.open(closed, embedder=HashEmbedder())
    finally:
        holder.close()
    assert "estore" not in str(caught.value) and "was not looked at" in str(caught.value)
    with knarr.open(closed, embedder=HashEmbedder()) as kb:
        assert len(kb.grep("late fee")) == 1
