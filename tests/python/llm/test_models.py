"""Names and windows of models, as servers tell them; and counting tokens."""

from __future__ import annotations

import threading
from typing import Any

import httpx
import pytest

from fake_chat import completion
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatRequest
from knarr.models.chat.count import TokenCounter, own_count

WORDS = "The fee after a missed payment is 15 crowns. "


def models(*entries: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": e} if isinstance(e, str) else e for e in entries]}


def test_without_a_name_the_first_model_that_talks_is_taken(serve: Any) -> None:
    server = serve("15", models=models("text-embedding-x", "talker", "other"))
    chat = server.chat("")
    assert chat.name == "talker"
    chat.chat(ChatRequest([{"role": "user", "content": "Fee?"}]))
    assert server.requests[0]["model"] == "talker"
    assert server.paths.count("/v1/models") == 1


def test_a_model_named_by_its_file_is_called_by_the_file(serve: Any) -> None:
    server = serve("15", models=models("/home/me/models/small.gguf"))
    chat = server.chat("")
    assert chat.name == "small.gguf"
    chat.chat(ChatRequest([{"role": "user", "content": "Fee?"}]))
    assert server.requests[0]["model"] == "/home/me/models/small.gguf"


@pytest.mark.parametrize(
    ("listing", "message"),
    [
        (models(), "lists no models"),
        (None, "404.*/v1"),
        (httpx.Response(401, text="no"), "401.*KNARR_CHAT_KEY"),
        (httpx.Response(200, text="<html>"), "other than JSON"),
        (httpx.ConnectError("refused"), "refused.*is the server running"),
    ],
)
def test_without_a_name_and_a_listing_the_fix_is_told(serve: Any, listing: Any, message: str) -> None:
    with pytest.raises(ChatError, match=f"{message}.*KNARR_CHAT_MODEL"):
        _ = serve(models=listing).chat("").name


@pytest.mark.parametrize(
    ("entries", "props", "window"),
    [
        ([{"id": "m", "max_model_len": 4096}], None, 4096),
        ([{"id": "o", "max_model_len": 1024}, {"id": "m", "context_length": 32768}], None, 32768),
        ([{"id": "m", "meta": {"n_ctx": 6144, "n_ctx_train": 32768}}], None, 6144),
        (
            [{"id": "m", "meta": {"n_ctx_train": 32768}}],
            {"default_generation_settings": {"n_ctx": 2048}},
            2048,
        ),
        ([{"id": "m", "top_provider": {"context_length": 9000}}], None, 9000),
        ([{"id": "only.gguf", "meta": {"n_ctx": 5000}}], None, 5000),
        ([{"id": "m", "context_length": "many", "max_model_len": 0}], None, 8192),
        ([{"id": "a", "n_ctx": 1024}, {"id": "b", "n_ctx": 2048}], None, 8192),
        (["m"], None, 8192),
        (None, None, 8192),
    ],
)
def test_the_window_is_what_the_server_tells(serve: Any, entries: Any, props: Any, window: int) -> None:
    server = serve(models=entries and models(*entries), props=props)
    chat = server.chat()
    assert (chat.window_tokens, chat.window_tokens) == (window, window)
    assert server.paths.count("/v1/models") == 1
    assert "/v1/props" not in server.paths


def test_a_set_window_is_not_asked_for(serve: Any) -> None:
    server = serve(models=models({"id": "m", "n_ctx": 4096}))
    assert server.chat(window=1000).window_tokens == 1000
    assert server.paths == []


def test_a_server_that_was_away_is_asked_for_its_window_again(serve: Any) -> None:
    server = serve(models=httpx.ConnectError("refused"))
    chat = server.chat()
    assert chat.window_tokens == 8192
    server._models = models({"id": "m", "n_ctx": 4096})
    server.now += 5.0  # for a moment a dead server is not asked again
    assert chat.window_tokens == 4096


def test_counts_follow_what_the_server_reports(serve: Any) -> None:
    text = WORDS * 100
    request = ChatRequest([{"role": "user", "content": text}])
    own = own_count(text)
    reports = [int(own * 1.5), int(own * 0.5), *[int(own * 0.7)] * 8]
    replies = [completion("15", usage={"prompt_tokens": n, "completion_tokens": 1}) for n in reports]
    chat = serve(*replies).chat()
    before = chat.count_tokens(text)
    chat.chat(request)
    high = chat.count_tokens(text)
    assert own < before < high == pytest.approx(own * 1.5, rel=0.02)
    chat.chat(request)
    assert chat.count_tokens(text) == high  # one low report is no reason to trust a low count
    for _ in range(8):
        chat.chat(request)
    assert chat.count_tokens(text) == own  # never below our own


def test_an_overflow_teaches_that_the_count_was_too_low(serve: Any) -> None:
    refusal = httpx.Response(400, json={"error": {"message": "maximum context length is 2048 tokens"}})
    chat = serve(refusal).chat(window=8192)
    text = WORDS * 100
    assert chat.count_tokens(text) < 2048
    with pytest.raises(ContextOverflow):
        chat.chat(ChatRequest([{"role": "user", "content": text}]))
    assert chat.window_tokens == 2048
    assert chat.count_tokens(text) >= 2040


def test_estimates_teach_the_count_nothing(serve: Any) -> None:
    chat = serve(completion("15", usage={})).chat()
    before = chat.count_tokens(WORDS * 100)
    chat.chat(ChatRequest([{"role": "user", "content": WORDS * 100}]))
    assert chat.count_tokens(WORDS * 100) == before


def test_short_requests_and_absurd_reports_teach_little() -> None:
    counter = TokenCounter()
    first = counter.ratio
    counter.learn(ChatRequest([{"role": "user", "content": "Fee?"}]), 5000)
    assert counter.ratio == first
    counter.learn(ChatRequest([{"role": "user", "content": WORDS * 100}]), 10**9)
    assert counter.ratio == 4.0


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("", 0),
        ("a", 1),
        (WORDS, 10),
        ("費用は十五クローネです", 11),
        ("плата за просрочку" * 10, 80),
        ("8" * 40, 40),
    ],
)
def test_our_own_count_is_cautious_in_every_script(text: str, least: int) -> None:
    assert least <= own_count(text) <= max(1, len(text)) * 4 * bool(text)


def test_threads_may_count_and_learn_together() -> None:
    counter = TokenCounter()
    request = ChatRequest([{"role": "user", "content": WORDS * 50}])
    own = own_count(WORDS * 50)

    def work() -> None:
        for _ in range(50):
            counter.learn(request, int(own * 1.25))
            counter.count(WORDS)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.ratio == pytest.approx(1.25, rel=0.03)
