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


@pytest.mark.parametrize(
    ("matter", "metadata"),
    [
        ("Title: A\ntags: [a, 'b, c', 3]\ndraft: no", {"title": "A", "tags": ("a", "b, c", 3), "draft": "no"}),
        ("date: 2024-01-02\nversion: 1.10\nrate: 1.5\nbuild: 007\nn: -3", {"date": "2024-01-02", "version": "1.10", "rate": 1.5, "build": "007", "n": -3}),
        ("on: true\nempty:\nnone: ~\nquoted: \"12\"", {"on": True, "quoted": "12"}),
        ("authors:\n- name: Ann\n  at: X\n- Bob\nextra:\n  deep: {er: 1}", {"authors": ("name: Ann; at: X", "Bob"), "extra.deep.er": 1}),
        ("text: |\n  one\n  two\nfold: >\n  a\n  b", {"text": "one\ntwo", "fold": "a b"}),
        ("base: &b [x]\nalias: *b\na: 1\na: 2", {"base": ("x",), "alias": ("x",), "a": 1}),
        ("tag: !!python/object/apply:os.system [x]", {"tag": ("x",)}),
    ],
)  # fmt: skip
def test_what_front_matter_says_is_metadata(matter: str, metadata: dict[str, object]) -> None:
    """ING-19"""
    assert parsed(f"---\n{matter}\n---\n# Top\n", "a.md").metadata == metadata


def test_what_is_no_yaml_is_read_line_by_line() -> None:
    document = parsed("---\ntitle: The guide: part two\ntags: a\n---\n# Top\n", "a.md")
    assert document.title == "The guide: part two" and document.metadata["tags"] == "a"
    assert document.notes == ("the front matter is not YAML, or very long: read line by line",)


@pytest.mark.parametrize(
    ("text", "lines", "metadata"),
    [
        ('+++\ntitle = "G"\ndate = 2024-01-02\n[a]\nb = [1, 2]\n+++\n', 6, {"title": "G", "date": "2024-01-02", "a.b": (1, 2)}),
        ('{\n "title": "G",\n "tags": ["x"]\n}\n', 4, {"title": "G", "tags": ("x",)}),
        ("% The\n  guide\n% Ann; Bob\n% May 2024\n", 4, {"title": "The guide", "author": ("Ann", "Bob"), "date": "May 2024"}),
    ],
)  # fmt: skip
def test_other_front_matter_says_as_much(text: str, lines: int, metadata: dict[str, object]) -> None:
    """ING-19"""
    document = parsed(f"{text}\n# Top\n", "a.md")
    assert document.metadata == metadata and document.title == metadata["title"]
    assert (
        outline(document) == [(1, "Top")]
        and document.line_at(document.root.children[0].begin_byte) == lines + 2
    )


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{"a": 1} and\nmore', "{% include x %}\n\ntext", "{}\n\ntext", "[1]\n\nx"]
)
def test_what_only_looks_like_an_object_is_text(text: str) -> None:
    assert parsed(text, "a.md").metadata == {}


def test_aliases_are_bounded() -> None:
    bomb = "a0: &a0 [x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)
    )
    metadata = parsed(f"---\n{bomb}---\ntext\n", "a.md").metadata
    assert metadata["a0"] == ("x",) * 4 and len(str(metadata)) < 10_000
