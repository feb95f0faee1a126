"""No request exceeds the window; what is left out is said, and can be read again (AG-03, AG-05)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

import knarr
from knarr.agent import Agent, Budget, ModelPolicy
from knarr.errors import ContextOverflow
from knarr.models.chat import ChatReply, ChatRequest, ScriptedChat, WishedCall
from knarr.testing import HashEmbedder
from knarr.types import Passage, Provenance
from strict import strict

STYLES = ["native", "schema"]
BOOK = "viking://archive/book"
QUESTION = "What was the name of the captain of the ship?"
ANSWER = "The name of the captain of the ship was Ragnhild Storm."
FILLER = "The hold was filled with barrels of salt and with planks of pine."


class Archive:
    """The library of the other tests with one huge document, read by slices: 5 MB of text, or one line of
    3 MB. The answer is its last paragraph."""

    def __init__(self, library, *, one_line: bool = False) -> None:
        self._library = library
        size, gap = (3_000_000, " ") if one_line else (5_000_000, "\n\n")
        self.text = (FILLER + gap) * (size // (len(FILLER) + len(gap))) + ANSWER
        self.largest = 0

    def __getattr__(self, name):
        return getattr(self._library, name)

    def read(self, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
        if uri.rstrip("/") != BOOK:
            return self._library.read(uri, begin_byte, max_tokens)
        self.largest = max(self.largest, max_tokens or 0)
        text = self.text[begin_byte:]
        if max_tokens is not None:
            text = text[: 12 * max_tokens]
            words = list(re.finditer(r"\s*\w+|\s*[^\w\s]", text))[:max_tokens]
            text = text[: words[-1].end()]
        end = begin_byte + len(text)
        source = Provenance(BOOK + "/", 1, ("Book",), (1, 1), None)
        following = end if end < len(self.text) else None
        return Passage(BOOK, text, source, begin_byte, end, len(self.text), following, (BOOK,))

    def count_tokens(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def grep(self, *args, **kwargs):
        return self._library.grep(*args, **kwargs)


def calls(style: str, *wanted: tuple[str, dict], text: str = "") -> ChatReply:
    if style == "schema":
        listed = [{"tool": tool, "arguments": arguments} for tool, arguments in wanted]
        return ChatReply(json.dumps({"thought": text, "calls": listed}))
    return ChatReply(text, tuple(WishedCall("", tool, json.dumps(arguments)) for tool, arguments in wanted))


def within_window(chat: ScriptedChat) -> None:
    """Every request was well-formed, and with its reply's room inside the window."""
    for request in chat.requests:
        strict(request)
        texts = [message["content"] or "" for message in request.messages]
        texts += [json.dumps(call) for m in request.messages for call in m.get("tool_calls", ())]
        texts += [json.dumps(tool) for tool in request.tools]
        total = sum(map(chat.count_tokens, texts)) + 4 * len(request.messages)
        assert total + request.max_tokens <= chat.window_tokens
        assert QUESTION in request.messages[1]["content"]


def played(
    line: Callable[[ChatRequest], ChatReply], *, window: int = 8_000, overflow: int | None = None
) -> ScriptedChat:
    """A model that says what a function of the request says. With `overflow`, a server that finds requests
    of more than so many tokens too long."""
    chat = ScriptedChat(window_tokens=window)

    def answer(request: ChatRequest) -> ChatReply:
        if overflow is not None:
            size = sum(chat.count_tokens(str(message["content"])) for message in request.messages)
            if size > overflow:
                raise ContextOverflow(f"{size} tokens are too many")
        return line(request)

    chat._lines = iter(lambda: answer, None)
    return chat


def text_of(request: ChatRequest) -> str:
    return "\n".join(str(message["content"]) for message in request.messages)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("one_line", [False, True], ids=["5 MB", "one line of 3 MB"])
def test_thirty_reads_of_a_huge_document_with_a_small_window(library, style, one_line):
    archive = Archive(library, one_line=one_line)
    total = len(archive.text)

    def reader(request: ChatRequest) -> ChatReply:
        """Reads on from where the last page ended; first a page to learn the size, then towards the end."""
        text = text_of(request)
        if ANSWER in text:
            if style == "schema":
                answer = {"found": True, "text": "Storm", "quotes": [{"uri": BOOK, "text": ANSWER}]}
                return ChatReply(json.dumps({"thought": "", "answer": answer}))
            return ChatReply(f'"{ANSWER}" ({BOOK})')
        if not (pages := re.findall(r"bytes \d+-\d+, \d+ of (\d+)", text)):
            return calls(style, ("Read", {"uri": BOOK}))
        assert int(pages[-1]) == total
        if len(request.messages) <= 4 and "dropped to fit" not in text:
            return calls(style, ("Read", {"uri": BOOK, "begin_byte": total - 170_000}))
        onward = re.findall(r"goes on: begin_byte=(\d+)", str(request.messages[-1]["content"]))
        return calls(style, ("Read", {"uri": BOOK, "begin_byte": int(onward[-1])}))

    chat = played(reader)
    policy = ModelPolicy(chat, style=style)
    done = Agent(archive, policy, reranker=None).run(QUESTION, budget=Budget(rounds=60))
    within_window(chat)
    assert done.answer.status == "answered"
    assert [piece.text for piece in done.answer.citations] == [ANSWER]
    assert len(list(done.trace.calls())) >= 30
    bound = policy.call_tokens
    assert bound is not None and archive.largest <= bound < 1_500
    assert all(chat.count_tokens(call.text) <= 1.1 * bound for call in done.trace.calls())
    assert "[dropped to fit: " in text_of(chat.requests[-1]) and f"read again: {BOOK}" in text_of(
        chat.requests[-1]
    )


class Flat(HashEmbedder):
    """The same vector for every text: what is read is found by its URI."""

    def embed(self, texts):
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        out[:, 0] = 1.0
        return out


@pytest.mark.slow
def test_the_last_paragraph_of_a_real_document_of_5_mb(tmp_path, write_docs):
    text = (FILLER + "\n\n") * (5_000_000 // (len(FILLER) + 2)) + ANSWER
    folder = write_docs({"book.txt": text, "line.txt": text.replace("\n\n", " ")[-3_000_000:]})
    with knarr.open(tmp_path / "big.kb", embedder=Flat(dim=16)) as base:
        base.add(folder, into="viking://archive")
        for name in ("book", "line"):
            uri = f"viking://archive/{name}"
            total = base.read(uri, 0, 10).total_bytes
            turns = [
                calls("native", ("Read", {"uri": uri, "begin_byte": total - 400_000 + 13_000 * n}))
                for n in range(30)
            ]
            turns += [
                calls("native", ("Read", {"uri": uri, "begin_byte": total - 600})),
                ChatReply(f'"{ANSWER}" ({uri})'),
            ]
            chat = ScriptedChat(turns, window_tokens=8_000)
            done = Agent(base.library, ModelPolicy(chat, style="native"), reranker=None).run(
                QUESTION, budget=Budget(rounds=40)
            )
            within_window(chat)
            assert done.answer.status == "answered" and [piece.text for piece in done.answer.citations] == [
                ANSWER
            ]


@pytest.mark.parametrize("style", STYLES)
def test_sixteen_reads_in_one_turn(library, style):
    reads = [("Read", {"uri": BOOK, "begin_byte": 70_000 * n}) for n in range(16)]
    turns = iter([calls(style, *reads), calls(style, ("Read", {"uri": BOOK, "max_tokens": 50}))])
    chat = played(lambda _request: next(turns, ChatReply("")))
    done = Agent(Archive(library), ModelPolicy(chat, style=style), reranker=None).run(QUESTION)
    within_window(chat)
    assert len(list(done.trace.calls())) == 17 and done.answer.status == "no_answer"
    assert text_of(chat.requests[1]).count("[dropped to fit: ") >= 10
    assert "with max_tokens at most" in text_of(chat.requests[1])


@pytest.mark.parametrize("style", STYLES)
def test_long_calls_go_with_their_replies(library, style):
    """When words of the model itself fill the window, the oldest rounds go whole."""

    def wordy(request: ChatRequest) -> ChatReply:
        number = len(chat.requests)
        return calls(style, ("Search", {"query": f"{number} " + "many words " * 300}), text="so " * 400)

    chat = played(wordy)
    done = Agent(library, ModelPolicy(chat, style=style), reranker=None).run(
        QUESTION, budget=Budget(rounds=14)
    )
    within_window(chat)
    assert done.trace.spent == "rounds"
    assert "turns; read again what is needed" in text_of(chat.requests[-1])
    assert "without further calls" in text_of(chat.requests[-1])


def test_what_speaks_of_the_question_is_dropped_last(library):
    library.documents[BOOK] = [ANSWER, *(f"{FILLER} " * 60 for _ in range(12))]
    script = [calls("native", ("Read", {"uri": f"{BOOK}/c_{n}.md"})) for n in range(1, 14)]
    chat = ScriptedChat([*script, ChatReply(f'Storm: "{ANSWER}" ({BOOK}/c_1.md)')], window_tokens=6_000)
    done = Agent(library, ModelPolicy(chat, style="native"), reranker=None).run(QUESTION)
    within_window(chat)
    assert done.answer.status == "answered"
    last = text_of(chat.requests[-1])
    assert ANSWER in last and last.count("[dropped to fit: ") >= 4


def test_what_was_dropped_may_be_read_again(library):
    library.documents[BOOK] = [f"Page {n}. {FILLER} " * 60 for n in range(1, 9)]
    pages = [1, 2, 3, 4, 5, 6, 7, 8, 8, 1]
    script = [calls("native", ("Read", {"uri": f"{BOOK}/c_{page}.md"})) for page in pages]
    chat = ScriptedChat([*script, ChatReply("None.")], window_tokens=8_000)
    done = Agent(library, ModelPolicy(chat, style="native"), reranker=None).run(QUESTION)
    within_window(chat)
    notes = [call.note for call in done.trace.calls()]
    assert notes == [*[""] * 8, "repeated", ""]  # page 8 still stood there, page 1 did not
    assert "Page 1." not in text_of(chat.requests[8]) and "Page 1." in text_of(chat.requests[-1])


def test_between_two_cuts_the_prefix_is_stable(library):
    library.documents[BOOK] = [f"{n} {FILLER} " * 60 for n in range(40)]
    script = [calls("native", ("Read", {"uri": f"{BOOK}/c_{n}.md"})) for n in range(1, 41)]
    chat = ScriptedChat([*script, ChatReply("None.")], window_tokens=12_000)
    Agent(library, ModelPolicy(chat, style="native"), reranker=None).run(QUESTION, budget=Budget(rounds=40))
    within_window(chat)
    pairs = list(zip(chat.requests, chat.requests[1:], strict=False))
    kept = sum(
        list(later.messages)[: len(earlier.messages)] == list(earlier.messages) for earlier, later in pairs
    )
    assert len(pairs) == 40 and kept >= 28


@pytest.mark.parametrize("style", STYLES)
def test_a_server_with_a_smaller_window_than_it_said(library, style):
    library.documents[BOOK] = [ANSWER, *(f"{FILLER} " * 30 for _ in range(9))]

    pages = iter(range(1, 11))

    def reader(_request: ChatRequest) -> ChatReply:
        page = next(pages, None)
        if page is None:
            return ChatReply(f'"{ANSWER}" ({BOOK}/c_1.md)')
        return calls(style, ("Read", {"uri": f"{BOOK}/c_{page}.md"}))

    chat = played(reader, window=100_000, overflow=3_000)
    done = Agent(library, ModelPolicy(chat, style=style), reranker=None).run(QUESTION)
    assert done.answer.status == "answered" and done.answer.citations
    assert len(chat.requests) > 11  # those that were too long, and what was sent instead


def test_a_server_that_finds_everything_too_long(library):
    read = calls("native", ("Read", {"uri": "viking://handbook/loans"}))
    chat = ScriptedChat([read, *[ContextOverflow("too long")] * 20])
    done = Agent(library, ModelPolicy(chat, style="native"), reranker=None).run(QUESTION)
    assert done.answer.status == "failed" and 2 <= len(chat.requests) <= 1 + 4
    assert "the model failed: " in done.trace.rounds[-1].text and done.answer.citations


def test_a_question_that_does_not_fit(library):
    chat = ScriptedChat([], window_tokens=1_500)
    with pytest.raises(ContextOverflow, match="does not fit"):
        Agent(library, ModelPolicy(chat, style="native"), reranker=None).run(QUESTION + " word" * 1_900)
    assert not chat.requests


# -- history "fold"


def test_folding_replaces_what_was_not_used(library):
    library.documents[BOOK] = [f"{n} {FILLER} {ANSWER if n == 3 else ''}" * 12 for n in range(8)]
    script = [
        calls("native", ("Search", {"query": "barrels of salt and planks of pine"})),
        calls("native", ("Read", {"uri": f"{BOOK}/c_4.md"})),
        calls("native", ("Search", {"query": "rent", "scope": "viking://contracts"})),
        calls("native", ("Read", {"uri": f"{BOOK}/c_5.md"})),
        calls("native", ("Grep", {"pattern": "nowhere"})),
        calls("native", ("Read", {"uri": f"{BOOK}/c_6.md"})),
        calls("native", ("Grep", {"pattern": "no such words"})),
        ChatReply(f'Storm: "{ANSWER}" ({BOOK}/c_4.md)'),
    ]
    requests = {}
    for mode in ("append", "fold"):
        chat = ScriptedChat(list(script), window_tokens=100_000)
        done = Agent(library, ModelPolicy(chat, style="native", history=mode), reranker=None).run(QUESTION)
        assert done.answer.status == "answered" and done.answer.citations
        within_window(chat)
        requests[mode] = chat.requests
    assert "[folded: " not in text_of(requests["append"][-1])
    sizes = {mode: len(text_of(sent[-1])) for mode, sent in requests.items()}
    assert sizes["fold"] <= sizes["append"]
    assert ANSWER in text_of(requests["fold"][-1])  # what was read stays


def test_folding_goes_in_steps_and_keeps_what_was_used(library):
    for n in range(10):
        library.documents[f"viking://stores/{n}"] = [f"Store {n} holds tar. {FILLER} " * 15]
    script = [
        calls("native", ("Search", {"query": f"tar in store {n}", "scope": f"viking://stores/{n}"}))
        for n in range(10)
    ]
    script.insert(1, calls("native", ("Read", {"uri": "viking://stores/0/c_1.md"})))
    chat = ScriptedChat([*script, ChatReply("None.")], window_tokens=100_000)
    done = Agent(library, ModelPolicy(chat, style="native", history="fold"), reranker=None).run(
        QUESTION, budget=Budget(rounds=20)
    )
    assert done.answer.rounds == 11
    last = text_of(chat.requests[-1])
    assert last.count("[folded: ") >= 4
    assert "read again: viking://stores/3/c_1.md" in last and "Store 3 holds tar" not in last
    assert "Store 0 holds tar" in last and "Store 9 holds tar" in last
    pairs = list(zip(chat.requests, chat.requests[1:], strict=False))
    steps = sum(
        list(later.messages)[: len(earlier.messages)] != list(earlier.messages) for earlier, later in pairs
    )
    assert 1 <= steps <= 4
