"""Servers that never end, lie, or are not there: each call ends in its time, with its bytes, and says why."""

from __future__ import annotations

import gzip
import itertools
import json
import socket
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hostile_server import HostileServer, closed_port, plays, reply
from knarr.errors import ChatError, EmbedderError, ServerError
from knarr.models.chat import ChatRequest, OpenAIChat
from knarr.models.embed.openai import OpenAIEmbedder
from knarr.models.server import Address, Lost, Server

ASK = ChatRequest([{"role": "user", "content": "What is the fee?"}])
KEY = "sk-very-secret-0123456789"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
BOUND_S = 0.4  # for servers that never end; whatever else is tested has time, however busy the machine is
PATIENT_S = 30.0
GOOD = {"choices": [{"index": 0, "message": {"content": "15"}, "finish_reason": "stop"}]}

Call = Callable[[str, float], Any]


def by_chat(url: str, bound_s: float = PATIENT_S) -> Any:
    return OpenAIChat(url, "m", KEY, window=8192, timeout_s=bound_s, connect_s=bound_s).chat(ASK)


def by_list(url: str, bound_s: float = PATIENT_S) -> Any:
    return OpenAIChat(url, "", KEY, timeout_s=bound_s, connect_s=bound_s).name


def by_embedder(url: str, bound_s: float = PATIENT_S) -> Any:
    return OpenAIEmbedder(url, "m", KEY, timeout_s=bound_s, connect_s=bound_s).embed(["a"])


CALLS = pytest.mark.parametrize("call", [by_chat, by_list, by_embedder])


def failure(call: Call, url: str, bound_s: float = PATIENT_S) -> ServerError:
    with pytest.raises((ChatError, EmbedderError)) as caught:
        call(url, bound_s)
    assert KEY not in str(caught.value) and "\n" not in str(caught.value)
    return caught.value


def endless(server: HostileServer, connection: socket.socket, how: str) -> None:
    letters: Iterator[bytes] = itertools.repeat(b"a")
    if how == "status":
        server.pour(connection, letters, 0.02)
    elif how == "header":
        connection.sendall(HEAD + b"X-Long: ")
        server.pour(connection, letters, 0.02)
    elif how == "early hints":
        server.pour(connection, itertools.repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n"), 0.02)
    elif how == "body":
        connection.sendall(HEAD + b"\r\n")
        server.pour(connection, itertools.repeat(b" "), 0.02)
    elif how == "error":
        connection.sendall(HEAD.replace(b"200 OK", b"500 No") + b"\r\n")
        server.pour(connection, letters, 0.02)
    elif how == "comments":
        connection.sendall(STREAM)
        server.pour(connection, itertools.repeat(b": still here\n\n"), 0.02)
    else:
        server.over.wait(20)


@CALLS
@pytest.mark.parametrize("how", ["silence", "status", "header", "early hints", "body", "error", "comments"])
def test_what_drips_for_ever_ends_in_time(call: Call, how: str) -> None:
    with HostileServer(lambda connection, _: endless(server, connection, how)) as server:
        error = failure(call, server.url, BOUND_S)
        # Some twenty drops fit the time; each that came reset the timeout of a read.
        assert server.poured < 20 * 20
    assert error.kind in (("timeout", "busy") if how == "error" else ("timeout",))


@CALLS
def test_a_body_without_end_is_cut_at_the_bound(call: Call) -> None:
    def flood(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(HEAD + b"\r\n")
        server.pour(connection, itertools.repeat(b"[" * (1 << 16)))

    with HostileServer(flood) as server:
        assert failure(call, server.url, BOUND_S).kind in ("too_large", "timeout")
        assert server.sent < 64 << 20


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_a_stream_that_is_left_open_is_read_up_to_its_end(end: bytes) -> None:
    event = {"choices": [{"index": 0, "delta": {"content": "15"}, "finish_reason": "stop"}]}

    def stream(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(STREAM + b"data: " + json.dumps(event).encode() + b"\n\n" + end)
        if end:
            server.pour(connection, itertools.repeat(b": still here\n\n"), 0.02)

    with HostileServer(stream) as server:
        assert by_chat(server.url).text == "15"


def server_of(url: str) -> Server:
    return Server(Address(url), "KNARR_CHAT", connect_s=BOUND_S)


def asked(url: str, most_bytes: int) -> Any:
    return server_of(url).ask("GET", "/models", left_s=5.0, most_bytes=most_bytes)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_replies_are_bounded_by_what_they_hold(encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    with HostileServer(plays(reply(pack(b"0" * 100_000), Content_Encoding=encoding))) as server:
        assert asked(server.url, 100_000).body == b"0" * 100_000
        with pytest.raises(Lost) as caught:
            asked(server.url, 99_999)
    assert caught.value.kind == "too_large"


def test_a_bomb_is_not_inflated() -> None:
    import tracemalloc

    bomb = gzip.compress(b"\0" * (64 << 20), 9)
    with HostileServer(plays(reply(bomb, Content_Encoding="gzip"))) as server:
        tracemalloc.start()
        try:
            assert failure(by_list, server.url).kind == "too_large"
            assert tracemalloc.get_traced_memory()[1] < 32 << 20
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip, br"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with HostileServer(plays(reply(b"x", Content_Encoding=encoding))) as server:
        assert failure(by_list, server.url).kind == "protocol"


def test_only_the_begin_of_a_large_error_is_read() -> None:
    def fail(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(HEAD.replace(b"200 OK", b"401 No") + b"\r\n{'error': 'no entry'} ")
        server.pour(connection, itertools.repeat(b"x" * (1 << 16)))

    with HostileServer(fail) as server:
        error = failure(by_chat, server.url)
        assert error.kind == "unauthorised" and "no entry" in str(error) and len(str(error)) < 1_000
        assert server.sent < 32 << 20


# -- redirects ---------------------------------------------------------------------------------------


@CALLS
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_to_another_origin(call: Call, status: int) -> None:
    with HostileServer(plays(reply(GOOD))) as other:
        target = f"{other.url.replace('127.0.0.1', 'localhost')}/x?key={KEY}"
        with HostileServer(plays(reply(b"", f"{status} Away", Location=target))) as server:
            error = failure(call, server.url)
        assert error.kind == "redirect" and "localhost" in str(error)
        assert other.requests == []


def test_a_redirect_on_the_same_origin_is_followed_with_the_body() -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        moved = request.startswith(b"POST /v1/")
        connection.sendall(reply(b"", "307 Moved", Location="/v2/chat") if moved else reply(GOOD))

    with HostileServer(script) as server:
        assert by_chat(server.url).text == "15"
        first, second = server.requests
        assert (
            second.startswith(b"POST /v2/chat")
            and second.partition(b"\r\n\r\n")[2] == first.partition(b"\r\n\r\n")[2]
        )


@pytest.mark.parametrize("target", ["/v1/models", "http://[::1", "", "file:///etc/hosts", "//", "\x00"])
def test_redirects_in_circles_or_to_nowhere_end(target: str) -> None:
    with HostileServer(plays(reply(b"", "307 Moved", Location=target))) as server:
        assert failure(by_list, server.url).kind in ("redirect", "protocol")


# -- nobody there ------------------------------------------------------------------------------------


@CALLS
def test_a_closed_port_is_unreachable(call: Call) -> None:
    error = failure(call, f"http://127.0.0.1:{closed_port()}/v1")
    assert error.kind == "unreachable" and "is the server running" in str(error)


@CALLS
@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "a" * 64 + ".invalid"])
def test_a_host_that_is_not_there_is_unreachable(call: Call, host: str) -> None:
    assert failure(call, f"http://{host}:9/v1", BOUND_S).kind == "unreachable"


@CALLS
def test_a_name_that_no_host_can_have_is_a_setting_to_mend(call: Call) -> None:
    assert failure(call, "http://xn--a.invalid/v1").kind == "unconfigured"


def test_a_dead_server_is_waited_for_once_for_many_questions() -> None:
    waits: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    url = f"http://127.0.0.1:{closed_port()}/v1"
    chat = OpenAIChat(url, "m", sleep=sleep, clock=lambda: now[0])
    for _ in range(3):
        with pytest.raises(ChatError, match="cannot be reached"):
            chat.chat(ASK)
    assert chat.window_tokens == 8192
    assert waits == [0.5, 1.0]
    now[0] += 10.0
    with pytest.raises(ChatError):
        chat.chat(ASK)
    assert waits == [0.5, 1.0] * 2


def test_a_connection_that_breaks_is_tried_again() -> None:
    script = [reply(GOOD)[:-20], b"", reply(GOOD)]

    def answer(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(script.pop(0))

    with HostileServer(answer) as server:
        chat = OpenAIChat(server.url, "m", sleep=lambda _: None)
        assert chat.chat(ASK).text == "15"
        assert len(server.requests) == 3


# -- replies that are none ---------------------------------------------------------------------------

DEEP = b"[" * 100_000
NESTED = b'{"choices": [{"message": {"content": ' + b'[{"text": ' * 300 + b'"x"' + b"}]" * 300 + b"}}]}"
ODD = [
    (b"", "empty"),
    (b" \n", "empty"),
    (b'{"choices": []}', "empty"),
    (b"<html><title>Hello</title>", "protocol"),
    (b"not JSON", "protocol"),
    (b"\xff\xfe\x00", "protocol"),
    (DEEP, "protocol"),
    (b'{"a":' * 50_000, "protocol"),
    (b"data: " + DEEP + b"\n\n", "protocol"),
    (b'{"error": {"message": "\\ud800 odd", "code": "' + b"9" * 5_000 + b'"}}', "refused"),
    (b"9" * 10_000, "protocol"),
    (b"null", "empty"),
]


@pytest.mark.parametrize(("body", "kind"), ODD)
def test_what_is_no_reply_is_a_typed_error(body: bytes, kind: str) -> None:
    with HostileServer(plays(reply(body))) as server:
        error = failure(by_chat, server.url)
    assert error.kind == kind
    str(error).encode("utf-8")  # half characters of a server must not break who writes the error down


@pytest.mark.parametrize("body", [body for body, _ in ODD])
def test_what_is_no_list_of_models_or_vectors_is_a_typed_error(body: bytes) -> None:
    with HostileServer(plays(reply(body))) as server:
        failure(by_list, server.url)
        failure(by_embedder, server.url)


def test_odd_texts_and_numbers_in_a_reply_are_made_harmless() -> None:
    huge = "1" + "0" * 400
    message = '{"choices": [{"message": {"content": "fee \\ud800 15"}}]'
    body = message + f', "usage": {{"prompt_tokens": {huge}, "completion_tokens": NaN}}}}'
    with HostileServer(plays(reply(body.encode()))) as server:
        chat = OpenAIChat(server.url, "m", prices=(1.0, 1.0, 1.0))
        said = chat.chat(ASK)
    assert said.text == "fee ? 15" and said.usage.estimated == 1
    with HostileServer(plays(reply(NESTED))) as server:
        by_chat(server.url)


VECTOR = {"index": 0, "embedding": [0.6, 0.8]}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ([], "empty"),
        ([VECTOR, VECTOR], "protocol"),
        (["x"], "protocol"),
        ([{"index": True, "embedding": [1.0]}], "protocol"),
        ([{"index": "0", "embedding": [1.0]}], "protocol"),
        ([{"index": 0}], "protocol"),
        ([{"index": 0, "embedding": []}], "protocol"),
        ([{"index": 0, "embedding": "AAAA"}], "protocol"),
        ([{"index": 0, "embedding": {"0": 1}}], "protocol"),
        ([{"index": 0, "embedding": [[1.0]]}], "broken"),
        ([{"index": 0, "embedding": ["1.0", None]}], "broken"),
        ([{"index": 0, "embedding": [float("nan"), 1.0]}], "broken"),
        ([{"index": 0, "embedding": [float("inf"), 1.0]}], "broken"),
        ([{"index": 0, "embedding": [10**300, 1]}], "broken"),
        ([{"index": 0, "embedding": [0.0, 0.0]}], "broken"),
    ],
)
def test_vectors_that_do_not_fit_are_typed_errors(data: Any, kind: str) -> None:
    with HostileServer(plays(reply({"data": data}))) as server:
        assert failure(by_embedder, server.url).kind == kind


def test_vectors_of_another_width_are_an_error() -> None:
    widths = iter([2, 3])

    def answer(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(reply({"data": [{"index": 0, "embedding": [1.0] * next(widths)}]}))

    with HostileServer(answer) as server:
        assert failure(by_embedder, server.url).kind == "broken"


def test_half_characters_can_be_asked_about() -> None:
    with HostileServer(plays(reply({"data": [VECTOR]}))) as server:
        made = OpenAIEmbedder(server.url, "m\ud800").embed(["a \ud800 b"])
        np.testing.assert_allclose(made, [[0.6, 0.8]], rtol=1e-6)
        assert server.requests[-1].endswith(b'["a ? b"]}')


# -- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [by_chat, by_embedder])
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        ("401 No", "bad key", "unauthorised"),
        ("403 No", "not for you", "unauthorised"),
        ("402 Pay", "pay", "quota"),
        ("429 No", "insufficient_quota", "quota"),
        ("400 No", "Your credit balance is too low", "quota"),
        ("404 No", "The model `m` does not exist", "unknown_model"),
        ("400 No", "model 'm' not found, try pulling it first", "unknown_model"),
        ("404 No", "no such page", "refused"),
        ("429 No", "slow down", "busy"),
        ("503 No", "loading", "busy"),
    ],
)
def test_refusals_are_told_apart(call: Call, status: str, message: str, kind: str) -> None:
    body = {"error": {"message": message}}
    with HostileServer(plays(reply(body, status, Retry_After="100000"))) as server:
        error = failure(call, server.url)
        assert len([one for one in server.requests if one.startswith(b"POST")]) == 1
    assert error.kind == kind and message[:12] in str(error)


def test_an_unknown_model_is_told_with_the_known_ones() -> None:
    def answer(connection: socket.socket, request: bytes) -> None:
        listed = {"data": [{"id": "small"}, {"id": "large"}, {"id": "embedder"}]}
        unknown = reply({"error": {"message": "model 'm' not found"}}, "404 No")
        connection.sendall(reply(listed) if request.startswith(b"GET") else unknown)

    with HostileServer(answer) as server:
        assert "it lists small, large" in str(failure(by_chat, server.url))
