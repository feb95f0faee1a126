"""Catalogs of every earlier state open and stay true, and a catalog can be given back to an older knarr.

`tests/data/catalogs` holds one base of two documents and a trace, made by the code of each commit named and dumped as SQL.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

import knarr
from knarr.catalog import migrations
from knarr.catalog.schema import APPLICATION_ID, SCHEMA_VERSION, metadata
from knarr.testing import HashEmbedder
from support import WriteDocs

FIXTURES = sorted((Path(__file__).parents[2] / "data" / "catalogs").glob("*.sql"))
DESK, LOANS = "viking://kb/desk/front", "viking://kb/loans"


def restored(folder: Path, dump: Path) -> Path:
    """The base of a fixture, as a knarr of then had left it."""
    path = folder / "old.kb"
    path.mkdir()
    with contextlib.closing(sqlite3.connect(path / "catalog.sqlite")) as raw:
        raw.execute("PRAGMA journal_mode=WAL")
        raw.executescript(dump.read_text(encoding="utf-8"))
    return path


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(8), create=False)


def facts(path: Path) -> tuple[int, int, str, set[str]]:
    """application_id, user_version, schema, and columns of all tables."""
    with contextlib.closing(sqlite3.connect(path / "catalog.sqlite")) as raw:
        tables = [row[0] for row in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = {f"{name}.{row[1]}" for name in tables for row in raw.execute(f"PRAGMA table_info({name})")}
        return (
            raw.execute("PRAGMA application_id").fetchone()[0],
            raw.execute("PRAGMA user_version").fetchone()[0],
            raw.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0],
            columns,
        )


def check(kb: knarr.KnowledgeBase) -> None:
    assert (
        kb.read(LOANS).text
        == "# Loans\n\nA loan lasts fourteen days.\n\n## Fees\n\nA late fee of two crowns is charged.\n"
    )
    assert {hit.source.document for hit in kb.search("late fee", k=10)} == {LOANS, DESK}
    assert kb.list("viking://kb").abstract and not kb.info().get("damaged")
    assert [match.document for match in kb.grep("front desk")] == [DESK]


def test_there_is_a_fixture_of_every_state() -> None:
    assert len(FIXTURES) >= 5 and sum(path.stat().st_size for path in FIXTURES) < 200_000


@pytest.mark.parametrize("dump", FIXTURES, ids=lambda path: path.stem)
def test_an_older_catalog_is_brought_up(tmp_path: Path, write_docs: WriteDocs, dump: Path) -> None:
    path = restored(tmp_path, dump)
    for _ in range(2):
        with opened(path) as kb:
            check(kb)
    mark, version, schema, columns = facts(path)
    assert (mark, version, schema) == (APPLICATION_ID, SCHEMA_VERSION, str(SCHEMA_VERSION))
    assert {
        f"{table.name}.{column.name}" for table in metadata.tables.values() for column in table.c
    } <= columns
    docs = write_docs({"counter.md": "# Desk\n\nThe front desk opens at nine.\n"})
    with opened(path) as kb:
        kb.add(docs, into="viking://kb")
        kb.move(DESK, "viking://kb/front")
        kb.remove(LOANS)
    for engine in path.glob("engine-*"):
        engine.unlink()
    with opened(path) as kb:
        assert {match.document for match in kb.grep("front desk")} == {
            "viking://kb/counter",
            "viking://kb/front",
        }


@pytest.mark.parametrize("dump", FIXTURES, ids=lambda path: path.stem)
def test_a_catalog_is_given_back_to_an_older_knarr(tmp_path: Path, dump: Path) -> None:
    """What that one wrote is read again by this one, without the seals that it did not renew."""
    path = restored(tmp_path, dump)
    old = facts(path)
    with opened(path) as kb, kb._catalog.writing() as connection:
        migrations.lower(connection, path)
    mark, version, schema, columns = facts(path)
    assert (mark, version, schema) == old[:3] == (0, 0, "1") and columns >= old[3]
    with contextlib.closing(sqlite3.connect(path / "catalog.sqlite")) as raw, raw:
        raw.execute("UPDATE documents SET title = 'Another', version = version + 1")
    with opened(path) as kb:
        check(kb)
        assert kb.document(LOANS).title == "Another"


def test_what_an_older_knarr_would_not_keep_is_not_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = restored(tmp_path, FIXTURES[-1])
    with opened(path) as kb:
        table = sa.Table("grants", sa.MetaData(), sa.Column("uri", sa.Text))
        monkeypatch.setattr(migrations, "metadata", sa.MetaData())
        for one in (*metadata.tables.values(), table):
            one.to_metadata(migrations.metadata)
        with kb._catalog.writing() as connection:
            table.create(connection)
            connection.execute(table.insert().values(uri="viking://kb"))
        with (
            pytest.raises(knarr.CatalogError, match=r"grants\. Nothing was changed"),
            kb._catalog.writing() as connection,
        ):
            migrations.lower(connection, path)
    assert facts(path)[0] == APPLICATION_ID


def test_an_older_catalog_that_cannot_be_written_is_refused_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = restored(tmp_path, FIXTURES[0])
    before = (path / "catalog.sqlite").read_bytes()
    monkeypatch.setattr("knarr.catalog._is_read_only", lambda _: True)
    with pytest.raises(knarr.CatalogError, match="made by an older knarr"):
        opened(path)
    assert (path / "catalog.sqlite").read_bytes() == before
