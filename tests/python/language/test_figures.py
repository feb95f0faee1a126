"""Figures read out of passages: their value, unit and kind, their row, column and years, and what is not sure."""

from __future__ import annotations

import sys
from decimal import Decimal
from types import FrameType
from typing import Any

import pytest

from knarr.language.figures import Figure, figures
from knarr.language.quantities import Quantity, quantities


def one(text: str, *, cell: bool = False) -> Quantity:
    found = quantities(text, cell=cell)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("Sales were 55 million euro.", "money", "55000000", "EUR"),
        ("a late fee of $25", "money", "25", "USD"),
        ("worth $1.2bn", "money", "1200000000", "USD"),
        ("EUR 5.5 million", "money", "5500000", "EUR"),
        ("within 30 days", "duration", "30", "day"),
        ("a 30-day notice", "duration", "30", "day"),
        ("within 30\ndays", "duration", "30", "day"),
        ("ten (10) days", "duration", "10", "day"),
        ("thirty (30) working days", "duration", "30", "business day"),
        ("twenty-five guests", "number", "25", ""),
        ("1,234 guests", "number", "1234", ""),
        ("1\u202f234 guests", "number", "1234", ""),
        ("a mass of 1.234,5 kg", "number", "1234.5", "kg"),
        ("a share of 34 %", "percent", "34", "%"),
        ("ten percent (10%)", "percent", "10", "%"),
        ("a loss of ($1,234)", "money", "-1234", "USD"),
        ("at -5 °C", "number", "-5", "°C"),
        ("open at 5:30 p.m.", "time", "1050", "minute"),
        ("in FY24", "year", "2024", "year"),
        ("since 1999.", "year", "1999", "year"),
        ("on 12 March 2024", "date", "738957", "day"),
        ("on March 12th, 2024", "date", "738957", "day"),
        ("on 2024-03-12", "date", "738957", "day"),
        ("on 31.12.2024", "date", "739251", "day"),
        ("by May 5", "date", "505", "yearless"),
        ("in May 2023", "date", "738641", "month"),
    ],
)
def test_a_quantity_of_a_sentence(text: str, kind: str, value: str, unit: str) -> None:
    found = one(text)
    assert (found.kind, found.value, found.unit, found.unsure) == (kind, Decimal(value), unit, "")
    assert found.text == text[found.begin : found.end].strip()


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3–5 days", 3, 5),
        ("3 to 5 days", 3, 5),
        ("between 3 and 5 days", 3, 5),
        ("$10-15 million", 10_000_000, 15_000_000),
        ("from 2019–2021", 2019, 2021),
    ],
)
def test_a_range_is_one_quantity(text: str, low: int, high: int) -> None:
    found = one(text)
    assert (found.value, found.high) == (low, high)


def test_a_change_is_no_range() -> None:
    assert [(found.value, found.high) for found in quantities("It rose from 41 to 55.")] == [
        (41, None),
        (55, None),
    ]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 5 items", "least"),
        ("no more than 7 items", "most"),
        ("no less than 7 items", "least"),
        ("about 9 items", "about"),
        ("exactly 9 items", ""),
    ],
)
def test_a_bound_before_a_number(text: str, bound: str) -> None:
    assert one(text).bound == bound


@pytest.mark.parametrize(
    "text",
    [
        "Section 4 applies",
        "see page 12",
        "Node v18.20.8",
        "version 3 of it",
        "the 10-K filing",
        "COVID-19",
        "call 555-1234-999",
        "http://x.example/12",
        "1. First item",
        "amortization(1) rose",
        "it is 24/7",
        "the 3rd of them",
        "one of them",
        "A4 paper",
    ],
)
def test_numerals_that_name_something_are_no_quantities(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a length of 1.234",
        "12 345 guests",
        "by 03/04/2024",
        "ten (15) days",
        "5k guests",
        "2000 employees left",
    ],
)
def test_what_can_be_read_in_two_ways_is_unsure(text: str) -> None:
    assert one(text).unsure


def test_other_numbers_decide_what_a_point_means() -> None:
    point = quantities("a length of 1.234 and a width of 10.5")
    comma = quantities("a length of 1.234 and a width of 10,5")
    assert [(found.value, found.unsure) for found in point] == [(Decimal("1.234"), ""), (Decimal("10.5"), "")]
    assert [(found.value, found.unsure) for found in comma] == [(1234, ""), (Decimal("10.5"), "")]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [("(7)", -7, "number"), ("$ 16,388", 16388, "money"), ("(0.4)%", Decimal("-0.4"), "percent"), ("($8.30)", Decimal("-8.3"), "money")],
)  # fmt: skip
def test_a_cell_in_parentheses_is_negative(text: str, value: Decimal, kind: str) -> None:
    found = one(text, cell=True)
    assert (found.value, found.kind) == (value, kind)


# ---------------------------------------------------------------------- tables


def table(text: str) -> dict[tuple[str, str], Figure]:
    """The figures of a table, by row and column."""
    found = figures(text)
    by_place = {(figure.row, figure.column): figure for figure in found}
    assert len(by_place) == len(found)
    return by_place


FARES = """# Fares

| Route | Adult | Child |
|---|---|---|
| Harbour to Isle | 14 | 7 |
| Isle to Cape | 22 | |
| Cape to Harbour | | n/a |
"""


def test_a_table_in_pipes() -> None:
    found = table(FARES)
    assert {place: figure.value for place, figure in found.items()} == {
        ("Harbour to Isle", "Adult"): 14,
        ("Harbour to Isle", "Child"): 7,
        ("Isle to Cape", "Adult"): 22,
    }
    cape = found["Isle to Cape", "Adult"]
    assert FARES[cape.begin : cape.end] == "22" and FARES[slice(*cape.line)] == "| Isle to Cape | 22 | |"
    assert cape.row_words == {"isle", "cape"} and cape.column_words == {"adult"} and not cape.unsure


def test_several_header_rows_and_a_row_without_a_label() -> None:
    text = (
        "| Region | Units sold |  | Stores |\n| --- | --- | --- | --- |\n|  | 2023 | 2024 | 2024 |\n"
        "| North | 11 | 12 | 3 |\n|  | 21 | 22 | 4 |\n"
    )
    found = [figure for figure in figures(text) if not figure.unsure]
    assert [(figure.row, figure.column, figure.years, figure.value) for figure in found] == [
        ("North", "Units sold 2023", (2023,), 11),
        ("North", "Units sold 2024", (2024,), 12),
        ("North", "Stores 2024", (2024,), 3),
    ]
    assert {figure.unsure for figure in figures(text) if figure.value > 12} == {"its row has no label"}


def test_units_and_scale_of_header_and_caption() -> None:
    text = (
        "Results (in millions of euro, except per share)\n\n| Item | 2023 | Growth (%) |\n|---|---|---|\n"
        "| Revenue | 41 | 5 |\n| Earnings per share | 1.5 | 2 |\n| Weighted shares | 27 | 1 |\n"
    )
    found = table(text)
    revenue = found["Revenue", "2023"]
    assert (revenue.value, revenue.kind, revenue.unit, revenue.scale) == (
        41_000_000,
        "money",
        "EUR",
        1_000_000,
    )
    assert (found["Revenue", "Growth (%)"].value, found["Revenue", "Growth (%)"].kind) == (5, "percent")
    assert found["Earnings per share", "2023"].value == Decimal("1.5")
    assert found["Weighted shares", "2023"].unsure


def test_a_table_in_columns_with_stacked_headers() -> None:
    text = (
        "(In millions)\n\nYears Ended\nDecember 2,  December 3,\n2022  2021\nRevenue:\nProduct  $ 532  $ 555\n"
        "Interest expense  (112)  (113)\n\nOther, net  41  —\n"
    )
    found = table(text)
    product = found["Product", "December 2, 2022"]
    assert (product.value, product.unit, product.years) == (532_000_000, "USD", (2022,))
    assert found["Interest expense", "December 3, 2021"].value == -113_000_000
    assert [row for row, _column in found].count("Other, net") == 1


def test_a_blank_cell_in_columns_leaves_its_row_unsure() -> None:
    found = figures("Item  2021  2022  2023\nBolts  10  11  12\nNuts  7\nWashers\t3\t4\nTotal  13  11  23\n")
    assert {figure.row for figure in found if figure.unsure} == {"Nuts", "Washers"}
    assert all(not figure.years for figure in found if figure.unsure)
    assert [figure.value for figure in found if figure.row == "Total" and figure.years == (2023,)] == [23]


def test_periods_above_years() -> None:
    found = table("Three months ended  Twelve months ended\n2022  2021  2022  2021\nNorth  1  2  3  4\n")
    assert found["North", "Twelve months ended 2022"].value == 3
    assert found["North", "Three months ended 2021"].value == 2


def test_rows_without_their_header_are_unsure() -> None:
    assert all(
        figure.unsure for figure in figures("| Isle to Cape | 22 | 11 |\n| Cape to Harbour | 31 | 15 |\n")
    )
    assert all(figure.unsure for figure in figures("Bolts  10  11\nNuts  12  13\n"))


def test_a_year_that_ends_in_january_is_unsure() -> None:
    found = figures("Years ended  January 28, 2023  January 29, 2022\nRevenue  46,298  51,761\n")
    assert len(found) == 2 and all("January" in figure.unsure for figure in found)


def test_figures_alone_on_their_lines_are_unsure() -> None:
    assert all(figure.unsure for figure in figures("2023\n2022\nNet sales\n$\n14,694\n$\n14,544\n"))


# ---------------------------------------------------------------------- sentences


def by_value(text: str) -> dict[int, tuple[int, ...]]:
    return {int(one.value): one.years for one in figures(text) if one.kind != "year" and not one.unsure}


def test_each_value_has_the_year_of_its_clause() -> None:
    assert by_value("Revenue was 55 euro in 2024 and 41 euro in 2023.") == {55: (2024,), 41: (2023,)}
    assert by_value("In 2022, it was $30, up from $25 in 2021.") == {30: (2022,), 25: (2021,)}
    assert by_value("It sold 5, 6 and 7 in 2020, 2021 and 2022, respectively.") == {
        5: (2020,),
        6: (2021,),
        7: (2022,),
    }
    assert by_value("In 2024 revenue was 55 euro.") == {55: (2024,)}
    assert by_value("Fees of 2023 and 2024 were 5 and 6 euro.") == {}


def test_every_sentence_is_its_own() -> None:
    text = "Revenue in 2023 was 41 million euro.\n\nRevenue in 2024 was 55 million euro."
    money = [one for one in figures(text) if one.kind == "money"]
    assert [(one.value, one.years) for one in money] == [(41_000_000, (2023,)), (55_000_000, (2024,))]
    assert text[slice(*money[1].line)] == "Revenue in 2024 was 55 million euro."


# ---------------------------------------------------------------------- cost

HOSTILE = [
    "1,", "1 234 ", "1.234,", "(1", "1-2-", "| 1 ", "|", "| 1 | 2 |\n", "a  1  2\n", "a  b\n", "January 1, ", "in 2020, ",
    "and 2020 of 5, ", "ten ", "one (1) ", "12.", "10:30", "about 5 and ", "\t", "-", "5\n\n", "\u00a0", "9" * 50,
]  # fmt: skip


def calls(text: str) -> int:
    """The calls that reading takes, of Python and of C functions alike."""
    count = 0

    def seen(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        figures(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_is_at_most_about_twice_the_work(piece: str) -> None:
    small, large = (calls((piece * size)[:size]) for size in (2_000, 4_000))
    assert large <= 2.6 * small + 200
