"""Trees of sections as tests write them down, and what must hold for every document."""

from __future__ import annotations

from knarr.documents import parse
from knarr.documents.sections import Document

Outline = list[tuple[int, str]]


def parsed(text: str | bytes, name: str) -> Document:
    """Parse and check: the invariants hold, and the sections' own texts joined are the text."""
    document = parse(text.encode("utf-8") if isinstance(text, str) else text, name)
    document.check()
    assert b"".join(own_bytes(document)) == document.data
    return document


def own_bytes(document: Document) -> list[bytes]:
    """Each section's own text, without that of its children, in document order."""
    return [
        document.data[s.begin_byte : s.children[0].begin_byte if s.children else s.end_byte]
        for s in document.root.walk()
    ]


def outline(document: Document) -> Outline:
    """(level, title) of each section below the root, in order."""
    return [(section.level, section.title) for section in document.root.walk() if section.level]


def titles(document: Document) -> list[str]:
    return [title for _, title in outline(document)]


def own_text(document: Document, title: str) -> str:
    """The own text of the first section with this title, heading included."""
    for section, own in zip(document.root.walk(), own_bytes(document), strict=True):
        if section.level and section.title == title:
            return own.decode("utf-8")
    raise AssertionError(f"no section {title!r} among {titles(document)}")
