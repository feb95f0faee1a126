"""Words that looks hide: marks of no width, ligatures, accents, line ends. Lines keep their numbers."""

from __future__ import annotations

import pytest

import knarr
from knarr.documents.line_ends import whole_words
from knarr.language.citations import locate
from knarr.language.plain import across_lines, one_line
from outlines import outline, parsed
from support import WriteDocs

NAMES = ["a.md", "a.txt", "a.rst"]


@pytest.mark.parametrize("name", NAMES)
def test_a_word_of_text_is_written_by_its_letters(name: str) -> None:
    """ING-18"""
    source = "Wert\u00adpapier scienti\ufb01c e\u0301te\u0301 zero\u200bwidth \uff34\uff25\uff2c\uff11 \uff76\uff9e\u200e \ufee1\n"
    assert parsed(source, name).text == "Wertpapier scientific été zerowidth TEL1 ガ م\n"
    kept = "می\u200cخواهم 👩\u200d🔧 3\u00a0kg 終わり！（注）\n"
    assert parsed(kept, name).text == kept


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("all of the infor-\nmation about it\n", "all of the information\nabout it\n"),
        ("all the infor\u00ad\n  mation, and\nmore\n", "all the information,\n  and\nmore\n"),
        ("a well known long-\nterm plan, long-term\n", "a well known long-term\nplan, long-term\n"),
        ("we know of the term, a long-\nterm plan and\n", "we know of the term, a long-term\nplan and\n"),
        (
            "Vor- und Nach-\nteile der Hoch-\nund Tiefbauten\n",
            "Vor- und Nachteile\nder Hoch-\nund Tiefbauten\n",
        ),
        ("the end of the sec-\ntion\n\nnext\n", "the end of the section\n\n\nnext\n"),
        ("one two three sec-\ntion\n====\n", "one two three sec-\ntion\n====\n"),
        ("left column ends-   right column\nhere and there     goes on\n", None),
        ("the flag is foo-\n\nbar is it\n", None),
        ("- one two-\n- three four\n", None),
        ("x = long_name-\nother\n", None),
    ],
)
def test_a_line_end_hides_no_word(source: str, shown: str | None) -> None:
    """ING-34"""
    text, notes = whole_words(source)
    assert text == (source if shown is None else shown)
    assert text.count("\n") == source.count("\n") and bool(notes) == (text != source)


def test_code_keeps_its_line_ends() -> None:
    code = "```\nsome of the infor-\nmation here\n```\n"
    assert parsed(code, "a.md").text == code
    assert parsed(code + "\nof the infor-\nmation here\n", "a.md").notes == (
        "words that a line end parted, whole on the line where they begin: 1",
    )


def test_titles_over_mended_lines_stay_titles() -> None:
    text = "# First\n\nall of the infor-\nmation about it\n\nSecond\n======\n\nx\n"
    document = parsed(text, "a.md")
    assert outline(document) == [(1, "First"), (1, "Second")]
    assert document.line_at(document.root.children[1].begin_byte) == 6


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_grep_and_search_find_words_that_looks_hide(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, name: str
) -> None:
    """ING-34"""
    text = "# Top\n\nThe Wert\u00adpapier is scienti\ufb01c.\nIt has all the infor-\nmation of e\u0301te\u0301.\n\n第一の文書管理シス\nテムです。[x]\n"
    kb.add(write_docs({name: text}), into="viking://w")
    found = {
        "Wertpapier": 3, "scientific": 3, "scienti\ufb01c": 3, "information": 4, "\\bété\\b": 5, "e\u0301te\u0301": 5,
        "管理システム": 7, "シス[テト]ム": None, "文書.*ス": 7,
    }  # fmt: skip
    for pattern, line in found.items():
        assert [match.line for match in kb.grep(pattern)] == ([] if line is None else [line]), pattern
    assert [match.line for match in kb.grep("システムです。[x]", literal=True)] == [7]
    assert "Wertpapier is scientific" in kb.read(kb.search("Wertpapier")[0].uri).text


def test_patterns_reach_over_line_ends_between_letters_alone() -> None:
    gap = r"(?:\n[ \t]*)?"
    assert across_lines("信息+[系统](?P<名字>口语)") == f"信{gap}息+[系统](?P<名字>口{gap}语)"
    assert across_lines(r"\Q信息\E\p{Han}é") == r"\Q信息\E\p{Han}é"
    assert across_lines("info 中 文") == "info 中 文"


def test_lines_of_scripts_without_spaces_join_without_one() -> None:
    """ING-34"""
    assert one_line("これは長い\n  文です。\n次 の行\nand so\non") == "これは長い文です。次 の行 and so on"
    assert one_line("ภาษา\nไทย") == "ภาษาไทย" and one_line("한국어\n문장") == "한국어 문장"
    source = "前文。これは長い\n文章です。後"
    assert locate("これは長い文章です。", source) == (3, 14)
