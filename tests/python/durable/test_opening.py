"""Opening: any path is a path, what is no sound catalog is refused as it is, and nothing is made unasked."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from knarr.catalog.schema import SCHEMA_VERSION
from knarr.testing import HashEmbedder
from support import WriteDocs

TEXT = "# Fees\n\nA late fee is 5 euros.\n"


def opened(path: Path | str, *, create: bool = True) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(16), create=create)


def hashes(folder: Path) -> dict[str, str]:
    files = (one for one in folder.rglob("*") if one.is_file())
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


@pytest.fixture
def closed(tmp_path: Path, write_docs: WriteDocs) -> Path:
    """A base of one document, closed."""
    path = tmp_path / "o.kb"
    with opened(path) as kb:
        kb.add(write_docs({"a.md": TEXT}), into="viking://kb")
    return path


@pytest.mark.parametrize(
    "name",
    [
        "q?x.kb",
        "a#b.kb",
        "50%25.kb",
        "two words .kb",
        "Größe 日本.kb",
        "line\nbreak.kb",
        "file:x.kb",
        ":memory:",
        "'\"&=+;.kb",
    ],
)
def test_a_path_is_a_path(
    tmp_path: Path, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    docs = write_docs({"a.md": TEXT})
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    with opened(name) as kb:  # a relative path
        kb.add(docs, into="viking://kb")
        monkeypatch.chdir(tmp_path)  # which names another place from here on
        kb.add(docs, into="viking://other")
        assert len(kb.grep("late fee")) == 2
    assert [one.name for one in (tmp_path / "in").iterdir()] == [name]
    assert not (tmp_path / name).exists()
    assert {one.name.split(".")[0] for one in (tmp_path / "in" / name).iterdir()} <= {
        "catalog", "writer", *(one.stem for one in (tmp_path / "in" / name).glob("engine-*")),
    }  # fmt: skip
    with opened(tmp_path / "in" / name, create=False) as kb:
        assert len(kb.grep("late fee")) == 2


def test_a_name_that_is_no_text_is_a_path(tmp_path: Path, write_docs: WriteDocs) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.kb"))
    with opened(path) as kb:
        kb.add(write_docs({"a.md": TEXT}), into="viking://kb")
    with opened(path, create=False) as kb:
        assert len(kb.grep("late fee")) == 1


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _another_application(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA journal_mode=WAL")
        raw.execute("CREATE TABLE meta (key, value)")
        raw.execute("PRAGMA application_id=252006674")
    raw.close()


def _another_schema(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE notes (x)")
    raw.close()


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (str(SCHEMA_VERSION + 1),))
    raw.close()


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILED = {
    "truncated": (lambda path: path.write_bytes(_truncated(path.read_bytes())), "damaged .*knarr doctor"),
    "cut in its head": (lambda path: path.write_bytes(path.read_bytes()[:50]), "damaged .*knarr doctor"),
    "zeroed page": (
        lambda path: path.write_bytes(path.read_bytes()[:8192] + bytes(4096) + path.read_bytes()[12288:]),
        "damaged .*knarr doctor",
    ),
    "text": (lambda path: path.write_text("not a database, certainly not" * 200), "knarr doctor"),
    "another application": (_another_application, "another application .*left as it is"),
    "another schema": (_another_schema, "damaged|another application"),
    "newer": (_newer, "newer knarr .*update knarr"),
    "empty": (lambda path: path.write_bytes(b""), "the file is empty"),
    "directory": (_directory, "expected a file"),
    "dangling link": (lambda path: (path.unlink(), path.symlink_to("nowhere")), "expected a file"),
}


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize("how", SPOILED)
def test_what_is_no_sound_catalog_is_refused_as_it_is(
    closed: Path, how: str, snapshot: bool, create: bool
) -> None:
    spoil, message = SPOILED[how]
    spoil(closed / "catalog.sqlite")
    if not snapshot and how != "empty":  # an empty one alone is a new one that a kill left
        for engine in closed.glob("engine-*"):
            engine.unlink()
    before = hashes(closed)
    with pytest.raises(knarr.CatalogError, match=message) as caught:
        opened(closed, create=create)
    assert hashes(closed) == before and str(closed) in str(caught.value)
    assert "move" not in str(caught.value) and "delete" not in str(caught.value)


def test_nothing_is_made_where_nothing_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    for name in ("empty", "none/deeper", "file", "file/below"):
        with pytest.raises(knarr.CatalogError, match="no knowledge base there"):
            opened(tmp_path / name, create=False)
    for name in ("file", "file/below"):
        with pytest.raises(knarr.CatalogError):
            opened(tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_what_a_kill_left_of_making_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "k.kb").mkdir()
    for name in ("writer.lock", "catalog.sqlite.new", "catalog.sqlite.new-journal"):
        (tmp_path / "k.kb" / name).write_bytes(b"half")
    with opened(tmp_path / "k.kb") as kb:
        assert kb.info()["documents"] == 0
    assert not list((tmp_path / "k.kb").glob("*.new*"))


OPENER = """
import sys, time
from pathlib import Path
import knarr
from knarr.testing import HashEmbedder
settings = knarr.Settings(wait_s=60)
print("ready", flush=True)
sys.stdin.readline()
for round in range(int(sys.argv[3])):
    with knarr.open(f"{sys.argv[1]}/new{round}.kb", embedder=HashEmbedder(16), settings=settings) as kb:
        assert kb.add(sys.argv[2], into="viking://kb/" + sys.argv[4]).ok
"""


def test_several_processes_open_a_new_base_at_once(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs, processes, rounds = write_docs({"a.md": TEXT}), 8, 3
    package = str(Path(knarr.__file__).parents[1])
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(tmp_path), str(docs), str(rounds), f"p{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": package},
        )
        for number in range(processes)
    ]
    for one in running:
        assert one.stdout is not None and one.stdout.readline() == "ready\n"
    for one in running:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in running:
        _, errors = one.communicate()
        assert one.returncode == 0, errors
    for number in range(rounds):
        with opened(tmp_path / f"new{number}.kb") as kb:
            assert len(kb.grep("late fee", limit=100)) == processes


def test_a_locked_and_a_damaged_base_are_told_apart(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knarr.catalog.opening._BUSY_S", 0.0)
    holder = sqlite3.connect(closed / "catalog.sqlite", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(knarr.CatalogError, match="locked") as caught:
        opened(closed)
    holder.close()
    assert "doctor" not in str(caught.value) and "Try again" in str(caught.value)
    opened(closed).close()
