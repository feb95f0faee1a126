"""After a kill between a change and the folders' abstracts, none quotes what was removed (PER-02)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from knarr.abstracts import folders
from knarr.testing import HashEmbedder
from support import WriteDocs


class Killed(BaseException):
    pass


def killed(*_: object, **_named: object) -> None:
    raise Killed


def quotes(kb: knarr.KnowledgeBase, word: str) -> list[str]:
    """Where a word is shown: by search, its previews, list and read."""
    found = [hit.uri for hit in kb.search("word", k=1_000, kinds=None) if word in kb.read(hit.uri).text]
    for place in ("viking://", "viking://kb", "viking://kb/a"):
        try:
            listing = kb.list(place)
        except knarr.NotFound:
            continue
        found += [place] * (word in listing.abstract)
        found += [entry.uri for entry in listing.entries if word in entry.preview]
    return found


def remove(kb: knarr.KnowledgeBase, docs: WriteDocs) -> None:
    kb.remove("viking://kb/a/secret")


def update(kb: knarr.KnowledgeBase, docs: WriteDocs) -> None:
    kb.add(
        docs({"a/secret.md": "# Other\n\nword of something else\n"}) / "a" / "secret.md", into="viking://kb/a"
    )


def move(kb: knarr.KnowledgeBase, docs: WriteDocs) -> None:
    kb.move("viking://kb/a/secret", "viking://elsewhere/secret")


@pytest.fixture
def held(tmp_path: Path, write_docs: WriteDocs) -> Path:
    """A base whose folders' abstracts quote a word, with a snapshot."""
    docs = write_docs(
        {"a/secret.md": "# S\n\nword xyzzy is here\n", "a/b.md": "# B\n\nword b\n", "c.md": "# C\n\nword c\n"}
    )
    with knarr.open(tmp_path / "s.kb", embedder=HashEmbedder(64)) as kb:
        kb.add(docs, into="viking://kb")
        assert "viking://kb/a" in quotes(kb, "xyzzy")
    return tmp_path / "s.kb"


@pytest.mark.parametrize("change", [remove, update])
@pytest.mark.parametrize("snapshot", [True, False])
def test_no_abstract_quotes_what_is_gone(
    held: Path,
    write_docs: WriteDocs,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[knarr.KnowledgeBase, WriteDocs], None],
    snapshot: bool,
) -> None:
    reader = knarr.open(held, embedder=HashEmbedder(64))
    writer = knarr.open(held, embedder=HashEmbedder(64))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(folders, "refresh", killed)
        change(writer, write_docs)
    assert quotes(writer, "xyzzy") == []
    reader.refresh()
    assert quotes(reader, "xyzzy") == []
    if not snapshot:
        for path in held.glob("engine-*"):
            path.unlink()
    with knarr.open(held, embedder=HashEmbedder(64)) as kb:
        assert quotes(kb, "xyzzy") == []
        assert kb.search("word b", k=1).hits
        kb.add(write_docs({"d.md": "# D\n\nword d\n"}) / "d.md", into="viking://kb")  # which makes them anew
        assert kb.list("viking://kb/a").abstract and kb.list("viking://kb").abstract
        assert quotes(kb, "xyzzy") == []
    reader.refresh()
    assert reader.list("viking://kb/a").abstract and quotes(reader, "xyzzy") == []
    reader.close()
    writer.close()


def test_what_moves_away_is_no_longer_quoted_where_it_was(
    held: Path, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = knarr.open(held, embedder=HashEmbedder(64))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(folders, "refresh", killed)
        move(kb, write_docs)
    assert not [uri for uri in quotes(kb, "xyzzy") if "elsewhere" not in uri]
    kb.close()


def test_an_abstract_that_comes_out_the_same_is_shown_again(
    held: Path, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    with knarr.open(held, embedder=embedder) as reader, knarr.open(held, embedder=embedder) as kb:
        before = kb.list("viking://kb/a").abstract
        text = "# S\n\nword xyzzy is here\n" + "\nmore of it, below what an abstract quotes\n" * 40
        kb.add(write_docs({"a/secret.md": text}) / "a" / "secret.md", into="viking://kb/a")
        kb.add(write_docs({"a/secret.md": text + "\nend\n"}) / "a" / "secret.md", into="viking://kb/a")
        reader.refresh()
        assert kb.list("viking://kb/a").abstract == reader.list("viking://kb/a").abstract != ""
        assert "xyzzy" in before


def test_a_folder_that_only_grows_keeps_its_abstract_meanwhile(
    held: Path, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    docs = write_docs({f"new/n{number}.md": f"# N\n\nword {number}\n" for number in range(3)})
    with knarr.open(held, embedder=embedder) as kb:
        before, seen = kb.list("viking://kb").abstract, []
        kb.add(
            docs / "new", into="viking://kb", progress=lambda *_: seen.append(kb.list("viking://kb").abstract)
        )
        assert set(seen) == {before} and kb.list("viking://kb").abstract != before


def test_a_document_in_the_place_of_a_hidden_folder_keeps_its_abstract(
    held: Path, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch, embedder: HashEmbedder
) -> None:
    with knarr.open(held, embedder=embedder) as kb:
        kb.add(write_docs({"y/one.md": "# One\n\nword one\n"}) / "y" / "one.md", into="viking://kb/q")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(folders, "refresh", killed)
            kb.remove("viking://kb/q/one")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(folders, "refresh", killed)
            kb.add(write_docs({"x/q.md": "# Q\n\nword q\n"}) / "x" / "q.md", into="viking://kb")
        assert "word q" in kb.read("viking://kb/q/.abstract.md").text
    with knarr.open(held, embedder=embedder) as kb:
        assert "word q" in kb.read("viking://kb/q/.abstract.md").text
