"""A document is its source: the names of its folders and file as they are on disk (NS-06)."""

from __future__ import annotations

import random
import shutil
import sqlite3
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import assume, example, given, settings

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def texts(kb: knarr.KnowledgeBase) -> list[str]:
    """The lines of all documents."""
    return sorted(match.excerpt for match in kb.grep("^word.*", limit=1000))


@pytest.mark.parametrize(
    "names",
    [
        ("My Notes/readme.md", "My_Notes/readme.md"),
        ("a b.md", "a  b.md", "a_b.md", "a\u00a0b.md"),
        (f"{COMPOSED}.md", f"{DECOMPOSED}.md"),
        (f"{COMPOSED}/x.md", f"{DECOMPOSED}/x.md"),
        ("a.md", "a.txt", "a/x.md", "a~2.md"),
    ],
)
def test_names_that_make_one_component_stay_two_documents(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, names: tuple[str, ...]
) -> None:
    docs = write_docs({name: f"word {number}" for number, name in enumerate(names)})
    first = kb.add(docs, into="viking://kb")
    assert len({file.uri for file in first.files}) == len(names) == first.count("added")
    assert texts(kb) == [f"word {number}" for number in range(len(names))]
    again = kb.add(docs, into="viking://kb")
    assert again.count("unchanged") == len(names)
    assert [file.uri for file in again.files] == [file.uri for file in first.files]
    # Each is updated in its own place.
    write_docs({names[-1]: "word changed"})
    assert kb.add(docs, into="viking://kb").count("updated") == 1
    assert texts(kb) == [*(f"word {number}" for number in range(len(names) - 1)), "word changed"]


@pytest.mark.parametrize("forms", [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
@pytest.mark.parametrize("pattern", ["{}.md", "{}/x.md"])
def test_a_file_that_comes_back_in_another_unicode_form_is_the_same_document(
    kb: knarr.KnowledgeBase, tmp_path: Path, write_docs: WriteDocs, forms: tuple[str, str], pattern: str
) -> None:
    old, new = (pattern.format(form) for form in forms)
    docs = write_docs({old: "word one"})
    (before,) = kb.add(docs, into="viking://kb").files
    shutil.rmtree(docs)
    write_docs({new: "word two"})
    (after,) = kb.add(docs, into="viking://kb").files
    assert (after.change, after.uri, after.version) == ("updated", before.uri, 2)
    assert texts(kb) == ["word two"]
    shutil.rmtree(docs)
    write_docs({old: "word two"})
    (back,) = kb.add(docs, into="viking://kb").files
    assert (back.change, back.uri) == ("unchanged", before.uri)


def test_two_unicode_forms_that_are_added_one_by_one_stay_two(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({f"{COMPOSED}.md": "word one", f"{DECOMPOSED}.md": "word two"})
    for name in (COMPOSED, DECOMPOSED, COMPOSED):
        kb.add(docs / f"{name}.md", into="viking://kb")
    assert texts(kb) == ["word one", "word two"]


def test_one_name_from_two_folders_in_one_call(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a/README.md": "word a", "b/README.md": "word b"})
    files = [docs / "a" / "README.md", docs / "b" / "README.md"]
    first = kb.add(files, into="viking://kb")
    assert [file.uri for file in first.files] == ["viking://kb/README", "viking://kb/README~2"]
    assert "named README~2" in str(first)
    for given_paths in (files[::-1], [docs / "b", docs / "a"], [files[1]], [docs / "a"]):
        again = kb.add(given_paths, into="viking://kb")
        assert again.count("unchanged") == len(again.files)
    write_docs({"a/README.md": "word a, changed"})
    report = kb.add([docs / "b", docs / "a"], into="viking://kb")
    assert {file.uri: file.change for file in report.files} == {
        "viking://kb/README": "updated",
        "viking://kb/README~2": "unchanged",
    }
    assert texts(kb) == ["word a, changed", "word b"]


def test_two_folders_of_one_name_each_elsewhere(
    kb: knarr.KnowledgeBase, tmp_path: Path, write_docs: WriteDocs
) -> None:
    """A copy of the files in another place is the same documents, told apart by their bytes."""
    docs = write_docs({"a/README.md": "word a", "b/README.md": "word b"})
    kb.add([docs / "a", docs / "b"], into="viking://kb")
    copy = tmp_path / "copy"
    shutil.copytree(docs, copy)
    shutil.rmtree(docs)
    assert kb.add([copy / "b", copy / "a"], into="viking://kb").count("unchanged") == 2


def test_what_replaces_a_document_from_elsewhere_says_so(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({"a/x.md": "word one", "b/x.md": "word two"})
    kb.add(docs / "a", into="viking://kb")
    report = kb.add(docs / "b", into="viking://kb")
    assert report.count("updated") == 1
    assert f"version 1 came from {docs.resolve() / 'a' / 'x.md'}" in str(report)


def test_a_folder_by_itself_is_the_one_that_was_added_within_another(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({"My Notes/x.md": "word", "top.md": "word"})
    kb.add(docs, into="viking://kb")
    assert kb.add(docs / "My Notes", into="viking://kb/My_Notes").count("unchanged") == 1


def test_a_base_of_an_older_knarr_knows_its_documents(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    docs = write_docs({"My Notes/x.md": "word", f"{DECOMPOSED}.md": "word"})
    with knarr.open(tmp_path / "o.kb", embedder=embedder) as kb:
        kb.add(docs, into="viking://kb")
    with sqlite3.connect(tmp_path / "o.kb" / "catalog.sqlite") as database:
        database.execute("DROP TABLE sources")
        database.execute("DROP TABLE source_folders")
    database.close()
    with knarr.open(tmp_path / "o.kb", embedder=embedder) as kb:
        assert kb.add(docs, into="viking://kb").count("unchanged") == 2
        (docs / "My Notes" / "x.md").unlink()
        assert [gone.uri for gone in kb.add(docs, into="viking://kb").gone] == ["viking://kb/My_Notes/x"]


def test_a_moved_folder_is_no_longer_that_of_the_disk(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"My Notes/deep down/x.md": "word", "My_Notes/x.md": "word"})
    kb.add(docs, into="viking://kb")
    kb.move("viking://kb/My_Notes", "viking://kb/old")
    again = kb.add(docs, into="viking://kb")
    assert {file.path: (file.change, file.uri) for file in again.files} == {
        "My Notes/deep down/x.md": ("added", "viking://kb/My_Notes/deep_down/x"),
        "My_Notes/x.md": ("unchanged", "viking://kb/My_Notes~2/x"),
    }
    kb.remove("viking://kb/My_Notes~2")
    kb.remove("viking://kb/My_Notes")
    assert [file.uri for file in kb.add(docs / "My_Notes", into="viking://kb/n").files] == ["viking://kb/n/x"]


# Few letters, so that names meet: spaces and underscores, one letter in two forms, dots and tildes.
NAME = st.text("ab _~.\u00e9e\u0301\t", min_size=1, max_size=5).filter(
    lambda name: not name.startswith(".") and not name.endswith("/")
)
PATH = st.lists(NAME, min_size=1, max_size=3).map(tuple)


@settings(max_examples=40)
@given(paths=st.sets(PATH, min_size=1, max_size=9), seed=st.integers(0, 99))
@example(paths={("a b", "x"), ("a_b", "x"), ("a_b",), ("a b",), ("a  b",)}, seed=1)
def test_as_many_documents_as_files_whatever_they_are_called(paths: set[tuple[str, ...]], seed: int) -> None:
    folders = {path[:size] for path in paths for size in range(1, len(path))}
    files = sorted((*path[:-1], f"{path[-1]}.md") for path in paths)
    assume(not folders & set(files))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number, file in enumerate(files):
            path = root.joinpath("docs", *file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"word {number}")
        with knarr.open(root / "kb", embedder=HashEmbedder(16)) as kb:
            first = {file.path: file.uri for file in kb.add(root / "docs").files}
            assert sorted(first) == sorted("/".join(file) for file in files)
            assert len(set(first.values())) == len(files) == kb.info()["documents"]
            again = kb.add(root / "docs")
            assert again.count("unchanged") == len(files) and not again.gone
            assert {file.path: file.uri for file in again.files} == first
            # One file at a time, in another order, each into the folder that it has.
            random.Random(seed).shuffle(files)
            for file in files:
                name = "/".join(file)
                into = first[name].rpartition("/")[0].removeprefix("viking:/").strip("/")
                (one,) = kb.add(root.joinpath("docs", *file), into=f"viking://{into}").files
                assert (one.change, one.uri) == ("unchanged", first[name])
            assert texts(kb) == sorted(f"word {number}" for number in range(len(files)))
