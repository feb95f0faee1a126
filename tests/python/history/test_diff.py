"""What differs between two versions, putting one back, and what became of quotes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import knarr
from knarr.history.compare import diff_lines
from support import WriteDocs

OLD = "# Book\n\nIntro.\n\n## One\n\nFirst words.\n\n### Deep\n\nDeep words.\n\n## Two\n\nSecond words.\n\n## Gone\n\nLast words of it.\n"


def add(kb: knarr.KnowledgeBase, write_docs: WriteDocs, *texts: str, name: str = "book") -> None:
    for text in texts:
        kb.add(write_docs({f"{name}.md": text}) / f"{name}.md")


def kinds(kb: knarr.KnowledgeBase, write_docs: WriteDocs, new: str) -> list[tuple[str, str]]:
    add(kb, write_docs, OLD, new)
    return [(one.kind, one.titles[-1] if one.titles else "") for one in kb.history.diff("viking://book")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("First words.", "Other words.", [("changed", "One")]),
        ("## Two", "## New\n\nNew words.\n\n## Two", [("added", "New")]),
        ("\n\n## Gone\n\nLast words of it.", "", [("removed", "Gone")]),
        ("## One", "## Uno", [("renamed", "Uno")]),
        ("### Deep\n\nDeep words.\n\n## Two", "## Two\n\n### Deep\n\nDeep words.", [("moved", "Deep"), ("changed", "Two")]),
        ("Deep words.", "Deep words.\n", []),
        ("Intro.", "Preface.", [("changed", "Book")]),
        ("Intro.\n\n", "Intro.\n\n## One\n\nA new section of an old title.\n\n", [("added", "One")]),
    ],
)  # fmt: skip
def test_sections_that_differ(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    assert sorted(kinds(kb, write_docs, OLD.replace(old, new))) == sorted(expected)


def test_a_difference_says_where_it_stands(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    add(kb, write_docs, OLD, OLD.replace("First words.", "First new words."))
    found = kb.history.diff("viking://book", 1, 2)
    (one,) = found
    assert (one.old_uri, one.new_uri) == ("viking://book/Book/One",) * 2
    assert one.diff == ("@@ -1 +1 @@", "-First words.", "+First new words.")
    for side, span in ((found.old, one.old_bytes), (found.new, one.new_bytes)):
        assert span is not None
        text = kb.read("viking://book", as_of=side.version).text.encode()[slice(*span)].decode()
        assert "words." in text and "Deep" not in text
    assert (found.summary(), found.unchanged, found.total) == ("1 section changed", 5, 1)
    back = kb.history.diff("viking://book", 2, 1)
    assert back.differences[0].diff[1:] == ("-First new words.", "+First words.")


def test_differences_come_in_pages_of_bounded_lines(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    def text(word: str) -> str:
        return "# Book\n\n" + "".join(f"## S{n}\n\n" + f"{word} line\n" * 30 + "\n" for n in range(7))

    add(kb, write_docs, text("old"), text("new"))
    seen, offset = [], 0
    while offset is not None:
        page = kb.history.diff("viking://book", offset=offset, limit=3, lines=10)
        assert page.total == 7 and all(len(one.diff) == 10 and one.left_out == 51 for one in page)
        seen += [one.titles[-1] for one in page]
        offset = page.next_offset  # type: ignore[assignment]
    assert seen == [f"S{n}" for n in range(7)]


def test_long_sections_are_compared_in_bounded_time() -> None:
    old = "same\n" + "\n".join(f"a {n}" for n in range(5000)) + "\nend"
    new = "same\n" + "\n".join(f"b {n}" for n in range(5000)) + "\nend"
    lines = list(diff_lines(old, new))
    assert len(lines) == 10_001 and lines[0].startswith("@@ -2,5000 +2,5000")
    assert "same" not in {line[1:] for line in lines}


def test_two_documents_are_compared_as_versions(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    add(kb, write_docs, OLD, name="book_v1")
    add(kb, write_docs, OLD.replace("Second", "Third"), name="book_v2")
    found = kb.history.diff("viking://book_v1", other="viking://book_v2")
    assert [(one.kind, one.titles[-1]) for one in found] == [("changed", "Two")]
    assert (found.old.uri, found.new.uri) == ("viking://book_v1", "viking://book_v2")
    with pytest.raises(knarr.NotRetained, match="version 1 is the first"):
        kb.history.diff("viking://book_v1")


def test_rollback_is_one_more_version(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    add(kb, write_docs, OLD, OLD.replace("First", "Other"))
    with pytest.raises(knarr.InvalidArgument, match="version 2 is the newest already"):
        kb.history.rollback("viking://book", 2)
    with pytest.raises(knarr.NotRetained, match="version 3: there is none; kept are versions 1"):
        kb.history.rollback("viking://book", 3)
    fresh = kb.history.rollback("viking://book/Book/One", 1)
    assert (fresh.version, fresh.uri) == (3, "viking://book")
    assert kb.read("viking://book").text == OLD and kb.read("viking://book", as_of=1).text == OLD
    assert kb.document("viking://book").notes == ("put back from version 1",)
    assert kb.history.diff("viking://book", 1, 3).total == 0
    (again,) = kb.add(write_docs({"book.md": OLD}) / "book.md").files
    assert (again.change, again.version) == ("unchanged", 3)


def test_a_removed_document_comes_back_where_it_stood(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    add(kb, write_docs, OLD)
    kb.move("viking://book", "viking://shelf/tome")
    kb.remove("viking://shelf")
    with pytest.raises(knarr.NotFound):
        kb.read("viking://shelf/tome")
    add(kb, write_docs, "# Other\n\nwords\n", name="other")
    kb.move("viking://other", "viking://shelf/tome/inner")
    with pytest.raises(knarr.AlreadyExists, match="viking://shelf/tome is taken"):
        kb.history.rollback("viking://shelf/tome", 1)
    kb.remove("viking://shelf/tome/inner")
    assert kb.history.rollback("viking://shelf/tome", 1).version == 2
    assert kb.read("viking://shelf/tome").text == OLD
    assert kb.search("First words", "viking://shelf").hits


def test_edges_hold_after_a_rollback_as_after_any_update(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    add(kb, write_docs, OLD)
    answer = kb.ask("What are the first words?", mode="vikingrag-e", policy="extractive")
    before = kb.experience.edges(limit=50).total
    add(kb, write_docs, OLD.replace("First", "Other"))
    kb.history.rollback("viking://book", 1)
    kept = [edge for edge in kb.experience.edges(limit=50).edges if edge.state == "active"]
    assert len(kept) <= before
    for edge in kept:
        assert kb.read(edge.source.uri) and kb.read(edge.target.uri)
    assert answer.trace_id


def test_what_became_of_quotes(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    text = OLD + "\n## Four\n\nWords that will move away.\n"
    add(kb, write_docs, text)
    texts = ("First words.", "Second words.", "Last words of it.", "Words that will move away.")
    cited = []
    for quote in texts:
        (match,) = kb.grep(quote, literal=True).matches
        cited.append(
            knarr.Citation(match.uri, quote, (match.line,) * 2, None, match.document, match.version, (match.begin_byte, match.end_byte))
        )  # fmt: skip
    assert {one.state for one in kb.history.since(cited)} == {"current"}
    new = text.replace("Second words.", "Second words, changed.").replace("## Gone\n\nLast words of it.", "")
    new = new.replace("Words that will move away.", "Stays.").replace(
        "Intro.", "Intro. Words that will move away."
    )
    add(kb, write_docs, new)
    states = kb.history.since(cited)
    assert [one.state for one in states] == ["same", "gone", "gone", "elsewhere"]
    assert (states[3].uri, states[3].version) == ("viking://book/Book/Book_1.md", 2)
    kb.move("viking://book", "viking://shelf/tome")
    assert kb.history.since(cited[:1]) == (
        knarr.QuoteNow("elsewhere", 2, "viking://shelf/tome/Book/One/One_1.md"),
    )
    kb.remove("viking://shelf")
    assert {one.state for one in kb.history.since(cited)} == {"removed"}
    assert kb.history.since([replace(cited[0], version=0)])[0].state == "unknown"


def test_an_answer_from_the_past_says_what_changed_since(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    fees = "# Fees\n\nThe late fee is {} euros for each item.\n\n## Loans\n\nA loan lasts 21 days.\n"
    add(kb, write_docs, fees.format(15), fees.format(20), name="fees")
    old = kb.ask("What is the late fee?", "viking://fees", policy="extractive", as_of=1)
    assert "15 euros" in old.text and {one.version for one in old.citations} == {1}
    assert [one.state for one in old.now] == ["gone"] * len(old.citations)
    trace = kb.traces.get(old.trace_id)
    assert (trace.as_of, trace.now) == ("version 1", old.now)
    for one in old.citations:
        assert one.text in kb.read(one.uri, as_of=one.version).text
    new = kb.ask("What is the late fee?", "viking://fees", policy="extractive")
    assert "20 euros" in new.text and new.now == () and kb.traces.get(new.trace_id).as_of == ""
    edges = kb.experience.edges(limit=10).total
    kb.ask("How long is a loan?", "viking://fees", policy="extractive", as_of=1, mode="vikingrag-e")
    assert kb.experience.edges(limit=10).total == edges
