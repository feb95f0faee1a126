"""A backup is whole, verified before it is used, and made while others write."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import zipfile
from pathlib import Path

import pytest

import knarr
from care_base import SECRET, Fill, files_with, tree
from knarr.care.restore import verify
from knarr.testing import HashEmbedder
from support import WriteDocs


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(64))


@pytest.fixture
def filled(tmp_path: Path, fill: Fill) -> Path:
    fill(tmp_path / "x.kb")
    shutil.copytree(tmp_path / "x.kb", tmp_path / "x.kb" / "tenants" / "acme")
    return tmp_path / "x.kb"


def test_a_restored_base_is_the_one_that_was_saved(filled: Path, tmp_path: Path) -> None:
    with opened(filled) as base:
        report = base.backup(tmp_path / "saved.zip")
        found = base.search("cargo over the sea")
    assert [part.name for part in report.parts] == ["tenants/acme/catalog.sqlite", "catalog.sqlite"]
    assert report.parts[1].counts["documents"] == 3 and report.parts[1].embedder == "hash:64 (64 wide)"
    again = knarr.restore(tmp_path / "saved.zip", tmp_path / "new.kb")
    assert again.parts == report.parts
    for place in (tmp_path / "new.kb", tmp_path / "new.kb" / "tenants" / "acme"):
        with opened(place) as base:
            assert base.search("cargo over the sea").hits == found.hits
            assert len(base.traces.list()) == 2 and base.experience.stats()["questions"] == 2
    assert knarr.doctor(tmp_path / "new.kb").ok
    assert {path.name for path in tmp_path.iterdir()} >= {"saved.zip", "new.kb"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_it_holds_nothing_that_was_deleted(filled: Path, tmp_path: Path) -> None:
    shutil.rmtree(filled / "tenants")
    with opened(filled) as base:
        base.remove("viking://h/secret")
        assert files_with(filled, SECRET)
        base.backup(tmp_path / "saved.zip")
    knarr.restore(tmp_path / "saved.zip", tmp_path / "new.kb")
    assert not files_with(tmp_path / "new.kb", SECRET)


def _parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _written(path: Path, parts: dict[str, bytes], comment: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
        archive.comment = comment


def test_every_altered_part_is_named_and_nothing_is_created(filled: Path, tmp_path: Path) -> None:
    saved, bad, new = tmp_path / "saved.zip", tmp_path / "bad.zip", tmp_path / "new.kb"
    with opened(filled) as base:
        base.backup(saved)
    parts = _parts(saved)
    with zipfile.ZipFile(saved) as archive:
        comment = archive.comment
    for name, data in parts.items():
        for wrong in (data[:-1], data[:50] + bytes([data[50] ^ 1]) + data[51:], b""):
            _written(bad, parts | {name: wrong}, comment)
            with pytest.raises(knarr.Corruption, match=f"the part {name} is damaged"):
                knarr.restore(bad, new)
        _written(bad, {other: value for other, value in parts.items() if other != name}, comment)
        with pytest.raises(knarr.Corruption, match=f"the part {name} is damaged"):
            knarr.restore(bad, new)
    for name in ("../evil", "tenants/../catalog.sqlite", "engine-r2-9-0000000000000001.snapshot"):
        _written(bad, parts | {name: b"x"}, comment)
        with pytest.raises(knarr.Corruption):
            knarr.restore(bad, new)
    assert not new.exists() and not (tmp_path / "evil").exists()


def test_every_truncated_backup_is_refused(filled: Path, tmp_path: Path) -> None:
    saved, bad = tmp_path / "saved.zip", tmp_path / "bad.zip"
    with opened(filled) as base:
        base.backup(saved)
    data = saved.read_bytes()
    for size in [*range(0, len(data), len(data) // 40), len(data) - 1]:
        bad.write_bytes(data[:size])
        with pytest.raises((knarr.Corruption, knarr.InvalidArgument)):
            knarr.restore(bad, tmp_path / "new.kb")
    for at in range(0, len(data), len(data) // 60):
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        try:  # a byte that no reader of the archive looks at may differ
            assert verify(bad).parts == verify(saved).parts
        except (knarr.Corruption, knarr.InvalidArgument, knarr.CatalogError):
            continue
    assert not (tmp_path / "new.kb").exists()


def test_a_hostile_manifest_names_no_place_outside(filled: Path, tmp_path: Path) -> None:
    import hashlib

    saved, bad = tmp_path / "saved.zip", tmp_path / "bad.zip"
    with opened(filled) as base:
        base.backup(saved)
    parts = _parts(saved)
    manifest = json.loads(parts["manifest.json"])
    for name in ("../catalog.sqlite", "/etc/x", "tenants/../../catalog.sqlite", "tenants/a/b/catalog.sqlite"):
        manifest["parts"][0]["name"] = name
        text = json.dumps(manifest).encode()
        digest = hashlib.sha256(text).hexdigest()
        _written(bad, {**parts, "manifest.json": text, name: b""}, f"knarr backup 1 {digest}".encode())
        with pytest.raises(knarr.Corruption, match=r"manifest\.json"):
            knarr.restore(bad, tmp_path / "new.kb")
    _written(bad, parts, f"knarr backup 2 {'0' * 64}".encode())
    with pytest.raises(knarr.CatalogError, match="newer knarr"):
        knarr.restore(bad, tmp_path / "new.kb")


def test_nothing_is_overwritten(filled: Path, tmp_path: Path) -> None:
    saved, other = tmp_path / "saved.zip", tmp_path / "other.txt"
    other.write_text("mine", encoding="utf-8")
    with opened(filled) as base:
        base.backup(saved)
        base.backup(saved)  # a backup is replaced by the next
        with pytest.raises(knarr.AlreadyExists):
            base.backup(other)
        with pytest.raises(knarr.InvalidArgument):
            base.backup(filled / "saved.zip")
        with pytest.raises(knarr.InvalidArgument):
            base.backup(tmp_path / "nowhere" / "saved.zip")
    before = tree(filled)
    with pytest.raises(knarr.AlreadyExists):
        knarr.restore(saved, filled)
    with pytest.raises(knarr.InvalidArgument, match="no such file"):
        knarr.restore(tmp_path / "none.zip", tmp_path / "new.kb")
    with pytest.raises(knarr.Corruption):
        knarr.restore(other, tmp_path / "new.kb")
    assert tree(filled) == before and other.read_text(encoding="utf-8") == "mine"
    (tmp_path / "empty.kb").mkdir()
    assert knarr.restore(saved, tmp_path / "empty.kb").parts


def test_it_is_one_moment_while_a_writer_goes_on(tmp_path: Path, write_docs: WriteDocs) -> None:
    folder = write_docs({f"{n}.md": f"# Paper {n}\n\nWords of number {n}.\n" for n in range(30)})
    with opened(tmp_path / "x.kb") as base:
        writer = threading.Thread(target=base.add, args=(folder,))
        writer.start()
        reports = [base.backup(tmp_path / f"{n}.zip") for n in range(4)]
        writer.join()
        assert base.info()["documents"] == 30
    for n, report in enumerate(reports):
        knarr.restore(tmp_path / f"{n}.zip", tmp_path / f"{n}.kb")
        assert knarr.doctor(tmp_path / f"{n}.kb", repair=True, embedder=HashEmbedder(64)).ok
        with opened(tmp_path / f"{n}.kb") as base:
            assert base.info()["documents"] == report.parts[0].counts["documents"]


def test_a_snapshot_of_the_saved_base_is_not_taken_for_the_restored_ones(
    tmp_path: Path, fill: Fill, write_docs: WriteDocs
) -> None:
    fill(tmp_path / "x.kb")
    with opened(tmp_path / "x.kb") as base:
        base.backup(tmp_path / "saved.zip")
        base.add(
            write_docs({"a.md": f"# After\n\nOnly the old log knows {SECRET}.\n"}) / "a.md", into="viking://x"
        )
    knarr.restore(tmp_path / "saved.zip", tmp_path / "new.kb")
    (snapshot,) = (tmp_path / "x.kb").glob("*.snapshot")
    with sqlite3.connect(tmp_path / "x.kb" / "catalog.sqlite") as connection:
        grown = connection.execute("SELECT max(seq) FROM changes").fetchone()[0]
    with opened(tmp_path / "new.kb") as base:
        base.add(write_docs({"b.md": "# Else\n\nAnother text.\n"}) / "b.md", into="viking://y")
        assert base._index.seq >= grown
    for path in (tmp_path / "new.kb").glob("*.snapshot"):
        path.unlink()
    shutil.copy(snapshot, tmp_path / "new.kb")
    with opened(tmp_path / "new.kb") as base:
        assert not base._index.engine.exists("viking://x") and base.search("Another text").hits
    assert [one.part for one in knarr.doctor(tmp_path / "new.kb").findings] in ([], ["index"])
