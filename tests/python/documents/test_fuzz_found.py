"""What fuzzing found, each in its smallest form."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from growth import is_linear
from knarr.documents import Document, Limits, parse
from knarr.documents.html.guard import too_costly
from knarr.documents.mail.eml import header_text
from knarr.documents.pdf import worker
from knarr.documents.tables import Cell, table_text
from knarr.documents.tex.scanner import Scanner
from knarr.documents.writer import MarkdownWriter
from make_zip import relations, zipped


def read(data: str | bytes, name: str) -> Document:
    document = parse(data.encode() if isinstance(data, str) else data, name)
    document.check()
    return document


def test_a_tag_without_end_is_looked_at_once() -> None:
    assert is_linear(lambda text: too_costly("<" + text, Limits()), "a")


def test_a_header_whose_encoded_words_never_end_is_not_searched_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The library looks from each of their beginnings to the end of the header."""
    assert header_text("=?utf-8?Q?a=C3=A9?= b") == "aé b"
    searched: list[str] = []
    monkeypatch.setattr("knarr.documents.mail.eml.decode_header", searched.append)
    assert header_text("=?utf-8?Q?a " * 3) == "=?utf-8?Q?a =?utf-8?Q?a =?utf-8?Q?a" and searched == []


def test_an_option_that_never_ends_is_not_searched_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Scanner("[a[b]]c").option() == "a[b]"
    monkeypatch.setattr("knarr.documents.tex.scanner._BRACKETS", None)
    assert Scanner("[" * 3_000).option() == ""


def test_two_headings_on_one_line_are_one_section() -> None:
    document = read("<h1>a</h1> <h1>b</h1>\n\n<h2>c</h2>\n", "a.md")
    assert [section.title for section in document.root.walk()][1:] == ["a", "c"] and "<h1>b" in document.text


def test_what_is_no_character_is_replaced_and_counted() -> None:
    writer = MarkdownWriter()
    writer.heading(1, "a\0b")
    writer.put("\ud800 \0\r\n")
    table = table_text([[Cell("a\0"), Cell("b\ud800")], [Cell("é"), Cell("d")], [Cell("e"), Cell("f")]])
    assert table is not None
    writer.table(table)
    writer.put("end")
    document = writer.document("text", "t\0", ())
    document.check()
    assert (
        document.text.startswith("# a\ufffdb\n\ufffd \ufffd\n| a\ufffd | b\ufffd |\n")
        and document.title == "t\ufffd"
    )
    found = document.tables[0]
    assert [document.data[at : at + 3].decode("utf-8", "ignore") for at in found.row_begins] == ["| ", "| e"]
    assert document.data[found.end_byte :] == b"end"
    assert "\ufffd: 1" in read(json.dumps({"\ud800": 1}), "a.json").text


def test_half_a_surrogate_pair_by_number_is_no_character() -> None:
    for number in ("&#55555;", "&#xD800;", "&#x0000DFFF;"):
        assert "a\ufffdb" in read(f"<r><a>a{number}b</a><c></r>", "a.xml").text
    assert "a\ue000b" in read("<r><a>a&#57344;b</a><c></r>", "a.xml").text


def test_a_fault_in_xml_is_named_in_a_line() -> None:
    document = read(f"<r><{'a' * 5_000}>x</r>", "a.xml")
    assert all(len(note) < 300 and "\n" not in note for note in document.notes) and document.notes


def _pages(monkeypatch: pytest.MonkeyPatch, words: list[list[Any]], outline: list[list[Any]]) -> Document:
    head = {"pages": 1, "title": "", "outline": outline}
    message = {"page": 0, "blank": False, "shape": [0.0, 0.0, 612.0, 792.0, 0], "words": words, "unmapped": 0}

    def answer(data: bytes, page: Callable[[dict[str, Any]], Any]) -> tuple[dict[str, Any], list[Any]]:
        return head, [page(dict(message))]

    monkeypatch.setattr(worker, "read", answer)
    return read(b"%PDF-1.7\n%%EOF", "a.pdf")


def _word(text: str, x: float, *turned: float) -> list[Any]:
    return [text, x, x + 30.0, 700.0, 10.0, 0, 0, *turned]


@pytest.mark.parametrize("turn", [float("nan"), float("inf"), -float("inf")])
def test_a_turn_that_is_no_number_is_none(turn: float, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _pages(monkeypatch, [_word("one", 72.0, turn), _word("two", 105.0)], []).text == "one two\n"


def test_an_outline_entry_beyond_the_pages_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    document = _pages(monkeypatch, [_word("one", 72.0)], [[1, "No page", 7, None]])
    assert len(document.page_begins) == 1 and document.root.children == []


def test_a_word_that_shows_nothing_has_no_box(monkeypatch: pytest.MonkeyPatch) -> None:
    document = _pages(monkeypatch, [_word("one", 72.0), _word("\u200b", 105.0), _word("two", 140.0)], [])
    assert document.boxes is not None and len(document.boxes) == 2


def test_notes_that_many_slides_share_are_bounded_and_named() -> None:
    spaces = "xmlns:a='a' xmlns:p='p' xmlns:r='r'"
    ids = "".join(f"<p:sldId id='{at}' r:id='r1'/>" for at in range(40))
    box = "<p:sp><p:nvSpPr><p:nvPr><p:ph type='body'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>said</a:t></a:r></a:p></p:txBody></p:sp>"
    data = zipped(
        {
            "_rels/.rels": relations(a=("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(r1=("slide", "s.xml")),
            "ppt/s.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{box}</p:spTree></p:cSld></p:sld>",
            "ppt/_rels/s.xml.rels": relations(n=("notesSlide", "n.xml")),
            "ppt/n.xml": f"<p:notes {spaces}><p:cSld><p:spTree>{box}</p:spTree></p:cSld></p:notes>",
        }
    )
    document = read(data, "a.pptx")
    assert document.text.count("Notes: said") == 16
    assert "notes and comments that many slides share left out on some: 24" in document.notes
