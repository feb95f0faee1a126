"""Every public call refuses what it cannot use by an error of ours, and a closed base refuses everything (PER-04)."""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knarr
from knarr.testing import HashEmbedder

ODD: tuple[object, ...] = (
    "\ud800", None, 1.5, True, "", "a\0b", b"x", 10**30, -1, float("nan"), float("inf"), object(), [], {},
    ["\ud800"], [None],
)  # fmt: skip
# What no parameter with this annotation takes.
NEVER: dict[str, tuple[object, ...]] = {
    "str": ("\ud800", b"x", 1.5, True, object(), []),
    "int": ("\ud800", "", b"x", 1.5, True, 10**30, float("nan"), object(), []),
    "float": ("", b"x", True, float("nan"), object(), []),
    "bool": ("", b"x", 1.5, object(), []),
}
PARTS = ("experience", "checker", "traces", "abstracts", "history", "jobs", "library")
LINKS = ("sqlalche.me", "pydantic.dev", "https://errors")

Call = Callable[..., object]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[knarr.KnowledgeBase]:
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "a.md").write_text("# A\n\nword one\n\n# B\n\nword two\n")
    with knarr.open(folder / "r.kb", embedder=HashEmbedder()) as kb:
        kb.add(folder / "a.md", into="viking://k")
        kb.ask("what word?")
        yield kb


def values(kb: knarr.KnowledgeBase, folder: Path) -> dict[str, Any]:
    """A good value for each parameter that has no default."""
    ((trace, *_),) = kb.traces.list(1)
    vectors = np.eye(4, dtype=np.float32)
    return {
        "query": "word", "question": "what word?", "pattern": "word", "text": "word", "scope": "viking://k",
        "uri": "viking://k/a", "place": "viking://k/a", "source": "viking://none", "target": "viking://n", "into": "viking://k",
        "path": folder / "any", "trace_id": trace, "first": trace, "second": trace, "trace": kb.traces.get(trace),
        "good": True, "later": ["what?"], "documents": ["viking://k/a"], "count": 1, "dim": 4,
        "uris": ["viking://n/1.md"], "vectors": vectors[:1], "queries": vectors[:2], "seeds": ["viking://a/x.md"],
        "sources": ["viking://a/x.md"], "targets": ["viking://a/y.md"], "vector": vectors[0], "timeout_s": 0.0,
        "version": 1, "citations": [], "principal": knarr.Principal(), "name": "", "file": folder / "any.backup", "embedder": HashEmbedder(8), "context": kb._context,
        "folder": folder / "any", "job_id": 1,
    }  # fmt: skip


def engine() -> knarr.Engine:
    made = knarr.Engine(4)
    made.add(["viking://a/x.md", "viking://a/y.md"], np.eye(4, dtype=np.float32)[:2], ["one", "two"])
    return made


def methods(owner: object) -> dict[str, Call]:
    kinds = (inspect.isfunction, inspect.ismethod)
    found = inspect.getmembers(type(owner), lambda member: any(kind(member) for kind in kinds))
    return {name: getattr(owner, name) for name, _ in found if not name.startswith("_")}


def refuses(call: Call, named: dict[str, Any], what: str) -> bool:
    """Whether a call is refused; that anything else than an error of ours leaves it fails the test."""
    try:
        got = call(**named)
        if inspect.isgenerator(got):
            list(got)
    except knarr.KnarrError as error:
        message = str(error)
        message.encode()
        assert not any(link in message for link in LINKS), (what, message)
        return True
    except Exception as error:
        pytest.fail(f"{what}: {type(error).__name__}: {error!a}")
    return False


def try_all(name: str, call: Call, good: dict[str, Any]) -> None:
    """Every odd value in the place of every argument."""
    parameters = [
        one for one in inspect.signature(call).parameters.values() if one.kind is not one.VAR_KEYWORD
    ]
    given = {one.name: good[one.name] for one in parameters if one.default is one.empty and one.name in good}
    assert {
        one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_POSITIONAL
    } == set(given), name
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            continue
        never = NEVER.get(str(one.annotation).removesuffix(" | None"), ())
        for odd in (*ODD, *never):
            what = f"{name}({one.name}={odd!a})"
            refused = refuses(call, given | {one.name: odd}, what)
            assert refused or not any(odd is bad for bad in never), f"{what} was taken"


@pytest.mark.parametrize("part", ["", *PARTS])
def test_a_base_and_its_parts_refuse_by_errors_of_ours(
    base: knarr.KnowledgeBase, part: str, tmp_path: Path
) -> None:
    good = values(base, tmp_path)
    owner = getattr(base, part) if part else base
    for name, call in methods(owner).items():
        if name in ("close", "aask", "warm_up", "add", "backup", "forget", "reembed"):  # see `care`
            continue
        try_all(name, call, good | ({"uri": "viking://none"} if name == "remove" else {}))
    if not part:
        try_all("add", base.add, good | {"source": tmp_path})
        for option in ("k", "mode", "policy", "budget", "shadow", "resample"):
            for odd in ODD:
                refuses(base.ask, {"question": "word?", option: odd}, f"ask({option}={odd!a})")
    assert base.info()["documents"] == 1


def test_an_engine_refuses_by_errors_of_ours(
    base: knarr.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where files of odd names may be
    good = values(base, tmp_path) | {"query": np.eye(4, dtype=np.float32)[0]}
    for name, call in methods(engine()).items():
        if name == "load":
            continue
        scoped = {"scope": "viking://a", "uri": "viking://a/x.md", "source": "viking://a/x.md"}
        made = engine()
        parameters = inspect.signature(call).parameters.values()
        for one in parameters:
            given = {p.name: (good | scoped)[p.name] for p in parameters if p.default is p.empty}
            for odd in ODD:
                refuses(getattr(made, name), given | {one.name: odd}, f"Engine.{name}({one.name}={odd!a})")
    engine().save(tmp_path / "saved")
    for name in ("path", "precision", "check_all", "graph"):
        for odd in ODD:
            refuses(knarr.Engine.load, {"path": tmp_path / "saved", name: odd}, f"load({name}={odd!a})")
    for odd in ODD:
        refuses(knarr.Engine, {"dim": odd}, f"Engine({odd!a})")
        refuses(knarr.Engine, {"dim": 4, "precision": odd}, f"Engine(precision={odd!a})")


@pytest.mark.parametrize("name", ["path", "embedder", "create", "settings"])
def test_open_refuses_by_errors_of_ours(tmp_path: Path, name: str) -> None:
    for odd in ODD:
        if name == "path" and isinstance(odd, str) and odd.isascii() and odd and "\0" not in odd:
            continue
        given: dict[str, Any] = {"path": tmp_path / "o.kb", "embedder": HashEmbedder(), "create": True}
        may = {"embedder": (None,), "create": (True,), "settings": (None,)}.get(name, ())
        if odd in may:
            continue
        assert refuses(knarr.open, given | {name: odd}, f"open({name}={odd!a})"), (name, odd)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_an_empty_path_and_one_with_nul_are_refused(base: knarr.KnowledgeBase, path: str) -> None:
    for call in (lambda: base.add(path), lambda: base.add([path]), lambda: knarr.open(path)):
        with pytest.raises(knarr.InvalidArgument, match="path"):
            call()


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_that_is_asked_is_refused(base: knarr.KnowledgeBase, text: str) -> None:
    for call in (base.ask, base.search, lambda text: asyncio.run(base.aask(text))):
        with pytest.raises(knarr.InvalidArgument):
            call(text)


def test_a_read_of_no_tokens_is_refused(base: knarr.KnowledgeBase) -> None:
    for tokens in (0, -1):
        with pytest.raises(knarr.InvalidArgument, match="max_tokens: expected at least 1"):
            base.read("viking://k/a", max_tokens=tokens)
    assert base.read("viking://k/a", max_tokens=1).text


def test_what_a_look_would_use_up_is_refused(base: knarr.KnowledgeBase) -> None:
    """Kinds are looked at before the search: of an iterator nothing would be left for it."""
    assert len(base.search("word", kinds=["chunk"])) > 0
    with pytest.raises(knarr.InvalidArgument, match="kinds: expected"):
        base.search("word", kinds=iter(["chunk"]))  # type: ignore[arg-type]


@pytest.mark.parametrize("array", [np.zeros(2), np.eye(2, dtype=np.int64)])
def test_an_array_is_no_number(array: Any) -> None:
    with pytest.raises(knarr.InvalidArgument, match="dim: expected an integer"):
        knarr.Engine(array)
    with pytest.raises(knarr.InvalidArgument, match="least_share: expected a number"):
        engine().compact(array)


def test_a_closed_base_refuses_everything(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nword\n")
    kb = knarr.open(tmp_path / "c.kb", embedder=HashEmbedder())
    kb.add(tmp_path / "a.md", into="viking://k")
    kb.ask("what word?")
    kb.ask("which word?")
    good = values(kb, tmp_path) | {"source": "viking://k/a"}
    parts = [kb, *(getattr(kb, part) for part in PARTS)]
    running = kb.traces.walk()
    next(running)
    kb.close()
    kb.close()
    with pytest.raises(knarr.CatalogError, match="was closed"):
        next(running)
    for owner in parts:
        for name, call in methods(owner).items():
            if name in ("close", "aask"):
                continue
            parameters = inspect.signature(call).parameters.values()
            needed = [
                p
                for p in parameters
                if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            ]
            named = {p.name: good[p.name] for p in needed}
            args: tuple[Any, ...] = ()
            if owner is kb.library and not named:
                args = {"search": ("word",), "grep": ("word",), "read": ("viking://k/a",)}.get(name, ())
            if name == "add":
                named["source"] = tmp_path / "a.md"
            if name == "warm_up":
                named["questions"] = ["what?"]
            if name in ("forget", "quarantine", "approve"):
                named["trace"] = good["trace_id"]
            if name == "make":
                named["chat"] = knarr.testing.ScriptedChat([])
            with pytest.raises(knarr.CatalogError, match="was closed"):
                got = call(*args, **named)
                if inspect.isgenerator(got):
                    next(got)
                pytest.fail(f"{name} was answered")
    with pytest.raises(knarr.CatalogError, match="was closed"), kb:
        pass
    assert not list(tmp_path.glob("c.kb/*-wal"))


def test_what_the_database_refuses_is_said_in_our_words(tmp_path: Path) -> None:
    with knarr.open(tmp_path / "d.kb", embedder=HashEmbedder()) as kb:
        with sqlite3.connect(tmp_path / "d.kb" / "catalog.sqlite") as database:
            database.execute("DROP TABLE objects")
        database.close()
        with pytest.raises(knarr.CatalogError, match="no such table: objects") as caught:
            kb.info()
        message = str(caught.value)
        assert "SELECT" not in message and "sqlalche" not in message and "d.kb" in message
