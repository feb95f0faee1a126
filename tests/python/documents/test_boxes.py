"""Boxes: where the words of a text stand on their pages, and the form in which that is kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.documents import parse
from knarr.documents.boxes import WordBoxes
from knarr.documents.sections import Document
from knarr.types import Box
from make_pdf import HEIGHT, WIDTH, Bookmark, Page, pdf, prose


def boxes_of(document: Document, words: str, nth: int = 0) -> tuple[Box, ...]:
    """The boxes of the nth occurrence of these words in the text."""
    found = [match.span() for match in re.finditer(re.escape(words.encode("utf-8")), document.data)]
    assert document.boxes is not None and len(found) > nth, (words, document.text)
    return document.boxes.within(*found[nth])


def holds(box: Box, x: float, y: float, size: float, width: float, page: int = 1) -> bool:
    """Whether a box has the ink of the words that were drawn at x and y, and hardly more."""
    inside = box.left <= x + 0.6 and box.right >= x + width - 1.0
    inside = inside and box.bottom <= y - 0.2 * size and box.top >= y + 0.72 * size
    return inside and box.page == page and box.right < x + width + 1.5 and box.top - box.bottom < 1.6 * size


# Helvetica's own widths, in thousandths of the size.
WIDTHS = dict(zip("abcdefghijklmnoprstuvwyz AT0123456789.-$", [
    556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 333, 500, 278, 556, 500, 722,
    500, 500, 278, 667, 611, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 333, 556], strict=True))  # fmt: skip


def width(text: str, size: float) -> float:
    return sum(WIDTHS[char] for char in text) * size / 1000


def test_words_are_where_they_were_drawn() -> None:
    page = (
        Page()
        .text(72, 700, "A tide table", 16)
        .lines(72, 660, ["the bell rings at noon and the", "boat leaves"])
    )
    document = parse(pdf([page]), "a.pdf")
    document.check()
    (bell,) = boxes_of(document, "bell")
    assert holds(bell, 72 + width("the ", 10), 660, 10, width("bell", 10))
    (second,) = boxes_of(document, "the", 1)
    assert holds(second, 72 + width("the bell rings at noon and ", 10), 660, 10, width("the", 10))
    assert holds(boxes_of(document, "A tide table")[0], 72, 700, 16, width("A tide table", 16))
    assert document.pages[0].right == WIDTH and document.pages[0].top == HEIGHT


def test_a_quote_over_lines_has_a_box_for_each() -> None:
    document = parse(pdf([Page().lines(72, 700, prose(4))]), "a.pdf")
    text = document.data
    assert document.boxes is not None
    found = document.boxes.within(0, len(text))
    assert [box.page for box in found] == [1] * 4
    assert [round(box.top - box.bottom) for box in found] == [12] * 4
    assert sorted((box.bottom for box in found), reverse=True) == [box.bottom for box in found]


def test_a_broken_word_is_marked_on_both_lines() -> None:
    lines = [
        "the northern harbour and the moor",
        "moorings of the northern har-",
        "bour are closed to the ship.",
    ]
    document = parse(pdf([Page().lines(72, 700, lines)]), "a.pdf")
    assert document.text.count("harbour") == 2
    upper, lower = boxes_of(document, "harbour", 1)
    assert holds(upper, 72 + width("moorings of the northern ", 10), 688, 10, width("har-", 10))
    assert holds(lower, 72, 676, 10, width("bour", 10))


def test_words_over_the_end_of_a_page_are_on_both() -> None:
    above = Page().lines(
        72, 700, [*prose(3)[:-1], "the ship carried cargo from the northern harbour, and then"]
    )
    document = parse(
        pdf([above, Page().lines(72, 700, ["again to the southern market.", "It was late."])]), "a.pdf"
    )
    assert document.boxes is not None
    at = document.data.index(b"then")
    assert [box.page for box in document.boxes.within(at, at + len(b"then again"))] == [1, 2]


ROWS = [("apples", "7", "-", "12"), ("nuts", "-", "7", "12"), ("pears", "12", "7", "-")]


def test_the_cells_of_a_table_are_where_they_stand() -> None:
    """Equal figures, and dashes, are told apart by their rows."""
    page = Page().text(200, 700, "2021").text(300, 700, "2022").text(400, 700, "2023")
    for down, (label, *cells) in enumerate(ROWS):
        page.text(72, 680 - 14 * down, label)
        for across, cell in enumerate(cells):
            page.text(200 + 100 * across, 680 - 14 * down, cell)
    document = parse(pdf([page]), "a.pdf")
    assert document.tables and "| nuts | - | 7 | 12 |" in document.text
    for down, row in enumerate(ROWS):
        line = f"| {' | '.join(row)} |"
        found = boxes_of(document, line)
        assert len(found) == len(row)
        for across, box in enumerate(found):
            x = 72 if across == 0 else 100 + 100 * across
            assert holds(box, x, 680 - 14 * down, 10, width(row[across], 10)), (row, across, box)


def test_a_heading_that_no_page_has_takes_no_word() -> None:
    mark = Bookmark("The northern market", 0, 792.0)
    document = parse(pdf([Page().lines(72, 700, prose(4))], [mark]), "a.pdf")
    assert "# The northern market" in document.text
    assert boxes_of(document, "# The northern market") == ()
    assert len(boxes_of(document, document.text.partition("market\n")[2].strip())) == 4


def test_a_head_that_is_repeated_is_where_it_is_printed() -> None:
    page = Page().text(250, 714, "Units sold").text(200, 700, "2021").text(300, 700, "2022")
    for down, label in enumerate(("apples", "nuts", "pears", "plums")):
        page.text(72, 680 - 14 * down, label).text(200, 680 - 14 * down, f"{down}1").text(
            300, 680 - 14 * down, "45"
        )
    document = parse(pdf([page]), "a.pdf")
    for nth in range(document.text.count("Units sold")):
        assert [round(box.bottom) for box in boxes_of(document, "Units sold", nth)] == [round(714 - 2.5)]


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_text_of_a_turned_page_is_where_the_file_has_it(turned: int) -> None:
    """Boxes count in the page's own coordinates, and the page says by how much it is turned."""
    cos, sin = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[turned]
    page = Page()
    page.operators.append(f"BT /F 10 Tf {cos} {sin} {-sin} {cos} 300 400 Tm (the bell rings at noon) Tj ET")
    data = pdf([page]).replace(b"/MediaBox", f"/Rotate {turned} /MediaBox".encode())
    document = parse(data, "a.pdf")
    assert document.text.strip() == "the bell rings at noon" and document.pages[0].rotation == turned
    (box,) = boxes_of(document, "bell")
    before, after = width("the ", 10), width("the bell", 10)
    corners = [(300 + cos * x - sin * y, 400 + sin * x + cos * y) for x in (before, after) for y in (-2, 7.2)]
    assert box.left <= min(x for x, _ in corners) + 1 and box.right >= max(x for x, _ in corners) - 1
    assert box.bottom <= min(y for _, y in corners) + 1 and box.top >= max(y for _, y in corners) - 1
    assert (box.right - box.left) * (box.top - box.bottom) < 1.6 * (after - before) * 12


def test_the_box_of_a_page_that_begins_elsewhere() -> None:
    data = pdf([Page().lines(72, 700, prose(3))]).replace(b"[0 0 612 792]", b"[36 90 576 750]")
    document = parse(data, "a.pdf")
    shape = document.pages[0]
    assert (shape.left, shape.bottom, shape.right, shape.top) == (36, 90, 576, 750)
    assert boxes_of(document, "ship")[0].page == 1


def test_running_headers_take_no_word_from_the_text() -> None:
    pages = [
        Page()
        .text(72, 760, "the ship the harbour")
        .lines(72, 700, prose(6, seed))
        .text(300, 30, f"{seed + 1}")
        for seed in range(5)
    ]
    document = parse(pdf(pages), "a.pdf")
    assert "the ship the harbour" not in document.text.replace("\n", " ")[:30]
    assert document.boxes is not None
    assert all(box.top < 720 for box in document.boxes.within(0, len(document.data)))


WORD = st.tuples(
    st.integers(0, 5),
    st.integers(1, 60),
    st.integers(0, 2),
    *[st.integers(-20_000, 20_000)] * 2,
    *[st.integers(0, 900)] * 2,
)


@given(st.lists(WORD, max_size=60))
def test_the_stored_form_is_the_whole(words: list[tuple[int, ...]]) -> None:
    placed: list[int] = []
    sides: list[float] = []
    at = 0
    for gap, size, page, left, bottom, wide, high in words:
        begin, at = at + gap, at + gap + size
        placed += (begin, at, page)
        sides += (left / 10, bottom / 10, (left + wide) / 10, (bottom + high) / 10)
    boxes = WordBoxes.of(placed, sides)
    boxes.check(at)
    again: dict[int, tuple[tuple[int, ...], list[int]]] = {}
    for packed in boxes.packed():
        page_boxes = WordBoxes.unpacked(packed)
        assert (packed.begin_byte, packed.end_byte) == (page_boxes.begins[0], page_boxes.ends[-1])
        for row in range(len(page_boxes)):
            key = int(page_boxes.begins[row])
            again[key] = (
                (int(page_boxes.ends[row]), int(page_boxes.pages[row])),
                page_boxes.sides[row].tolist(),
            )
    assert again == {
        int(boxes.begins[row]): ((int(boxes.ends[row]), int(boxes.pages[row])), boxes.sides[row].tolist())
        for row in range(len(boxes))
    }


def test_a_range_has_the_words_that_it_touches() -> None:
    boxes = WordBoxes.of([0, 3, 0, 4, 8, 0, 10, 14, 1], [0, 0, 9, 10, 12, 0, 20, 10, 0, 0, 9, 10])
    assert boxes.within(0, 8) == (Box(1, 0, 0, 20, 10),)
    assert boxes.within(3, 5) == (Box(1, 12, 0, 20, 10),)
    assert boxes.within(5, 11) == (Box(1, 12, 0, 20, 10), Box(2, 0, 0, 9, 10))
    assert boxes.within(8, 10) == boxes.within(99, 120) == boxes.within(5, 5) == ()


def test_a_part_of_a_line_without_spaces_is_marked_alone() -> None:
    boxes = WordBoxes.of([0, 90, 0], [0, 0, 300, 10])
    assert boxes.within(30, 60) == (Box(1, 100, 0, 200, 10),)


def test_damaged_boxes_are_refused() -> None:
    (packed,) = WordBoxes.of([0, 3, 0], [0, 0, 9, 10]).packed()
    with pytest.raises(ValueError, match="incomplete"):
        WordBoxes.unpacked(type(packed)(packed.page, packed.begin_byte, packed.end_byte, packed.data[:-3]))


def test_other_formats_have_none() -> None:
    document = parse(b"# A\n\ntext\n", "a.md")
    assert document.boxes is None and document.pages == ()
