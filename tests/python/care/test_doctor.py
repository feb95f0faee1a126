"""Doctor finds what was damaged by hand, says it, mends what is derived and leaves the rest."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from care_base import Fill, tree
from knarr.testing import HashEmbedder


@pytest.fixture
def filled(tmp_path: Path, fill: Fill) -> Path:
    fill(tmp_path / "x.kb")
    return tmp_path / "x.kb"


def change(folder: Path, *statements: str) -> None:
    with sqlite3.connect(folder / "catalog.sqlite", isolation_level=None) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def answers(folder: Path) -> list[tuple[str, float]]:
    with knarr.open(folder, embedder=HashEmbedder(64)) as base:
        found = base.search("the fee of the contract", kinds=None, k=50)
        return [(hit.uri, round(hit.score, 5)) for hit in found.hits]


LAST = "(SELECT max(rowid) FROM objects WHERE kind = 'chunk')"
DERIVED = {
    "a chunk's range": ("documents", f"UPDATE objects SET end_byte = end_byte - 3 WHERE rowid = {LAST}"),
    "a chunk that is gone": ("documents", f"DELETE FROM objects WHERE rowid = {LAST}"),
    "a section that is gone": ("documents", "DELETE FROM sections WHERE rowid = (SELECT max(rowid) FROM sections)"),
    "an abstract without text": ("documents", "UPDATE objects SET text = NULL WHERE rowid = (SELECT min(rowid) FROM objects WHERE kind = 'abstract')"),
    "vectors that are gone": ("vectors", "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors LIMIT 4)"),
    "a vector of zeros": ("vectors", "UPDATE vectors SET vector = zeroblob(256) WHERE rowid = (SELECT min(rowid) FROM vectors)"),
    "a short vector": ("vectors", "UPDATE vectors SET vector = zeroblob(12) WHERE rowid = (SELECT max(rowid) FROM vectors)"),
    "a vector of nothing": ("vectors", "INSERT INTO vectors SELECT x'0102', model, vector, NULL FROM vectors LIMIT 1"),
    "a stale folder": ("folders", "INSERT INTO stale_folders (uri) VALUES ('viking://h')"),
    "a folder that quotes what is gone": ("folders", "UPDATE folders SET text = text || ' Xolotl was here.'"),
    "a folder without an abstract": ("folders", "DELETE FROM folders WHERE uri = 'viking://h'"),
    "a folder without documents": ("folders", "INSERT INTO folders SELECT 'viking://gone', text, tokens, preview, vector_hash, NULL FROM folders LIMIT 1"),
    "edges of another text": ("experience", "UPDATE edges SET target_hash = x'00'"),
    "a question of another embedder": ("experience", "UPDATE episodes SET model = 'other'"),
    "another vector of length one": ("vectors", "UPDATE vectors SET vector = (SELECT max(vector) FROM vectors) WHERE rowid = (SELECT rowid FROM vectors ORDER BY vector LIMIT 1)"),
    "an index of the database": ("catalog", None),
}  # fmt: skip


@pytest.mark.parametrize("damage", DERIVED)
def test_what_is_derived_is_found_and_mended(filled: Path, damage: str) -> None:
    part, statement = DERIVED[damage]
    before = answers(filled)
    assert knarr.doctor(filled).findings == ()
    if statement is not None:
        change(filled, statement)
    else:
        _drop_from_index(filled)
    bytes_before = tree(filled)
    found = knarr.doctor(filled)
    assert not found.ok and part in {one.part for one in found.findings}
    assert all(one.help and one.what for one in found.findings)
    assert tree(filled) == bytes_before, "looking changed something"
    mended = knarr.doctor(filled, repair=True, embedder=HashEmbedder(64))
    assert mended.ok, mended.findings
    assert any(one.part == part and one.repaired for one in mended.findings)
    again = knarr.doctor(filled)
    assert again.findings == ()
    assert answers(filled) == before


def _drop_from_index(folder: Path) -> None:
    """Have two indexes of one shape stand for each other: every row is missing from its own."""
    with sqlite3.connect(folder / "catalog.sqlite", isolation_level=None) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        names = ("edges_by_source", "edges_by_target")
        find = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        roots = [connection.execute(find, (name,)).fetchone()[0] for name in names]
        for name, root in zip(names, reversed(roots), strict=True):
            connection.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (root, name))


TRUTH = {
    "a text that is gone": ("documents", "DELETE FROM texts WHERE document_id = 1"),
    "a letter of a text": ("documents", "UPDATE texts SET text = replace(text, 'crowns', 'clowns')"),
    "a value that is no JSON": ("catalog", "UPDATE documents SET notes = '[' WHERE id = 2"),
    "a newer schema": ("catalog", "UPDATE meta SET value = '999' WHERE key = 'schema'"),
}


@pytest.mark.parametrize("damage", TRUTH)
def test_what_is_not_derived_is_told_and_left(filled: Path, damage: str) -> None:
    part, statement = TRUTH[damage]
    change(filled, statement)
    for repair in (False, True):
        found = knarr.doctor(filled, repair=repair, embedder=HashEmbedder(64))
        assert not found.ok
        (first, *_) = [one for one in found.findings if one.part == part and one.severity == "error"]
        assert not first.mendable and not first.repaired and first.help
    with sqlite3.connect(filled / "catalog.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone()[0] == 3
        assert connection.execute("SELECT count(*) FROM traces").fetchone()[0] == 2


@pytest.mark.parametrize("data", [b"", b"not a database at all, but a text of some length", None])
def test_a_base_that_cannot_be_opened_is_told_of(filled: Path, data: bytes | None) -> None:
    place = filled / "catalog.sqlite"
    if data is None:
        place.unlink()
    else:
        place.write_bytes(data)
    for repair in (False, True):
        found = knarr.doctor(filled, repair=repair)
        assert not found.ok and found.findings[0].severity == "error"
        assert (place.read_bytes() if place.exists() else None) == data


def test_many_damaged_databases_never_raise(filled: Path) -> None:
    place = filled / "catalog.sqlite"
    data = place.read_bytes()
    wrong = 0
    for at in range(100, len(data), len(data) // 23):
        place.write_bytes(data[:at] + b"\xa5" * 3000 + data[at + 3000 :])
        wrong += not knarr.doctor(filled).ok
    place.write_bytes(data[: len(data) // 2])
    assert not knarr.doctor(filled).ok
    assert wrong > 5


def test_snapshots(filled: Path) -> None:
    (path,) = filled.glob("*.snapshot")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\x00" * 9 + data[len(data) // 2 + 9 :])
    path.with_suffix(".damaged").write_bytes(b"x")
    other = filled / path.name.replace(path.name.split("-")[3], "00000000000000ff.snapshot")
    other.write_bytes(data)
    before = tree(filled)
    found = knarr.doctor(filled)
    assert [one.part for one in found.findings] == ["index", "index", "files"] and tree(filled) == before
    assert knarr.doctor(filled, repair=True, embedder=HashEmbedder(64)).ok
    assert knarr.doctor(filled).findings == () and not list(filled.glob("*.damaged"))


def test_an_index_that_says_something_else_is_found(filled: Path) -> None:
    """The snapshot is whole, and of this log; but the catalog was changed behind its back."""
    change(
        filled,
        "UPDATE objects SET text = 'Another abstract.' WHERE rowid = (SELECT max(rowid) FROM objects WHERE kind = 'abstract')",
    )
    found = knarr.doctor(filled)
    assert any(one.part == "index" or one.part == "documents" for one in found.findings) and not found.ok


def test_tenants_are_looked_at(filled: Path) -> None:
    shutil.copytree(filled, filled / "tenants" / "acme")
    assert knarr.doctor(filled).ok
    change(filled / "tenants" / "acme", "DELETE FROM vectors")
    found = knarr.doctor(filled)
    assert not found.ok and all(one.where.startswith("tenants/acme") for one in found.findings)
    assert knarr.doctor(filled, repair=True, embedder=HashEmbedder(64)).ok


def test_a_catalog_of_an_older_knarr_is_told_and_brought_up(filled: Path) -> None:
    change(filled, "UPDATE meta SET value = '1' WHERE key = 'schema'", "DROP TABLE rules")
    found = knarr.doctor(filled)
    assert {one.severity for one in found.findings} == {"warning"} and "older knarr" in found.findings[0].what
    assert knarr.doctor(filled, repair=True, embedder=HashEmbedder(64)).ok
    assert knarr.doctor(filled).findings == ()


def test_what_was_set_aside_is_shown_again_once_it_is_mended(filled: Path) -> None:
    before = answers(filled)
    change(filled, "UPDATE vectors SET vector = zeroblob(256)")
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        for path in filled.glob("*.snapshot"):
            path.unlink()
        assert base.info()["documents"] == 3
    for path in filled.glob("*.snapshot"):
        path.unlink()
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        assert len(base.info()["damaged"]) == 3 and base.search("ships").hits == ()
        assert knarr.doctor(filled, repair=True, embedder=HashEmbedder(64)).ok
        base.refresh()
        assert "damaged" not in base.info()
        assert len(base.search("the fee of the contract", kinds=None, k=50).hits) == len(before)
    assert answers(filled) == before


def test_without_the_embedder_the_rest_is_mended_and_it_is_said(filled: Path) -> None:
    change(filled, "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors LIMIT 2)",
           "UPDATE edges SET target_hash = x'00'")  # fmt: skip
    found = knarr.doctor(filled, repair=True, embedder=HashEmbedder(32))
    assert not found.ok
    assert any("needs the embedder hash:64" in one.what for one in found.findings)
    assert any(one.part == "experience" and one.repaired for one in found.findings)


def test_another_process_that_writes_is_an_error(filled: Path) -> None:
    change(filled, "INSERT INTO stale_folders (uri) VALUES ('viking://h')")
    hold = (
        "import sys; from pathlib import Path; from knarr.catalog import Catalog\n"
        "with Catalog.open(Path(sys.argv[1]), create=False).exclusive():\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(filled)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(knarr.CatalogError, match="another process"):
            knarr.doctor(filled, repair=True, embedder=HashEmbedder(64))
        assert not knarr.doctor(filled).ok
        other.communicate()
    assert knarr.doctor(filled, repair=True, embedder=HashEmbedder(64)).ok
