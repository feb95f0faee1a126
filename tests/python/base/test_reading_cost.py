"""What the read side asks of the catalog: nothing for what it knows, and never once for each entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

import knarr
from support import WriteDocs


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """The SQL that runs meanwhile, but for the frame of its transactions."""
    found: list[str] = []

    def note(*arguments: object) -> None:
        if arguments[2] != "BEGIN":
            found.append(str(arguments[2]))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.fixture
def filled(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    body = "# One\n\nlate fee and harbour\n\n# Two\n\nloans of boats, internationalisation of oars\n\n"
    kb.add(write_docs({f"{n}.md": body * 5 for n in range(9)}), into="viking://kb/docs")
    return kb


def test_a_warm_base_asks_nothing_of_the_catalog(filled: knarr.KnowledgeBase, statements: list[str]) -> None:
    def all_of_it() -> tuple[object, ...]:
        hits = filled.search("late fee", gamma=0.8, distinct=True, k=5)
        one = hits.hits[0].uri
        return (
            hits,
            filled.read(one),
            filled.read(hits.hits[0].source.document, max_tokens=20),
            filled.grep("harbour", hits.hits[0].source.document),
            filled.list(hits.hits[0].source.document),
        )

    first = all_of_it()
    statements.clear()
    assert all_of_it() == first
    assert statements == []


def test_a_folder_is_listed_with_few_statements(filled: knarr.KnowledgeBase, statements: list[str]) -> None:
    listed = filled.list("viking://kb/docs")
    assert len(statements) <= 3
    documents = [entry for entry in listed.entries if entry.is_directory]
    assert len(documents) == 9
    for entry in documents:
        assert entry.source is not None
        assert entry.source == filled.read(entry.uri).source
    statements.clear()
    assert filled.list("viking://kb/docs") == listed
    assert len(statements) <= 1
    assert all(entry.source is None for entry in filled.list("viking://kb").entries)


def test_what_is_kept_goes_with_a_change(filled: knarr.KnowledgeBase) -> None:
    before = filled.list("viking://kb/docs")
    filled.move("viking://kb/docs/3", "viking://kb/docs/three")
    filled.remove("viking://kb/docs/4")
    names = {entry.name: entry.source for entry in filled.list("viking://kb/docs").entries}
    assert "three" in names and "4" not in names and len(before.entries) == len(names) + 1
    assert names["three"] is not None and names["three"].document == "viking://kb/docs/three"


@pytest.mark.parametrize("tokens", [1, 2, 3, 7, 19, 20, 21, 64, 200, 5000])
def test_a_piece_holds_so_many_tokens_of_the_whole(filled: knarr.KnowledgeBase, tokens: int) -> None:
    whole = filled.read("viking://kb/docs/1").text
    begins = filled.embedder.tokenizer.token_begins(whole)
    piece = filled.read("viking://kb/docs/1", max_tokens=tokens)
    assert piece.text == (whole if tokens >= len(begins) else whole[: begins[tokens]])
    assert (piece.next_offset is None) == (piece.text == whole)
