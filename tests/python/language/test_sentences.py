"""Where sentences end: one list of abbreviations, two borders."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from knarr.language.sentences import prose_spans, sentence_spans


def every(text: str) -> list[str]:
    return [text[begin:end] for begin, end in sentence_spans(text)]


def sure(text: str) -> list[str]:
    return [text[begin:end].strip() for begin, end in prose_spans(text, 0, len(text))]


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "Dr. Smith met J. Doe at 5 p.m. Eastern, see Fig. 3 and No. 4. It rained. U.S. law applies."
    expected = [text[: text.index("It")].strip(), "It rained.", "U.S. law applies."]
    assert every(text) == sure(text) == expected


def test_only_a_sure_border_looks_at_what_follows() -> None:
    text = 'The value is set. see below. "Then it ends." (It does.) 3 follow.'
    assert sure(text) == ["The value is set. see below.", '"Then it ends."', "(It does.)", "3 follow."]
    assert every(text)[:2] == ["The value is set.", "see below."]


def test_structure_ends_a_sentence_of_markdown() -> None:
    text = "Intro without a stop\n\n- one\n- two\n| a | b |\n# Title\n第一句。第二句！"
    assert every(text) == [
        "Intro without a stop", "- one", "- two", "| a | b |", "# Title\n第一句。", "第二句！",
    ]  # fmt: skip


@given(st.text('aB. \n#|-)"!。1'))
def test_no_text_is_lost(text: str) -> None:
    spans = sentence_spans(text)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))
    assert "".join("".join(every(text)).split()) == "".join(text.split())
    assert "".join(text[begin:end] for begin, end in prose_spans(text, 0, len(text))) == text
