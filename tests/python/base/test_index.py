"""The engine holds what the catalog holds, whatever came between."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

import knarr
from knarr.abstracts import folders
from knarr.catalog import documents
from knarr.testing import HashEmbedder
from support import WriteDocs


def objects(kb: knarr.KnowledgeBase) -> dict[str, str]:
    """Every object that can be searched, with its text."""
    return {hit.uri: kb.read(hit.uri).text for hit in kb.search("word", k=1_000, kinds=None)}


def rebuilt(kb: knarr.KnowledgeBase, embedder: HashEmbedder) -> dict[str, str]:
    """What an engine holds that is made of the catalog alone; `kb` is closed."""
    kb.close()
    for snapshot in kb.path.glob("*.snapshot"):
        snapshot.unlink()
    with knarr.open(kb.path, embedder=embedder) as again:
        return objects(again)


def test_a_document_in_the_place_of_a_folder_that_a_kill_left_keeps_its_abstract(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"x.md": "# X\n\nword\n"}), into="viking://kb/loans")

    def killed(*_: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(folders, "refresh", killed)
        kb.remove("viking://kb/loans/x")
    kb.add(write_docs({"loans.md": "# Loans\n\nword\n"}) / "loans.md", into="viking://kb")
    found = objects(kb)
    assert "viking://kb/loans/.abstract.md" in found
    assert found == rebuilt(kb, embedder)


def test_what_another_process_does_during_a_rebuild_is_done_once(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"x.md": "# X\n\nword of the first\n"}), into="viking://kb")
    ids = documents.all_ids
    calls = 0

    def all_ids(connection: sa.Connection) -> list[int]:
        nonlocal calls
        calls += 1
        if calls == 1:
            kb.move("viking://kb/x", "viking://old/x")
            kb.add(write_docs({"x.md": "# X\n\nword of the second\n"}), into="viking://kb")
        return ids(connection)

    with monkeypatch.context() as patch:
        patch.setattr(documents, "all_ids", all_ids)
        other = knarr.open(kb.path, embedder=embedder)
    with other:
        assert "word of the first" in other.read("viking://old/x").text
        assert objects(other) == objects(kb)


def grow(path: Path, embedder: HashEmbedder, docs: WriteDocs, word: str, until: int) -> None:
    """Add documents until the log goes so far, in a process that is killed then."""
    kb = knarr.open(path, embedder=embedder)
    kb._finalizer.detach()
    for number in range(until):
        if kb.info()["seq"] >= until:
            break
        kb.add(docs({f"{number}.md": f"# N\n\nword {word} {number}\n"}), into="viking://kb")
    assert kb.info()["seq"] >= until
    kb._catalog.close()


@pytest.mark.parametrize("gap", [0, 3])
def test_a_snapshot_of_what_came_after_a_backup_is_never_taken_for_what_came_after_its_return(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, gap: int
) -> None:
    path, backup = tmp_path / "b.kb", tmp_path / "backup"
    with knarr.open(path, embedder=embedder) as kb:
        kb.add(write_docs({"first.md": "# First\n\nword\n"}), into="viking://kb")
    shutil.copytree(path, backup, ignore=shutil.ignore_patterns("engine-*"))
    with knarr.open(path, embedder=embedder) as kb:
        kb.add(write_docs({"second.md": "# Second\n\nword\n"}), into="viking://kb")
        seq = kb.info()["seq"]
    shutil.copytree(backup, path, dirs_exist_ok=True)
    for left in path.glob("catalog.sqlite-*"):
        left.unlink()
    write_docs({}).joinpath("second.md").unlink()
    grow(path, embedder, write_docs, "anew", seq + gap)
    assert list(path.glob(f"engine-r*-{seq}*.snapshot"))
    with knarr.open(path, embedder=embedder) as kb:
        found = objects(kb)
        assert not any("second" in uri for uri in found)
        assert found == rebuilt(kb, embedder)


def test_the_log_of_an_older_knarr_is_stamped_when_it_is_opened(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    path = tmp_path / "o.kb"
    with knarr.open(path, embedder=embedder) as kb:
        kb.add(write_docs({"d.md": "# D\n\nword\n"}), into="viking://kb")
        found = objects(kb)
    (snapshot,) = path.glob("engine-*.snapshot")
    snapshot.rename(path / f"engine-r3-{kb._index.seq}.snapshot")
    with sqlite3.connect(path / "catalog.sqlite") as database:
        database.execute("ALTER TABLE changes DROP COLUMN stamp")
    for _ in range(2):
        with knarr.open(path, embedder=embedder) as kb:
            assert objects(kb) == found
    (again,) = path.glob("engine-*.snapshot")
    assert again.name.startswith(f"engine-r3-{kb._index.seq}-")
    with knarr.open(path, embedder=embedder) as kb:
        kb.add(write_docs({"e.md": "# E\n\nword\n"}), into="viking://kb")
        assert len(objects(kb)) > len(found)
