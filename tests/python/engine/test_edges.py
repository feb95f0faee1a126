"""`Engine` as users meet it: edges, and readers beside a writer."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyroaring
import pytest

from engine_rows import vectors
from knarr.engine import Engine
from knarr.errors import InvalidArgument, NotFound
from knarr.uris import encode, join


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
        rows = [int(row) for row in np.flatnonzero(random.random(len(uris)) < 0.7)]
        seeds = [uri for row, uri in enumerate(uris[:8]) if row in rows]
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
