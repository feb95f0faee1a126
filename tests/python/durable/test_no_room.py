"""A full disk and lost permissions: one error of ours at any writing verb, nothing lost, nothing half (PER-05)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import knarr
from by_hand import call, cite, trace_by_hand
from durable.forks import NOBODY, as_nobody, forked, limit_files
from knarr.testing import HashEmbedder, ScriptedChat

TEXTS = {f"d{n}.md": f"# D{n}\n\nThe word{n} stands here. " + "More of it. " * 30 for n in range(3)}


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path / "n.kb", embedder=HashEmbedder(16))


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may look into, with a base of three documents and one lesson."""
    folder = Path(tempfile.mkdtemp(prefix="knarr-room-"))
    folder.chmod(0o755)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    with opened(folder) as kb:
        kb.add([folder / name for name in TEXTS], into="viking://kb")
        learn(kb, folder, "first")
        kb.ask("Where does word0 stand?")
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def learn(kb: knarr.KnowledgeBase, _folder: Path, name: str = "second") -> None:
    source, target = (kb.grep("stands", f"viking://kb/d{n}").matches[0].uri for n in (0, 1))
    assert kb.experience.learn(
        trace_by_hand(name, f"question {name}", [call("Search", [source])], [cite(kb, target)])
    )


def write_news(folder: Path) -> None:
    """The files that the verbs add."""
    news = " ".join(f"w{n}" for n in range(40_000))
    (folder / "new.md").write_text(f"# New\n\nnewword {news}")
    (folder / "d0.md").write_text(TEXTS["d0.md"] + news)


VERBS: dict[str, Callable[[knarr.KnowledgeBase, Path], object]] = {
    "add": lambda kb, folder: kb.add(folder / "new.md", into="viking://kb"),
    "update": lambda kb, folder: kb.add(folder / "d0.md", into="viking://kb"),
    "remove": lambda kb, _: kb.remove("viking://kb/d0"),
    "move": lambda kb, _: kb.move("viking://kb/d0", "viking://kb/e0"),
    "learn": learn,
    "forget": lambda kb, _: kb.experience.forget("first"),
    "quarantine": lambda kb, _: kb.experience.quarantine("first"),
    "mark": lambda kb, _: kb.experience.mark("first", False),
    "abstracts": lambda kb, _: kb.abstracts.make(chat=ScriptedChat(["A text."] * 50, name="other")),
    "ask": lambda kb, _: kb.ask("Where does word1 stand?"),
}


def state(kb: knarr.KnowledgeBase) -> object:
    """What a failed verb must not change."""
    texts = {f"d{n}": kb.read(f"viking://kb/d{n}").text for n in range(3)}
    edges = [(edge.source, edge.target, edge.state) for edge in kb.experience.edges()]
    found = sorted((hit.uri, hit.preview) for hit in kb.search("word", k=100, kinds=("chunk",)))
    return texts, edges, found, kb.info()["documents"]


def refuse(folder: Path, verb: str, message: str, prepare: Callable[[knarr.KnowledgeBase], object]) -> None:
    """The verb fails as it should, and what was there stays."""
    write_news(folder)
    with opened(folder) as kb:
        before = state(kb)
        prepare(kb)
        with pytest.raises(knarr.CatalogError, match=message):
            VERBS[verb](kb, folder)
        assert state(kb) == before


def check_later(folder: Path, verb: str) -> None:
    """With room again, everything is there and the verb works."""
    with opened(folder) as kb:
        state(kb)
        assert not kb.info().get("damaged")
        VERBS[verb](kb, folder)


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """The same on a file system of its own, which is small."""
    disk = place / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("cannot mount a file system here")
    for path in place.iterdir():
        if path != disk:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, disk / path.name)
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)  # lazily: a failed test may hold files


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_loses_nothing(small_disk: Path, verb: str) -> None:
    filler = small_disk / "filler"

    def fill(_kb: knarr.KnowledgeBase) -> None:
        with pytest.raises(OSError, match="No space left"):
            filler.write_bytes(bytes(16 << 20))

    refuse(small_disk, verb, "the disk is full .*Make room and try again", fill)
    filler.unlink()
    check_later(small_disk, verb)


@pytest.mark.parametrize("verb", VERBS)
def test_a_log_that_cannot_grow_loses_nothing(place: Path, verb: str) -> None:
    def limited() -> None:
        refuse(place, verb, "could not read or write|the disk is full", lambda _: limit_files(0))

    assert forked(limited) == 0
    check_later(place, verb)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="changes the user, which root may only")


def give(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)


@needs_root
@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if verb in ("add", "update", "remove", "move", "abstracts")]
)
def test_lost_permissions_lose_nothing(place: Path, verb: str) -> None:
    give(place, NOBODY)

    def lose(kb: knarr.KnowledgeBase) -> None:
        for path in (place / "n.kb").iterdir():
            path.chmod(0o400)
        (place / "n.kb").chmod(0o500)

    assert as_nobody(lambda: refuse(place, verb, "Permission denied.*nothing was changed", lose)) == 0
    for path in (place / "n.kb").iterdir():
        path.chmod(0o600)
    (place / "n.kb").chmod(0o700)
    check_later(place, verb)


@needs_root
@pytest.mark.parametrize("how", ["closed", "open", "killed"])
def test_a_user_who_may_only_read_reads(place: Path, how: str) -> None:
    """Whether the base is closed, open in another process, or was left with a log by a killed one."""

    def read() -> None:
        before = times()
        with opened(place) as kb:
            assert len(kb.grep("stands")) == 3 + (how != "closed")
            assert kb.search("word1", k=1).hits and kb.ask("Where does word1 stand?").text
            with pytest.raises(knarr.CatalogError, match="reading only"):
                kb.remove("viking://kb")
        assert times() == before

    def times() -> dict[str, int]:
        """All but that of SQLite's index of its log, which is memory that processes share."""
        paths = (path for path in (place / "n.kb").iterdir() if not path.name.endswith("-shm"))
        return {path.name: path.stat().st_mtime_ns for path in paths}

    def write_and_die() -> None:
        kb = opened(place)
        more(kb)
        os._exit(0)

    def more(kb: knarr.KnowledgeBase) -> None:
        (place / "more.md").write_text("# More\n\nIt stands.\n")
        kb.add(place / "more.md", into="viking://kb")

    if how == "killed":
        assert forked(write_and_die) == 0
        assert (place / "n.kb" / "catalog.sqlite-wal").stat().st_size > 0
        assert as_nobody(read) == 0
    elif how == "open":
        with opened(place) as kb:
            more(kb)
            assert as_nobody(read) == 0
    else:
        assert as_nobody(read) == 0


@needs_root
def test_a_user_who_may_only_read_follows_a_writer_that_comes_later(place: Path) -> None:
    begun, written = os.pipe(), os.pipe()

    def read() -> None:
        with opened(place) as kb:
            assert len(kb.grep("stands")) == 3
            os.write(begun[1], b".")
            os.read(written[0], 1)
            kb.refresh()
            assert len(kb.grep("stands")) == 4
            os.write(begun[1], b".")

    child = os.fork()
    if child == 0:
        os._exit(as_nobody(read))
    os.read(begun[0], 1)
    with opened(place) as kb:
        (place / "more.md").write_text("# More\n\nIt stands.\n")
        kb.add(place / "more.md", into="viking://kb")
        os.write(written[1], b".")
        os.read(begun[0], 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for pipe in (*begun, *written):
        os.close(pipe)
