"""What users see when a server or a setting fails: one line, one typed error, never "not found"."""

from __future__ import annotations

import json
import logging
import socket
from pathlib import Path
from typing import Any

import pytest

import knarr
from hostile_server import HostileServer, closed_port, reply
from knarr import config
from knarr.cli import main
from knarr.config import Settings
from knarr.errors import ChatError, ContextOverflow, EmbedderError, KnarrError, ServerError, SettingsError
from knarr.models.chat import load_chat
from knarr.models.configured import ConfiguredChat
from knarr.models.embed import load_embedder


def embeds(connection: socket.socket, request: bytes) -> None:
    texts = json.loads(request.partition(b"\r\n\r\n")[2])["input"]
    data = [{"index": n, "embedding": [1.0, len(text) % 7, 0.5]} for n, text in enumerate(texts)]
    connection.sendall(reply({"data": data}))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base whose embedding server was there when its documents were added, and is not any more."""
    monkeypatch.chdir(tmp_path)
    for name in ("KNARR_KB", "KNARR_CHAT_URL"):
        monkeypatch.delenv(name, raising=False)
    Path("loans.md").write_text("# Loans\n\nThe fee is 15 euros.\n", encoding="utf-8")
    with HostileServer(embeds) as server:
        settings = Settings(embedder="openai", embed_url=server.url, embed_model="m")
        with knarr.open(tmp_path / "knarr.kb", settings=settings) as kb:
            kb.add("loans.md")
    monkeypatch.setenv("KNARR_EMBEDDER", "openai")
    monkeypatch.setenv("KNARR_EMBED_MODEL", "m")
    monkeypatch.setenv("KNARR_EMBED_URL", f"http://127.0.0.1:{closed_port()}/v1")
    return tmp_path / "knarr.kb"


def test_a_search_without_its_embedder_is_an_error(served: Path) -> None:
    with pytest.raises(EmbedderError) as caught, knarr.open(served) as kb:
        kb.search("What is the fee?")
    assert caught.value.kind == "unreachable" and "KNARR_EMBED_URL" in str(caught.value)


@pytest.mark.parametrize("command", [("search", "fee"), ("ask", "What is the fee?"), ("add", "loans.md")])
def test_the_command_line_says_it_in_one_line(
    served: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *command)
    assert (code, out) == (1, "")
    assert err.startswith("knarr: http://127.0.0.1:") and err.count("\n") == 1 and "cannot be reached" in err


def test_a_setting_that_is_wrong_is_one_line(
    served: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNARR_CHUNK_TOKENS", "abc")
    code, out, err = run(capsys, "info")
    assert (code, out) == (1, "")
    assert err == "knarr: KNARR_CHUNK_TOKENS='abc': expected a whole number from 16 to 1,048,576\n"


# -- settings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_says_what_it_expects(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    field = Settings.model_fields[name]
    variable = f"KNARR_{name.upper()}"
    if field.annotation is str:  # any text will do here; who uses it says what is wrong with it
        with pytest.raises(SettingsError, match=rf"^{name}=.*: expected a text$"):
            Settings(**{name: 7})
        return
    for value in ("abc", "-2", "nan", "1e400", "[1", "9" * 5_000):
        if value == "-2" and name == "graph":
            continue
        monkeypatch.setenv(variable, value)
        with pytest.raises(SettingsError, match=rf"^{variable}='.*: expected ") as caught:
            Settings()
        said = str(caught.value)
        assert "pydantic" not in said and "\n" not in said and len(said) < 250
    monkeypatch.setenv(variable, "")
    assert getattr(Settings(), name) == field.default


def test_all_that_is_wrong_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNARR_CHAT_PRICES", "cheap")
    monkeypatch.setenv("KNARR_LEARNING", "on")
    monkeypatch.setenv("KNARR_THREADS", "many")
    with pytest.raises(SettingsError) as caught:
        Settings(gamma=7, chunk_token=5)
    said = str(caught.value)
    for part in (
        "KNARR_CHAT_PRICES='cheap': expected three numbers",
        "KNARR_LEARNING='on': expected one of off, record, learn, frozen",
        "KNARR_THREADS='many': expected a whole number",
        "gamma=7: expected a number from -1.0 to 1.0",
        "chunk_token: no such setting, did you mean chunk_tokens?",
    ):
        assert part in said
    assert isinstance(caught.value, KnarrError) and isinstance(caught.value, ValueError)


def test_settings_do_not_change() -> None:
    with pytest.raises(SettingsError, match="do not change"):
        Settings().chunk_tokens = 5


def test_names_that_are_nearly_settings_are_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(config, "_WARNED", set())
    caplog.set_level(logging.WARNING, "knarr")
    monkeypatch.setenv("KNARR_CHAT_TIMEOUT", "sk-secret-value")
    monkeypatch.setenv("KNARR_OF_SOMEBODY_ELSE", "1")
    Settings(), Settings()
    assert [record.getMessage() for record in caplog.records] == [
        "KNARR_CHAT_TIMEOUT is no setting and is not used; did you mean KNARR_CHAT_TIMEOUT_S?"
    ]


# -- kinds -------------------------------------------------------------------------------------------


def kind_of(call: Any) -> str:
    with pytest.raises(ServerError) as caught:
        call()
    return str(caught.value.kind)


def test_what_is_not_configured_or_not_there_has_its_kind(tmp_path: Path) -> None:
    assert kind_of(ConfiguredChat(Settings(chat_url="")).model) == "unconfigured"
    assert kind_of(lambda: load_chat(Settings(chat_url="localhost:8000"))) == "unconfigured"
    assert kind_of(lambda: load_embedder(Settings(embedder="openai", embed_url="nowhere"))) == "unconfigured"
    assert kind_of(lambda: load_embedder(Settings(embedder=str(tmp_path / "none")))) == "missing"
    assert (ContextOverflow().kind, ChatError("x").kind) == ("overflow", "protocol")


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_damaged_model_folder_is_an_embedder_error(tmp_path: Path, damaged: str) -> None:
    from knarr.models.embed.local import embedding_model

    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).symlink_to(embedding_model() / name)
    (tmp_path / damaged).unlink(missing_ok=True)
    (tmp_path / damaged).write_text("[" * 5_000, encoding="utf-8")
    assert kind_of(lambda: load_embedder(Settings(embedder=str(tmp_path))).embed(["a"])) == "broken"


def test_half_characters_are_embedded_by_the_offline_model() -> None:
    made = load_embedder(Settings(embedder="local")).embed(["a \ud800 b", "a ? b"])
    assert (made[0] == made[1]).all()
