"""The formats that are read, and the one way into all of them.

A format is a `Format` value and a parser, ``parse(data, name, limits) -> Document``, named by its
place so that it is imported when a file first needs it: parsers bring libraries that nobody should
wait for who never meets such a file. Parsers import nothing from this module; what a file is called,
how large it may be and what its title is when it names none are settled here for all of them.

To add a format, write its parser in a folder of its own and add a line to `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath

from knarr.documents.captions import captioned
from knarr.documents.decode import DEFAULT_LIMITS, Limits
from knarr.documents.sections import Document
from knarr.errors import DocumentError

_ZIP = b"PK\x03\x04"

Parser = Callable[[bytes, str, Limits], Document]


@dataclass(frozen=True, slots=True)
class Format:
    """A format and how its files are recognised.

    suffixes:  lower case, with the dot
    parser:    "module:function"
    sniff:     whether bytes, under a name of the given suffix, are this format whatever the name says
    """

    name: str
    suffixes: frozenset[str]
    parser: str
    sniff: Callable[[bytes, str], bool] | None = None

    def load(self) -> Parser:
        """The parser, imported now if it was not before."""
        module, _, function = self.parser.partition(":")
        parser: Parser = getattr(import_module(module), function)
        return parser


def _is_pdf(data: bytes, suffix: str) -> bool:
    # A PDF may have up to 1 KiB of other bytes before its mark; text that quotes one is no PDF.
    return data.startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in data[:1024])


def _is_word(data: bytes, suffix: str) -> bool:
    return data.startswith(_ZIP) and (suffix == ".docx" or b"word/" in data[:4096])


FORMATS = (
    Format("pdf", frozenset({".pdf"}), "knarr.documents.pdf.parse:parse", _is_pdf),
    Format("docx", frozenset({".docx"}), "knarr.documents.docx.parse:parse", _is_word),
    Format("html", frozenset({".html", ".htm", ".xhtml"}), "knarr.documents.html.parse:parse"),
    Format(
        "markdown", frozenset({".md", ".markdown", ".mdown", ".mkd"}), "knarr.documents.markdown.parse:parse"
    ),
    # reStructuredText is read as plain text: its underlined titles are found by the same rules.
    Format("text", frozenset({".txt", ".text", ".rst"}), "knarr.documents.text.parse:parse"),
)

SUFFIXES: frozenset[str] = frozenset().union(*(known.suffixes for known in FORMATS))
"""Suffixes (lower case, with the dot) that `parse` reads."""


def parse(data: bytes, name: str, *, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Read one file. `name` is its file name; only suffix and stem matter.

    Raises DocumentError whose `status` says why the file gives no text: "empty", "unsupported",
    "limit", "corrupt", "encrypted" or "no_text".
    """
    if not data:
        raise DocumentError(f"{name}: the file is empty", "empty")
    if len(data) > limits.file_bytes:
        raise DocumentError(f"{name}: {len(data):,} bytes, the limit is {limits.file_bytes:,}", "limit")
    found = format_of(data, name)
    if found is None:
        raise DocumentError(
            f"{name}: not a format that knarr reads ({', '.join(sorted(SUFFIXES))})", "unsupported"
        )
    document = found.load()(data, name, limits)
    document.tables = captioned(document)
    if not document.title:
        document.title = document.root.title = stem(name)
    return document


def format_of(data: bytes, name: str) -> Format | None:
    """The format of a file, None if it is none of ours. The bytes count before the suffix, since files
    are often misnamed; a zip archive that no format claims is never text."""
    suffix = _path(name).suffix.lower()
    for known in FORMATS:
        if known.sniff is not None and known.sniff(data, suffix):
            return known
    if data.startswith(_ZIP):
        return None
    return next((known for known in FORMATS if suffix in known.suffixes), None)


def stem(name: str) -> str:
    """The file name without folder and suffix: a document's title when it has no other."""
    path = _path(name)
    return (path.stem if path.suffix.lower() in SUFFIXES else path.name) or "document"


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))
