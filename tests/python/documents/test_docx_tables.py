"""Tables of Word documents: every row, its labels, and what only lays out the page."""

from __future__ import annotations

from knarr.documents.chunks import chunk
from knarr.documents.sections import Document
from knarr.models.embed.tokens import RegexTokenizer
from make_docx import docx, p, run, table
from outlines import outline, parsed


def read(data: bytes) -> Document:
    return parsed(data, "file.docx")


def test_footnotes_of_cells_are_kept() -> None:
    reference = run("11") + '<w:r><w:footnoteReference w:id="2"/></w:r>'
    body = table([["Region", "Sold"], ["North", p(reference)]]) + p("after")
    assert read(docx(body, notes={"2": "estimated"})).text == (
        "| Region | Sold |\n| --- | --- |\n| North | 11[^2] |\n\n[^2]: estimated\n\nafter\n"
    )


def test_a_long_table_has_its_header_and_every_row() -> None:
    """ING-06: header and row places are recorded, and chunks use them."""
    rows = [["Port", "Owner"], *([f"p-{n:03}", f"team-{n:03}"] for n in range(1, 301))]
    document = read(docx(p("Ports", outline=0) + table(rows)))
    [record] = document.tables
    assert record.header == "| Port | Owner |\n| --- | --- |\n"
    assert len(record.row_begins) == 300
    for n, at in enumerate(record.row_begins, 1):
        assert document.data[at:].startswith(f"| p-{n:03} | team-{n:03} |\n".encode())
    assert document.data[record.begin_byte : record.end_byte].decode().count("Port") == 1
    chunks = chunk(document, RegexTokenizer(), 150)
    texts = [document.data[part.begin_byte : part.end_byte].decode() for part in chunks]
    assert "".join(texts) == document.text and len(chunks) > 10
    assert all("| Port | Owner |" in part.header + text for part, text in zip(chunks, texts, strict=True))
    assert sum(text.count(f"| p-{n:03} | team-{n:03} |\n") for text in texts for n in range(1, 301)) == 300


def test_merged_and_deleted_rows() -> None:
    def cell(text: str, properties: str) -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text) if text else '<w:p/>'}</w:tc>"

    merged = (
        "<w:tbl><w:tr>" + cell("Wide", '<w:gridSpan w:val="2"/>') + cell("C", "") + "</w:tr>"
        "<w:tr>" + cell("Tall", '<w:vMerge w:val="restart"/>') + cell("1", "") + cell("2", "") + "</w:tr>"
        "<w:tr>" + cell("", "<w:vMerge/>") + cell("3", "") + cell("4", "") + "</w:tr>"
        "<w:tr><w:trPr><w:del/></w:trPr>" + cell("gone", "") + "</w:tr></w:tbl>"
    )
    document = read(docx(merged))
    assert document.text == "| Wide | Wide | C |\n| --- | --- | --- |\n| Tall | 1 | 2 |\n| Tall | 3 | 4 |\n"


def test_header_rows_that_word_marks_become_one_and_a_wide_first_row_is_the_title() -> None:
    def cell(text: str, columns: int = 1) -> str:
        return f'<w:tc><w:tcPr><w:gridSpan w:val="{columns}"/></w:tcPr>{p(text)}</w:tc>'

    def row(*cells: str, head: bool = False) -> str:
        return f"<w:tr><w:trPr>{'<w:tblHeader/>' if head else ''}</w:trPr>{''.join(cells)}</w:tr>"

    rows = (
        row(cell("Table 1: sales", 3), head=True)
        + row(cell(""), cell("Units sold", 2), head=True)
        + row(cell("Region"), cell("2023"), cell("2024"), head=True)
        + row(cell("North"), cell("11"), cell("12"))
    )
    document = read(docx(f"<w:tbl>{rows}</w:tbl>"))
    assert document.text == (
        "Table 1: sales\n\n| Region | Units sold 2023 | Units sold 2024 |\n| --- | --- | --- |\n| North | 11 | 12 |\n"
    )


def test_a_layout_table_flows_and_may_hold_headings() -> None:
    cell = f"<w:tc>{p('Inside', outline=0)}{p('framed text')}</w:tc>"
    document = read(docx(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>"))
    assert document.text == "# Inside\n\nframed text\n"
    assert outline(document) == [(1, "Inside")]
