"""Columns of a PDF page are read one after the other, tables across (ING-09)."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.documents.pdf.lines import page_lines
from make_pdf import Page, pdf, prose

LEFT = ["The harbour board met on the quay", "and heard the"]
RIGHT = ["report of the pilot about the", "new beacon on the rock."]
JOINED = (
    "The harbour board met on the quay and heard the report of the pilot about the new beacon on the rock."
)


def text_of(page: Page) -> str:
    document = parse(pdf([page]), "file.pdf")
    document.check()
    return document.text


def words_of(*columns: list[str]) -> str:
    return " ".join(" ".join(lines) for lines in columns)


def flat(text: str) -> str:
    return " ".join(text.replace("#", "").split())


def test_two_columns_of_two_lines() -> None:
    assert text_of(Page().lines(60, 712, LEFT).lines(330, 712, RIGHT)) == JOINED + "\n"


@pytest.mark.parametrize("lines", [2, 3, 5])
def test_three_columns(lines: int) -> None:
    columns = [
        [f"{name} line {n} of the short notice" for n in range(lines)] for name in ("one", "two", "three")
    ]
    page = Page()
    for x, column in zip((50, 230, 410), columns, strict=True):
        page.lines(x, 700, column)
    assert flat(text_of(page)) == words_of(*columns)


@pytest.mark.parametrize(("left", "right"), [(2, 5), (5, 2), (3, 4)])
def test_columns_of_unequal_length_below_a_heading_and_above_prose(left: int, right: int) -> None:
    columns = [
        [f"{name} line {n} of the short notice" for n in range(count)]
        for name, count in (("west", left), ("east", right))
    ]
    page = Page().text(
        60, 740, "A notice to all who use the harbour, its quays and its cranes", 14, bold=True
    )
    page.lines(60, 700, columns[0]).lines(330, 700, columns[1])
    below = prose(3)
    page.lines(60, 600, below)
    assert flat(text_of(page)).endswith(words_of(*columns, below))


def test_what_is_signed_below_the_columns_comes_after_them() -> None:
    page = Page().lines(60, 712, LEFT).lines(330, 712, RIGHT).text(60, 688, "Signed by the pilot")
    assert flat(text_of(page)) == f"{JOINED} Signed by the pilot"


def test_cells_that_hold_prose_are_read_one_by_one() -> None:
    page, cells = Page(), []
    for row in range(3):
        for side, x in (("task", 60), ("duty", 330)):
            cells.append([f"The {side} {row} of every pilot here", f"is to watch {side} {row}."])
            page.lines(x, 712 - 24 * row, cells[-1])
    assert flat(text_of(page)) == words_of(*cells)


TABLES = {
    "figures": [
        ("Ships that came in", "1,200"),
        ("Ships that went out", "1,100"),
        ("Ships that were lost", "3"),
    ],
    "words": [
        ("apples and red pears", "from the old garden"),
        ("plums", "from the north"),
        ("cherries", "none"),
    ],
    "names": [("Head of the workshop", "Ann Arber of Bergen"), ("Head of the depot", "Bo Berg of Oslo")],
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("down", [False, True])
def test_tables_are_no_columns(kind: str, down: bool) -> None:
    """Also where the program wrote them column by column, unless they read on like prose."""
    page = Page()
    places = [(at, side) for at in range(len(TABLES[kind])) for side in (0, 1)]
    for at, side in sorted(places, key=lambda place: place[1]) if down else places:
        page.text((60, 330)[side], 700 - 14 * at, TABLES[kind][at][side])
    lines = text_of(page).splitlines()
    assert all(any(left in line and right in line for line in lines) for left, right in TABLES[kind])


def test_justified_text_is_no_columns() -> None:
    """Wide spaces between words, also where they happen to stand above each other."""
    page, lines = Page(), []
    for at in range(6):
        words = f"the keeper of light {at} saw the ships".split()
        lines += words
        for n, word in enumerate(words):
            page.text(60 + 55 * n, 700 - 12 * at, word)
    assert flat(text_of(page)) == " ".join(lines)


def column(name: str, lines: int) -> list[str]:
    return [f"{name} goes on in line {n} as a sentence does" for n in range(lines)]


@pytest.mark.parametrize("gutter", [9, 14, 30])
@pytest.mark.parametrize("shift", [0, 3, 5])
def test_narrow_gutters_and_base_lines_of_their_own(gutter: int, shift: int) -> None:
    """Helvetica of 10 points sets these lines 186 to 191 points wide."""
    left, right = column("west", 20), column("east", 18)
    page = Page().lines(60, 700, left).lines(60 + 191 + gutter, 700 - shift, right)
    assert flat(text_of(page)) == words_of(left, right)


@pytest.mark.parametrize("first", ["left", "right"])
def test_title_and_summary_over_columns_footnote_and_footer_below(first: str) -> None:
    left, right = column("west", 15), column("east", 15)
    page = Page().text(180, 760, "On harbours and their lights", 18, bold=True)
    page.lines(60, 730, prose(3))
    sides = [(60, left), (320, right)]
    for x, lines in sides if first == "left" else reversed(sides):
        page.lines(x, 680, lines)
    page.text(60, 470, "1 A note that is below both columns, and is as wide as they are, to the very end.", 8)
    page.text(60, 40, "Journal of Harbours").text(500, 40, "17")
    expected = words_of(["On harbours and their lights"], prose(3), left, right)
    found = flat(text_of(page))
    assert found.startswith(expected)
    assert found.removeprefix(expected).split() == [
        "1",
        "A",
        "note",
        "that",
        "is",
        "below",
        "both",
        "columns,",
        "and",
        "is",
        "as",
        "wide",
        "as",
        "they",
        "are,",
        "to",
        "the",
        "very",
        "end.",
        "Journal",
        "of",
        "Harbours",
        "17",
    ]


def test_what_spans_the_columns_ends_those_above_it() -> None:
    blocks = [column(name, 8) for name in ("north west", "north east", "south west", "south east")]
    page = Page().lines(60, 700, blocks[0]).lines(320, 700, blocks[1])
    span = "Figure 1: what a figure between the columns shows, in a line that goes over both of them"
    page.text(60, 560, span).lines(60, 530, blocks[2]).lines(320, 530, blocks[3])
    assert flat(text_of(page)) == words_of(blocks[0], blocks[1], [span], blocks[2], blocks[3])


def test_a_table_in_a_column_keeps_its_rows() -> None:
    page = Page().lines(60, 700, column("west", 8))
    rows = [("Ships", "1,200", "1,300"), ("Boats", "300", "400"), ("Rafts", "7", "9")]
    for at, row in enumerate(rows):
        for x, cell in zip((60, 150, 210), row, strict=True):
            page.text(x, 590 - 14 * at, cell)
    page.lines(60, 530, column("below", 6)).lines(320, 703, column("east", 20))
    found = text_of(page)
    assert all(any(all(cell in line for cell in row) for line in found.splitlines()) for row in rows)
    places = [found.index(text) for text in ("west goes on in line 7", "1,200", "below goes", "east goes")]
    assert places == sorted(places)


def test_a_newspaper_of_three_columns_and_a_short_last_one() -> None:
    columns = [
        [f"{name} line {n} runs on" for n in range(count)]
        for name, count in (("one", 30), ("two", 30), ("three", 9))
    ]
    page = Page().text(60, 760, "The Harbour News", 24, bold=True)
    for x, lines in zip((50, 200, 350), columns, strict=True):
        page.lines(x, 720, lines)
    assert flat(text_of(page)) == words_of(["The Harbour News"], *columns)


def test_columns_that_a_scanner_wrote_across() -> None:
    left, right = column("west", 12), column("east", 12)
    page = Page()
    for at, (one, other) in enumerate(zip(left, right, strict=True)):
        page.text(60, 700 - 12 * at, one).text(320, 700 - 12 * at, other)
    assert flat(text_of(page)) == words_of(left, right)


def test_a_long_table_written_column_by_column_is_read_across() -> None:
    """Labels like prose beside figures, and names beside names."""
    labels = [f"costs of the harbour in ward {n}" for n in range(20)]
    for cells in ([f"{n},{n}00" for n in range(20)], [f"Port {n}" for n in range(20)]):
        page = Page().lines(60, 700, labels).lines(330, 700, cells)
        lines = text_of(page).splitlines()
        assert all(
            any(label in line and cell in line for line in lines)
            for label, cell in zip(labels, cells, strict=True)
        )


def test_a_note_beside_prose_does_not_cut_into_it() -> None:
    body = column("the body", 6)
    page = Page().lines(60, 700, ["A note in", "the margin"], 8, 10).lines(160, 700, body)
    assert flat(text_of(page)) == words_of(["A note in", "the margin"], body)


def word(text: str, x: float, y: float, *turned: float) -> list[object]:
    return [text, x, x + 5.0 * len(text), y, 10.0, 0, 0, *turned]


def test_right_to_left_lines_are_in_logical_order() -> None:
    """Whether PDFium gives them so, or as they stand from left to right."""
    logical = ["שלום", "Python", "3.12", "לכל", "העולם"]
    places = [300.0, 240.0, 275.0, 220.0, 190.0]
    words = [word(text, x, 700.0) for text, x in zip(logical, places, strict=True)]
    for order in (words, sorted(words, key=lambda one: float(str(one[1])))):
        assert [line.text for line in page_lines(order, 0)] == [" ".join(logical)]


def test_columns_of_hebrew_are_read_from_the_right() -> None:
    words = []
    for x, name in ((330.0, "ימינ"), (60.0, "שמאל")):
        for row in range(8):
            line = [name, *["מילה"] * 4]
            words += [word(text, x + 24 * (4 - at), 700.0 - 12 * row) for at, text in enumerate(line)]
    lines = [line.text.split()[0] for line in page_lines(words, 0)]
    assert lines == ["ימינ"] * 8 + ["שמאל"] * 8


def test_turned_words_are_lines_of_their_own() -> None:
    upright = [word(text, 60.0 + 28 * at, 700.0) for at, text in enumerate(["ships", "lie", "here", "now"])]
    turned = [word(text, 62.0 + 38 * at, 701.0, 1.5708) for at, text in enumerate(["written", "sideways"])]
    for words in (upright + turned, turned + upright):
        assert [line.text for line in page_lines(words, 0)] == ["ships lie here now", "written sideways"]


def test_an_initial_over_lines_begins_its_word() -> None:
    for first, rest, expected in (
        ("T", "he ships", "The ships"),
        ("A", "ship in harbour", "A ship in harbour"),
    ):
        lines = [f"{rest} lie in the harbour", "and a ship waits for the tide", "to turn before the night"]
        page = (
            Page()
            .text(60, 676, first, 36)
            .lines(90, 700, lines)
            .text(60, 664, "below the initial it goes on")
        )
        assert (
            flat(text_of(page))
            == f"{expected} lie in the harbour {lines[1]} {lines[2]} below the initial it goes on"
        )


def test_signs_of_footnotes_written_later_stay_at_their_words() -> None:
    left, right = column("west", 10), column("east", 10)
    page = Page().lines(60, 700, left).lines(330, 700, right)
    for at in (2, 5):
        page.text(247, 704 - 12 * at, str(at), 6)
    expected = words_of([line + (f" {at}" if at in (2, 5) else "") for at, line in enumerate(left)], right)
    assert flat(text_of(page)).replace(" ", "") == expected.replace(" ", "")
