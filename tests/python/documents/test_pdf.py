"""PDF: outline first, honest looks, pages kept, nothing unreadable called ready (ING-09, ING-10, SEC-03)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from knarr.documents import parse
from knarr.documents.pdf import worker as pdf_worker
from knarr.documents.pdf.paragraphs import Hyphenation
from knarr.documents.sections import Document
from knarr.errors import DocumentError
from make_docx import deflated
from make_pdf import Bookmark, Page, pdf, prose, stream


def read(data: bytes, name: str = "file.pdf") -> Document:
    document = parse(data, name)
    document.check()
    return document


def tree(document: Document) -> list[tuple[int, str, int | None]]:
    sections = list(document.root.walk())[1:]
    return [(found.level, found.title, document.page_at(found.begin_byte)) for found in sections]


def page_text(document: Document, page: int) -> str:
    begins = [*document.page_begins, len(document.data)]
    return document.data[begins[page - 1] : begins[page]].decode()


# --- ING-09 --------------------------------------------------------------------------------------


def test_the_outline_gives_titles_depth_and_start_pages() -> None:
    """PDF 1: an outline of depth 3, and a misleading printed contents page."""
    contents = Page().text(72, 720, "Contents", 16, bold=True)
    contents.lines(72, 690, ["Alpha ........ 9", "Beta ........ 12", "Gamma ........ 20"])
    pages = [
        contents,
        Page().text(72, 720, "Alpha", 14, bold=True).lines(72, 690, prose(5)),
        Page().text(72, 720, "Alpha one").lines(72, 690, prose(5, 1)),
        Page().lines(72, 720, prose(4, 2)).text(72, 600, "Deep down", 10).lines(72, 580, prose(4, 3)),
        Page().text(72, 720, "Beta", 14, bold=True).lines(72, 690, prose(5, 4)),
        Page().lines(72, 720, prose(5, 5)),
    ]
    outline = [
        Bookmark("Alpha", 1, 730, [Bookmark("Alpha one", 2, 730, [Bookmark("Deep down", 3, 612)])]),
        Bookmark("Beta", 4, 730, [Bookmark("Not printed anywhere", 5, 730)]),
    ]
    document = read(pdf(pages, outline))
    assert tree(document) == [
        (1, "Alpha", 2),
        (2, "Alpha one", 3),
        (3, "Deep down", 4),
        (1, "Beta", 5),
        (2, "Not printed anywhere", 6),
    ]
    assert "### Deep down\n\n" in document.text
    assert document.status == "ok"


def test_bold_headings_at_body_size() -> None:
    """PDF 2: no outline, headings only bold at body size; a bold sentence is none."""
    pages = []
    for number in range(3):
        page = Page().text(72, 720, f"Topic {number}", bold=True).lines(72, 700, prose(6, number))
        page.text(72, 600, "This bold sentence is body text, it ends like one.", bold=True)
        pages.append(page.lines(72, 580, prose(6, number + 3)))
    document = read(pdf(pages))
    assert tree(document) == [(1, "Topic 0", 1), (1, "Topic 1", 2), (1, "Topic 2", 3)]
    assert len(document.page_begins) == 3 and document.page_begins[0] == 0
    assert "".join(page_text(document, page) for page in (1, 2, 3)) == document.text


def test_one_page_of_one_size_has_no_headings_and_all_its_text() -> None:
    """PDF 3."""
    document = read(pdf([Page().lines(72, 720, prose(10))]))
    assert tree(document) == []
    assert document.root.end_byte == len(document.data) > 0
    assert document.page_begins == (0,)


def test_running_headers_go_and_a_real_heading_at_the_top_stays() -> None:
    """PDF 4."""
    pages = []
    for number in range(7):
        page = Page().text(72, 760, "ACME Manual", bold=True).text(300, 40, f"Page {number + 1} of 7")
        if number == 3:
            page.text(72, 730, "Safety First", 14, bold=True)
        pages.append(page.lines(72, 700, prose(8, number)))
    document = read(pdf(pages))
    assert tree(document) == [(1, "Safety First", 4)]
    assert "ACME Manual" not in document.text and "of 7" not in document.text
    assert document.notes[0].endswith("left out: “ACME Manual”, “Page 1 of 7”")


def test_numbers_that_do_not_count_with_the_pages_are_no_furniture() -> None:
    pages = [
        Page().text(72, 760, f"Ticket {ticket} was closed").lines(72, 700, prose(5, ticket))
        for ticket in (881, 12, 40, 7)
    ]
    text = read(pdf(pages)).text
    assert all(f"Ticket {ticket} was closed" in text for ticket in (881, 12, 40, 7))


def test_levels_follow_size_and_number() -> None:
    page = Page().text(72, 740, "A Report", 20, bold=True).lines(72, 710, prose(4))
    page.text(72, 640, "1 Introduction", 13, bold=True).lines(72, 620, prose(4, 1))
    page.text(72, 550, "1.1 Scope", 13, bold=True).lines(72, 530, prose(4, 2))
    page.text(72, 460, "2 Method", 13, bold=True).lines(72, 440, prose(4, 3))
    titles = [(level, title) for level, title, _ in tree(read(pdf([page])))]
    assert titles == [(1, "A Report"), (2, "1 Introduction"), (3, "1.1 Scope"), (2, "2 Method")]


def test_a_heading_of_two_lines_is_one() -> None:
    page = Page().text(72, 740, "A Heading that is so long that it has to go on in", 16, bold=True)
    page.text(72, 721, "a second line", 16, bold=True).lines(72, 690, prose(6))
    assert [title for _, title, _ in tree(read(pdf([page])))] == [
        "A Heading that is so long that it has to go on in a second line"
    ]


# --- text ----------------------------------------------------------------------------------------


def test_lines_become_paragraphs_and_hyphens_are_mended_when_sure() -> None:
    page = Page().lines(
        72,
        720,
        [
            "The charter speaks of information and of the harbour and names the well-known infor-",
            "mation office. It also names a long-",
        ],
    )
    page.lines(
        72, 660, ["The second paragraph begins here and it goes on to the end of this line with a self-"]
    )
    page.lines(72, 648, ["evident remark about the evident."])
    text = read(pdf([page])).text
    assert "well-known information office" in text
    assert "self-evident remark about the evident.\n" in text
    assert text.count("\n\n") == 1


def test_items_of_a_list_are_lines_of_their_own() -> None:
    page = Page().lines(72, 720, prose(4))
    page.lines(
        72,
        660,
        [
            "1. the first item of this list, which is written here so that it is much",
            "longer than one line",
            "2. second item",
            "[3] third item",
        ],
    )
    text = read(pdf([page])).text
    assert text.endswith(
        "\n\n1. the first item of this list, which is written here so that it is much longer than one line\n2. second item\n[3] third item\n"
    )


def test_a_paragraph_goes_on_over_the_end_of_a_page() -> None:
    first = Page().lines(
        72, 720, [*prose(4)[:-1], "and then the captain of the ship who had seen the storm before it came"]
    )
    second = Page().lines(72, 720, ["over the sea turned back to the harbour."]).lines(72, 690, prose(3, 2))
    document = read(pdf([first, second]))
    assert "before it came over the sea turned back" in document.text
    assert page_text(document, 2).startswith("over the sea turned back")


def test_a_table_row_stays_one_line_in_x_order() -> None:
    page = Page().text(72, 720, "Balance Sheet", 14, bold=True)
    for at, (label, now, then) in enumerate(
        [
            ("", "2023", "2022"),
            ("Cash and equivalents", "1,874", "2,936"),
            ("Receivables, net", "1,141", "(1,042)"),
        ]
    ):
        y = 690 - 14 * at
        # Written column by column, as some programs do: the page decides, not the order.
        page.text(450, y, then)
        page.text(350, y, now)
        page.text(72, y, label) if label else None
    page.text(340, 676, "$")
    text = read(pdf([page])).text
    assert "| Cash and equivalents | $ 1,874 | 2,936 |\n| Receivables, net | 1,141 | (1,042) |\n" in text


def test_a_table_knows_its_column_heads() -> None:
    page = Page().text(72, 720, "Balance Sheet", 14, bold=True).lines(72, 700, prose(3))
    page.text(72, 650, "$ in millions").text(340, 636, "June 30, 2023").text(450, 636, "June 30, 2022")
    page.text(72, 622, "Assets")
    for at in range(8):
        page.text(72, 608 - 14 * at, f"Item {at}").text(340, 608 - 14 * at, f"$ {at},100").text(
            450, 608 - 14 * at, "—"
        )
    document = read(pdf([page.lines(72, 470, prose(3))]))
    [table] = document.tables
    assert table.header == "$ in millions\n\n|  | June 30, 2023 | June 30, 2022 |\n| --- | --- | --- |\n"
    shown = [document.data[at:].split(b"\n")[0].decode() for at in table.row_begins]
    assert shown == ["| Assets |  |  |", *(f"| Item {at} | $ {at},100 | — |" for at in range(8))]
    assert document.data[table.begin_byte : table.end_byte].decode().endswith("Item 7 | $ 7,100 | — |\n")


def test_columns_of_prose_are_read_one_by_one() -> None:
    page = Page().text(72, 750, "A title over both columns of this page", 14, bold=True)
    page.lines(60, 700, [f"left column line {n} goes on here" for n in range(10)])
    page.lines(320, 700, [f"right column line {n} goes on here" for n in range(10)])
    text = read(pdf([page])).text
    assert text.index("left column line 9") < text.index("right column line 0")
    assert "line 0 goes on here left column line 1" in text


def test_sideways_text_is_read_as_lines() -> None:
    page = Page().lines(72, 720, prose(4))
    for at in range(2):
        page.operators.append(f"BT /F 10 Tf 0 1 -1 0 {500 + 14 * at} 100 Tm (sideways words {at}) Tj ET")
    text = read(pdf([page])).text
    assert "sideways words 0" in text and "sideways words 1" in text


def test_words_printed_twice_come_once() -> None:
    page = Page().text(72, 720, "Doubled heading").text(72.3, 720, "Doubled heading").lines(72, 690, prose(4))
    assert read(pdf([page])).text.count("Doubled") == 1


# --- ING-10 --------------------------------------------------------------------------------------


def status_of(data: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(data, "x.pdf")
    return caught.value.status


def test_pages_that_give_no_text_are_named() -> None:
    pages = [
        Page().image() if n in (1, 2, 4, 6, 7, 9) else Page().lines(72, 720, prose(5, n)) for n in range(10)
    ]
    document = read(pdf(pages))
    assert document.status == "partial"
    assert document.missing_pages == (2, 3, 5, 7, 8, 10)
    assert len(document.page_begins) == 10
    assert "pages that gave no text: 6 of 10" in document.notes


def test_a_blank_page_is_not_missing() -> None:
    document = read(pdf([Page().lines(72, 720, prose(5)), Page(), Page().lines(72, 720, prose(5, 3))]))
    assert (document.status, document.missing_pages) == ("ok", ())
    assert "blank pages: 1" in document.notes


def test_a_scanned_page_under_a_printed_header_is_missing() -> None:
    pages = [Page().text(72, 760, "ACME Manual").lines(72, 700, prose(8, n)) for n in range(4)]
    scanned = Page().text(72, 760, "ACME Manual").image()
    empty = Page().text(72, 760, "ACME Manual")
    document = read(pdf([*pages, scanned, empty]))
    assert (document.status, document.missing_pages) == ("partial", (5,))


def test_unreadable_files_are_named() -> None:
    good = pdf([Page().lines(72, 720, prose(20, n)) for n in range(6)])
    assert status_of(pdf([Page().image(), Page().image()])) == "no_text"
    assert status_of(pdf([Page().lines(72, 720, prose(3))], encrypted=True)) == "encrypted"
    assert status_of(good[: len(good) // 2]) == "corrupt"
    assert status_of(b"%PDF-1.7\n1 0 obj\n<<") == "corrupt"
    assert status_of(b"no pdf at all") == "corrupt"


def test_cuts_and_flips_never_crash() -> None:
    good = pdf([Page().lines(72, 720, prose(20, n)) for n in range(3)], [Bookmark("A", 0), Bookmark("B", 1)])
    for at in range(0, len(good), len(good) // 23):
        for data in (good[:at], good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :]):
            try:
                read(data)
            except DocumentError as error:
                assert error.status in ("corrupt", "empty", "encrypted", "limit", "no_text")


# --- SEC-03, threads -----------------------------------------------------------------------------


def test_a_stream_of_a_gigabyte_is_refused() -> None:
    body = stream(b"\x78\xda" + deflated(b"BT ET ", b" " * (1 << 20), 1000), "/Filter /FlateDecode")
    begin = time.monotonic()
    assert status_of(pdf([Page()], contents=body)) in ("limit", "no_text")
    assert time.monotonic() - begin < 10 + pdf_worker.FILE_S
    assert "carried" in read(pdf([Page().lines(72, 720, prose(3))])).text


def test_forms_that_draw_forms_are_bounded() -> None:
    forms = [
        stream(
            b"/X Do " * 10 if n else b"BT /F 9 Tf (x) Tj ET",
            f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {n + 2} 0 R >> /Font << /F 1 0 R >> >>",
        )
        for n in range(12)
    ]
    data = pdf([Page(["/X Do"])], extra=forms, resources=f"/XObject << /X {len(forms) + 2} 0 R >>")
    begin = time.monotonic()
    assert status_of(data) in ("limit", "no_text")
    assert time.monotonic() - begin < 10


def test_threads_take_turns() -> None:
    files = [pdf([Page().lines(72, 720, [f"thread {n} wrote this line of text"])] * 3) for n in range(6)]
    texts: dict[int, str] = {}

    def work(n: int) -> None:
        texts[n] = read(files[n]).text

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(texts[n].count(f"thread {n} wrote") == 3 for n in range(6))


def test_a_killed_worker_is_replaced() -> None:
    data = pdf([Page().lines(72, 720, prose(3))])
    read(data)
    worker = pdf_worker._worker
    assert worker is not None
    worker._process.kill()
    assert status_of(data) == "limit"
    assert "carried" in read(data).text


def test_a_file_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf([Page().lines(72, 720, prose(3))] * 50)
    read(data)
    monkeypatch.setattr(pdf_worker, "FILE_S", 0.0)
    monkeypatch.setattr(pdf_worker, "MEGABYTE_S", 0.0)
    assert status_of(data) == "limit"
    monkeypatch.undo()
    assert "carried" in read(data).text


def test_symbols_that_nobody_knows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        ["\uf0b7", 60, 65, 700, 10, 0, 0],
        ["5", 72, 78, 700, 10, 0, 0],
        ["\uf06dg", 80, 90, 700, 10, 0, 0],
        ["\uf092xyz", 92, 99, 700, 10, 0, 0],
    ]

    def one_page(data: bytes, page: Callable[[dict[str, Any]], Any]) -> tuple[dict[str, Any], list[Any]]:
        return {"outline": []}, [page({"page": 0, "words": words})]

    monkeypatch.setattr(pdf_worker, "read", one_page)
    document = read(b"%PDF- %%EOF")
    assert document.text == "• 5 µg xyz\n"
    assert document.notes == ("characters of symbol fonts without a known meaning left out: 1",)


def test_syllables_at_line_ends_are_one_word_in_a_document_that_breaks_words() -> None:
    page = Page().lines(
        72, 700,
        ["The charter speaks of information about the harbour and its lamps and all infor-",
         "mation is given for free, as is reasonable in a town of this size and the rea-",
         "sonable visitor may ask the keeper for a copy of it, at any hour of the long-",
         "term parking, whose long and short term fares are on the board by the gate here."],
    )  # fmt: skip
    text = read(pdf([page])).text
    assert "all information is" in text and "the reasonable visitor" in text and "long-term" in text


def test_lines_of_scripts_without_spaces_join_without_one() -> None:
    join = Hyphenation([]).join
    assert [join("東京都の", "港区"), join("the", "gate"), join("港", "gate")] == [
        "東京都の港区",
        "the gate",
        "港 gate",
    ]
