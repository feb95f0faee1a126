"""Chunks: a partition of the text, within the bound, cut where a reader would (ING-01, ING-05, ING-06)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from knarr.documents import parse
from knarr.documents.chunks import chunk, rows_cut
from knarr.documents.sections import Document
from knarr.models.embed.tokens import RegexTokenizer

TOKENS = RegexTokenizer()


def markdown(text: str) -> Document:
    return parse(text.encode("utf-8"), "sample.md")


def slices(document: Document, limit: int) -> list[str]:
    return [document.data[c.begin_byte : c.end_byte].decode() for c in chunk(document, TOKENS, limit)]


def test_chunks_of_equal_headings_are_all_there() -> None:
    document = markdown(
        "# Culture\n\nalpha-1\n\n# Culture\n\nbeta-2\n\n## Culture\n\ngamma-3\n\n# Culture\n\ndelta-4\n"
    )
    parts = slices(document, 100)
    assert "".join(parts) == document.text
    assert [word for part in parts for word in part.split() if "-" in word] == [
        "alpha-1",
        "beta-2",
        "gamma-3",
        "delta-4",
    ]


def test_repeated_text_has_true_rising_offsets() -> None:
    for sentence in ("Same line again. ", "Same 🎉 line 再 again. "):
        document = markdown(sentence * 200)
        chunks = chunk(document, TOKENS, 30)
        assert len(chunks) > 20
        begins = [c.begin_byte for c in chunks]
        assert begins == sorted(set(begins)) and begins[0] == 0
        assert [c.end_byte for c in chunks] == [*begins[1:], len(document.data)]
        assert all(c.tokens <= 30 for c in chunks)
        assert all(part.endswith(". ") for part in slices(document, 30)[:-1])


def test_parts_of_a_long_section_are_of_nearly_equal_size() -> None:
    paragraph = "One two three four five six seven eight nine ten.\n\n"
    chunks = chunk(markdown("# Long\n\n" + paragraph * 40), TOKENS, 200)
    sizes = [c.tokens for c in chunks]
    assert max(sizes) <= 200 and min(sizes) > 100


def test_blank_lines_are_better_borders_than_sentences() -> None:
    text = "\n\n".join("Short one. Short two. Short three. Short four." for _ in range(20))
    parts = slices(markdown(text), 40)
    assert all(part.endswith("\n\n") for part in parts[:-1])


def test_a_heading_alone_opens_the_first_chunk_below_it() -> None:
    document = markdown("# Pasta\n\n## Carbonara\n\nEggs.\n\n## Pesto\n\nBasil.\n\n# Next\n")
    chunks = chunk(document, TOKENS, 100)
    assert [c.section.title for c in chunks] == ["Carbonara", "Pesto", "Next"]
    assert slices(document, 100)[0].startswith("# Pasta\n\n## Carbonara")


def test_table_rows_are_never_split_and_later_parts_know_the_columns() -> None:
    rows = "".join(f"| p-{n:03} | team-{n:03} |\n" for n in range(1, 301))
    document = markdown("# Ports\n\n| Port | Owner |\n|---|---|\n" + rows)
    chunks = chunk(document, TOKENS, 120)
    assert len(chunks) > 5
    seen = []
    for part in chunks:
        text = document.data[part.begin_byte : part.end_byte].decode()
        lines = [line for line in text.splitlines() if line.startswith("| p-")]
        assert all(line.count("|") == 3 for line in lines)
        seen += lines
        assert "Port" in part.header + text and "Owner" in part.header + text
    assert seen == rows.splitlines()
    assert "".join(slices(document, 120)) == document.text


def test_a_row_longer_than_the_bound_is_cut_between_cells() -> None:
    cells = [f"cell {n} of the row" for n in range(40)]
    wide = "| " + " | ".join(cells) + " |\n"
    document = markdown("| A | B |\n|---|---|\n| a | b |\n" + wide + "| c | d |\n")
    chunks = chunk(document, TOKENS, 50)
    parts = slices(document, 50)
    assert "".join(parts) == document.text and all(part.tokens <= 50 for part in chunks)
    assert all(any(cell in part for part in parts) for cell in cells)
    assert any("| a | b |\n" in part for part in parts) and any("| c | d |\n" in part for part in parts)
    inside = [part for part in chunks if part.begin_byte > document.text.index("cell 0")]
    assert all(part.header == "| A | B |\n|---|---|\n" for part in inside)
    assert rows_cut(document, chunks) == 1


def test_a_cell_longer_than_the_bound_is_cut_between_words() -> None:
    document = markdown("| A | B |\n|---|---|\n| a | b |\n| " + "word " * 300 + "| x |\n| c | d |\n")
    parts = slices(document, 50)
    assert "".join(parts) == document.text
    assert all(part.strip().startswith(("|", "word")) for part in parts)
    assert max(part.tokens for part in chunk(document, TOKENS, 50)) <= 50


def test_a_header_that_leaves_no_room_is_not_repeated() -> None:
    names = " | ".join(f"column{n}" for n in range(100))
    row = " | ".join("1" for _ in range(100))
    text = f"| {names} |\n|{' - |' * 100}\n" + f"| {row} |\n" * 5
    chunks = chunk(markdown(text), TOKENS, 60)
    assert max(part.tokens for part in chunks) <= 60 and not any(part.header for part in chunks)


WORDS = st.sampled_from(["alpha", "beta", "gamma", "émigré", "測試", "🎉", "x" * 40, "42", "e.g.", "end."])
LINES = st.one_of(
    st.lists(WORDS, min_size=1, max_size=30).map(" ".join),
    st.tuples(st.integers(1, 6), WORDS).map(lambda pair: f"{'#' * pair[0]} {pair[1]}"),
    st.sampled_from(["", "", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "- item", "    code"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=60), st.integers(16, 200))
def test_chunks_partition_any_text_within_the_bound(lines: list[str], limit: int) -> None:
    source = "\n".join(lines)
    if not source.strip():
        return
    document = markdown(source)
    chunks = chunk(document, TOKENS, limit)
    assert "".join(document.data[c.begin_byte : c.end_byte].decode() for c in chunks) == document.text
    for part in chunks:
        assert part.tokens == len(
            [
                t
                for t in TOKENS.token_begins(document.text)
                if part.begin_byte <= len(document.text[:t].encode()) < part.end_byte
            ]
        )
        assert part.tokens <= limit
