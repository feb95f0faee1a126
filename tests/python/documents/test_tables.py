"""Rows of cells to Markdown tables: nothing lost, layout tables told apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knarr.documents.tables import LAYOUT_CELL_CHARS, Cell, grid, table_text


def rows(*texts: list[str]) -> list[list[Cell]]:
    return [[Cell(text) for text in row] for row in texts]


def test_a_table_is_a_header_a_rule_and_rows() -> None:
    table = table_text(rows(["Port", "Owner"], ["p-1", "a|b"], ["é-2", "line\nbreak"]))
    assert table is not None
    assert table.text == "| Port | Owner |\n| --- | --- |\n| p-1 | a\\|b |\n| é-2 | line break |\n"
    assert table.header == "| Port | Owner |\n| --- | --- |\n"
    record = table.at(7)
    data = b"." * 7 + table.text.encode()
    assert data[record.begin_byte : record.end_byte] == table.text.encode()
    assert [data[at : at + 5] for at in record.row_begins] == [b"| p-1", "| é-".encode()]


def test_merged_cells_keep_their_text_in_their_first_place() -> None:
    cells = [
        [Cell("Name", rows=2), Cell("Score", columns=2)],
        [Cell("first"), Cell("second")],
        [Cell("Ann"), Cell("1"), Cell("2")],
    ]
    assert grid(cells) == [["Name", "Score", ""], ["", "first", "second"], ["Ann", "1", "2"]]


def test_rows_and_columns_without_text_are_dropped() -> None:
    assert grid(rows(["a", "", "b"], ["", "", ""], ["c", " ", "d"])) == [["a", "b"], ["c", "d"]]


def test_layout_tables_are_none() -> None:
    assert table_text(rows(["one framed note"])) is None
    assert table_text(rows(["left", "right"])) is None
    assert table_text(rows(["only"], ["one"], ["column"])) is None
    assert table_text(rows(["a", "b"], ["c", "x" * (LAYOUT_CELL_CHARS + 1)])) is None


def test_absurd_spans_are_bounded() -> None:
    cells = [[Cell("a", columns=10**9, rows=10**9), Cell("b", columns=10**6)] for _ in range(2000)]
    placed = grid(cells)
    assert sum(len(row) for row in placed) < 10**6
    assert sum(text in ("a", "b") for row in placed for text in row) == 4000


@given(st.lists(st.lists(st.text(alphabet="ab|\n ", max_size=6), max_size=5), max_size=6))
def test_no_text_is_ever_lost(texts: list[list[str]]) -> None:
    placed = grid([[Cell(text) for text in row] for row in texts])
    kept = sorted(text for row in placed for text in row if text)
    assert kept == sorted(" ".join(text.split()) for row in texts for text in row if text.strip())
    assert len({len(row) for row in placed}) <= 1
