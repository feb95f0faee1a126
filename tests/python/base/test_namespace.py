"""Names and scopes of a knowledge base (NS-01, NS-02, NS-03, NS-05, ING-01)."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

import knarr
from knarr.uris import (
    SCHEME,
    SiblingNames,
    above,
    abstract_of,
    as_directory,
    below,
    canonical,
    component,
    components,
    encode,
    is_uri,
    join,
    moved,
    name_of,
    parent,
    relative,
    span_below,
    within,
    without_slash,
)
from support import WriteDocs


def tree(kb: knarr.KnowledgeBase, uri: str = "viking://") -> list[str]:
    """All directory and object URIs below a directory, abstracts left out."""
    found = []
    for entry in kb.list(uri, limit=1000):
        if entry.name == ".abstract.md":
            continue
        found.append(entry.uri)
        if entry.is_directory:
            found += tree(kb, entry.uri)
    return found


def everything(kb: knarr.KnowledgeBase, scope: str) -> dict[str, list[str]]:
    """What each tool shows below a scope."""
    return {
        "search": sorted(hit.uri for hit in kb.search("word", scope, k=100)),
        "grep": sorted(match.uri for match in kb.grep("word", scope)),
        "list": tree(kb, scope),
    }


def test_a_scope_is_a_subtree_not_a_prefix(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {"b/x.md": "# X\n\nword in x", "bc/y.md": "# Y\n\nword in y", "b-old/z.md": "# Z\n\nword in z"}
    )
    kb.add(docs, into="viking://a")
    seen = everything(kb, "viking://a/b")
    assert seen == everything(kb, "viking://a/b/")
    assert seen["search"] == seen["grep"] == ["viking://a/b/x/X/X_1.md"]
    assert all(uri.startswith("viking://a/b/") for uris in seen.values() for uri in uris)
    assert kb.remove("viking://a/b") == 1
    assert len(kb.grep("word", "viking://a")) == 2
    with pytest.raises(knarr.NotFound):
        kb.search("word", "viking://a/b")


def test_a_document_beside_a_folder_of_its_name(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({"b.md": "word in document", "b/x.md": "word in folder"})
    report = kb.add(docs, into="viking://a")
    uris = sorted(file.uri for file in report.files)
    assert len(set(uris)) == 2 and len(kb.grep("word", "viking://a")) == 2
    assert (
        report.files == kb.add(docs, into="viking://a").files
        or kb.add(docs, into="viking://a").count("unchanged") == 2
    )


SCRIPTS = ["测试", "文档", "רשימה", "Иван", "🎉🎊", "!!!", "ก้าวไกล", "عنوان", "t" * 120]


def test_names_in_any_script_stay_distinct(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs({f"{name[:60]}.md": f"# {name}\n\nword in {name}\n" for name in SCRIPTS})
    report = kb.add(docs, into="viking://any")
    assert len({file.uri for file in report.files}) == len(SCRIPTS)
    assert len(kb.grep("^word", "viking://any")) == len(SCRIPTS)
    assert len(kb.search("word", "viking://any", k=50)) == len(SCRIPTS)
    for match in kb.grep("^word", "viking://any"):
        assert "word in" in kb.read(match.uri).text
    assert any("ก้าวไกล" in entry for entry in tree(kb, "viking://any"))


def test_long_titles_get_bounded_distinct_names(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(
        write_docs({"long.md": f"# {'a' * 400}b\n\nword 1\n\n# {'a' * 400}c\n\nword 2\n"}), into="viking://l"
    )
    names = [entry.name for entry in kb.list("viking://l/long") if entry.is_directory]
    assert len(set(names)) == 2 and all(len(name) <= 84 for name in names)


TITLES = ["TCP/IP", "TCP%2FIP", "50% plan", "a?b#c", "x\\y", "..", ".", "two words", ".abstract.md"]


def test_any_title_round_trips_through_its_uri(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    text = "".join(f"# {title}\n\nword {number}\n\n" for number, title in enumerate(TITLES)).replace(
        "x\\y", "x\\\\y"
    )
    kb.add(write_docs({"odd.md": text}), into="viking://t")
    sections = [entry for entry in kb.list("viking://t/odd") if entry.is_directory]
    assert len({entry.uri for entry in sections}) == len(TITLES)
    for number, entry in enumerate(sections):
        assert f"word {number}" in kb.read(entry.uri).text
        assert [m.line for m in kb.grep(r"word \d", entry.uri)] == [4 * number + 3]
        (hit,) = kb.search("word", entry.uri)
        assert hit.uri.startswith(entry.uri) and hit.source.section == (TITLES[number],)
        assert [e.uri for e in kb.list(entry.uri) if e.name != ".abstract.md"] == [hit.uri]


def test_equal_headings_never_overwrite_each_other(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    source = "# Culture\n\nalpha-1\n\n# Culture\n\nbeta-2\n\n## Culture\n\ngamma-3\n\n# Culture\n\ndelta-4\n"
    docs = write_docs({"c.md": source, "tiny.md": "".join(f"# Same\n\nt-{n:02}\n\n" for n in range(40))})
    kb.add(docs, into="viking://kb")
    for word in ["alpha-1", "beta-2", "gamma-3", "delta-4", *(f"t-{n:02}" for n in range(40))]:
        (match,) = kb.grep(word, literal=True)
        assert word in kb.read(match.uri).text
    sections = [entry.name for entry in kb.list("viking://kb/c") if entry.is_directory]
    assert sections == ["Culture", "Culture~2", "Culture~3"]
    before = tree(kb)
    kb.remove("viking://kb")
    kb.add(docs, into="viking://kb")
    assert tree(kb) == before
    leaves = "".join(
        kb.read(uri).text for uri in before if uri.startswith("viking://kb/c/") and uri.endswith(".md")
    )
    assert leaves == source


def test_skipped_levels_keep_siblings_as_siblings(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    docs = write_docs(
        {
            "s.md": "# A\n\na word\n\n### B\n\nb word\n\n### C\n\nc word\n\n## D\n\nd word\n",
            "x.md": "### X\n\n# Y\n",
        }
    )
    kb.add(docs, into="viking://s")
    assert [e.name for e in kb.list("viking://s/s/A") if e.is_directory] == ["B", "C", "D"]
    assert [e.name for e in kb.list("viking://s/x") if e.is_directory] == ["X", "Y"]
    assert [h.preview for h in kb.search("word", "viking://s/s/A/B")] == ["b word"]
    assert len(kb.search("word", "viking://s/s/A")) == 4


def test_delete_reaches_every_index_at_once(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, tmp_path: Path
) -> None:
    deep = {f"d/{a}/{b}/f.md": f"# T\n\nword {a}{b}\n\n## U\n\nmore word\n" for a in "xyz" for b in "pq"}
    kb.add(write_docs({**deep, "keep.md": "word kept"}), into="viking://kb")
    assert kb.remove("viking://kb/d") == 6
    assert everything(kb, "viking://kb")["search"] == ["viking://kb/keep/keep_1.md"]
    assert everything(kb, "viking://kb")["grep"] == ["viking://kb/keep/keep_1.md"]
    for call in (kb.search, kb.grep):
        with pytest.raises(knarr.NotFound):
            call("word", "viking://kb/d")
    for read in (kb.read, kb.list, kb.remove):
        with pytest.raises(knarr.NotFound):
            read("viking://kb/d")
    info = kb.info()
    assert info["documents"] == 1 and info["chunks"] == 1
    kb.close()
    with knarr.open(tmp_path / "test.kb", embedder=kb.embedder) as again:
        assert everything(again, "viking://kb")["grep"] == ["viking://kb/keep/keep_1.md"]


def test_a_part_of_a_document_is_not_removed_or_moved(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"d.md": "# A\n\nword\n"}), into="viking://kb")
    with pytest.raises(knarr.InvalidArgument, match="part of the document"):
        kb.remove("viking://kb/d/A")
    with pytest.raises(knarr.InvalidArgument, match="part of the document"):
        kb.move("viking://kb/d/A", "viking://kb/e")


@pytest.mark.parametrize(
    "uri",
    ["viking://kb/../x", "viking://kb/%2e%2e/x", "viking://kb/./x", "viking://kb//x", "viking://kb/a%00b", "/etc/passwd",
     "file:///etc/passwd", "viking://kb/%zz", "viking://kb/%ff", "", "viking:/kb"],
)  # fmt: skip
def test_bad_uris_are_refused_by_every_tool(kb: knarr.KnowledgeBase, write_docs: WriteDocs, uri: str) -> None:
    kb.add(write_docs({"d.md": "word"}), into="viking://kb")
    for call in (lambda: kb.search("word", uri), lambda: kb.grep("word", uri), lambda: kb.list(uri), lambda: kb.read(uri),
                 lambda: kb.remove(uri), lambda: kb.move(uri, "viking://m"), lambda: kb.add(".", into=uri)):  # fmt: skip
        with pytest.raises(knarr.InvalidArgument):
            call()


def test_escapes_are_decoded_exactly_once(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"d.md": "word"}), into="viking://kb")
    for uri in ("viking://kb/%252e%252e%252fx", "viking://kb/..%255c"):
        with pytest.raises(knarr.NotFound):
            kb.read(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "viking://kb/.abstract.md",
        "viking://kb/.abstract.md/deep",
        "viking://kb/..%2fx",
        "viking://kb/.%5cx",
        f"viking://{'x' * 40_000}",
    ],
)
def test_a_place_that_the_index_cannot_hold_is_refused_and_spoils_nothing(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, uri: str
) -> None:
    docs = write_docs({"d.md": "word"})
    kb.add(docs, into="viking://kb")
    for call in (
        lambda: kb.add(docs, into=uri),
        lambda: kb.move("viking://kb/d", uri),
        lambda: kb.move("viking://kb", uri),
    ):
        with pytest.raises(knarr.InvalidArgument):
            call()
    kb.add(docs, into="viking://other")
    assert {match.uri for match in kb.grep("word")} == {"viking://kb/d/d_1.md", "viking://other/d/d_1.md"}


def test_a_move_that_makes_a_uri_too_long_is_refused(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({f"{'y' * 200}.md": "word"}), into=f"viking://a/{'x' * 20_000}")
    with pytest.raises(knarr.InvalidArgument, match="at most 32768"):
        kb.move("viking://a", f"viking://{'b' * 20_000}")
    assert kb.move("viking://a", "viking://b") == 1


NAMES = st.text(min_size=1, max_size=8) | st.text("./\\%2fFe\u0301\x07 ", min_size=1, max_size=8)


@given(name=NAMES)
def test_a_uri_that_python_takes_the_engine_takes(name: str) -> None:
    try:
        uri = canonical(f"viking://kb/{name}")
    except knarr.InvalidArgument:
        return
    assert not knarr.Engine(4).exists(uri)


@given(title=NAMES)
@example("e\x07\u0301")
@example("\\\u0301")
def test_every_title_makes_a_name_that_is_read_back(title: str) -> None:
    name = component(title)
    uri = f"viking://kb/{encode(name)}"
    assert components(uri) == ("kb", name) and canonical(uri) == uri
    assert not knarr.Engine(4).exists(uri)


# Few letters, so that names repeat and begin alike; and what is special in a URI or sorts around a slash.
PATHS = st.lists(st.text("ab./0 %é~", min_size=1, max_size=3).map(component), max_size=4).map(tuple)


@given(path=PATHS)
def test_a_uri_is_cut_where_it_was_joined(path: tuple[str, ...]) -> None:
    uri = join(SCHEME, *path)
    assert components(uri) == path and canonical(uri) == uri and is_uri(uri)
    assert components(as_directory(uri)) == path and without_slash(as_directory(uri)) == uri
    assert name_of(uri) == (path[-1] if path else "")
    assert parent(uri) == parent(as_directory(uri)) == join(SCHEME, *path[:-1])
    assert above(uri) == [join(SCHEME, *path[:size]) for size in reversed(range(len(path)))]
    assert components(abstract_of(uri)) == (*path, ".abstract.md")
    assert parent(abstract_of(as_directory(uri))) == uri


@given(one=PATHS, other=PATHS, slash=st.booleans())
@example(one=("a",), other=("ab",), slash=False)
@example(one=("a", "b"), other=("a",), slash=True)
def test_what_is_under_a_directory_is_told_by_components(
    one: tuple[str, ...], other: tuple[str, ...], slash: bool
) -> None:
    uri, base = join(SCHEME, *one), join(SCHEME, *other)
    path = relative(uri, as_directory(base) if slash else base)
    inside = one[: len(other)] == other
    assert (path is not None) == inside == within(uri, base)
    low, high = span_below(base)
    assert (low <= uri < high) == (inside and (one != other or not other))
    if path is not None:
        assert below(base, path) == below(as_directory(base), path) == uri
        assert moved(uri, base, "viking://new/home") == join("viking://new/home", *one[len(other) :])


@given(st.lists(st.tuples(st.sampled_from(["a", "a~2", "a~3", "b"]), st.sampled_from(["", ".md"]))))
def test_equal_siblings_are_numbered_in_order(wanted: list[tuple[str, str]]) -> None:
    names, taken = SiblingNames([".abstract.md"]), {".abstract.md"}
    for name, suffix in wanted:
        free = (f"{name}~{number}{suffix}" for number in range(2, len(wanted) + 2))
        expected = next(one for one in (f"{name}{suffix}", *free) if one not in taken)
        assert names.claim(name, suffix) == expected
        taken.add(expected)


class _CountingSet(set[str]):
    looks = 0

    def __contains__(self, name: object) -> bool:
        self.looks += 1
        return super().__contains__(name)


def test_a_document_of_equal_headings_is_named_in_linear_time() -> None:
    names = SiblingNames()
    names._taken = taken = _CountingSet()
    claimed = [names.claim("Same") for _ in range(8_000)]
    assert claimed[:3] == ["Same", "Same~2", "Same~3"] and claimed[-1] == "Same~8000"
    assert taken.looks <= 2 * len(claimed)
