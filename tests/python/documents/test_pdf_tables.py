"""Cells of a PDF's table under each other: a figure stands under its own head, blank cells stay blank (ING-09)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from knarr.documents import parse
from knarr.documents.pdf.grid import placed_table
from knarr.documents.pdf.tables import TextRow
from knarr.documents.sections import Document
from make_pdf import Page, pdf, prose

LEFTS = (72.0, 250.0, 350.0, 450.0)
DIGIT = 5.56  # the width of a digit of Helvetica at 10 points


def read(page: Page, *more: Page) -> Document:
    document = parse(pdf([page, *more]), "file.pdf")
    document.check()
    return document


def put(page: Page, rows: Sequence[Sequence[str]], y: float = 700, *, right: bool = False) -> Page:
    """Rows of cells 14 points apart, "" for a blank cell; figures are set from the left, or to the right."""
    for at, row in enumerate(rows):
        for column, (cell, x) in enumerate(zip(row, LEFTS, strict=False)):
            if cell:
                page.text(x + (60 - DIGIT * len(cell) if right and column else 0), y - 14 * at, cell)
    return page


def pipes(document: Document) -> list[list[str]]:
    """The cells of all rows of pipe tables, rules left out."""
    rows = [line for line in document.text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


HEAD = ["Item", "2021", "2022", "2023"]
FULL = ["Bolts", "10", "11", "12"]
BLANKS = {
    "begin": ["Nuts", "", "", "7"],
    "middle": ["Nuts", "5", "", "7"],
    "end": ["Nuts", "5", "", ""],
    "one in the middle": ["Nuts", "", "1,234", ""],
    "brackets": ["Nuts", "", "(1,234)", "7"],
    "no label": ["", "5", "", "7"],
    "words": ["Nuts", "none", "", "7"],
}


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("blank", BLANKS)
def test_blank_cells_keep_their_place(blank: str, right: bool) -> None:
    rows = [HEAD, FULL, BLANKS[blank], ["Washers", "3", "", "4"], ["Total", "13", "11", "23"]]
    assert pipes(read(put(Page(), rows, right=right))) == rows


@pytest.mark.parametrize("right", [False, True])
def test_a_column_that_is_blank_in_every_row_keeps_its_head(right: bool) -> None:
    rows = [HEAD, ["Nuts", "", "", "7"], ["Bolts", "", "", "8"], ["Washers", "", "", "9"]]
    assert pipes(read(put(Page(), rows, right=right))) == rows


def test_one_row_below_heads_is_a_table() -> None:
    rows = [HEAD, ["Nuts", "", "", "7"]]
    document = read(put(Page(), rows))
    assert pipes(document) == rows
    [table] = document.tables
    assert document.text.encode()[table.row_begins[0] : table.end_byte] == b"| Nuts |  |  | 7 |\n"


def test_a_table_without_heads_keeps_blank_cells() -> None:
    rows = [FULL, ["Nuts", "", "", "7"], ["Total", "10", "11", "19"]]
    assert pipes(read(put(Page(), rows)))[1:] == rows


def test_heads_over_several_columns_are_those_of_each() -> None:
    page = Page().text(280, 728, "Two years ended").text(440, 728, "Change in")
    rows = [["Item", "2021", "2022", "per cent"], FULL, ["Nuts", "", "6", "7"], ["Total", "10", "17", "19"]]
    [heads, *body] = pipes(read(put(page, rows, 714)))
    assert heads == ["Item", "Two years ended 2021", "Two years ended 2022", "Change in per cent"]
    assert body == rows[1:]


def test_labels_of_two_lines_are_one() -> None:
    rows = [
        HEAD,
        ["Cash that was paid"],
        ["for new ships", "1", "2", "3"],
        ["Money that was lent", "4", "", "6"],
        ["to the harbour office"],
        ["Other payments:"],
        ["for ropes", "7", "8", "9"],
    ]
    assert pipes(read(put(Page(), rows)))[1:] == [
        ["Cash that was paid for new ships", "1", "2", "3"],
        ["Money that was lent to the harbour office", "4", "", "6"],
        ["Other payments:", "", "", ""],
        ["for ropes", "7", "8", "9"],
    ]


def test_dashes_stand_in_the_column_of_the_figures_above_them() -> None:
    page = put(Page(), [HEAD, FULL, ["Nuts", "5", "6", "7"]])
    for x in (261.1, 361.1):  # right of the figures that they continue
        page.text(x, 658, "-")
    page.text(72, 658, "Caps").text(450, 658, "9")
    assert pipes(read(page))[-1] == ["Caps", "-", "-", "9"]


def test_a_figure_close_to_its_label_is_in_its_column() -> None:
    rows = [HEAD, FULL, ["Ships that came in from the north sea", "", "6", "7"], ["Total", "10", "17", "19"]]
    page = put(Page(), rows).text(250, 672, "5")
    assert pipes(read(page))[2] == ["Ships that came in from the north sea", "5", "6", "7"]


def test_a_cell_over_several_columns_stands_in_each() -> None:
    rows = [HEAD, FULL, ["Nuts", "5", "6", "7"], ["Caps", "8", "9", "1"]]
    page = (
        put(Page(), rows)
        .text(72, 644, "Hats")
        .text(250, 644, "not made in the years 2021 and 2022")
        .text(450, 644, "3")
    )
    document = read(page)
    words = "not made in the years 2021 and 2022"
    assert pipes(document) == [*rows, ["Hats", words, words, "3"]]


def test_two_tables_below_each_other_are_two() -> None:
    other = ["Ship", "2019", "2020", "2021"]
    rows = [HEAD, FULL, ["Nuts", "5", "", "7"], ["Total", "15", "11", "19"], other, ["Anna", "", "1", "2"]]
    rows += [["Berta", "3", "4", ""], ["Clara", "5", "6", "7"]]
    document = read(put(Page(), rows))
    assert pipes(document) == rows
    assert [table.header.splitlines()[0] for table in document.tables] == [
        "| Item | 2021 | 2022 | 2023 |",
        "| Ship | 2019 | 2020 | 2021 |",
    ]


def test_prose_stands_a_blank_line_apart_from_a_table() -> None:
    page = put(Page().lines(72, 750, prose(3)), [HEAD, FULL, ["Nuts", "", "", "7"], FULL]).lines(
        72, 640, prose(3)
    )
    lines = read(page).text.splitlines()
    table = [at for at, line in enumerate(lines) if line.startswith("|")]
    assert table == list(range(table[0], table[0] + 5))
    assert lines[table[0] - 1] == lines[table[-1] + 1] == ""


def test_a_bar_in_a_cell_is_no_border() -> None:
    rows = [HEAD, FULL, ["Nuts|caps", "", "", "7"], FULL]
    assert "| Nuts\\|caps |  |  | 7 |\n" in read(put(Page(), rows)).text


def test_a_table_that_goes_on_over_the_page_keeps_its_heads() -> None:
    first = [HEAD, FULL, ["Nuts", "", "", "7"], ["Caps", "4", "5", "6"]]
    second = [["Screws", "", "2", ""], ["Nails", "1", "", "3"]]
    document = read(put(Page().text(72, 760, "Prices"), first), put(Page(), second).lines(72, 600, prose(4)))
    assert pipes(document) == [*first, HEAD, *second]
    assert {table.header for table in document.tables} == {
        "| Item | 2021 | 2022 | 2023 |\n" + "| --- " * 4 + "|\n"
    }
    assert document.page_at(document.tables[1].begin_byte) == 2


def test_rows_in_other_columns_do_not_continue_a_table() -> None:
    first = [HEAD, FULL, ["Nuts", "", "", "7"], ["Caps", "4", "5", "6"]]
    other = Page()
    for at in range(3):
        for x, cell in ((72, "Ship"), (200, f"{at}1"), (300, f"{at}2"), (400, f"{at}3"), (500, f"{at}4")):
            other.text(x, 700 - 14 * at, cell)
    document = read(put(Page(), first), other)
    assert pipes(document) == first and "Ship  01  02  03  04" in document.text


def test_rows_of_words_alone_are_no_columns_of_figures() -> None:
    rows = [
        TextRow(("a", "b", "c"), ((70, 90), (100, 120), (130, 150))),
        TextRow(("d", "e"), ((70, 90), (100, 150))),
    ]
    assert placed_table((), [*rows, *rows]) is None
