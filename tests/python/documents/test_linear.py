"""Every parser and every cleaner takes time in proportion to the text, whatever the text repeats (SEC-03)."""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import Callable

import pytest

from growth import SMALL, TIMES, is_linear, repeated
from knarr.abstracts.extractive import folder_abstract
from knarr.checker.constraints import needs
from knarr.checker.evidence import numbers
from knarr.documents import Limits, parse
from knarr.documents.chunks import chunk
from knarr.documents.pdf.furniture import without_furniture
from knarr.documents.pdf.grid import placed_table
from knarr.documents.pdf.headings import OutlineEntry, locate
from knarr.documents.pdf.lines import CELL_SEPARATOR, Line, page_lines
from knarr.documents.pdf.tables import TextRow, find_tables
from knarr.documents.sections import DEEPEST, Heading, section_tree
from knarr.documents.tables import Cell, table_text
from knarr.errors import DocumentError
from knarr.language import citations, lexical, passages, sentences, words
from knarr.language.markup import running_text
from knarr.language.plain import MOST_QUERY_BYTES, one_line
from knarr.language.question import asks_beyond, constraints, content_words, focus_words, parts
from knarr.models.embed.tokens import RegexTokenizer
from knarr.writing.layout import lay_out
from make_docx import docx, numbering, p, run
from make_pdf import Page, pdf

TOKENS = RegexTokenizer()

# Openings that are never closed, marks that may begin or end something, and what nests.
UNITS = [
    "[", "![", "[a](", "([", "](", "[a]: b \"\n", "[a]: <", "<", "<a ", "<a", "</", "<!--", "&lt;!--", "<![CDATA[", "<?",
    "<a href=\"", "<style", "*", "**", "_", "____ ", "`", "```\n", "~~~", "|", "|-", "| a | b |\n", "|---|", ">", "> > ",
    ">- ", "#", "# a\n", "- ", "- - ", "-\n", "&", "&#", "\\", "(", "\"", "'", "“", " ", "\t", "\n", " \n", "\n\n", ".",
    "... ", "a", "A ", "é", "好", "1", "1 ", "1.1 ", "1.1 A\n", "(a) ", "1. TITLE\n", "ARTICLE I\n", "ARTICLE I ", "Item 1.\n",
    "EXHIBIT A\n", "CONTENTS\nARTICLE 1\n", "TITLE\n", "TITLE\n-----\n", "a .... 1\n", "{#", "e.g. ", "and what ",
    "A of ", "versions 1, ", "a-\n", "a\f", "<div>", "<p><b>", "<table><tr><td>", "<ul><li>", "<blockquote>", "<h1>", "<header>",
    "<table><tr><td rowspan=9 colspan=9>a", "<tr><th rowspan=0>a<td>b", "<button>a", "<p hidden>", "data:,", "data:a/a;a=a,", "---\na: [\n",
]  # fmt: skip


def _question(text: str) -> None:
    constraints(text), content_words(text), parts(text), focus_words(text), asks_beyond("in 2023", text)


CLEANERS: dict[str, Callable[[str], object]] = {
    "running_text": running_text,
    "one_line": one_line,
    "sentences": sentences.sentence_spans,
    "prose": lambda text: list(sentences.prose_spans(text, 0, len(text))),
    "passages": passages.passages,
    "lines and sentences": passages.sentences,
    "folded": citations.fold,
    "fault of a quote": lambda text: citations.fault_of(text, text + " else", [text[:-1]]),
    "word forms": words.forms,
    "proper names": words.proper_forms,
    "versions": lambda text: words.versions(text, named=True),
    "terms": lexical.terms,
    "abstract": lambda text: folder_abstract("t", [], [text], 100),
    "question": _question,
    "needs": lambda text: list(needs(text)),
    "numbers": numbers,
}

BOUNDED = ("question", "needs")  # texts that are never longer than `MOST_QUERY_BYTES`


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt"])
def test_parsers_are_linear(suffix: str) -> None:
    def work(text: str) -> None:
        with contextlib.suppress(DocumentError):  # a page may show nothing
            parse(text.encode(), f"sample{suffix}")

    assert [unit for unit in UNITS if not is_linear(work, unit)] == []


@pytest.mark.parametrize("cleaner", CLEANERS)
def test_cleaners_are_linear(cleaner: str) -> None:
    small = SMALL if cleaner not in BOUNDED else MOST_QUERY_BYTES // TIMES
    assert [unit for unit in UNITS if not is_linear(CLEANERS[cleaner], unit, small)] == []


def test_laying_out_is_linear() -> None:
    """Equal headings, many tables in one section, one endless line, one endless table row."""

    def work(text: str) -> None:
        document = parse(text.encode(), "sample.md")
        lay_out(document, "sample", TOKENS, chunk_tokens=64, abstract_tokens=64, preview_chars=80)

    units = ["# same\n\n", "# same\ntext\n\n", "a | b\n-|-\n1 | 2\n\n", "[", "a ", "a\n\n", "<!--"]
    assert [unit for unit in units if not is_linear(work, unit)] == []
    row = "| " + repeated("cell | ", 40_000).replace("\n", " ") + " |\n"
    table = parse(f"{row}{'|-' * row.count('|')}\n{row}".encode(), "wide.md")
    assert max(part.tokens for part in chunk(table, TOKENS, 64)) <= 64


def test_equal_headings_by_the_thousand_keep_their_names() -> None:
    document = parse(b"# same\n\n" * 20_000, "sample.md")
    laid = lay_out(document, "sample", TOKENS, chunk_tokens=64, abstract_tokens=64, preview_chars=80)
    paths = [section.path for section in laid.sections]
    assert len(set(paths)) == 20_001 and paths[-1] == "same~20000"


def test_sections_have_a_deepest_level() -> None:
    headings = [Heading(f"h{at}", at + 1, at, at) for at in range(5_000)]
    depth, level = 0, [section_tree("t", 5_000, headings)]
    while level:
        level = [child for section in level for child in section.children]
        depth += 1
    assert depth == DEEPEST + 1


def _line(text: str, page: int, y: float) -> Line:
    return Line(text, 1, 50.0, 300.0, y, 10.0, False, False, page)


def test_furniture_of_many_pages_is_linear() -> None:
    def work(text: str) -> None:
        pages = [
            [_line("Annual report", at, 800.0), *(_line(f"Row {at} {n}", at, 700.0 - n) for n in range(20))]
            for at in range(len(text))
        ]
        assert without_furniture(pages)[1]

    assert is_linear(work, "p", 500)


def test_an_outline_over_one_endless_page_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of entries that point at one page do not each look at every line of it."""
    looks = 0

    class Counting(str):
        def __eq__(self, other: object) -> bool:
            nonlocal looks
            looks += 1
            return str.__eq__(self, str(other))

        __hash__ = str.__hash__

    monkeypatch.setattr("knarr.documents.pdf.headings.MOST_LOOKS", 10_000)
    monkeypatch.setattr("knarr.documents.pdf.headings.plain", lambda text: Counting(text.lower()))
    lines = [_line(f"line {at}", 0, 800.0) for at in range(3_000)]
    locate(lines, [OutlineEntry(1, f"entry {at}", 0, None) for at in range(500)])
    assert 0 < looks <= 40_000


def _docx(body: str, lists: str = "") -> bytes:
    return docx(p("Title", style="Title") + body, lists=lists)


def test_word_files_are_linear() -> None:
    """Fields that are never closed, and a list whose levels are overridden again and again."""
    begin = '<w:r><w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="separate"/></w:r>'

    def fields(text: str) -> None:
        assert "word" in parse(_docx(p((begin + run("word ")) * len(text))), "a.docx").text

    def overrides(text: str) -> None:
        levels = numbering({1: [("decimal", "%1.")]}).replace("</w:num>", _OVERRIDE * len(text) + "</w:num>")
        body = p("item", list_=(1, 0)) * len(text)
        assert f"{len(text)}. item" in parse(_docx(body, levels), "a.docx").text

    assert is_linear(fields, "f", 300)
    assert is_linear(overrides, "o", 60)


_OVERRIDE = '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="1"/></w:lvlOverride>'


def test_one_wide_row_does_not_widen_a_long_table() -> None:
    """Nine hundred cells in one row and nine hundred rows of one cell are not a million places."""
    wide = [Cell(f"c{at}") for at in range(900)]
    assert table_text([wide, *([Cell("x")] for _ in range(900))]) is None
    assert table_text([[Cell("a"), Cell("b")]] * 900) is not None


def test_a_page_that_is_named_again_and_again_is_refused_at_once() -> None:
    """A page is named in six bytes; each time it would be read anew."""
    once = pdf([Page().lines(72, 720, ["Rates for residents"])])
    number = once.split(b"/Kids [")[1].split()[0]
    again = once.replace(b"/Kids [", b"/Kids [" + (number + b" 0 R ") * 19_000).replace(
        b"/Count 1", b"/Count 19001"
    )
    with pytest.raises(DocumentError, match="19,001 pages in") as refused:
        parse(again, "again.pdf")
    assert refused.value.status == "limit"


def test_lines_beyond_those_whose_structure_is_read_stay_in_the_text() -> None:
    text = "1. FIRST\n\nText.\n\n2. SECOND\n\nText.\n\n" + "ab\n" * 100 + "3. THIRD\n\nText.\n"
    limits = Limits(text_lines=50, markdown_lines=50)
    document = parse(text.encode(), "a.txt", limits=limits)
    document.check()
    assert document.text == text
    assert [section.title for section in document.root.children] == ["1. FIRST", "2. SECOND"]
    assert document.notes == ("headings were read in the first 50 of 112 lines",)
    markdown = parse(b"# A\n\n" + b"ab\n" * 100 + b"# B\n", "a.md", limits=limits)
    markdown.check()
    assert [section.title for section in markdown.root.children] == ["A"] and markdown.text.endswith("# B\n")
    assert markdown.notes == ("headings were read in the first 50 of 104 lines",)


def test_short_lines_by_the_million_take_a_few_times_their_bytes() -> None:
    """Fifteen megabytes took seven hundred; here a fifth of it, by what Python itself asks for."""
    data = b"ab\n" * 200_000
    limits = Limits(text_lines=2_000, markdown_lines=2_000)
    for suffix in (".txt", ".md", ".html"):
        tracemalloc.start()
        try:
            document = parse(data, f"a{suffix}", limits=limits)
            lay_out(document, "a", TOKENS, chunk_tokens=512, abstract_tokens=64, preview_chars=80)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 25 * len(data), (suffix, peak / len(data))


def _words(cells: int, row: int, x: Callable[[int], float], text: str) -> list[list[object]]:
    return [[text, x(at), x(at) + 9.0, 800.0 - 0.5 * row, 0.5, 0, 0] for at in range(cells)]


PAGES: dict[str, Callable[[int], list[list[object]]]] = {
    "a long table": lambda n: [w for at in range(n) for w in _words(4, at, lambda x: 100.0 * x, "12")],
    "one wide row": lambda n: _words(n, 0, lambda x: 11.0 * x, "12"),
    "wide rows of words": lambda n: [w for at in range(3) for w in _words(n, at, lambda x: 11.0 * x, "word")],
    "rows nowhere under each other": lambda n: [
        w for at in range(n) for w in _words(3, at, lambda x, at=at: 3_000.0 * x + 11.0 * (at % 270), "12")
    ],
}


@pytest.mark.parametrize("kind", PAGES)
def test_pages_of_a_pdf_are_linear(kind: str) -> None:
    def work(text: str) -> None:
        lines = page_lines(PAGES[kind](len(text)), 0)
        rows = [TextRow(tuple(line.text.split(CELL_SEPARATOR)), line.places) for line in lines]
        for table in find_tables(rows):
            placed_table(rows[table.begin : table.first], rows[table.first : table.end])

    assert is_linear(work, "p", 300)
