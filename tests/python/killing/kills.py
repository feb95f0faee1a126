"""Writers that are killed at random moments and at the n-th call that changes a file, and what they leave.

A writer does a seeded mix of every verb (`verbs.VERBS`) and acknowledges each by a byte in a file. After the kill a
fork opens what is there and holds it against the acknowledged states: the last acknowledged one, or a state that the
next operation passes through. Nothing that was removed is found or quoted; search, grep, list and read agree; the
catalog's structure is sound; an engine built anew from the catalog answers the same; the rest of the mix can be done.

This process itself opens nothing, since a fork has none of its parent's threads.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import knarr
from by_hand import held, listed
from killing.verbs import ROOT, VERBS, State, Step, mark_of, planned
from knarr.catalog.examination import structure
from knarr.catalog.opening import connect
from knarr.testing import HashEmbedder

STEPS = 24
SOURCE = Path(__file__).with_name("nth_call.c")


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path / "test.kb", embedder=HashEmbedder(32))


# --- what is left ----------------------------------------------------------------------------------


def objects(kb: knarr.KnowledgeBase) -> dict[str, str]:
    """Every object that can be found, with its text."""
    found = kb.search("the mark stands in part of this text", k=10_000, kinds=None, plan="exact")
    return {hit.uri: kb.read(hit.uri).text for hit in found}


def texts_of(kb: knarr.KnowledgeBase) -> dict[str, str]:
    found = kb.search("mark stands", k=10_000)
    texts = {uri: kb.read(uri).text for uri in {hit.source.document for hit in found}}
    assert len(texts) == kb.info()["documents"], (sorted(texts), kb.info())
    return texts


def check_agreement(kb: knarr.KnowledgeBase, texts: dict[str, str]) -> None:
    """List and grep show the documents that search does."""
    seen: set[str] = set()
    waiting = [ROOT] if texts else []
    while waiting:
        for entry in kb.list(waiting.pop(), limit=1_000).entries:
            uri = entry.uri.rstrip("/")
            if uri in texts:
                seen.add(uri)
            elif entry.is_directory:
                waiting.append(uri)
    assert seen == texts.keys(), (sorted(seen), sorted(texts))
    assert {match.document for match in kb.grep("mark\\w+ stands", limit=10_000)} == texts.keys()


def check_nothing_gone_is_quoted(kb: knarr.KnowledgeBase, texts: dict[str, str], ever: set[str]) -> None:
    """No object, and no directory's abstract, holds the mark of a text that is no longer there."""
    gone = ever - {mark_of(text) for text in texts.values()}
    shown = objects(kb)
    places = {uri.rpartition("/")[0] for uri in texts} | {ROOT, "viking://"}
    shown |= {f"abstract of {place}": kb.list(place).abstract for place in places if texts}
    for uri, text in shown.items():
        assert not gone & set(text.split()), f"{uri} quotes {gone & set(text.split())}"
    for mark in sorted(gone)[:3]:
        assert not kb.grep(mark, literal=True).matches


def check_anew(path: Path, kb: knarr.KnowledgeBase) -> None:
    """An engine that is built from the catalog alone holds the same."""
    anew = path / "anew"
    shutil.copytree(path / "test.kb", anew / "test.kb", ignore=shutil.ignore_patterns("engine-*"))
    with opened(anew) as other:
        assert objects(other) == objects(kb) and held(other) == held(kb) == listed(kb)
    shutil.rmtree(anew)


def check_state(kb: knarr.KnowledgeBase, states: Sequence[State]) -> State:
    texts = texts_of(kb)
    found = [state for state in states if state.texts == texts]
    assert found, f"{sorted(texts)} is none of {[sorted(state.texts) for state in states]}"
    ids = {row[0] for row in kb.traces.list(10_000)}
    assert len(ids) >= min(state.stored for state in found), "an acknowledged trace is lost"
    active = {edge.trace for edge in kb.experience.edges(limit=10_000)}
    allowed: set[str] = set().union(*(state.taught for state in found))
    assert active <= allowed, f"{active - allowed} was taken back"
    assert not kb.info().get("damaged")
    return found[-1]


def check(path: Path, steps: Sequence[Step], acknowledged: int) -> None:
    """What a kill after `acknowledged` operations left."""
    ever = {mark_of(text) for step in steps for state in step.after for text in state.texts.values()}
    states = [steps[acknowledged - 1].after[-1]] if acknowledged else [State()]
    if acknowledged < len(steps):
        states += steps[acknowledged].after
    catalog = path / "test.kb" / "catalog.sqlite"
    if catalog.exists():
        with closing(connect(catalog, "ro")) as raw:
            assert structure(raw) == []
    with opened(path) as kb:
        state = check_state(kb, states)
        check_nothing_gone_is_quoted(kb, state.texts, ever)
        check_agreement(kb, state.texts)
        check_anew(path, kb)
        for step in steps[acknowledged:]:
            if set(step.before.texts) == set(texts_of(kb)) or step.verb in ("add", "add_batch"):
                VERBS[step.verb].do(kb, path / "files", step.args)
        texts = texts_of(kb)
        check_nothing_gone_is_quoted(kb, texts, ever)
        check_agreement(kb, texts)
        check_anew(path, kb)
    left = [one.name for one in (path / "test.kb").iterdir() if one.suffix in (".tmp", ".new", ".damaged")]
    assert not left, left


# --- who is killed ---------------------------------------------------------------------------------


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


def write(path: Path, steps: Sequence[Step], prepare: Callable[[], object]) -> None:
    """All steps, with a byte in the file `acknowledged` for each that was."""
    with (path / "acknowledged").open("wb", buffering=0) as notes:
        prepare()
        with opened(path) as kb:
            for step in steps:
                VERBS[step.verb].do(kb, path / "files", step.args)
                notes.write(b".")


def library() -> Any:
    """The preloaded library that kills at the n-th call; None without it."""
    found = ctypes.CDLL(None)
    return found if hasattr(found, "nth_call_arm") else None


def run(folder: Path, seed: str, prepare: Callable[[], object]) -> bool:
    """One writer, and what it leaves; whether it was killed. Raises AssertionError for a fault."""
    path = folder / "k"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    steps = planned(seed, STEPS)
    status = forked(lambda: write(path, steps, prepare))
    assert status in (0, -signal.SIGKILL, -signal.SIGALRM), f"{seed}: the writer failed ({status})"
    done = (path / "acknowledged").stat().st_size
    assert forked(lambda: check(path, steps, done)) == 0, f"{seed}: killed after {done} of {STEPS} steps"
    return status != 0


def measure(folder: Path, seed: str) -> tuple[float, int]:
    """Seconds and calls of a whole writer that is not killed."""
    path, steps, calls = folder / "m", planned(seed, STEPS), folder / "calls"
    path.mkdir(parents=True)

    def whole() -> None:
        write(path, steps, lambda: arm(0))
        calls.write_text(str(library().nth_call_seen() if library() else 0))

    began = time.monotonic()
    assert forked(whole) == 0
    seconds = time.monotonic() - began
    shutil.rmtree(path)
    return seconds, int(calls.read_text())


def arm(calls: int) -> None:
    if library():
        library().nth_call_arm(ctypes.c_long(calls))


def main(folder: Path, count: int, seed: int = 1) -> int:
    """Kill `count` writers, every other one at a call where that can be; returns how many were. Prints faults."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds, calls = measure(folder, f"{seed}-0")
    killed = faults = 0
    for number in range(count):
        name = f"{seed}-{number}"
        chance = random.Random(f"kill {name}")
        at_call = calls > 0 and number % 2 == 0
        nth, after = chance.randrange(1, max(2, calls)), chance.uniform(0.02, 1.0) * seconds

        def prepare(at_call: bool = at_call, nth: int = nth, after: float = after) -> None:
            if at_call:
                arm(nth)
            else:
                signal.setitimer(signal.ITIMER_REAL, after)  # whose signal, not handled, kills

        try:
            killed += run(folder, name, prepare)
        except AssertionError as error:
            faults += 1
            where = f"call {nth}" if at_call else f"{after:.3f} s"
            print(f"FAULT at {where}: {error}", file=sys.stderr, flush=True)
            shutil.copytree(folder / "k", folder / f"fault-{name}", dirs_exist_ok=True)
        if number % 10 == 9:
            print(f"{number + 1} writers, {killed} killed, {faults} faults", file=sys.stderr, flush=True)
    print(f"{count} writers, {killed} killed, {faults} faults", flush=True)
    return killed if not faults else -faults


def preloaded(folder: Path) -> dict[str, str]:
    """The environment for killing at calls; nothing where there is no compiler."""
    if shutil.which("cc") is None:
        return {}
    target = folder / "nth_call.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", target, SOURCE, "-ldl"], check=True)
    return {"LD_PRELOAD": str(target)}


if __name__ == "__main__":
    place = Path(sys.argv[1]).absolute()
    place.mkdir(parents=True, exist_ok=True)
    if library() is None and (more := preloaded(place)):
        os.execve(sys.executable, [sys.executable, "-m", "killing.kills", *sys.argv[1:]], os.environ | more)
    sys.exit(main(place, *map(int, sys.argv[2:])) < 0)
