"""Passages and sentences cover the text, in order."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from knarr.language.passages import MAX_WORDS, passages, sentences

TEXT = """# Grading

Homework counts for forty percent of the grade. Late work loses ten points a day, e.g. two days cost twenty.

| Item | Share |
|---|---|
| Homework | 40 % |
| Exam | 60 % |

## Attendance

Attendance is taken by Dr. Olsen in each class. Three absences are excused.
"""


def test_headings_go_with_what_follows():
    assert [part.text for part in passages(TEXT)] == [TEXT.strip()]  # small enough to be one
    parts = [part.text for part in passages(TEXT + "\n\n# Plan\n\n" + "Week after week goes by. " * 60)]
    assert parts[0].startswith("# Grading") and "forty percent" in parts[0]
    assert any(part.startswith("## Attendance") and "Olsen" in part for part in parts)


def test_sentences_know_abbreviations_and_rows():
    found = [part.text for part in sentences(TEXT)]
    assert "Attendance is taken by Dr. Olsen in each class." in found
    assert "| Homework | 40 % |" in found
    assert any(one.endswith("e.g. two days cost twenty.") for one in found)


def test_wrapped_lines_are_one_sentence():
    text = "The first line of this paragraph is wrapped at a width\nthat editors like, so the sentence goes on. Then another."
    assert [part.text.replace("\n", " ") for part in sentences(text)] == [
        "The first line of this paragraph is wrapped at a width that editors like, so the sentence goes on.",
        "Then another.",
    ]


def test_long_blocks_are_cut():
    for text in (
        "word " * 2000,
        "A sentence of six words here. " * 300,
        "\n".join(f"| row {n} | value |" for n in range(600)),
    ):
        parts = passages(text)
        assert len(parts) > 3 and max(len(part.text.split()) for part in parts) <= 1.2 * MAX_WORDS + 8


@given(st.text(alphabet=st.sampled_from("ab. \n\t#|-*1)A?é“”"), max_size=400))
def test_nothing_is_lost_or_moved(text):
    for parts in (passages(text), sentences(text)):
        assert all(text[part.begin : part.end] == part.text for part in parts)
        assert all(left.end <= right.begin for left, right in itertools.pairwise(parts))
        assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())
