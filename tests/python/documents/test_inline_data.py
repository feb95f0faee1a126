"""Pictures written into a text are named and are no part of it."""

from __future__ import annotations

import base64

import pytest

from growth import is_linear
from knarr.documents.chunks import chunk
from knarr.documents.inline_data import without_payloads
from knarr.models.embed.tokens import RegexTokenizer
from knarr.writing.layout import lay_out
from outlines import parsed, titles

TOKENS = RegexTokenizer()
BODY = base64.b64encode(bytes(range(256)) * 80).decode()
WRAPPED = "\n".join(BODY[at : at + 76] for at in range(0, len(BODY), 76))
PICTURE = f"data:image/png;base64,{BODY}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"![pic]({PICTURE})", "![pic](data:image/png)"),
        (f"![pic]({PICTURE} 'A title')", "![pic](data:image/png 'A title')"),
        (f"![pic][1]\n\n[1]: {PICTURE}", "![pic][1]\n\n[1]: data:image/png"),
        (f"![pic][1]\n\n[1]: <{PICTURE}>", "![pic][1]\n\n[1]: <data:image/png>"),
        (f'<img alt="pic" src="{PICTURE}">', '<img alt="pic" src="data:image/png">'),
        (f"| ![pic]({PICTURE}) | b |", "| ![pic](data:image/png) | b |"),
        (f"![pic](data:image/svg+xml;charset=utf-8,{'%3Csvg%20x' * 90})", "![pic](data:image/svg+xml)"),
        (f"[pic](data:;base64,{BODY})", "[pic](data:)"),
        (f"![pic]({PICTURE}) and ![two]({PICTURE})", "![pic](data:image/png) and ![two](data:image/png)"),
    ],
)
def test_a_picture_in_the_text_is_named_and_not_embedded(written: str, shown: str) -> None:
    """ING-20"""
    document = parsed(f"# I\n\n{written}\n\nend-word\n", "a.md")
    assert document.text == f"# I\n\n{shown}\n\nend-word\n"
    assert titles(document) == ["I"]
    assert document.notes[0].startswith("files written into the text, named and left out: ")
    (part,) = chunk(document, TOKENS, 64)
    assert part.tokens < 40
    laid = lay_out(document, "a", TOKENS, chunk_tokens=64, abstract_tokens=64, preview_chars=80)
    for made in laid.objects:
        assert BODY[:40] not in made.embedded + made.text + made.preview
        assert made.kind == "abstract" or "pic" in made.embedded


def test_lines_keep_their_numbers_where_a_picture_takes_several() -> None:
    text = f'<img src="data:image/png;base64,{BODY[:300]}\n{WRAPPED}" alt="pic">\n\n# After\n'
    document = parsed(text, "a.md")
    assert document.text.count("\n") == text.count("\n") and BODY[-9:] not in document.text
    (after,) = document.root.children
    assert document.line_at(after.begin_byte) == 1 + text[: text.index("# After")].count("\n")


def test_pages_and_plain_text_too() -> None:
    assert parsed(f"<p>a <img alt=pic src='{PICTURE}'> b</p><pre>{PICTURE}</pre>", "a.html").text == (
        "a pic b\n\n```\ndata:image/png\n```\n"
    )
    assert parsed(f"see {PICTURE} there\n", "a.txt").text == "see data:image/png there\n"


@pytest.mark.parametrize(
    "text",
    ["data: a, b", "![dot](data:image/gif;base64,R0lGODlhAQABAAAAACw=)", f"metadata:,{BODY[:150]}", BODY],
)
def test_what_is_short_or_no_address_stays(text: str) -> None:
    assert without_payloads(text) == (text, ())


@pytest.mark.parametrize(
    "unit", ["data:", "data:,", "data:,a\n", "data:a/a;a=a", f"data:,{BODY[:199]} ", "data:a/"]
)
def test_looking_for_pictures_is_linear(unit: str) -> None:
    assert is_linear(without_payloads, unit)
