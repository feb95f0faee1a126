"""Hostile folders: ignore files, links and loops, what cannot be told by its name, jobs and watching (SEC-01, NS-03)."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from knarr.writing import walk
from knarr.writing.files import printable
from knarr.writing.ignore import Ignored, patterns_in, patterns_of
from support import WriteDocs

INTO = "viking://kb"


def shown(report: knarr.AddReport) -> dict[str, str]:
    return {file.path: file.status for file in report.files}


# -- ignore ---------------------------------------------------------------------------------------------

PATTERNS = (
    "a", "/a", "a/", "*.c", "**/a", "a/**", "a/**/b", "!a", "!b/", "\\!a", "\\#a", "#a", "a\\ ", "a ", "[[:alpha:]]b",
    "[!a]", "[^a]b", "[a-c]", "[]a]", "[a/b]c", "a[", "a\\", "***", "a/***/b", "/**", "[a-]", "[\\]]", "?b", "b?c",
    "[[:x:]]", "[[:alpha:]-b]", "**", "**/", "a*b*c", "*/b", "a/*", "/a/b/", "!*.c", "[b-a]", "", "/", "!",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="git says what a .gitignore means")
def test_patterns_mean_what_git_says(tmp_path: Path) -> None:
    rng = random.Random(7)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    asked: dict[str, bool] = {}
    for number in range(150):
        lines = [rng.choice(PATTERNS) for _ in range(rng.randint(1, 3))]
        ignored = Ignored().below(0, "x", patterns_in("\r\n".join(lines).encode()))
        folder = tmp_path / f"r{number}"
        folder.mkdir()
        (folder / ".gitignore").write_bytes("\r\n".join(lines).encode() + b"\n")
        for _ in range(12):
            names = tuple(
                rng.choice(("a", "b", "ab", "a.c", "bc", "bbc", "c")) for _ in range(rng.randint(1, 4))
            )
            is_folder = rng.random() < 0.4
            path = folder.joinpath(*names)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.mkdir(exist_ok=True) if is_folder else path.touch()
            except OSError:
                continue
            steps = [(names[:size], size < len(names) or path.is_dir()) for size in range(1, len(names) + 1)]
            asked["/".join((f"r{number}", *names))] = any(ignored.why(*step) for step in steps)
    command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "--stdin", "-z"]
    said = subprocess.run(
        command, input="\0".join(asked) + "\0", capture_output=True, text=True, check=False
    ).stdout
    assert {path for path, mine in asked.items() if mine} == set(said.split("\0")) - {""}
    assert len(set(asked.values())) == 2 and len(asked) > 1000


def test_a_pattern_cannot_hang(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    """Each star of these would multiply the time of a matcher that goes back to every one."""
    ignored = Ignored(given=patterns_of(["*a" * 100 + "b", "**/a/" * 100 + "b", "[a-z]*" * 100 + "!"]))
    assert not ignored.why(("a" * 255,), False) and not ignored.why(("a",) * 100, True)


def test_what_an_ignore_file_names_is_no_part_of_the_folder(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs(
        {"a.md": "word a", "build/x.md": "word x", "sub/tmp.md": "word t", "sub/keep.md": "word k"}
    )
    kb.sync(docs, into=INTO)
    write_docs({".knarrignore": "build/\n*.tmp\n", "sub/.knarrignore": "*\n!keep.md\n", "b.tmp": "word b"})
    report = kb.sync(docs, into=INTO, ignore=["c*"])
    assert {(one.uri, one.why) for one in report.removed} == {
        (f"{INTO}/build/x", "ignored by .knarrignore: build/"),
        (f"{INTO}/sub/tmp", "ignored by sub/.knarrignore: *"),
    }
    assert report.ok and [match.excerpt for match in kb.grep("word")] == ["word a", "word k"]
    assert kb.add(docs, into=INTO).count("unchanged") == 2


# -- links, loops and names -----------------------------------------------------------------------------


def test_links_inside_are_followed_where_that_is_wanted(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    docs = write_docs(
        {"real/x.md": "word x", "real/deep/y.md": "word y", "z.md": "word z", ".git/s.md": "secret"}
    )
    (tmp_path / "docs-private").mkdir()
    (tmp_path / "docs-private" / "secret.md").write_text("secret")
    links = {
        "file.md": "z.md", "folder": "real", "again": "real", "real/loop": "..", "real/deep/self": ".",
        "etc": "/etc", "out.md": "../docs-private/secret.md", "beside": "../docs-private", "hidden": ".git",
        "chain.md": "file.md", "by_way": "folder/deep", "nowhere": "missing", "round": "round", "absolute": str(docs),
        "dev": "/dev/zero", "proc": "/proc/self",
    }  # fmt: skip
    for name, target in links.items():
        (docs / name).symlink_to(target)
    os.mkfifo(docs / "pipe.md")
    (docs / "to_pipe.md").symlink_to("pipe.md")
    report = kb.sync(docs, into=INTO)
    assert [path for path, status in shown(report).items() if status == "ok"] == [
        "z.md",
        "real/x.md",
        "real/deep/y.md",
    ]
    report = kb.sync(docs, into=INTO, links="follow-inside")
    read = {path for path, status in shown(report).items() if status == "ok"}
    assert {"z.md", "file.md", "chain.md", "real/x.md", "real/deep/y.md", "by_way/y.md"} <= read
    assert {"again/x.md", "again/deep/y.md"} <= read and "folder/x.md" not in read  # entered by a link once
    assert len(kb.grep("secret")) == 0 and len(kb.grep("root:")) == 0
    left = {file.path: file.notes[0] for file in report.files if not file.ready}
    assert "leads out" in left["etc"] and "leads out" in left["beside"] and "lies in" in left["real/loop"]
    # Without the links their documents have files that are not read.
    assert not kb.sync(docs, into=INTO).removed
    removed = kb.sync(docs, into=INTO, when_unreadable="remove").removed
    assert {one.uri for one in removed} == {f"{INTO}/file", f"{INTO}/chain"}


def test_a_link_that_is_turned_outwards_meanwhile_is_not_followed(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"real/x.md": "word x", "ok.md": "word"})
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "x.md").write_text("secret")
    (docs / "link.md").symlink_to("real/x.md")
    target = walk._Walk._target

    def turned(self: walk._Walk, real: tuple[str, ...], name: str) -> tuple[str, ...] | None:
        found = target(self, real, name)
        (docs / "real").rename(docs / "was")
        (docs / "real").symlink_to(tmp_path / "private")
        return found

    monkeypatch.setattr(walk._Walk, "_target", turned)
    report = kb.sync(docs, into=INTO, links="follow-inside")
    assert shown(report)["link.md"] == "unreadable" and len(kb.grep("secret")) == 0


def test_odd_names_are_told_and_told_apart(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {"good.md": "word", "TCP%2FIP.md": "word", "a?b#c.md": "word", "..x.md": "word", "a b.md": "word"}
    )
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("word")
    first = kb.sync(docs, into=INTO)
    assert first.count("added") == 5 and printable(os.fsdecode(b"caf\xe9.md")) in shown(first)
    (docs / "TCP%2FIP.md").rename(docs / "a?b#c (2).md")
    report = kb.sync(docs, into=INTO)
    assert [one.uri for one in report.moved] == [f"{INTO}/a%3Fb%23c_(2)"] and not report.removed
    assert kb.read(report.moved[0].uri).text == "word"


def test_too_many_files_are_refused_whole(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_ENTRIES", 4)
    docs = write_docs({f"{number}.md": "word" for number in range(5)})
    with pytest.raises(knarr.InvalidArgument, match="more than 4 files and folders"):
        kb.sync(docs, into=INTO)
    assert len(kb.jobs) == 0


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_one_name_in_another_form_is_one_document_on_every_path(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    docs = write_docs({f"{COMPOSED}/{COMPOSED}.md": "word one", f"x/{COMPOSED}.md": "word x"})
    kb.sync(docs, into=f"viking://{DECOMPOSED}")
    (docs / COMPOSED).rename(docs / DECOMPOSED)
    (docs / DECOMPOSED / f"{COMPOSED}.md").rename(docs / DECOMPOSED / f"{DECOMPOSED}.md")
    embedder.calls = 0
    report = kb.sync(docs, into=f"viking://{COMPOSED}/")
    assert len(report.unchanged) == 2 and not report.changed and embedder.calls == 0
    assert kb.add(docs, into=f"viking://{DECOMPOSED}").count("unchanged") == 2
    name = f"viking://{COMPOSED}/{COMPOSED}/{COMPOSED}"
    spellings = (
        name, f"{name}/", name.replace(COMPOSED, DECOMPOSED), name.replace("\u00e9", "%C3%A9"),
        name.replace("\u00e9", "%c3%a9"), name.replace("c", "%63"), name.replace("\u00e9", "e%CC%81"),
    )  # fmt: skip
    for uri in spellings:
        assert kb.read(uri).text == "word one" and kb.document(uri).uri == name
        assert len(kb.grep("word", uri)) == len(kb.search("word", uri)) == 1 and kb.list(uri).total
    for uri in spellings:
        assert kb.move(uri, "viking://t/u") == kb.move("viking://t/u/", uri) == 1
    assert kb.remove(spellings[2]) == 1
    # Both at once are two.
    write_docs({f"x/{DECOMPOSED}.md": "word y"})
    report = kb.sync(docs / "x", into=f"viking://{COMPOSED}/x")
    assert len(report.added) == len(report.unchanged) == 1


# -- jobs and watching ----------------------------------------------------------------------------------


def test_jobs_are_listed_and_bounded(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from knarr.catalog import jobs

    monkeypatch.setattr(jobs, "MAX_JOBS", 3)
    docs = write_docs({"a.md": "word a", "empty.md": ""})
    kb.add([docs, docs / "a.md"], into=INTO)
    kb.sync(str(docs), into=INTO)
    last, first = kb.jobs
    assert (first.kind, first.state, first.arguments["paths"]) == (
        "add",
        "done",
        [str(docs), str(docs / "a.md")],
    )
    assert last.counts == {"unchanged": 1, "empty": 1} and last.arguments["folder"] == str(docs)
    with pytest.raises(knarr.InvalidArgument, match="is done"):
        kb.jobs.resume(last.id)
    with pytest.raises(knarr.NotFound):
        kb.jobs.resume(99)
    with pytest.raises(knarr.InvalidArgument):
        kb.add(tmp_path / "missing", into=INTO)
    for _ in range(4):
        kb.sync(docs, into=INTO)
    assert [job.id for job in kb.jobs] == sorted((job.id for job in kb.jobs), reverse=True) and len(
        kb.jobs
    ) == 3


def test_a_job_without_its_process_is_interrupted(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "word a"})

    def stop(_done: int, _total: int, name: str) -> None:
        states.append(next(iter(kb.jobs)).state)
        raise KeyboardInterrupt

    states: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        kb.add(docs, into=INTO, progress=stop)
    assert states == ["running"] and next(iter(kb.jobs)).state == "interrupted"
    from knarr.catalog import jobs
    from knarr.writing.jobs import _host

    with kb._catalog.writing() as connection:
        number = jobs.begin(connection, "add", {"paths": [str(docs)], "into": INTO}, "", f"1 0 {_host()}")
    assert kb.jobs.get(number).state == "interrupted"
    assert kb.jobs.resume(number).count("added") == 1


def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    from knarr.writing import watch

    for name, value in {"_QUIET_MS": 50, "_TICK_MS": 50, "_RETRY_S": (0.05,)}.items():
        monkeypatch.setattr(watch, name, value)


@pytest.mark.parametrize("polling", [False, True])
def test_a_watch_follows_bursts_and_survives_errors(
    kb: knarr.KnowledgeBase,
    write_docs: WriteDocs,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    polling: bool,
) -> None:
    from knarr.writing.watch import watch

    watched(monkeypatch)
    docs = write_docs({"a.md": "word a"})
    outcomes: Iterator[object] = watch(
        docs, lambda: kb.sync(docs, into=INTO), beside=kb.path, polling=polling
    )
    first = next(outcomes)
    assert isinstance(first, knarr.SyncReport) and len(first.added) == 1

    def after(change: object) -> knarr.SyncReport:
        """What the watch tells next, of a change that is made while it waits."""
        timer = threading.Timer(0.3, change)  # type: ignore[arg-type]
        timer.start()
        while not isinstance(told := next(outcomes), knarr.SyncReport):
            errors.append(told)
        timer.join()
        return told

    errors: list[object] = []
    burst = after(lambda: write_docs({f"b{number}.md": f"word {number}" for number in range(9)}))
    rest = [burst]
    while sum(len(report.added) for report in rest) < 9:
        rest.append(next(outcomes))  # type: ignore[arg-type]
    assert len(rest) <= 3
    (docs / "sub").mkdir()
    assert len(after(lambda: (docs / "a.md").rename(docs / "sub" / "a.md")).moved) == 1
    docs.rename(tmp_path / "away")
    assert not after(lambda: (tmp_path / "away").rename(docs) and write_docs({"back.md": "word"})).removed
    assert errors and "no such folder" in str(errors[0])
    outcomes.close()  # type: ignore[attr-defined]


def test_the_command_line_watches_until_it_is_told_to_end(tmp_path: Path, write_docs: WriteDocs) -> None:
    docs = write_docs({"a.md": "word a"})
    code = (
        "import sys, knarr; from knarr.testing import HashEmbedder; real = knarr.open\n"
        "knarr.open = lambda path, **more: real(path, embedder=HashEmbedder(8), **more)\n"
        "from knarr.cli import main; main(sys.argv[1:])"
    )
    command = ["sync", str(docs), "--into", INTO, "--kb", str(tmp_path / "w.kb"), "--watch", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert '"added"' in process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and "no longer watching" in err and "Traceback" not in err and not out
