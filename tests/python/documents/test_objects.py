"""Named sections and objects: one layout per document, ready for catalog and engine."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.models.embed.tokens import RegexTokenizer
from knarr.writing.layout import Laid, labels, lay_out

TEXT = "# Pasta\n\n## Carbonara\n\nEggs and cheese.\n\n## Pesto\n\nBasil.\n\n## Pesto\n\nMore basil.\n"


def laid(text: str, name: str = "home_cooking") -> Laid:
    document = parse(text.encode(), f"{name}.md")
    return lay_out(document, name, RegexTokenizer(), chunk_tokens=100, abstract_tokens=40, preview_chars=80)


def test_paths_are_as_a_reader_would_write_them() -> None:
    assert [(part.kind, part.path) for part in laid(TEXT).objects] == [
        ("abstract", ".abstract.md"),
        ("abstract", "Pasta/.abstract.md"),
        ("abstract", "Pasta/Carbonara/.abstract.md"),
        ("chunk", "Pasta/Carbonara/Carbonara_1.md"),
        ("abstract", "Pasta/Pesto/.abstract.md"),
        ("chunk", "Pasta/Pesto/Pesto_1.md"),
        ("abstract", "Pasta/Pesto~2/.abstract.md"),
        ("chunk", "Pasta/Pesto~2/Pesto~2_1.md"),
    ]


def test_chunks_joined_are_the_text_and_lines_are_true() -> None:
    objects = laid(TEXT).objects
    assert "".join(part.text for part in objects if part.kind == "chunk") == TEXT
    lines = {part.path: (part.begin_line, part.end_line) for part in objects if part.kind == "chunk"}
    assert lines["Pasta/Carbonara/Carbonara_1.md"] == (1, 5)
    assert lines["Pasta/Pesto~2/Pesto~2_1.md"] == (11, 13)


def test_the_abstract_of_one_chunk_shares_its_vector() -> None:
    objects = {part.path: part for part in laid(TEXT).objects}
    assert (
        objects["Pasta/Pesto/.abstract.md"].embedded_hash()
        == objects["Pasta/Pesto/Pesto_1.md"].embedded_hash()
    )


def test_previews_leave_out_the_headings() -> None:
    previews = [part.preview for part in laid(TEXT).objects if part.kind == "chunk"]
    assert previews == ["Eggs and cheese.", "Basil.", "More basil."]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Home_cooking.md", "# Home cooking\n\nx", ("Home cooking",)),
        ("cs466_syllabus.md", "# Databases\n\nx", ("cs466 syllabus", "Databases")),
        ("1909.01860.md", "# Visual question answering\n\nx", ("Visual question answering",)),
        (
            "acme_supply.txt",
            "SUPPLY CONTRACT\n\nbetween A and B",
            ("acme supply", "SUPPLY CONTRACT between A and B"),
        ),
    ],
)
def test_labels_are_what_a_question_may_call_a_document(
    name: str, text: str, expected: tuple[str, ...]
) -> None:
    assert labels(parse(text.encode(), name), name.rsplit(".", 1)[0]) == expected
