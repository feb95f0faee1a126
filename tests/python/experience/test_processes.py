"""Learning across processes: killed at any step it is whole or absent (PER-02), and others see it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from by_hand import FEE, LOAN, QUESTION, ROOM, MakeTrace, call, cite, held, listed
from knarr.testing import HashEmbedder
from knarr.trace.record import Trace

LEARN = """
import os, signal, sys
import knarr
from knarr.catalog import changes, experience, vectors
from knarr.index.index import Index
from knarr.testing import HashEmbedder
from knarr.trace.record import Trace

path, step = sys.argv[1:]
trace = Trace.from_json(sys.stdin.read())
kb = knarr.open(path, embedder=HashEmbedder(dim=64))

def die(*_args, **_named):
    os.kill(os.getpid(), signal.SIGKILL)

def after(call):
    def both(*args, **named):
        call(*args, **named)
        die()
    return both

if step == "before":
    vectors.put = die
elif step == "vector":
    experience.put = die
elif step == "edges":
    experience.log = die
elif step == "logged":
    experience.log = after(experience.log)
elif step == "committed":
    Index.follow = die
print(kb.experience.learn(trace))
if step == "closed":
    kb.close()
"""


@pytest.fixture
def lesson(base: knarr.KnowledgeBase, make_trace: MakeTrace) -> Trace:
    return make_trace(QUESTION, [call("Search", [LOAN, ROOM])], [cite(base, FEE)])


def learn_elsewhere(path: Path, trace: Trace, step: str) -> int:
    """Learn in another process, which dies at a step; returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": str(Path(knarr.__file__).parents[1])}
    command = [sys.executable, "-c", LEARN, str(path), step]
    done = subprocess.run(
        command, input=trace.dumps(), text=True, capture_output=True, env=environment, check=False
    )
    assert done.returncode == -signal.SIGKILL or done.stdout == "2\n", done.stderr
    return done.returncode


@pytest.mark.parametrize("step", ["before", "vector", "edges", "logged", "committed"])
def test_a_kill_while_learning_leaves_all_or_nothing(
    base: knarr.KnowledgeBase, lesson: Trace, tmp_path: Path, embedder: HashEmbedder, step: str
) -> None:
    whole = [(LOAN, FEE, lesson.id), (ROOM, FEE, lesson.id)]
    assert learn_elsewhere(tmp_path / "test.kb", lesson, step) == -signal.SIGKILL
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as again:
        assert held(again) == listed(again) == (whole if step == "committed" else [])
        again.experience.learn(lesson)
        assert held(again) == listed(again) == whole
    base.refresh()
    assert held(base) == whole


def test_another_process_sees_what_was_learnt_after_its_refresh(
    base: knarr.KnowledgeBase, lesson: Trace, tmp_path: Path
) -> None:
    assert base.search(QUESTION, k=9, gamma=0.8).edges == ()
    seq = base.library.edition
    assert learn_elsewhere(tmp_path / "test.kb", lesson, "closed") == 0
    assert base.refresh()
    assert [hit.uri for hit in base.search(QUESTION, k=9, gamma=0.8).edges] == [FEE]
    assert base.library.edition == seq  # no document changed: what is kept of them stays
    assert base.experience.learn(lesson) == 0


def test_learning_waits_for_nobody_who_adds_documents(
    base: knarr.KnowledgeBase, lesson: Trace, tmp_path: Path
) -> None:
    with base._catalog.exclusive():
        assert learn_elsewhere(tmp_path / "test.kb", lesson, "closed") == 0
