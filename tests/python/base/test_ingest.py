"""Adding documents: coverage, idempotence, cost, kills (ING-10, ING-11, PER-02, PER-03, SEC-01)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import knarr
from durable.forks import forked
from knarr.testing import HashEmbedder
from support import WriteDocs


def test_the_receipt_says_what_became_of_each_file(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {
            "good.md": "# G\n\nword",
            "empty.md": "",
            "blank.txt": " \n\n ",
            "cut.pdf": b"%PDF-1.7\n1 0 obj\n<<",
            "broken.docx": b"PK\x03\x04 not really",
            "movie.mp4": b"\x89PNG\r\n\x1a\n",
            "sub/more.txt": "word again",
        }
    )
    report = kb.add(docs, into="viking://kb")
    status = {file.path: file.status for file in report.files}
    assert status == {
        "good.md": "ok",
        "empty.md": "empty",
        "blank.txt": "empty",
        "cut.pdf": "corrupt",
        "broken.docx": "corrupt",
        "movie.mp4": "unsupported",
        "sub/more.txt": "ok",
    }
    assert not report.ok
    assert sorted(file.path for file in report.files if file.ready) == ["good.md", "sub/more.txt"]
    assert all(file.notes for file in report.files if not file.ready)
    assert report.total("size_bytes") == sum(p.stat().st_size for p in docs.rglob("*") if p.is_file())
    assert "2 of 7 files searchable" in str(report)
    assert len(kb.grep("word")) == 2


def test_the_receipt_says_which_rows_were_cut(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    wide = "| " + " | ".join(f"cell {at}" for at in range(2_000)) + " |\n"
    docs = write_docs({"wide.md": "# Wide\n\n| a | b |\n|---|---|\n| c | d |\n" + wide})
    [file] = kb.add(docs, into="viking://kb").files
    assert file.status == "ok" and file.notes == ("table rows longer than 1,000 tokens, cut: 1",)
    assert kb.grep("cell 1999")


def test_unchanged_content_costs_nothing(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    files = {f"part{n}/doc.md": f"# One {n}\n\nalpha {n}\n\n# Two\n\nbeta {n}\n" for n in range(5)}
    docs = write_docs(dict(files))
    first = kb.add(docs, into="viking://kb")
    assert first.count("added") == 5 and first.total("embedded") > 0
    embedder.calls = embedder.texts = 0
    again = kb.add(docs, into="viking://kb")
    assert again.count("unchanged") == 5 and embedder.calls == 0
    assert again.total("chunks") == first.total("chunks")
    write_docs({"part3/doc.md": "# One 3\n\nalpha 3\n\n# Two\n\nbeta changed\n"})
    changed = kb.add(docs, into="viking://kb")
    assert changed.count("updated") == 1 and changed.count("unchanged") == 4
    (file,) = [f for f in changed.files if f.change == "updated"]
    assert file.version == 2
    # The changed chunk, the abstract of its document, and at most the folders above.
    assert embedder.texts <= 2 + 3
    assert len(kb.grep("beta 3")) == 0 and len(kb.grep("beta changed")) == 1


def test_a_changed_document_keeps_its_place(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({f"{n}.md": f"word {n}" for n in range(4)})
    kb.add(docs, into="viking://kb")
    order = [entry.uri for entry in kb.list("viking://kb")]
    write_docs({"1.md": "other word 1"})
    kb.add(docs, into="viking://kb")
    assert [entry.uri for entry in kb.list("viking://kb")] == order


def test_links_are_listed_not_followed(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs({"in.md": "word inside", "../docs-private/secret.md": "word secret"})
    (docs / "etc").symlink_to("/etc")
    (docs / "leak.md").symlink_to(tmp_path / "docs-private" / "secret.md")
    report = kb.add(docs, into="viking://kb")
    assert {f.path: f.status for f in report.files} == {"in.md": "ok", "etc": "skipped", "leak.md": "skipped"}
    assert len(kb.grep("secret")) == 0 and len(kb.grep("root:")) == 0


@pytest.mark.parametrize("path", ["/no/such/path", "ftp://127.0.0.1/x", "file:///etc/passwd", "a\0b"])
def test_what_is_no_path_is_refused(kb: knarr.KnowledgeBase, path: str) -> None:
    with pytest.raises(knarr.InvalidArgument):
        kb.add(path, into="viking://kb")
    assert kb.info()["documents"] == 0


def test_too_large_files_are_named(tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs) -> None:
    settings = knarr.Settings(max_file_bytes=10)
    with knarr.open(tmp_path / "s.kb", embedder=embedder, settings=settings) as base:
        report = base.add(write_docs({"big.md": "word " * 10, "ok.md": "word"}), into="viking://kb")
        assert [(f.path, f.status) for f in report.files] == [("big.md", "limit"), ("ok.md", "ok")]


def test_another_embedder_is_refused_with_both_names(tmp_path: Path, write_docs: WriteDocs) -> None:
    path = tmp_path / "m.kb"
    with knarr.open(path, embedder=HashEmbedder(64, "a")) as base:
        base.add(write_docs({"d.md": "word"}), into="viking://kb")
    for other in (HashEmbedder(32, "b"), HashEmbedder(64, "c")):
        with pytest.raises(knarr.CatalogError, match=r"a:64.*" + other.id):
            knarr.open(path, embedder=other)
    with knarr.open(path, embedder=HashEmbedder(64, "a")) as base:
        assert len(base.grep("word")) == 1


class ShortEmbedder(HashEmbedder):
    def embed(self, texts):  # type: ignore[no-untyped-def]
        return super().embed(texts)[:-1]


def test_a_short_reply_is_refused_whole(tmp_path: Path, write_docs: WriteDocs) -> None:
    with knarr.open(tmp_path / "s.kb", embedder=ShortEmbedder()) as base:
        with pytest.raises(knarr.EmbedderError, match="expected finite vectors"):
            base.add(write_docs({"d.md": "# A\n\nword\n\n# B\n\nmore\n"}), into="viking://kb")
        assert base.info()["documents"] == 0


def test_open_refuses_what_is_no_knowledge_base(tmp_path: Path, embedder: HashEmbedder) -> None:
    with pytest.raises(knarr.CatalogError, match="no knowledge base there"):
        knarr.open(tmp_path / "none.kb", embedder=embedder, create=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    with pytest.raises(knarr.CatalogError, match="found other files"):
        knarr.open(tmp_path / "other", embedder=embedder)
    (tmp_path / "bad.kb").mkdir()
    (tmp_path / "bad.kb" / "catalog.sqlite").write_bytes(b"not a database, certainly not" * 100)
    with pytest.raises(knarr.CatalogError, match="not a catalog of knarr"):
        knarr.open(tmp_path / "bad.kb", embedder=embedder)


def test_a_damaged_snapshot_is_set_aside_and_rebuilt(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    path = tmp_path / "d.kb"
    with knarr.open(path, embedder=embedder) as base:
        base.add(write_docs({"d.md": "word"}), into="viking://kb")
    (snapshot,) = path.glob("engine-*.snapshot")
    data = bytearray(snapshot.read_bytes())
    data[len(data) // 2] ^= 0xFF
    snapshot.write_bytes(data)
    with knarr.open(path, embedder=embedder) as base:
        assert len(base.grep("word")) == 1
        assert "set aside" in base.info()["note"]


def test_a_snapshot_whose_damage_is_met_late_is_set_aside(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a page of a large one, that is read when the next is written."""
    path = tmp_path / "l.kb"
    with knarr.open(path, embedder=embedder) as base:
        base.add(write_docs({"a.md": "word"}), into="viking://kb")

    def refuse(*_arguments: object) -> None:
        raise knarr.Corruption("page 7 is damaged")

    monkeypatch.setattr(knarr.Engine, "save", refuse)
    with knarr.open(path, embedder=embedder) as base:
        base.add(write_docs({"b.md": "word"}), into="viking://kb")
    monkeypatch.undo()
    assert not list(path.glob("engine-*.snapshot"))
    assert list(path.glob("engine-*.damaged"))
    with knarr.open(path, embedder=embedder) as base:
        assert len(base.grep("word")) == 2


def test_the_index_follows_the_log_of_another_process(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    path = tmp_path / "p.kb"
    docs = write_docs({"a.md": "word a", "b.md": "word b"})
    with knarr.open(path, embedder=embedder) as reader:
        with knarr.open(path, embedder=embedder) as writer:
            writer.add(docs, into="viking://kb")
            writer.move("viking://kb/a", "viking://kb/c/a")
            writer.remove("viking://kb/b")
        assert len(reader.grep("word")) == 0
        assert reader.refresh()
        assert [match.uri for match in reader.grep("word")] == ["viking://kb/c/a/a_1.md"]
        assert not reader.refresh()


def test_a_second_writer_fails_at_once(tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs) -> None:
    path = tmp_path / "w.kb"
    docs = write_docs({"a.md": "word"})
    with knarr.open(path, embedder=embedder) as kb:
        refused: list[int] = []

        def second() -> None:
            with pytest.raises(knarr.CatalogError, match="another process is changing it"):
                kb.add(docs, into="viking://other")

        def meanwhile(_done: int, _total: int, _name: str) -> None:
            refused.append(forked(second))

        kb.add(docs, into="viking://kb", progress=meanwhile)
        assert refused and not any(refused) and kb.info()["documents"] == 1
        assert kb.add(docs, into="viking://other").count("added") == 1
        assert len(kb.grep("word")) == 2


WRITER = """
    import sys, time
    import knarr
    from knarr.testing import HashEmbedder
    class Slow(HashEmbedder):
        def embed(self, texts):
            time.sleep(0.002 * len(texts))
            return super().embed(texts)
    with knarr.open(sys.argv[1], embedder=Slow(64)) as kb:
        print("open", flush=True)
        kb.add(sys.argv[2], into="viking://kb", progress=lambda done, total, name: print(name, flush=True))
        print("done", flush=True)
"""


def test_a_kill_at_any_moment_leaves_whole_documents(tmp_path: Path, write_docs: WriteDocs) -> None:
    texts = {
        f"d{n:02}.md": "".join(f"# S{s}\n\nmark{n:02}s{s} word\n\n" for s in range(6)) for n in range(40)
    }
    docs = write_docs(dict(texts))
    path = tmp_path / "k.kb"
    script = tmp_path / "writer.py"
    script.write_text(textwrap.dedent(WRITER))
    for delay in (0.02, 0.08, 0.15, 0.25, 0.4, None):
        process = subprocess.Popen(
            [sys.executable, str(script), str(path), str(docs)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        if delay is not None:
            time.sleep(delay)
        else:  # whatever the machine's speed, something is stored by the third file
            while process.stdout.readline().strip() != "d02.md":
                pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with knarr.open(path, embedder=HashEmbedder(64)) as kb:
            whole = [f"d{n:02}" for n in range(40) if len(kb.grep(f"mark{n:02}s")) == 6]
            assert kb.info()["documents"] == len(whole)
            for name in whole:
                assert kb.read(f"viking://kb/{name}").text == texts[f"{name}.md"]
                assert len(kb.search("word", f"viking://kb/{name}", k=50)) == 6
    with (
        knarr.open(path, embedder=HashEmbedder(64)) as kb,
        knarr.open(tmp_path / "fresh.kb", embedder=HashEmbedder(64)) as fresh,
    ):
        report = kb.add(docs, into="viking://kb")
        assert report.ok and report.count("unchanged") >= 1
        fresh.add(docs, into="viking://kb")
        shown = [
            [(h.uri, round(h.score, 5)) for h in base.search("mark07s3 word", k=300, kinds=None)]
            for base in (kb, fresh)
        ]
        assert shown[0] == shown[1]


def test_copies_are_listed_once_when_asked_for(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    same = "# Errors\n\nThe same words in every version.\n"
    kb.add(
        write_docs({f"v{n}.md": f"{same}\n# Other\n\nwords of {n}\n" for n in range(12)}), into="viking://kb"
    )
    plain = kb.search("same words in every version", k=5)
    assert len(plain) == 5 and not plain[0].copies
    hits = kb.search("same words in every version", k=5, distinct=True)
    assert len(hits) == 5
    assert len({hit.uri for hit in hits} | set(hits[0].copies)) == 5 + 11
    assert len(kb.search("words", k=100, distinct=True)) == 13
