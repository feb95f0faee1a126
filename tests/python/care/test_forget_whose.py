"""Whose records are forgotten: a principal's, a tenant's, those of what was told from history."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import knarr
from care_base import SECRET, Fill, files_with
from knarr.cli import main
from knarr.testing import HashEmbedder
from support import WriteDocs


@pytest.fixture
def filled(tmp_path: Path, fill: Fill) -> Path:
    fill(tmp_path / "x.kb")
    return tmp_path / "x.kb"


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(64))


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "catalog.sqlite") as connection:
        return connection.execute(query).fetchall()


def test_the_records_of_one_asker_go_and_no_others(filled: Path) -> None:
    with opened(filled) as base:
        base.rights.grant("viking://h", everyone=True)
        for who in (knarr.Principal(subject="ann"), knarr.Principal(groups=("crew",))):
            base.as_(who).ask("What does a horse eat?", mode="vikingrag-e")
        assert base.forget(asker="nobody").traces == 0
        assert base.forget(asker="ann", questions=True).traces == 1 and len(base.traces.list()) == 3
        assert base.forget(asker=knarr.Principal(groups=("crew",)), questions=True).traces == 1
        assert base.forget(asker="", questions=True).traces == 2 and base.traces.list() == []
        assert base.experience.stats()["questions"] == 0
    assert rows(filled, "SELECT * FROM trace_documents") == []


def test_tenants_are_forgotten_from_where_that_is_asked(filled: Path, write_docs: WriteDocs) -> None:
    with opened(filled) as base:
        inside = base.tenant("Acme / 1")
        inside.add(
            write_docs({"t.md": f"# Tenant\n\nThe {SECRET} of the tenant.\n"}) / "t.md", into="viking://t"
        )
        inside.ask(f"What is the {SECRET} of the tenant?", mode="vikingrag-e")
        assert base.forget(traces_older_than=0).traces == 2 and len(inside.traces.list()) == 1
        inside.remove("viking://t", history=False)
        with pytest.raises(knarr.NotFound):
            base.forget(document="viking://t", tenants=True)
        inside.add(write_docs({"t.md": "# Tenant\n\nNothing else.\n"}) / "t.md", into="viking://t")
        inside.ask("What else?", mode="vikingrag-e")
        report = base.forget(document="viking://t", tenants=True)
        assert report.traces == 1 and report.notes == () and inside.traces.list() == []
        assert base.search("ships").hits and inside.search("nothing else").hits
    assert files_with(filled / "tenants", SECRET) == []
    assert knarr.doctor(filled).ok


def test_what_was_told_from_history_goes_with_that_history(filled: Path) -> None:
    with opened(filled) as base:
        before = base.info()["seq"]
        base.remove("viking://h/secret")
        assert SECRET not in " ".join(trace.dumps() for trace in base.traces.walk())
        told = base.ask("What is the fee in crowns?", mode="vikingrag-e", as_of=knarr.Seq(before))
        assert SECRET in base.traces.get(told.trace_id).dumps()
        base.move("viking://h/ships", "viking://h/boats")
        assert base.traces.get(told.trace_id)
        base.remove("viking://h/secret", history=False)
        assert SECRET not in " ".join(trace.dumps() for trace in base.traces.walk())


def test_old_versions_are_forgotten_by_age_on_the_command_line(
    filled: Path,
    write_docs: WriteDocs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with opened(filled) as base:
        base.add(write_docs({"secret.md": "# Nothing\n\nNothing is left here.\n"}), into="viking://h")
        base.remove("viking://h/ships")
        assert len(base.history.versions("viking://h/secret").versions) == 2
    assert len(rows(filled, "SELECT id FROM versions")) == 2
    monkeypatch.setattr("knarr.knowledge_base.load_embedder", lambda _: HashEmbedder(64))
    for age, left in (("1d", 2), ("0d", 0)):
        with pytest.raises(SystemExit) as ended:
            main(["forget", "--versions-older-than", age, "--kb", str(filled)])
        assert not ended.value.code and len(rows(filled, "SELECT id FROM versions")) == left
    assert "2 versions" in capsys.readouterr().out
    assert rows(filled, "SELECT id FROM versions") == rows(filled, "SELECT * FROM version_vectors") == []
    assert files_with(filled, "viking://h/ships") == [] and knarr.doctor(filled).ok


def test_a_sync_that_removes_takes_records_along_and_one_that_moves_keeps_them(
    tmp_path: Path, write_docs: WriteDocs
) -> None:
    docs = write_docs(
        {
            "secret.md": f"# The {SECRET} contract\n\nThe {SECRET} fee is 15 crowns.\n",
            "b.md": "# B\n\nText.\n",
        }
    )
    with opened(tmp_path / "x.kb") as base:
        base.sync(docs, into="viking://h")
        told = base.ask(f"What is the {SECRET} fee?", mode="vikingrag-e")
        (docs / "secret.md").rename(docs / "moved.md")
        base.sync(docs, into="viking://h")
        assert base.traces.get(told.trace_id)
        (docs / "moved.md").unlink()
        base.sync(docs, into="viking://h")
        assert base.traces.list() == [] and base.experience.stats()["questions"] == 0
