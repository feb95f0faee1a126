"""A program that kills writers of a knowledge base around its compactions, and checks what they leave.

    python compaction_killer.py FOLDER steps|times|bytes COUNT

Writers are forks, which die
    steps   at one crossing after the other into and out of what a compaction and a snapshot are made of;
    times   at COUNT moments over the whole of their time, in the middle of native code too;
    bytes   when the snapshot's file has so many bytes.
Each does the same changes, two compactions among them, and notes each one that was acknowledged. Then
another fork opens what is there: all that was acknowledged is whole, the one after it whole or absent, the
answers are those of an engine built anew from the catalog, rows are those of their objects; the changes
that are left are made, and again. Prints how often a writer was killed. This process itself opens nothing,
since a fork has none of its parent's threads.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyroaring import BitMap

import knarr
from by_hand import call, cite, held, listed, trace_by_hand
from knarr.engine import Engine
from knarr.index import index, snapshots
from knarr.testing import HashEmbedder

ROOT = "viking://kb"
Change = tuple[str, ...]
Documents = dict[str, str]

# --- What is changed -------------------------------------------------------------------------------


def text_of(name: str, version: int) -> str:
    return "".join(f"# Part {n}\n\nword{n} {name} of version{version} mark{name}{n}\n\n" for n in range(8))


BEFORE: list[Change] = [
    *(("add", folder, f"d{n}", "0") for folder in ("a", "b") for n in range(4)),
    ("learn", "first", f"{ROOT}/a/d3", f"{ROOT}/b/d2"),
    *(("add", "a", f"d{n}", "1") for n in range(2)),
]
CHANGES: list[Change] = [
    *(("add", folder, f"d{n}", "2") for folder in ("a", "b") for n in range(3)),  # one compaction
    ("learn", "second", f"{ROOT}/a/d1", f"{ROOT}/a/d3"),
    ("remove", f"{ROOT}/b"),
    ("move", f"{ROOT}/a", f"{ROOT}/b"),
    ("add", "b", "d0", "3"),
    ("add", "c", "d7", "3"),
    ("remove", f"{ROOT}/c/d7"),
    ("move", f"{ROOT}/b/d3", f"{ROOT}/c"),
    *(("add", "b", f"d{n}", "4") for n in range(3)),  # another
]


def change(kb: knarr.KnowledgeBase, wanted: Change, files: Path) -> None:
    kind, *rest = wanted
    if kind == "add":
        folder, name, version = rest
        path = files / folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(name, int(version)))
        assert kb.add(path, into=f"{ROOT}/{folder}").ok
    elif kind == "learn":
        trace, source, target = rest
        source, target = (kb.grep("Part 1|word1", uri).matches[0].uri for uri in (source, target))
        kb.experience.learn(
            trace_by_hand(trace, f"question {trace}", [call("Search", [source])], [cite(kb, target)])
        )
    elif kind == "remove":
        kb.remove(*rest)
    else:
        kb.move(*rest)


def changed(documents: Documents, wanted: Change) -> Documents:
    """The documents by URI after a change."""
    kind, *rest = wanted
    if kind == "add":
        folder, name, version = rest
        return documents | {f"{ROOT}/{folder}/{name}": text_of(name, int(version))}
    if kind == "remove":
        return {uri: text for uri, text in documents.items() if not (uri + "/").startswith(rest[0] + "/")}
    if kind == "move":
        source, target = rest
        return {
            target + uri[len(source) :] if (uri + "/").startswith(source + "/") else uri: text
            for uri, text in documents.items()
        }
    return documents


def states() -> list[Documents]:
    """The documents before and after each of CHANGES."""
    found: list[Documents] = [{}]
    for wanted in [*BEFORE, *CHANGES]:
        found.append(changed(found[-1], wanted))
    return found[len(BEFORE) :]


# --- What is left ----------------------------------------------------------------------------------


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path / "test.kb", embedder=HashEmbedder(64))


def documents_of(kb: knarr.KnowledgeBase) -> Documents:
    uris = {hit.source.document for hit in kb.search("word", k=10_000) if hit.source.version}
    assert len(uris) == kb.info()["documents"]
    return {uri: kb.read(uri).text for uri in uris}


def answers(kb: knarr.KnowledgeBase) -> list[Any]:
    """What tells one engine from another: every object, its score, text and edges."""
    found: list[Any] = [held(kb)]
    for query in ("word1 of version2", "question first", "d3 mark"):
        result = kb.search(query, k=10_000, kinds=None, plan="exact", gamma=0.5)
        found.append(sorted((hit.uri, round(hit.score, 4), hit.preview) for hit in result))
        found.append(sorted((edge.uri, edge.question) for edge in result.edges))
    for pattern in ("mark", "version[234]", "d[12] of"):
        matches = kb.grep(pattern, limit=10_000)
        found.append(sorted((match.uri, match.begin_byte, match.excerpt) for match in matches))
    return found


def check_rows(engine: Engine) -> None:
    """Rows are those of their objects: alone in a filter each gives its own."""
    query = HashEmbedder(64).embed(["word1"])[0]
    hits = engine.search(query, k=10_000)
    assert len(hits) == len(engine) == len(set(hits.rows.tolist()))
    for uri, row in zip(hits.uris, hits.rows.tolist(), strict=True):
        assert engine.search(query, filter=(BitMap([row]), engine.generation)).uris == [uri]


def check_whole(path: Path, kb: knarr.KnowledgeBase) -> None:
    """The engine is the one that the catalog makes, and holds the edges that the catalog lists."""
    assert held(kb) == listed(kb)
    check_rows(kb._index.engine)
    anew = path / "anew"
    shutil.copytree(path / "test.kb", anew / "test.kb", ignore=shutil.ignore_patterns("engine-*"))
    with opened(anew) as other:
        for expected, found in zip(answers(other), answers(kb), strict=True):
            assert found == expected, sorted({*found} ^ {*expected})[:6]
    shutil.rmtree(anew)


def check(path: Path, acknowledged: int) -> None:
    known = states()
    with opened(path) as kb:
        found = documents_of(kb)
        possible = [at for at in (acknowledged, acknowledged + 1) if at < len(known) and known[at] == found]
        assert possible, f"after {acknowledged} changes: {sorted(found)}"
        check_whole(path, kb)
        for wanted in CHANGES[possible[0] :]:
            change(kb, wanted, path / "files")
        assert documents_of(kb) == known[-1]
        check_whole(path, kb)
        before = answers(kb)
    assert list((path / "test.kb").glob("engine-*")) == [
        snapshots.path_of(path / "test.kb", index.RECIPE, kb._index._position)
    ]
    with opened(path) as kb:
        assert answers(kb) == before
        check_rows(kb._index.engine)


# --- Who is killed ---------------------------------------------------------------------------------


def forked(work: Callable[[], object]) -> int:
    """Do it in a fork; returns its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write(path: Path, prepare: Callable[[], object]) -> None:
    """All of CHANGES, with a byte in the file `acknowledged` for each that was."""
    prepare()
    with (path / "acknowledged").open("wb", buffering=0) as notes, opened(path) as kb:
        generation = kb._index.engine.generation
        for wanted in CHANGES:
            change(kb, wanted, path / "files")
            notes.write(b".")
        assert kb._index.engine.generation >= generation + 2


def die_at(step: int) -> None:
    """Be killed at the `step`-th crossing."""
    left = iter(range(step, -1, -1))

    def cross() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def guarded(room: Any, name: str) -> None:
        original = getattr(room, name)

        def both(*args: Any, **named: Any) -> Any:
            if name == "compact" and 2 * len(args[0]) > args[0].stats()["rows"]:
                return original(*args, **named)  # which will do nothing
            cross()
            result = original(*args, **named)
            cross()
            return result

        setattr(room, name, both)

    for room, name in ((Engine, "compact"), (Engine, "save"), (Path, "unlink"), (index.Index, "_move")):
        guarded(room, name)


def die_after(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)  # whose signal, not handled, kills


def die_when_saved(size_bytes: int) -> None:
    """Be killed by the write that would make a file of the snapshot longer than that."""
    original = Engine.save

    def save(self: Engine, path: Path) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))
        original(self, path)

    Engine.save = save  # type: ignore[method-assign]


def ways(how: str, count: int, path: Path) -> Iterator[Callable[[], object]]:
    if how == "steps":
        yield from (lambda step=step: die_at(step) for step in range(10_000))
    elif how == "times":
        began = time.monotonic()
        assert forked(lambda: write(path, lambda: None)) == 0
        seconds, chance = time.monotonic() - began, random.Random(3)
        yield from (lambda: die_after(chance.uniform(0.1, 1.0) * seconds) for _ in range(count))
    else:
        (snapshot,) = (path.parent / "base" / "test.kb").glob("engine-*.snapshot")
        size = snapshot.stat().st_size
        yield from (lambda n=n: die_when_saved(n) for n in (0, 64, size // 2, size * 9 // 10))


def main(folder: Path, how: str, count: int) -> None:
    base, path = folder / "base", folder / "k"

    def make() -> None:
        with opened(base) as kb:
            for wanted in BEFORE:
                change(kb, wanted, base / "files")

    base.mkdir()
    assert forked(make) == 0
    shutil.copytree(base, path)
    killed = 0
    for prepare in ways(how, count, path):
        shutil.rmtree(path)
        shutil.copytree(base, path)
        status = forked(lambda prepare=prepare: write(path, prepare))
        assert status in (0, -signal.SIGKILL, -signal.SIGALRM, -signal.SIGXFSZ), status
        notes = path / "acknowledged"
        acknowledged = notes.stat().st_size if notes.exists() else 0
        assert forked(lambda done=acknowledged: check(path, done)) == 0, (killed, status)
        killed += status != 0
        if status == 0 and how == "steps":
            break
    print(killed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
