"""Every parser and every cleaner takes time in proportion to the text, whatever the text repeats (SEC-03)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

from growth import SMALL, TIMES, is_linear, repeated
from knarr.abstracts.extractive import folder_abstract
from knarr.checker.constraints import needs
from knarr.checker.evidence import numbers
from knarr.documents import parse
from knarr.documents.chunks import chunk
from knarr.documents.pdf.furniture import without_furniture
from knarr.documents.pdf.headings import OutlineEntry, locate
from knarr.documents.pdf.lines import Line
from knarr.documents.sections import DEEPEST, Heading, section_tree
from knarr.errors import DocumentError
from knarr.language import citations, lexical, passages, sentences, words
from knarr.language.markup import running_text
from knarr.language.plain import MOST_QUERY_BYTES, one_line
from knarr.language.question import asks_beyond, constraints, content_words, focus_words, parts
from knarr.models.embed.tokens import RegexTokenizer
from knarr.writing.layout import lay_out

TOKENS = RegexTokenizer()

# Openings that are never closed, marks that may begin or end something, and what nests.
UNITS = [
    "[", "![", "[a](", "([", "](", "[a]: b \"\n", "[a]: <", "<", "<a ", "<a", "</", "<!--", "&lt;!--", "<![CDATA[", "<?",
    "<a href=\"", "<style", "*", "**", "_", "____ ", "`", "```\n", "~~~", "|", "|-", "| a | b |\n", "|---|", ">", "> > ",
    ">- ", "#", "# a\n", "- ", "- - ", "-\n", "&", "&#", "\\", "(", "\"", "'", "“", " ", "\t", "\n", " \n", "\n\n", ".",
    "... ", "a", "A ", "é", "好", "1", "1 ", "1.1 ", "1.1 A\n", "(a) ", "1. TITLE\n", "ARTICLE I\n", "ARTICLE I ", "Item 1.\n",
    "EXHIBIT A\n", "CONTENTS\nARTICLE 1\n", "TITLE\n", "TITLE\n-----\n", "a .... 1\n", "{#", "e.g. ", "and what ",
    "A of ", "versions 1, ", "a-\n", "a\f", "<div>", "<p><b>", "<table><tr><td>", "<ul><li>", "<blockquote>", "<h1>",
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
    monkeypatch.setattr("knarr.documents.pdf.headings._plain", lambda text: Counting(text.lower()))
    lines = [_line(f"line {at}", 0, 800.0) for at in range(3_000)]
    locate(lines, [OutlineEntry(1, f"entry {at}", 0, None) for at in range(500)])
    assert 0 < looks <= 40_000
