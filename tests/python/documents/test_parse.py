"""Dispatch by format, and titles of documents."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from knarr.documents import SUFFIXES, Document, Limits, parse, registry, stem
from knarr.documents.registry import FORMATS, Format
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from outlines import parsed


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("a.MARKDOWN", "markdown"),
        ("a.txt", "text"),
        ("dir/a.text", "text"),
        ("a.rst", "rst"),
        ("a.mdx", "markdown"),
        ("a.html", "html"),
        ("C:\\docs\\a.HTM", "html"),
    ],
)
def test_the_suffix_names_the_format(name: str, kind: str) -> None:
    assert parsed("Some words.\n", name).format == kind


@pytest.mark.parametrize("name", ["a.mdb", "a.exe", "README", "a", ".md"])
def test_other_names_are_unsupported(name: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(b"words", name)
    assert error.value.status == "unsupported"
    assert "\n" not in str(error.value) and len(str(error.value)) < 80


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


def shouted(data: bytes, name: str, limits: Limits) -> Document:
    """The parser of a made-up format, without a title of its own."""
    writer = MarkdownWriter()
    writer.heading(1, data.decode().upper())
    return writer.document("shout", "", (name,))


def test_a_format_is_a_parser_and_a_line_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = Format("shout", frozenset({".shout"}), f"{__name__}:shouted")
    monkeypatch.setattr(registry, "FORMATS", (made_up, *FORMATS))
    document = parse(b"hello", "a/b.SHOUT")
    document.check()
    assert (document.format, document.text, document.notes) == ("shout", "# HELLO\n", ("a/b.SHOUT",))
    # Where a document names no title, it is called as its file.
    assert document.title == document.root.title == "b.SHOUT"


def test_no_suffix_has_two_formats_and_all_parsers_one_signature() -> None:
    assert len(SUFFIXES) == sum(len(known.suffixes) for known in FORMATS)
    for known in FORMATS:
        more = (*(["ocr"] if known.pictures else []), *(["inner"] if known.carries else []))
        assert tuple(inspect.signature(known.load()).parameters) == ("data", "name", "limits", *more)


def test_a_parser_and_its_library_are_loaded_when_a_file_needs_them() -> None:
    code = "from knarr.documents import parse; {}; import sys; print(*sys.modules)"

    def loaded(step: str) -> set[str]:
        run = subprocess.run(
            [sys.executable, "-c", code.format(step)], capture_output=True, text=True, check=True
        )
        return set(run.stdout.split())

    libraries = {"lxml", "pypdfium2", "selectolax", "markdown_it"}
    assert not libraries & loaded("pass")
    assert libraries & loaded("parse(b'<p>x', 'a.html')") == {"selectolax"}


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
