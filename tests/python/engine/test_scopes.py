"""`Engine` as users meet it: URIs, scopes, moving and removing."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from engine_rows import names, vectors
from knarr.engine import Engine
from knarr.errors import AlreadyExists, InvalidArgument, NotFound
from knarr.types import Kind
from knarr.uris import component, join


def test_a_scope_is_a_subtree(engine: Engine) -> None:
    """NS-01."""
    uris = [
        "viking://a/b/b_1.md",
        "viking://a/b/x.md/x_1.md",
        "viking://a/bc/y.md",
        "viking://a/b-old/z.md",
    ]
    rows = vectors(4)
    engine.add(uris, rows, [f"needle {i}" for i in range(4)])
    inside = set(uris[:2])
    for scope in ("viking://a/b", "viking://a/b/"):
        assert set(engine.search(rows[0], scope).uris) == inside
        assert {match.uri for match in engine.grep("needle", scope).matches} == inside
        assert engine.read(scope).text == "needle 0needle 1"
        assert engine.count(scope) == 2
        assert names(engine, scope) == ["b_1.md", "x.md"]
    engine.add_edges([uris[0], uris[2]], [uris[2], uris[0]], "what?", rows[0])
    assert engine.remove("viking://a/b") == 2
    assert set(engine.search(rows[0]).uris) == set(uris[2:])
    assert names(engine, "viking://a") == ["bc", "b-old"]
    assert engine.stats()["edges"] == 0


TITLES = ["TCP/IP", "TCP%2FIP", "50% plan", "a?b#c", "x\\y", "..", ".", "two words"]
SCRIPTS = ["测试", "文档", "רשימה", "Иван", "🎉🎊", "!!!", "مقدمة", "ภาษาไทย", "Ärger", "x" * 400]


def test_every_title_round_trips_through_its_uri(engine: Engine) -> None:
    """NS-03, and NS-02's scripts."""
    titles = TITLES + SCRIPTS
    given = [join("viking://doc", component(title)) for title in titles]
    rows = vectors(len(given))
    engine.add(given, rows, [f"body {i}." for i in range(len(given))])
    listed = [entry.uri for entry in engine.list("viking://doc").entries]
    assert listed == given
    assert len(set(listed)) == len(titles)
    for i, uri in enumerate(listed):
        assert engine.read(uri).text == f"body {i}."
        assert engine.search(rows[i], uri).uris == [uri]
        assert engine.search(rows[i], k=1).uris == [uri]
        assert [match.uri for match in engine.grep(r"body \d+", uri).matches] == [uri]


def test_components_are_compared_after_decoding_and_in_nfc(engine: Engine) -> None:
    composed, decomposed = "viking://caf\u00e9/a", "viking://cafe\u0301/a"
    engine.add([decomposed], vectors(1))
    assert engine.list("viking://").entries[0].uri == "viking://caf\u00e9/"
    for uri in (
        composed,
        decomposed,
        "viking://caf%C3%A9/a",
        "viking://cafe%cc%81/a",
        "viking://caf%C3%A9/%61",
    ):
        assert engine.exists(uri)
    with pytest.raises(AlreadyExists):
        engine.add([composed], vectors(1))


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "a",
        "/etc/passwd",
        "file:///etc/passwd",
        "viking:///a",
        "viking://a//b",
        "viking://kb/../x",
        "viking://kb/%2e%2e/x",
        "viking://kb/%2e%2e%2fx",
        "viking://kb/..%5cx",
        "viking://kb/a%00b",
        "viking://kb/a\x00b",
        "viking://kb/%zz",
        "viking://kb/%C3",
        "viking://kb/\ud800",
        "viking://kb/%0a",
    ],
)
def test_dangerous_uris_are_refused_everywhere(engine: Engine, uri: str) -> None:
    """SEC-01, at the engine."""
    engine.add(["viking://kb/x"], vectors(1), ["secret"])
    query = vectors(1)[0]
    calls: list[Callable[[], object]] = [
        lambda: engine.search(query, uri),
        lambda: engine.list(uri),
        lambda: engine.grep("secret", uri),
        lambda: engine.read(uri),
        lambda: engine.remove(uri),
        lambda: engine.move("viking://kb", uri),
        lambda: engine.add([uri], vectors(1)),
        lambda: engine.exists(uri),
    ]
    for call in calls:
        with pytest.raises(InvalidArgument):
            call()
    assert len(engine) == 1


def test_a_name_decodes_once(engine: Engine) -> None:
    engine.add(["viking://kb/x"], vectors(1), ["secret"])
    with pytest.raises(NotFound):
        engine.read("viking://kb/%252e%252e/kb/x")
    with pytest.raises(InvalidArgument):
        engine.read(3)  # type: ignore[arg-type]  # what a careless caller passes


def test_move_is_all_or_nothing(engine: Engine) -> None:
    """NS-04, as far as the engine goes."""
    uris = [f"viking://kb/old/d{i}/c" for i in range(50)]
    rows = vectors(50)
    engine.add(uris, rows, [f"text {i}\n" for i in range(50)])
    engine.add_edges([uris[0]], [uris[1]], "what?", rows[0])
    assert engine.move("viking://kb/old", "viking://kb/new/sub") == 50
    moved = [uri.replace("/old/", "/new/sub/") for uri in uris]
    for i in (0, 25, 49):
        assert engine.search(rows[i], k=1).uris == [moved[i]]
        assert engine.read(moved[i]).text == f"text {i}\n"
        assert not engine.exists(uris[i])
    assert engine.search(rows[0], k=1, expand=True).expanded[0].uri == moved[1]
    assert engine.stats()["rows"] == 50

    engine.add(["viking://kb/taken"], vectors(1))
    version = engine.stats()["version"]
    for source, target, error in [
        ("viking://kb/new", "viking://kb/taken", AlreadyExists),
        ("viking://kb/new", "viking://kb/new", AlreadyExists),
        ("viking://kb/new", "viking://kb/new/sub/deeper", InvalidArgument),
        ("viking://kb/new", "viking://kb/taken/x", InvalidArgument),
        ("viking://", "viking://x", InvalidArgument),
        ("viking://kb/none", "viking://x", NotFound),
    ]:
        with pytest.raises(error):
            engine.move(source, target)
    assert engine.stats()["version"] == version


def test_remove_reaches_every_index(engine: Engine) -> None:
    """NS-05, as far as the engine goes."""
    gone = [f"viking://kb/d/{a}/{b}/{c}" for a, b, c in itertools.product("xy", "pq", range(10))]
    kept = [f"viking://kb/e/{i}" for i in range(5)]
    rows = vectors(45)
    kinds: list[Kind] = ["chunk", "abstract"] * 20 + ["chunk"] * 5  # type: ignore[assignment]  # list * int
    engine.add(gone + kept, rows, ["needle"] * 45, kinds)
    engine.add_edges([kept[0], gone[0]], [gone[1], kept[1]], "what?", rows[0])
    assert engine.remove("viking://kb/d") == 40
    for call in (
        lambda: engine.search(rows[0], "viking://kb/d"),
        lambda: engine.list("viking://kb/d"),
        lambda: engine.grep("needle", "viking://kb/d"),
        lambda: engine.read("viking://kb/d"),
        lambda: engine.remove("viking://kb/d"),
    ):
        with pytest.raises(NotFound):
            call()
    assert set(engine.search(rows[0], k=100).uris) == set(kept)
    assert engine.grep("needle", kinds=None).total == 5
    assert names(engine, "viking://kb") == ["e"]
    stats = engine.stats()
    assert (stats["objects"], stats["edges"], stats["directories"]) == (5, 0, 3)
