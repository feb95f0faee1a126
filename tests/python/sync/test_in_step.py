"""Whatever happens to a folder, and wherever a sync is cut off, the next one brings the base in step (PER-02)."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import knarr
from knarr.catalog.documents import under
from knarr.testing import HashEmbedder

NAMES = ("a", "b", "A", "caf\u00e9", "cafe\u0301", "x y", "x_y")


def change(docs: Path, rng: random.Random, number: int) -> None:
    """One thing that a user may do to a folder."""
    files = sorted(path for path in docs.rglob("*") if path.is_file())
    folders = sorted(path for path in [docs, *docs.rglob("*")] if path.is_dir())
    what = rng.choice(("write", "write", "edit", "move", "move", "swap", "delete", "rename", "drop", "copy"))
    here = rng.choice(folders)
    new = here / rng.choice((f"{rng.choice(NAMES)}.md", f"{rng.choice(NAMES)}.md", rng.choice(NAMES)))
    if what == "write" and not new.is_dir():
        if new.suffix:
            new.write_text(f"# Top\n\nword {number}\n")
        else:
            new.mkdir(exist_ok=True)
            (new / "in.md").write_text(f"word {number}")
    elif what == "edit" and files:
        rng.choice(files).write_text(f"word edited {number}")
    elif what in ("move", "copy") and files and new.suffix and not new.is_dir():
        one = rng.choice(files)
        (shutil.copyfile if what == "copy" and one != new else os.replace)(one, new)
    elif what == "swap" and len(files) > 1:
        one, other = rng.sample(files, 2)
        one.rename(docs / "between")
        other.rename(one)
        (docs / "between").rename(other)
    elif what == "delete" and len(files) > 1:
        rng.choice(files).unlink()
    elif (
        what == "rename" and here != docs and not new.suffix and not new.exists() and here not in new.parents
    ):
        here.rename(new)
    elif what == "drop" and here != docs and any(here not in path.parents for path in files):
        shutil.rmtree(here)


def held(kb: knarr.KnowledgeBase) -> dict[str, str]:
    """The text of each document by the file that it stands for."""
    with kb._catalog.reading() as connection:
        records = under(connection, "viking://kb")
    return {kb.document(record.uri).path: kb.read(record.uri).text for record in records}


def on_disk(docs: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in docs.resolve().rglob("*.md")}


@pytest.mark.parametrize("seed", range(6))
def test_any_changes_are_followed(tmp_path: Path, seed: int) -> None:
    rng, docs = random.Random(seed), tmp_path / "docs"
    docs.mkdir()
    (docs / "first.md").write_text("word")
    with knarr.open(tmp_path / "t.kb", embedder=HashEmbedder(8)) as kb:
        for number in range(8):
            for step in range(rng.randrange(1, 5)):
                change(docs, rng, 10 * number + step)
            foretold = kb.sync(docs, into="viking://kb", dry_run=True)
            report = kb.sync(docs, into="viking://kb")
            assert report.ok and held(kb) == on_disk(docs)
            assert [len(report.moved), len(report.added), len(report.updated)] == [
                len(foretold.moved), len(foretold.added), len(foretold.updated),
            ]  # fmt: skip
            assert sorted(one.uri for one in report.removed) == sorted(one.uri for one in foretold.removed)
            shown = {match.document for match in kb.grep("word", limit=999)}
            with kb._catalog.reading() as connection:
                assert shown == {record.uri for record in under(connection, "viking://kb")}
            assert not kb.sync(docs, into="viking://kb").changed
        kb.close()
    with knarr.open(tmp_path / "t.kb", embedder=HashEmbedder(8)) as kb:
        assert held(kb) == on_disk(docs)


WRITER = """
    import os, sys
    import sqlalchemy as sa
    import knarr
    from knarr.testing import HashEmbedder
    left = int(sys.argv[3])
    def note(*_):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
    with knarr.open(sys.argv[1], embedder=HashEmbedder(16)) as kb:
        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        sa.event.listen(sa.Engine, "commit", note)
        kb.sync(sys.argv[2], into="viking://kb")
"""


@pytest.mark.parametrize(
    "kills",
    [(60, 110, 170), pytest.param(tuple(range(10, 400, 7)), marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_a_sync_that_is_killed_anywhere_is_gone_on_with(tmp_path: Path, kills: tuple[int, ...]) -> None:
    """At statements and commits spread over moves, additions and removals; the killed one is a job to be resumed."""
    docs, script = tmp_path / "docs", tmp_path / "writer.py"
    script.write_text(textwrap.dedent(WRITER))
    with knarr.open(tmp_path / "start.kb", embedder=HashEmbedder(16)) as kb:
        for number in range(4):
            (docs / "old").mkdir(parents=True, exist_ok=True)
            (docs / "old" / f"{number}.md").write_text(f"# Top\n\nword {number}\n")
            (docs / f"{number}.md").write_text(f"word top {number}")
        kb.sync(docs, into="viking://kb")
        with kb._catalog.reading() as connection:
            ids = {record.content_hash: record.id for record in under(connection, "viking://")}
    (docs / "old").rename(docs / "new")
    (docs / "0.md").rename(docs / "between")
    (docs / "1.md").rename(docs / "0.md")
    (docs / "between").rename(docs / "1.md")
    (docs / "2.md").unlink()
    (docs / "3.md").write_text("word changed")
    (docs / "5.md").write_text("word fresh")
    before = {f"word top {n}" for n in range(4)} | {f"# Top\n\nword {n}\n" for n in range(4)}
    ends = []
    for left in kills:
        path = tmp_path / f"{left}.kb"
        shutil.copytree(tmp_path / "start.kb", path)
        run = subprocess.run([sys.executable, str(script), str(path), str(docs), str(left)], check=False)
        ends.append(run.returncode)
        with knarr.open(path, embedder=HashEmbedder(16)) as kb:
            assert set(held(kb).values()) <= before | set(on_disk(docs).values())
            newest = next(iter(kb.jobs))
            if run.returncode:
                assert newest.state == "interrupted"
                report = kb.jobs.resume(newest.id)
            else:
                report = kb.sync(docs, into="viking://kb")
            assert report.ok and held(kb) == on_disk(docs)
            with kb._catalog.reading() as connection:
                kept = {record.content_hash: record.id for record in under(connection, "viking://")}
            assert sum(ids.get(key) == number for key, number in kept.items()) == 6
    assert set(ends[:3]) == {-signal.SIGKILL}
