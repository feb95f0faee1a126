"""Dispatch by format, and titles of documents."""

from __future__ import annotations

import pytest

from knarr.documents import SUFFIXES, Limits, parse, stem
from knarr.errors import DocumentError
from outlines import parsed


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("a.MARKDOWN", "markdown"),
        ("a.txt", "text"),
        ("dir/a.text", "text"),
        ("a.rst", "text"),
        ("a.html", "html"),
        ("C:\\docs\\a.HTM", "html"),
    ],
)
def test_the_suffix_names_the_format(name: str, kind: str) -> None:
    assert parsed("Some words.\n", name).format == kind


@pytest.mark.parametrize("name", ["a.xlsx", "a.exe", "README", "a", ".md"])
def test_other_names_are_unsupported(name: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"words", name)
    assert error.value.status == "unsupported"
    assert ".md" in str(error.value)


def test_a_zip_that_is_no_word_file_is_unsupported() -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"PK\x03\x04" + b"\0" * 200, "archive.zip")
    assert error.value.status == "unsupported"


def test_a_pdf_is_known_by_its_bytes() -> None:
    # Under a text suffix, too: it must not be read as text.
    with pytest.raises(DocumentError) as error:
        parse(b"%PDF-1.7\nthis ends too early", "scan.txt")
    assert error.value.status == "corrupt"


def test_text_about_pdf_stays_text() -> None:
    assert parsed("A PDF begins with %PDF-1.7.\n", "note.txt").format == "text"


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html", "a.docx", "a.pdf", "a.xyz"])
def test_no_bytes_are_empty_whatever_the_format(name: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"", name)
    assert error.value.status == "empty"


def test_the_file_size_is_limited() -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"x" * 20, "a.pdf", limits=Limits(file_bytes=10))
    assert error.value.status == "limit"


def test_stems() -> None:
    assert stem("dir/guide.md") == "guide"
    assert stem("v5.3.1-notes.md") == "v5.3.1-notes"
    assert stem("release 1.2") == "release 1.2"
    assert {".md", ".html", ".txt", ".docx", ".pdf"} <= SUFFIXES


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 'From front matter'\n---\n# Heading\n", "From front matter"),
        ("intro\n\n## Sub\n\n# First *top*\n\n# Second\n", "First top"),
        ("## Only a sub\n", "notes"),
        ("words\n", "notes"),
    ],
)
def test_a_markdown_title_is_front_matter_then_h1_then_the_name(text: str, title: str) -> None:
    assert parsed(text, "x/notes.md").title == title
