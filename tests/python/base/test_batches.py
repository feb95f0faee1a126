"""One odd file costs only itself: what cannot be taken is a line of the receipt (ING-13, ING-14)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import sqlalchemy as sa

import knarr
from knarr.testing import HashEmbedder
from knarr.writing import files, ingest, sources, walk
from support import WriteDocs


def statuses(report: object) -> dict[str, str]:
    return {file.path: file.status for file in report.files}  # type: ignore[attr-defined]


def meanwhile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Have something happen between the listing and the reading."""
    find = sources.find_sources

    def listed(paths: object, most_bytes: int) -> files.Batch:
        batch = find(paths, most_bytes)  # type: ignore[arg-type]
        change()
        return batch

    monkeypatch.setattr(ingest, "find_sources", listed)


def test_names_that_are_no_utf8(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"good.md": "word"})
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("word")
    (docs / os.fsdecode(b"d\xff")).mkdir()
    (docs / os.fsdecode(b"d\xff") / "x.md").write_text("word")
    report = kb.add(docs, into="viking://kb")
    assert statuses(report) == {"good.md": "ok", "caf\\xe9.md": "unreadable", "d\\xff": "unreadable"}
    assert not report.ok and "not valid UTF-8" in str(report)
    str(report).encode()  # fit for any output
    (alone,) = kb.add(docs / os.fsdecode(b"caf\xe9.md"), into="viking://kb").files
    assert alone.status == "unreadable"
    # A folder of such a name that is given itself is taken: the name is no part of any URI.
    assert kb.add(docs / os.fsdecode(b"d\xff"), into="viking://d").ok


def test_what_vanishes_after_the_listing(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs(
        {"a.md": "word", "b.md": "word", "sub/c.md": "word", "sub/deep/d.md": "word", "z/e.md": "word"}
    )

    def change() -> None:
        (docs / "a.md").unlink()
        (docs / "sub").rename(docs.parent / "elsewhere")

    meanwhile(monkeypatch, change)
    report = kb.add(docs, into="viking://kb")
    assert statuses(report) == {
        "a.md": "unreadable",
        "b.md": "ok",
        "sub/c.md": "unreadable",
        "sub/deep/d.md": "unreadable",
        "z/e.md": "ok",
    }
    assert "vanished" in str(report)


def test_a_folder_that_cannot_be_listed(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"a.md": "word", "closed/b.md": "word", "shut.md": "word"})
    kb.add(docs, into="viking://kb")
    really = os.open

    def refuse(path: object, *args: object, **named: object) -> int:
        if path in ("closed", "shut.md"):
            raise PermissionError(13, "Permission denied", path)
        return really(path, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)  # the tests run as root, whom no permission stops
    report = kb.add(docs, into="viking://kb")
    assert statuses(report) == {"a.md": "ok", "closed": "unreadable", "shut.md": "unreadable"}
    assert str(report).count("permission denied") == 2
    assert not report.gone  # what could not be looked at is not gone
    assert kb.info()["documents"] == 3


def test_files_that_become_links_are_not_followed(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.md").write_text("word secret")
    docs = write_docs({"x.md": "word", "sub/x.md": "word", "top.md": "word"})

    def change() -> None:
        for name in ("x.md", "top.md"):
            (docs / name).unlink()
            (docs / name).symlink_to(secret / "x.md")
        (docs / "sub" / "x.md").unlink()
        (docs / "sub").rmdir()
        (docs / "sub").symlink_to(secret)

    meanwhile(monkeypatch, change)
    report = kb.add([docs, docs / "top.md"], into="viking://kb")
    assert set(statuses(report).values()) == {"unreadable"}
    assert len(kb.grep("secret")) == 0


def test_a_folder_that_is_replaced_by_another_is_not_read(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"x.md": "word"})

    def change() -> None:
        docs.rename(tmp_path / "old")
        docs.mkdir()
        (docs / "x.md").write_text("word secret")

    meanwhile(monkeypatch, change)
    assert statuses(kb.add(docs, into="viking://kb")) == {"x.md": "unreadable"}


def test_pipes_sockets_and_devices(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"a.md": "word", "b.md": "word"})
    os.mkfifo(docs / "pipe.md")
    monkeypatch.chdir(docs)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        (docs / "null.md").symlink_to("/dev/null")

        def change() -> None:
            (docs / "b.md").unlink()
            os.mkfifo(docs / "b.md")

        meanwhile(monkeypatch, change)
        report = kb.add(docs, into="viking://kb")
        assert statuses(report) == {
            "a.md": "ok",
            "b.md": "unreadable",
            "null.md": "skipped",
            "pipe.md": "skipped",
            "socket.md": "skipped",
        }
        for name in ("pipe.md", "socket.md", "null.md"):
            with pytest.raises(knarr.InvalidArgument, match="regular file"):
                kb.add(docs / name)


def test_thousands_of_nested_folders(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "word", "z/b.md": "word"})
    at = os.open(docs, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("n", dir_fd=at)
        inner = os.open("n", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    report = kb.add(docs, into="viking://kb")
    assert report.count("ok") == 2 and report.count("limit") == 1 and len(report.files) == 3
    assert f"more than {walk.MAX_DEPTH} folders deep" in str(report)
    assert len(str(report)) < 2000
    _unnest(docs)


def _unnest(docs: Path) -> None:
    """Clean up what no tool of one recursion a level can: bring the rest to the top, level by level."""
    while (docs / "n").exists():
        deep = docs / "n" / "n"
        if deep.exists():
            deep.rename(docs / "next")
        (docs / "n").rmdir()
        if (docs / "next").exists():
            (docs / "next").rename(docs / "n")


def test_a_growing_file_is_read_up_to_the_limit(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"log.md": "word", "ok.md": "word"})
    read, asked = os.read, []

    def endless(handle: int, size: int) -> bytes:
        found = read(handle, size)
        if os.fstat(handle).st_ino != (docs / "log.md").stat().st_ino:
            return found
        asked.append(size)
        return b"x" * size

    monkeypatch.setattr(os, "read", endless)
    with knarr.open(
        tmp_path / "g.kb", embedder=embedder, settings=knarr.Settings(max_file_bytes=3 << 20)
    ) as base:
        assert statuses(base.add(docs, into="viking://kb")) == {"log.md": "limit", "ok.md": "ok"}
    assert sum(asked) == (3 << 20) + 1


def test_a_file_over_the_limit_is_not_read(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"big.md": "word " * 100, "ok.md": "word"})
    read, sizes = os.read, []

    def counted(handle: int, size: int) -> bytes:
        sizes.append(os.fstat(handle).st_size)
        return read(handle, size)

    monkeypatch.setattr(os, "read", counted)
    with knarr.open(
        tmp_path / "l.kb", embedder=embedder, settings=knarr.Settings(max_file_bytes=400)
    ) as base:
        report = base.add(docs, into="viking://kb")
    assert statuses(report) == {"big.md": "limit", "ok.md": "ok"} and "500 bytes" in str(report)
    assert sizes and 500 not in sizes


def test_a_reader_that_fails_costs_its_file_only(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({f"{name}.md": "word" for name in ("deep", "good", "odd", "vast")})
    kb.add(docs / "odd.md", into="viking://kb")
    write_docs({"odd.md": "word changed"})
    faults = {"deep.md": RecursionError(), "odd.md": KeyError("w:val"), "vast.md": MemoryError()}
    parse = ingest.parse

    def fail(data: bytes, name: str, **more: object) -> object:
        if name in faults:
            raise faults[name]
        return parse(data, name, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ingest, "parse", fail)
    report = kb.add(docs, into="viking://kb")
    assert statuses(report) == {"deep.md": "limit", "good.md": "ok", "odd.md": "corrupt", "vast.md": "limit"}
    assert "KeyError" in str(report) and "version 1 stays as it is at viking://kb/odd" in str(report)


class Failing(HashEmbedder):
    """Works for some calls, then fails as an embedder of the user's own might."""

    left = 10**9

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if self.left < 1:
            raise ConnectionError("the server is gone")
        self.left -= 1
        return super().embed(texts)


def test_an_embedder_that_fails_half_way_leaves_a_receipt(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({f"{name}.md": f"word {name}" for name in "abcd"})
    embedder = Failing()
    with knarr.open(tmp_path / "f.kb", embedder=embedder) as kb:
        embedder.left = 2
        report = kb.add(docs, into="viking://kb")
        assert statuses(report) == {"a.md": "ok", "b.md": "ok", "c.md": "failed"} and report.unread == (
            "d.md",
        )
        assert not report.ok and "not tried: d.md" in str(report) and "the server is gone" in report.error
        assert "the server is gone" in report.failed[0].notes[0]
        # What is stored is seen, without the embedder too, and may be changed; the rest is added later.
        assert [match.excerpt for match in kb.grep("word")] == ["word a", "word b"]
        with pytest.raises(knarr.EmbedderError, match="viking://kb is made with the next change"):
            kb.remove("viking://kb/a")
        assert len(kb.grep("word")) == 1
        (job,) = kb.jobs
        assert (job.state, job.counts) == (
            "failed",
            {"added": 2, "failed": 1},
        ) and "server is gone" in job.reason
        embedder.left = 10**9
        again = kb.jobs.resume(job.id)
        assert (again.count("added"), again.count("unchanged")) == (3, 1) and again.ok
        assert [one.state for one in kb.jobs] == ["done", "done"]
        assert kb.list("viking://kb").abstract.startswith("kb. Contains: b; a; c; d.")


class Picky(HashEmbedder):
    """Refuses some texts, as a server does that finds fault with one of them."""

    refused = "poison"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if any(self.refused in text for text in texts):
            raise knarr.EmbedderError("400 bad text", "refused")
        return super().embed(texts)


def test_a_file_that_cannot_be_embedded_costs_itself_only(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {"a.md": "word a", "b.md": "poison b", "c.md": "word c", "d.md": "poison", "e.md": "word e"}
    )
    with knarr.open(tmp_path / "p.kb", embedder=Picky()) as kb:
        report = kb.add(docs, into="viking://kb")
        assert list(statuses(report).values()) == ["ok", "failed", "ok", "failed", "ok"]
        assert not report.ok and not report.unread and not report.error and "400 bad text" in str(report)
        assert next(iter(kb.jobs)).state == "failed"
        # However many there are, as long as the embedder does its work for others.
        write_docs({f"f{number}.md": f"poison {number}" for number in range(6)} | {"z.md": "word z"})
        report = kb.add(docs, into="viking://kb")
        assert report.count("failed") == 8 and [file.path for file in report.added] == ["z.md"]


def test_a_full_disk_leaves_a_receipt(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({f"{name}.md": f"word {name} " * 40_000 for name in "abc"})
    from knarr.catalog import vectors

    put, calls = vectors.put, []

    def fill(connection: sa.Connection, *more: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            connection.exec_driver_sql("PRAGMA max_page_count=1")
        put(connection, *more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "put", fill)
        report = kb.add(docs, into="viking://kb")
    assert statuses(report) == {"a.md": "ok", "b.md": "failed"} and report.unread == ("c.md",)
    assert "full" in report.error
    assert kb.info()["documents"] == 1


def test_the_receipt_names_what_is_stored_and_no_longer_there(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs({"a.md": "word a", "old.md": "word old", "sub/b.md": "word b"})
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("word x")
    kb.add([docs, other], into="viking://kb")
    assert not kb.add(docs, into="viking://kb").gone
    (docs / "old.md").rename(docs / "new.md")
    (docs / "sub" / "b.md").unlink()
    report = kb.add(docs, into="viking://kb")
    assert [(gone.uri, gone.now) for gone in report.gone] == [
        ("viking://kb/old", "viking://kb/new"),
        ("viking://kb/sub/b", ""),
    ]
    assert "gone: viking://kb/sub/b: its file" in str(report) and report.ok
    assert not kb.add(docs / "a.md", into="viking://kb").gone
    assert [gone.uri for gone in kb.add(docs / "sub", into="viking://kb/sub").gone] == ["viking://kb/sub/b"]
    kb.add(docs / "a.md", into="viking://kb/again")
    (docs / "a.md").unlink()
    assert {"viking://kb/a", "viking://kb/again/a"} <= {
        gone.uri for gone in kb.add(docs, into="viking://kb").gone
    }
    kb.remove("viking://kb/a")
    kb.remove("viking://kb/again")
    kb.remove("viking://kb/sub")
    kb.remove("viking://kb/old")
    assert not kb.add(docs, into="viking://kb").gone
