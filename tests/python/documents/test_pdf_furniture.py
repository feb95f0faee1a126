"""What pages repeat: page numbers and titles go and are named; values, labels and column heads stay (ING-09)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from knarr.documents import parse
from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.page_numbers import page_number
from knarr.documents.sections import Document
from make_pdf import Page, pdf, prose


def read(data: bytes) -> Document:
    document = parse(data, "file.pdf")
    document.check()
    return document


def text_of(pages: Iterable[Page]) -> str:
    return read(pdf(list(pages))).text


def top_and_bottom(top: str, bottom: str, number: int) -> Page:
    page = Page().lines(72, 700, prose(9, number))
    if top:
        page.text(72, 770, top)
    if bottom:
        page.text(72, 50, bottom)
    return page


VALUES: dict[str, Callable[[int], str]] = {
    "a result that rises by one": lambda n: f"Result: {4 + n}.{n} mmol/l",
    "a result that is often the same": lambda n: f"Result: {'5.1' if n == 2 else '4.0'} mmol/l",
    "a result in words": lambda n: f"Result: {'positive' if n % 2 else 'negative'}",
    "an account": lambda n: f"Account 77-{n + 1}",
    "an account by its number alone": lambda n: f"77-{n + 1}",
    "a ward": lambda n: f"Patient {88120 + 13 * n} Ward {n + 1}",
    "a sample": lambda n: f"Sample {n + 1}",
    "an invoice": lambda n: f"Invoice {1001 + n} of the harbour office",
    "a date": lambda n: f"Taken on {n + 1} March 2024",
    "a score": lambda n: f"{n + 1} / {9 - n}",
    "an amount": lambda n: f"1{n},204.50",
    "a percentage": lambda n: f"{n + 1}%",
    "a grade": lambda n: "CVXCV"[n],
    "a chapter": lambda n: f"Chapter {n + 1}",
}


@pytest.mark.parametrize("what", VALUES)
def test_values_at_the_edge_of_every_page_are_kept(what: str) -> None:
    lines = [VALUES[what](number) for number in range(5)]
    at_top = text_of(top_and_bottom(line, "", at) for at, line in enumerate(lines))
    at_bottom = text_of(top_and_bottom("", line, at) for at, line in enumerate(lines))
    for text in (at_top, at_bottom):
        shown = [line.lstrip("# ") for line in text.splitlines()]
        assert all(shown.count(line) == lines.count(line) for line in lines)


@pytest.mark.parametrize("label", ["Ward", "Patient no.", "Sample:", "Name of ID"])
def test_a_number_in_the_place_of_a_value_is_kept(label: str) -> None:
    pages = [top_and_bottom(label, "", number).text(300, 770, f"{number + 1}") for number in range(5)]
    assert text_of(pages).count(label) == 5


def test_labels_that_every_page_repeats_are_kept() -> None:
    names = ["Ann Arber", "Bo Berg", "Cy Cole", "Di Dent"]
    pages = [top_and_bottom("Name:", "", at).text(72, 755, name) for at, name in enumerate(names)]
    text = text_of(pages)
    assert text.count("Name:") == 4 and all(name in text for name in names)


NUMBERS: dict[str, Callable[[int], str]] = {
    "alone": lambda n: f"{n + 1}",
    "in a frame": lambda n: f"- {n + 1} -",
    "named": lambda n: f"Page {n + 1}",
    "of all": lambda n: f"Page {n + 1} of 6",
    "of all, unnamed": lambda n: f"{n + 1}/6",
    "in German": lambda n: f"Seite {n + 1} von 6",
    "of a part": lambda n: f"F-{n + 1}",
    "roman": lambda n: ["i", "ii", "iii", "iv", "v", "vi"][n],
    "of an excerpt": lambda n: f"{n + 123}",
    "after a title": lambda n: f"Annual Report 2022 | {n + 1}",
    "after a title and a word": lambda n: f"Annual Report 2022, page {n + 1}",
    "before a title": lambda n: f"{n + 1} | Annual Report 2022",
}


@pytest.mark.parametrize("form", NUMBERS)
def test_page_numbers_go_and_are_named(form: str) -> None:
    lines = [NUMBERS[form](number) for number in range(6)]
    document = read(pdf([top_and_bottom("", line, at) for at, line in enumerate(lines)]))
    assert not any(f"\n{line}\n" in document.text for line in lines)
    assert document.notes[0] == f"running headers and footers left out: “{lines[0]}”"


def test_numbers_of_two_pages_go_where_they_are_plainly_theirs() -> None:
    assert "Page" not in text_of(top_and_bottom("", f"Page {at} of 2", at) for at in (1, 2))
    assert "\n2\n" not in text_of(top_and_bottom("", f"{at}", at) for at in (1, 2))
    kept = text_of(top_and_bottom("", f"{at}", at) for at in (41, 42))
    assert "\n41\n" in kept and "\n42\n" in kept


def test_titles_on_left_and_right_pages_go() -> None:
    titles = ["The Harbour Book", "A history of ships"]
    document = read(pdf([top_and_bottom(titles[at % 2], "", at) for at in range(8)]))
    assert not any(title in document.text for title in titles)
    assert all(title in document.notes[0] for title in titles)


def test_a_header_of_two_lines_goes() -> None:
    pages = [top_and_bottom("Harbour Office", "", at).text(72, 756, "Internal use only") for at in range(5)]
    document = read(pdf(pages))
    assert "Harbour Office" not in document.text and "Internal use" not in document.text


def test_stamps_along_the_side_go_and_keep_no_footer() -> None:
    """Such a stamp is lower than anything else where the page is thought of as turned."""
    pages = []
    for at in range(5):
        page = top_and_bottom("", f"Page {at + 1}", at)
        page.operators.append("BT /F 8 Tf 0 1 -1 0 30 200 Tm (Handed out by the harbour) Tj ET")
        page.operators.append(f"BT /F 8 Tf 0 1 -1 0 580 200 Tm (Figure of ship {at}) Tj ET")
        pages.append(page)
    document = read(pdf(pages))
    assert "Handed out" not in document.text and "Page 2" not in document.text
    assert all(f"Figure of ship {at}" in document.text for at in range(5))
    assert "Handed out by the harbour" in document.notes[0]


def test_a_paragraph_that_ends_alike_on_every_page_is_kept() -> None:
    end = ["is held by the harbour office, which hands", "it out to whoever asks for it there."]
    pages = [Page().lines(72, 200, [f"The list of ship {at} and of its crew", *end]) for at in range(5)]
    text = text_of(page.text(72, 40, f"Page {at + 1}") for at, page in enumerate(pages))
    assert text.count("hands it out to whoever asks") == 5 and "Page 2" not in text


def test_the_title_of_a_part_is_kept_once() -> None:
    """Also where the part is the first: the name of a patient or a chapter is nowhere else."""
    titles = ["Patient Ann Arber"] * 4 + ["Patient Bo Berg"] * 4 + ["Patient Cy Cole"] * 4
    text = text_of(top_and_bottom(title, "", at) for at, title in enumerate(titles))
    assert [text.count(title) for title in dict.fromkeys(titles)] == [1, 1, 1]


def test_column_heads_on_every_page_are_kept() -> None:
    pages = []
    for number in range(4):
        page = Page().text(72, 770, "Harbour Office")
        for at, row in enumerate(
            [("Item", "2021", "2022"), *((f"Ship {number}{n}", f"{n}1", f"{n}2") for n in range(5))]
        ):
            for cell, x in zip(row, (72, 250, 400), strict=True):
                page.text(x, 740 - 14 * at, cell)
        pages.append(page.lines(72, 600, prose(8, number)))
    document = read(pdf(pages))
    assert "Harbour Office" not in document.text
    assert len(document.tables) == 4
    assert all("2021" in table.header and "2022" in table.header for table in document.tables)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("xiv", 14),
        ("Page 3 of 9", 3),
        ("– 7 –", 7),
        ("第 5 页", 5),
        ("ill", None),
        ("ward 3", None),
        ("3.5", None),
    ],
)
def test_forms_of_page_numbers(text: str, number: int | None) -> None:
    found = page_number(Line(text, 1, 0, 50, 50, 10, False, False, 0))
    assert (found.number if found else None) == number


def test_what_every_page_says_is_kept_once() -> None:
    terms = [
        "Harbour office, 12 Quay Street",
        "Refunds within 14 days of the visit",
        "Ask at the desk for a form",
    ]
    pages = [Page().lines(72, 760, terms).lines(72, 600, prose(9, number)) for number in range(5)]
    text = text_of(pages)
    assert [text.count(line) for line in terms] == [1, 1, 1]
