"""Web pages: the text of an article without its frame, documents whole, and what goes named with its size."""

from __future__ import annotations

import pytest

from outlines import outline, parsed, titles

PROSE = (
    "The ferry to the island leaves at nine and comes back in the evening, when the tide allows it to land. "
)
ARTICLE = "".join(f"<p>{PROSE * 2}In the year {year} it was late.</p>" for year in range(2001, 2006))
MENU = "<div class='menu'>" + "".join(f"<a href='/{n}'>Topic {n}</a> " for n in range(12)) + "</div>"


def page(inner: str, head: str = "", beside: str = "") -> str:
    return (
        f"<html><head><title>Ferries | The Isle News</title>{head}</head><body>{MENU}<div id='page'>"
        f"<div class='col'><h1>Ferries</h1><p class='byline'>By Ann Smith, 4 May</p><div class='story'>{inner}</div></div>"
        f"{beside}</div></body></html>"
    )


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        ("<div class='share-bar'>secret <a href=x>Post</a></div>", "share bars"),
        ("<div class='relatedPosts'><h3>secret</h3><p>What you may like as well</p></div>", "related links"),
        (
            "<div id='comments'><p>secret, I was there myself and saw that it was not so at all, believe me.</p></div>",
            "comments",
        ),
        ("<aside>secret</aside>", "asides"),
        ("<div class='newsletter-signup'>secret</div>", "sign-up boxes"),
        ("<div class='cookie-consent'>secret</div>", "cookie notices"),
        ("<div class='breadcrumbs'><a href=a>secret</a> <a href=b>news</a></div>", "navigation"),
        ("<ul><li><a href=a>secret</a><li><a href=b>More of the same</a></ul>", "lists of links"),
        ("<p><a href=a>Read more of this secret story</a></p>", "lists of links"),
        ("<form>secret <input></form>", "forms"),
    ],
)
def test_what_stands_between_the_text_of_an_article_is_left_out_and_named(element: str, kind: str) -> None:
    document = parsed(page(f"{ARTICLE}{element}{ARTICLE.replace('20', '19')}"), "a.html")
    assert "secret" not in document.text and kind in document.notes[-1]
    assert "In the year 2001" in document.text and "In the year 1905" in document.text


def test_what_stands_beside_an_article_is_left_out_with_its_size() -> None:
    teasers = "".join(f"<div class='t{n}'><a href=x>Other news {n}</a></div>" for n in range(9))
    document = parsed(page(ARTICLE, beside=f"<div class='right'>{teasers}</div>"), "a.html")
    assert document.title == "Ferries" and titles(document) == []
    assert "Other news" not in document.text and "Topic" not in document.text
    assert "beside the main text" in document.notes[-1]
    assert document.text.count(PROSE.strip()) == 10


def test_a_lead_between_the_title_and_the_body_is_read() -> None:
    body = f"<h1>Ferries</h1><div class=x><p>{PROSE}</p></div><div class='article-body'>{ARTICLE}</div>"
    document = parsed(f"<body>{MENU}<div>{body}</div></body>", "a.html")
    assert document.text.startswith(PROSE.strip()) and "2005" in document.text


def test_a_heading_goes_with_what_it_announced() -> None:
    links = "<ul><li><a href=a>One story</a><li><a href=b>Two stories</a></ul>"
    document = parsed(
        page(f"<h2>Tides</h2>{ARTICLE}<h2>You may like</h2>{links}<h2>Fares</h2>{ARTICLE}"), "a.html"
    )
    assert titles(document) == ["Tides", "Fares"]
    assert "headings of what was left out 12" in document.notes[-1]


def test_comments_are_the_text_of_a_forum() -> None:
    posts = "".join(f"<div class='comment' id='comment-{n}'><p>{PROSE}Post {n}.</p></div>" for n in range(8))
    document = parsed(f"<body>{MENU}<h1>Is the ferry late?</h1><p>I wonder.</p>{posts}</body>", "f.html")
    assert all(f"Post {n}." in document.text for n in range(8))


@pytest.mark.parametrize(
    "document",
    [
        "<h1>Manual</h1><div><p>{0}</p></div><div><table><tr><th>Name<th>Use<tr><td>-a<td>all</table></div><div><ul><li><a href=x>"
        "See this</a><li><a href=y>See that</a></ul></div>",
        "<h1>Index</h1><ul><li><a href=a>Alpha</a><li><a href=b>See this</a><li><a href=c>See that</a></ul>",
        "<div class='comments'><p>See this: {0}</p></div><div class='author'>See that</div>",
        "<form><p>{0}</p><label>See this</label><p>See that</p></form>",
    ],
)
def test_a_page_without_frame_is_read_whole(document: str) -> None:
    text = parsed(f"<body>{document.format(PROSE * 3)}</body>", "d.html").text
    assert "See this" in text and "See that" in text


def test_a_page_of_a_tool_for_documents_is_read_whole() -> None:
    maker = "<meta name=generator content='Sphinx 7'><meta property='og:type' content='article'>"
    inner = f"{ARTICLE}<h2>See also</h2><ul><li><a href=a>Tides and moons</a><li><a href=b>Harbours</a></ul>"
    document = parsed(
        f"<head>{maker}</head><body>{MENU}<div role=main><h1>Ferries</h1>{inner}</div></body>", "d.html"
    )
    assert titles(document) == ["Ferries", "See also"] and "Harbours" in document.text


def test_a_caption_is_said_once() -> None:
    figure = "<figure><img src=x alt='{0}'><figcaption>{0}</figcaption></figure>".format(
        "The ferry at the pier of the isle, in May"
    )
    document = parsed(page(f"{ARTICLE}{figure}{ARTICLE}{figure}<img src=y alt='DSC_0042.jpg'>"), "a.html")
    assert document.text.count("at the pier") == 1 and "DSC" not in document.text


# -- titles, and what pages say of themselves --------------------------------------------------------


def test_what_a_page_says_of_itself() -> None:
    head = (
        "<meta name=description content='When they leave'><meta property='article:author' content='Ann Smith'>"
        "<meta property='article:published_time' content='2024-05-04'><link rel=canonical href='https://isle.example/f'>"
    )
    document = parsed(f"<html lang=en-GB><head>{head}</head><body><p>{PROSE}", "a.html")
    assert document.metadata == {
        "description": "When they leave",
        "author": "Ann Smith",
        "date": "2024-05-04",
        "url": "https://isle.example/f",
        "language": "en-GB",
    }


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Fares | Isle</title><meta property=og:title content=Fares>", "<p>x", "Fares"),
        (
            "<title>Fares | Isle</title>",
            "<header><h1><a href='/'>Isle</a></h1></header><h1>Fares</h1>",
            "Fares",
        ),
        ("<title>f10.htm</title>", "<p>x", "page"),
    ],
)
def test_the_title_is_the_page_s_own(head: str, body: str, title: str) -> None:
    document = parsed(f"<head>{head}</head><body>{body}", "page.html")
    assert document.title == title and "Isle" not in document.text


# -- headings of pages that have none by tag ----------------------------------------------------------


def test_bold_lines_are_headings_where_there_are_no_others() -> None:
    filing = (
        "<p align=center><b>PART I</b></p><table><tr><td><b>Item 1.</b></td><td><b>Business</b></td></tr></table>"
        f"<p>{PROSE}</p><p style='font-weight: bold'>Our harbours</p><p>{PROSE}</p><p><b>Note:</b> a word.</p>"
        f"<div><font><b>Item 2. Properties</b></font></div><p>{PROSE}</p><p><b>ISLE INC.</b></p><p>2</p><p><b>ISLE INC.</b></p>"
    )
    document = parsed(f"<body>{filing}</body>", "filing.html")
    assert outline(document) == [
        (1, "PART I"), (2, "Item 1. Business"), (3, "Our harbours"), (2, "Item 2. Properties"), (3, "ISLE INC."),
    ]  # fmt: skip
    assert document.title == "filing"
    assert titles(parsed(f"<h2>Fares</h2><p><b>Adults</b></p><p>{PROSE}", "f.html")) == ["Fares"]


def test_preformatted_text_has_the_sections_of_plain_text() -> None:
    text = "ARTICLE I\nTERMS\n\n1.1 Words. A word has its meaning.\n\n1.2 Größe. It may be.\n\nARTICLE II\nEND\n\n2.1 End. It ends.\n"
    document = parsed(f"<body><pre>{text}</pre></body>", "c.html")
    assert titles(document) == ["ARTICLE I TERMS", "1.1 Words", "1.2 Größe", "ARTICLE II END", "2.1 End"]


# -- elements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("10<sup>6</sup> m<sup>2</sup> 10<sup>-3</sup> x<sup>n+1</sup>", "10^6 m^2 10^-3 x^(n+1)\n"),
        ("1<sup>st</sup> CO<sub>2</sub> log<sub>2</sub>8", "1st CO2 log2 8\n"),
        ("said<sup><a href='#n1'>1</a></sup> so<sup><a href='#n2'>[2]</a></sup>", "said[1] so[2]\n"),
        ("<q>yes</q> <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>", "“yes” 漢字\n"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b\n"),
        ("<ol start=-1><li>a<li value=7>b<li>c</ol>", "-1. a\n7. b\n8. c\n"),
        (
            "<pre class='language-python'><code>\n  if x:\n      y\n</code></pre>",
            "```python\n  if x:\n      y\n```\n",
        ),
        ("<div class=highlight-c><pre>x;</pre></div>", "```c\nx;\n```\n"),
        ("<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>", "```\na\nb\n```\n"),
        ("<table><tr><td><pre>1\n3</pre><td><pre>a\nb</pre></table>", "```\n1\n3\n```\n\n```\na\nb\n```\n"),
        (
            "<h2>Use<a class=headerlink href='#u'>¶</a></h2><h3><a href='#v'>#</a> See <a>it</a></h3>",
            "## Use\n\n### See it\n",
        ),
        ("<a href='files/fares-2024.pdf?x=1'></a> <a href='#top'></a>", "fares-2024.pdf\n"),
        (
            "<x-c><template shadowrootmode=open><p>in</p></template></x-c><p>after<template>no</template>",
            "in\n\nafter\n",
        ),
    ],
)
def test_elements_as_they_are_shown(body: str, text: str) -> None:
    assert parsed(f"<!doctype html><html><body>{body}</body></html>", "p.html").text == text


def test_empty_elements_of_xhtml_end_at_once() -> None:
    inner = "<head><title/><script src='x'/></head><body><div/><h1><a name='t'/>Top</h1><p>a<br/>b <![CDATA[c < d]]></p></body>"
    for opening in ("<?xml version='1.0'?><html>", "<html xmlns='http://www.w3.org/1999/xhtml'>"):
        assert parsed(f"{opening}{inner}</html>", "x.html").text == "# Top\n\na\nb c < d\n"


def test_frames_are_named_and_pages_for_browsers_without_scripts_read() -> None:
    frames = (
        "<frameset><frame src=a.html><frame src=b.html><noframes><p>Use another browser</noframes></frameset>"
    )
    document = parsed(frames, "f.html")
    assert document.text == "Use another browser\n" and document.notes == (
        "frames are not read: 2, with a.html, b.html",
    )
    document = parsed(f"<div>Loading</div><noscript>{ARTICLE}</noscript>", "n.html")
    assert "In the year 2003" in document.text
