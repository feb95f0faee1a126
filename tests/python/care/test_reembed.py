"""Another embedder: made beside the old one, used at once, and taken back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

import knarr
from care_base import Fill
from knarr.care.reembed import undo
from knarr.testing import HashEmbedder
from support import WriteDocs


@pytest.fixture
def filled(tmp_path: Path, fill: Fill) -> Path:
    fill(tmp_path / "x.kb")
    return tmp_path / "x.kb"


def answers(base: knarr.KnowledgeBase) -> list[tuple[str, float]]:
    found = base.search("notice of three months", kinds=None, k=50)
    return [(hit.uri, round(hit.score, 5)) for hit in found.hits]


def made_by(folder: Path, embedder: HashEmbedder, docs: Path) -> list[tuple[str, float]]:
    with knarr.open(folder, embedder=embedder) as base:
        base.add(docs, into="viking://h")
        return answers(base)


def test_it_answers_as_one_that_was_made_by_the_new_embedder(filled: Path, tmp_path: Path) -> None:
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        base.move("viking://h/deep/horses", "viking://h/other/horses")  # a folder's vector is a mean
        base.move("viking://h/other", "viking://h/deep")
        edges = base._index.engine.stats()["edges"]
        report = base.reembed(HashEmbedder(32))
        assert (report.before, report.now) == ("hash:64 (64 wide)", "hash:32 (32 wide)")
        assert report.embedded > 0 and report.unsure == 0 and report.kept["hash:64"] > 0
        new = answers(base)
        assert base._index.engine.dim == 32 and base._index.engine.stats()["edges"] == edges > 0
        assert base.ask("What did a knarr carry over the sea?", mode="vikingrag-e").citations
    with knarr.open(filled, embedder=HashEmbedder(32)) as base:
        assert answers(base) == new
    fresh = made_by(tmp_path / "y.kb", HashEmbedder(32), tmp_path / "docs")
    assert dict(fresh)["viking://h/secret/.abstract.md"] == dict(new)["viking://h/secret/.abstract.md"]
    chunks = [one for one in fresh if not one[0].endswith(".abstract.md")]
    assert [one for one in new if not one[0].endswith(".abstract.md")] == chunks
    assert knarr.doctor(filled).ok


def test_nothing_is_embedded_twice_and_the_way_back_is_free(filled: Path) -> None:
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        before = answers(base)
    new = HashEmbedder(32)
    knarr.reembed(filled, new)
    asked = new.texts
    assert undo(filled).now == "hash:64 (64 wide)"
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        assert answers(base) == before
    knarr.reembed(filled, new)
    assert new.texts == asked
    with knarr.open(filled, embedder=new) as base:
        assert base.forget(vectors_of="hash:64").vectors > 0
    with pytest.raises(knarr.CatalogError, match="forgotten"):
        undo(filled)
    assert knarr.doctor(filled).ok


def test_what_was_added_since_must_be_embedded_to_go_back(filled: Path, write_docs: WriteDocs) -> None:
    knarr.reembed(filled, HashEmbedder(32))
    with knarr.open(filled, embedder=HashEmbedder(32)) as base:
        base.add(write_docs({"new.md": "# New\n\nWords of today.\n"}) / "new.md", into="viking://h")
    with pytest.raises(knarr.CatalogError, match="added since; nothing was changed"):
        undo(filled)
    with pytest.raises(knarr.CatalogError, match="reembed"):
        knarr.open(filled, embedder=HashEmbedder(64))
    knarr.reembed(filled, HashEmbedder(64))
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        assert base.search("words of today").hits[0].uri == "viking://h/new/New/New_1.md"


@pytest.mark.parametrize("width", [64, 32])
def test_handles_with_the_old_embedder_say_so(filled: Path, write_docs: WriteDocs, width: int) -> None:
    """Of the same width, too: its vectors are as much those of another."""
    new = HashEmbedder(width, name="other")
    with knarr.open(filled, embedder=HashEmbedder(64)) as old:
        abstracts, before = old.abstracts, answers(old)
        with knarr.open(filled, embedder=HashEmbedder(64)) as base:
            part = base.experience
            base.reembed(new)
            assert base.embedder is new and base.search("ships").hits
            with pytest.raises(knarr.CatalogError, match="gone over to the embedder other"):
                part.forget(since="2020-01-01")
        assert answers(old) == before  # of the state that it has, by the vectors it was made of
        for call in (
            old.refresh,
            lambda: old.add(write_docs({"z.md": "# Z\n\nText.\n"})),
            lambda: old.remove("viking://h/ships"),
            lambda: old.reembed(HashEmbedder(64)) if abstracts is None else old.refresh(),
        ):
            with pytest.raises(knarr.CatalogError, match="gone over to the embedder other"):
                call()
    with knarr.open(filled, embedder=new) as base:
        assert base.info()["documents"] == 3
    assert knarr.doctor(filled).ok


@pytest.mark.parametrize("pruned", [False, True])
def test_views_of_a_handle_with_the_old_embedder_say_so(filled: Path, pruned: bool) -> None:
    """Where the log still tells of the change, and where it was pruned since."""
    with knarr.open(filled, embedder=HashEmbedder(64)) as old:
        old.rights.grant("viking://h", everyone=True)
        view = old.as_(knarr.Principal(subject="ann"))
        assert view.search("ships").hits
        knarr.reembed(filled, HashEmbedder(64, name="other"))
        if pruned:
            with knarr.open(filled, embedder=HashEmbedder(64, name="other")) as base:
                base.forget()
        for call in (lambda: view.search("ships"), lambda: view.list(), old.refresh):
            for _ in range(2):
                with pytest.raises(knarr.CatalogError, match="gone over to the embedder other"):
                    call()
    with knarr.open(filled, embedder=HashEmbedder(64, name="other")) as base:
        assert base.as_(knarr.Principal(subject="ann")).search("ships").hits


def test_tenants_of_a_handle_go_over_with_it(filled: Path, write_docs: WriteDocs) -> None:
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        inside = base.tenant("Acme / 1")
        inside.add(write_docs({"t.md": "# Tenant\n\nIts own words.\n"}) / "t.md", into="viking://t")
        with pytest.raises(knarr.InvalidArgument, match="re-embed the base"):
            inside.reembed(HashEmbedder(32))
        base.reembed(HashEmbedder(32))
        with pytest.raises(knarr.CatalogError, match="gone over to the embedder hash:32"):
            inside.refresh()
        assert base.tenant("Acme / 1").search("own words").hits
        saved = base.path.parent / "saved.zip"
        assert [part.counts["documents"] for part in base.backup(saved).parts] == [1, 3]
    knarr.restore(saved, saved.with_name("new.kb"))
    with knarr.open(saved.with_name("new.kb"), embedder=HashEmbedder(32)) as base:
        assert base.tenants() == ["Acme / 1"] and base.tenant("Acme / 1").search("own words").hits
    assert knarr.doctor(saved.with_name("new.kb")).ok


def test_what_was_calibrated_stays_with_its_embedder(filled: Path) -> None:
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        base._catalog.put("gamma", "0.55")
        base._catalog.put("checker_calibration:rules", "{}")
        base.reembed(HashEmbedder(32))
        assert base.experience.gamma == 0.8 and base._catalog.get("checker_calibration:rules") is None
        base._catalog.put("gamma", "0.66")
        base.reembed(HashEmbedder(64))
        assert base.experience.gamma == 0.55 and base._catalog.get("checker_calibration:rules") == "{}"
        base.reembed(HashEmbedder(32))
        assert base.experience.gamma == 0.66


def test_tenants_go_over_too(filled: Path, tmp_path: Path, fill: Fill) -> None:
    fill(filled / "tenants" / "acme")
    knarr.reembed(filled, HashEmbedder(32))
    with knarr.open(filled / "tenants" / "acme", embedder=HashEmbedder(32)) as base:
        assert base.search("ships").hits
    undo(filled)
    with knarr.open(filled / "tenants" / "acme", embedder=HashEmbedder(64)) as base:
        assert base.search("ships").hits


def test_two_embedders_of_one_id_are_told_apart(filled: Path) -> None:
    class Liar(HashEmbedder):
        @property
        def id(self) -> str:
            return "hash:64"

    with pytest.raises(knarr.CatalogError, match="64 wide, those of the embedder given are 32 wide"):
        knarr.reembed(filled, Liar(32))
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        assert base.search("ships").hits


def test_an_embedder_that_fails_leaves_the_base_as_it_is(filled: Path) -> None:
    class Broken(HashEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            return np.full((len(texts), self.dim), np.nan, dtype=np.float32)

    with pytest.raises(knarr.EmbedderError, match="still has its old embedder"):
        knarr.reembed(filled, Broken(32))
    with knarr.open(filled, embedder=HashEmbedder(64)) as base:
        assert base.search("ships").hits


def test_snapshots_of_the_old_embedder_are_not_used(filled: Path) -> None:
    (snapshot,) = filled.glob("*.snapshot")
    data = snapshot.read_bytes()
    knarr.reembed(filled, HashEmbedder(64, name="other"))
    for path in filled.glob("*.snapshot"):
        path.unlink()
    snapshot.write_bytes(data)
    with sqlite3.connect(filled / "catalog.sqlite") as connection:
        connection.execute("DELETE FROM vectors WHERE model = 'hash:64'")
    with knarr.open(filled, embedder=HashEmbedder(64, name="other")) as base:
        assert base.search("ships").hits
    assert not [one for one in knarr.doctor(filled).findings if one.severity == "error"]
