"""Headings of PDFs: what sets them apart, what only looks like one, and which is above which."""

from __future__ import annotations

import pytest

from knarr.documents.pdf.fonts import drawn_size, look
from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.looks import by_looks
from knarr.documents.pdf.numbering import number_of
from knarr.documents.pdf.wording import known, reads_like_one
from make_pdf import Bookmark, Page, pdf, prose
from outlines import Outline, outline, parsed, titles


def tree(pages: list[Page], marks: list[Bookmark] | None = None) -> Outline:
    return outline(parsed(pdf(pages, marks), "a.pdf"))


def shown(pages: list[Page]) -> list[str]:
    return [title for _, title in tree(pages)]


# --- fonts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "bold", "italic"),
    [
        ("NimbusRomNo9L-Medi", True, False),
        ("ABCDEF+NimbusRomNo9L-MediItal", True, True),
        ("CMBX12", True, False),
        ("SFSX1440", True, False),
        ("AdvOT3b30f6db.B", True, False),
        ("AdvOT56309c18.I+20", False, True),
        ("MyriadPro-Bd", True, False),
        ("SimHei", True, False),
        ("Times New Roman Negreta", True, False),
        ("CMR10", False, False),
        ("CMTI10", False, True),
        ("NimbusRomNo9L-Regu", False, False),
        ("FranklinGothicLTPro-Bk", False, False),
        ("CenturyGothic", False, False),
        ("ArialMT", False, False),
    ],
)
def test_names_tell_weight_and_slant(name: str, bold: bool, italic: bool) -> None:
    assert look(name, 0, 400) == (bold, italic)


def test_a_stated_weight_counts_only_where_the_name_says_nothing() -> None:
    assert look("CIDFont+F1", 0, 700) == (True, False)
    assert look("MinionPro-Regular", 0, 768) == (False, False)
    assert look("CIDFont+F1", 0, 4428) == (False, False)  # no weight that a font has


def test_fonts_that_are_drawn_are_measured_by_their_letters() -> None:
    assert drawn_size("x", 4.4) == pytest.approx(drawn_size("H", 6.9)) == pytest.approx(10)


# --- what is a heading ----------------------------------------------------------------------------


def test_plain_numbers_with_space_around_are_headings_and_items_of_a_list_are_none() -> None:
    page = Page().lines(72, 740, prose(5)).text(72, 650, "2. Data sets").lines(72, 626, prose(5, 1))
    page.lines(72, 560, ["1. The first of two things that are counted in a list", "2. The second of them"])
    page.lines(72, 530, prose(5, 2)).text(72, 440, "2.1 Sampling of streams").lines(72, 420, prose(6, 3))
    assert shown([page]) == ["2. Data sets", "2.1 Sampling of streams"]


def test_capitals_in_the_middle_are_a_heading() -> None:
    page = Page().lines(72, 740, prose(6)).text(225, 640, "IV. RESULTS").lines(72, 616, prose(6, 1))
    page.text(231, 520, "RECITALS").lines(72, 496, prose(6, 2))
    assert shown([page]) == ["IV. RESULTS", "RECITALS"]


def test_captions_code_dates_and_addresses_are_no_headings() -> None:
    page, y = Page(), 740
    for text in (
        "Figure 3: Ships by harbour",
        "Table 2. Cargo carried",
        "void FillString(",
        "if (x == 0) {",
        "12 March 2021",
        "Santa Cruz, CA 95060",
        "83 Tower Road North",
        "www.example.org/ships",
        "Definition 4",
        "and one more line of text",
    ):
        page.text(72, y, text, 10, bold=True).lines(72, y - 14, prose(2, y))
        y -= 60
    page.text(72, y, "Real Heading", 10, bold=True).lines(72, y - 14, prose(3))
    assert shown([page]) == ["Real Heading"]


def test_a_bold_label_with_its_value_is_no_heading_but_a_title_with_a_colon_is_one() -> None:
    page = (
        Page().lines(72, 740, prose(6)).text(72, 668, "Name: Miller", bold=True).lines(72, 656, prose(6, 1))
    )
    page.text(72, 550, "A bad example: the harbour", 14, bold=True).lines(72, 526, prose(6, 2))
    assert shown([page]) == ["A bad example: the harbour"]


def test_notes_below_the_text_do_not_make_it_a_heading() -> None:
    """The larger of two sizes that much of the page has is the body."""
    page = Page().lines(72, 740, [f"The ship {n} carried cargo to the market." for n in range(12)], 12, 16)
    page.lines(72, 500, prose(30), 8, 10)
    assert shown([page]) == []


def test_names_below_the_title_are_no_headings() -> None:
    first = Page().text(150, 740, "A Study of Northern Harbours", 18, bold=True)
    first.text(200, 710, "Jane Miller and John Smith", 12).text(200, 694, "University of the North", 12)
    first.text(72, 660, "Abstract", 12, bold=True).lines(72, 640, prose(8))
    second = Page().text(72, 740, "1 Introduction", 12, bold=True).lines(72, 720, prose(8))
    third = Page().text(72, 740, "2 Method", 12, bold=True).lines(72, 720, prose(8))
    assert tree([first, second, third]) == [
        (1, "A Study of Northern Harbours"),
        (2, "Abstract"),
        (2, "1 Introduction"),
        (2, "2 Method"),
    ]


def test_a_number_that_stands_apart_belongs_to_its_heading() -> None:
    page = Page().text(72, 740, "1", 12, bold=True).text(105, 740, "Introduction", 12, bold=True)
    assert shown([page.lines(72, 716, prose(8))]) == ["1 Introduction"]


def test_a_chapter_and_the_title_below_it_are_one() -> None:
    page = Page().text(72, 740, "Chapter 3", 14, bold=True).text(72, 712, "Tides", 20, bold=True)
    assert shown([page.lines(72, 680, prose(8))]) == ["Chapter 3 Tides"]


# --- printed contents -----------------------------------------------------------------------------


def test_a_printed_table_of_contents_names_headings_and_has_none() -> None:
    names = ["Tides and currents", "Harbours of the north", "Cargo and its owners"]
    first = Page().text(72, 740, "Contents", 14, bold=True)
    for at, name in enumerate(names):
        first.text(72, 700 - 14 * at, f"{name} {'. ' * 20} {at + 2}")
    pages = [first]
    for at, name in enumerate(names):
        pages.append(Page().lines(72, 740, prose(4, at)).text(72, 680, name).lines(72, 664, prose(4, at + 1)))
    assert shown(pages) == ["Contents", *names]


# --- levels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "family", "depth"),
    [
        ("2.1.3 Scope", "decimal", 3),
        ("1.Scope", "decimal", 1),
        ("A.2 Data", "decimal", 2),
        ("IV. RESULTS", "roman", 1),
        ("B. Temporal costs", "letter", 1),
        ("Chapter 3", "name", 0),
        ("Глава 2 Море", "name", 0),
        ("第一章 緒論", "name", 0),
        ("제1장 서론", "name", 0),
        ("第3節 方法", "eastern", 0),
        ("一、概述", "item", 1),
    ],
)
def test_numbers_of_headings(title: str, family: str, depth: int) -> None:
    number = number_of(title)
    assert number is not None and (number.family, number.depth) == (family, depth)


@pytest.mark.parametrize("title", ["Partly cloudy", "2021 in review", "Items of value", "Chapters", "A ship"])
def test_words_that_are_no_numbers(title: str) -> None:
    assert number_of(title) is None


def test_numbers_win_over_looks() -> None:
    """The second section is set larger by mistake; letters are below roman numbers, and numbers below both."""
    page, y = Page(), 740
    for text, size in (
        ("I. FIRST", 12),
        ("A. Inner", 12),
        ("1. Innermost", 12),
        ("II. SECOND", 13),
        ("A. Again", 12),
    ):
        page.text(72, y, text, size, bold=True).lines(72, y - 18, prose(4))
        y -= 100
    assert [level for level, _ in tree([page])] == [1, 2, 3, 1, 2]


# --- outlines and tags ----------------------------------------------------------------------------


def test_an_outline_of_slides_or_file_names_says_nothing() -> None:
    pages = [Page().text(72, 740, f"Topic {name}", 16, bold=True).lines(72, 710, prose(6)) for name in "ABCD"]
    marks = [Bookmark(f"Slide {at + 1}", at) for at in range(4)]
    assert [title for _, title in tree(pages, marks)] == ["Topic A", "Topic B", "Topic C", "Topic D"]
    assert tree(pages, [Bookmark("report-final.docx", 0)])[0] == (1, "Topic A")


def _tagged(kinds: list[str]) -> bytes:
    """One page of a paragraph in body size below each line that is tagged."""
    page = Page()
    for at, kind in enumerate(kinds):
        page.operators.append(f"/{kind} << /MCID {at} >> BDC")
        page.text(72, 740 - 100 * at, f"Tagged line {'abcdef'[at]}")
        page.operators.append("EMC")
        page.lines(72, 724 - 100 * at, prose(5, at))
    count = len(kinds)
    number = 5 + 2 + count  # fonts, root, numbers, elements, page tree, content, page
    elements = [
        f"<< /Type /StructElem /S /{kind} /P 3 0 R /K {at} /Pg {number} 0 R >>"
        for at, kind in enumerate(kinds)
    ]
    kids = " ".join(f"{5 + at} 0 R" for at in range(count))
    root = f"<< /Type /StructTreeRoot /K [{kids}] /ParentTree 4 0 R >>"
    numbers = f"<< /Nums [0 [{kids}]] >>"
    extra = [body.encode() for body in (root, numbers, *elements)]
    return pdf(
        [page],
        extra=extra,
        catalog="/StructTreeRoot 3 0 R /MarkInfo << /Marked true >>",
        page_entries="/StructParents 0",
    )


def test_tags_name_headings() -> None:
    assert outline(parsed(_tagged(["H1", "H2", "P", "H2"]), "a.pdf")) == [
        (1, "Tagged line a"),
        (2, "Tagged line b"),
        (2, "Tagged line d"),
    ]


def test_few_tags_are_no_outline() -> None:
    assert titles(parsed(_tagged(["P", "H1", "P"]), "a.pdf")) == []


def test_a_title_in_italics_above_upright_prose_is_a_heading() -> None:
    def line(text: str, y: float, *, italic: bool = False) -> Line:
        return Line(text, 1, 72, 72 + 5 * len(text), y, 10, False, italic, 0)

    def found(title: str) -> bool:
        words = [prose(2, 1)[0], prose(2, 2)[0], prose(2, 3)[0]]
        lines = [line(text, 700 - 12 * at) for at, text in enumerate(words)]
        lines += [
            line(title, 652, italic=True),
            *(line(text, 640 - 12 * at) for at, text in enumerate(words)),
        ]
        return 3 in by_looks(lines)

    assert found("Elastic Stop Nut")
    assert not found("Taken from the stop book") and not found("Elastic Stop Nut.")


def test_long_names_of_items_are_headings_and_sentences_are_none() -> None:
    title = "Item 5. Market for Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities."
    clause = (
        "Section 5. The parties agree that the harbour office pays the fare of every passenger who waits."
    )
    assert reads_like_one(title, number_of(title), False, False)
    assert not reads_like_one(clause, number_of(clause), False, False)
    assert known("Results.") and not known("results.")
