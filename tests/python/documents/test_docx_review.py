"""Word documents under review and with odd fonts: comments, deleted marks, text boxes, symbols."""

from __future__ import annotations

import pytest

from knarr.documents.symbols import readable_symbols, symbol
from make_docx import docx, p, run, table
from outlines import outline, own_text, parsed

DELETED = '<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>'


def commented(id_: str, words: str) -> str:
    begin, end = f'<w:commentRangeStart w:id="{id_}"/>', f'<w:commentRangeEnd w:id="{id_}"/>'
    return f'{begin}{run(words)}{end}<w:r><w:commentReference w:id="{id_}"/></w:r>'


def text_of(body: str) -> str:
    return parsed(docx(body), "a.docx").text


def test_comments_follow_their_paragraph_with_name_and_words() -> None:
    """ING-21"""
    body = (
        p(commented("1", "Fees"), outline=0)
        + p(run("The fee is ") + commented("2", "900 euro") + run("."))
        + table([["a", p(commented("3", "cell"))], ["b", "c"]])
        + p("Next", outline=0)
        + p(f"<w:del>{commented('4', 'gone')}</w:del>" + run("x"))
    )
    comments = {"1": "all of them?", "2": "too much", "3": "sure?", "4": "never read"}
    document = parsed(docx(body, comments=comments), "a.docx")
    assert outline(document) == [(1, "Fees"), (1, "Next")]
    assert own_text(document, "Fees") == (
        "# Fees\n\nComment by Ann on “Fees”: all of them?\n\nThe fee is 900 euro.\n\n"
        "Comment by Ann on “900 euro”: too much\n\n| a | cell |\n| --- | --- |\n| b | c |\n\n"
        "Comment by Ann on “cell”: sure?\n\n"
    )
    assert "never read" not in document.text
    assert "comments on text that is not there left out: 1" in document.notes


def test_a_deleted_paragraph_mark_joins_what_it_parted() -> None:
    """ING-21: the joined paragraph has the style of the last one, as Word has it."""
    body = (
        f"{DELETED}{run('Joined-left ')}</w:p>"
        + f"{DELETED}{run('and ')}</w:p>"
        + p("joined-right")
        + p("next")
    )
    assert text_of(body) == "Joined-left and joined-right\n\nnext\n"
    heading = parsed(docx(f"{DELETED}{run('Part ')}</w:p>" + p("One", outline=0) + p("x")), "a.docx")
    assert outline(heading) == [(1, "Part One")]
    # Where nothing follows that it could join, it ends all the same.
    assert text_of(f"{DELETED}{run('left')}</w:p>" + table([["a", "b"], ["c", "d"]])).startswith(
        "left\n\n| a"
    )
    cell = f"{DELETED}{run('left')}</w:p>"
    assert text_of(table([[cell, "b"], ["c", "d"]])) == "| left | b |\n| --- | --- |\n| c | d |\n"
    assert text_of(p("before") + f"{DELETED}{run('last')}</w:p>") == "before\n\nlast\n"


def boxed(content: str) -> str:
    return p(f"<w:r><w:pict><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox></w:pict></w:r>")


def test_text_after_a_box_is_not_under_its_heading() -> None:
    """ING-21"""
    box = boxed(p("Boxed heading", outline=1) + p("boxed body"))
    body = p("Contract", outline=0) + p("before " * 9) + box + p("after " * 9)
    document = parsed(docx(body), "a.docx")
    assert outline(document) == [(1, "Contract")]
    assert "\n\nBoxed heading\n\nboxed body\n\nafter" in document.text
    # Looks make none either, where there is no outline.
    long = p("Some body text that goes on for a while so that it is plainly a paragraph. " * 40)
    looks = boxed(p("Bold in a box", bold=True) + p("boxed body"))
    assert outline(parsed(docx(long + looks + long), "a.docx")) == []
    # A leaflet that is laid out by boxes keeps its sections.
    leaflet = parsed(docx(p("x") + box + boxed(p("Second", outline=1) + p("more"))), "a.docx")
    assert outline(leaflet) == [(2, "Boxed heading"), (2, "Second")]


def sym(font: str, code: str) -> str:
    return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'


def in_font(font: str, text: str) -> str:
    return run(text, extra=f'<w:rFonts w:ascii="{font}" w:hAnsi="{font}"/>')


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (run("5 ") + sym("Symbol", "F06D") + run("g"), "5 µg"),
        (sym("Symbol", "F0B1") + run("2 %"), "±2 %"),
        (run("x ") + sym("Symbol", "F0A3") + run(" 7"), "x ≤ 7"),
        (run("40 ") + sym("Symbol", "F0B0") + run("C"), "40 °C"),
        (sym("Symbol", "0062") + sym("Symbol", "F061"), "βα"),
        (sym("Times New Roman", "00B5") + sym("Arial", "2264"), "µ≤"),
        (in_font("Symbol", "\uf06d") + run("m"), "µm"),
        (in_font("Symbol", "m") + run("m"), "µm"),
        (in_font("Symbol", "D") + run("T"), "ΔT"),
        (in_font("Symbol", "These are words"), "These are words"),
        (in_font("Wingdings", "\uf0fc") + run(" done"), "✓ done"),
        (in_font("Wingdings", "J"), "☺"),
        (in_font("Wingdings 2", "\uf052") + run(" yes"), "☑ yes"),
        (run("\uf0b7 dot \uf0b1 1"), "• dot ± 1"),
    ],
)
def test_characters_of_symbol_fonts_are_what_they_show(runs: str, text: str) -> None:
    """ING-22"""
    assert text_of(p(runs)) == f"{text}\n"


def test_symbols_that_nobody_knows_are_counted() -> None:
    document = parsed(
        docx(p(run("a ") + sym("Wingdings", "F021") + in_font("Wingdings", "\uf021"))), "a.docx"
    )
    assert document.text == "a\n"
    assert document.notes == ("characters of symbol fonts without a known meaning left out: 2",)


def test_the_tables_of_symbols_hold() -> None:
    known = {
        0x41: "Α",
        0x57: "Ω",
        0x6D: "µ",
        0xA3: "≤",
        0xB3: "≥",
        0xB4: "×",
        0xD6: "√",
        0xE5: "∑",
        0xF2: "∫",
    }
    assert {point: symbol(point, "Symbol") for point in known} == known
    assert symbol(0x81, "wingdings") == "①" and symbol(0x95, "Wingdings") == "❿"
    assert readable_symbols("plain é ≤", "Arial") == ("plain é ≤", 0)
