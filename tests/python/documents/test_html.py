"""HTML: canonical Markdown, headings, tables; frames left out, nothing else; hostile pages bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.documents import Limits, parse
from knarr.errors import DocumentError
from outlines import outline, parsed, titles


def text_of(body: str) -> str:
    return parsed(f"<!doctype html><html><body>{body}</body></html>", "p.html").text


PAGE = """<!doctype html><html><head><title>Late fees — ACME Help</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav><main><h1>Late  fees</h1><p>A fee of <b>5&nbsp;%</b> is due.</p>
<h3>After <em>ten</em> days</h3><p>More.</p><div role="heading" aria-level="2">Contact</div><p>Call us.</p></main>
<script>var hidden = 1</script></body></html>"""


def test_headings_text_and_title() -> None:
    document = parsed(PAGE, "late.html")
    assert document.title == "Late fees"
    assert outline(document) == [(1, "Late fees"), (3, "After ten days"), (2, "Contact")]
    assert document.text == (
        "# Late fees\n\nA fee of 5 % is due.\n\n### After ten days\n\nMore.\n\n## Contact\n\nCall us.\n"
    )
    assert "left out 4 characters" in document.notes[0]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a <b>b</b>\n  c<br>d", "a b c\nd\n"),
        ("<p>x <a href='http://u'>link</a> <code>f(x)</code></p>", "x link `f(x)`\n"),
        ("<p>see<img alt='the chart' src=x></p>", "see the chart\n"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul><p>d", "- a\n- b\n  - c\n\nd\n"),
        ("<ol start=9><li>a<li><p>b</p><p>c</p></ol>", "9. a\n10. b\n\n    c\n"),
        ("<blockquote><h2>q</h2><p>r<br>s</p></blockquote>", "> q\n\n> r\n> s\n"),
        ("<pre>\n  x\n\t```\n</pre>", "````\n  x\n\t```\n````\n"),
        ("a<hr>b", "a\n\n---\n\nb\n"),
        ("<dl><dt>T<dd>D</dl>", "T\n: D\n"),
        ("&lt;b&gt; &amp; <span>x</span>y", "<b> & xy\n"),
        ("<details><summary>S</summary>body</details>", "S\n\nbody\n"),
    ],
)
def test_elements(body: str, text: str) -> None:
    assert text_of(body) == text


def test_a_table_of_data_becomes_rows() -> None:
    rows = "".join(f"<tr><td>p-{n}<td><p>team<br>{n}</p>" for n in range(3))
    document = parsed(
        f"<h1>é</h1><table><caption>Ports</caption><tr><th>Port<th>Owner{rows}</table><p>after", "t.html"
    )
    (table,) = document.tables
    assert table.header == "| Port | Owner |\n| --- | --- |\n"
    assert len(table.row_begins) == 3
    assert document.data[table.row_begins[2] :].startswith(b"| p-2 | team 2 |\n")
    assert "Ports\n\n| Port" in document.text
    assert document.data[table.end_byte :] == b"\nafter\n"


def test_a_table_that_lays_out_the_page_is_read_as_text() -> None:
    document = parsed(
        "<table><tr><td><h2>Left</h2>a<td><h2>Right</h2><table><tr><td>b</table></table>", "t.html"
    )
    assert outline(document) == [(2, "Left"), (2, "Right")]
    assert document.tables == ()


def table_of(inner: str) -> str:
    return text_of(f"<table>{inner}</table>")


def test_rows_of_a_table_have_their_labels() -> None:
    """ING-16: th rows, thead, tfoot before tbody, spans to the end of a group, captions, hidden rows."""
    head = "<tr><th rowspan=2>Region<th colspan=2>Units sold<tr><th>2023<th>2024"
    body = "<tr><th rowspan=2>North<td>11<td>12<tr><td>21<td>22"
    expected = "| Region | Units sold 2023 | Units sold 2024 |\n| --- | --- | --- |\n| North | 11 | 12 |\n| North | 21 | 22 |\n"
    assert table_of(head + body) == expected
    assert table_of(head.replace("<th", "<td") + body.replace("<th", "<td")) == expected
    groups = (
        f"<caption>Sales</caption><thead>{head}<tfoot><tr><td>Sum<td>32<td>34<tbody>{body}<tr hidden><td>x"
    )
    assert table_of(groups) == f"Sales\n\n{expected}| Sum | 32 | 34 |\n"
    spans = "<tr><th>A<th>B<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3"
    assert table_of(spans).endswith("| x | 1 |\n| x | 2 |\n| y | 3 |\n")
    assert table_of(spans.replace("rowspan=0", "rowspan=99999999")) == table_of(spans)
    assert table_of("<tr><td colspan=77777777777>a<td>b<tr><td>c<td>d").count("|") < 20
    marked = "<thead><tr><td>Region<td>Price<tr><td><td>EUR<tbody><tr><td>North<td>11"
    assert table_of(marked) == "| Region | Price EUR |\n| --- | --- |\n| North | 11 |\n"


def test_a_table_inside_a_cell_is_text_of_the_cell() -> None:
    inner = "<table><tr><td>in1<td>in2<tr><td>in3</table>"
    assert table_of(f"<tr><td>a<td>see {inner} end<tr><td>b<td>c") == (
        "| a | see; in1, in2; in3; end |\n| --- | --- |\n| b | c |\n"
    )
    large = "<table>" + "".join(f"<tr><td>k{n}<td>v{n}" for n in range(20)) + "</table>"
    assert "| k7 | v7 |" in table_of(f"<tr><td>menu<td>{large}<tr><td>b<td>c")


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        ("<p hidden>secret</p>", "hidden"),
        ("<p style='color:red; DISPLAY : none !important'>secret</p>", "hidden"),
        ("<p style='visibility:hidden'>secret</p>", "hidden"),
        ("<span style='font-size:0px;'>secret</span>", "hidden"),
        ("<div style='opacity:0'><h2>secret</h2></div>", "hidden"),
        ("<dialog>secret</dialog>", "hidden"),
        ("<nav>secret</nav>", "navigation"),
        ("<div role=navigation>secret</div>", "navigation"),
        ("<div><header>secret</header></div>", "page header"),
        ("<footer><p>secret</p></footer>", "page footer"),
        ("<div role=contentinfo>secret</div>", "page footer"),
        ("<button>secret</button>", "buttons"),
        ("<svg><text>secret</text></svg>", "drawings"),
        ("<noscript>secret</noscript>", "for browsers without scripts"),
    ],
)
def test_what_a_reader_does_not_read_is_left_out_and_named(element: str, kind: str) -> None:
    """ING-17"""
    document = parsed(f"<h1>Top</h1><p>before {element} after</p><p>end</p>", "h.html")
    assert "secret" not in document.text and "after" in document.text
    assert document.notes == (f"left out 6 characters: {kind} 6",)


@pytest.mark.parametrize(
    "element",
    [
        "<details><summary>More</summary>kept</details>",
        "<p hidden=until-found>kept</p>",
        "<p style='font-size:0.9em; opacity:0.8; display:block'>kept</p>",
        "<article><header>kept</header></article>",
        "<section>x<footer>kept</footer></section>",
        "<h2><button>kept</button></h2>",
        "<button aria-expanded=false>kept</button>",
        "<dialog open>kept</dialog>",
        "<label>kept</label>",
    ],
)
def test_what_a_reader_reads_stays(element: str) -> None:
    document = parsed(f"<h1>Top</h1><p>before</p>{element}", "h.html")
    assert "kept" in document.text and document.notes == ()


def test_a_header_with_the_title_stays_and_a_page_of_frame_is_read() -> None:
    document = parsed("<header><h1>Guide</h1><p>by Ann</p><nav>menu</nav></header><p>text</p>", "h.html")
    assert document.text == "# Guide\n\nby Ann\n\ntext\n"
    assert text_of("<header>only</header><footer>frame</footer><p hidden>x</p>") == "only\n\nframe\n"


def test_a_page_is_written_in_plain_characters() -> None:
    """ING-18"""
    page = "Wert&shy;papier&shy;index scienti&#xFB01;c e&#x301;t&eacute; zero&#8203;width"
    assert text_of(f"<p>{page}") == "Wertpapierindex scientific été zerowidth\n"


def test_main_is_preferred_only_when_it_holds_the_text() -> None:
    words = "many words of the article " * 20
    document = parsed(f"<header>Site</header><main><p>{words}</main><footer>2026</footer>", "m.html")
    assert "Site" not in document.text and "left out 8 characters" in document.notes[-1]
    document = parsed(f"<div>{words}</div><main><p>short</main><footer>2026</footer>", "m.html")
    assert "short" in document.text and words.strip() in document.text
    assert document.notes == ("left out 4 characters: page footer 4",)


def test_empty_headings_and_quoted_ones_make_no_sections() -> None:
    document = parsed(
        "<h1></h1><h2> <img src=x> </h2><h2>A</h2><blockquote><h3>B</h3></blockquote>", "h.html"
    )
    assert titles(document) == ["A"]
    assert "B" in document.text


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Only</title><p>x", "Only"),
        ("<title>Other words</title><h1>Top</h1>", "Other words"),
        ("<title> </title><h1>Top</h1>", "Top"),
        ("<p>x", "page"),
    ],
)
def test_titles(page: str, title: str) -> None:
    assert parsed(page, "page.html").title == title


def test_a_declared_charset_is_used() -> None:
    page = "<meta charset='shift_jis'><p>日本語".encode("shift_jis")
    assert parsed(page, "j.html").text == "日本語\n"


def test_a_page_that_shows_nothing_has_no_text() -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"<html><script>x()</script><body><img src=a></body>", "e.html")
    assert error.value.status == "no_text"


WORDS = st.text("abcé漢 ", min_size=1, max_size=8).filter(lambda word: word.strip())
TAGS = st.sampled_from(
    [
        "p",
        "div",
        "b",
        "li",
        "ul",
        "ol",
        "h2",
        "h3",
        "td",
        "tr",
        "table",
        "pre",
        "blockquote",
        "span",
        "section",
        "code",
    ]
)


@given(st.lists(st.tuples(TAGS, WORDS, st.booleans()), min_size=1, max_size=25))
def test_no_word_is_lost_however_badly_nested(pieces: list[tuple[str, str, bool]]) -> None:
    page = "".join(f"<{tag}>{word} {f'</{tag}>' if closed else ''}" for tag, word, closed in pieces)
    document = parsed(page, "any.html")
    expected = sorted("".join(word.split()) for _, word, _ in pieces)
    shown = "".join(ch for ch in document.text if ch in "abcé漢")
    assert sorted(shown) == sorted("".join(expected))


# -- SEC-03 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "opening", ["<div>", "<ul><li>", "<table><tr><td>", "<b>", "<blockquote>", "<i><form>", "<a href=x>"]
)
def test_deep_pages_are_read_as_bare_text(opening: str) -> None:
    document = parsed("<p>before</p>" + opening * 100_000 + "deepest<p>after", "d.html")
    assert document.text.replace("\n", "").startswith("before")
    assert "deepest" in document.text and "after" in document.text
    assert document.notes[-1].startswith("limit")


def test_pages_of_many_tags_are_read_as_bare_text() -> None:
    page = "<p>word</p>" * 50 + "<style>hidden</style>"
    document = parse(page.encode(), "m.html", limits=Limits(html_tags=60))
    document.check()
    assert document.text.split() == ["word"] * 50
    assert "limit" in document.notes[-1]


@pytest.mark.parametrize(
    "page",
    ["x" + "<" * 200_000, "x<!--" + "<!--" * 50_000, "x<p " + "a=1 " * 100_000, "x" + "&amp" * 100_000],
)
def test_broken_pages_are_read(page: str) -> None:
    assert parsed(page, "b.html").text.startswith("x")
