"""Abstracts by a model: killed, refused, too large, unreachable (PER-02)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import knarr
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatReply, ChatRequest
from knarr.testing import HashEmbedder
from support import WriteDocs
from telling import Teller, prose, shown, told
from told_base import SETTINGS, everything, prompt_tokens


@pytest.mark.parametrize("after", [1, 2, 4, 7, 8])
def test_what_was_made_before_an_end_is_not_asked_again(filled: knarr.KnowledgeBase, after: int) -> None:
    class End(BaseException):
        pass

    given: list[str] = []
    lock = threading.Lock()

    def tell(request: ChatRequest) -> ChatReply:
        with lock:
            if len(given) >= after:
                raise End
            given.append(shown(request))
        return told(request)

    with pytest.raises(End):
        filled.abstracts.make(chat=Teller(tell))
    chat = Teller()
    report = filled.abstracts.make(chat=chat)
    assert report.ok and not set(given) & {shown(request) for request in chat.requests}
    assert len(given) + chat.calls == 9


KILLED = """
import os, signal, sys
import knarr
from knarr.testing import HashEmbedder
from telling import Teller, told

path, after = sys.argv[1], int(sys.argv[2])
settings = knarr.Settings(abstract_tokens=24, abstract_prompt_tokens=600, abstract_threads=1)
calls = 0

def tell(request):
    global calls
    calls += 1
    if calls > after:
        os.kill(os.getpid(), signal.SIGKILL)
    return told(request)

base = knarr.open(path, embedder=HashEmbedder(dim=64), settings=settings)
base.abstracts.make(chat=Teller(tell))
"""


@pytest.mark.parametrize("after", [0, 3, 6, 8])
def test_a_kill_costs_at_most_the_call_that_ran(
    tmp_path: Path, filled: knarr.KnowledgeBase, after: int
) -> None:
    filled.close()
    path = tmp_path / "test.kb"
    places = [str(Path(knarr.__file__).parents[1]), str(Path(__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(after)],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(places)),
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    with knarr.open(path, embedder=HashEmbedder(dim=64), settings=SETTINGS) as again:
        assert len(again.grep("anchor")) > 0 and again.info()["documents"] == 2
        chat = Teller()
        assert again.abstracts.make(chat=chat).ok and chat.calls == 9 - after
        resumed = everything(again)
    # As if nothing had happened.
    with knarr.open(tmp_path / "whole.kb", embedder=HashEmbedder(dim=64), settings=SETTINGS) as whole:
        whole.add(tmp_path / "docs", into="viking://ship")
        whole.abstracts.make(chat=Teller())
        assert everything(whole) == resumed


FAULTS: list[tuple[object, str]] = [
    (ChatReply(""), "an empty reply"),
    (ChatReply("I'm sorry, I cannot do that."), "a refusal"),
    (ChatReply("Founded in 1873."), "1873"),
    (ChatReply("", reasoning="Anchors, surely."), "an empty reply"),
    (ChatError("no such host"), "no such host"),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
def test_a_node_falls_back_to_its_extractive_abstract(
    filled: knarr.KnowledgeBase, fault: object, reason: str
) -> None:
    def tell(request: ChatRequest) -> ChatReply:
        if not shown(request).startswith("Title:\n> Part 1 of Sails"):
            return told(request)
        if isinstance(fault, Exception):
            raise fault
        assert isinstance(fault, ChatReply)
        return fault

    leaf = "viking://ship/Sails/doc/Sails/Part_1_of_Sails/"
    before = everything(filled)[leaf]
    report = filled.abstracts.make(chat=Teller(tell))
    assert not report.ok and sum(report.fallback.values()) == 1
    assert reason in next(iter(report.fallback)) and report.failures[0][0] == leaf.rstrip("/")
    assert everything(filled)[leaf] == before
    assert report.made == 8 and report.made + 1 + report.shared + report.short == report.nodes
    (hit,) = filled.search("anchor", scope=leaf, k=2, kinds=("abstract",))
    assert hit.uri == leaf + ".abstract.md"
    # What the model will not tell is not asked again; a failure of the server is.
    chat = Teller()
    filled.abstracts.make(chat=chat)
    assert chat.calls == (2 if isinstance(fault, ChatError) else 0)


def test_a_dead_server_is_not_asked_for_ever(library: tuple[knarr.KnowledgeBase, Path]) -> None:
    base, _ = library

    def tell(request: ChatRequest) -> ChatReply:
        raise ChatError("connection refused")

    chat = Teller(tell)
    report = base.abstracts.make(chat=chat)
    assert chat.calls < 12 and "times in a row (an error of the model: connection refused)" in report.stopped
    assert report.left > 50 and not report.ok


def test_a_request_that_does_not_fit_is_made_smaller(
    base: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    base.add(write_docs({"a.txt": prose("a", 3000)}))

    def tell(request: ChatRequest) -> ChatReply:
        if prompt_tokens(request) > 450:
            raise ContextOverflow("too long")
        return told(request)

    chat = Teller(tell)
    assert base.abstracts.make(chat=chat).made == 1 and chat.calls == 2


@pytest.mark.parametrize("window", [500, 560])
def test_a_small_window_bounds_the_request(
    base: knarr.KnowledgeBase, write_docs: WriteDocs, window: int
) -> None:
    base.add(write_docs({"a.txt": prose("a", 3000)}))
    chat = Teller(window_tokens=window)
    assert base.abstracts.make(chat=chat).made == 1
    (request,) = chat.requests
    assert prompt_tokens(request) + (request.max_tokens or 0) <= window


def test_a_model_that_thinks_first_gets_room_to_speak(filled: knarr.KnowledgeBase) -> None:
    def tell(request: ChatRequest) -> ChatReply:
        if (request.max_tokens or 0) < 300:
            return ChatReply("", reasoning="Let me think", cut=True)
        return told(request)

    report = filled.abstracts.make(chat=Teller(tell))
    assert report.ok and report.made == 9
    assert not any("think" in text for text in everything(filled).values())
