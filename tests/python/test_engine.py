"""`Engine` as users meet it: namespaces, scopes, filters, order, reading, errors."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyroaring
import pytest

from knarr.documents.names import component, encode, join
from knarr.engine import Engine, Floats
from knarr.errors import AlreadyExists, InvalidArgument, NotFound, Unsupported
from knarr.types import Kind

DIM = 16


def vectors(n: int, seed: int = 0, dim: int = DIM) -> Floats:
    return np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)


def unit(rows: Floats) -> Floats:
    normed: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normed


def names(engine: Engine, uri: str) -> list[str]:
    return [entry.name for entry in engine.list(uri).entries]


@pytest.fixture
def engine() -> Engine:
    return Engine(DIM)


# ---------------------------------------------------------------- namespace


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


# ---------------------------------------------------------------- vectors


def test_scoped_top_k_is_full_and_correct() -> None:
    """VEC-01, smaller: every scope and k equals brute force."""
    dim, documents, chunks = 32, 200, 10
    engine = Engine(dim)
    rng = np.random.default_rng(1)
    rows = vectors(documents * chunks, 1, dim)
    uris = [f"viking://s{d % 20}/d{d}/{c}" for d in range(documents) for c in range(chunks)]
    order = rng.permutation(len(uris))
    for part in np.array_split(order, 7):
        engine.add([uris[i] for i in part], rows[part])
    normalised = unit(rows)
    for scope in ("viking://", "viking://s3", "viking://s3/d3", "viking://s3/d3/7"):
        inside = [i for i, uri in enumerate(uris) if f"{uri}/".startswith(scope.rstrip("/") + "/")]
        if scope == "viking://":
            inside = list(range(len(uris)))
        for k in (1, 20, 50, 5000):
            query = rng.standard_normal(dim).astype(np.float32)
            scores = normalised[inside] @ (query / np.linalg.norm(query))
            best = np.argsort(-scores, kind="stable")[:k]
            hits = engine.search(query, scope, k)
            assert len(hits) == min(k, len(inside))
            assert hits.uris == [uris[inside[i]] for i in best]
            np.testing.assert_allclose(hits.scores, scores[best], atol=1e-5)
            assert hits.rows_allowed == len(inside)


@pytest.mark.parametrize("k", [0, -1, 2**63, 1.5])
def test_k_must_be_a_positive_integer(engine: Engine, k: int) -> None:
    engine.add(["viking://a"], vectors(1))
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], k=k)


def test_bad_vectors_are_refused_whole(engine: Engine) -> None:
    """VEC-02."""
    good = vectors(100)
    engine.add([f"viking://a/{i}" for i in range(100)], good)
    for value in (np.nan, np.inf, -np.inf, 0.0, 1e-42):
        bad = vectors(3, 2)
        bad[1] = value if not np.isfinite(value) else np.full(DIM, value)
        with pytest.raises(InvalidArgument, match="viking://b/1"):
            engine.add([f"viking://b/{i}" for i in range(3)], bad)
        with pytest.raises(InvalidArgument):
            engine.search(bad[1])
        with pytest.raises(InvalidArgument):
            engine.search_batch(bad)
    assert len(engine) == 100
    scores = engine.search(good[0], k=1000).scores
    assert np.isfinite(scores).all()
    assert (np.diff(scores) <= 0).all()


def test_arrays_are_taken_as_they_are_or_refused(engine: Engine) -> None:
    rows = vectors(4)
    engine.add([f"viking://a/{i}" for i in range(4)], rows)
    wrong: Any
    for wrong in (
        rows.astype(np.float64),
        rows[:, ::2],
        rows[:, :-1].copy(),
        np.asfortranarray(rows),
        rows[0],
    ):
        with pytest.raises(InvalidArgument):
            engine.add([f"viking://b/{i}" for i in range(4)], wrong)
    for wrong in (rows[0].astype(np.float64), rows[:1], rows[0][:-1].copy(), rows[0][::2], rows.T[0]):
        with pytest.raises(InvalidArgument):
            engine.search(wrong)
    with pytest.raises(InvalidArgument, match="expected dimension 16"):
        engine.search_batch(np.ones((2, 15), np.float32))
    with pytest.raises(InvalidArgument):
        Engine(0)
    assert engine.search_batch(np.empty((0, DIM), np.float32)) == []
    assert len(engine.add([], np.empty((0, DIM), np.float32))) == 0


def test_pages_are_deterministic(engine: Engine) -> None:
    """VEC-05, with ties, pages and eight threads."""
    rows = vectors(100)
    rows[:30] = rows[0]
    uris = [f"viking://{'abc'[i % 3]}{'/' if i % 2 else '-'}{(i * 37) % 100}" for i in range(100)]
    order = np.random.default_rng(3).permutation(100)
    engine.add([uris[i] for i in order], rows[order])
    query = rows[0]
    whole = engine.search(query, k=100)
    assert whole.uris[:30] == sorted(uris[:30])
    assert len(set(whole.scores[:30])) == 1
    expected = sorted(zip(-whole.scores, whole.uris, strict=True))
    assert [uri for _, uri in expected] == whole.uris

    def pages(_: int) -> list[str]:
        return [uri for at in range(0, 100, 10) for uri in engine.search(query, k=10, offset=at).uris]

    with ThreadPoolExecutor(8) as pool:
        for answer in pool.map(pages, range(32)):
            assert answer == whole.uris
    assert len(engine.search(query, k=10, offset=95)) == 5
    assert len(engine.search(query, k=10, offset=100)) == 0
    assert len(engine.search(query, k=10, offset=10**12)) == 0


def test_a_batch_equals_its_queries(engine: Engine) -> None:
    rows = vectors(300)
    engine.add([f"viking://{i % 5}/{i}" for i in range(300)], rows)
    queries = vectors(9, 5)
    for scope in ("viking://", "viking://3"):
        for query, hits in zip(queries, engine.search_batch(queries, scope, 7), strict=True):
            one = engine.search(query, scope, 7)
            assert hits.uris == one.uris
            assert hits.scores.tobytes() == one.scores.tobytes()


# ---------------------------------------------------------------- filters


def test_filters_from_bitmap_bytes_and_mask(engine: Engine) -> None:
    rows = vectors(200)
    uris = [f"viking://{i % 4}/{i}" for i in range(200)]
    kinds: list[Kind] = ["abstract" if i % 5 == 0 else "chunk" for i in range(200)]
    engine.add(uris, rows, [f"word{i} " for i in range(200)], kinds)
    seen = {i for i in range(200) if i % 3 == 0}
    mask = np.array([i in seen for i in range(200)])
    bitmap = pyroaring.BitMap(seen)
    forms = [bitmap, bitmap.serialize(), mask, pyroaring.FrozenBitMap(seen), mask[:199]]
    for form in forms:
        hits = engine.search(rows[0], "viking://1", 1000, filter=form, kinds=["chunk"])
        expected = {uris[i] for i in seen if i % 4 == 1 and kinds[i] == "chunk"}
        assert set(hits.uris) == expected
        assert hits.rows_allowed == len(expected)
        assert set(hits.kinds) == {"chunk"}
        found = engine.grep(r"word\d+", filter=form, kinds=None, limit=1000)
        assert {match.uri for match in found.matches} == {uris[i] for i in seen}
    assert len(engine.search(rows[0], filter=pyroaring.BitMap())) == 0
    assert len(engine.search(rows[0], filter=pyroaring.BitMap([5_000_000]))) == 0
    assert len(engine.search(rows[0], k=1000, kinds=())) == 0
    assert engine.count(kinds="abstract") == 40


@pytest.mark.parametrize(
    "bad", [b"", b"junk", np.ones(200, np.int64), np.ones((10, 20), bool), [1, 2], np.ones(400, bool)[::2]]
)
def test_a_filter_that_cannot_be_applied_is_an_error(engine: Engine, bad: object) -> None:
    engine.add(["viking://a"], vectors(1))
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], filter=bad)


def test_unknown_kinds_are_refused(engine: Engine) -> None:
    with pytest.raises(InvalidArgument):
        engine.search(vectors(1)[0], kinds="chunks")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(InvalidArgument):
        engine.add(["viking://a"], vectors(1), None, ["chunks"])  # type: ignore[list-item]  # the mistake under test


def test_arguments_are_taken_as_python_takes_them(engine: Engine) -> None:
    engine.add(["viking://a", "viking://b"], vectors(2))
    query = vectors(1)[0]
    best = engine.search(query, k=1).uris
    assert engine.search(query, k=np.int64(1)).uris == engine.search(query, k=True).uris == best
    assert engine.search(query, kinds=iter(["chunk"])).rows_allowed == 2
    assert (
        engine.search(query, kinds={"abstract"}).rows_allowed
        == engine.search(query, kinds=()).rows_allowed
        == 0
    )
    assert len(engine.expand(iter(["viking://a"]), query)) == 0  # type: ignore[arg-type]
    assert engine.list(limit=np.uint8(1)).total == 2


def test_arguments_of_other_types_are_named(engine: Engine) -> None:
    engine.add(["viking://a"], vectors(1))
    query = vectors(1)[0]
    calls: dict[str, Callable[[], object]] = {
        "k: expected an integer, got '3'": lambda: engine.search(query, k="3"),  # type: ignore[arg-type]
        "k: 9223372036854775808 is out of range": lambda: engine.search(query, k=2**63),
        "URI: expected str, got b'x'": lambda: engine.search(query, b"x"),  # type: ignore[arg-type]
        "a lone surrogate has no UTF-8 form": lambda: engine.search(query, "viking://\ud800"),
        "query: expected a float32 array, got list": lambda: engine.search([1.0]),  # type: ignore[arg-type]
        "gamma: expected a number, got 'x'": lambda: engine.search(query, gamma="x"),  # type: ignore[arg-type]
        "plan: expected str, got None": lambda: engine.search(query, plan=None),  # type: ignore[arg-type]
        "kinds: expected 'chunk' or 'abstract', got 3": lambda: engine.count(kinds=[3]),  # type: ignore[list-item]
        "pattern: expected str, got 3": lambda: engine.grep(3),  # type: ignore[arg-type]
        "limit must not be negative, got -1": lambda: engine.grep("x", limit=-1),
        "max_bytes: expected an integer, got 1.5": lambda: engine.read("viking://a", 0, 1.5),  # type: ignore[arg-type]
    }
    for message, call in calls.items():
        with pytest.raises(InvalidArgument, match=re.escape(message)):
            call()
    with pytest.raises(TypeError):
        engine.search(query, kinds=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="12 arguments"):
        engine._core.search(query)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        type(engine._core).__new__(type(engine._core)).exists("viking://a")


# ---------------------------------------------------------------- text


def test_grep_outcomes_are_told_apart(engine: Engine) -> None:
    """GREP-04 at the engine."""
    engine.add([f"viking://d/{i}" for i in range(3)], vectors(3), ["foo bar\n", "food\n", "ERR\n"])
    assert engine.grep("foo.*bar").outcome == "matches"
    assert engine.grep("nothing").outcome == "no_matches"
    assert engine.grep("(?i)err").total == 1
    assert engine.grep("err", ignore_case=True).total == 1
    assert engine.grep("o{2}").total == 2
    assert engine.grep("o.", literal=True).total == 0
    with pytest.raises(InvalidArgument, match=r"\(\["):
        engine.grep("([")
    with pytest.raises(Unsupported):
        engine.grep(r"(a)\1")
    with pytest.raises(Unsupported):
        engine.grep("(?<=a)b")
    with pytest.raises(NotFound):
        engine.grep("a", "viking://nowhere")
    with pytest.raises(InvalidArgument):
        engine.grep("a", limit=-1)


def test_no_pattern_hangs(engine: Engine) -> None:
    """GREP-01 at the engine, on the small inputs."""
    engine.add(["viking://a", "viking://b"], vectors(2), ["a" * 30 + "!", "x" * 30 + "!"])
    for pattern in (r"(a+)+$", r"(a|aa)+$", r"(.*a){25}", r"(x+x+)+y"):
        engine.grep(pattern, timeout_ms=1000)
    with pytest.raises(InvalidArgument):
        engine.grep(r"a{1,50000}")
    with pytest.raises(InvalidArgument):
        engine.grep("(a" * 50_000)


def test_a_search_out_of_time_says_what_it_left_out(engine: Engine) -> None:
    text = ("the quick brown fox " * 50 + "\n") * 500
    count = 24
    engine.add([f"viking://d{i}/c" for i in range(count)], vectors(count), [text] * count)
    found = engine.grep(r"(?i)[a-z ]{1,300}\d", timeout_ms=1)
    assert found.outcome == "incomplete"
    assert "viking://d" in found.note
    assert engine.grep("quick", limit=3).total == 50 * 500 * count


def test_grep_is_bounded_and_paged(engine: Engine) -> None:
    """GREP-03 at the engine."""
    engine.add(["viking://json"], vectors(1), ['{"needle": 1, "filler": "xxxxxxxxx"}, ' * 500])
    found = engine.grep("needle", limit=7, offset=10, width=40)
    assert (found.total, len(found), found.next_offset) == (500, 7, 17)
    for match in found.matches:
        assert len(match.excerpt.encode()) <= 40
        assert "needle" in match.excerpt
    rest = engine.grep("needle", offset=found.next_offset or 0, limit=1000)
    assert len(rest) == 483
    assert rest.next_offset is None


def test_line_ends_do_not_matter(engine: Engine) -> None:
    """GREP-02 at the engine."""
    body = "one\ntwo\n\nend"
    for name, end in (("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")):
        engine.add([f"viking://{name}"], vectors(1), [body.replace("\n", end)])
    for pattern in ("one$", "^two$", "^$", r"end\z", "o.e"):
        answers = []
        for name in ("lf", "crlf", "cr"):
            found = engine.grep(pattern, f"viking://{name}")
            answers.append([(match.line, match.column, match.excerpt) for match in found.matches])
            assert all("\r" not in match.excerpt for match in found.matches)
        assert len(answers[0]) == 1
        assert answers[0] == answers[1] == answers[2]


def test_a_document_is_one_text(engine: Engine) -> None:
    texts = ["# T\nlate fe", "es apply\n", "summary of fees", "end\n"]
    uris = ["viking://k/d/a/1", "viking://k/d/b/1", "viking://k/d/.abstract.md", "viking://k/d/b/2"]
    kinds: list[Kind] = ["chunk", "chunk", "abstract", "chunk"]
    engine.add(uris, vectors(4), texts, kinds, document="viking://k/d")
    (match,) = engine.grep("late fees").matches
    assert match.uris == uris[:2]
    assert (match.line, match.column, match.document) == (2, 1, "viking://k/d/")
    assert engine.grep("fees", kinds=None).total == 2
    span = engine.read("viking://k/d")
    assert span.text == "# T\nlate fees apply\nend\n"
    assert span.text.encode()[match.begin_byte : match.end_byte] == b"late fees"
    section = engine.read("viking://k/d/b")
    assert (section.text, section.base_byte, section.line_begin) == ("es apply\nend\n", 11, 2)
    assert span.uris == [uris[0], uris[1], uris[3]]
    hits = engine.search(vectors(4)[1], k=1)
    assert (hits.begin_bytes, hits.end_bytes) == ([11], [20])
    assert (hits.line_begins, hits.line_ends, hits.documents) == ([2], [2], ["viking://k/d/"])


def test_without_a_document_each_directory_is_a_text(engine: Engine) -> None:
    engine.add(["viking://a/1", "viking://a/2", "viking://b/1"], vectors(3), ["le", "ak", " of air"])
    assert engine.grep("leak").total == 1
    assert engine.grep("leak of").total == 0
    assert engine.read("viking://").text == "leak of air"
    assert engine.search(vectors(3)[0], k=1).documents == [""]


def test_reading_in_pieces_gives_the_whole(engine: Engine) -> None:
    parts = ["aé", "🎉b\n", "", "測試\n"]
    engine.add([f"viking://d/{i}" for i in range(4)], vectors(4), parts)
    engine.add(["viking://e/no-text"], vectors(1))
    whole = "".join(parts)
    for step in range(1, 9):
        got, at = "", 0
        while True:
            span = engine.read("viking://", at, step)
            got += span.text
            if span.next_offset is None:
                break
            assert span.next_offset > at
            at = span.next_offset
        assert got == whole
    assert engine.read("viking://e/no-text").text == ""
    assert engine.read("viking://e/no-text").uris == ["viking://e/no-text"]


def test_previews(engine: Engine) -> None:
    long = "word " * 100
    engine.add(["viking://a/1", "viking://a/2"], vectors(2), [" First\n\tline ", long])
    engine.add(["viking://a/.abstract.md"], vectors(1), ["text"], ["abstract"], previews=["A preview"])
    first, second, abstract = (entry.preview for entry in engine.list("viking://a").entries)
    assert (first, abstract) == ("First line", "A preview")
    assert second.endswith("…")
    assert len(second) < 170
    assert engine.list().entries[0].preview == "A preview"


def test_replace_is_one_step(engine: Engine) -> None:
    rows = vectors(4)
    engine.add(["viking://k/d/1", "viking://k/d/2"], rows[:2], ["old 1", "old 2"], document="viking://k/d")
    engine.add(["viking://k/e/1"], rows[2:3], ["other"], document="viking://k/e")
    engine.add_edges(["viking://k/e/1"], ["viking://k/d/2"], "what?", rows[3])
    engine.add(
        ["viking://k/d/2", "viking://k/d/0"],
        rows[:2],
        ["new 2", "new 0"],
        document="viking://k/d",
        replace=True,
    )
    assert names(engine, "viking://k") == ["d", "e"]
    assert names(engine, "viking://k/d") == ["2", "0"]
    assert engine.grep("old").total == 0
    assert [each.uri for each in engine.expand(["viking://k/e/1"], rows[3])] == ["viking://k/d/2"]
    engine.add([], np.empty((0, DIM), np.float32), document="viking://k/d", replace=True)
    assert names(engine, "viking://k") == ["e"]


# ---------------------------------------------------------------- edges


def test_search_with_expansion(engine: Engine) -> None:
    rows = vectors(5)
    uris = [f"viking://k/{i}" for i in range(5)]
    engine.add(uris, rows)
    query = rows[0]
    engine.add_edges(
        [uris[0]] * 2, [uris[3], uris[4]], "What is it?", query, trace="t1", summary="search > read"
    )
    assert engine.add_edges([uris[0]], [uris[3]], "What is it?", query, trace="t1") == 0
    engine.add_edges([uris[0]], [uris[2]], "Gone?", query, trace="t2", expires_at=1)
    hits = engine.search(query, k=1, expand=True)
    assert hits.uris == [uris[0]]
    assert [(each.uri, each.source, each.question) for each in hits.expanded] == [
        (uris[3], uris[0], "What is it?"),
        (uris[4], uris[0], "What is it?"),
    ]
    assert hits.expanded[0].summary == "search > read"
    assert hits.expanded[0].trace == "t1"
    assert hits.expanded[0].row == 3
    assert len(engine.search(query, k=1).expanded) == 0
    only = pyroaring.BitMap([0, 4])
    assert [each.uri for each in engine.search(query, k=1, filter=only, expand=True).expanded] == [uris[4]]
    assert len(engine.expand([uris[0]], -query)) == 0
    assert [(hit.kind, hit.document) for hit in hits.expanded] == [("chunk", ""), ("chunk", "")]
    assert not engine.search(query, k=1, expand=True, question=rows[1]).expanded
    asked = engine.search(rows[1], k=5, expand=True, question=query)
    assert asked.uris[0] == uris[1] and [hit.uri for hit in asked.expanded] == [uris[3], uris[4]]
    with pytest.raises(InvalidArgument, match="question: expected dimension"):
        engine.search(query, expand=True, question=rows[0][:-1].copy())
    with pytest.raises(InvalidArgument, match="question: expected dimension"):
        engine.search(query, expand=True, question=rows[0][:0].copy())
    assert [(edge.source, edge.trace, edge.expires_at) for edge in engine.edges()] == [
        (uris[0], "t2", 1),
        (uris[0], "t1", None),
        (uris[0], "t1", None),
    ]
    assert [edge.target for edge in engine.edges(1, 1)] == [uris[3]]
    with pytest.raises(NotFound):
        engine.add_edges([uris[0]], ["viking://nowhere"], "q", query)
    with pytest.raises(InvalidArgument):
        engine.remove_edges()
    assert engine.remove_edges(trace="t1") == 2
    assert engine.remove_edges(uri=uris[2]) == 1
    assert engine.stats()["questions"] == 0


# ---------------------------------------------------------------- threads


def test_readers_see_whole_documents_while_a_writer_works(engine: Engine) -> None:
    chunks, rounds = 6, 40
    query = vectors(1, 9)[0]

    def publish(name: str, version: int) -> None:
        engine.add(
            [f"viking://k/{name}/s{i % 2}/{i}" for i in range(chunks)],
            vectors(chunks, version),
            [f"v{version}\n"] * chunks,
            document=f"viking://k/{name}",
            replace=True,
        )

    publish("a", 0)
    publish("b", 0)
    faults: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            hits = engine.search(query, k=1000)
            if len(hits) % chunks:
                faults.append(f"{len(hits)} hits")
            for document in set(hits.documents):
                shown = {p for p, d in zip(hits.previews, hits.documents, strict=True) if d == document}
                if len(shown) != 1:
                    faults.append(f"{document} shows {shown}")
            if engine.grep("v", limit=1).total % chunks:
                faults.append("grep saw a part")
            if engine.read("viking://").text.count("\n") % chunks:
                faults.append("read saw a part")

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for version in range(1, rounds):
            publish("ab"[version % 2], version)
            if version % 8 == 0:
                engine.move("viking://k/a", "viking://k/c")
                engine.remove("viking://k/c")
                publish("a", version)
        done.set()
        for reader in readers:
            reader.result()
    assert faults == []


def test_expansion_against_a_dull_twin(engine: Engine) -> None:
    """Rights, scope, ties by URI and the limit, of edges among objects and directories with odd names."""
    random = np.random.default_rng(3)
    parts = ["a", "a b", "a%", "a~", "ä", "z", "Z", "a-b", "é", "0"]
    uris = [
        join("viking://", encode(first), encode(second), str(number))
        for number, (first, second) in enumerate((one, two) for one in parts for two in parts)
    ]
    engine.add(uris, vectors(len(uris)))
    ends = uris + [uri.rsplit("/", 1)[0] + "/" for uri in uris]
    questions = vectors(6, 5)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    learnt = []
    for number, question in enumerate(questions):
        sources = [str(each) for each in random.choice(uris[:8], 30)]
        targets = [str(each) for each in random.choice(ends, 30)]
        engine.add_edges(sources, targets, f"q{number}", question, trace=f"t{number}")
        learnt += [(source, target, number) for source, target in zip(sources, targets, strict=True)]
    for gamma, limit, scope in ((-1.0, 1000, ""), (-1.0, 17, ""), (0.0, 5, ""), (-1.0, 40, uris[0][:11])):
        seeds = uris[:5]
        rows = [int(row) for row in np.flatnonzero(random.random(len(uris)) < 0.7)]
        seen = {uris[row] for row in rows if uris[row].startswith(scope)}
        cosines = questions @ questions[2]
        best: dict[str, float] = {}
        for source, target, number in learnt:
            if source in seeds and cosines[number] >= gamma and any(uri.startswith(target) for uri in seen):
                best[target] = max(best.get(target, -2.0), float(cosines[number]))
        expected = sorted(best, key=lambda uri: (-round(best[uri], 5), uri.encode()))[:limit]
        found = engine.expand(
            seeds, questions[2], scope or "viking://", pyroaring.BitMap(rows), gamma=gamma, limit=limit
        )
        assert [each.uri for each in found] == expected
        assert len(found) == len(expected) and len(found[1:3]) == min(2, len(expected) - 1)
        assert found[-1].uri == expected[-1]
        with pytest.raises(IndexError):
            found[len(found)]
