"""Markdown: headings as CommonMark says, nothing lost, hostile files bounded."""

from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knarr.documents import Limits, parse
from outlines import outline, own_bytes, own_text, parsed, titles

# -- ING-01 ---------------------------------------------------------------------------------------


def test_equal_headings_are_sections_of_their_own() -> None:
    text = "# Culture\n\nalpha-1\n\n# Culture\n\nbeta-2\n\n## Culture\n\ngamma-3\n\n# Culture\n\ndelta-4\n"
    document = parsed(text, "c.md")
    assert outline(document) == [(1, "Culture"), (1, "Culture"), (2, "Culture"), (1, "Culture")]
    assert [len(s.children) for s in document.root.children] == [0, 1, 0]
    assert outline(parsed(text, "c.md")) == outline(document)


def test_forty_equal_headings_stay_forty() -> None:
    document = parsed("".join(f"# Same\n\nn{i}\n\n" for i in range(40)), "c.md")
    assert titles(document) == ["Same"] * 40


# -- ING-02 ---------------------------------------------------------------------------------------

TILDES = "~~~\n# fake\n\ttab\ttrailing  \n\u00a0no-break\n~~~\n"
LONGER = "````\n```\n# fake\n```\n\ttab  \n````\n"
INDENTED = "   ```text\n# fake\n\u00a0\tkept  \n   `````\n"


@pytest.mark.parametrize("code", [TILDES, LONGER, INDENTED])
def test_fenced_lines_are_no_headings_and_stay_as_they_are(code: str) -> None:
    document = parsed(f"# Real\n\n{code}\n# Next\n", "f.md")
    assert titles(document) == ["Real", "Next"]
    assert code in own_text(document, "Real")


def test_an_unclosed_fence_reaches_the_end() -> None:
    document = parsed("# Real\n\n```\n# fake\n\n# fake too\n", "f.md")
    assert titles(document) == ["Real"]


def test_indented_code_is_no_heading() -> None:
    assert titles(parsed("# Real\n\n    # fake\n", "f.md")) == ["Real"]


@pytest.mark.parametrize(
    "block",
    [
        "<div>\n# fake\n</div>\n",
        "<!-- YAML\n# fake\nadded: v1\n-->\n",
        "<pre>\n\n# fake\n\n</pre>\n",
        "> # quoted\n",
        "- # in an item\n",
        "#40888: no space, no heading\n",
        "#no-space\n",
        "####### seven\n",
        "\\# escaped\n",
        "| # a | b |\n|---|---|\n| # c | d |\n",
    ],
)
def test_what_looks_like_a_heading_and_is_none(block: str) -> None:
    document = parsed(f"# Real\n\n{block}\n# Next\n", "f.md")
    assert titles(document) == ["Real", "Next"]
    assert block in own_text(document, "Real")


# -- ING-03 ---------------------------------------------------------------------------------------

FRONT = "---\nauthor: A\ntags: [x, y]\n---\n"


def test_front_matter_setext_and_closing_hashes() -> None:
    text = FRONT + "\nIntro words.\n\nGuide\n=====\n\ntext\n\nSub\n---\n\n## Notes ##\n\n## C#\n\nx"
    document = parsed(text, "g.md")
    assert document.text == text
    assert outline(document) == [(1, "Guide"), (2, "Sub"), (2, "Notes"), (2, "C#")]
    assert b"Intro words." in own_bytes(document)[0]
    lines = text.split("\n")
    for section in document.root.walk():
        if section.level:
            assert section.title in lines[document.line_at(section.begin_byte) - 1]
    guide = document.root.children[0]
    assert document.data[guide.body_byte :].startswith(b"\ntext")


def test_a_file_without_headings_is_one_section() -> None:
    document = parsed("first plain line\nsecond plain line\n", "plain.md")
    assert outline(document) == []
    assert document.title == "plain"


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    document = parsed("---\n# Kept\n---\n\nwords\n", "r.md")
    assert titles(document)[0] == "Kept"


@pytest.mark.parametrize(
    "text",
    [
        "---\nJust a sentence.\n---\n\n# Kept\n",
        "---\n\nkey: after a blank line\n---\n\n# Kept\n",
        "---\n# Kept\nwithout an end: yes\n",
        "key: value\n---\n\n# Kept\n",
    ],
)
def test_near_front_matter_is_markdown(text: str) -> None:
    assert "Kept" in titles(parsed(text, "r.md"))


def test_front_matter_with_lists_comments_and_dots() -> None:
    text = '---\n# a comment\ntitle: "It\'s here"\ntags:\n  - one\n- two\nempty:\n...\n# Top\n'
    document = parsed(text, "r.md")
    assert document.title == "It's here"
    assert outline(document) == [(1, "Top")]


# -- ING-04 ---------------------------------------------------------------------------------------


def test_skipped_levels_keep_siblings_beside_each_other() -> None:
    document = parsed("# A\n\na\n\n### B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n", "s.md")
    (a,) = document.root.children
    assert [child.title for child in a.children] == ["B", "C", "D"]
    document = parsed("### X\n\nx\n\n# Y\n\ny\n", "s.md")
    assert [child.title for child in document.root.children] == ["X", "Y"]


# -- ING-07 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "encoding"), [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")]
)
def test_byte_order_marks_leave_no_trace(mark: bytes, encoding: str) -> None:
    document = parsed(mark + "# First\r\n\r\nbody\r\n".encode(encoding), "b.md")
    assert titles(document) == ["First"]
    assert document.title == "First"
    assert re.search(r"^body$", document.text, re.MULTILINE)
    assert "\ufeff" not in document.text and "\r" not in document.text


# -- titles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## Class: `assert.CallTracker`", "Class: assert.CallTracker"),
        ("## [Linked](http://x.y) *and* **bold**", "Linked and bold"),
        ("## Name {#the-id .cls}", "Name"),
        ("## Name [¶](#name)", "Name"),
        ("## Name [#](#name 'Link')", "Name"),
        ('## <a id="name"></a>Name', "Name"),
        ("## Name<!-- note -->", "Name"),
        ("## a_b_c `x_y` 2 * 3", "a_b_c x_y 2 * 3"),
        ("## Tom &amp; Jerry \\*", "Tom & Jerry *"),
        ("## ![Alt *text*](a.png) Logo", "Alt text Logo"),
        ("## [ref][r]\n\n[r]: http://x", "ref"),
        ("## C# [sharp](x)", "C# sharp"),
    ],
)
def test_titles_show_what_a_reader_sees(line: str, title: str) -> None:
    assert titles(parsed(f"{line}\n\ntext\n", "t.md")) == [title]


def test_a_setext_title_over_two_lines_is_one_line() -> None:
    assert titles(parsed("two\nlines\n===\n\nx\n", "t.md")) == ["two lines"]


@pytest.mark.parametrize("line", ["#", "## ", "## <a id='x'></a>", "## ![](x.png)"])
def test_a_heading_that_shows_nothing_is_no_section(line: str) -> None:
    document = parsed(f"# Real\n\n{line}\n\nwords\n", "t.md")
    assert titles(document) == ["Real"]
    assert "words" in own_text(document, "Real")


def test_a_long_title_is_cut() -> None:
    (title,) = titles(parsed("# " + "long " * 500 + "\n", "t.md"))
    assert len(title) <= 300 and title.endswith("…")


# -- titles without headings ----------------------------------------------------------------------


def test_bold_lines_are_titles_when_there_is_no_heading() -> None:
    document = parsed("**Install**\n\nRun it.\n\n__Use:__\n\nCall it. **Not** this.\n", "b.md")
    assert outline(document) == [(1, "Install"), (1, "Use")]
    assert document.title == "b"


def test_release_notes_saved_as_text_have_titles() -> None:
    entries = "\n\n".join(f"#{n}: Fixed something in the parser" for n in range(100, 110))
    text = f"Highlights\n\nModes:\n\nNew switch for the theme of pages.\n\n🎨 CSS\n\n{entries}\n\nAssets\n\n4 files to load\n"
    assert outline(parsed(text, "v1.2.md")) == [(1, "Highlights"), (2, "Modes"), (1, "🎨 CSS"), (1, "Assets")]


def test_prose_gets_no_such_titles() -> None:
    text = "Dear reader\n\nThis is a letter of some length.\n\nYours\n\nThe writer of it all, signed here.\n"
    assert outline(parsed(text, "l.md")) == []


def test_one_real_heading_turns_them_off() -> None:
    assert titles(parsed("**Bold**\n\nx\n\n# Real\n\ny\n", "b.md")) == ["Real"]


# -- tables ---------------------------------------------------------------------------------------


def test_tables_are_recorded_with_header_and_rows() -> None:
    text = "# T\n\né before\n\n| Port | Owner |\n| --- | :-: |\n| p-1 | a \\| b |\n| p-2 | c |\n\nafter\n"
    document = parsed(text, "t.md")
    (table,) = document.tables
    data = document.data
    assert data[table.begin_byte : table.end_byte].decode().startswith("| Port")
    assert table.header == "| Port | Owner |\n| --- | :-: |\n"
    assert [data[at : at + 5] for at in table.row_begins] == [b"| p-1", b"| p-2"]
    assert data[table.end_byte :] == b"\nafter\n"


def test_a_table_without_outer_pipes_and_rows() -> None:
    (table,) = parsed("a | b\n--- | ---\n1 | 2\n# Not a row\n", "t.md").tables
    assert len(table.row_begins) == 1
    (table,) = parsed("| a |\n| - |", "t.md").tables
    assert table.row_begins == ()


@pytest.mark.parametrize(
    "text", ["a | b\n--- | --- | ---\n", "a\n|-|\n", "    | a |\n    |---|\n", "| a |\n| b |\n"]
)
def test_what_is_no_table(text: str) -> None:
    assert parsed(text, "t.md").tables == ()


# -- any text -------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "# A",
        "## B ##",
        "### C",
        "text",
        "  text",
        "    code",
        "",
        "",
        "```",
        "~~~",
        "---",
        "===",
        "- item",
        "1. x",
        "> q",
        "> # q",
        "| a | b |",
        "|---|---|",
        "<div>",
        "<!--",
        "-->",
        "**bold**",
        "key: value",
        "[a]: b",
        "\tx",
        "#9 é 漢 🎉",
        "\u2028",
        "\x0c",
    ]
)


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_no_line_is_ever_lost(text: str) -> None:
    if not text.strip():
        return
    document = parsed(text, "any.md")
    assert document.text == text


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_keeps_the_invariants(text: str) -> None:
    if not text.strip().strip("\ufeff\0") or text.encode("utf-8", "ignore").decode() != text:
        return
    if sum(ord(ch) < 32 and ch not in "\t\n\x0b\x0c\r\x1b" for ch in text) > 1:
        return
    try:
        parsed(text, "any.md")
    except ValueError as error:
        assert getattr(error, "status", "") in ("empty", "unsupported")


# -- SEC-03 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        ">" * 100_000,
        "[" * 100_000,
        "> " * 50_000,
        "- " * 50_000,
        "# " + "[" * 100_000,
        "# " + "*a " * 30_000,
        "# " + "`" * 99_999 + "x",
        "[x](" * 25_000,
        "|" * 50_000 + "\n" + "|-" * 50_000,
        "*" * 100_000,
        "<" * 100_000,
    ],
)
def test_hostile_lines_are_read_as_text(line: str) -> None:
    document = parsed(f"# Real\n\n{line}\n\n# Next\n", "h.md")
    assert document.text.count(line) == 1
    assert titles(document)[0] == "Real" and titles(document)[-1] == "Next"


def test_structure_is_read_up_to_the_limit_of_lines() -> None:
    text = "# Kept\n\n" + "x\n\n" * 20 + "# Beyond\n"
    document = parse(text.encode(), "l.md", limits=Limits(markdown_lines=10))
    document.check()
    assert titles(document) == ["Kept"]
    assert document.text == text
    assert "first 10" in document.notes[0]


def test_headings_in_html_are_sections() -> None:
    """ING-35"""
    text = (
        '<div>\n<h1 align="center">\n  <img src="x" alt="Logo"> Name &amp; <b>more</b>\n</h1>\n</div>\n\ntext\n\n## Part\n\n'
        "<!-- <h2>No</h2> -->\n\n<pre>\n<h2>No</h2>\n</pre>\n\n<table><tr><td><h3>No</h3></td></tr></table>\n\n<h3>Deep</h3>\n"
    )
    document = parsed(text, "a.md")
    assert outline(document) == [(1, "Logo Name & more"), (2, "Part"), (3, "Deep")]
    assert document.line_at(document.root.children[0].begin_byte) == 2 and document.text == text


@pytest.mark.parametrize("mark", ["<h1>", "<h1", "<h1><h2>", "<!--", "<img alt=", "<h1 a='"])
def test_broken_html_is_read(mark: str) -> None:
    parsed(f"<div>{mark * 20_000}\n\n# Top\n", "a.md")


def test_mdx_is_markdown_among_components() -> None:
    """ING-35"""
    text = (
        "import Tabs from '@theme/Tabs'\nexport const meta = {\n  title: 'x',\n}\n\n# Top {#id}\n\n<Tabs>\n  <Tab>\n"
        "    ## Inside\n    text\n    ```py\n    # code\n    ```\n  </Tab>\n</Tabs>\n\n<h2>Html</h2>\n"
    )
    document = parsed(text, "a.mdx")
    assert outline(document) == [(1, "Top"), (2, "Inside"), (2, "Html")] and document.text == text


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("See [[Page|the page]] now", "See the page now"),
        ("~~Old~~ name[^1]", "Old name"),
        (":rocket: Start here", "Start here"),
        ("The sum $x^2$ of `a_b`", "The sum $x^2$ of a_b"),
    ],
)
def test_what_a_title_shows(source: str, title: str) -> None:
    assert titles(parsed(f"# {source}\n", "a.md")) == [title]


def test_marks_without_a_space_head_sections_where_no_others_are() -> None:
    assert outline(parsed("#标题\n\n文字\n\n##小节\n\n文字\n", "a.md")) == [(1, "标题"), (2, "小节")]
    assert outline(parsed("# Real\n\n#hashtag\n\n#other\n", "a.md")) == [(1, "Real")]
    assert titles(parsed("#include <x>\n", "a.md")) == []
