"""Killed at any event, each verb leaves the former state or the finished one, and can be called again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from care_base import SECRET, Fill, files_with
from knarr.testing import HashEmbedder

KILLER = Path(__file__).parents[1] / "care_killer.py"
TESTS = KILLER.parent
FEW = {"reembed": (2, 40, 89), "forget": (3, 40, 70), "restore": (2, 4, 6)}
VERBS = ("reembed", "repair", "forget", "backup", "restore", "remove")


def prepared(folder: Path, fill: Fill) -> None:
    fill(folder / "x.kb")
    with knarr.open(folder / "x.kb", embedder=HashEmbedder(64)) as base:
        base.backup(folder / "saved.zip")


def damage(folder: Path) -> None:
    import sqlite3

    with sqlite3.connect(folder / "x.kb" / "catalog.sqlite") as connection:
        connection.execute("DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors LIMIT 4)")
        connection.execute(
            "UPDATE objects SET end_byte = end_byte - 3 WHERE rowid = (SELECT max(rowid) FROM objects)"
        )


def killed(verb: str, folder: Path, at: int) -> bool:
    run = subprocess.run(
        [sys.executable, str(KILLER), verb, str(folder), str(at)], capture_output=True, text=True, timeout=120
    )
    assert run.returncode in (0, -signal.SIGKILL), run.stderr[-2000:]
    return run.returncode != 0


def check(verb: str, folder: Path) -> None:
    """The former state or the finished one; then the verb is called again, and is finished."""
    base = folder / "x.kb"
    if verb == "restore":
        assert not (folder / "new.kb").exists() or knarr.doctor(folder / "new.kb").ok
        shutil.rmtree(folder / "new.kb", ignore_errors=True)
        knarr.restore(folder / "saved.zip", folder / "new.kb")
        assert knarr.doctor(folder / "new.kb").ok and not list(folder.glob(".new*"))
        return
    if verb == "repair":
        assert (
            knarr.doctor(base, repair=True, embedder=HashEmbedder(64)).ok
            and knarr.doctor(base).findings == ()
        )
        return
    wrong = [one for one in knarr.doctor(base).findings if one.severity == "error"]
    assert wrong == []
    if verb == "reembed":
        try:
            knarr.open(base, embedder=HashEmbedder(64)).close()
        except knarr.CatalogError:
            knarr.open(base, embedder=HashEmbedder(32)).close()
        knarr.reembed(base, HashEmbedder(32))
        with knarr.open(base, embedder=HashEmbedder(32)) as kb:
            assert kb.search("cargo over the sea").hits[0].uri.startswith("viking://h/ships")
    elif verb == "backup":
        if (folder / "new.zip").exists():
            knarr.restore(folder / "new.zip", folder / "new.kb")
        with knarr.open(base, embedder=HashEmbedder(64)) as kb:
            kb.backup(folder / "new.zip")
        assert not list(folder.glob(".new*"))
    else:
        with knarr.open(base, embedder=HashEmbedder(64)) as kb:
            if verb == "remove":
                if kb._index.engine.exists("viking://h/secret"):
                    kb.remove("viking://h/secret")
                kb.forget()
                assert files_with(base, f"{SECRET} fee") == []
            else:
                kb.forget(traces_older_than=0, questions=True)
                assert kb.traces.list() == [] and files_with(base, "What did a knarr") == []
    assert [one for one in knarr.doctor(base).findings if one.severity != "note"] == []


def kill(verb: str, folder: Path, fill: Fill, events: range | tuple[int, ...]) -> int:
    prepared(folder / "first", fill)
    if verb == "repair":
        damage(folder / "first")
    deaths = 0
    for at in events:
        place = folder / str(at)
        shutil.copytree(folder / "first", place)
        died = killed(verb, place, at)
        deaths += died
        check(verb, place)
        shutil.rmtree(place)
        if not died:
            break
    return deaths


@pytest.mark.parametrize("verb", FEW)
def test_killed_at_a_few_events(verb: str, tmp_path: Path, fill: Fill) -> None:
    (tmp_path / "first").mkdir()
    assert kill(verb, tmp_path, fill, FEW[verb]) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_killed_at_every_event(verb: str, tmp_path: Path, fill: Fill) -> None:
    (tmp_path / "first").mkdir()
    deaths = kill(verb, tmp_path, fill, range(1, 400))
    print(f"{verb}: {deaths} kills")
    assert deaths >= 3
