"""What is forgotten is gone, from what calls show and from the bytes of the files."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import knarr
from care_base import SECRET, Fill, files_with
from knarr.catalog import trace_documents
from knarr.config import Settings
from knarr.testing import HashEmbedder
from make_traces import full_trace
from support import WriteDocs


@pytest.fixture
def filled(tmp_path: Path, fill: Fill) -> Path:
    fill(tmp_path / "x.kb")
    return tmp_path / "x.kb"


def opened(path: Path, **settings: object) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(64), settings=Settings(**settings))


def rows(folder: Path, table: str) -> int:
    with sqlite3.connect(folder / "catalog.sqlite") as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_trace_goes_with_the_document_it_was_shown(filled: Path) -> None:
    with opened(filled) as base:
        assert len(base.traces.list()) == 2 and base.experience.stats()["questions"] == 2
        base.remove("viking://h/secret")
        assert SECRET not in " ".join(trace.dumps() for trace in base.traces.walk())
        found = base.experience.edges(limit=1000).edges
        assert all("secret" not in edge.source + edge.target + edge.question for edge in found)


def test_what_is_removed_is_gone_from_the_files_after_forget(filled: Path) -> None:
    (filled / "engine-r1-1-0000000000000001.damaged").write_bytes(SECRET.encode())
    (filled / "engine-r1-1-0000000000000001.snapshot.tmp").write_bytes(SECRET.encode())
    with opened(filled) as base:
        base.remove("viking://h/secret", history=False)
        assert files_with(filled, SECRET), "the test would see nothing"
        report = base.forget()
        assert report.notes == () and files_with(filled, SECRET) == []
        assert rows(filled, "versions") == 0 and files_with(filled, "viking://h/secret") == []
        assert base.search("cargo over the sea").hits[0].uri.startswith("viking://h/ships")
    assert files_with(filled, SECRET) == []


def test_old_text_of_a_changed_document_is_gone_too(filled: Path, write_docs: WriteDocs) -> None:
    with opened(filled) as base:
        base.add(write_docs({"secret.md": "# Nothing\n\nNothing is left here.\n"}), into="viking://h")
        base.forget(document="viking://h/secret", questions=True)
    assert files_with(filled, SECRET) == [] and rows(filled, "versions") == 0


def test_questions_are_forgotten_where_asked(filled: Path) -> None:
    with opened(filled) as base:
        base.forget(traces_older_than="0d")
        assert base.traces.list() == [] and base.experience.stats()["questions"] == 2
        report = base.forget(traces_older_than="0d", questions=True)
        assert report.questions == 2 and base.experience.stats()["questions"] == 0
        assert base.experience.edges().total == 0 and base._index.engine.stats()["edges"] == 0
    assert files_with(filled, "What did a knarr") == []


def test_a_learnt_question_of_a_removed_document_is_gone(filled: Path) -> None:
    with opened(filled) as base:
        before = base.experience.stats()["questions"]
        base.remove("viking://h/secret")
        base.remove("viking://h/ships")
        assert before == 2 and base.experience.stats()["questions"] == 0
        base.forget()
    assert files_with(filled, "crowns") == files_with(filled, "What did a knarr") == []


def test_only_what_is_named_goes(filled: Path, write_docs: WriteDocs) -> None:
    with opened(filled) as base:
        old = (datetime.now(UTC) - timedelta(days=40)).isoformat(timespec="milliseconds")
        base.traces.put(full_trace(id="a" * 16, created_at=old))
        assert base.forget(traces_older_than="30d").traces == 1
        assert len(base.traces.list()) == 2
        base.add(
            write_docs({"late.md": "# Late\n\nNobody has asked since.\n"}) / "late.md", into="viking://late"
        )
        assert base.forget(document="viking://late").traces == 0
        assert base.forget(traces_older_than=timedelta(days=1)).traces == 0


@pytest.mark.parametrize(
    "what",
    [
        {"traces_older_than": "soon"},
        {"traces_older_than": -1},
        {"traces_older_than": True},
        {"questions": True},
        {"vectors_of": "hash:64"},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_meant_is_refused_whole(filled: Path, what: dict[str, object]) -> None:
    with opened(filled) as base:
        with pytest.raises(knarr.InvalidArgument):
            base.forget(**({"document": "viking://h/secret"} | what if "questions" not in what else what))
        assert len(base.traces.list()) == 2
        with pytest.raises(knarr.NotFound):
            base.forget(document="viking://nowhere", traces_older_than=0)
        with pytest.raises(knarr.NotFound):
            base.forget(vectors_of="another", traces_older_than=0)
        assert len(base.traces.list()) == 2


def test_a_reader_in_the_way_is_told_of(filled: Path) -> None:
    with opened(filled) as base:
        base.remove("viking://h/secret")
        reader = sqlite3.connect(filled / "catalog.sqlite", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        base.traces.put(
            full_trace(id="b" * 16, created_at=datetime.now(UTC).isoformat(timespec="milliseconds"))
        )
        report = base.forget()
        assert report.notes and "again" in report.notes[0]
        reader.close()
        assert base.forget().notes == ()


def test_traces_age(filled: Path) -> None:
    old = (datetime.now(UTC) - timedelta(days=8)).isoformat(timespec="milliseconds")
    with opened(filled) as base:
        base.traces.put(full_trace(id="a" * 16, created_at=old))
        assert len(base.traces.list()) == 3
    with opened(filled, trace_days=0) as base:
        assert len(base.traces.list()) == 3
    with opened(filled, trace_days=7) as base:  # by opening
        assert len(base.traces.list()) == 2
        base.traces.put(full_trace(id="b" * 16, created_at=old))
        base.traces.put(full_trace(id="c" * 16, created_at=datetime.now(UTC).isoformat()))  # by storing
        assert {row[0] for row in base.traces.list()} >= {"c" * 16} and len(base.traces.list()) == 3


def test_traces_of_an_older_knarr_are_noted_when_the_base_is_opened(filled: Path) -> None:
    with sqlite3.connect(filled / "catalog.sqlite") as connection:
        connection.execute("DELETE FROM trace_documents")
        connection.execute("DELETE FROM meta WHERE key = 'trace_documents'")
    with opened(filled) as base:
        base.remove("viking://h/secret")
        assert SECRET not in " ".join(trace.dumps() for trace in base.traces.walk())


def test_a_run_whose_document_went_meanwhile_is_not_kept(filled: Path) -> None:
    with opened(filled) as base:
        trace = next(trace for trace in base.traces.walk() if SECRET in trace.question)
        base.remove("viking://h/secret")
        base.traces.put(replace(trace, id="d" * 16))
        assert [row[0] for row in base.traces.list() if row[0] == "d" * 16] == []


def test_a_trace_of_a_moved_document_follows_it(filled: Path) -> None:
    with opened(filled) as base:
        trace = next(trace for trace in base.traces.walk() if SECRET in trace.question)
        base.move("viking://h/secret", "viking://h/kept")
        base.traces.put(replace(trace, id="d" * 16))
        with base._catalog.reading() as connection:
            number = connection.exec_driver_sql(
                "SELECT id FROM documents WHERE uri = 'viking://h/kept'"
            ).scalar()
            assert number in trace_documents.of(connection, "d" * 16)
        base.remove("viking://h/kept")
        assert SECRET not in " ".join(trace.dumps() for trace in base.traces.walk())
