"""Keys and passwords never come back: not in errors, not in repr, not in logs, however a server repeats them."""

from __future__ import annotations

import base64
import json
import logging
import socket
import traceback
from typing import Any
from urllib.parse import quote

import pytest

from hostile_server import HostileServer, closed_port, plays, reply
from knarr.config import Settings
from knarr.errors import ChatError, EmbedderError
from knarr.models.chat import ChatRequest, OpenAIChat
from knarr.models.embed.openai import OpenAIEmbedder
from knarr.models.server import Secrets, parse_address
from knarr.models.server.wire import proxy_of

ASK = ChatRequest([{"role": "user", "content": "What is the fee?"}])
KEY = "Abc-very/secret+0123456789"
PASSWORD = "p w:ü/1234"
QUERY_KEY = "q-secret-987"


def secret_url(origin: str) -> str:
    host = origin.removeprefix("http://")
    return f"http://me:{quote(PASSWORD, safe='')}@{host}/v1?api-version=2&key={QUERY_KEY}"


def echoes(_unused: Any = None) -> list[str]:
    pair = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    return [
        KEY,
        KEY.upper(),
        KEY[:14] + "***",
        "…" + KEY[-12:],
        quote(KEY, safe=""),
        json.dumps(KEY),
        base64.b64encode(KEY.encode()).decode(),
        f"Authorization: Bearer {KEY}",
        f"Basic {pair}",
        pair,
        PASSWORD,
        quote(PASSWORD, safe=""),
        f"http://me:{quote(PASSWORD)}@host/v1",
        f"/v1/models?api-version=2&key={QUERY_KEY}",
        "x" * 290 + KEY,
    ]


def leaks(said: str, *known: str) -> list[str]:
    """Parts of the secrets that a text holds: any run of eight characters of one."""
    low = said.lower()
    secrets = (PASSWORD, QUERY_KEY, *known)
    parts = [secret[at : at + 8].lower() for secret in secrets for at in range(len(secret) - 7)]
    parts += [base64.b64encode(one.encode()).decode().lower()[:10] for one in (*known, f"me:{PASSWORD}")]
    return [part for part in parts if part in low or quote(part, safe="") in low]


@pytest.mark.parametrize("told", echoes())
@pytest.mark.parametrize("status", ["401 No", "400 No", "500 No", "307 Away"])
def test_what_a_server_repeats_is_not_shown(told: str, status: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    where = f"http://elsewhere/{quote(told)}?{quote(told)}"
    with HostileServer(
        plays(reply({"error": {"message": f"bad: {told}."}}, status, Location=where))
    ) as server:
        url = secret_url(server.origin)
        # The key goes first, so the password alone is sent by the second client.
        for key in (KEY, ""):
            chat = OpenAIChat(url, "", key, timeout_s=0.4)
            embedder = OpenAIEmbedder(url, "m", key, timeout_s=0.4)
            named = OpenAIChat(url, "m", key, timeout_s=0.4)
            for ask in (
                lambda c=chat: c.name,
                lambda c=named: c.chat(ASK),
                lambda e=embedder: e.embed(["a"]),
            ):
                with pytest.raises((ChatError, EmbedderError)) as caught:
                    ask()
                said = "".join(traceback.format_exception(caught.value))
                assert leaks(said, *filter(None, [key])) == []
            assert leaks(repr(chat) + repr(embedder), KEY) == []
    assert leaks(caplog.text, KEY) == []


def test_name_password_and_key_of_an_address_are_sent_where_they_belong() -> None:
    with HostileServer(plays(reply({"data": [{"index": 0, "embedding": [1.0]}]}))) as server:
        url = secret_url(server.origin)
        OpenAIEmbedder(url, "m").embed(["a"])
        OpenAIEmbedder(url, "m", "sk-1").embed(["a"])
    first, last = server.requests[0].decode(), server.requests[-1].decode()
    assert f"POST /v1/embeddings?api-version=2&key={QUERY_KEY} HTTP/1.1" in first
    assert f"Basic {base64.b64encode(f'me:{PASSWORD}'.encode()).decode()}" in first
    assert "Bearer sk-1" in last and "Basic" not in last


@pytest.mark.parametrize(
    "url",
    [
        "ftp://me:hush-hush@host/v1",
        "http://me:hush-hush@/v1",
        "http://me:hush-hush@[::1/v1",
        "sk-0123456789abcdefghij",
    ],
)
def test_an_address_that_is_none_is_told_without_its_password(url: str) -> None:
    with pytest.raises(ChatError, match="KNARR_CHAT_URL") as caught:
        OpenAIChat(url)
    with pytest.raises(EmbedderError, match="KNARR_EMBED_URL"):
        OpenAIEmbedder(url, "m")
    assert caught.value.kind == "unconfigured"
    assert "hush" not in str(caught.value) and "0123456789" not in str(caught.value)


def test_settings_show_no_secret() -> None:
    settings = Settings(
        chat_url=secret_url("http://h"), chat_key=KEY, embed_url=secret_url("http://e"), embed_key=KEY
    )
    assert leaks(repr(settings) + str(settings), KEY) == [] and "http://h/v1" in repr(settings)
    assert leaks(repr(parse_address(settings.chat_url, KEY, "KNARR_CHAT")), KEY) == []


def test_hiding_leaves_other_words() -> None:
    hide = Secrets(["a", "sesame-open-now"], [("me", "pw")]).hide
    assert hide("a man and sesame") == "[key] man and sesame"
    assert hide("see https://host/path?page=2&token=abc#x") == "see https://host/path?page=2&token=[key]#x"
    assert hide("mail me@host.org about monkey=1") == "mail me@host.org about monkey=1"


def test_hiding_takes_linear_work() -> None:
    """Long texts of what the patterns look for: quadratic ones would not end."""
    hide = Secrets([KEY]).hide
    for text in ("://" * 400_000, "bearer! " * 200_000, "&keykey" * 200_000):
        assert hide(text) == text
    assert hide(KEY[:8] * 100_000) == "[key]" * 100_000
    assert hide("?key=" * 200_000).count("[key]") == hide("?key=" * 100_000).count("[key]") * 2


# -- proxies -----------------------------------------------------------------------------------------


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


def test_servers_of_this_machine_are_never_asked_through_a_proxy(no_proxies: pytest.MonkeyPatch) -> None:
    no_proxies.setenv("HTTP_PROXY", "http://proxy:3128")
    no_proxies.setenv("ALL_PROXY", "other:8080")
    no_proxies.setenv("NO_PROXY", "intern.example")
    assert [
        proxy_of(f"http://{host}/v1") for host in ("localhost:8000", "127.0.0.1", "[::1]:9", "a.localhost")
    ] == [""] * 4
    assert proxy_of("http://api.example/v1") == "http://proxy:3128"
    assert proxy_of("https://api.example/v1") == "http://other:8080"
    assert proxy_of("https://intern.example/v1") == ""


def test_a_proxy_is_asked_and_its_password_is_not_shown(no_proxies: pytest.MonkeyPatch) -> None:
    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(reply({"error": "no hush-hush-hush here"}, "407 Who"))

    with HostileServer(answer) as proxy:
        no_proxies.setenv("HTTP_PROXY", f"http://me:hush-hush-hush@{proxy.origin.removeprefix('http://')}")
        with pytest.raises(ChatError) as caught:
            OpenAIChat("http://api.invalid/v1", "m", KEY).chat(ASK)
        assert proxy.requests[0].startswith(b"POST http://api.invalid/v1/chat/completions")
    assert caught.value.kind == "unauthorised" and "hush" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["socks5://me:hush-hush@host:1", "nonsense://x", "http://"])
def test_a_proxy_that_cannot_be_used_is_a_setting_to_mend(no_proxies: pytest.MonkeyPatch, proxy: str) -> None:
    no_proxies.setenv("HTTP_PROXY", proxy)
    with pytest.raises(ChatError, match="proxy") as caught:
        OpenAIChat("http://api.invalid/v1", "m").chat(ASK)
    assert caught.value.kind == "unconfigured" and "hush" not in str(caught.value)


def test_a_dead_proxy_is_unreachable(no_proxies: pytest.MonkeyPatch) -> None:
    no_proxies.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(ChatError) as caught:
        OpenAIChat("http://api.invalid/v1", "m", sleep=lambda _: None).chat(ASK)
    assert caught.value.kind == "unreachable"
