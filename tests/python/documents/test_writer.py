"""The writer of canonical text: every offset is where its text really is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.documents.characters import plain_characters
from knarr.documents.sections import levels
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter

TEXTS = st.text("aé🎉b\u00adﬁ\u0301", min_size=1, max_size=6).filter(plain_characters)
STEPS = st.lists(
    st.tuples(st.just("heading"), st.integers(1, 9), TEXTS)
    | st.tuples(st.just("put"), st.just(0), TEXTS)
    | st.tuples(st.just("table"), st.just(0), TEXTS)
    | st.tuples(st.just("page"), st.integers(0, 5), st.just("")),
    max_size=12,
)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Wert\u00adpapier\u00adindex", "Wertpapierindex"),
        ("scienti\ufb01c, o\ufb03ce, \ufb02ow", "scientific, office, flow"),
        ("e\u0301te\u0301", "été"),
        ("zero\u200bwidth\u2060s\ufeff", "zerowidths"),
        ("\ufefb", "\u0644\u0627"),  # Arabic lam and alif
        ("می\u200cخواهم 👩\u200d💻 ½ № ²", "می\u200cخواهم 👩\u200d💻 ½ № ²"),
    ],
)
def test_a_word_is_written_by_its_letters(written: str, plain: str) -> None:
    """ING-18: in text, titles and cells alike."""
    assert plain_characters("Wertpa\u00ad\n  pier") == "Wertpapier"
    assert plain_characters(written) == plain and plain_characters(plain) == plain
    writer = MarkdownWriter()
    writer.heading(1, written)
    writer.put(f"{written}\n")
    table = table_text([[Cell(written), Cell("b")], [Cell("c"), Cell("d")]])
    assert table is not None
    writer.table(table)
    document = writer.document("made", written, ())
    document.check()
    assert f"{plain}\n" in document.text and f"| {plain} |" in document.text
    assert document.root.children[0].title == plain
    assert document.data[document.tables[0].row_begins[0] :] == b"| c | d |\n" and document.title == plain


@given(STEPS)
def test_offsets_point_at_what_was_written(steps: list[tuple[str, int, str]]) -> None:
    writer = MarkdownWriter()
    titles, cells, pages = [], [], []
    for kind, number, text in steps:
        writer.gap()
        if kind == "heading":
            writer.heading(number, text, title=f"{text}!")
            titles.append((number, plain_characters(f"{text}!"), plain_characters(text)))
        elif kind == "put":
            assert writer.put(f"{text}\n") == writer.size_bytes - len(f"{plain_characters(text)}\n".encode())
        elif kind == "table":
            table = table_text([[Cell("head"), Cell("é")], [Cell(text), Cell("x")]])
            assert table is not None
            writer.table(table)
            cells.append(plain_characters(text))
        else:
            writer.turn_to(number)
            pages.append(number)
    document = writer.document("made", "title", ("note",), (2,) if pages else ())
    document.check()
    assert len(document.data) == writer.size_bytes and not document.text.startswith("\n")
    sections = [section for section in document.root.walk() if section.level]
    assert [(section.level, section.title) for section in sections] == [one[:2] for one in titles]
    for section, (level, _, shown) in zip(sections, titles, strict=True):
        line = document.data[section.begin_byte : section.body_byte].decode()
        assert line == f"{'#' * min(level, 6)} {shown}\n"
    for table, text in zip(document.tables, cells, strict=True):
        assert document.data[table.row_begins[0] : table.end_byte].decode() == f"| {text} | x |\n"
    assert len(document.page_begins) == max(pages, default=-1) + 1
    assert document.status == ("partial" if pages else "ok")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_levels_have_no_gaps_and_keep_the_order_of_ranks(ranks: list[tuple[int, int]]) -> None:
    found = levels(ranks)
    assert all(level >= 1 for level in found) and found[:1] == [1][: len(ranks)]
    for at in range(1, len(ranks)):
        assert found[at] <= found[at - 1] + 1
        assert (found[at] > found[at - 1]) == (ranks[at] > ranks[at - 1])
        above = [other for other in range(at) if ranks[other] < ranks[at]]
        nearest = max(above, default=None)
        assert found[at] == (1 if nearest is None else found[nearest] + 1)
