"""The past by `as_of`: what the tools said of a state while it was the present, they say of it ever after."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

import knarr
from history.dull import State, Twin, told
from knarr.testing import HashEmbedder
from support import WriteDocs

NAMES = st.sampled_from(["a", "b", "c"])
FOLDERS = st.sampled_from(["f", "g", "f/h"])
TEXTS = st.sampled_from(
    [
        "# T\n\nalpha one\n",
        "# T\n\nalpha two\n\n## U\n\nbeta three\n",
        "# T\n\nbeta four alpha\n\n## U\n\nbeta three\n\n## U\n\nnothing\n",
        "plain beta\n",
    ]
)
PLACES = st.builds(lambda folder, name: f"viking://{folder}/{name}", FOLDERS, NAMES)
CHANGES = st.one_of(
    st.tuples(st.just("put"), FOLDERS, NAMES, TEXTS),
    st.tuples(st.just("put"), FOLDERS, NAMES, TEXTS),
    st.tuples(st.just("move"), PLACES, PLACES),
    st.tuples(
        st.just("move"),
        st.sampled_from(["viking://f", "viking://g"]),
        st.sampled_from(["viking://f", "viking://x"]),
    ),
    st.tuples(st.just("remove"), PLACES),
    st.tuples(st.just("rollback"), PLACES, st.integers(1, 4)),
)


@contextmanager
def twin() -> Iterator[Twin]:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        with knarr.open(place / "t.kb", embedder=HashEmbedder(32)) as kb:
            yield Twin(kb, place / "disk")


def check(twin: Twin, state: State) -> None:
    """The state is as it was, by its position in the log and by its time."""
    kb = twin.kb
    assert told(kb, knarr.Seq(state.seq)) == state.told
    assert told(kb, state.at) == state.told
    for uri, doc in state.docs.items():
        for as_of in (knarr.Seq(state.seq), state.at.isoformat()):
            passage = kb.read(uri, as_of=as_of)
            assert (passage.text, passage.source.version) == (doc.text, doc.version)
            assert kb.document(f"{uri}/.abstract.md", as_of=as_of).version == doc.version


def check_versions(twin: Twin) -> None:
    """Every version of every document that stands can be read by its number, in its place of today."""
    for uri, doc in twin.docs.items():
        for version, text in twin.contents[doc.who].items():
            assert twin.kb.read(uri, as_of=version).text == text


@settings(max_examples=12)
@given(st.lists(CHANGES, min_size=4, max_size=14))
def test_the_past_is_what_was_the_present(changes: list[tuple[str, ...]]) -> None:
    with twin() as both:
        for name, *arguments in changes:
            getattr(both, name)(*arguments)
            if len(both.states) > 1:
                check(both, both.states[(len(both.states) * 7) // 11])
        for state in both.states:
            check(both, state)
        check_versions(both)


def test_scopes_of_the_past_hold_what_stood_there_then(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    both = Twin(kb, tmp_path / "disk")
    both.put("f", "a", "# A\n\nalpha one\n")
    both.put("g", "b", "# B\n\nalpha two\n")
    both.move("viking://f/a", "viking://g/c")
    first, second, third = both.states
    now = [hit.uri for hit in kb.search("alpha", "viking://g")]
    assert sorted(now) == ["viking://g/b/B/B_1.md", "viking://g/c/A/A_1.md"]
    assert [hit.uri for hit in kb.search("alpha", "viking://g", as_of=knarr.Seq(second.seq))] == [
        "viking://g/b/B/B_1.md"
    ]
    assert [one.uri for one in kb.list("viking://f", as_of=second.at) if one.is_directory] == [
        "viking://f/a/"
    ]
    assert kb.grep("alpha", "viking://f/a/A", as_of=second.at).total == 1
    with pytest.raises(knarr.NotRetained, match="viking://g at seq:3: nothing stood there then"):
        kb.search("alpha", "viking://g", as_of=knarr.Seq(first.seq))
    with pytest.raises(knarr.NotRetained, match="stood at viking://f/a then; kept is version 1"):
        kb.read("viking://g/c", as_of=second.at)
    assert (
        kb.search("alpha", "viking://g", as_of=third.at).rows_allowed
        == kb.search("alpha", "viking://g").rows_allowed
    )


def test_a_version_is_read_where_the_document_stands_and_where_it_stood(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    for text in ("# A\n\nfirst words\n", "# A\n\nsecond words\n"):
        kb.add(write_docs({"a.md": text}) / "a.md", into="viking://f")
    kb.move("viking://f/a", "viking://g/b")
    for uri in ("viking://f/a", "viking://g/b", "viking://g/b/A/A_1.md"):
        assert "first words" in kb.read(uri, as_of=1).text
    (hit,) = kb.search("words", "viking://g/b", as_of=1)
    assert (hit.uri, hit.source.version, hit.preview) == ("viking://g/b/A/A_1.md", 1, "first words")
    assert kb.read(hit.uri, as_of=hit.source.version).text == kb.read("viking://f/a", as_of=1).text
    assert [entry.source.version for entry in kb.list("viking://g/b", as_of=1) if entry.source] == [1, 1]


def test_a_new_document_never_takes_the_version_of_another(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    """A citation, by URI and version, means one text while that version is kept."""
    kb.add(write_docs({"a.md": "# A\n\nthe old text\n"}) / "a.md", into="viking://f")
    kb.move("viking://f/a", "viking://g/a")
    (added,) = kb.add(write_docs({"a.md": "# A\n\nquite another\n"}) / "a.md", into="viking://f").files
    assert (added.change, added.uri, added.version) == ("added", "viking://f/a", 2)
    assert "the old text" in kb.read("viking://f/a", as_of=1).text
    assert "quite another" in kb.read("viking://f/a", as_of=2).text
    kb.remove("viking://f/a")
    (again,) = kb.add(write_docs({"a.md": "# A\n\na third\n"}) / "a.md", into="viking://f").files
    assert again.version == 3
    assert [(one.version, one.retained) for one in kb.history.versions("viking://f/a")] == [
        (2, True),
        (3, True),
    ]


def test_what_cannot_be_read_says_what_can(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    with pytest.raises(knarr.NotFound, match="viking://a: no document stands or stood there"):
        kb.read("viking://a", as_of=1)
    with pytest.raises(knarr.NotRetained, match="no document was ever added"):
        kb.search("x", as_of="2020-01-01")
    for text in ("# A\n\none\n", "# A\n\ntwo\n"):
        kb.add(write_docs({"f/a.md": text}))
    with pytest.raises(
        knarr.NotRetained, match=r"version 3: there is none; kept are versions 1 \(from 20.*\), 2"
    ):
        kb.read("viking://f/a", as_of=3)
    with pytest.raises(
        knarr.NotRetained,
        match=r"at 2020-01-01T.*the document did not stand anywhere then; kept are versions 1",
    ):
        kb.read("viking://f/a", as_of="2020-01-01")
    with pytest.raises(
        knarr.InvalidArgument, match="is the version of a document, and viking://f is a folder"
    ):
        kb.search("one", "viking://f", as_of=1)
    with pytest.raises(knarr.NotFound):
        kb.read("viking://f/a/No_such_section", as_of=1)


@pytest.mark.parametrize(
    "as_of", [0, -1, True, 1.5, "yesterday", "2099-01-01", knarr.Seq(-1), knarr.Seq(999), "seq:999", b"1", ""]
)
def test_what_is_no_point_of_the_past_is_refused(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, as_of: object
) -> None:
    kb.add(write_docs({"a.md": "# A\n\none\n"}) / "a.md")
    with pytest.raises(knarr.InvalidArgument, match="as_of"):
        kb.read("viking://a", as_of=as_of)  # type: ignore[arg-type]


def test_times_without_a_zone_are_utc(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    both = Twin(kb, tmp_path)
    both.put("f", "a", "# A\n\nalpha one\n")
    both.put("f", "a", "# A\n\nalpha two\n")
    at = both.states[0].at
    elsewhere = at + timedelta(hours=5, minutes=30)
    for as_of in (
        at,
        at.replace(tzinfo=None),
        at.isoformat(),
        f"{elsewhere.replace(tzinfo=None).isoformat()}+05:30",
    ):
        assert kb.read("viking://f/a", as_of=as_of).source.version == 1


def test_a_state_stays_what_it_is_while_others_write(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    both = Twin(kb, tmp_path)
    for number in range(3):
        both.put("f", "abc"[number], f"# T\n\nalpha {number}\n")
    state, stop, wrong = both.states[-1], threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            if told(kb, knarr.Seq(state.seq)) != state.told:
                wrong.append(1)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(12):
        both.put("f", "abc"[number % 3], f"# T\n\nbeta {number}\n")
        both.move("viking://f", "viking://g") if number % 4 == 0 else both.move("viking://g", "viking://f")
    stop.set()
    reader.join()
    assert not wrong


def test_the_present_pays_nothing_for_its_history(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    """No statement and no row more: a base with ten versions of each document answers as one without any."""
    kb.add(write_docs({f"f/{name}.md": f"# {name}\n\nalpha {name}\n" for name in "abc"}))
    before = _cost(kb)
    for number in range(10):
        kb.add(write_docs({f"f/{name}.md": f"# {name}\n\nalpha {number} {name}\n" for name in "abc"}))
    kb.search("alpha", "viking://f/a", as_of=2)
    assert _cost(kb) == before


def _cost(kb: knarr.KnowledgeBase) -> tuple[int, int, int]:
    """Statements of the reading tools, each with empty caches, and objects and edges in the engine."""
    counted: list[str] = []
    kb._context.cards.clear()
    database = kb._catalog._database._engine

    def count(*arguments: object) -> None:
        counted.append(str(arguments[2]))

    sa.event.listen(database, "before_cursor_execute", count)
    try:
        kb.search("alpha", k=5)
        kb.grep("alpha")
        kb.list("viking://f")
        kb.read("viking://f/a")
        kb.document("viking://f/a")
        kb.boxes("viking://f/a")
        kb.ask("What is alpha?", policy="extractive")
    finally:
        sa.event.remove(database, "before_cursor_execute", count)
    assert not any("placements" in one or "versions" in one for one in counted)
    stats = kb.info()["engine"]
    return len(counted), int(stats["objects"]), int(stats["edges"])
