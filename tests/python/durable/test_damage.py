"""Damage to the catalog is named and contained; nothing wrong is shown, nothing is written on unnoticed (PER-01)."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import knarr
from killing import damage
from knarr.catalog import changes
from knarr.index import index
from knarr.testing import HashEmbedder
from support import WriteDocs

A, B = "viking://kb/a", "viking://kb/b"


@pytest.fixture
def closed(tmp_path: Path, write_docs: WriteDocs) -> Path:
    docs = write_docs({f"{n}.md": f"# {n}\n\nword of {n}\n\n## More\n\nelse of {n}\n" for n in "ab"})
    with knarr.open(tmp_path / "d.kb", embedder=HashEmbedder(64)) as kb:
        kb.add(docs, into="viking://kb")
    return tmp_path / "d.kb"


def spoil(path: Path, statement: str, *values: Any, rebuild: bool = True) -> None:
    """Change the catalog behind our back, as damage that SQLite cannot see would."""
    with contextlib.closing(sqlite3.connect(path / "catalog.sqlite")) as raw, raw:
        assert raw.execute(statement, values).rowcount > 0
    for engine in path.glob("engine-*") if rebuild else ():
        engine.unlink()


_OF_A = "(SELECT id FROM documents WHERE uri LIKE '%/a')"
DAMAGE = {
    "text": f"UPDATE texts SET text = replace(text, 'word', 'sword') WHERE document_id = {_OF_A}",
    "no text": f"UPDATE texts SET text = CAST(x'c328ff' AS TEXT) WHERE document_id = {_OF_A}",
    "section": f"UPDATE sections SET title = 'Less' WHERE title = 'More' AND document_id = {_OF_A}",
    "object": f"UPDATE objects SET end_byte = end_byte - 1 WHERE ordinal = 2 AND document_id = {_OF_A}",
    "row gone": f"DELETE FROM objects WHERE ordinal = 1 AND document_id = {_OF_A}",
    "wrong vector": f"UPDATE objects SET vector_hash = (SELECT vector_hash FROM objects WHERE document_id <> {_OF_A}) "
    f"WHERE ordinal = 1 AND document_id = {_OF_A}",
    "no JSON": "UPDATE documents SET notes = '[', metadata = '{' WHERE uri LIKE '%/a'",
    "vector": "UPDATE vectors SET vector = zeroblob(256) WHERE hash IN "
    f"(SELECT vector_hash FROM objects WHERE document_id = {_OF_A} AND kind = 'chunk')",
    "short vector": "UPDATE vectors SET vector = x'00' WHERE hash IN "
    f"(SELECT vector_hash FROM objects WHERE document_id = {_OF_A} AND kind = 'chunk')",
}


@pytest.mark.parametrize("rebuild", [True, False])
@pytest.mark.parametrize("what", DAMAGE)
def test_one_damaged_document_is_set_aside_by_name(
    closed: Path, write_docs: WriteDocs, embedder: HashEmbedder, what: str, rebuild: bool
) -> None:
    spoil(closed, DAMAGE[what], rebuild=rebuild)
    for _ in range(2):
        with knarr.open(closed, embedder=embedder) as kb:
            assert [one["uri"] for one in kb.info()["damaged"]] == [A]
            assert kb.info()["damaged"][0]["reason"]
            assert {hit.source.document for hit in kb.search("word", k=20)} == {B}
            assert {match.document for match in kb.grep("of")} == {B}
            with pytest.raises(knarr.NotFound):
                kb.read(A)
    with knarr.open(closed, embedder=embedder) as kb:
        report = kb.add(write_docs({}), into="viking://kb")
        assert [(file.uri, file.change) for file in report.files] == [(A, "updated"), (B, "unchanged")]
        assert "damaged" not in kb.info()
        assert {hit.source.document for hit in kb.search("word", k=20)} == {A, B}
    for engine in closed.glob("engine-*"):
        engine.unlink()
    with knarr.open(closed, embedder=embedder) as kb:
        assert "damaged" not in kb.info() and kb.read(A).text == "# a\n\nword of a\n\n## More\n\nelse of a\n"


def test_a_damaged_document_can_be_moved_and_removed(closed: Path, embedder: HashEmbedder) -> None:
    spoil(closed, DAMAGE["text"])
    with knarr.open(closed, embedder=embedder) as kb:
        kb.move(A, "viking://kb/c")
        assert [one["uri"] for one in kb.info()["damaged"]] == ["viking://kb/c"]
        assert kb.remove("viking://kb/c") == 1
        assert "damaged" not in kb.info() and kb.info()["documents"] == 1


def test_a_damaged_abstract_of_a_folder_is_made_anew(
    closed: Path, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    spoil(closed, "UPDATE folders SET text = 'nonsense' WHERE uri = 'viking://kb'")
    with knarr.open(closed, embedder=embedder) as kb:
        assert kb.list("viking://kb").abstract == ""
        kb.add(write_docs({"c.md": "# c\n\nword of c\n"}) / "c.md", into="viking://kb")
        assert "word of c" in kb.list("viking://kb").abstract


def test_a_log_that_is_damaged_or_pruned_is_not_followed_but_replaced(
    closed: Path, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    for statement in (
        "UPDATE changes SET uri = 'viking://kb/b' WHERE kind = 'remove'",
        "DELETE FROM changes WHERE kind = 'remove'",
    ):
        reader = knarr.open(closed, embedder=embedder)
        with knarr.open(closed, embedder=embedder) as kb:
            kb.remove(A)
            kb.move(B, "viking://kb/c")
        spoil(closed, statement, rebuild=False)
        assert reader.refresh()
        assert {match.document for match in reader.grep("of")} == {"viking://kb/c"}
        reader.close()
        with knarr.open(closed, embedder=embedder) as kb:
            kb.move("viking://kb/c", B)
            kb.add(write_docs({}) / "a.md", into="viking://kb")
            spoil(closed, "DELETE FROM changes WHERE kind = 'remove' OR 1", rebuild=False)


def test_the_log_is_pruned_below_the_oldest_snapshot_and_numbers_are_not_used_again(
    closed: Path, write_docs: WriteDocs, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_LOG_KEPT", 5)
    reader = knarr.open(closed, embedder=embedder)
    with knarr.open(closed, embedder=embedder) as kb:
        for number in range(8):
            kb.move(A if number % 2 == 0 else "viking://kb/z", "viking://kb/z" if number % 2 == 0 else A)
        last = kb.info()["seq"]
    with knarr.open(closed, embedder=embedder) as kb:
        with kb._catalog.reading() as connection:
            assert changes.last(connection) == last and last - 6 <= changes.first(connection) <= last - 5
        kb.move(A, "viking://kb/y")
        assert kb.info()["seq"] > last
    assert reader.refresh()
    assert {match.document for match in reader.grep("of")} == {"viking://kb/y", B}
    reader.close()


def test_damaged_catalogs_are_refused_or_contained(tmp_path: Path) -> None:
    found = damage.main(tmp_path, 20, seed=3)
    assert not found["fault"] and sum(found.values()) == 20
    assert found["refused"] and found["aside"]


@pytest.mark.slow
def test_many_damaged_catalogs_are_refused_or_contained(tmp_path: Path) -> None:
    assert not damage.main(tmp_path, 200, seed=4)["fault"]
