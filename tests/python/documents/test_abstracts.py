"""Extractive abstracts and previews: bounded, bottom-up, made of the text's own sentences."""

from __future__ import annotations

from knarr.abstracts.extractive import abstracts, folder_abstract, preview
from knarr.documents import parse
from knarr.language.markup import running_text
from knarr.models.embed.tokens import RegexTokenizer, count_tokens

TEXT = """# Kitchen

## Carbonara

Carbonara is made of eggs, cheese and cured pork. Beat the eggs with the cheese before the pasta is done.
The weather was fine. Toss pasta, eggs and cheese off the heat, so that the eggs do not set.

## Pesto

Pesto is basil pounded with oil, pine nuts and cheese.
"""


def test_each_section_gets_an_abstract_of_its_own_sentences() -> None:
    document = parse(TEXT.encode(), "kitchen.md")
    root, kitchen, carbonara, pesto = abstracts(document, 40)
    assert carbonara.startswith("Carbonara. ")
    assert "eggs" in carbonara and "weather" not in carbonara
    assert pesto == "Pesto. Pesto is basil pounded with oil, pine nuts and cheese."
    assert kitchen.startswith("Kitchen. Sections: Carbonara; Pesto.")
    assert "Sections: Kitchen." in root


def test_abstracts_stay_within_the_bound() -> None:
    long = "# T\n\n" + "\n\n".join(f"## Part number {n}\n\n" + f"word{n} " * 300 + "." for n in range(60))
    for text in abstracts(parse(long.encode(), "long.md"), 64):
        assert 0 < count_tokens(RegexTokenizer(), text) <= 66


def test_a_folder_of_thousands_has_a_bounded_abstract() -> None:
    text = folder_abstract("all", [f"name{n}" for n in range(3000)], (f"Text {n}." for n in range(3000)), 96)
    assert text.startswith("all. Contains: name0; name1;") and "…" in text
    assert count_tokens(RegexTokenizer(), text) <= 98


def test_plain_and_preview() -> None:
    assert running_text("## A [link](http://x) and `code` <!-- no -->\n\n* item") == "A link and code item"
    assert preview("word " * 100, 40) == "word " * 7 + "word…"
    assert preview("short", 40) == "short"
    assert preview("x" * 500, 40) == "x" * 39 + "…"
