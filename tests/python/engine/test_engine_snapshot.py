"""Save and load: an engine equal in every answer, or a clear refusal; never a crash."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from knarr.engine import Engine, Floats, Hits
from knarr.errors import Corruption, EngineError, StorageError
from knarr.types import Kind

DIM = 8


def vectors(n: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).standard_normal((n, DIM)).astype(np.float32)


def add_document(engine: Engine, name: str, chunks: int, seed: int) -> None:
    base = f"viking://k/{name}"
    uris = [f"{base}/.abstract.md"] + [f"{base}/s{i // 2}/{i}" for i in range(chunks)]
    texts = [f"About {name}."] + [f"{name} part {i} é\r\nline " for i in range(chunks)]
    kinds: list[Kind] = ["abstract", *itertools.repeat("chunk", chunks)]  # type: ignore[list-item]  # repeat widens
    previews = [f"preview {i}" for i in range(chunks + 1)]
    engine.add(uris, vectors(chunks + 1, seed), texts, kinds, document=base, replace=True, previews=previews)


@pytest.fixture
def engine() -> Engine:
    """Documents that came, changed, moved, and went in part; loose objects; edges."""
    engine = Engine(DIM)
    for i, name in enumerate("abcde"):
        add_document(engine, name, 5, i)
    engine.add(["viking://loose/1", "viking://loose/2"], vectors(2, 77))
    add_document(engine, "b", 3, 50)
    engine.remove("viking://k/c")
    engine.remove("viking://k/d/s1/2")
    engine.move("viking://k/e", "viking://moved/e%2Fe")
    query = vectors(1, 88)[0]
    engine.add_edges(
        ["viking://k/a/s0/0"] * 2, ["viking://k/b/s0/1", "viking://moved"], "What?", query, trace="t"
    )
    engine.add_edges(["viking://loose/1"], ["viking://k/a"], "Why?", vectors(1, 89)[0], expires_at=4e9)
    return engine


def answers(engine: Engine) -> dict[str, object]:
    """Everything that an engine says, but for the numbers of its rows."""
    out: dict[str, object] = {"dim": engine.dim, "size": len(engine)}
    stack = ["viking://"]
    while stack:
        uri = stack.pop()
        span = engine.read(uri)
        fields = (span.text, span.base_byte, span.document, span.line_begin, span.line_end, span.uris)
        out[f"read {uri}"] = fields
        if uri.endswith("/"):
            entries = engine.list(uri).entries
            out[f"list {uri}"] = [(e.uri, e.name, e.rows, e.kind, e.preview) for e in entries]
            stack += [entry.uri for entry in entries]
    every: tuple[Kind | None, ...] = (None, "chunk", "abstract")
    for seed, kinds in itertools.product(range(3), every):
        query = vectors(1, 88 + seed)[0]
        hits = engine.search(query, k=100, kinds=kinds, expand=True)
        places = (hits.documents, hits.begin_bytes, hits.end_bytes, hits.line_begins, hits.line_ends)
        columns = (hits.uris, hits.scores.tobytes(), hits.kinds, hits.previews, places)
        edges = [(e.uri, e.source, e.similarity, e.question, e.trace) for e in hits.expanded]
        out[f"search {seed} {kinds}"] = (columns, edges)
    for pattern in ("part", "line", "^line", "é$", "About"):
        found = engine.grep(pattern, kinds=None, limit=1000)
        out[f"grep {pattern}"] = [
            (m.uri, m.uris, m.line, m.column, m.begin_byte, m.end_byte, m.excerpt, m.document)
            for m in found.matches
        ]
    stats = engine.stats()
    out["stats"] = [stats[name] for name in ("objects", "directories", "edges", "questions", "text_bytes")]
    return out


def test_a_loaded_engine_gives_the_same_answers(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "engine.snapshot"
    before = answers(engine)
    engine.save(path)
    loaded = Engine.load(path)
    assert answers(loaded) == before
    # Rows of what was removed or replaced are gone, but for the one whose bytes are part of a text.
    assert loaded.stats()["rows"] == len(engine) + 1 < engine.stats()["rows"]
    # It goes on like the other one, also while the file is replaced by its own save.
    for each in (engine, loaded):
        add_document(each, "new", 4, 99)
        add_document(each, "a", 2, 98)
        each.remove("viking://loose")
        each.move("viking://k/d", "viking://k/dd")
    assert answers(loaded) == answers(engine)
    loaded.save(path)
    assert answers(Engine.load(path)) == answers(engine)
    assert [entry.name for entry in tmp_path.iterdir()] == ["engine.snapshot"]


def test_a_compacted_engine_gives_the_same_answers(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "engine.snapshot"
    before = answers(engine)
    engine.save(path)
    other = Engine.load(path)
    assert engine.compact() is not None
    assert answers(engine) == before
    assert engine.stats()["rows"] == other.stats()["rows"]
    assert engine.compact() is None
    for each in (engine, other):
        add_document(each, "new", 4, 99)
        add_document(each, "a", 2, 98)
        each.remove("viking://loose")
        each.move("viking://k/d", "viking://k/dd")
    assert answers(engine) == answers(other)
    engine.compact()
    engine.save(path)
    assert answers(engine) == answers(other) == answers(Engine.load(path))


def test_an_empty_engine_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    Engine(3).save(str(path))
    loaded = Engine.load(os.fspath(path))
    assert (loaded.dim, len(loaded)) == (3, 0)
    loaded.add(["viking://a"], np.ones((1, 3), np.float32))
    assert len(loaded) == 1


def test_node_ids_survive(engine: Engine, tmp_path: Path) -> None:
    """Edges name nodes: after load, replace and move they still lead to the same objects."""
    path = tmp_path / "engine.snapshot"
    engine.save(path)
    loaded = Engine.load(path)
    add_document(loaded, "b", 2, 60)
    loaded.move("viking://k/b", "viking://bb")
    expanded = loaded.expand(["viking://k/a/s0/0"], vectors(1, 88)[0])
    assert [each.uri for each in expanded] == ["viking://bb/s0/1", "viking://moved/"]


def test_damage_is_refused(engine: Engine, tmp_path: Path) -> None:
    """PER-01: cut at every kilobyte and at the ends, a byte flipped at 200 places."""
    path = tmp_path / "engine.snapshot"
    engine.save(path)
    data = path.read_bytes()
    before = answers(engine)
    damaged = tmp_path / "damaged"
    for size in {0, 1, len(data) // 2, len(data) - 1, *range(0, len(data), 1024)}:
        damaged.write_bytes(data[:size])
        with pytest.raises((Corruption, StorageError), match="damaged"):
            Engine.load(damaged)
    rng = np.random.default_rng(4)
    for at in rng.integers(0, len(data), 200):
        flipped = bytearray(data)
        flipped[at] ^= 1 << int(rng.integers(0, 8))
        damaged.write_bytes(flipped)
        with pytest.raises(EngineError, match="damaged"):
            Engine.load(damaged)
    for content in (b"", b"hello", os.urandom(5000), data + b"\0"):
        damaged.write_bytes(content)
        with pytest.raises(EngineError):
            Engine.load(damaged)
    assert answers(Engine.load(path)) == before


def test_damage_among_many_vectors_is_contained(tmp_path: Path) -> None:
    """A page of them is checked when it is first needed: what needs it is refused, the rest goes on."""
    rows, dim, path, bad = 24_000, 384, tmp_path / "large", tmp_path / "bad"
    made = np.random.default_rng(5).standard_normal((rows, dim), dtype=np.float32)
    large = Engine(dim)
    for begin in range(0, rows, 1000):
        uris = [f"viking://d{begin // 1000}/{i}" for i in range(1000)]
        large.add(uris, made[begin : begin + 1000])
    large.save(path)
    query = made[5000]
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"engine.vectors\0")  # in the table: a name of 40 bytes, then where it begins
    at = int.from_bytes(data[entry + 40 : entry + 48], "little") + 5000 * dim * 4
    data[at + 100] ^= 16
    bad.write_bytes(data)

    good, damaged = Engine.load(path), Engine.load(bad)
    assert good.search(query, "viking://d5", k=1).uris == ["viking://d5/0"]
    assert damaged.search(made[7000], "viking://d7", k=1).uris == ["viking://d7/0"]
    for _ in range(2):
        with pytest.raises(Corruption, match=r"bad: section 'engine\.vectors': page"):
            damaged.search(query, "viking://d5", k=1000)
    assert damaged.read("viking://d5/0").text == ""
    with pytest.raises(Corruption, match="bad"):
        damaged.save(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    with pytest.raises(Corruption, match="bad"):
        Engine.load(bad, check_all=True)
    good.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()
    assert len(Engine.load(path, check_all=True)) == rows


# Sections that are checked page by page, and what of a store needs them.
PAGED = ["engine.vectors", "engine.short", "engine.codes", "engine.previews", "text.bytes", "text.index"]
MANY = 110_000  # rows for which each of them is large enough, at 64 dimensions


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "engine.snapshot"
    engine = Engine(64)
    made = np.random.default_rng(6).standard_normal((MANY, 64), dtype=np.float32)
    for begin in range(0, MANY, 1000):
        uris = [f"viking://d{begin // 1000}/{i}" for i in range(1000)]
        texts = [f"Text {begin + i} of many, café.\r\n" + "some words " * 16 + "\n" for i in range(1000)]
        previews = [f"Preview {begin + i}, which says nothing else." for i in range(1000)]
        engine.add(
            uris, made[begin : begin + 1000], texts, document=f"viking://d{begin // 1000}", previews=previews
        )
    engine.save(path)
    return path


def section_of(data: bytes, name: str) -> range:
    """Where a section lies: the table holds a name of 40 bytes, then its offset and its size."""
    entry = data.rindex(name.encode() + b"\0")
    begin, size = (int.from_bytes(data[at : at + 8], "little") for at in (entry + 40, entry + 48))
    return range(begin, begin + size)


def wide_answers(engine: Engine) -> dict[str, object]:
    """Calls that together need every page, each with its answer or the reason why there is none."""
    query = np.random.default_rng(6).standard_normal((MANY, 64), dtype=np.float32)[MANY // 2]

    def found(hits: Hits) -> tuple[list[str], list[str]]:
        return hits.uris, hits.previews

    calls: dict[str, Callable[[], object]] = {
        "scan": lambda: found(engine.search(query, plan="scan")),
        "exact": lambda: found(engine.search(query, plan="exact")),
        "all": lambda: engine.search(query, k=MANY).uris,
        "previews": lambda: engine.search(query, k=MANY, plan="scan").previews,
        "narrow": lambda: found(engine.search(query, "viking://d3")),
        "grep": lambda: [match.uri for match in engine.grep("of many, café", limit=1000).matches],
        "rare": lambda: [(m.uri, m.line, m.excerpt) for m in engine.grep("Text 77123 of").matches],
        "read": lambda: engine.read("viking://").text,
        "one": lambda: (engine.read("viking://d3/7").text, engine.list("viking://d3").entries[7].preview),
    }
    out: dict[str, object] = {}
    for name, call in calls.items():
        try:
            out[name] = call()
        except Corruption as error:
            out[name] = error
    return out


@pytest.fixture(scope="module")
def good(many: Path) -> dict[str, object]:
    return wide_answers(Engine.load(many))


def test_many_rows_are_the_same_after_loading(many: Path, good: dict[str, object]) -> None:
    """Read page by page or whole; and changes stay in memory."""
    data = many.read_bytes()
    for name in PAGED:
        assert len(section_of(data, f"{name}.sums")) > 0, f"{name} is not large enough for this test"
    assert good == wide_answers(Engine.load(many, check_all=True))
    assert len(good["grep"]) == 1000  # type: ignore[arg-type]  # a list
    lazy, again = Engine.load(many), Engine.load(many)
    add_document_of_many(again)
    again.remove("viking://d5")
    again.move("viking://d6", "viking://moved/d6")
    again.compact()
    assert many.read_bytes() == data
    assert again.grep("unheard of").matches[0].uri == "viking://new/1"
    copy = many.with_name("copy")
    lazy.save(copy)
    assert copy.read_bytes() == data
    again.save(copy)
    assert wide_answers(Engine.load(copy)) == wide_answers(again)


def add_document_of_many(engine: Engine) -> None:
    """Enough text that the index of a loaded store goes on."""
    texts = ["An unheard of text.\n" * 20_000, "and more\n"]
    engine.add(["viking://new/1", "viking://new/2"], np.eye(64, dtype=np.float32)[:2], texts)


@pytest.mark.parametrize("name", PAGED)
def test_damage_in_a_page_is_met_by_what_needs_it(
    many: Path, good: dict[str, object], tmp_path: Path, name: str
) -> None:
    """PER-01, of parts that are not read when a file is opened: an answer is right, or refused."""
    bad = tmp_path / "bad"
    data = bytearray(many.read_bytes())
    place = section_of(data, name)
    rng = np.random.default_rng(7)
    for at in (place[0], place[-1], *rng.integers(place[0], place[-1], 2).tolist()):
        data[at] ^= 8
        bad.write_bytes(data)
        with pytest.raises(Corruption, match="bad"):
            Engine.load(bad, check_all=True)
        data[at] ^= 8
        try:
            damaged = Engine.load(bad)
        except Corruption as error:  # its head
            assert name in str(error)
            continue
        told = wide_answers(damaged)
        refused = {call for call, answer in told.items() if isinstance(answer, Corruption)}
        assert refused, f"byte {at} of {name} was not missed"
        assert all(f"bad: section '{name}': page" in str(told[call]) for call in refused)
        assert {call: told[call] for call in told.keys() - refused} == {
            call: good[call] for call in good.keys() - refused
        }
        with pytest.raises(Corruption, match="bad"):
            damaged.save(tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
        add_document_of_many(damaged)
        assert damaged.read("viking://new/2").text == "and more\n"


@pytest.mark.parametrize("name", PAGED)
def test_damaged_sums_are_refused(many: Path, tmp_path: Path, name: str) -> None:
    data = bytearray(many.read_bytes())
    place = section_of(data, f"{name}.sums")
    data[place[len(place) // 2]] ^= 1
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(Corruption, match=rf"bad: section '{name}\.sums'"):
        Engine.load(tmp_path / "bad")


def test_missing_files_and_folders(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        Engine.load(tmp_path / "nowhere")
    with pytest.raises(StorageError):
        engine.save(tmp_path / "no" / "such" / "folder")
    with pytest.raises(EngineError):
        Engine.load(tmp_path)
    name = tmp_path / "name with \udcff byte"
    engine.save(name)
    assert len(Engine.load(name)) == len(engine)
