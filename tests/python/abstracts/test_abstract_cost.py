"""Abstracts by a model: bounded, estimated, and nothing for what did not change (ING-11)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import knarr
from knarr.catalog.schema import model_abstracts
from knarr.errors import ChatError
from knarr.models.chat import ChatReply, ChatRequest
from knarr.testing import HashEmbedder
from support import WriteDocs
from telling import Teller, manual, prose, shown, told
from told_base import SETTINGS, everything, prompt_tokens, rows


def test_cost_is_bounded_reported_and_nothing_when_nothing_changed(
    library: tuple[knarr.KnowledgeBase, Path], embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    base, docs = library
    chat = Teller()
    report = base.abstracts.make(chat=chat)
    # Each note's section, the large text, and the folder above them all.
    assert report.ok and report.made == chat.calls == 62 and report.sampled == 2
    assert all(prompt_tokens(request) <= SETTINGS.abstract_prompt_tokens for request in chat.requests)
    assert report.tokens == sum(map(prompt_tokens, chat.requests)) + report.usage.completion_tokens
    assert any("of 61, spread evenly" in shown(request) for request in chat.requests)
    assert any("from 4 places" in shown(request) for request in chat.requests)

    chat, embedder.calls = Teller(), 0
    assert base.add(docs, into="viking://library").count("unchanged") == 61
    again = base.abstracts.make(chat=chat)
    assert (chat.calls, embedder.calls, again.made, again.tokens) == (0, 0, 0, 0)
    assert again.cached == 62

    before = everything(base)
    write_docs({"part030/note.md": f"# Note 30\n\n{prose('new', 60)}\n"})
    base.add(docs, into="viking://library")
    chat, embedder.texts = Teller(), 0
    report = base.abstracts.make(chat=chat)
    # The changed section and the library above it: its document and folder take over what they hold.
    assert report.made == chat.calls <= 2 and report.cached >= 60
    assert embedder.texts <= 5
    changed = {uri for uri, text in everything(base).items() if before[uri] != text}
    assert changed <= {
        "viking://",
        "viking://library/",
        "viking://library/part030/",
        "viking://library/part030/note/",
        "viking://library/part030/note/Note_30/",
    }
    assert "viking://library/part030/note/Note_30/" in changed


def test_the_limit_is_never_passed_and_the_next_job_goes_on(
    library: tuple[knarr.KnowledgeBase, Path],
) -> None:
    base, _ = library
    chats, limit = [Teller()], 4000
    report = base.abstracts.make(chat=chats[0], max_tokens=limit)
    assert report.tokens <= limit and 0 < report.made < 62 and not report.ok
    assert report.left > 0 and "4000 tokens" in report.stopped and report.limit == limit
    assert report.made + report.left + report.short + report.shared == report.nodes
    assert len(base.search("anchor", k=500, kinds=("abstract",))) == report.nodes
    while not report.ok:
        chats.append(Teller())
        report = base.abstracts.make(chat=chats[-1], max_tokens=limit)
        assert report.tokens <= limit and report.made > 0
    # Nothing was asked twice, and all is as if there had been no limit.
    asked = [shown(request) for chat in chats for request in chat.requests]
    assert len(asked) == len(set(asked)) == 62


def test_a_limit_too_small_for_any_call_makes_none(filled: knarr.KnowledgeBase) -> None:
    before, chat = everything(filled), Teller()
    report = filled.abstracts.make(chat=chat, max_tokens=10)
    assert chat.calls == report.tokens == 0 and report.left > 0 and everything(filled) == before


def test_a_dry_run_calls_nothing_and_bounds_what_follows(library: tuple[knarr.KnowledgeBase, Path]) -> None:
    base, _ = library
    before, chat = everything(base), Teller()
    plan = base.abstracts.estimate(chat=chat)
    assert chat.calls == 0 and plan.dry_run and everything(base) == before
    assert rows(base, model_abstracts) == 0
    real = base.abstracts.make(chat=chat)
    assert real.usage.calls == plan.usage.calls == plan.made == 62
    assert real.usage.prompt_tokens <= plan.usage.prompt_tokens <= 1.5 * real.usage.prompt_tokens + 64 * 62
    assert real.tokens <= plan.tokens <= 2.5 * real.tokens
    assert base.abstracts.estimate(chat=chat).usage.calls == 0


def test_an_estimate_needs_no_model_and_knows_prices(tmp_path: Path, write_docs: WriteDocs) -> None:
    settings = SETTINGS.model_copy(update={"chat_prices": (2.0, 1.0, 8.0)})
    with knarr.open(tmp_path / "p.kb", embedder=HashEmbedder(), settings=settings) as base:
        base.add(write_docs({"a.md": manual("Anchors")}))
        plan = base.abstracts.estimate()
        usage = plan.usage
        assert usage.calls == 4
        assert usage.cost == pytest.approx((usage.prompt_tokens * 2 + usage.completion_tokens * 8) / 1e6)
        with pytest.raises(ChatError, match="KNARR_CHAT_URL"):
            base.abstracts.make()


def test_few_calls_run_at_a_time(filled: knarr.KnowledgeBase) -> None:
    meet = threading.Barrier(3)

    def tell(request: ChatRequest) -> ChatReply:
        if "Parts:" not in shown(request):
            meet.wait(timeout=30)  # six leaves: nobody goes on before three are here
        return told(request)

    chat = Teller(tell)
    assert filled.abstracts.make(chat=chat).ok
    assert chat.most_at_once == SETTINGS.abstract_threads == 3


def test_equal_content_is_asked_once(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    base.add(write_docs({f"copy{at}/same.md": manual("Same") for at in range(9)}), into="viking://c")
    chat = Teller()
    report = base.abstracts.make(chat=chat)
    asked = [shown(request) for request in chat.requests]
    assert len(asked) == len(set(asked)) and report.made == chat.calls
    assert report.cached == 8 * 4
