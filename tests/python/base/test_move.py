"""Moving documents and folders: all or nothing, nothing embedded anew (NS-04)."""

from __future__ import annotations

from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs


def uris(kb: knarr.KnowledgeBase) -> dict[str, list[str]]:
    return {
        "search": sorted(hit.uri for hit in kb.search("word", k=200)),
        "grep": sorted(match.uri for match in kb.grep("word", limit=500)),
    }


def test_a_moved_folder_is_seen_only_under_its_new_uri(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, tmp_path: Path
) -> None:
    kb.add(write_docs({f"f{n}.md": f"# T\n\nword {n}\n" for n in range(20)}), into="viking://kb/old")
    before = uris(kb)
    embedder.calls = 0
    assert kb.move("viking://kb/old", "viking://kb/new/sub") == 20
    assert embedder.calls == 0
    # The abstracts of all four folders that it touched are found, by what they hold.
    found = {hit.uri.removesuffix("/.abstract.md") for hit in kb.search("word", k=200, kinds=("abstract",))}
    assert {"viking:/", "viking://kb", "viking://kb/new", "viking://kb/new/sub"} <= found
    moved = {tool: [uri.replace("kb/old", "kb/new/sub") for uri in found] for tool, found in before.items()}
    assert uris(kb) == moved
    with pytest.raises(knarr.NotFound):
        kb.list("viking://kb/old")
    assert (
        kb.search("word", "viking://kb/new/sub", k=1)
        .hits[0]
        .source.document.startswith("viking://kb/new/sub/")
    )
    kb.close()
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as again:
        assert uris(again) == moved


def test_moves_that_make_no_sense_are_refused_whole(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"a/x.md": "word", "b/y.md": "word"}), into="viking://kb")
    before = uris(kb)
    with pytest.raises(knarr.AlreadyExists):
        kb.move("viking://kb/a", "viking://kb/b")
    with pytest.raises(knarr.InvalidArgument, match="into itself"):
        kb.move("viking://kb/a", "viking://kb/a/inner")
    with pytest.raises(knarr.InvalidArgument, match="lies in the document"):
        kb.move("viking://kb/a", "viking://kb/b/y/z")
    with pytest.raises(knarr.NotFound):
        kb.move("viking://kb/none", "viking://kb/c")
    assert uris(kb) == before


def test_a_failed_move_changes_nothing(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({f"f{n}.md": f"word {n}" for n in range(30)}), into="viking://kb/old")
    before = uris(kb)
    from knarr.catalog import changes

    def fail(*_args: object, **_named: object) -> int:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(changes, "append", fail)
        with pytest.raises(OSError, match="disk full"):
            kb.move("viking://kb/old", "viking://kb/new")
    assert uris(kb) == before
    assert kb.move("viking://kb/old", "viking://kb/new") == 30


def test_a_document_moved_beside_one_of_the_same_file(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a/x.md": "word a", "b/x.md": "word b"})
    kb.add(docs, into="viking://kb")
    kb.move("viking://kb/a/x", "viking://kb/b/y")
    assert [match.uri for match in kb.grep("word")] == ["viking://kb/b/y/x_1.md", "viking://kb/b/x/x_1.md"]
    again = kb.add(docs, into="viking://kb")
    assert {file.path: file.change for file in again.files} == {"a/x.md": "added", "b/x.md": "unchanged"}


def test_folder_abstracts_follow_and_survive_a_failure(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"a/x.md": "# X\n\nword", "b/y.md": "# Y\n\nword"}), into="viking://kb")
    assert kb.list("viking://kb").abstract.startswith("kb. Contains: a; b.")
    kb.move("viking://kb/a", "viking://kb/c")
    assert kb.list("viking://kb").abstract.startswith("kb. Contains: b; c.")
    assert kb.list("viking://kb/c").abstract.startswith("c. Contains: x.")
    with monkeypatch.context() as patch:
        patch.setattr(type(embedder), "embed", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(knarr.EmbedderError, match="killed"):
            kb.remove("viking://kb/b")
    assert len(kb.grep("word")) == 1
    kb.move("viking://kb/c/x", "viking://kb/c/z")
    assert kb.list("viking://kb").abstract.startswith("kb. Contains: c.")
    kb.remove("viking://kb/c")
    assert kb.list().abstract == "" and kb.list().total == 0


def test_what_a_move_left_unembedded_is_embedded_by_the_next_add_that_touches_it(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, tmp_path: Path
) -> None:
    kb.add(write_docs({"old/a.md": "# A\n\nword alpha\n"}), into="viking://kb")
    kb.move("viking://kb/old", "viking://kb/new")
    kb.add(write_docs({"x/b.md": "# B\n\nword beta\n"}) / "x", into="viking://kb/new")
    with knarr.open(tmp_path / "fresh.kb", embedder=embedder) as fresh:
        fresh.add(tmp_path / "docs" / "old", into="viking://kb/new")
        fresh.add(tmp_path / "docs" / "x", into="viking://kb/new")
        shown = [
            [(hit.uri, round(hit.score, 5)) for hit in base.search("word beta", k=50, kinds=None)]
            for base in (kb, fresh)
        ]
    assert shown[0] == shown[1]


def test_everything_is_removed_only_when_that_is_said(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"a.md": "word"}), into="viking://kb")
    with pytest.raises(knarr.InvalidArgument, match="--all"):
        kb.remove("viking://")
    assert len(kb.grep("word")) == 1
    assert kb.remove("viking://", all=True) == 1
    assert kb.info()["documents"] == 0
