"""DOCX: structure by outline level, all text kept, hostile files bounded (ING-06, ING-08, SEC-03)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knarr.documents import parse
from knarr.documents.docx.numbering import spell
from knarr.documents.sections import Document, Section
from knarr.documents.zip_parts import MAX_MEMBERS
from knarr.errors import DocumentError
from make_docx import W, deflated, docx, numbering, p, package, run, style, table, with_bomb

BODY = "Some body text that goes on for a while so that it is plainly a paragraph of the document. " * 2


def read(data: bytes, name: str = "file.docx") -> Document:
    document = parse(data, name)
    document.check()
    return document


def tree(section: Section) -> list[tuple[int, str]]:
    return [(found.level, found.title) for found in section.walk()][1:]


def own_text(document: Document, section: Section) -> str:
    end = section.children[0].begin_byte if section.children else section.end_byte
    return document.data[section.body_byte : end].decode()


# --- structure -----------------------------------------------------------------------------------


def test_sections_follow_outline_levels_and_style_ancestry() -> None:
    """ING-08."""
    styles = (
        style("Rubrik1", "Rubrik 1", outline=0)
        + style("Heading2", "heading 2")
        + style("SectionStyle", "SectionStyle", based_on="Heading2")
        + style("Kropp", "Kropp", based_on="Rubrik1", outline=9)
    )
    nested = table([["outer", "<w:tc/>"], ["x", table([["inner-cell"]]) + p()]])
    link = '<w:hyperlink r:id="rL"><w:r><w:t>link-text</w:t></w:r></w:hyperlink>'
    body = (
        p("Första", style="Rubrik1")
        + p("body-1")
        + p("Andra", style="SectionStyle")
        + p(run("see ") + link)
        + p("Tredje", outline=2)
        + p("Merely bold", bold=True, size=28)
        + p("not-a-heading", style="Kropp")
        + nested
    )
    document = read(docx(body, styles=styles, links={"rL": "https://example.org/x"}))
    assert tree(document.root) == [(1, "Första"), (2, "Andra"), (3, "Tredje")]
    for text in (
        "body-1",
        "see link-text <https://example.org/x>",
        "Merely bold",
        "not-a-heading",
        "inner-cell",
    ):
        assert text in document.text, text
    assert document.text.startswith("# Första\n\nbody-1\n\n## Andra\n")


def test_a_cycle_of_styles_is_no_hang() -> None:
    styles = style("A", "A", based_on="B") + style("B", "B", based_on="A", outline=1)
    document = read(docx(p("T", style="A") + p("x"), styles=styles))
    assert tree(document.root) == [(2, "T")]


def test_without_an_outline_sections_are_drawn_from_looks() -> None:
    body = (
        p("A Course in Cooking", bold=True, size=36)
        + p(BODY)
        + p("Grading:", bold=True)
        + p(BODY)
        + p("Bold sentence that ends like one.", bold=True)
        + p("WEEKLY PLAN")
        + p(BODY)
        + p("Line one", bold=True)
        + p("Line two", bold=True)
        + p("Line three", bold=True)
        + p("End", bold=True, size=24)
    )
    document = read(docx(body))
    assert tree(document.root) == [(1, "A Course in Cooking"), (2, "Grading:"), (2, "WEEKLY PLAN")]
    assert "no outline" in document.notes[0]
    assert "Line one\n\nLine two\n\nLine three" in document.text


def test_the_fallback_finds_plain_titles_and_opening_words_in_long_stretches() -> None:
    body = "".join(p(title) + p(BODY * 5) for title in ("Required Materials", "Course Goals", "Exams"))
    body += "".join(
        p(run(f"{lead}: ", bold=True) + run(BODY * 6)) for lead in ("Homework", "Late Policy", "Honesty")
    )
    document = read(docx(body))
    titles = [title for _, title in tree(document.root)]
    assert titles == ["Required Materials", "Course Goals", "Exams", "Homework:", "Late Policy:", "Honesty:"]
    homework = next(found for found in document.root.walk() if found.title == "Homework:")
    assert own_text(document, homework).strip() == (BODY * 6).strip()


def test_bold_paragraphs_stay_body_where_there_is_an_outline() -> None:
    body = "".join(
        p(f"Chapter {n}", outline=0) + p(BODY) + p("Bold Words", bold=True) + p(BODY) for n in range(6)
    )
    assert [title for _, title in tree(read(docx(body)).root)] == [f"Chapter {n}" for n in range(6)]


def test_the_title_is_the_title_paragraph_else_the_file_name() -> None:
    styles = style("Title", "Title")
    assert read(docx(p("My Book", style="Title") + p("x"), styles=styles)).title == "My Book"
    assert read(docx(p("x")), "notes 2026.docx").title == "notes 2026"


# --- text ----------------------------------------------------------------------------------------


def test_automatic_numbers_are_written_out() -> None:
    lists = numbering({1: [("decimal", "%1."), ("lowerLetter", "%2)")], 2: [("bullet", "\uf0b7")]})
    body = (
        p("first", list_=(1, 0))
        + p("inner", list_=(1, 1))
        + p("inner too", list_=(1, 1))
        + p("second", list_=(1, 0))
        + p("again", list_=(1, 1))
        + p("dot", list_=(2, 0))
        + p("Numbered heading", list_=(1, 0), outline=0)
    )
    document = read(docx(body, lists=lists))
    assert document.text == (
        "1. first\n  a) inner\n  b) inner too\n2. second\n  a) again\n- dot\n\n# 3. Numbered heading\n"
    )
    assert tree(document.root) == [(1, "3. Numbered heading")]


def test_a_list_restarts_where_its_number_says_so() -> None:
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    lists = numbering({1: [("decimal", "%1.")]})
    lists += f'<w:num w:numId="7"><w:abstractNumId w:val="1"/>{restart}</w:num>'
    body = p("a", list_=(1, 0)) + p("b", list_=(1, 0)) + p("c", list_=(7, 0)) + p("d", list_=(7, 0))
    assert read(docx(body, lists=lists)).text == "1. a\n2. b\n5. c\n6. d\n"


def test_a_style_may_carry_the_list() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="L"><w:name w:val="L"/><w:pPr><w:numPr>'
        '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    lists = numbering({1: [("upperRoman", "%1.")]})
    document = read(docx(p("x", style="L") + p("y", style="L"), styles=styles, lists=lists))
    assert document.text == "I. x\nII. y\n"


@pytest.mark.parametrize(
    ("count", "format_", "text"),
    [
        (28, "lowerLetter", "bb"),
        (26, "upperLetter", "Z"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (7, "decimalZero", "07"),
        (12, "ordinal", "12th"),
        (23, "ordinal", "23rd"),
        (3, "none", ""),
        (3, "chicago", "3"),
        (0, "lowerRoman", "0"),
    ],
)
def test_number_formats(count: int, format_: str, text: str) -> None:
    assert spell(count, format_) == text


def test_insertions_count_and_deletions_do_not() -> None:
    body = p(
        run("kept ")
        + f"<w:ins>{run('inserted ')}</w:ins>"
        + "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        + f"<w:moveFrom>{run('moved-away')}</w:moveFrom><w:moveTo>{run('moved-here')}</w:moveTo>"
    )
    assert read(docx(body)).text == "kept inserted moved-here\n"


def test_of_a_field_the_result_counts() -> None:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = '<w:r><w:instrText>HYPERLINK "https://example.org/deep"</w:instrText></w:r>'
    inner = mark("begin") + run("nested-result") + mark("end")
    body = p(mark("begin") + code + inner + mark("separate") + run("shown") + mark("end") + run(" after"))
    simple = p(f'<w:fldSimple w:instr="DATE">{run("today")}</w:fldSimple>')
    assert read(docx(body + simple)).text == "shown after <https://example.org/deep>\n\ntoday\n"


def test_text_boxes_come_once_and_after_their_paragraph() -> None:
    box = f"<w:txbxContent>{p('boxed-text')}{table([['a', 'b'], ['c', 'd']])}</w:txbxContent>"
    both = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>'
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    old = f"<w:r><w:pict><v:textbox><w:txbxContent>{p('old-box')}</w:txbxContent></v:textbox></w:pict></w:r>"
    document = read(docx(p(run("anchor") + both) + p("next") + p(old)))
    assert document.text == "anchor\n\nboxed-text\n\n| a | b |\n| --- | --- |\n| c | d |\n\nnext\n\nold-box\n"


def test_notes_follow_their_paragraph() -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    body = p("One", outline=0) + p(run("claim") + reference) + p("more") + p("Two", outline=0) + p("x")
    document = read(docx(body, notes={"2": "the-source"}))
    assert document.text == "# One\n\nclaim[^2]\n\n[^2]: the-source\n\nmore\n\n# Two\n\nx\n"


def test_content_controls_are_transparent_and_hidden_text_is_left_out() -> None:
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{p('controlled')}</w:sdtContent></w:sdt>"
    hidden = p(run("seen") + run("unseen", extra="<w:vanish/>"))
    document = read(docx(control + hidden, header="Running head"))
    assert document.text == "controlled\n\nseen\n"
    assert "page headers and footers left out" in document.notes
    assert "characters of hidden text left out: 6" in document.notes


def test_breaks_symbols_and_marks() -> None:
    body = p("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>")
    body += p('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:t> done</w:t></w:r>') + p("# no heading")
    document = read(docx(body))
    assert document.text == "a\tb\nc-d\n\n✓ done\n\n\\# no heading\n"
    assert tree(document.root) == []


# --- damage and malice ---------------------------------------------------------------------------


def status_of(data: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(data, "x.docx")
    return caught.value.status


def test_damage_is_named() -> None:
    good = docx(p("x" * 5000))
    assert status_of(good[: len(good) // 2]) == "corrupt"
    assert status_of(b"PK\x03\x04 nothing") == "corrupt"
    assert status_of(package({"word/other.xml": b"<a/>"})) == "corrupt"
    assert status_of(package({"word/document.xml": b"<w:document"})) == "corrupt"
    assert status_of(docx("")) == "no_text"


def test_protected_and_old_files_are_told_apart() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    assert status_of(ole + "EncryptedPackage".encode("utf-16-le")) == "encrypted"
    assert status_of(ole) == "unsupported"


def _high_water_bytes() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


_GOOD = docx(p("x"))
_HEAD = f'<w:document xmlns:w="{W}"><w:body>'.encode()
_STYLES = f'<w:styles xmlns:w="{W}">'.encode()
_BLANK = deflated(_HEAD, b" " * (1 << 20), 2048)
_ENTITIES = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
_BOMBS: dict[str, Callable[[], bytes]] = {
    "2 GB of document": lambda: with_bomb(_GOOD, "word/document.xml", _BLANK, 1000),
    "2 GB, honestly declared": lambda: with_bomb(_GOOD, "word/document.xml", _BLANK, len(_HEAD) + (2 << 30)),
    "2 GB of styles": lambda: with_bomb(
        _GOOD, "word/styles.xml", deflated(_STYLES, b"<w:style/>" * 100_000, 2048), 9
    ),
    "many elements": lambda: package({"word/document.xml": _HEAD + b"<w:p/>" * 9_000_000}),
    "many attributes": lambda: package({"word/document.xml": _HEAD + b'<w:p a="" b=""/>' * 2_000_000}),
    "100,000 members": lambda: b"PK\x03\x04" + b"PK\x01\x02" * (MAX_MEMBERS + 1),
    "entities": lambda: docx(p("&j;"), head=_ENTITIES + "]>"),
    "external entity": lambda: docx(p("&x;"), head='<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "deep nesting": lambda: docx("<w:sdt><w:sdtContent>" * 100_000),
}


@pytest.mark.parametrize("name", _BOMBS)
def test_hostile_files_are_refused_within_bounds(name: str) -> None:
    """SEC-03: within 10 s and 500 MB, by counted bytes."""
    data = _BOMBS[name]()
    before, begin = _high_water_bytes(), time.monotonic()
    assert status_of(data) == "limit"
    assert time.monotonic() - begin < 10
    assert _high_water_bytes() - before < 500 << 20


def test_deep_tables_are_read() -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 80 + p("innermost") + "</w:tc></w:tr></w:tbl>" * 80
    assert read(docx(deep)).text == "innermost\n"


def test_a_nested_archive_is_not_opened() -> None:
    inner = with_bomb(docx(p("x")), "word/document.xml", deflated(b"", b" " * (1 << 20), 100), 9)
    good = docx(p("plain"))
    data = good.replace(b"word/footnotes.xml", b"word/footnotes.zip")
    assert read(data).text == "plain\n"
    assert len(inner) < 1 << 20


def test_other_encodings_cannot_hide_elements() -> None:
    body = f'<?xml version="1.0" encoding="UTF-7"?><w:document xmlns:w="{W}"><w:body>+ADw-w:p/+AD4-</w:body></w:document>'
    assert status_of(package({"word/document.xml": body.encode()})) == "no_text"
    wide = f'<w:document xmlns:w="{W}"><w:body>{p("wide-text")}</w:body></w:document>'
    assert read(package({"word/document.xml": wide.encode("utf-16")})).text == "wide-text\n"


# --- any document --------------------------------------------------------------------------------

_words = st.text(alphabet="abc é|#[]:.", min_size=0, max_size=12)
_paragraphs = st.builds(
    lambda text, outline, bold, listed: p(text, outline=outline, bold=bold, list_=(1, 0) if listed else None),
    _words,
    st.none() | st.integers(0, 9),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_paragraphs | st.builds(lambda a, b: table([[a, b], [b, a]]), _words, _words), max_size=12))
def test_any_document_holds_the_invariants_and_its_text(blocks: list[str]) -> None:
    lists = numbering({1: [("decimal", "%1.")]})
    try:
        document = read(docx("".join(blocks), lists=lists))
    except DocumentError as error:
        assert error.status == "no_text"
        return
    assert "".join(document.text.split())
    assert document.root.title == "file"
