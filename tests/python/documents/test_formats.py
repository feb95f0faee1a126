"""Formats that need no library of their own: what must come out of each, and how their limits hold."""

from __future__ import annotations

import json
import random
import struct
from email.message import EmailMessage

import pytest

from growth import is_linear
from knarr.documents import Document, Limits, parse
from knarr.documents.rtf.packed import unpacked_rtf
from knarr.errors import DocumentError
from make_zip import compound, epub, odf, relations, zipped

A = 'xmlns:a="a" xmlns:p="p" xmlns:r="r"'


def read(data: bytes | str, name: str) -> Document:
    document = parse(data.encode() if isinstance(data, str) else data, name)
    document.check()
    return document


def titles(document: Document) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in document.root.walk()][1:]


# -- slides ----------------------------------------------------------------------------------------------


def shape(text: str, kind: str = "", y: int = 0, said: str = "") -> str:
    place = f'<a:xfrm><a:off x="0" y="{y}"/></a:xfrm>' if y else ""
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    body = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" descr="{said}"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{place}</p:spPr><p:txBody>{body}</p:txBody></p:sp>"
    )


def slides(*bodies: str, notes: str = "", show: str = "1") -> bytes:
    parts: dict[str, str | bytes] = {"_rels/.rels": relations(a=("officeDocument", "ppt/presentation.xml"))}
    ids = "".join(f'<p:sldId id="{at}" r:id="r{at}"/>' for at in range(len(bodies)))
    parts["ppt/presentation.xml"] = f"<p:presentation {A}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    parts["ppt/_rels/presentation.xml.rels"] = relations(
        **{f"r{at}": ("slide", f"s{at}.xml") for at in range(len(bodies))}
    )
    for at, body in enumerate(bodies):
        parts[f"ppt/s{at}.xml"] = (
            f'<p:sld {A} show="{show}"><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:sld>'
        )
        if notes:
            parts[f"ppt/_rels/s{at}.xml.rels"] = relations(n=("notesSlide", "n.xml"))
            parts["ppt/n.xml"] = f"<p:notes {A}><p:spTree>{shape(notes, 'body')}</p:spTree></p:notes>"
    return zipped(parts)


def test_slides_are_sections_in_order_with_notes() -> None:
    document = read(
        slides(shape("below", y=900_000) + shape("above", y=100_000) + shape("Plan", "title")), "a.pptx"
    )
    assert document.text == "# Plan\n\nabove\n\nbelow\n"
    document = read(slides(shape("One", "title"), shape("a\nb", "body"), notes="say this"), "a.pptx")
    assert titles(document) == [(1, "One"), (1, "Slide 2")]
    assert "- a\n- b\n\nNotes: say this\n" in document.text
    assert document.page_at(len(document.data) - 2) == 2


def test_hidden_slides_footers_and_pictures_are_named() -> None:
    document = read(
        slides(shape("T", "title") + shape("page foot", "ftr") + shape("x", said="A duck"), show="0"),
        "a.pptx",
    )
    assert (
        "(hidden slide)" in document.text and "A duck" in document.text and "page foot" not in document.text
    )
    assert "hidden slides read: 1" in document.notes
    assert "footers, dates and slide numbers left out: 1" in document.notes


def test_tables_on_slides_keep_their_cells() -> None:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{''.join(map(cell.format, row))}</a:tr>" for row in ("AB", "12"))
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    assert "| A | B |\n| --- | --- |\n| 1 | 2 |\n" in read(slides(frame), "a.pptx").text


# -- OpenDocument ----------------------------------------------------------------------------------------


def test_an_odt_keeps_headings_lists_tables_and_notes_but_no_deletion() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:h text:outline-level="1">Rules</text:h><text:p>Pay<text:s text:c="2"/>now<text:note text:note-class="footnote">'
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>Or later.</text:p></text:note-body></text:note>"
        "</text:p><text:list><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        '<text:h text:outline-level="2">More</text:h><table:table><table:table-row><table:table-cell><text:p>a</text:p>'
        "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row><table:table-row>"
        "<table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell>"
        "</table:table-row></table:table>"
    )
    document = read(odf("text", body), "a.odt")
    assert titles(document) == [(1, "Rules"), (2, "More")]
    assert "Pay now[^1]\n\n- first\n  - inner\n\n[^1]: Or later.\n\n## More" in document.text
    assert "| 1 | 2 |" in document.text and "gone" not in document.text
    assert "deletions under tracked changes left out: 1" in document.notes


def test_an_odp_has_a_section_for_each_slide() -> None:
    box = '<draw:frame presentation:class="{}" svg:y="{}cm"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    notes = '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>said</text:p></draw:text-box></draw:frame></presentation:notes>'
    page = f"<draw:page>{box.format('outline', 5, 'low')}{box.format('outline', 2, 'high')}{box.format('title', 0, 'Plan')}{notes}</draw:page>"
    assert read(odf("presentation", page), "a.odp").text == "# Plan\n\nhigh\n\nlow\n\nNotes: said\n"


def test_an_encrypted_odt_says_so() -> None:
    data = odf("text", "<text:p>x</text:p>", more={"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    with pytest.raises(DocumentError) as error:
        parse(data, "a.odt")
    assert error.value.status == "encrypted"


# -- books -----------------------------------------------------------------------------------------------


def test_a_book_goes_by_its_spine_and_its_contents() -> None:
    nav = '<ol><li><a href="b.xhtml">Second</a></li><li><a href="a.xhtml">First</a></li></ol>'
    pages = {"b.xhtml": '<a id="x"/><h1>Second</h1><p>two</p>', "a.xhtml": "<p>one</p>"}
    document = read(epub(pages, nav, "<dc:title>Book</dc:title><dc:creator>Ann</dc:creator>"), "a.epub")
    assert titles(document) == [(1, "Second"), (1, "First")]
    assert document.text.index("two") < document.text.index("one")
    assert document.metadata == {"title": "Book", "author": "Ann"} and document.title == "Book"


def test_a_missing_chapter_makes_a_book_partial() -> None:
    data = epub({"a.xhtml": "<p>one</p>", "b.xhtml": "<p>two</p>"})
    document = parse(data.replace(b"OPS/b.xhtml", b"OPS/c.xhtml"), "a.epub")
    assert document.status == "partial" and "chapters that are encrypted or missing: 1" in document.notes


# -- mail ------------------------------------------------------------------------------------------------


def message(**headers: str) -> EmailMessage:
    found = EmailMessage()
    for name, value in headers.items():
        found[name.replace("_", "-")] = value
    return found


def test_a_message_has_its_headers_body_and_attachments() -> None:
    mail = message(
        Subject="Grüße aus Köln",
        From="Ann <a@example.org>",
        To="b@example.org",
        Date="Tue, 1 Dec 2026 10:00:00 +0000",
    )
    mail.set_content("Hello\n> quoted\n")
    mail.add_attachment(b"# Fares\n\nIsle 22\n", maintype="text", subtype="markdown", filename="fares.md")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="x.png")
    document = read(mail.as_bytes(), "a.eml")
    assert document.title == "Grüße aus Köln"
    assert (
        document.metadata["from"] == "Ann <a@example.org>"
        and document.metadata["date"] == "2026-12-01T10:00:00+00:00"
    )
    assert titles(document) == [(1, "fares.md"), (2, "Fares")]
    assert "\n## Fares\n\nIsle 22\n" in document.text and "> quoted" in document.text
    assert any("x.png not read" in note for note in document.notes)


def test_a_body_of_html_is_read_when_the_plain_one_is_a_remark() -> None:
    mail = message(Subject="s")
    mail.set_content("Use another reader.")
    rows = "<tr><th>a<th>b</tr><tr><td>1<td>2</tr>"
    mail.add_alternative(f"<p>{'word ' * 30}</p><table>{rows}</table>", subtype="html")
    assert "| 1 | 2 |" in read(mail.as_bytes(), "a.eml").text


def test_messages_in_messages_are_read_to_a_depth() -> None:
    mail = message(Subject="inmost")
    mail.set_content("deep words")
    for at in range(3):
        outer = message(Subject=f"level {at}")
        outer.set_content("around")
        outer.add_attachment(mail)
        mail = outer
    document = read(mail.as_bytes(), "a.eml")
    assert "deep words" in document.text and titles(document)[-1] == (3, "inmost")
    shallow = parse(mail.as_bytes(), "a.eml", limits=Limits(depth=0))
    assert "around" in shallow.text


def test_a_charset_that_is_not_what_it_says_is_no_crash() -> None:
    raw = b"Subject: =?utf-8?B?broken?=\nContent-Type: text/plain; charset=x-none\n\nna\xefve text\n"
    assert "naïve text" in read(raw, "a.eml").text


def test_an_mbox_has_a_section_for_each_message() -> None:
    one = b"From a Tue Dec  1 10:00:00 2026\nSubject: One\n\nfirst\n>From here\n\n"
    document = read(one + one.replace(b"One", b"Two"), "a.mbox")
    assert titles(document) == [(1, "One"), (1, "Two")] and "\nFrom here" in document.text


def test_a_message_of_outlook_is_read_with_its_attachments() -> None:
    streams = {
        "__properties_version1.0": bytes(32),
        "__substg1.0_0037001F": "Fares".encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Ann".encode("utf-16-le"),
        "__substg1.0_1000001F": "The body".encode("utf-16-le"),
        "__attach_version1.0_#00000000/__substg1.0_3707001F": "a.csv".encode("utf-16-le"),
        "__attach_version1.0_#00000000/__substg1.0_37010102": b"Line,Fare\nIsle,22\n",
    }
    document = read(compound(streams), "a.msg")
    assert document.title == "Fares" and "From: Ann" in document.text and "The body" in document.text
    assert "| Isle | 22 |" in document.text and len(document.tables) == 1


def test_packed_rtf_refers_back() -> None:
    literal = b"{\\rtf1 hello }"
    controls = b"".join(b"\0" + literal[at : at + 8] for at in range(0, len(literal), 8))
    data = struct.pack("<IIII", len(controls) + 12, len(literal), 0x75465A4C, 0) + controls
    assert unpacked_rtf(data).startswith(literal)


# -- old Office ------------------------------------------------------------------------------------------


def test_an_old_word_file_gives_text_headings_and_no_field_codes() -> None:
    text = "Rules\rPay \x13HYPERLINK x\x14here\x15 now.\ra\x07b\x07\x07"
    main = bytearray(2048)
    struct.pack_into("<H", main, 0, 0xA5EC)
    struct.pack_into("<H", main, 0x0A, 0x0200)
    struct.pack_into("<I", main, 0x4C, len(text))
    pieces = struct.pack("<IIHIH", 0, len(text), 0, 0x40000000 | 2 * 1024, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    main[1024 : 1024 + len(text)] = text.encode("cp1252")
    # One page of paragraph properties: the first paragraph is in the style of headings.
    page = bytearray(512)
    page[511] = 2
    struct.pack_into("<III", page, 0, 1024, 1030, 1024 + len(text))
    page[12], page[25] = 100, 0
    page[200:204] = bytes((2, 1, 0, 0))
    main[1536:2048] = page
    runs = struct.pack("<III", 1024, 1024 + len(text), 3)
    struct.pack_into("<II", main, 0x102, 0, len(runs))
    struct.pack_into("<II", main, 0x1A2, len(runs), len(clx))
    document = read(compound({"WordDocument": bytes(main), "1Table": runs + clx}), "a.doc")
    assert document.text.startswith("# Rules\n\nPay here now.\n")
    assert "HYPERLINK" not in document.text and "b" in document.text


def test_an_unknown_compound_file_is_unsupported_and_a_circle_ends() -> None:
    with pytest.raises(DocumentError):
        parse(compound({"Other": b"x" * 600}), "a.doc")
    data = bytearray(compound({"WordDocument": b"x" * 2000}))
    data[-512:] = struct.pack("<I", 0) * 128
    with pytest.raises(DocumentError):
        parse(bytes(data), "a.doc")


# -- rich text -------------------------------------------------------------------------------------------


def test_rtf_reads_charsets_headings_tables_and_notes() -> None:
    source = (
        r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}"
        r"{\stylesheet{\s1 heading 1;}}{\info{\title Fares}{\author Ann}}{\header page top}"
        r"\pard\s1 Rules\par\pard Caf\'e9 \u8364? {\f1 \'c4\'e0}{\footnote see below}\par"
        r"\trowd\intbl a\cell b\cell\row\intbl 1\cell 2\cell\row\pard{\v secret}end\par}"
    )
    document = read(source, "a.rtf")
    assert titles(document) == [(1, "Rules")] and document.title == "Fares"
    assert "Café € Да[^1]" in document.text and "[^1]: see below" in document.text
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |" in document.text
    assert "page top" not in document.text and "secret" not in document.text
    assert "page headers and footers left out" in document.notes


# -- text with marks -------------------------------------------------------------------------------------


def test_asciidoc() -> None:
    source = (
        "= Handbook\n:price: 22\n\n== Fares\n\nIsle costs {price}, see link:x.html[the list].\n\n* one\n** two\n\n"
        "[source,python]\n----\nx = '== no title'\n----\n\n|===\n|Line |Fare\n\n|Isle |22\n|===\n\n////\nhidden\n////\n"
    )
    document = read(source, "a.adoc")
    assert titles(document) == [(1, "Handbook"), (2, "Fares")]
    assert "Isle costs 22, see the list." in document.text and "- one\n  - two\n" in document.text
    assert "```python\nx = '== no title'\n```" in document.text and "| Isle | 22 |" in document.text
    assert "hidden" not in document.text and "comment lines left out: 1" in document.notes


def test_org() -> None:
    source = (
        "#+TITLE: Handbook\n* TODO Fares :a:b:\n:PROPERTIES:\n:ID: 7\n:END:\nSee [[x.html][the list]].\n"
        "| Line | Fare |\n|------+------|\n| Isle | 22 |\n#+begin_src c\n* no heading\n#+end_src\n** Deep\nwords\n"
    )
    document = read(source, "a.org")
    assert document.title == "Handbook" and titles(document)[1] == (2, "Deep")
    assert (
        "See the list." in document.text and "| Isle | 22 |" in document.text and ":ID:" not in document.text
    )


def test_latex() -> None:
    source = (
        "\\documentclass{article}\\title{On Fares}\\newcommand{\\isle}{the Isle}\\begin{document}\\maketitle\n"
        "\\section{Rules}% remark\nTo \\isle{} costs $a+b$; caf\\'e\\footnote{see below}.\n\n"
        "\\begin{equation}c = \\frac{a}{b}\\end{equation}\n\\begin{itemize}\\item one\\item two\\end{itemize}\n"
        "\\begin{tabular}{ll}Line & Fare \\\\ \\hline Isle & 22 \\\\\\end{tabular}\n\\subsection{Deep}\n"
        "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\end{document} after"
    )
    document = read(source, "a.tex")
    assert document.title == "On Fares" and titles(document) == [(1, "Rules"), (2, "Deep")]
    assert "To the Isle costs $a+b$; café[^1]." in document.text and "$$c = \\frac{a}{b}$$" in document.text
    assert "- one\n- two\n" in document.text and "| Isle | 22 |" in document.text
    assert (
        "remark" not in document.text and "after" not in document.text and "[^1]: see below" in document.text
    )


def test_subtitles_say_when_and_who() -> None:
    vtt = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n<v Ann>Hello &amp; welcome\n\n00:02.500 --> 00:03.000\n<v Ann>all\n"
    assert read(vtt, "a.vtt").text == "[00:00:01] Ann: Hello & welcome all\n"
    srt = "1\n00:00:01,000 --> 00:00:02,000\n<i>One.</i>\n\n2\n00:02:30,000 --> 00:02:31,000\nTwo.\n"
    assert read(srt, "a.srt").text == "[00:00:01] One.\n\n[00:02:30] Two.\n"


# -- data ------------------------------------------------------------------------------------------------


def test_json_is_a_table_or_an_outline() -> None:
    assert (
        "| Isle | 22.50 |" in read('[{"line":"Isle","fare":22.50},{"line":"Cape","fare":9}]', "a.json").text
    )
    assert read('{"a":{"b":[1,2],"c":null}}', "a.json").text == "- a:\n  - b: 1, 2\n  - c: null\n"
    assert len(read('{"a":1,"b":2}\n{"a":3,"b":4}\n', "a.jsonl").tables) == 1
    broken = read('{"a": 1, // remark\n}', "a.json")
    assert "remark" in broken.text and "no valid JSON: read as text" in broken.notes


def test_a_notebook_keeps_markdown_code_and_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Ducks\n", "\n", "words\n"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "text": ["\x1b[31m1\x1b[0m\n"]},
                {"output_type": "display_data", "data": {"image/png": "xx", "text/plain": "<Figure>"}},
            ],
        },
    ]
    document = read(json.dumps({"cells": cells}), "a.ipynb")
    assert titles(document) == [(1, "Ducks")] and "```\nprint(1)\n```" in document.text
    assert "Output:\n\n```\n1\n```" in document.text and "pictures left out: 1" in document.notes


# -- XML -------------------------------------------------------------------------------------------------


def test_docbook_sections_lists_and_tables() -> None:
    table = "<informaltable><tgroup><thead><row><entry>a</entry><entry>b</entry></row></thead><tbody><row><entry>1</entry><entry>2</entry></row></tbody></tgroup></informaltable>"
    source = (
        '<!DOCTYPE book [<!ENTITY who "Ann"><!ENTITY x SYSTEM "file:///etc/passwd">]><book><info><title>Rules</title></info>'
        f"<chapter><title>Fares</title><para>By &who; &mdash; &x;</para><orderedlist><listitem><para>one</para></listitem>"
        f"</orderedlist><section><title>Deep</title>{table}</section></chapter></book>"
    )
    document = read(source, "a.xml")
    assert titles(document) == [(1, "Rules"), (2, "Fares"), (3, "Deep")]
    assert "By Ann — &x;" in document.text and "1. one" in document.text and "| 1 | 2 |" in document.text
    assert "entities that are declared elsewhere stand as they are: 1" in document.notes


def test_an_article_of_a_journal() -> None:
    front = "<front><article-meta><title-group><article-title>On Ducks</article-title></title-group><abstract><p>Short.</p></abstract></article-meta></front>"
    body = "<body><sec><title>Methods</title><p>We <italic>count</italic> them.<fn><p>aside</p></fn></p></sec></body>"
    document = read(f"<article>{front}{body}</article>", "a.nxml")
    assert [title for _, title in titles(document)] == ["On Ducks", "Abstract", "Methods"]
    assert "We count them.[^1]" in document.text and "[^1]: aside" in document.text


def test_other_xml_is_an_outline_and_a_bomb_is_not_expanded() -> None:
    assert read('<r><item id="7">Nut</item></r>', "a.xml").text == "- r\n  - item (id=7): Nut\n"
    bomb = (
        "<!DOCTYPE r ["
        + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))
        + "]><r><a>&a19;</a></r>"
    )
    assert len(parse(bomb.encode(), "a.xml").text) < 200


# -- all -------------------------------------------------------------------------------------------------

_SEEDS = {
    "a.pptx": slides(shape("T", "title") + shape("x")),
    "a.odt": odf("text", '<text:h text:outline-level="1">A</text:h><text:list><text:list-item/></text:list>'),
    "a.epub": epub({"a.xhtml": "<h1>a</h1>"}, "<ol><li><a href='a.xhtml'>b</a></li></ol>"),
    "a.eml": b"Subject: =?utf-8?Q?a?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b--\n",
    "a.msg": compound({"__properties_version1.0": bytes(64), "__substg1.0_1000001F": b"a\0b\0"}),
    "a.doc": compound({"WordDocument": b"\xec\xa5" + bytes(600), "0Table": bytes(600)}),
    "a.ppt": compound({"PowerPoint Document": bytes(600)}),
    "a.rtf": rb"{\rtf1\ansi{\fonttbl{\f0\fcharset128 x;}}\f0 \'82\'a0\trowd a\cell\row\u-10179?\u-8704?}",
    "a.csv": b'a,"b\n",c\n1,2,3\n',
    "a.json": b'{"a":[{"b":1},{"b":2}]}',
    "a.ipynb": b'{"cells":[{"cell_type":"markdown","source":["# a"]}]}',
    "a.adoc": b"= a\n|===\n|a .2+|b\n|===\n----\nx\n----\n",
    "a.org": b"* a\n| a | b |\n#+begin_src\n",
    "a.tex": b"\\section{a}\\begin{tabular}{l}a & b\\\\\\end{tabular}\\footnote{x $y$}",
    "a.vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v a>b\n",
    "a.xml": b"<book><chapter><title>a</title><table><row><entry morerows='2'>a</entry></row></table></chapter></book>",
    "a.fb2": b"<FictionBook><body><section><title><p>a</p></title><p>b</p></section></body></FictionBook>",
}


@pytest.mark.parametrize("name", sorted(_SEEDS))
def test_damage_is_a_document_error_and_nothing_else(name: str) -> None:
    chance = random.Random(name)
    seed = _SEEDS[name]
    for _ in range(150):
        data = bytearray(seed)
        for _ in range(chance.choice((1, 1, 3, 10))):
            at = chance.randrange(len(data))
            data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
            if not data:
                data = bytearray(seed)
        try:
            parse(bytes(data), name).check()
        except DocumentError:
            continue


_UNITS = {
    "a.adoc": ("|===\n", "----\n", "[", "<<a", "{a}", "a::", "= a\n", "* a\n", "|"),
    "a.org": ("#+begin_src\n", ":a:\n", "[[a", "* a :b:\n", "| a ", "  "),
    "a.tex": (
        "\\footnote{",
        "$",
        "\\[",
        "\\begin{a}",
        "{",
        "\\a[",
        "\\verb|",
        "\\item",
        "\\'",
        "%",
        "\\caption{\\a",
    ),
    "a.rtf": ("{\\rtf1", "{", "\\'82", "\\u9?", "\\cell", "\\row", "\\par ", "}"),
    "a.csv": ('"', ",", '"a",', "a;b\n"),
    "a.vtt": ("00:01.000 --> 00:02.000\n", "<v a>", "<v", "1\n"),
    "a.eml": ("Subject: =?utf-8?Q?", "--b\n", "> ", "Content-Type: multipart/mixed; boundary=b\n"),
    "a.json": ("[", '{"a":', '{"a":1}\n', '"'),
    "a.xml": ("<a>", "&a;", "<!--", "<!DOCTYPE", "<![CDATA[", "<a b='"),
}


@pytest.mark.parametrize(("name", "unit"), [(name, unit) for name, units in _UNITS.items() for unit in units])
def test_costs_are_linear(name: str, unit: str) -> None:
    def work(text: str) -> None:
        try:
            parse(text.encode(), name)
        except DocumentError:
            return

    assert is_linear(work, unit)
