"""`Engine` as users meet it: grep, reading and replacing."""

from __future__ import annotations

import numpy as np
import pytest

from engine_rows import DIM, names, vectors
from knarr.engine import Engine
from knarr.errors import InvalidArgument, NotFound, Unsupported
from knarr.types import Kind


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
