"""The engine holds what the catalog holds, whatever came between."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

import knarr
from knarr import index, knowledge_base
from knarr.catalog import changes
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

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(knowledge_base, "refresh_folders", killed)
        kb.remove("viking://kb/loans/x")
    kb.add(write_docs({"loans.md": "# Loans\n\nword\n"}) / "loans.md", into="viking://kb")
    found = objects(kb)
    assert "viking://kb/loans/.abstract.md" in found
    assert found == rebuilt(kb, embedder)


def test_what_another_process_does_during_a_rebuild_is_done_once(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"x.md": "# X\n\nword of the first\n"}), into="viking://kb")
    look = changes.last
    looks = 0

    def last(connection: sa.Connection) -> int:
        nonlocal looks
        seq, looks = look(connection), looks + 1
        if looks == 1:
            kb.move("viking://kb/x", "viking://old/x")
            kb.add(write_docs({"x.md": "# X\n\nword of the second\n"}), into="viking://kb")
        return seq

    with monkeypatch.context() as patch:
        patch.setattr(index.changes, "last", last)
        other = knarr.open(kb.path, embedder=embedder)
    with other:
        assert "word of the first" in other.read("viking://old/x").text
        assert objects(other) == objects(kb)
