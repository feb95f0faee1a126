"""Several processes, threads, handles and forks over one base (PER-03)."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import knarr
from durable.forks import forked, limit_files
from knarr.catalog import locks
from knarr.index import snapshots
from knarr.testing import HashEmbedder
from support import WriteDocs


def opened(path: Path, wait_s: float = 0.0) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(64), settings=knarr.Settings(wait_s=wait_s))


def child(work: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process that runs this code over `sys.argv`, with `opened` at hand."""
    begin = (
        "import os, signal, sys, threading, time\nfrom pathlib import Path\nimport knarr\n"
        "from knarr.testing import HashEmbedder\n"
        "def opened(path, **named): return knarr.open(path, embedder=HashEmbedder(64), **named)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", begin + work, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(knarr.__file__).parents[1])},
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


HOLDER = """
with opened(sys.argv[1]) as kb, kb._catalog.exclusive():
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_writer_waits_as_long_as_it_was_told(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "# A\n\nword\n"})
    opened(tmp_path / "w.kb").close()
    with child(HOLDER, tmp_path / "w.kb") as holder:
        assert line(holder) == "held"
        with opened(tmp_path / "w.kb", wait_s=0.2) as kb:
            with pytest.raises(
                knarr.CatalogError, match=r"another process is changing it, after 0.2 seconds"
            ):
                kb.add(docs, into="viking://kb")
            assert kb.info()["documents"] == 0
        with opened(tmp_path / "w.kb", wait_s=3600) as kb:
            timer = threading.Timer(0.3, holder.kill)
            timer.start()
            assert kb.add(docs, into="viking://kb").ok
            timer.join()


def test_handles_of_one_process_take_turns(tmp_path: Path, write_docs: WriteDocs) -> None:
    names = [f"d{number}" for number in range(24)]
    docs = write_docs({f"{name}.md": f"# {name}\n\nword {name}\n" for name in names})
    with opened(tmp_path / "t.kb") as first, opened(tmp_path / "t.kb") as second:
        faults: list[BaseException] = []

        def add(number: int) -> None:
            kb = (first, second)[number % 2]
            try:
                for name in names[number::6]:
                    assert kb.add(docs / f"{name}.md", into=f"viking://kb/t{number}").ok
                    if number == 0:
                        # A handle may be used while the same thread uses the other one.
                        first.add(docs / "d0.md", into="viking://more", progress=lambda *_: second.refresh())
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults
        for kb in (first, second):
            kb.refresh()
            assert len(kb.grep("word", "viking://kb", limit=100)) == len(names)


def test_one_handle_inside_the_other_is_no_deadlock(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "# A\n\nword\n"})
    with opened(tmp_path / "t.kb") as first, opened(tmp_path / "t.kb") as second:
        first.add(docs, into="viking://kb", progress=lambda *_: second.add(docs, into="viking://other"))
        assert first.info()["documents"] == second.info()["documents"] == 2


def test_a_forked_child_holds_no_lock_of_its_parent(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "# A\n\nword\n"})
    with child(
        """
kb = opened(sys.argv[1])
def fork(*_):
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    time.sleep(600)
kb.add(sys.argv[2], into="viking://kb", progress=fork)
""",
        tmp_path / "f.kb",
        docs,
    ) as parent:
        pid = int(line(parent))
        try:
            with opened(tmp_path / "f.kb") as kb:
                with pytest.raises(knarr.CatalogError, match="another process"):
                    kb.add(docs, into="viking://kb")
                parent.kill()
                parent.wait()
                assert kb.add(docs, into="viking://kb").ok  # while the child lives on
        finally:
            os.kill(pid, signal.SIGKILL)


def test_a_forked_child_goes_on_by_itself(tmp_path: Path, write_docs: WriteDocs) -> None:
    """Also when the parent's threads were in the middle of reading and writing."""
    docs = write_docs({f"d{number}.md": f"# D\n\nword {number}\n" for number in range(6)})
    parent = child(
        """
kb = opened(sys.argv[1])
docs = Path(sys.argv[2])
kb.add(docs / "d0.md", into="viking://kb")
stop = threading.Event()
def read():
    while not stop.is_set():
        kb.search("word"); kb.info()
def write():
    n = 0
    while not stop.is_set():
        n += 1
        kb.add(docs / "d1.md", into=f"viking://parent/n{n}")
threads = [threading.Thread(target=one) for one in (read, read, write)]
for one in threads: one.start()
children = []
for number in range(2, 6):
    time.sleep(0.05)
    pid = os.fork()
    if pid == 0:
        signal.alarm(300)
        assert len(kb.grep("word 0", "viking://kb")) == 1
        for _ in range(5000):
            try:
                assert kb.add(docs / f"d{number}.md", into=f"viking://child/c{number}").ok
                break
            except knarr.CatalogError as error:
                assert "another process" in str(error), error
                time.sleep(0.01)
        else:
            os._exit(3)
        assert kb.search(f"word {number}", f"viking://child/c{number}", k=1).hits
        kb.close()
        os._exit(0)
    children.append(pid)
stop.set()
for one in threads: one.join()
for pid in children:
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 0, status
kb.refresh()
print(len(kb.grep("word", "viking://child")), flush=True)
kb.close()
""",
        tmp_path / "f.kb",
        docs,
    )
    out, errors = parent.communicate()
    assert parent.returncode == 0, errors
    assert out.strip() == "4"
    with opened(tmp_path / "f.kb") as kb:
        assert len(kb.grep("word", "viking://child")) == 4
        assert not kb.info().get("damaged")


def test_a_fork_inside_a_transaction_commits_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "f.kb") as kb:

        def inside() -> None:
            refused = pytest.raises(knarr.CatalogError, match="forked inside a transaction")
            with refused, kb._catalog.writing() as connection:
                connection.exec_driver_sql("INSERT INTO meta VALUES ('forked', 'yes')")
                pid = os.fork()
                if pid:
                    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            assert kb._catalog.get("forked") is None

        assert forked(inside) == 0
        kb._catalog.put("later", "yes")
        assert kb._catalog.get("forked") is None and kb._catalog.get("later") == "yes"


def test_the_child_of_a_fork_leaves_the_turn_of_the_parent_alone(tmp_path: Path) -> None:
    with opened(tmp_path / "f.kb") as kb, kb._catalog.exclusive():

        def other() -> None:
            with pytest.raises(knarr.CatalogError, match="another process"), kb._catalog.exclusive():
                pass

        assert forked(other) == 0
        assert forked(lambda: None) == 0
        with pytest.raises(knarr.CatalogError, match="another process"):
            os.close(locks.take(tmp_path / "f.kb", 0.0))  # still locked by this process


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# --- closing ---------------------------------------------------------------------------------------


def test_closing_beside_another_process_is_no_error(tmp_path: Path, write_docs: WriteDocs) -> None:
    """Snapshots of one state, written and dropped by several at once."""
    docs = write_docs({"a.md": "# A\n\nword\n"})
    with opened(tmp_path / "c.kb") as kb:
        kb.add(docs, into="viking://kb")
    work = """
settings = knarr.Settings(wait_s=60)
for number in range(8):
    with opened(sys.argv[1], settings=settings) as kb:
        kb.add(sys.argv[2], into=f"viking://{sys.argv[3]}/n{number}")
"""
    running = [child(work, tmp_path / "c.kb", docs, f"p{number}") for number in range(4)]
    for one in running:
        _, errors = one.communicate()
        assert one.returncode == 0 and not errors, errors
    with opened(tmp_path / "c.kb") as kb:
        assert len(kb.grep("word", limit=100)) == 33
    assert [one.suffix for one in (tmp_path / "c.kb").glob("engine-*")] == [".snapshot"]


@pytest.mark.parametrize("size_bytes", [0, 700, 8192])
def test_a_snapshot_that_cannot_be_written_is_told_and_leaves_nothing(
    tmp_path: Path, write_docs: WriteDocs, caplog: pytest.LogCaptureFixture, size_bytes: int
) -> None:
    kb = opened(tmp_path / "s.kb")
    kb.add(write_docs({"a.md": "# A\n\nword " + " ".join(f"w{n}" for n in range(3000))}), into="viking://kb")
    kb.info()

    def limited() -> None:
        again = opened(tmp_path / "s.kb")
        again.search("word")
        files = open_files()
        limit_files(size_bytes)
        with pytest.raises(knarr.StorageError):
            again._index.save()
        assert open_files() == files
        assert not list((tmp_path / "s.kb").glob("engine-*"))
        with caplog.at_level(logging.WARNING, "knarr"):
            again.close()
        assert "no snapshot of the index was written" in caplog.text and "Nothing is lost" in caplog.text

    assert forked(limited) == 0
    kb.close()
    with opened(tmp_path / "s.kb") as kb:
        assert len(kb.search("word w17", k=1)) == 1


def test_damaged_snapshots_have_an_end(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "# A\n\nword\n"})
    for number in range(5):
        with opened(tmp_path / "d.kb") as kb:
            kb.add(docs, into=f"viking://kb/n{number}")
        for path in (tmp_path / "d.kb").glob("*.snapshot"):
            path.write_bytes(path.read_bytes()[:-100] + b"x" * 100)
    with opened(tmp_path / "d.kb") as kb:
        assert "set aside" in kb.info()["note"] and len(kb.grep("word")) == 5
    damaged = sorted((tmp_path / "d.kb").glob("*.damaged"))
    assert len(damaged) == snapshots._DAMAGED_KEPT
    for path in damaged:
        os.utime(path, (1, 1))
    with opened(tmp_path / "d.kb") as kb:
        kb.remove("viking://kb/n0")
    assert not list((tmp_path / "d.kb").glob("*.damaged"))
