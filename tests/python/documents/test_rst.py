"""reStructuredText: titles by their marks, blocks as Markdown, and nothing lost that a reader sees."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.errors import DocumentError
from outlines import outline, parsed, titles


def test_the_order_of_marks_is_the_order_of_levels() -> None:
    """ING-33"""
    text = "=====\nGuide\n=====\n\nOne\n~~~\n\nx\n\nDeep ``code``\n-------------\n\nTwo\n~~~\n\nNo title\nat all\n--------\n"
    document = parsed(text, "a.rst")
    assert outline(document) == [(1, "Guide"), (2, "One"), (3, "Deep code"), (2, "Two")]
    assert document.title == "Guide" and document.format == "rst"
    assert "\n### Deep `code`\n" in document.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab\n==\n", ["ab"]),  # a short row that is long enough
        ("Longer than its row\n====\n", ["Longer than its row"]),
        ("Longer\n==\n", []),
        ("日本語の題\n==========\n", ["日本語の題"]),
        ("a::\n\n   Title\n   =====\n", []),
        (".. note::\n\n   text\n\nTitle\n=====\n", ["Title"]),
        (".. only:: html\n\n   Title\n   =====\n", ["Title"]),
        ("- item\n\n  Title\n  =====\n", []),
        ("a\n\n-----\n\nb\n", []),
    ],
)
def test_what_is_a_title(text: str, expected: list[str]) -> None:
    assert titles(parsed(text, "a.rst")) == expected


def test_literal_blocks_hold_no_markup() -> None:
    text = "Run::\n\n   .. note:: x\n\n     ```y\n\nand\n\n::\n\n> quoted ``z``\n"
    assert parsed(text, "a.rst").text == (
        "Run:\n\n````\n.. note:: x\n\n  ```y\n````\n\nand\n\n```\n> quoted ``z``\n```\n"
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (":ref:`here <lab>` and :ref:`lab`", "here and The place"),
        (":py:func:`~pkg.mod.run`, :class:`!K`", "`run`, `K`"),
        (":pep:`8` H\\ :sub:`2`\\ O", "PEP 8 H2O"),
        (
            "`docs <https://x.y>`_ and site_ and snake_case_ name_",
            "[docs](https://x.y) and [site](https://s.t) and snake_case_ name_",
        ),
        ("|p| for |e|", "The *Product* for €"),
        ("see [1]_ and [Lamport86]_", "see [^1] and [Lamport86]"),
        ("\\*not\\* ``*code*`` *em* **strong**", "*not* `*code*` *em* **strong**"),
    ],
)
def test_a_role_shows_its_text(source: str, shown: str) -> None:
    """ING-33"""
    names = "\n\n.. _site: https://s.t\n.. |p| replace:: The *Product*\n.. |e| unicode:: U+20AC\n\n.. _lab:\n\nThe place\n=========\n"
    assert parsed(source + names, "a.rst").text.split("\n")[0] == shown


def test_tables_become_pipe_tables() -> None:
    """ING-33"""
    grid = """\
+------+-----------+
| Name | Values    |
|      +-----+-----+
|      | a   | 値  |
+======+=====+=====+
| x    | 1   | 2   |
| long |     |     |
+------+-----+-----+
"""
    simple = """\
=====  =====  ======
   Inputs     Output
------------  ------
  A      B    A or B
=====  =====  ======
False  False  False
True          True
=====  =====  ======
"""
    listed = ".. list-table:: Prices\n   :header-rows: 1\n\n   * - Name\n     - Price\n   * - Tea\n     - 3\n\n       4\n"
    comma = '.. csv-table::\n   :header: "A","B"\n\n   1,"two, three"\n'
    document = parsed("\n".join((grid, simple, listed, comma)), "a.rst")
    assert len(document.tables) == 4
    for row in (
        "| Name | Values a | Values 値 |\n", "| x long | 1 | 2 |\n", "| Inputs A | Inputs B | Output A or B |\n",
        "| True |  | True |\n", "Prices\n\n| Name | Price |\n", "| Tea | 3 4 |\n", "| A | B |\n", "| 1 | two, three |\n",
    ):  # fmt: skip
        assert row in document.text


def test_a_crooked_table_stays_as_it_is() -> None:
    text = "+---+---+\n| a | b\n+---+---+\n"
    assert text in parsed(text, "a.rst").text


def test_fields_at_the_top_are_metadata() -> None:
    """ING-33"""
    text = ":orphan:\n\nTitle\n=====\n\n:Author: Jane\n         Doe\n:Version: 1.10\n\n.. meta::\n   :keywords: a, b\n\ntext\n"
    document = parsed(text, "a.rst")
    assert document.metadata == {"author": "Jane Doe", "version": "1.10", "keywords": "a, b"}
    assert "orphan" not in document.text and "Author: Jane" in document.text


def test_unknown_directives_are_text_and_comments_are_named() -> None:
    """ING-33"""
    text = (
        ".. weird:thing:: f(x)\n   :hidden:\n\n   Kept text.\n\n.. a comment\n   of two lines\n\n"
        ".. warning:: Hot\n\n.. versionadded:: 3.2\n   The flag.\n\n.. include:: other.rst\n\n.. autoclass:: pkg.K\n\n"
        ".. raw:: html\n\n   <b>x</b>\n\n.. image:: a.png\n   :alt: A harbour\n"
    )
    document = parsed(text, "a.rst")
    for kept in (
        "`f(x)`",
        "Kept text.",
        "**Warning:** Hot",
        "**New in version 3.2:** The flag.",
        "other.rst",
        "`pkg.K`",
        "![A harbour](a.png)",
    ):
        assert kept in document.text
    assert "comment" not in document.text and "hidden" not in document.text
    assert document.notes == (
        "left out: comments 1, other files that this one includes 1, places that Sphinx fills from source code 1, "
        "raw blocks for other formats 1",
    )


def test_lists_terms_and_notes_keep_their_place() -> None:
    text = "1. One\n\n   - in it\n     more\n\n2. Two\n\nterm\n    meaning\n\n.. [1] note\n   goes on\n\n| a\n| b\n"
    assert parsed(text, "a.rst").text == (
        "1. One\n\n   - in it\n     more\n\n2. Two\n\nterm\n: meaning\n\n[^1]: note\n  goes on\n\na\nb\n"
    )


def test_a_file_of_comments_has_no_text() -> None:
    with pytest.raises(DocumentError) as caught:
        parse(b".. nothing\n   here\n", "a.rst")
    assert caught.value.status == "no_text"


@pytest.mark.parametrize(
    "text",
    [
        "``" * 50_000, "`a <" * 30_000, "|a " * 40_000, "a\n" * 50_000 + "====\n", "- " * 20_000, "> " * 9_000,
        "\n".join(" " * depth + "x" for depth in range(1_500)), "\n".join(" " * depth + "- x" for depth in range(0, 3_000, 2)),
        "+-" * 20_000 + "+\n" + "|\n" * 20_000, "==== " * 9_000 + "\n" + "a\n" * 9_000, ".. x::\n" * 30_000, ":a:" * 40_000,
        "::\n\n" * 30_000, "x_ " * 60_000, ":r:`" * 30_000, "[#" * 50_000, "=\n" * 50_000, "\\" * 99_999,
    ],
)  # fmt: skip
def test_hostile_texts_are_read(text: str) -> None:
    parsed("word\n\n" + text, "a.rst")
