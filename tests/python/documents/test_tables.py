"""Rows of cells to Markdown tables: nothing lost, layout tables told apart."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from knarr.documents.tables import LAYOUT_CELL_CHARS, Cell, grid, table_text


def rows(*texts: list[str]) -> list[list[Cell]]:
    return [[Cell(text) for text in row] for row in texts]


def placed_texts(source: Sequence[Sequence[Cell]]) -> list[list[str]]:
    return grid(source)[0]


def test_a_table_is_a_header_a_rule_and_rows() -> None:
    table = table_text(rows(["Port", "Owner"], ["p-1", "a|b"], ["é-2", "line\nbreak"]))
    assert table is not None
    assert table.text == "| Port | Owner |\n| --- | --- |\n| p-1 | a\\|b |\n| é-2 | line break |\n"
    assert table.header == "| Port | Owner |\n| --- | --- |\n"
    record = table.at(7)
    data = b"." * 7 + table.text.encode()
    assert data[record.begin_byte : record.end_byte] == table.text.encode()
    assert [data[at : at + 5] for at in record.row_begins] == [b"| p-1", "| é-".encode()]


def test_a_merged_cell_stands_in_every_place_that_it_covers() -> None:
    cells = [
        [Cell("Name", rows=2), Cell("Score", columns=2)],
        [Cell("first"), Cell("second")],
        [Cell("Ann"), Cell("1"), Cell("2")],
    ]
    assert placed_texts(cells) == [["Name", "Score", "Score"], ["Name", "first", "second"], ["Ann", "1", "2"]]


def lines(*source: list[Cell], heads: int = 1) -> list[str]:
    table = table_text(source, heads)
    assert table is not None
    return table.text.splitlines()


def test_each_row_has_its_labels_and_its_columns() -> None:
    """ING-16: labels that go down, two header rows by their spans, and by what the source says."""
    assert lines(
        [Cell("Region", rows=2), Cell("Units sold", columns=2)],
        [Cell("2023"), Cell("2024")],
        [Cell("North", rows=2), Cell("11"), Cell("12")],
        [Cell(""), Cell("22")],
        [Cell("East"), Cell("n/a", columns=2)],
    ) == [
        "| Region | Units sold 2023 | Units sold 2024 |",
        "| --- | --- | --- |",
        "| North | 11 | 12 |",
        "| North |  | 22 |",
        "| East | n/a | n/a |",
    ]
    plain = rows(["Region", "Price", "Price"], ["", "EUR", "USD"], ["North", "1", "2"])
    assert lines(*plain, heads=2)[0] == "| Region | Price EUR | Price USD |"
    assert lines(*plain)[0] == "| Region | Price | Price |"


def test_a_first_row_as_wide_as_the_table_is_its_title_and_a_later_one_stands_once() -> None:
    cells = [
        [Cell("Fares", columns=3)],
        [Cell("Line"), Cell("adult"), Cell("child")],
        [Cell("Weekend", columns=9)],
        [Cell("A"), Cell("3"), Cell("1")],
    ]
    table = table_text(cells)
    assert table is not None and table.title == "Fares"
    assert table.header.startswith("| Line | adult | child |\n")
    assert "| Weekend |  |  |\n| A | 3 | 1 |\n" in table.text


def test_what_merged_cells_repeat_is_bounded() -> None:
    """Long text is no label; and a table is at most a few times its own text."""
    prose, label = "long " * 60, "label" * 30
    assert placed_texts([[Cell(prose, rows=2), Cell("a")], [Cell("b")]])[1] == ["", "b"]
    source = [[Cell(f"{label}{at}", rows=5_000 if at % 2 else 9), Cell("x")] for at in range(60)] + [
        [Cell("y")]
    ] * 2_000
    own = sum(len(cell.text) for row in source for cell in row)
    assert own < sum(len(text) for row in placed_texts(source) for text in row) <= 5 * own + 10_000


def test_rows_and_columns_without_text_are_dropped() -> None:
    assert placed_texts(rows(["a", "", "b"], ["", "", ""], ["c", " ", "d"])) == [["a", "b"], ["c", "d"]]


def test_layout_tables_are_none() -> None:
    assert table_text(rows(["one framed note"])) is None
    assert table_text(rows(["left", "right"])) is None
    assert table_text(rows(["only"], ["one"], ["column"])) is None
    assert table_text(rows(["a", "b"], ["c", "x" * (LAYOUT_CELL_CHARS + 1)])) is None


def test_absurd_spans_are_bounded() -> None:
    cells = [[Cell("a", columns=10**9, rows=10**9), Cell("b", columns=10**6)] for _ in range(2000)]
    placed = placed_texts(cells)
    assert sum(len(row) for row in placed) < 10**6
    assert sum(text in ("a", "b") for row in placed for text in row) == 4000
    wide = [[Cell("all", columns=10**6)], [Cell("a"), Cell("b")], [Cell("c", rows=10**9), Cell("d")]]
    assert placed_texts(wide) == [["all", ""], ["a", "b"], ["c", "d"]]


@given(st.lists(st.lists(st.text(alphabet="ab|\n ", max_size=6), max_size=5), max_size=6))
def test_no_text_is_ever_lost(texts: list[list[str]]) -> None:
    placed = placed_texts([[Cell(text) for text in row] for row in texts])
    kept = sorted(text for row in placed for text in row if text)
    assert kept == sorted(" ".join(text.split()) for row in texts for text in row if text.strip())
    assert len({len(row) for row in placed}) <= 1
