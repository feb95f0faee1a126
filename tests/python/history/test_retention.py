"""What is kept, for how long, what that costs, and that nothing is left of what goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

import knarr
from knarr.catalog import schema, versions
from knarr.testing import HashEmbedder
from support import WriteDocs


def counts(kb: knarr.KnowledgeBase) -> dict[str, int]:
    tables = (schema.versions, schema.version_vectors, schema.placements, schema.vectors)
    with kb._catalog.reading() as connection:
        return {
            table.name: int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() or 0)
            for table in tables
        }


def put(kb: knarr.KnowledgeBase, write_docs: WriteDocs, name: str, text: str) -> None:
    kb.add(write_docs({f"{name}.md": f"# {name}\n\n{text}\n"}) / f"{name}.md", into="viking://f")


def opened(tmp_path: Path, **settings: float) -> knarr.KnowledgeBase:
    return knarr.open(tmp_path / "r.kb", embedder=HashEmbedder(), settings=knarr.Settings(**settings))  # type: ignore[arg-type]


def test_so_many_versions_are_kept_and_the_others_refused_by_name(
    tmp_path: Path, write_docs: WriteDocs
) -> None:
    with opened(tmp_path, history_versions=2) as kb:
        times = []
        for number in range(5):
            put(kb, write_docs, "a", f"words {number}")
            times.append(datetime.now(UTC))
        assert [(one.version, one.retained) for one in kb.history.versions("viking://f/a")] == [
            (3, True),
            (4, True),
            (5, True),
        ]
        for version in (3, 4, 5):
            assert f"words {version - 1}" in kb.read("viking://f/a", as_of=version).text
            assert f"words {version - 1}" in kb.read("viking://f/a", as_of=times[version - 1]).text
        with pytest.raises(knarr.NotRetained, match="version 2: is no longer kept; kept are versions 3 "):
            kb.read("viking://f/a", as_of=2)
        for scope in ("viking://f/a", "viking://f", "viking://"):
            with pytest.raises(
                knarr.NotRetained, match="of viking://f/a that stood then is no longer kept; of it, kept are"
            ):
                kb.search("words", scope, as_of=times[1])
        assert counts(kb)["versions"] == 2


def test_without_retention_nothing_is_kept(tmp_path: Path, write_docs: WriteDocs) -> None:
    with opened(tmp_path, history_versions=0) as kb:
        put(kb, write_docs, "a", "words 0")
        plain = counts(kb)["vectors"]
        put(kb, write_docs, "a", "words 1")
        assert counts(kb)["versions"] == 0 and counts(kb)["vectors"] == plain
        assert "words 1" in kb.read("viking://f/a", as_of=2).text
        with pytest.raises(knarr.NotRetained):
            kb.read("viking://f/a", as_of=1)
        kb.remove("viking://f")
        assert counts(kb)["vectors"] == 0


def test_days_pass(tmp_path: Path, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ended more than so many days ago goes in the next write; what still stands is read however old it is."""
    later = timedelta()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + later

    monkeypatch.setattr(versions, "datetime", Clock)
    with opened(tmp_path, history_days=30) as kb:
        put(kb, write_docs, "a", "words 0")
        put(kb, write_docs, "b", "stays")
        first = datetime.now(UTC)
        put(kb, write_docs, "a", "words 1")
        later = timedelta(days=29)
        put(kb, write_docs, "a", "words 2")
        assert "words 0" in kb.read("viking://f/a", as_of=1).text
        later = timedelta(days=31)
        put(kb, write_docs, "c", "new")
        assert [one.version for one in kb.history.versions("viking://f/a")] == [2, 3]
        with pytest.raises(knarr.NotRetained, match=r"history is kept from 20.* \(seq:\d+\) on"):
            kb.search("words", "viking://f", as_of=first)
        assert "stays" in kb.read("viking://f/b", as_of=first).text


def test_a_removed_document_is_history_until_it_is_pruned(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    put(kb, write_docs, "a", "secret words")
    put(kb, write_docs, "a", "public words")
    kb.remove("viking://f/a")
    assert kb.grep("words").total == 0 and kb.history.versions("viking://f/a").removed
    assert "secret" in kb.read("viking://f/a", as_of=1).text
    with kb._catalog.writing() as connection:
        ids = versions.ids_below(connection, "viking://f")
        assert versions.prune(connection, documents=ids) == versions.Pruned(2, 2)
    assert counts(kb) == {"versions": 0, "version_vectors": 0, "placements": 0, "vectors": 0}
    with pytest.raises(knarr.NotFound, match="no document stands or stood there"):
        kb.read("viking://f/a", as_of=1)


def test_remove_takes_history_along_where_that_is_asked(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    put(kb, write_docs, "a", "secret words")
    put(kb, write_docs, "b", "other words")
    kb.remove("viking://f/b")
    assert kb.remove("viking://f", history=False) == 1
    assert counts(kb) == {"versions": 0, "version_vectors": 0, "placements": 0, "vectors": 0}
    put(kb, write_docs, "c", "third words")
    kb.remove("viking://f/c")
    assert kb.remove("viking://f/c", history=False) == 1
    assert counts(kb)["versions"] == 0
    with pytest.raises(knarr.NotFound):
        kb.remove("viking://f/c", history=False)


def test_pruning_by_time_and_document(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    for number in range(3):
        put(kb, write_docs, "a", f"words {number}")
        put(kb, write_docs, "b", f"letters {number}")
    middle = datetime.now(UTC)
    put(kb, write_docs, "a", "words 3")
    with kb._catalog.writing() as connection:
        number = versions.ids_below(connection, "viking://f/a")
        assert versions.prune(connection, before=middle, documents=number).versions == 2
    assert [one.version for one in kb.history.versions("viking://f/a")] == [3, 4]
    assert [one.version for one in kb.history.versions("viking://f/b")] == [1, 2, 3]
    assert "words 2" in kb.read("viking://f/a", as_of=middle).text
    with pytest.raises(knarr.NotRetained):
        kb.read("viking://f/a", as_of=1)
    with kb._catalog.writing() as connection:
        assert versions.prune(connection).versions == 3
    assert counts(kb)["versions"] == 0
    live = {hit.uri for hit in kb.search("words letters", kinds=None, k=100)}
    assert "viking://f/a/a/a_1.md" in live and "viking://f/b/b/b_1.md" in live


def test_costs(kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder) -> None:
    """A move costs rows of places and no content; reading the past and putting back embed nothing; vectors are held as
    long as a version uses them, and no longer."""
    for number in range(3):
        put(kb, write_docs, "a", f"words {number}")
    before = counts(kb)
    kb.move("viking://f", "viking://g")
    after = counts(kb)
    assert after["versions"] == before["versions"] == 2
    assert after["placements"] == before["placements"] + 1
    kb.search("words", "viking://g/a", as_of=3)  # the query itself is embedded once
    texts = embedder.texts
    kb.search("words", "viking://g/a", as_of=1)
    assert kb.history.rollback("viking://g/a", 1).version == 4
    assert "words 0" in kb.read("viking://g/a").text
    assert embedder.texts == texts
    with kb._catalog.writing() as connection:
        versions.prune(connection)
        used = {
            bytes(key)
            for table in (schema.objects, schema.labels, schema.folders)
            for key in connection.execute(sa.select(table.c.vector_hash)).scalars()
        }
        held = {bytes(key) for key in connection.execute(sa.select(schema.vectors.c.hash)).scalars()}
    assert held == used


def test_a_base_of_an_older_knarr_begins_with_what_it_has(tmp_path: Path, write_docs: WriteDocs) -> None:
    with opened(tmp_path) as kb:
        put(kb, write_docs, "a", "words 0")
        put(kb, write_docs, "a", "words 1")
        put(kb, write_docs, "b", "letters")
        with kb._catalog.writing() as connection:
            for table in (schema.version_vectors, schema.versions, schema.placements):
                connection.execute(table.delete())
            connection.execute(schema.meta.delete().where(schema.meta.c.key == "history_floor"))
    with opened(tmp_path) as kb:
        assert [one.version for one in kb.history.versions("viking://f/a")] == [2]
        assert "words 1" in kb.read("viking://f/a", as_of=2).text
        now = datetime.now(UTC)
        assert "letters" in kb.read("viking://f/b", as_of=now).text
        put(kb, write_docs, "a", "words 2")
        then = datetime.now(UTC)
        assert [one.version for one in kb.history.versions("viking://f/a")] == [2, 3]
        assert "words 1" in kb.read("viking://f/a", as_of=2).text
        assert kb.grep("words|letters", as_of=then).total == 2
        with pytest.raises(knarr.NotRetained, match="history is kept from"):
            kb.search("words", as_of=now - timedelta(hours=1))


def test_a_damaged_version_is_refused_by_name(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    put(kb, write_docs, "a", "words 0")
    put(kb, write_docs, "a", "words 1")
    with kb._catalog.writing() as connection:
        content = connection.execute(sa.select(schema.versions.c.content)).scalar_one()
        spoilt = content[:40] + bytes([content[40] ^ 1]) + content[41:]
        connection.execute(schema.versions.update().values(content=spoilt))
    with pytest.raises(knarr.CatalogError, match=r"version 1 .* is damaged .*checksum"):
        kb.read("viking://f/a", as_of=1)
    assert "words 1" in kb.read("viking://f/a").text


_KILLED = """
import sys
from pathlib import Path
import knarr
from knarr.catalog import {module}
from knarr.testing import HashEmbedder
import os, signal
def killed(*a, **b):
    os.kill(os.getpid(), signal.SIGKILL)
{module}.{name} = killed
kb = knarr.open(sys.argv[1], embedder=HashEmbedder())
Path(sys.argv[2]).write_text("# a\\n\\nwords 1\\n")
{act}
"""
_ACTS = (
    'kb.add(sys.argv[2], into="viking://f")',
    'kb.move("viking://f/a", "viking://g/a")',
    'kb.remove("viking://f/a")',
)
_STEPS = (
    ("versions", "keep"),
    ("versions", "stands"),
    ("versions", "gone"),
    ("changes", "append"),
    ("folders", "stale"),
)


@pytest.mark.parametrize("act", _ACTS)
@pytest.mark.parametrize("step", _STEPS, ids=lambda step: ".".join(step))
def test_a_kill_between_steps_leaves_history_whole(tmp_path: Path, act: str, step: tuple[str, str]) -> None:
    """Before the commit nothing happened; after it all did: every document has one open place, and every closed one a
    version that can be read."""
    path, file = tmp_path / "k.kb", tmp_path / "a.md"
    file.write_text("# a\n\nwords 0\n")
    with knarr.open(path, embedder=HashEmbedder()) as kb:
        kb.add(file, into="viking://f")
    code = _KILLED.format(module=step[0], name=step[1], act=act)
    result = subprocess.run([sys.executable, "-c", code, str(path), str(file)], env=os.environ, check=False)
    assert result.returncode in (-signal.SIGKILL, 0)
    with knarr.open(path, embedder=HashEmbedder()) as kb:
        with kb._catalog.reading() as connection:
            documents = connection.execute(sa.select(schema.documents)).all()
            places = connection.execute(sa.select(schema.placements).order_by(schema.placements.c.id)).all()
        opened_ = [(one.document_id, one.version, one.uri) for one in places if one.end_seq is None]
        assert opened_ == [(one.id, one.version, one.uri) for one in documents]
        for one in places:
            assert "words" in kb.read(one.uri, as_of=knarr.Seq(one.begin_seq)).text
            assert "words" in kb.read(one.uri, as_of=one.version).text
