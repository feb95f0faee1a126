"""What holds for many formats alike: raised numbers, what files say of themselves, and files that are not read."""

from __future__ import annotations

import json

import pytest

from knarr.documents import parse
from knarr.documents.properties import iso_date
from knarr.errors import DocumentError
from make_docx import docx
from make_zip import odf, zipped

_ODT = (
    '<text:p>10<text:span text:style-name="S">6</text:span> and 1<text:span text:style-name="S">st</text:span></text:p>',
    '<style:style style:name="S" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>',
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.odt", odf("text", *_ODT)),
        ("a.rtf", rb"{\rtf1 10{\super 6} and 1{\super st}\par}"),
        (
            "a.fb2",
            b"<FictionBook><body><section><p>10<sup>6</sup> and 1<sup>st</sup></p></section></body></FictionBook>",
        ),
        (
            "a.docbook",
            b"<article><para>10<superscript>6</superscript> and 1<superscript>st</superscript></para></article>",
        ),
        ("a.tex", rb"10\textsuperscript{6} and 1\textsuperscript{st}"),
        ("a.adoc", b"10^6^ and 1^st^"),
        ("a.org", b"10^{6} and 1^{st}"),
        ("a.html", b"<p>10<sup>6</sup> and 1<sup>st</sup></p>"),
    ],
)
def test_a_raised_number_is_no_digit_of_the_one_before(name: str, data: bytes) -> None:
    assert parse(data, name).text.strip() == "10^6 and 1st"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-01-02 10:00", "2024-01-02T10:00"), ("D:20240102103000+02'00'", "2024-01-02T10:30:00+02:00"), ("D:2024", "2024"),
        ("July 17, 2006", "2006-07-17"), ("Monday, 3 March 2025", "2025-03-03"), ("July 2006", "2006-07"),
        ("Tue, 01 Dec 2026 10:00:00 +0000", "2026-12-01T10:00:00+00:00"), ("5/6/2024", "5/6/2024"), ("31 June 2024", "31 June 2024"),
    ],
)  # fmt: skip
def test_dates_are_iso_where_they_have_one_meaning(text: str, date: str) -> None:
    assert iso_date(text) == date


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.org", b"#+TITLE: Plan\n#+AUTHOR: Ann\n#+DATE: July 17, 2006\n\nwords"),
        ("a.tex", rb"\title{Plan}\author{Ann}\date{July 17, 2006}\begin{document}words\end{document}"),
        (
            "a.fb2",
            b"<FictionBook><description><title-info><book-title>Plan</book-title><author>Ann</author><date>2006-07-17</date>"
            b"</title-info></description><body><p>words</p></body></FictionBook>",
        ),
        ("a.opml", b'<opml><head><title>Plan</title><ownerName>Ann</ownerName></head><body><outline text="words"/></body></opml>'),
        (
            "a.ipynb",
            json.dumps({
                "metadata": {"title": "Plan", "authors": [{"name": "Ann"}]},
                "cells": [{"cell_type": "markdown", "source": "words"}],
            }).encode(),
        ),
    ],
)  # fmt: skip
def test_what_files_say_of_themselves_has_the_same_names(name: str, data: bytes) -> None:
    metadata = dict(parse(data, name).metadata)
    assert metadata.pop("date", "2006-07-17") == "2006-07-17"
    assert metadata == {"title": "Plan", "author": "Ann"}


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.xlsb", zipped({"[Content_Types].xml": "<t/>", "xl/workbook.bin": "x"}), "save it as .xlsx"),
        ("a.xlsx", zipped({"[Content_Types].xml": "<t/>", "xl/workbook.bin": "x"}), "save it as .xlsx"),
        ("a.pages", zipped({"Index/Document.iwa": "x"}), "export it as .docx"),
        ("a.mobi", b"BOOKMOBI", ".epub"), ("a.djvu", b"AT&TFORM", "PDF"), ("a.one", b"\xe4\x52", "OneNote"),
        ("a.vsdx", zipped({"visio/document.xml": "<a/>"}), "PDF"), ("a.mdb", b"\0\1", ".csv"), ("a.gif", b"GIF89a", ".png"),
        ("a.asc", b"-----BEGIN PGP SIGNATURE-----\n", "PGP"), ("a.xyz", b"?", "not a format that knarr reads"),
    ],
)  # fmt: skip
def test_what_is_not_read_says_what_to_do(name: str, data: bytes, says: str) -> None:
    with pytest.raises(DocumentError, match=says) as error:
        parse(data, name)
    assert (
        error.value.status == "unsupported" and "\n" not in str(error.value) and len(str(error.value)) < 100
    )


def test_a_feed_has_its_entries_as_sections() -> None:
    feed = (
        "<rss><channel><title>News</title><item><title>One</title><link>http://x/1</link><pubDate>Tue, 01 Dec 2026 10:00:00 GMT"
        "</pubDate><description>&lt;p&gt;Words &lt;b&gt;here&lt;/b&gt;&lt;/p&gt;</description></item></channel></rss>"
    )
    document = parse(feed.encode(), "a.rss")
    assert (
        document.title == "News"
        and document.text == "# One\n\n2026-12-01T10:00:00+00:00\n<http://x/1>\n\nWords here\n"
    )


def test_an_outline_has_sections_and_items() -> None:
    outline = '<opml><body><outline text="A"><outline text="x" _note="said"/><outline text="y"/></outline></body></opml>'
    assert parse(outline.encode(), "a.opml").text == "# A\n\n- x: said\n- y\n"


def test_long_outputs_of_a_notebook_are_shortened_and_code_has_its_language() -> None:
    cell = {
        "cell_type": "code",
        "source": "x",
        "outputs": [{"output_type": "stream", "text": "line\n" * 50_000}],
    }
    data = json.dumps({"metadata": {"kernelspec": {"language": "python"}}, "cells": [cell]}).encode()
    document = parse(data, "a.ipynb")
    assert document.text.startswith("```python\nx\n```") and len(document.text) < 25_000
    assert document.notes == ("long outputs shortened: 1",)


def test_a_word_document_keeps_raised_numbers() -> None:
    run = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'
    body = f'<w:p><w:r><w:t>10</w:t></w:r>{run.format("1")}{run.format("2")}<w:r><w:t xml:space="preserve"> m</w:t></w:r></w:p>'
    assert parse(docx(body), "a.docx").text.strip() == "10^12 m"
