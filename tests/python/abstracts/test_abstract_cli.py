"""`knarr abstracts`, and what `knarr add` says when it ends with them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from knarr.cli import main
from knarr.errors import ChatError
from knarr.models.chat import ChatReply, ChatRequest
from knarr.testing import HashEmbedder
from support import WriteDocs
from telling import Teller, manual

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    write_docs: WriteDocs,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs `knarr ARGS` beside `docs/ropes.md`."""
    write_docs({"ropes.md": manual("Ropes", words=300)})
    monkeypatch.chdir(tmp_path)
    for name in ("KNARR_KB", "KNARR_CHAT_URL", "KNARR_ABSTRACTS"):
        monkeypatch.delenv(name, raising=False)
    real = knarr.open
    monkeypatch.setitem(vars(knarr), "open", functools.partial(real, embedder=HashEmbedder()))

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(arguments)
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    return call


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Callable[[Teller], None]:
    """Makes a chat model the one that the settings name."""

    def serve(chat: Teller) -> None:
        monkeypatch.setenv("KNARR_CHAT_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setattr("knarr.models.chat.load_chat", lambda _settings: chat)

    return serve


def test_without_a_model_only_the_estimate_works(run: Run) -> None:
    assert run("add", "docs")[0] == 0
    code, out, err = run("abstracts", "--dry-run")
    assert (code, err) == (0, "") and "4 of 6 abstracts to be made" in out and "at most" in out
    code, out, err = run("abstracts")
    assert (code, out) == (1, "") and "KNARR_CHAT_URL" in err


def test_making_them(run: Run, served: Callable[[Teller], None]) -> None:
    served(chat := Teller())
    run("add", "docs")
    assert chat.calls == 0
    code, out, err = run("abstracts", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "") and report["ok"]
    assert (report["made"], report["nodes"], report["usage"]["calls"]) == (4, 6, chat.calls)
    assert report["tokens"] == report["usage"]["prompt_tokens"] + report["usage"]["completion_tokens"]
    code, out, _ = run("abstracts", "viking://ropes")
    assert code == 0 and "0 of 6 abstracts made by teller: 4 known already" in out


def test_a_limit_leaves_something_and_says_so(run: Run, served: Callable[[Teller], None]) -> None:
    served(Teller())
    run("add", "docs")
    code, out, _ = run("abstracts", "--max-tokens", "1200")
    assert code == 4 and "left: the limit of 1200 tokens for one job" in out


def test_a_scope_that_is_not_there(run: Run, served: Callable[[Teller], None]) -> None:
    served(Teller())
    run("add", "docs")
    code, out, err = run("abstracts", "viking://nowhere")
    assert (code, out) == (1, "") and err.count("\n") == 1 and "viking://nowhere" in err


def test_adding_ends_with_them_where_wanted(
    run: Run, served: Callable[[Teller], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(request: ChatRequest) -> ChatReply:
        raise ChatError("the server\nis gone")

    served(Teller(tell))
    monkeypatch.setenv("KNARR_ABSTRACTS", "model")
    code, out, err = run("add", "docs")
    # The documents are in and searchable; what is missing is said, and is no failure of the add.
    assert (code, err) == (0, "") and "1 of 1 file searchable" in out
    assert "kept their own sentences: an error of the model: the server is gone" in out
