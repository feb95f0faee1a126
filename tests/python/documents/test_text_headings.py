"""Headings of plain text in the ways and languages that people write them, and what is no heading."""

from __future__ import annotations

import pytest

from outlines import Outline, outline, own_text, parsed, titles

BODY = "It was a bright cold day in the town, and the clocks were striking as they do at that time of the year.\n\n"


def test_chapters_begin_anew_in_every_book() -> None:
    """ING-36"""
    names, numbers = ("ONE", "TWO", "THREE"), ("I", "II", "III", "IV")
    contents = "A NOVEL\n\nCONTENTS\n\n" + "".join(
        f"BOOK {name}: 180{at}\n\n" + "".join(f"CHAPTER {number}\n\n" for number in numbers)
        for at, name in enumerate(names)
    )
    text = "".join(
        f"BOOK {name}: 180{at}\n\n\n" + "".join(f"CHAPTER {number}\n\n{BODY * 2}" for number in numbers)
        for at, name in enumerate(names)
    )
    expected = [
        one
        for at, name in enumerate(names)
        for one in ((1, f"BOOK {name}: 180{at}"), *((2, f"CHAPTER {n}") for n in numbers))
    ]
    assert outline(parsed(contents + "\n\n" + text, "a.txt")) == expected


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("Buch {}", "Kapitel {}"), ("LIVRE {}", "CHAPITRE {}"), ("TÍTULO {}", "Artículo {}. Objeto"), ("Часть {}", "Глава {}"),
        ("第{}章 总则", "第{}条 本法自发布之日起施行，适用于全体员工，以及其他有关的人员。"), ("第{}章　総則", "第{}条　この規則は、"),
        ("제{}장 총칙", "제{}조(목적) 이 규정은 회사의 업무에 관한 사항을 정한다."), ("الباب {}", "المادة {}"), ("חלק {}", "סעיף {}"),
        ("หมวด {}", "มาตรา {}"), ("Chương {}", "Điều {}. Phạm vi"), ("Part {}", "Chapter {}: The Day"), ("ACT {}", "SCENE {}. A street."),
    ],
)  # fmt: skip
def test_labels_of_many_languages_nest(upper: str, lower: str) -> None:
    """ING-36"""
    text = "".join(
        f"{upper.format(one)}\n\n" + "".join(f"{lower.format(two)}\n\n{BODY}" for two in range(1, 4))
        for one in range(1, 3)
    )
    levels = [level for level, _ in outline(parsed(text, "a.txt"))]
    assert levels == [1, 2, 2, 2, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Erstes Kapitel\n\n{0}Zweites Kapitel\n\n{0}", [(1, "Erstes Kapitel"), (1, "Zweites Kapitel")]),
        (
            "Chapter One\n\nThe Storm\n\n{0}Chapter Two\n\nThe Calm\n\n{0}",
            [(1, "Chapter One The Storm"), (1, "Chapter Two The Calm")],
        ),
        ("CHAPITRE PREMIER\n\n{0}CHAPITRE II\n\n{0}", [(1, "CHAPITRE PREMIER"), (1, "CHAPITRE II")]),
        (
            "一、总则\n\n{0}（一）目的\n\n{0}二、附则\n\n{0}",
            [(1, "一、总则"), (2, "（一）目的"), (1, "二、附则")],
        ),
        (
            "（目的）\n第一条　この規則は、会社の業務に関する事項を定めることを目的とする。\n（適用）\n第二条　すべての社員に適用する。\n",
            [(1, "第一条（目的）"), (1, "第二条（適用）")],
        ),
        ("§ 1 Name\n\n{0}§ 2 Zweck\n\n{0}", [(1, "§ 1 Name"), (1, "§ 2 Zweck")]),
        (
            "Section 3.1 - Scope\n\n{0}Section 3.2 - Fees\n\n{0}",
            [(1, "Section 3.1 Scope"), (1, "Section 3.2 Fees")],
        ),
        (
            "{0}Chapter 3 describes the method\nand chapter 4 the data.\n\nChapter 5, which is short,\n\n{0}",
            [],
        ),
        ("{0}第一章介绍了研究的背景和意义，以及方法。\n\n第二章讨论数据。\n\n{0}", []),
    ],
)
def test_what_a_label_is(text: str, expected: Outline) -> None:
    """ING-36"""
    assert outline(parsed(text.format(BODY), "a.txt")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Top\n\ntext\n\n## Part one\n\n1. item\n2. item\n\n## Part two\n\nmore\n", [(1, "Top"), (2, "Part one"), (2, "Part two")]),
        ("Top\n===\n\nIntro\n\nInstall\n-------\n\n1. Download the archive\n2. Run make\n\nUsage\n-----\n\nx\n", [(1, "Top"), (2, "Install"), (2, "Usage")]),
        ("#!/bin/sh\n# A comment\nset -e\n\n# Another\nrun it\n\n# Third\n\nend\n", []),
        ("LS(1)        Commands        LS(1)\n\nNAME\n       ls - list files\n\nSYNOPSIS\n       ls [FILE]\n", [(1, "NAME"), (1, "SYNOPSIS")]),
        ("1. Buy milk\n2. Call mom about the party\n3. Pay the rent\n\n" + BODY, []),
        ("From: Ann\nSubject: RE: BUDGET\n\nHi Bob,\n\nPlease find the figures below.\n\nBEST REGARDS\nAnn\n", []),
        ("import os\n\nCONSTANT_VALUE = 3\n\nclass A:\n    pass\n", []),
        ("2024-01-01 12:00:01 ERROR FAILED TO OPEN\n\nTraceback\n" * 20, []),
        ("[12:01] Ann: Hello there\n[12:02] Bob: FINE THANKS\n" * 20, []),
    ],
)  # fmt: skip
def test_marks_that_mean_headings_come_first(text: str, expected: Outline) -> None:
    """ING-37"""
    assert outline(parsed(text, "a.txt")) == expected


def test_numbers_at_the_margin_go_on_over_inner_lists() -> None:
    text = f"1.  Introduction\n\n   {BODY}   1.  The client sends a message.\n\n   2.  The server answers.\n\n1.1.  Terms\n\n   {BODY}2.  Protocol\n\n   {BODY}3.  Security\n\n   {BODY}"
    assert outline(parsed(text, "a.txt")) == [
        (1, "1. Introduction"),
        (2, "1.1. Terms"),
        (1, "2. Protocol"),
        (1, "3. Security"),
    ]


def test_numbers_in_the_margin_are_no_part_of_titles() -> None:
    """ING-37"""
    page = ["SUPERIOR COURT OF THE STATE", "", "I. INTRODUCTION", "", *["The plaintiff brings this action for what was done then."] * 3, "",
            "II. PARTIES", "", *["The defendant is a corporation that sells goods in the state."] * 4]  # fmt: skip
    text = "\n".join(f"{number:>2}  {line}".rstrip() for number, line in enumerate(page, 1)) + "\n"
    document = parsed(text, "a.txt")
    assert document.text == text and "numbers in the margin of 14 lines" in document.notes[-1]
    assert {"I. INTRODUCTION", "II. PARTIES"} <= set(titles(document))
    assert own_text(document, "II. PARTIES").startswith(" 9  II. PARTIES")


@pytest.mark.parametrize(
    "text",
    [
        "第一章 " * 50_000,
        "# a\n\n" * 50_000,
        "Chapter I\n" * 50_000,
        "Chapter I\n\n" * 30_000,
        "1 x\n" * 50_000,
        "Buch " * 60_000,
        "infor-\n" * 60_000,
    ],
)
def test_hostile_labels_are_read(text: str) -> None:
    parsed(text, "a.txt")
