"""Spreadsheets and tables in text: what the reader of the sheet sees stands in the canonical text."""

from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from knarr.documents import parse
from knarr.documents.sections import Document
from knarr.documents.sheets.numbers import shown
from knarr.errors import DocumentError
from make_zip import odf, relations, zipped


def saved(book: openpyxl.Workbook, name: str = "a.xlsx") -> Document:
    out = io.BytesIO()
    book.save(out)
    document = parse(out.getvalue(), name)
    document.check()
    return document


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.25, "0%", "25%"),
        (0.1234, "0.0%", "12.3%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (-5, "0.0", "-5.0"),
        (0, '0.00;-0.00;"none"', "none"),
        (1500000, '0.0,,"M"', "1.5M"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12.5, '_("$"* #,##0.00_)', "$12.50"),
        (45292, "yyyy-mm-dd", "2024-01-01"),
        (45292.5, 'd" of "mmmm yyyy, h:mm AM/PM', "1 of January 2024, 12:00 PM"),
        (0.5, "hh:mm:ss", "12:00:00"),
        (1.5, "[h]:mm", "36:00"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (12345, "0.00E+00", "1.23E+04"),
        (7, "000", "007"),
        (3, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
    ],
)
def test_numbers_stand_as_the_sheet_shows_them(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


def test_every_sheet_is_a_section_with_its_table() -> None:
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Fares"
    for row in (
        ("Line", "Fare", "Share", "From"),
        ("Isle", 22, 0.5, datetime.date(2024, 3, 1)),
        ("Cape", 9, 0.25, None),
    ):
        first.append(row)
    for cell in ("C2", "C3"):
        first[cell].number_format = "0%"
    first["B2"].comment = Comment("Raised twice", "Ann")
    book.create_sheet("Old").append(["x", "y"])
    book["Old"].append([1, 2])
    book["Old"].sheet_state = "hidden"
    document = saved(book)
    assert [section.title for section in document.root.children] == ["Fares", "Old"]
    assert "| Isle | 22 | 50% | 2024-03-01 |\n| Cape | 9 | 25% |  |\n" in document.text
    assert "Comment by Ann on B2: Raised twice" in document.text
    assert "hidden sheet read: Old" in document.notes
    assert document.tables[0].header == "| Line | Fare | Share | From |\n| --- | --- | --- | --- |\n"
    assert len(document.tables[0].row_begins) == 2


def test_titles_several_tables_and_merged_cells() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    rows = [
        ["Sales of the year"], [], ["Region", "2023", None, "2024", None], [None, "units", "value", "units", "value"],
        ["North", 1, 2, 3, 4], [None, 5, 6, 7, 8], [], [], ["Name", "Phone"], ["Ann", "555"],
    ]  # fmt: skip
    for row in rows:
        sheet.append(row)
    for place in ("B3:C3", "D3:E3", "A3:A4", "A5:A6"):
        sheet.merge_cells(place)
    document = saved(book)
    assert "| Region | 2023 units | 2023 value | 2024 units | 2024 value |" in document.text
    assert "| North | 5 | 6 | 7 | 8 |" in document.text
    assert "Sales of the year\n\n|" in document.text
    assert "| Name | Phone |\n| --- | --- |\n| Ann | 555 |" in document.text


def test_blank_rows_and_columns_do_not_part_a_report() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Item", None, 2023, 2022], ["Nuts", None, 5, 4], [], ["Bolts", None, 7, 6]):
        sheet.append(row)
    document = saved(book)
    assert len(document.tables) == 1
    assert "| Bolts | 7 | 6 |" in document.text


def test_tables_side_by_side_are_two() -> None:
    book = openpyxl.Workbook()
    for row in (
        ["Name", "Age", None, "Town", "Size"],
        ["Ann", 5, None, "Cape", 7],
        ["Bob", 6, None, "Isle", 8],
    ):
        book.active.append(row)
    assert "| Town | Size |\n| --- | --- |\n| Cape | 7 |" in saved(book).text


def test_charts_and_formulas_without_values_are_named() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Year", "Ducks"], [2020, 5], [2021, 6]):
        sheet.append(row)
    sheet["B4"] = "=SUM(B2:B3)"
    chart = BarChart()
    chart.title = "Ducks by year"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    document = saved(book)
    assert "Ducks by year" in document.text
    assert "formulas without a kept value left out: 1" in document.notes


def test_a_formula_shows_the_value_that_the_file_keeps() -> None:
    sheet = '<worksheet><sheetData><row><c><f>1+1</f><v>2</v></c><c t="str"><f>A</f><v>two</v></c></row></sheetData></worksheet>'
    document = parse(_workbook(sheet), "a.xlsx")
    assert "2  two" in document.text


def test_a_sheet_of_entities_or_bombs_costs_a_line() -> None:
    for sheet in (
        '<!DOCTYPE a [<!ENTITY b "c">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>',
        "<worksheet>" + " " * (65 << 20) + "</worksheet>",
    ):
        with pytest.raises(DocumentError) as error:
            parse(_workbook(sheet), "a.xlsx")
        assert error.value.status == "limit"


def _workbook(sheet: str) -> bytes:
    return zipped(
        {
            "_rels/.rels": relations(a=("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="x"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(x=("worksheet", "sheet.xml")),
            "xl/sheet.xml": sheet,
        }
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_of_a_table_in_text_is_found(delimiter: str) -> None:
    text = 'Name,Price,Note\nNut,1.5,"a, b\nc"\nBolt,2,\n'.replace(",", delimiter)
    document = parse(text.encode(), "a.csv")
    document.check()
    assert document.text.startswith("| Name | Price | Note |\n| --- | --- | --- |\n| Nut | 1.5 | a")
    assert len(document.tables) == 1 and len(document.tables[0].row_begins) == 2


def test_decimal_commas_do_not_part_fields() -> None:
    document = parse("Ort;Preis;Menge\nKöln;1,5;2,25\nUlm;2,5;3,75\n".encode("cp1252"), "a.csv")
    assert "| Köln | 1,5 | 2,25 |" in document.text


def test_a_table_without_names_gets_letters() -> None:
    assert parse(b"1,2\n3,4\n", "a.csv").text.startswith("| A | B |\n| --- | --- |\n| 1 | 2 |")


def test_a_list_in_a_csv_is_text() -> None:
    document = parse(b"one\ntwo\n", "a.csv")
    assert document.text == "one\ntwo\n" and not document.tables


def test_ods_keeps_shown_texts_and_repeated_cells() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    body = '<table:table table:name="Fares">' + row.format(cell.format("", "Line") + cell.format("", "Fare"))
    body += row.format(cell.format("", "Isle") + cell.format(' office:value="0.5"', "50 %"))
    body += '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
    document = parse(odf("spreadsheet", body), "a.ods")
    document.check()
    assert document.text == "# Fares\n\n| Line | Fare |\n| --- | --- |\n| Isle | 50 % |\n"


def test_an_encrypted_workbook_and_a_missing_part() -> None:
    with pytest.raises(DocumentError) as error:
        parse(
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
            "a.xlsx",
        )
    assert error.value.status == "encrypted"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("xl/nothing.xml", "<a/>")
    with pytest.raises(DocumentError) as error:
        parse(out.getvalue(), "a.xlsx")
    assert error.value.status == "corrupt"


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (5, '[>=100]"big";[<100]"small "0', "small 5"), (500, '[>=100]"big";[<100]"small "0', "big"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"), (1234.5, "#'##0.00", "1'234.50"), (34.5, "#'##0.00", "34.50"),
        (7, '[=1]"yes";[=0]"no";0', "7"), (-5.5, '"$"#,##0.00_);("$"#,##0.00)', "($5.50)"),
    ],
)  # fmt: skip
def test_conditions_and_groups_of_digits(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


def test_a_quotation_without_an_end_costs_its_line() -> None:
    document = parse(b'a,b\n1,"open\n2,3\n4,5\n', "a.csv")
    assert document.text.endswith('| 1 | "open |\n| 2 | 3 |\n| 4 | 5 |\n')
    assert document.notes == ("a quotation without an end: its line was read as it stands",)


def test_tables_apart_in_a_csv_are_two_and_units_are_part_of_the_names() -> None:
    assert len(parse(b"a,b\n1,2\n3,4\n\nx,y,z\n3,4,5\n6,7,8\n", "a.csv").tables) == 2
    assert len(parse(b"a,b\n\n1,2\n\n3,4\n\n5,6\n", "a.csv").tables) == 1
    text = parse(b"Year,Output,Price\n,t,EUR/t\n2023,5,100\n2024,6,110\n", "a.csv").text
    assert text.startswith("| Year | Output t | Price EUR/t |\n")


def test_a_sheet_of_more_than_one_part_may_hold_is_read_as_a_stream() -> None:
    row = "<row>" + '<c t="str"><v>' + "w" * 30_000 + "</v></c></row>"
    document = parse(_workbook(f"<worksheet><sheetData>{row * 2_400}</sheetData></worksheet>"), "a.xlsx")
    assert len(document.text) > 64 << 20 and document.status == "ok"
