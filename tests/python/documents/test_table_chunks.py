"""Tables as chunks: of their own, with caption and header, and how List shows them (ING-05)."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.documents.chunks import chunk
from knarr.models.embed.tokens import RegexTokenizer, count_tokens
from knarr.writing.layout import lay_out

TOKENS = RegexTokenizer()
ROWS = "".join(f"| Isle {n} | {n}1 | {n}2 |\n" for n in range(1, 41))
TABLE = "Table 3: Fares by year\n\n| Isle | 2023 | 2024 |\n| --- | --- | --- |\n" + ROWS
PROSE = "Ferries go to every isle of the coast, on every day of the year but two. " * 12


def text_of(name: str, text: str, limit: int = 200) -> list[tuple[str, str]]:
    """Header and text of each chunk; joined, the texts are the document."""
    document = parse(text.encode(), name)
    document.check()
    chunks = chunk(document, TOKENS, limit)
    found = [(one.header, document.data[one.begin_byte : one.end_byte].decode()) for one in chunks]
    assert "".join(text for _, text in found) == document.text
    return found


def test_a_table_is_no_part_of_the_prose_around_it() -> None:
    chunks = text_of("fares.md", f"# Ferries\n\n{PROSE}\n\n{TABLE}\n{PROSE}\n", 2000)
    assert [("Isle 7" in text, "every day" in text) for _, text in chunks] == [
        (False, True), (True, False), (False, True),
    ]  # fmt: skip
    assert chunks[1][1].startswith("Table 3: Fares by year")


def test_few_words_and_few_rows_stay_with_what_is_beside_them() -> None:
    few = TABLE[: TABLE.index("| Isle 4 ")]
    assert len(text_of("fares.md", f"# Ferries\n\n{PROSE}\n\n{few}\n{PROSE}\n", 2000)) == 1
    assert len(text_of("fares.md", f"# Ferries\n\nAll fares.\n\n{TABLE}\nSource: the port.\n", 2000)) == 1


@pytest.mark.parametrize("kind", ["md", "html", "txt"])
def test_each_part_of_a_table_has_its_caption_and_header(kind: str) -> None:
    cells = [[f"Isle {n}", f"{n}1", f"{n}2"] for n in range(1, 41)]
    rows = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in cells)
    head = "<tr><th>Isle</th><th>2023</th><th>2024</th></tr>"
    texts = {
        "md": TABLE,
        "html": f"<table><caption>Table 3: Fares by year</caption>{head}{rows}</table>",
        "txt": "Table 3: Fares by year\n\nIsle      2023    2024\n"
        + "".join(f"{a:<10}{b:<8}{c}\n" for a, b, c in cells),
    }
    chunks = text_of(f"fares.{kind}", texts[kind], 60)
    assert len(chunks) > 2 and chunks[0][0] == ""
    for header, text in chunks[1:]:
        assert header.startswith("Table 3: Fares by year\n\n") and "2023" in header and "2024" in header
        assert text.lstrip("| ").startswith("Isle ")


def test_a_header_longer_than_half_a_chunk_is_shortened() -> None:
    names = [f"name of column {n} {'with many more words ' * 4}" for n in range(5)]
    text = f"| {' | '.join(names)} |\n|{' --- |' * 5}\n" + "| a | b | c | d | e |\n" * 60
    chunks = text_of("wide.md", text, 160)
    header = chunks[-1][0].splitlines()[0]
    assert count_tokens(TOKENS, chunks[-1][0]) <= 80
    assert [cell.strip()[:16] for cell in header.strip("|").split("|")] == [name[:16] for name in names]


def test_list_says_that_a_chunk_is_a_table() -> None:
    document = parse(f"# Ferries\n\n{PROSE}\n\n{TABLE}\n{PROSE}\n".encode(), "fares.md")
    laid = lay_out(document, "fares.md", TOKENS, chunk_tokens=300, abstract_tokens=100, preview_chars=200)
    tables = [one.preview for one in laid.objects if one.preview.startswith("Table ")]
    assert tables[0].startswith("Table “Table 3: Fares by year”, rows 1–")
    assert all("of 40; columns: Isle, 2023, 2024." in one for one in tables) and len(tables) > 1


@pytest.mark.parametrize(
    "prose", ["Table 3 shows what a passage costs.", "Tables are below.", "Table of contents"]
)
def test_a_sentence_is_no_caption(prose: str) -> None:
    [table] = parse(f"{prose}\n\n{TABLE[24:]}".encode(), "fares.md").tables
    assert table.title == ""


def test_a_caption_below_a_table_is_its_own_not_that_of_the_next() -> None:
    body = TABLE[TABLE.index("| Isle | 2023") :]
    one, two = parse(f"{body}\nTable 1: Fares\n\nMore.\n\n{body}".encode(), "a.md").tables
    assert (one.title, two.title) == ("Table 1: Fares", "")
    one, two = parse(f"{body}\nTable 2: Fares\n\n{body}".encode(), "a.md").tables
    assert (one.title, two.title) == ("", "Table 2: Fares")


PLAIN = {
    "grid": ("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+\n", 2),
    "ascii": ("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n| 3 | 4 |\n+---+---+\n", 2),
    "dashes": ("Name   Port\n=====  =====\nhttp   eighty\nssh    22\nsmtp   25\n", 3),
    "aligned": ("Item      Old   New\nNuts        1    22\nBolts      13     4\nCaps       15    66\n", 3),
    "fields": ("item,old,new\nnuts,1,22\nbolts,13,4\ncaps,15,66\n", 3),
}
NO_TABLES = {
    "prose": "He paid 20,  then 30.\nShe asked why.  He said nothing.\nThey left at 5,  or so.\n",
    "list": "1.  Fill  20\n2.  Stir  30\n3.  Wait  40\n",
    "contents": "Begin .......... 1\nMiddle ......... 20\nEnd ............ 30\n",
    "code": "x  = 1\nif x == 2:\n    y  = 3\nreturn y\n",
    "sentences": "One, two, three.\nFour, five, six.\nSeven, eight, nine.\n",
}


@pytest.mark.parametrize("kind", PLAIN)
def test_tables_in_plain_text_are_known(kind: str) -> None:
    text, rows = PLAIN[kind]
    document = parse(f"Before it.\n\n{text}\nAfter it.\n".encode(), "a.txt")
    document.check()
    [table] = document.tables
    assert len(table.row_begins) == rows and table.header and table.header in text
    assert document.text[table.begin_byte : table.end_byte] == text


@pytest.mark.parametrize("kind", NO_TABLES)
def test_other_text_in_columns_is_no_table(kind: str) -> None:
    assert parse(f"Before it.\n\n{NO_TABLES[kind]}\nAfter it.\n".encode(), "a.txt").tables == ()
