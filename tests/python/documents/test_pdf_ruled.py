"""Tables whose cells are drawn, heads over rules, captions: PDFs of our own (ING-01)."""

from __future__ import annotations

from collections.abc import Sequence

from knarr.documents import parse
from knarr.documents.sections import Document
from make_pdf import Page, pdf

XS = (70, 190, 270, 350, 430)


def read(*pages: Page) -> Document:
    document = parse(pdf(list(pages)), "file.pdf")
    document.check()
    return document


def pipes(document: Document) -> list[list[str]]:
    rows = [line for line in document.text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def drawn(page: Page, rows: Sequence[Sequence[str]], top: float = 700, height: float = 30) -> Page:
    """A grid of cells with all its lines; a line end in a cell begins a new line of text."""
    width, bottom = len(rows[0]), top - height * len(rows)
    for at in range(len(rows) + 1):
        page.rule(XS[0], top - at * height, XS[width], top - at * height)
    for x in XS[: width + 1]:
        page.rule(x, bottom, x, top)
    return filled(page, rows, top, height)


def filled(page: Page, rows: Sequence[Sequence[str]], top: float = 700, height: float = 30) -> Page:
    for at, row in enumerate(rows):
        for x, cell in zip(XS, row, strict=False):
            page.lines(x + 4, top - at * height - 12, cell.split("\n"), size=9, step=11)
    return page


def test_text_that_wraps_in_its_cell_is_one_cell_and_blank_cells_stay() -> None:
    rows = [
        ["Right", "Whose", "Until"],
        ["to a\nrefund", "of every\npassenger", ""],
        ["to wait", "", "10 pm"],
    ]
    expected = [[cell.replace("\n", " ") for cell in row] for row in rows]
    assert pipes(read(drawn(Page(), rows))) == expected


def test_merged_cells_repeat_their_label() -> None:
    page = Page()
    for y in (700, 640, 610, 580):
        page.rule(70, y, 350, y)
    page.rule(190, 670, 350, 670)
    for x, top in ((70, 700), (190, 700), (270, 670), (350, 700)):
        page.rule(x, 580, x, top)
    filled(page, [["", "Sold", ""], ["Item", "2022", "2023"], ["Nuts", "1", "2"], ["Bolts", "", "4"]])
    assert pipes(read(page)) == [["Item", "Sold 2022", "Sold 2023"], ["Nuts", "1", "2"], ["Bolts", "", "4"]]


def test_figures_without_lines_between_their_rows_are_rows() -> None:
    rows = [["Item", "Old", "New"], ["Nuts\nBolts\nCaps", "1,100\n2,200\n3,300", "410\n520\n630"]]
    page = filled(Page(), rows, height=50)
    for y in (700, 650, 600):
        page.rule(70, y, 310, y)
    for x in XS[:4]:
        page.rule(x, 600, x, 700)
    assert pipes(read(page)) == [
        rows[0],
        ["Nuts", "1,100", "410"],
        ["Bolts", "2,200", "520"],
        ["Caps", "3,300", "630"],
    ]


def test_a_drawn_table_that_goes_on_over_the_page_keeps_its_heads() -> None:
    head = ["Isle", "Harbour", "Opened"]
    first = [head, *([f"Isle {n}", f"Port {n}", "in spring"] for n in range(3))]
    rest = [[f"Isle {n}", f"Port {n}", "in autumn"] for n in range(3, 6)]
    assert pipes(read(drawn(Page(), first), drawn(Page(), rest))) == [*first, head, *rest]
    assert pipes(read(drawn(Page(), first), drawn(Page(), [head, *rest]))) == [*first, head, *rest]


def test_a_frame_and_an_empty_grid_are_no_tables() -> None:
    frame = Page().lines(80, 690, ["A framed note", "of two lines."])
    for y in (700, 660):
        frame.rule(70, y, 400, y)
    for x in (70, 400):
        frame.rule(x, 660, x, 700)
    assert pipes(read(frame)) == []
    sparse = [["", "", "10 per cent of all", ""], ["", "", "", ""], ["5 per cent", "", "", ""]]
    assert pipes(read(drawn(Page(), sparse))) == []


def test_a_rule_below_a_head_says_its_columns() -> None:
    page = Page()
    page.text(205, 714, "Sold").text(365, 714, "Lent")
    page.rule(190, 710, 300, 710)
    page.rule(350, 710, 460, 710)
    rows = [
        ["Item", "2022", "2023", "2022", "2023"],
        ["Nuts", "1", "2", "3", "4"],
        ["Caps", "5", "", "7", "8"],
    ]
    for at, row in enumerate([*rows, ["Bolts", "9", "8", "7", "6"]]):
        for x, cell in zip((72, 195, 275, 355, 435), row, strict=True):
            page.text(x, 698 - 14 * at, cell)
    head = ["Item", "Sold 2022", "Sold 2023", "Lent 2022", "Lent 2023"]
    assert pipes(read(page)) == [head, *rows[1:], ["Bolts", "9", "8", "7", "6"]]


def test_a_caption_is_the_title_of_its_table_and_no_heading() -> None:
    rows = [["Item", "Old", "New"], ["Nuts", "1", "2"], ["Bolts", "3", "4"]]
    above = drawn(Page().text(70, 712, "Table 1: Prices of nuts", bold=True), rows)
    below = drawn(Page(), rows).text(70, 596, "Table 2. Prices of bolts")
    document = read(above, below)
    assert [table.title for table in document.tables] == [
        "Table 1: Prices of nuts",
        "Table 2. Prices of bolts",
    ]
    assert not document.root.children
    for table in document.tables:
        text = document.data[table.begin_byte : table.end_byte].decode()
        assert text.startswith(f"{table.title}\n\n| Item |")


def test_a_figure_beside_an_undrawn_blank_stays_in_its_column() -> None:
    page = Page()
    for y in (700, 670, 640, 610):
        page.rule(70, y, 350, y)
    for x, low in ((70, 610), (190, 610), (270, 670), (350, 610)):
        page.rule(x, low, x, 700)
    filled(page, [["Item", "2022", "2023"], ["Nuts", "41", ""], ["Bolts", "52", ""]])
    assert pipes(read(page)) == [["Item", "2022", "2023"], ["Nuts", "41", ""], ["Bolts", "52", ""]]


def test_leaders_are_no_text_of_a_cell_and_line_ends_part_figures() -> None:
    rows = [
        ["Item", "Years", "Sold"],
        ["Nuts ........", "2018-\n2019", "41"],
        ["Bolts ........", "2020-\n2021", "52"],
    ]
    assert pipes(read(drawn(Page(), rows)))[1:] == [
        ["Nuts", "2018- 2019", "41"],
        ["Bolts", "2020- 2021", "52"],
    ]
