"""Front matter of Markdown files: metadata of any kind that YAML or TOML allows, never a section."""

from __future__ import annotations

import pytest

from outlines import outline, parsed, titles

MATTERS = [
    ("title: Guide", "Guide"),
    ("\ntitle: Guide\n", "Guide"),
    ("# made by a tool\ntitle: Guide  # the long one", "Guide"),
    ("author: A\nTitle: 'Ann''s guide'", "Ann's guide"),
    ('"title": "A \\"good\\" guide"', 'A "good" guide'),
    ("title: >-\n  A guide\n\n  of two lines\nauthor: A", "A guide of two lines"),
    ("title: |\n  A guide\ntags: []", "A guide"),
    ("title: A guide\n  that goes on\ndate: 2024-01-02", "A guide that goes on"),
    ('title: "A guide\n  that goes on"', "A guide that goes on"),
    ("title: C#: the guide", "C#: the guide"),
    ("date created: 2024-01-02\ntitle: Guide", "Guide"),
    ("Überschrift: Bericht\nautor: x", "Bericht"),
    ("标题: 文档", "文档"),
    ("メモ: 一\nタイトル: 手引き", "手引き"),
    ("authors: [a,\nb]\ntitle: Guide", "Guide"),
    ("authors: [\n  a, # ]\n  'b]'\n]\ntitle: Guide", "Guide"),
    ("extra: {a: 1,\nb: {c: 2}}\ntitle: Guide", "Guide"),
    ("tags:\n- one\n- two: 2\n-\ntitle: Guide", "Guide"),
    ("https://x.y/z: link\na/b.c-d_e (f): 1\n1: one\ntitle: Guide", "Guide"),
    ("empty:\ntitle: Guide", "Guide"),
    ("don't: it's\ntitle: It's [not] open {", "It's [not] open {"),
]


@pytest.mark.parametrize(("matter", "title"), MATTERS)
@pytest.mark.parametrize("end", ["---", "..."])
def test_any_mapping_is_metadata(matter: str, title: str, end: str) -> None:
    """ING-19"""
    text = f"---\n{matter}\n{end}\n\n# Top\n\nbody\n"
    document = parsed(text, "a.md")
    assert document.text == text  # nothing is lost
    assert outline(document) == [(1, "Top")]
    assert document.title == title


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ('title = "Guide"', "Guide"),
        ("date = 2024-01-02\ntags = [\n  'a',\n  'b',\n]\n\n[extra]\ntitle = 'Other'\n", "Top"),
        ('title = """\nTwo\nlines"""', "Two lines"),
    ],
)
def test_toml_is_metadata_too(matter: str, title: str) -> None:
    """ING-19"""
    document = parsed(f"+++\n{matter}\n+++\n# Top\n", "a.md")
    assert outline(document) == [(1, "Top")] and document.title == title


@pytest.mark.parametrize(
    "text",
    [
        "---\nJust a sentence.\n---\n\n# Kept\n",
        "---\n- a list\n- of two\n---\n\n# Kept\n",
        "---\nkey: value\nand then a sentence.\n---\n\n# Kept\n",
        "---\nkey: [never closed\n---\n\n# Kept\n",
        "---\n\n---\n\n# Kept\n",
        "+++\nno toml\n+++\n\n# Kept\n",
        "+++\n" + "a = " + "[" * 5_000 + "\n+++\n\n# Kept\n",
        "---\n# Kept\n" + "key: x\n" * 10,
    ],
)
def test_what_is_no_mapping_is_markdown(text: str) -> None:
    document = parsed(text, "a.md")
    assert document.text == text and "Kept" in titles(document) and document.title == "Kept"


def test_front_matter_is_bounded() -> None:
    long = "---\n" + "key: value\n" * 600 + "---\n# Top\n"
    assert titles(parsed(long, "a.md"))[-1] == "Top"
    wide = "---\ntitle: " + "x" * 100_000 + "\n---\n\n# Top\n"
    assert parsed(wide, "a.md").title == "Top"
