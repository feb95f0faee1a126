"""Plain text: clauses by labels that follow each other, headings by looks, pages, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlines import outline, own_bytes, own_text, parsed, titles

BODY = "The parties shall do what is written here, in good faith and without delay, at their own cost."


def test_articles_sections_and_letters_nest() -> None:
    text = f"""SERVICE AGREEMENT

This Agreement is made between A and B on the first of May.

RECITALS

WHEREAS, A makes things and B uses them every day of the year.

ARTICLE I
DEFINITIONS

{BODY}

ARTICLE II

SERVICES

Section 2.1 Scope. {BODY}

Section 2.2 Fees. {BODY}

(a) Base Fee. {BODY}

(b) Late Fee. {BODY}

Section 2.3 Taxes. {BODY}

ARTICLE III
TERM

{BODY}

EXHIBIT A
PRICES

1. Hardware. {BODY}

2. Software. {BODY}
"""
    document = parsed(text, "a.txt")
    assert document.title == "SERVICE AGREEMENT"
    assert document.text == text
    assert outline(document) == [
        (1, "RECITALS"),
        (1, "ARTICLE I DEFINITIONS"),
        (1, "ARTICLE II SERVICES"),
        (2, "Section 2.1 Scope"),
        (2, "Section 2.2 Fees"),
        (3, "(a) Base Fee"),
        (3, "(b) Late Fee"),
        (2, "Section 2.3 Taxes"),
        (1, "ARTICLE III TERM"),
        (1, "EXHIBIT A PRICES"),
        (2, "1. Hardware"),
        (2, "2. Software"),
    ]


def test_decimal_numbers_nest_by_their_parts() -> None:
    text = (
        f'1. DEFINITIONS\n\n1.1 "Affiliate" means a company under common control.\n\n1.2 LINK shall mean a link.\n\n'
        f"2. TERM\n\n2.1 Term. {BODY}\n\n2.1.1 Renewal. {BODY}\n\n2.1.2 Notice. {BODY}\n\n2.2 Within 30 days of the end, {BODY}\n\n3. FEES\n\n{BODY}\n"
    )
    assert outline(parsed(text, "a.txt")) == [
        (1, "1. DEFINITIONS"),
        (2, '1.1 "Affiliate"'),
        (2, "1.2 LINK"),
        (1, "2. TERM"),
        (2, "2.1 Term"),
        (3, "2.1.1 Renewal"),
        (3, "2.1.2 Notice"),
        (2, "2.2 Within 30 days of the end, The parties…"),
        (1, "3. FEES"),
    ]


def test_a_list_inside_a_clause_nests_and_does_not_reset() -> None:
    steps = "\n\n".join(
        f"    {n}. Step {word}. {BODY} {BODY} {BODY} {BODY}" for n, word in enumerate(("One", "Two"), 1)
    )
    text = f"1. SCOPE\n\n{BODY}\n\n2. STEPS\n\n{BODY}\n\n{steps}\n\n3. TERM\n\n{BODY}\n\n4. END\n\n{BODY}\n"
    document = parsed(text, "a.txt")
    assert [s.title for s in document.root.children] == ["1. SCOPE", "2. STEPS", "3. TERM", "4. END"]
    assert [s.title for s in document.root.children[1].children] == ["1. Step One", "2. Step Two"]


def test_a_list_of_short_lines_stays_text() -> None:
    text = f"1. SCOPE\n\n{BODY}\n\nThe kit holds:\n\n(a) a hammer;\n\n(b) a saw; and\n\n(c) nails.\n\n2. TERM\n\n{BODY}\n"
    document = parsed(text, "a.txt")
    assert titles(document) == ["1. SCOPE", "2. TERM"]
    assert "(b) a saw" in own_text(document, "1. SCOPE")


def test_letters_and_roman_numerals_are_told_apart() -> None:
    items = "".join(f"({letter}) Title {letter.upper()}x. {BODY}\n\n" for letter in "abcdefghij")
    roman = "".join(f"({numeral}) Part {numeral.upper()}. {BODY}\n\n" for numeral in ("i", "ii", "iii"))
    document = parsed(
        f"1. ONE\n\n{BODY}\n\n{items}2. TWO\n\n(a) Lead. {BODY}\n\n{roman}(b) Rest. {BODY}\n\n3. THREE\n\n{BODY}\n",
        "a.txt",
    )
    one, two, _ = document.root.children
    assert len(one.children) == 10
    assert [s.title for s in two.children] == ["(a) Lead", "(b) Rest"]
    assert [s.title for s in two.children[0].children] == ["(i) Part I", "(ii) Part II", "(iii) Part III"]


def test_clauses_are_found_inside_lines_that_hold_a_page() -> None:
    text = (
        f"HOSTING AGREEMENT This agreement is made today. 1. PURPOSE. {BODY} As said in Section 2.1 and clause 3. above. "
        f"2. FEES 2.1 Rates. {BODY} 2.2 Payment. {BODY}   3. TERM. {BODY}\n\nPage 1 of 2\n\n4. NOTICES. {BODY}\n"
    )
    assert outline(parsed(text, "a.txt")) == [
        (1, "1. PURPOSE"),
        (1, "2. FEES"),
        (2, "2.1 Rates"),
        (2, "2.2 Payment"),
        (1, "3. TERM"),
        (1, "4. NOTICES"),
    ]


@pytest.mark.parametrize(
    "reference",
    ["See Section 2.4 and Article 3 of it.", "under\nSection 9 of the law", "pursuant to\n3.4 hereof"],
)
def test_references_are_no_clauses(reference: str) -> None:
    text = f"1. SCOPE\n\n{BODY} {reference}\n\n2. TERM\n\n{BODY}\n"
    assert titles(parsed(text, "a.txt")) == ["1. SCOPE", "2. TERM"]


def test_a_missing_number_does_not_end_the_list() -> None:
    text = "".join(f"{n}. TITLE {'X' * n}\n\n{BODY}\n\n" for n in (1, 2, 4, 5))
    assert len(titles(parsed(text, "a.txt"))) == 4


def test_page_noise_neither_breaks_nor_makes_sections() -> None:
    footer = "\n\n{n}\n\nSource: ACME CORP, 10-Q, 5/20/2014\n\n\n\nACME MASTER AGREEMENT\n\n"
    text = f"1. SCOPE\n\n{BODY}" + footer.format(n=1)
    text += f"the sentence goes on here.\n\n2. TERM\n\n{BODY}" + footer.format(n=2)
    text += f"and on.\n\n3. FEES\n\n{BODY}" + footer.format(n=3) + f"- 4 -\n\n4. END\n\n{BODY}\n"
    document = parsed(text, "a.txt")
    assert titles(document) == ["1. SCOPE", "2. TERM", "3. FEES", "4. END"]
    assert "the sentence goes on here." in own_text(document, "1. SCOPE")


def test_a_table_of_contents_makes_no_sections() -> None:
    names = ["SCOPE", "TERM", "FEES", "NOTICES"]
    contents = "".join(f"{n}. {name}     {n + 1}\n" for n, name in enumerate(names, 1))
    dotted = "".join(f"{n}. {name} ........ {n + 1}\n" for n, name in enumerate(names, 1))
    body = "".join(f"{n}. {name}\n\n{BODY}\n\n" for n, name in enumerate(names, 1))
    expected = [f"{n}. {name}" for n, name in enumerate(names, 1)]
    for table in (contents, dotted):
        document = parsed(
            f"TABLE OF CONTENTS\n\n{table}\nBetween A and B, on the first of May.\n\n{body}", "a.txt"
        )
        assert titles(document) == expected
        assert table.encode() in own_bytes(document)[0]


def test_items_of_a_report_follow_its_parts() -> None:
    text = (
        "Table of Contents\nPART I\nItem 1.\nBusiness\n3\nItem 1A.\nRisk Factors\n5\nPART II\nItem 2.\nProperties\n9\n\f"
        f"PART I\nItem 1. Business\nOur Company\n{BODY}\nThe market is large.\n2\n\f"
        f"Item 1A. Risk Factors\nRisks abound. {BODY}\n3\n\fPART II\nItem 2. Properties\nNone. {BODY}\n{BODY * 12}\n4\n"
    )
    document = parsed(text, "r.txt")
    assert outline(document) == [
        (1, "PART I"),
        (2, "Item 1. Business"),
        (3, "Our Company"),
        (2, "Item 1A. Risk Factors"),
        (1, "PART II"),
        (2, "Item 2. Properties"),
    ]
    assert len(document.page_begins) == 4


def test_form_feeds_begin_pages_and_leave_lines_alone() -> None:
    document = parsed("one\né two\n\fthree\nfour\ffive\n\f", "p.txt")
    assert document.text == "one\né two\nthree\nfour five\n"
    begins = document.page_begins
    assert begins[0] == 0
    assert document.data[begins[1] :].startswith(b"three")
    assert document.data[begins[2] :].startswith(b"five")
    assert document.page_at(0) == 1 and document.page_at(begins[2]) == 3
    assert parsed("no feed\n", "p.txt").page_begins == ()


def test_underlined_and_capital_headings_without_numbers() -> None:
    text = f"""=======
Manual
=======

{BODY}

Setup
-----

{BODY}

Files
~~~~~

{BODY}

Usage
-----

{BODY}
"""
    assert outline(parsed(text, "m.txt")) == [(1, "Setup"), (2, "Files"), (1, "Usage")]
    text = f"        OPENING HOURS\n\n{BODY}\n\n        PRICES AND FEES\n\n{BODY}\n"
    assert outline(parsed(text, "m.txt")) == [(1, "OPENING HOURS"), (1, "PRICES AND FEES")]


@pytest.mark.parametrize(
    "text",
    [
        "Just a few sentences. Nothing more.\nAnd a second line, with 3. a number in it.\n",
        "1. milk\n2. eggs\n3. bread\n",
        "NAME: ACME CORPORATION\nBy: /s/ J. Doe\nTitle: President\n",
        "3.14 is pi\n2.72 is e\n1.0\n2.0\n",
    ],
)
def test_text_without_structure_is_one_section(text: str) -> None:
    document = parsed(text, "notes.txt")
    assert outline(document) == []
    assert document.title == "notes"


def test_offsets_count_bytes_and_lines_count_from_the_first() -> None:
    text = f"Präambel – “x”\n\n1. GRÖßE\n\n{BODY} é\n\n2. FARBE\n\n{BODY}\n"
    document = parsed(text, "a.txt")
    for section in document.root.children:
        assert document.data[section.begin_byte :].decode().startswith(section.title)
    assert [document.line_at(s.begin_byte) for s in document.root.children] == [3, 7]


PIECES = st.sampled_from(
    [
        "ARTICLE I\n",
        "Section 1.1 Foo. ",
        "1. One",
        "2. TWO\n",
        "1.1 Bar. ",
        "(a) Baz. ",
        "(i) qux",
        "EXHIBIT A\n",
        "\n",
        "\n\n",
        "\f",
        "Words of a sentence. ",
        "CAPITAL LINE\n",
        "-----\n",
        "12\n",
        "Source: X, 10-K, 1/1/2020\n",
        "é漢🎉 ",
        "Item 1A. Risk\n",
        "   ",
        "TABLE OF CONTENTS\n",
        "\xa0",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_no_word_is_ever_lost(text: str) -> None:
    if not text.strip():
        return
    document = parsed(text, "any.txt")
    assert document.text.split() == text.replace("\f", " ").split()
    assert document.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "1. A " * 50_000,
        "-" * 200_000 + "x",
        " " * 200_000 + "x",
        "1." * 100_000,
        "A. " * 50_000,
        "(i) Foo bar. xx\n(ii) Foo bar. yy\n" * 5_000,
        "ABC DEF\n" * 30_000,
        ".".join("1" * 50_000) + " A",
        "EXHIBIT A\n\n" * 20_000,
    ],
)
def test_hostile_texts_are_read(text: str) -> None:
    assert parsed(text, "h.txt").text == text
