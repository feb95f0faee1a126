"""Folders in step: what is added, updated, moved and removed, at what cost, and what is never touched (ING-11, NS-04)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.testing import HashEmbedder
from knarr.writing import sync as syncing
from knarr.writing.sync_receipt import SyncReport
from support import WriteDocs

INTO = "viking://kb"


def texts(kb: knarr.KnowledgeBase) -> dict[str, str]:
    """All documents, by their URI below `INTO`, with their text."""
    return {uri.removeprefix(f"{INTO}/"): kb.read(uri).text for uri in documents(kb)}


def documents(kb: knarr.KnowledgeBase) -> dict[str, int]:
    """The ids of all documents by URI."""
    from knarr.catalog.documents import under

    with kb._catalog.reading() as connection:
        return {record.uri: record.id for record in under(connection, "viking://")}


def sync(kb: knarr.KnowledgeBase, docs: Path, **options: Any) -> SyncReport:
    """Sync, with the texts that were embedded counted from here on."""
    embedder = kb.embedder
    assert isinstance(embedder, HashEmbedder)
    embedder.calls = embedder.texts = 0
    return kb.sync(docs, into=INTO, **options)


def counts(report: SyncReport) -> tuple[int, int, int, int]:
    return len(report.added), len(report.updated), len(report.moved), len(report.removed)


def test_a_folder_and_what_becomes_of_it(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    docs = write_docs({"a.md": "word a", "b.md": "word b", "sub/c.md": "word c", "sub/d.md": "word d"})
    first = sync(kb, docs)
    assert counts(first) == (4, 0, 0, 0) and first.ok and first.folder == str(docs.resolve())
    again = sync(kb, docs)
    assert counts(again) == (0, 0, 0, 0) and len(again.unchanged) == 4 and embedder.calls == 0
    assert not again.changed
    before = documents(kb)
    write_docs({"a.md": "word a, changed", "new.md": "word new"})
    (docs / "b.md").unlink()
    (docs / "sub" / "c.md").rename(docs / "c.md")
    foretold = sync(kb, docs, dry_run=True)
    assert counts(foretold) == (1, 1, 1, 1) and "would be in step" in str(foretold)
    assert documents(kb) == before and embedder.calls == 0
    report = sync(kb, docs)
    assert counts(report) == (1, 1, 1, 1) and report.moved == foretold.moved
    assert [(one.was, one.uri) for one in report.moved] == [(f"{INTO}/sub/c", f"{INTO}/c")]
    assert [(one.uri, one.why) for one in report.removed] == [(f"{INTO}/b", "its file is gone")]
    assert texts(kb) == {"a": "word a, changed", "new": "word new", "c": "word c", "sub/d": "word d"}
    after = documents(kb)
    assert after[f"{INTO}/c"] == before[f"{INTO}/sub/c"] and after[f"{INTO}/a"] == before[f"{INTO}/a"]
    assert kb.document(f"{INTO}/c").version == 1 and kb.document(f"{INTO}/a").version == 2
    assert [job.kind for job in kb.jobs] == ["sync"] * 3  # the dry run is none


MOVES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    # what is renamed: old names to new ones, all at once; and which document is then where
    "file": ({"a.md": "z.md"}, {"a": "z"}),
    "folder": ({"sub": "other"}, {"sub/c": "other/c", "sub/d": "other/d", "sub/in/e": "other/in/e"}),
    "folder into a folder": (
        {"sub": "x/sub"},
        {"sub/c": "x/sub/c", "sub/d": "x/sub/d", "sub/in/e": "x/sub/in/e"},
    ),
    "folder within": ({"sub/in": "in"}, {"sub/in/e": "in/e"}),
    "both levels": (
        {"sub/in": "sub/deep", "sub": "top"},
        {"sub/c": "top/c", "sub/d": "top/d", "sub/in/e": "top/deep/e"},
    ),
    "swap": ({"a.md": "t", "b.md": "a.md", "t": "b.md"}, {"a": "b", "b": "a"}),
    "circle": (
        {"a.md": "t", "b.md": "a.md", "sub/c.md": "b.md", "t": "sub/c.md"},
        {"a": "sub/c", "b": "a", "sub/c": "b"},
    ),
    "chain": ({"b.md": "c.md", "a.md": "b.md"}, {"a": "b", "b": "c"}),
    "case": (
        {"a.md": "A.md", "sub": "SUB"},
        {"a": "A", "sub/c": "SUB/c", "sub/d": "SUB/d", "sub/in/e": "SUB/in/e"},
    ),
    "swap of folders": (
        {"sub": "t", "two": "sub", "t": "two"},
        {"sub/c": "two/c", "sub/d": "two/d", "sub/in/e": "two/in/e", "two/f": "sub/f"},
    ),
    "two copies": ({"same1.md": "same3.md"}, {"same1": "same3"}),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_document_goes_where_its_file_goes(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder, name: str
) -> None:
    names = ("a", "b", "sub/c", "sub/d", "sub/in/e", "two/f")
    docs = write_docs({f"{one}.md": f"# Top\n\nword {one}\n" for one in names})
    write_docs({"same1.md": "word same", "same2.md": "word same"})
    sync(kb, docs)
    before = documents(kb)
    renames, wanted = MOVES[name]
    for old, new in renames.items():
        (docs / new).parent.mkdir(parents=True, exist_ok=True)
        (docs / old).rename(docs / new)
    report = sync(kb, docs)
    assert counts(report) == (0, 0, len(wanted), 0) and embedder.calls == 0
    went = {
        uri: f"{INTO}/{wanted.get(uri.removeprefix(f'{INTO}/'), uri.removeprefix(f'{INTO}/'))}"
        for uri in before
    }
    assert documents(kb) == {went[uri]: number for uri, number in before.items()}
    assert texts(kb) == {
        went[f"{INTO}/{one}"].removeprefix(f"{INTO}/"): f"# Top\n\nword {one}\n" for one in names
    } | {went[f"{INTO}/same{n}"].removeprefix(f"{INTO}/"): "word same" for n in (1, 2)}
    assert {match.document for match in kb.grep("word", limit=99)} == set(documents(kb))
    assert counts(sync(kb, docs)) == (0, 0, 0, 0)
    assert kb.add(docs, into=INTO).count("unchanged") == 8


def test_what_changed_in_a_renamed_folder_is_updated_there(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({"old/a.md": "word a", "old/b.md": "word b", "old/c.md": "word c"})
    sync(kb, docs)
    before = documents(kb)
    (docs / "old").rename(docs / "new")
    write_docs({"new/b.md": "word b, changed", "new/d.md": "word d"})
    (docs / "new" / "c.md").unlink()
    report = sync(kb, docs)
    assert counts(report) == (1, 1, 2, 1)
    after = documents(kb)
    assert after[f"{INTO}/new/b"] == before[f"{INTO}/old/b"] and kb.document(f"{INTO}/new/b").version == 2
    assert texts(kb) == {"new/a": "word a", "new/b": "word b, changed", "new/d": "word d"}


def test_a_file_takes_no_other_documents_place(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    """Neither a copy that was made before an edit, nor a file that was put over another one."""
    docs = write_docs({"manual.md": "word 17", "draft.md": "word 18"})
    sync(kb, docs)
    write_docs({"old/manual.md": "word 17", "manual.md": "word 17a"})
    assert counts(sync(kb, docs)) == (1, 1, 0, 0)
    (docs / "draft.md").replace(docs / "manual.md")
    assert counts(sync(kb, docs)) == (0, 1, 0, 1)
    assert texts(kb) == {"manual": "word 18", "old/manual": "word 17"}
    assert kb.document(f"{INTO}/manual").version == 3


def test_edges_and_traces_follow_a_moved_file(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {"a.md": "# Fees\n\nA late fee of 15 crowns is due.\n", "b.md": "# Loans\n\nLoans are open.\n"}
    )
    sync(kb, docs)
    answer = kb.ask("What late fee is due?", scope=INTO, mode="vikingrag-e")
    assert answer.citations[0].document == f"{INTO}/a"
    (docs / "sub").mkdir()
    (docs / "a.md").rename(docs / "sub" / "fees.md")
    sync(kb, docs)
    assert (
        kb.ask("What late fee is due?", scope=INTO, mode="vikingrag-e").citations[0].document
        == f"{INTO}/sub/fees"
    )


def test_only_what_came_from_the_folder_is_touched(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs({"a.md": "word a", "sub/b.md": "word b"})
    other = tmp_path / "other"
    (other / "sub").mkdir(parents=True)
    (other / "sub" / "x.md").write_text("word x")
    (other / "y.md").write_text("word y")
    kb.add([other / "sub"], into=f"{INTO}/sub")
    kb.add(other / "y.md", into=INTO)
    kb.add(docs / "a.md", into=f"{INTO}/special")
    sync(kb, docs)
    foreign = {"sub/x", "y", "special/a"}
    assert set(texts(kb)) == {"a", "sub/b", *foreign}
    (docs / "sub").rename(docs / "moved")
    (docs / "a.md").unlink()
    report = sync(kb, docs)
    assert set(texts(kb)) == {"moved/b", *foreign} and counts(report) == (0, 0, 1, 1)
    # It is stored and its file is gone, which the receipt says.
    assert [(gone.uri, gone.why) for gone in report.gone] == [
        (f"{INTO}/special/a", "kept: it was put there by other means")
    ]
    shutil.rmtree(other)
    sync(kb, docs)
    assert set(texts(kb)) == {"moved/b", *foreign}


def test_a_folder_that_is_not_there_takes_nothing_with_it(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs({"a.md": "word a", "sub/b.md": "word b"})
    sync(kb, docs)
    docs.rename(tmp_path / "unmounted")
    with pytest.raises(knarr.InvalidArgument, match=r"no such folder.*allow_empty"):
        sync(kb, docs)
    docs.mkdir()
    with pytest.raises(knarr.InvalidArgument, match=r"2 documents are stored from it.*allow_empty"):
        sync(kb, docs)
    (docs / ".hidden").touch()
    (docs / "empty.md").touch()
    with pytest.raises(knarr.InvalidArgument, match="allow_empty"):
        sync(kb, docs, when_unreadable="remove")
    with pytest.raises(knarr.InvalidArgument, match="expected a folder"):
        sync(kb, docs / "empty.md")
    assert len(documents(kb)) == 2 and len(kb.jobs) == 1
    (docs / "empty.md").unlink()
    assert counts(sync(kb, docs, allow_empty=True)) == (0, 0, 0, 2)
    sync(kb, tmp_path / "unmounted")
    shutil.rmtree(tmp_path / "unmounted")
    assert counts(sync(kb, tmp_path / "unmounted", allow_empty=True)) == (0, 0, 0, 2)


def test_an_empty_folder_below_is_no_deletion_of_many(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "MANY", 3)
    docs = write_docs(
        {"a.md": "word", **{f"disk/{n}.md": f"word {n}" for n in range(3)}, "few/b.md": "word b"}
    )
    sync(kb, docs)
    for path in [*docs.glob("disk/*"), *docs.glob("few/*")]:
        path.unlink()
    report = sync(kb, docs)
    assert counts(report) == (0, 0, 0, 1) and len(report.gone) == 3
    assert all("is its disk there?" in gone.why for gone in report.gone)
    assert counts(sync(kb, docs, allow_empty=True)) == (0, 0, 0, 3)


def test_a_file_that_gives_nothing_leaves_its_version_or_takes_it_along(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    names = ("empty.md", "damaged.pdf", "link.md", "good.md")
    docs = write_docs({name: f"word {name}" for name in names if name != "damaged.pdf"})
    write_docs({"damaged.pdf": b""})
    (docs / "damaged.pdf").unlink()
    write_docs({"damaged.txt": "word damaged.txt"})
    sync(kb, docs)
    write_docs({"empty.md": "", "damaged.txt": b"\x89PNG\r\n\x1a\n"})
    (docs / "link.md").unlink()
    (docs / "link.md").symlink_to(tmp_path)
    for report in (kb.add(docs, into=INTO), sync(kb, docs)):
        left = {file.path: file for file in report.left_out}
        assert set(left) == {"empty.md", "damaged.txt", "link.md"}
        assert all(file.version == 1 and file.stands.startswith(INTO) for file in left.values())
        assert str(report).count("version 1 stays as it is") == 3
    assert len(documents(kb)) == 4
    report = sync(kb, docs, when_unreadable="remove")
    assert {one.uri for one in report.removed} == {f"{INTO}/empty", f"{INTO}/damaged", f"{INTO}/link"}
    assert "stays as it is" not in str(report) and set(texts(kb)) == {"good"}


def test_a_folder_that_cannot_be_listed_keeps_its_documents(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"a.md": "word a", "shut/b.md": "word b"})
    sync(kb, docs)
    (docs / "shut" / ".knarrignore").write_bytes(b"\xff")  # nobody knows what it was to leave out
    report = sync(kb, docs, when_unreadable="remove")
    assert counts(report) == (0, 0, 0, 0) and "its .knarrignore cannot be used" in str(report)
    assert set(texts(kb)) == {"a", "shut/b"}


def test_a_name_that_comes_free_is_taken(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    """A file that became a folder, and the other way round."""
    docs = write_docs({"a.md": "word a", "b/x.md": "word x"})
    sync(kb, docs)
    (docs / "a.md").unlink()
    shutil.rmtree(docs / "b")
    write_docs({"a/y.md": "word y", "b.md": "word b"})
    assert counts(sync(kb, docs)) == (2, 0, 0, 2)
    assert texts(kb) == {"a/y": "word y", "b": "word b"}


def test_another_suffix_is_another_format(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.txt": "# Top\n\n## Below\n\nword\n"})
    sync(kb, docs)
    (docs / "a.txt").rename(docs / "a.md")
    report = sync(kb, docs)
    assert counts(report)[:2] == (0, 1) and kb.document(f"{INTO}/a").format == "markdown"
    assert kb.list(f"{INTO}/a/Top/Below").total


def test_a_folder_of_another_name_is_the_same_one(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs({"a.md": "word a", "sub/b.md": "word b", "c.md": "word c"})
    sync(kb, docs)
    before = documents(kb)
    docs.rename(tmp_path / "renamed")
    (tmp_path / "renamed" / "c.md").unlink()
    report = kb.add(tmp_path / "renamed", into=INTO)
    assert report.count("unchanged") == 2 and [gone.uri for gone in report.gone] == [f"{INTO}/c"]
    assert "1 stored document is no longer on disk" in str(report)
    (tmp_path / "renamed" / "b").mkdir()
    (tmp_path / "renamed" / "a.md").rename(tmp_path / "renamed" / "b" / "a.md")
    assert counts(sync(kb, tmp_path / "renamed")) == (0, 0, 1, 0)
    assert documents(kb)[f"{INTO}/b/a"] == before[f"{INTO}/a"]


def test_wrong_arguments_are_refused_whole(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "word a"})
    kb.add(docs, into="viking://d")
    wrong: list[dict[str, Any]] = [
        {"links": "follow"},
        {"when_unreadable": "drop"},
        {"ignore": "*.tmp"},
        {"into": "viking://d/a/below"},
        {"into": "viking://a//b"},
    ]
    for options in wrong:
        with pytest.raises(knarr.InvalidArgument):
            kb.sync(docs, **{"into": INTO, **options})
    assert len(kb.jobs) == 1
