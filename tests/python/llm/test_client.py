"""Tries, time, refusals and errors of the chat client."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from fake_chat import FakeChat, completion, tool_call
from knarr.config import Settings
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatRequest, OpenAIChat, load_chat
from knarr.models.server import refusals

ASK = ChatRequest([{"role": "user", "content": "What is the fee?"}])
SCHEMA = {"type": "object", "properties": {"fee": {"type": "integer"}}, "required": ["fee"]}
KEY = "sk-very-secret-0123456789"


def refusal(status: int, message: str = "", **error: Any) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message, **error}})


def busy(status: int = 429, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()}, text="busy")


# -- what is sent ----------------------------------------------------------------------------------


def test_a_request_is_sent_as_it_is(serve: Any) -> None:
    server = serve("15")
    tools = [{"type": "function", "function": {"name": "Search", "parameters": {"type": "object"}}}]
    history = [
        {"role": "system", "content": "You answer."},
        {"role": "user", "content": "Fee? \ud800"},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "Search", "{}")]},
        {"role": "tool", "tool_call_id": "a", "content": "nothing"},
    ]
    server.chat(key=KEY).chat(ChatRequest(history, tools=tools, schema=SCHEMA, max_tokens=64))
    sent = server.requests[0]
    # A lone surrogate cannot be sent; everything else stays.
    assert sent["messages"] == [history[0], {"role": "user", "content": "Fee? ?"}, *history[2:]]
    assert (sent["model"], sent["tools"], sent["max_tokens"], sent["temperature"]) == ("m", tools, 64, 0.0)
    assert sent["response_format"]["json_schema"] == {"name": "reply", "schema": SCHEMA, "strict": False}
    assert "stream" not in sent and server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_closed_schema_is_asked_for_strictly(serve: Any) -> None:
    server = serve("{}")
    server.chat().chat(ChatRequest(ASK.messages, schema={**SCHEMA, "additionalProperties": False}))
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is True


def test_a_refused_form_is_lowered_step_by_step_and_remembered(serve: Any) -> None:
    server = serve(refusal(400, "response_format is not supported"), refusal(422, "what?"), "{}", "{}", "15")
    chat = server.chat()
    ask = ChatRequest(ASK.messages, schema=SCHEMA)
    chat.chat(ask), chat.chat(ask), chat.chat(ASK)
    forms = [body.get("response_format", {}).get("type") for body in server.requests]
    assert forms == ["json_schema", "json_object", None, None, None]
    assert server.waits == []


def test_a_form_that_breaks_the_server_is_lowered_too(serve: Any) -> None:
    server = serve(refusal(500, "failed to parse grammar"), '{"fee": 15}')
    assert server.chat().chat(ChatRequest(ASK.messages, schema=SCHEMA)).text == '{"fee": 15}'


def test_other_names_and_bounds_of_parameters_are_learnt(serve: Any) -> None:
    server = serve(
        refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refusal(400, "Unsupported value: 'temperature' does not support 0"),
        "15",
        "16",
    )
    chat = server.chat()
    ask = ChatRequest(ASK.messages, max_tokens=64)
    assert (chat.chat(ask).text, chat.chat(ask).text) == ("15", "16")
    assert len(server.requests) == 4
    last = server.requests[-1]
    assert last["max_completion_tokens"] == 64 and not {"max_tokens", "temperature"} & set(last)


def test_a_refusal_that_nothing_explains_is_final(serve: Any) -> None:
    server = serve(refusal(400, "messages[0].role is wrong"))
    with pytest.raises(ChatError, match=r"http://chat.test/v1 \(m\) answered 400: messages"):
        server.chat().chat(ASK)
    assert server.waits == []


# -- busy servers ------------------------------------------------------------------------------------


def test_busy_servers_are_waited_for_as_they_ask(serve: Any) -> None:
    server = serve(
        busy(retry_after="3"), busy(503), busy(502, retry_after="soon"), busy(retry_after_ms="250"), "15"
    )
    assert server.chat().chat(ASK).text == "15"
    assert server.waits == [3.0, 2.0, 4.0, 0.25]


@pytest.mark.parametrize(
    ("value", "wait"),
    [("7", 7.0), ("0.5", 0.5), ("-4", 0.0), ("86400", 86400.0), ("nan", 4.0), ("", 4.0), ("inf", 4.0)]
    + [
        (formatdate(1_700_000_000 + ahead, usegmt=True), wait)
        for ahead, wait in ((9, 9.0), (-9, 0.0), (999, 999.0))
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, wait: float) -> None:
    assert refusals.wait_s({"retry-after": value}, 2, now=1_700_000_000.0) == wait


def test_a_server_that_stays_busy_is_an_error_in_the_end(serve: Any) -> None:
    server = serve(*[busy(503)] * 5)
    with pytest.raises(ChatError, match=r"503: busy \(tried 5 times\)"):
        server.chat().chat(ASK)
    assert server.waits == [1.0, 2.0, 4.0, 8.0]


def test_the_time_of_a_turn_counts_all_its_tries(serve: Any) -> None:
    server = serve(busy(retry_after="6"), busy(retry_after="6"))
    with pytest.raises(ChatError, match=r"due in 6 s, 4 s are left"):
        server.chat(timeout_s=99.0).chat(ChatRequest(ASK.messages, timeout_s=10.0))
    assert server.waits == [6.0]


def test_a_turn_without_time_is_not_sent(serve: Any) -> None:
    server = serve()
    with pytest.raises(ChatError, match="in time"):
        server.chat().chat(ChatRequest(ASK.messages, timeout_s=0.0))
    assert server.requests == []


def test_a_spent_quota_is_not_waited_for(serve: Any) -> None:
    server = serve(refusal(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ChatError, match="quota"):
        server.chat().chat(ASK)
    assert server.waits == []


def test_time_outs_and_lost_connections_are_tried_again(serve: Any) -> None:
    server = serve(httpx.ReadTimeout("slow"), httpx.ConnectError("refused"), "15")
    assert server.chat().chat(ASK).text == "15"
    assert server.waits == [1.0, 0.5]


def test_a_time_out_that_takes_all_the_time_ends_the_turn(serve: Any) -> None:
    server = serve()

    def slow(body: Any) -> Exception:
        server.now += 30.0
        return httpx.ReadTimeout("slow")

    server._replies.append(slow)
    with pytest.raises(ChatError, match="KNARR_CHAT_TIMEOUT_S"):
        server.chat(timeout_s=30.0).chat(ASK)
    assert len(server.requests) == 1


def test_a_reply_that_trickles_in_is_given_up_in_time(serve: Any) -> None:
    server = serve()

    class Trickle(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            while True:
                server.now += 4.0
                yield b" "

    server._replies.append(httpx.Response(200, stream=Trickle()))
    with pytest.raises(ChatError, match="in time"):
        server.chat(timeout_s=30.0).chat(ASK)
    assert server.now <= 1036.0


def test_a_server_that_is_not_there_is_named(serve: Any) -> None:
    server = serve(*[httpx.ConnectError("Connection refused")] * 3)
    with pytest.raises(ChatError, match=r"chat\.test/v1.*Connection refused.*is the server running"):
        server.chat().chat(ASK)


# -- replies that are none ---------------------------------------------------------------------------


def test_replies_that_cannot_be_read_are_asked_for_again(serve: Any) -> None:
    cut = httpx.Response(200, text=json.dumps(completion("15"))[:60])
    server = serve(cut, {"choices": []}, "15")
    assert server.chat().chat(ASK).text == "15"


@pytest.mark.parametrize("body", [{"choices": []}, {"choices": None}, {}, [], {"choices": ["x"]}])
def test_replies_without_choices_are_an_error_in_the_end(serve: Any, body: Any) -> None:
    server = serve(*[lambda _sent: httpx.Response(200, json=body)] * 3)
    with pytest.raises(ChatError, match=r"without choices \(tried 3 times\)"):
        server.chat().chat(ASK)


def test_a_web_page_is_not_a_reply(serve: Any) -> None:
    page = "<!DOCTYPE html><html><head><title>Welcome &amp; hello</title></head><body>x</body></html>"
    with pytest.raises(ChatError, match=r"a web page, 'Welcome & hello'.*/v1"):
        serve(httpx.Response(200, text=page)).chat().chat(ASK)
    server = serve(*[httpx.Response(502, text=page.replace("Welcome", "Bad gateway"))] * 5)
    with pytest.raises(ChatError, match=r"502: a web page, 'Bad gateway") as caught:
        server.chat().chat(ASK)
    assert "<" not in str(caught.value)


def test_errors_that_come_as_replies_are_errors(serve: Any) -> None:
    server = serve({"error": {"message": "upstream overloaded", "code": 503}}, {"error": "rate limit"}, "15")
    assert server.chat().chat(ASK).text == "15"
    with pytest.raises(ChatError, match="bad things"):
        serve({"error": {"message": "bad things"}}).chat().chat(ASK)


# -- too long ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000"),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"),
        (500, "context size exceeded"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3000"),
        (400, "Please reduce the length of the messages or completion."),
        (400, "Input is too long for requested model."),
        (400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
        (400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
        (400, "Requested tokens (5000) exceed context window of 4096"),
        (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
        (400, "Prompt contains 33000 tokens, too large for model with 32768 maximum context length"),
        (400, "too many tokens: the prompt cannot exceed 4081"),
        (400, "Input tokens exceed the configured limit of 272000 tokens"),
        (413, "Request Entity Too Large"),
    ],
)  # fmt: skip
def test_every_wording_of_too_long_is_an_overflow(serve: Any, status: int, message: str) -> None:
    with pytest.raises(ContextOverflow):
        serve(refusal(status, message)).chat().chat(ChatRequest(ASK.messages, schema=SCHEMA))


def test_the_code_of_an_overflow_is_enough_and_its_window_is_kept(serve: Any) -> None:
    coded = refusal(400, "no", code="context_length_exceeded")
    worded = refusal(400, "This model's maximum context length is 4096 tokens, you sent 5000")
    counted = refusal(400, "too long for the context size", type="exceed_context_size_error", n_ctx=2048)
    server = serve(coded, worded, counted)
    chat = server.chat(window=8192)
    for window in (8192, 4096, 2048):
        with pytest.raises(ContextOverflow):
            chat.chat(ASK)
        assert chat.window_tokens == window


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "messages: the content of the last one is too short"),
        (400, "Invalid value for 'tool_choice'"),
        (401, "maximum context length is 5 for guests"),
        (400, "max_tokens is too large: 99999"),
    ],
)
def test_other_refusals_are_no_overflow(serve: Any, status: int, message: str) -> None:
    with pytest.raises(ChatError) as caught:
        serve(refusal(status, message)).chat().chat(ASK)
    assert not isinstance(caught.value, ContextOverflow)


# -- what the user must mend ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "fix"),
    [(401, "KNARR_CHAT_KEY"), (403, "KNARR_CHAT_KEY"), (404, "KNARR_CHAT_MODEL"), (405, "/v1")],
)
def test_errors_of_the_set_up_come_at_once_with_their_fix(serve: Any, status: int, fix: str) -> None:
    server = serve(refusal(status, f"refused {KEY}"))
    with pytest.raises(ChatError, match=fix) as caught:
        server.chat("some-model", key=KEY).chat(ASK)
    assert server.waits == [] and "some-model" in str(caught.value)
    assert KEY not in str(caught.value) and "[key]" in str(caught.value)


@pytest.mark.parametrize("key", ["sk-\u043a\u043b\u044e\u0447", "sk-one\r\nsk-two"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ChatError, match="KNARR_CHAT_KEY") as caught:
        OpenAIChat("http://chat.test/v1", "m", key)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:8000/v1", "ftp://x/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ChatError, match="http://localhost"):
        OpenAIChat(url)


def test_a_password_in_the_address_is_not_shown(serve: Any) -> None:
    server = FakeChat(refusal(401, "no"))
    chat = OpenAIChat("http://me:hush@chat.test/v1", "m", transport=server.transport)
    with pytest.raises(ChatError, match=r"http://chat.test/v1 \(m\)") as caught:
        chat.chat(ASK)
    assert "hush" not in str(caught.value)


# -- the whole -----------------------------------------------------------------------------------------


def test_one_client_serves_many_threads(serve: Any) -> None:
    server = serve(*[lambda sent: sent["messages"][0]["content"].upper()] * 24)
    chat = server.chat()
    said: list[tuple[str, str]] = []

    def talk(name: str) -> None:
        for turn in range(3):
            text = f"{name} {turn}"
            said.append((text, chat.chat(ChatRequest([{"role": "user", "content": text}])).text))

    threads = [threading.Thread(target=talk, args=(f"thread {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 24 and all(reply == text.upper() for text, reply in said)


def test_settings_name_the_model() -> None:
    assert load_chat(Settings(chat_url=" ")) is None
    settings = Settings(
        chat_url="http://chat.test/v1/", chat_model="m", chat_key=KEY, chat_window=4096, chat_prices=(1, 2, 3)
    )
    chat = load_chat(settings)
    assert chat is not None and (chat.name, chat.window_tokens) == ("m", 4096)
    assert KEY not in repr(chat) + repr(settings)


def test_nothing_heavy_is_imported_before_the_first_request() -> None:
    code = (
        "import sys; from knarr.models.chat import OpenAIChat, load_chat; OpenAIChat('http://x/v1', 'm').count_tokens('a');"
        "print([m for m in ('openai', 'httpx', 'numpy', 'sqlalchemy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
