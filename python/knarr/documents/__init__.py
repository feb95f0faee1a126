"""Documents: a file's bytes become a canonical text and a tree of sections over it.

`parse` picks the room by the name's suffix, after a look at the bytes for PDF and zip, since
files are often misnamed. Parsers are imported when first needed.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from knarr.documents.limits import DEFAULT, Limits
from knarr.errors import DocumentError

if TYPE_CHECKING:
    from knarr.documents.sections import Document

__all__ = ["SUFFIXES", "Limits", "parse", "stem"]

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_HTML = frozenset({".html", ".htm", ".xhtml"})
# reStructuredText is read as plain text: its underlined titles are found by the same rules.
_TEXT = frozenset({".txt", ".text", ".rst"})

SUFFIXES: frozenset[str] = _MARKDOWN | _HTML | _TEXT | {".docx", ".pdf"}
"""Suffixes (lower case, with the dot) that `parse` reads."""


def parse(data: bytes, name: str, *, limits: Limits = DEFAULT) -> Document:
    """Read one file. `name` is its file name; only suffix and stem matter.

    Raises DocumentError whose `status` says why the file gives no text: "empty", "unsupported",
    "limit", "corrupt", "encrypted" or "no_text".
    """
    if not data:
        raise DocumentError(f"{name}: the file is empty", "empty")
    if len(data) > limits.file_bytes:
        raise DocumentError(f"{name}: {len(data):,} bytes, the limit is {limits.file_bytes:,}", "limit")
    match _format(data, name):
        case "pdf":
            from knarr.documents.pdf import parse as pdf

            return pdf.parse(data, name)
        case "docx":
            from knarr.documents.docx import parse as docx

            return docx.parse(data, name)
        case "markdown":
            from knarr.documents.markdown import parse as markdown

            return markdown.parse(data, name, limits=limits)
        case "html":
            from knarr.documents.html import parse as html

            return html.parse(data, name, limits=limits)
        case "text":
            from knarr.documents.text import parse as text

            return text.parse(data, name, limits=limits)
    raise DocumentError(
        f"{name}: not a format that knarr reads ({', '.join(sorted(SUFFIXES))})", "unsupported"
    )


def stem(name: str) -> str:
    """The file name without folder and suffix: a document's title when it has no other."""
    path = PurePosixPath(name.replace("\\", "/"))
    return (path.stem if path.suffix.lower() in SUFFIXES else path.name) or "document"


def _format(data: bytes, name: str) -> str:
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    # A PDF may have up to 1 KiB of other bytes before its mark; text that quotes one is no PDF.
    if data.startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in data[:1024]):
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return "docx" if suffix == ".docx" or b"word/" in data[:4096] else ""
    if suffix == ".pdf":
        return "pdf"
    if suffix == ".docx":
        return "docx"
    if suffix in _MARKDOWN:
        return "markdown"
    if suffix in _HTML:
        return "html"
    return "text" if suffix in _TEXT else ""
