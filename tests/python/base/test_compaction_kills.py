"""PER-02 for an engine that compacts itself: a kill at any moment loses nothing, and rows stay right."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from knarr.index import snapshots
from knarr.testing import HashEmbedder
from support import WriteDocs

HERE = Path(__file__).parents[1]


def kills(folder: Path, how: str, count: int = 0) -> int:
    """Run the killer; returns how many writers it killed, none of which left anything wrong."""
    paths = os.pathsep.join([str(Path(knarr.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, str(HERE / "compaction_killer.py"), str(folder), how, str(count)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_kill_at_any_step_of_a_compaction_loses_nothing(tmp_path: Path) -> None:
    assert kills(tmp_path, "steps") >= 12  # into and out of two compactions, two moves, a save, an unlink


def test_a_kill_while_the_snapshot_is_written_loses_nothing(tmp_path: Path) -> None:
    assert kills(tmp_path, "bytes") == 4


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    assert kills(tmp_path, "times", 6) >= 3


@pytest.mark.slow
def test_a_kill_at_many_moments_loses_nothing(tmp_path: Path) -> None:
    assert kills(tmp_path, "times", 200) >= 100


def test_a_log_that_ran_on_is_followed(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path, embedder: HashEmbedder
) -> None:
    """A name may have been a folder's, nobody's and another's since: what lags behind sees the newest."""
    docs = write_docs({f"{name}.md": f"# {name}\n\nword {name}\n" for name in ("one", "two", "three")})
    kb.add(docs / "one.md", into="viking://kb/a")
    with knarr.open(tmp_path / "test.kb", embedder=embedder):
        pass  # leaves a snapshot
    kb.add(docs / "two.md", into="viking://kb/f")
    kb.remove("viking://kb/f/two")
    kb.move("viking://kb/a", "viking://kb/f")
    kb.move("viking://kb/f", "viking://kb/g")
    kb.add(docs / "three.md", into="viking://kb/f")
    kb.remove("viking://kb/g")
    kb.move("viking://kb/f/three", "viking://kb/g")
    kb.add(docs / "two.md", into="viking://kb/f")
    newest = sorted((hit.uri, hit.preview) for hit in kb.search("word", k=100, kinds=None))
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as late:
        assert sorted((hit.uri, hit.preview) for hit in late.search("word", k=100, kinds=None)) == newest


def test_a_folder_that_a_kill_left_empty_is_in_nobodys_way(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path, embedder: HashEmbedder, monkeypatch
) -> None:
    kb.add(write_docs({"a/one.md": "# One\n\nword\n", "b/two.md": "# Two\n\nword\n"}), into="viking://kb")
    with monkeypatch.context() as patch:
        patch.setattr(kb._writer, "_settle", lambda: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            kb.remove("viking://kb/b/two")
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as again:
        again.move("viking://kb/a", "viking://kb/b")
        assert [hit.uri for hit in again.search("word")] == ["viking://kb/b/one/One/One_1.md"]
    kb.refresh()
    assert [hit.uri for hit in kb.search("word")] == ["viking://kb/b/one/One/One_1.md"]


def test_a_snapshot_that_another_process_writes_is_left_to_it(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    kb.add(write_docs({"one.md": "# One\n\nword\n"}), into="viking://kb")
    folder = tmp_path / "test.kb"
    left = folder / "engine-r3-1.snapshot.tmp"
    busy = snapshots.path_of(folder, 3, kb._index._position).with_suffix(".snapshot.tmp")
    left.write_bytes(b"of a writer that was killed")
    with busy.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        kb._index.save()
        assert left.exists() and busy.exists()
    kb._index.save()
    assert [path.name for path in folder.glob("engine-*")] == [busy.stem]
