"""Columns of a PDF page are read one after the other, tables across (ING-09)."""

from __future__ import annotations

import pytest

from knarr.documents import parse
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
