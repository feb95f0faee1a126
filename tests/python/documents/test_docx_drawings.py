"""What Word shows beside plain text: pictures' descriptions, charts, diagrams, equations, code, forms, properties."""

from __future__ import annotations

from knarr.documents.sections import Document
from make_docx import docx, p, run, style
from outlines import parsed

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_D = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
COURIER = '<w:rFonts w:ascii="Courier New"/>'


def read(data: bytes) -> Document:
    return parsed(data, "a.docx")


def picture(description: str) -> str:
    return f'<w:r><w:drawing><inline><docPr id="1" name="Picture 1" descr="{description}"/></inline></w:drawing></w:r>'


def chart(
    series: dict[str, list[str]], categories: list[str], title: str = "", format_: str = "General"
) -> str:
    def cache(values: list[str], code: str = "") -> str:
        points = "".join(
            f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values) if value
        )
        return f"<c:numRef><c:numCache><c:formatCode>{code}</c:formatCode>{points}</c:numCache></c:numRef>"

    drawn = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"<c:cat>{cache(categories, format_)}</c:cat><c:val>{cache(values)}</c:val></c:ser>"
        for name, values in series.items()
    )
    head = (
        f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
        if title
        else ""
    )
    return (
        f'<c:chartSpace xmlns:c="{_C}" xmlns:a="{_A}"><c:chart>{head}<c:plotArea><c:barChart>{drawn}</c:barChart>'
        "</c:plotArea></c:chart></c:chartSpace>"
    )


def shown(id_: str) -> str:
    return f'<w:r><w:drawing><c:chart xmlns:c="{_C}" xmlns:r="{_R}" r:id="{id_}"/></w:drawing></w:r>'


def test_a_picture_is_what_somebody_wrote_it_shows() -> None:
    body = p(run("See ") + picture("The pump, with its valve open") + run(" here.")) + p(
        picture("IMG_0042.jpeg")
    )
    body += p(picture("A red door. Description automatically generated with low confidence"))
    assert (
        read(docx(body)).text
        == "See [Picture: The pump, with its valve open] here.\n\n[Picture: A red door]\n"
    )


def test_a_chart_is_a_table_of_its_data() -> None:
    data = chart({"North": ["4", ""], "South": ["5", "7"]}, ["2021", "2022"], "Units sold")
    document = read(docx(p("Before") + p(shown("c1")) + p("After"), parts={"c1": ("chart", data)}))
    assert document.text == (
        "Before\n\nChart: Units sold\n\n|  | North | South |\n| --- | --- | --- |\n| 2021 | 4 | 5 |\n"
        "| 2022 |  | 7 |\n\nAfter\n"
    )
    (table,) = document.tables
    assert len(table.row_begins) == 2


def test_dates_of_a_chart_are_as_it_shows_them() -> None:
    data = chart({"Price": ["9.5", "9.7"]}, ["45292", "45323"], format_="d/mm/yyyy")
    text = read(docx(p(shown("c1")), parts={"c1": ("chart", data)})).text
    assert "| 1/01/2024 | 9.5 |" in text
    assert "| 1/02/2024 | 9.7 |" in text


def test_the_words_of_a_diagram_are_a_list() -> None:
    points = "".join(
        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></dgm:t></dgm:pt>"
        for words in ("Plan", "Build")
    )
    data = f'<dgm:dataModel xmlns:dgm="{_D}" xmlns:a="{_A}"><dgm:ptLst>{points}<dgm:pt/></dgm:ptLst></dgm:dataModel>'
    ids = (
        f'<w:r><w:drawing><dgm:relIds xmlns:dgm="{_D}" xmlns:r="{_R}" r:dm="d1" r:lo="x"/></w:drawing></w:r>'
    )
    assert read(docx(p(ids), parts={"d1": ("diagramData", data)})).text == "- Plan\n- Build\n"


def test_what_is_embedded_and_not_read_is_named() -> None:
    document = read(docx(p("x"), parts={"o1": ("oleObject", "<a/>"), "k1": ("chartEx", "<a/>")}))
    assert "embedded objects left out: 1" in document.notes
    assert "charts of a kind that is not read left out: 1" in document.notes


def test_equations_keep_their_structure() -> None:
    half = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t></m:r></m:den></m:f>"
    square = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    body = p(run("where ") + f'<m:oMath xmlns:m="{_M}">{half}{square}</m:oMath>' + run(" holds"))
    body += p(f'<m:oMathPara xmlns:m="{_M}"><m:oMath>{square}</m:oMath></m:oMathPara>')
    assert read(docx(body)).text == "where $\\frac{a+b}{c}x^{2}$ holds\n\n$$x^{2}$$\n"


def test_code_keeps_its_lines_and_indentation() -> None:
    code = [run("def f(x):", extra=COURIER), run("    return x ``` 2", extra=COURIER)]
    body = (
        p("The function:")
        + "".join(map(p, code))
        + p("It returns what it is given, and nothing else at all.")
    )
    document = read(docx(body))
    assert document.text == (
        "The function:\n\n````\ndef f(x):\n    return x ``` 2\n````\n\n"
        "It returns what it is given, and nothing else at all.\n"
    )


def test_code_by_style_and_bold_code_is_no_heading() -> None:
    styles = style("Code", "Source Code")
    long = p("A line of the body, as long as lines of a body are. " * 60)
    bold = p(run("MAX_ROWS", bold=True, extra=COURIER))
    document = read(docx(p("x = 1", style="Code") + long + bold + long, styles=styles))
    assert document.text.startswith("```\nx = 1\n```\n")
    assert [section.title for section in document.root.children] == []


def test_a_document_typed_in_one_width_is_no_code() -> None:
    lines = ("THE PARTIES", "  This agreement is between two parties.")
    document = read(docx("".join(p(run(text, extra=COURIER)) for text in lines)))
    assert "```" not in document.text
    assert "\n  This" not in document.text


def test_form_fields_show_their_state() -> None:
    def field(inside: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{inside}</w:ffData></w:fldChar></w:r>' + (
            '<w:r><w:instrText>FORM</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    on, off = (
        '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>',
        '<w:checkBox><w:default w:val="0"/></w:checkBox>',
    )
    choice = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>'
    body = p(field(on) + run("Yes")) + p(field(off) + run("No")) + p(run("Colour: ") + field(choice))
    assert read(docx(body)).text == "[x] Yes\n\n[ ] No\n\nColour: blue\n"


def test_properties_are_metadata() -> None:
    properties = "<dc:title>Rules</dc:title><dc:creator>Ann  Bee</dc:creator><dc:subject> </dc:subject>"
    document = read(docx(p("x"), properties=properties))
    assert document.metadata == {"title": "Rules", "author": "Ann Bee"}
