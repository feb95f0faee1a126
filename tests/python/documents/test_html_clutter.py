"""Articles without what stands between and behind their text; notes, printed pages, XHTML, scripts without spaces."""

from __future__ import annotations

import pytest

from outlines import outline, parsed, titles

PROSE = (
    "The ferry to the island leaves at nine and comes back in the evening, when the tide allows it to land. "
)
TEXT = "".join(f"<p>{PROSE * 3}In the year {year} it was late.</p>" for year in range(2001, 2009))
HEAD = "<head><title>Ferries in May | Isle News</title><meta property='og:type' content='article'></head>"
CARD = "<div class='c{0}'><a href='/s{0}'><img src=x><h3>Story {0}</h3></a><p>secret words of story {0}, in short</p></div>"
CARDS = "".join(CARD.format(n) for n in range(3))


def article(inner: str) -> str:
    return f"<html>{HEAD}<body><div><div class='article-body'><h1>Ferries in May</h1>{inner}</div></div></body></html>"


@pytest.mark.parametrize(
    ("clutter", "kind"),
    [
        (f"<div>{CARDS}</div>", "teasers"),
        ("<h3>You may also like</h3><p>secret words about a harbour, which are not of this page.</p>", "more to read"),
        ("<div><h2>Über die Autorin</h2><p>secret words about whoever wrote it, and where she lives.</p></div>", "more to read"),
        ("<h3><a href='/x'>A secret story</a></h3>", "teasers"),
        ("<p><b>Read also:</b> <a href='/x'>The secret story of the pier</a></p>", "lists of links"),
        ("<p>Photo: Secret/Getty Images</p>", "picture credits"),
    ],
)  # fmt: skip
def test_clutter_goes_with_its_heading_and_is_named(clutter: str, kind: str) -> None:
    document = parsed(article(f"{TEXT}{clutter}"), "a.html")
    assert "ecret" not in document.text and "2008" in document.text
    assert kind in document.notes[-1] and titles(document) == ["Ferries in May"]


@pytest.mark.parametrize(
    "kept",
    [
        "<ul><li><a href='/a'>A tool</a>, which does this.</li><li><a href='/b'>Another</a>, which does that.</li></ul>",
        "<h2>Related work</h2><p>Kept, since a section of that name says much and links to nothing.</p>",
        "<h2><a href='http://x.example/'>A harbour</a></h2><p>Kept, since the text below this title says what it is.</p>",
        "<table><tr><th>Photo: x<th>B<tr><td>Share<td>1</table>",
    ],
)
def test_what_looks_alike_and_is_text_stays(kept: str) -> None:
    text = parsed(article(f"{TEXT}{kept}{TEXT.replace('20', '19')}"), "a.html").text
    assert any(word in text for word in ("Another", "Kept")) or "| Share | 1 |" in text


def test_an_unmarked_page_keeps_its_cards() -> None:
    assert "secret words" in parsed(f"<body><h1>Shops</h1>{TEXT}<div>{CARDS}</div></body>", "a.html").text


def test_a_lead_in_a_heading_is_text_and_a_picture_no_title() -> None:
    lead = "When the tide allows it the ferry lands at nine, and nobody knows why it is so late"
    document = parsed(
        article(f"<h2>{lead}</h2>{TEXT}<h3><img src=x alt='The pier in the fog'></h3>{TEXT}"), "a.html"
    )
    assert titles(document) == ["Ferries in May"]
    assert lead in document.text and "The pier in the fog" in document.text


def test_the_next_article_on_the_page_is_left_out() -> None:
    posts = f"<article class=post><h1>Ferries in May</h1>{TEXT}</article><article class=post><h1>Secret</h1>{TEXT}</article>"
    document = parsed(f"<html>{HEAD}<body>{posts}</body></html>", "a.html")
    assert titles(document) == ["Ferries in May"] and document.text.count("2008") == 1
    assert "other articles" in document.notes[-1] or "beside the main text" in document.notes[-1]


def test_text_in_several_elements_alike_is_read_whole() -> None:
    rows = f"<div class='row wide'>{TEXT * 6}</div><div class='row wide'>{TEXT.replace('20', '19')}</div>"
    document = parsed(f"<html>{HEAD}<body><div>{rows}</div></body></html>", "a.html")
    assert "2008" in document.text and "1908" in document.text


def test_alternative_text_beside_a_caption_is_said_once_and_counted() -> None:
    figure = "<figure><img src=x alt='A boat seen from far away'><figcaption>The ferry on its way to the isle.</figcaption></figure>"
    document = parsed(article(f"{TEXT}{figure}"), "a.html")
    assert "on its way" in document.text and "far away" not in document.text
    assert "alternative texts beside captions 25" in document.notes[-1]


def test_notes_that_stand_behind_the_body_are_read() -> None:
    note = "<div class=x><ol><li id=fn1><a href='http://x.example/'>The log of the ferry</a></ol></div><p class=y>Else</p>"
    page = f"<html>{HEAD}<body><div class='article-body'>{TEXT}<p>Late<sup><a href='#fn1'>1</a></sup></div>{note}</body></html>"
    text = parsed(page, "a.html").text
    assert "Late[1]" in text and "1. The log of the ferry" in text and "Else" not in text


def test_printed_pages_lose_their_numbers_and_links_back() -> None:
    def end(page: int) -> str:
        return (
            f"<p>{page}</p><hr style='page-break-after: always'><p><a href='#toc'>Table of Contents</a></p>"
        )

    body = (
        f"<p style='font-weight:bold'>PART I</p>{end(2)}<p><font style='font-weight:bold'>Item 1. Business</font></p><p>{PROSE}</p>{end(3)}"
        f"<table><tr><td><b>Item 1A.</b></td><td><b>Risk Factors</b></td></tr></table><p>{PROSE}</p><p>17</p><p>{PROSE}</p>{end(4)}"
    )
    document = parsed(f"<body>{body}</body>", "f10k.html")
    assert outline(document) == [(1, "PART I"), (2, "Item 1. Business"), (2, "Item 1A. Risk Factors")]
    assert "Contents" not in document.text and "\n3\n" not in document.text and "\n17\n" in document.text
    assert "page numbers 3" in document.notes[-1] and "links back to the contents 51" in document.notes[-1]


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<textarea/><iframe src='q'/><p>a</p>", "a\n"),
        ("<p title='1 > 0'/>a<!-- <script/> -->b", "ab\n"),
        ("<h:h2 xmlns:h='http://www.w3.org/1999/xhtml'>T</h:h2><h:p>a</h:p>", "## T\n\na\n"),
        ("<p>a <![CDATA[<b>]]> <em/>b</p>", "a <b> b\n"),
    ],
)
def test_xhtml_is_read_as_it_is_meant(inner: str, text: str) -> None:
    head = "<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y' [<!ENTITY co 'c'>]>\n<html xmlns='http://www.w3.org/1999/xhtml'>"
    assert parsed(f"{head}<head><title/></head><body>{inner}</body></html>", "x.xhtml").text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>日本語の文章は\n  空白なしで続く。\nIt ends", "日本語の文章は空白なしで続く。 It ends\n"),
        ("<h2>見出し\n二行</h2><p>漢字<br>改行 한국어\n문장", "## 見出し二行\n\n漢字\n改行 한국어 문장\n"),
        ("<dl><dt>T<dd>D<dd>E<dt>U<dd>F</dl>x", "T\n: D\n: E\n\nU\n: F\n\nx\n"),
        ("<details><summary>More</summary><p>a</details>", "More\n\na\n"),
    ],
)
def test_line_ends_and_lists_of_terms(body: str, text: str) -> None:
    assert parsed(body, "p.html").text == text
