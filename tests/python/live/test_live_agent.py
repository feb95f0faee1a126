"""A real chat model drives the loop over a small handbook, and every run ends well, whatever it says.

Needs KNARR_CHAT_URL; KNARR_CHAT_STYLE chooses how it decides. With KNARR_LIVE_LOG set to a file, what
became of each run is written there, a JSON line each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import knarr
from knarr.agent import Agent, Budget, ModelPolicy, ScriptedPolicy
from knarr.config import Settings
from knarr.models.chat import ChatModel, ChatReply, ChatRequest, load_chat
from knarr.testing import HashEmbedder
from strict import strict

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not os.environ.get("KNARR_CHAT_URL"), reason="needs KNARR_CHAT_URL"),
]

HANDBOOK = Path(__file__).parents[2] / "data" / "boathouse"
BUDGET = Budget(rounds=2, tokens=4_000, call_tokens=400, timeout_s=900.0)

# A question, and words of its answer ("" where the handbook does not hold it).
QUESTIONS = [
    ("What does it cost when a boat is returned late?", "60"),
    ("How much is the yearly fee for adults?", "480"),
    ("Who leads the harbour test?", "Solberg"),
    ("On which channel is the rescue service called?", "16"),
    ("How many coats of varnish does a hull need?", "three"),
    ("In which year was the Havørn built?", "1987"),
    ("Up to which wind may a sailing boat leave the pier?", "fourteen"),
    ("Where is the first-aid box?", "workshop"),
    ("By when must the secretary be told that a member leaves?", "15 November"),
    ("On which days is the workshop open?", "Tuesday"),
    ("What is the club's bank account number?", ""),
    ("Which members may borrow the boat with six places?", "key"),
]


class Listening:
    """A chat model that is listened to: its requests and replies are kept."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.heard: list[tuple[ChatRequest, ChatReply]] = []

    @property
    def name(self) -> str:
        return self._chat.name

    @property
    def window_tokens(self) -> int:
        return self._chat.window_tokens

    def count_tokens(self, text: str) -> int:
        return self._chat.count_tokens(text)

    def chat(self, request: ChatRequest) -> ChatReply:
        reply = self._chat.chat(request)
        self.heard.append((request, reply))
        return reply


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[knarr.KnowledgeBase]:
    path = tmp_path_factory.mktemp("live") / "boathouse.kb"
    with knarr.open(path, embedder=HashEmbedder(dim=256)) as kb:
        kb.add(HANDBOOK, into="viking://boathouse")
        yield kb


@pytest.fixture(scope="module")
def chat() -> ChatModel:
    found = load_chat(Settings())
    assert found is not None
    return found


@pytest.mark.parametrize(("question", "wanted"), QUESTIONS, ids=range(1, len(QUESTIONS) + 1))
def test_a_run_ends_well(base, chat, question, wanted):
    listening = Listening(chat)
    policy = ModelPolicy(listening, style=Settings().chat_style, reply_tokens=240)
    done = Agent(base.library, policy, reranker=None).run(question, "viking://boathouse", k=5, budget=BUDGET)
    _log(done, listening, wanted)
    answer = done.answer
    assert answer.status in ("answered", "not_found", "no_answer", "budget_exhausted") and answer.text
    assert answer.rounds <= BUDGET.rounds
    assert answer.usage.tokens_shown <= BUDGET.tokens + BUDGET.call_tokens
    assert answer.usage.model.calls >= 1
    for request, _ in listening.heard:
        strict(request)
    for piece in answer.citations:
        assert piece.text in base.read(piece.uri).text


def test_a_candidate_is_given_when_no_tool_may_be_called(base, chat):
    """The last turn after a scripted search: the model answers from what is shown, or says nothing."""
    listening = Listening(chat)
    asked = ModelPolicy(listening, style=Settings().chat_style, reply_tokens=240)
    searched = ScriptedPolicy([knarr.agent.Decision.call("Search", query="boat returned late")])

    class Both:
        def decide(self, view):
            return asked.decide(view) if view.final else searched.decide(view)

    done = Agent(base.library, Both(), reranker=None).run(
        "What does it cost when a boat is returned late?", "viking://boathouse", k=5, budget=Budget(rounds=1)
    )
    _log(done, listening, "60")
    assert done.answer.status == "budget_exhausted" and done.answer.text
    assert len(listening.heard) <= 2 and not listening.heard[-1][0].tools


def _log(done, listening: Listening, wanted: str) -> None:
    path = os.environ.get("KNARR_LIVE_LOG")
    if not path:
        return
    answer = done.answer
    line = {
        "question": answer.question,
        "wanted": wanted,
        "status": answer.status,
        "spent": done.trace.spent,
        "text": answer.text,
        "right": (wanted.lower() in answer.text.lower()) if wanted else answer.status != "answered",
        "citations": [piece.uri for piece in answer.citations],
        "dropped": [[piece.fault, piece.uri, piece.text] for piece in done.trace.dropped],
        "rounds": [
            {"said": record.text, "calls": [[c.tool, c.arguments, c.error, c.note] for c in record.calls]}
            for record in done.trace.rounds
        ],
        "replies": [
            reply.text or [[c.name, c.arguments] for c in reply.calls] for _, reply in listening.heard
        ],
        "usage": knarr.types.to_json(answer.usage),
    }
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
