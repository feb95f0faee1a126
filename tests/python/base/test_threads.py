"""Readers beside a writer: whole documents, no errors, deletes seen (PER-03)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs


def text(version: int) -> str:
    return "".join(f"# S{n}\n\nword v{version} part {n}\n\n" for n in range(5))


def test_readers_see_whole_documents_while_a_writer_changes_them(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({f"d{n}.md": text(0) for n in range(4)})
    kb.add(docs, into="viking://kb")
    stop = threading.Event()
    faults: list[BaseException] = []

    def read() -> None:
        while not stop.is_set():
            try:
                for hit in kb.search("word part", k=30):
                    assert hit.source.section and "word v" in hit.preview
                for n in range(4):
                    passage = kb.read(f"viking://kb/d{n}").text
                    assert passage in (text(0), text(1), text(2), text(3))
                assert {m.document for m in kb.grep("part 4")} <= {f"viking://kb/d{n}" for n in range(4)}
                kb.list("viking://kb")
            except BaseException as fault:
                faults.append(fault)
                return

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for version in (1, 2, 3):
        write_docs({f"d{n}.md": text(version) for n in range(4)})
        assert kb.add(docs, into="viking://kb").count("updated") == 4
    stop.set()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    assert len(kb.grep("word v3")) == 20


def test_a_reader_of_another_process_meets_no_half_states(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    path = tmp_path / "two.kb"
    docs = write_docs({f"d{n}.md": text(0) for n in range(3)})
    with knarr.open(path, embedder=embedder) as writer, knarr.open(path, embedder=HashEmbedder(64)) as reader:
        writer.add(docs, into="viking://kb")
        reader.refresh()
        writer.remove("viking://kb/d1")
        # Not refreshed: what it names is gone from the catalog, so it looks again.
        assert {hit.source.document for hit in reader.search("word", k=30)} == {
            "viking://kb/d0",
            "viking://kb/d2",
        }
        with pytest.raises(knarr.NotFound):
            reader.read("viking://kb/d1")
