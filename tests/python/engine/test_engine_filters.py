"""Filters beside a list: what a filter hides is not there, for every call and in every form of a filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyroaring
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_rows import vectors
from knarr import Engine
from knarr.engine import RowFilter, RowSet
from knarr.errors import InvalidArgument, NotFound
from knarr.uris import encode

Parts = tuple[str, ...]
DIM = 8
NAMES = st.sampled_from(["a", "b", "b c", "é", ".abstract.md"])
# Objects end in a name that no directory has, so that every path fits.
PATHS = st.tuples(st.lists(NAMES, max_size=3), st.integers(0, 5)).map(lambda p: (*p[0], f"{p[1]}.md"))
OBJECTS = st.lists(
    st.tuples(PATHS, st.sampled_from(["", "x\n", "yé", "xy"]), st.booleans()),
    min_size=1,
    max_size=14,
    unique_by=lambda item: item[0],
)


def uri_of(path: Parts, directory: bool = False) -> str:
    return "viking://" + "/".join(encode(name) for name in path) + ("/" if directory and path else "")


@dataclass
class Model:
    """Objects by row, `None` where one was removed, and which rows may be seen."""

    objects: list[tuple[Parts, str, str] | None] = field(default_factory=list)
    order: list[Parts] = field(default_factory=list)  # every node, in order of creation
    seen: set[int] = field(default_factory=set)

    def rows(self, scope: Parts, kind: str | None = None) -> list[int]:
        return [
            row
            for row, item in enumerate(self.objects)
            if item and row in self.seen and item[0][: len(scope)] == scope and kind in (None, item[2])
        ]

    def exists(self, path: Parts) -> bool:
        return path == () or bool(self.rows(path))

    def is_object(self, path: Parts) -> bool:
        return any(item and item[0] == path for item in self.objects)

    def children(self, path: Parts) -> list[Parts]:
        below = [node for node in self.order if len(node) == len(path) + 1 and node[:-1] == path]
        return [node for node in below if self.exists(node)]

    def text(self, path: Parts) -> tuple[str, list[str]]:
        rows = self.rows(path) if self.is_object(path) else self.rows(path, "chunk")
        items = [item for row in rows if (item := self.objects[row])]
        uris = [uri_of(item[0]) for item in items if item[1] or self.is_object(path)]
        return "".join(item[1] for item in items), uris

    def nodes(self) -> list[Parts]:
        return [(), *self.order, ("nowhere",), ("a", "nowhere")]


def filled(objects: list[tuple[Parts, str, bool]], removed: set[int]) -> tuple[Engine, Model]:
    engine, model = Engine(DIM), Model()
    for number, (path, text, is_chunk) in enumerate(objects):
        kind = "chunk" if is_chunk else "abstract"
        engine.add([uri_of(path)], vectors(1, number, DIM), [text], [kind])  # type: ignore[list-item]
        model.objects.append((path, text, kind))
        for i in range(1, len(path) + 1):
            if path[:i] not in model.order:
                model.order.append(path[:i])
    for row in sorted(removed & set(range(len(objects)))):
        item = model.objects[row]
        assert item is not None
        engine.remove(uri_of(item[0]))
        model.objects[row] = None
        alive = [each[0] for each in model.objects if each]
        model.order = [n for n in model.order if any(path[: len(n)] == n for path in alive)]
    return engine, model


def forms(rows: set[int], engine: Engine) -> list[RowFilter]:
    bitmap = pyroaring.BitMap(rows)
    mask = np.zeros(40, bool)
    mask[list(rows)] = True
    return [bitmap, bitmap.serialize(), mask, (bitmap, engine.generation), RowSet(bitmap, engine.generation)]


def fault(call: Callable[[], object]) -> str:
    with pytest.raises(NotFound) as raised:
        call()
    return str(raised.value)


@settings(max_examples=150, deadline=None)
@given(
    OBJECTS,
    st.sets(st.integers(0, 14), max_size=4),
    st.sets(st.integers(0, 20)),
    st.integers(0, 4),
    st.data(),
)
def test_names_and_texts_of_what_is_allowed(
    objects: list[tuple[Parts, str, bool]], removed: set[int], seen: set[int], form: int, data: st.DataObject
) -> None:
    engine, model = filled(objects, removed)
    model.seen = seen
    rows, nothing = forms(seen, engine)[form], Engine(DIM)
    for path in model.nodes():
        uri = uri_of(path)
        assert engine.exists(uri, filter=rows) == model.exists(path)
        if not model.exists(path):
            for call in (
                lambda e, uri=uri, **f: e.read(uri, **f),
                lambda e, uri=uri, **f: e.count(uri, **f),
                lambda e, uri=uri, **f: e.rows(uri, **f),
                lambda e, uri=uri, **f: e.list(uri, **f),
                lambda e, uri=uri, **f: e.grep("x", uri, **f),
                lambda e, uri=uri, **f: e.search(vectors(1, 0, DIM)[0], uri, **f),
                lambda e, uri=uri, **f: e.expand([uri], vectors(1, 0, DIM)[0], **f),
            ):
                assert fault(lambda c=call: c(engine, filter=rows)) == fault(lambda c=call: c(nothing))  # type: ignore[misc]
            continue
        assert engine.count(uri, filter=rows) == len(model.rows(path))
        assert engine.count(uri, "abstract", filter=rows) == len(model.rows(path, "abstract"))
        found = pyroaring.BitMap.deserialize(engine.rows(uri, filter=rows).serialize())
        assert list(found) == model.rows(path)
        text, uris = model.text(path)
        span = engine.read(uri, filter=rows)
        assert (span.text, span.total_bytes, span.uris) == (text, len(text.encode()), uris)
        assert engine.grep("x", uri, filter=rows, kinds=None).total == sum(
            item[1].count("x") for row in model.rows(path) if (item := model.objects[row])
        )
        if model.is_object(path):
            with pytest.raises(InvalidArgument, match="is an object, not a directory"):
                engine.list(uri, filter=rows)
            continue
        children = model.children(path)
        offset, limit = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
        page = engine.list(uri, offset, limit, filter=rows)
        assert page.total == len(children)
        assert [(entry.name, entry.rows) for entry in page.entries] == [
            (child[-1], len(model.rows(child))) for child in children[offset : offset + limit]
        ]
        assert engine.list(uri, filter=rows).total == len(engine.list(uri, filter=rows).entries)


def test_a_folder_shows_its_abstract_to_those_who_may_see_it(engine: Engine) -> None:
    engine.add(
        ["viking://k/d/1", "viking://k/d/.abstract.md"],
        vectors(2),
        ["text", "abstract"],
        ["chunk", "abstract"],
    )
    for rows, previews in (([0, 1], ["abstract"]), ([0], [""]), ([1], ["abstract"])):
        entries = engine.list("viking://k", filter=pyroaring.BitMap(rows)).entries
        assert [entry.preview for entry in entries] == previews
        assert entries[0].rows == len(rows)


def test_the_root_of_an_empty_view_is_an_empty_directory(engine: Engine) -> None:
    engine.add(["viking://k/1"], vectors(1), ["text"])
    nothing = RowSet()
    assert engine.exists("viking://", filter=nothing) and engine.count(filter=nothing) == 0
    assert engine.list(filter=nothing).total == 0
    assert engine.read("viking://", filter=nothing).text == ""
    assert engine.grep("t", filter=nothing).total == 0
    assert not engine.rows(filter=nothing)


def test_rows_of_before_a_compaction_are_refused_by_every_call(engine: Engine) -> None:
    engine.add([f"viking://k/{number}/t" for number in range(4)], vectors(4), ["t"] * 4)
    seen = engine.rows("viking://k/2")
    engine.remove("viking://k/0")
    assert engine.read("viking://k", filter=seen).uris == ["viking://k/2/t"]
    engine.compact()
    query = vectors(1)[0]
    for call in (
        lambda: engine.list(filter=seen),
        lambda: engine.read("viking://k", filter=seen),
        lambda: engine.exists("viking://nowhere", filter=seen),
        lambda: engine.count(filter=seen),
        lambda: engine.rows(filter=seen),
        lambda: engine.grep("t", filter=seen),
        lambda: engine.search(query, filter=seen),
        lambda: engine.expand([], query, filter=seen),
    ):
        with pytest.raises(InvalidArgument, match="filter: its rows are of generation"):
            call()
    with pytest.raises(InvalidArgument, match="have other numbers: make both anew"):
        seen |= engine.rows("viking://k/1")
    assert engine.read("viking://k", filter=engine.rows("viking://k/2")).uris == ["viking://k/2/t"]


@settings(max_examples=200, deadline=None)
@given(st.sets(st.integers(0, 70_000)), st.sets(st.integers(0, 70_000)), st.integers(0, 100))
def test_a_row_set_is_a_set(a: set[int], b: set[int], shift: int) -> None:
    left, right = RowSet(pyroaring.BitMap(a)), RowSet(pyroaring.BitMap(b))
    assert set_of(left | right) == a | b
    assert set_of(left & right) == a & b
    assert set_of(left - right) == a - b
    assert left.intersects(right) == bool(a & b)
    assert (left == right) == (a == b) and len(left) == len(a) and bool(left) == bool(a)
    assert all((row in left) == (row in a) for row in (*a, *b, shift, -1, 2**32))
    kept = copy = left.copy()
    copy |= right
    assert copy is kept and set_of(copy) == a | b and set_of(left) == a  # changed in place
    copy -= left
    assert copy is kept and set_of(copy) == b - a and set_of(left) == a


def set_of(rows: RowSet) -> set[int]:
    return set(pyroaring.BitMap.deserialize(rows.serialize()))


def test_row_sets_refuse_what_they_do_not_know(engine: Engine) -> None:
    engine.add(["viking://k/1"], vectors(1))
    rows = engine.rows()
    with pytest.raises(InvalidArgument, match="a RowSet knows its generation"):
        engine.list(filter=(rows, engine.generation))  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InvalidArgument, match="audiences: expected the numbers given to add_edges"):
        engine.expand(["viking://k/1"], vectors(1)[0], audiences=rows)
    with pytest.raises(InvalidArgument, match="audiences: 3 bytes are not a portable Roaring bitmap"):
        engine.expand(["viking://k/1"], vectors(1)[0], audiences=b"abc")
    with pytest.raises(InvalidArgument, match=r"rows: expected a RowSet, a pyroaring\.BitMap"):
        RowSet(7)
    with pytest.raises(TypeError):
        hash(rows)
    for audience in (-1, 2**32 - 1):
        with pytest.raises(InvalidArgument, match="audience: expected 0"):
            engine.add_edges(["viking://k/1"], ["viking://k/1"], "q", vectors(1)[0], audience=audience)


EDGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), max_size=25
)


@settings(max_examples=150, deadline=None)
@given(EDGES, st.sets(st.integers(0, 5)), st.none() | st.sets(st.integers(1, 3)), st.integers(0, 8))
def test_edges_of_audiences_among_what_is_allowed(
    learnt: list[tuple[int, int, int, int]], seen: set[int], audiences: set[int] | None, limit: int
) -> None:
    """No better edge that may not be followed, from or to where, stands in the place of one that may."""
    engine = Engine(DIM)
    uris = [f"viking://k/{number}" for number in range(6)]
    engine.add(uris, vectors(6, 1, DIM))
    questions = vectors(4, 2, DIM)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    query = questions[0]
    for source, target, question, audience in learnt:
        engine.add_edges(
            [uris[source]],
            [uris[target]],
            f"q{question}",
            questions[question],
            trace="t",
            audience=audience,
        )
    assert len(engine.edges()) == len(set(learnt))
    rows = RowSet(pyroaring.BitMap(seen), engine.generation)
    followed = None if audiences is None else pyroaring.BitMap(audiences)
    best: dict[int, float] = {}
    for source, target, question, audience in learnt:
        may = audience == 0 or audiences is None or audience in audiences
        if source in seen and target in seen and may:
            best[target] = max(best.get(target, -2.0), float(questions[question] @ query))
    expected = sorted(best, key=lambda row: (-round(best[row], 5), uris[row]))
    found = engine.expand(
        [uris[row] for row in sorted(seen)],
        query,
        filter=rows,
        gamma=-1.0,
        limit=limit,
        audiences=followed,
    )
    assert [each.row for each in found] == expected[:limit]
    hits = engine.search(query, k=6, filter=rows, expand=True, gamma=-1.0, audiences=followed)
    assert set(hits.rows.tolist()) == seen
    assert [each.row for each in hits.expanded] == expected
    for hidden in set(range(6)) - seen:
        assert fault(lambda h=hidden: engine.expand([uris[h]], query, filter=rows)) == fault(  # type: ignore[misc]
            lambda h=hidden: Engine(DIM).expand([uris[h]], query)
        )


def test_audiences_come_back_from_a_file(engine: Engine, tmp_path: object) -> None:
    engine.add(["viking://k/1", "viking://k/2"], vectors(2))
    for audience in (0, 7, 2**32 - 2):
        engine.add_edges(["viking://k/1"], ["viking://k/2"], "q", vectors(1)[0], trace="t", audience=audience)
    path = f"{tmp_path}/edges"
    engine.save(path)
    loaded = Engine.load(path)
    assert [edge.audience for edge in loaded.edges()] == [0, 7, 2**32 - 2]
    assert loaded.remove_edges(trace="t") == 3
