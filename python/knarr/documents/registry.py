"""The formats that are read, and the one way into all of them.

A format is a `Format` value and a parser, ``parse(data, name, limits) -> Document``; where its pages may be pictures
it also takes a reader of those as ``ocr``, where its files hold others a reader of those as ``inner``. Parsers are
named by their place, so that one is imported when a file first needs it: they bring libraries that nobody should wait
for who never meets such a file. They import nothing from this module; what a file is called, how large it may be and
what its title is when it names none are settled here for all of them.

To add a format, write its parser in a folder of its own and add a line to `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import PurePosixPath

from knarr.documents.captions import captioned
from knarr.documents.decode import DEFAULT_LIMITS, Limits
from knarr.documents.ocr import PageReader
from knarr.documents.sections import Document
from knarr.documents.unread import advice
from knarr.errors import DocumentError

_ZIP = b"PK\x03\x04"
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"})
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

Sniffer = Callable[[bytes, str], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """A format and how its files are recognised.

    suffixes:  lower case, with the dot
    parser:    "module:function"
    sniff:     whether bytes, under a name of the given suffix, are this format whatever the name says
    carries:   its files hold files of other formats: the parser gets a function that reads those, or None where they
               lie too deep
    pictures:  its pages may be pictures: the parser gets a reader of those, or None
    """

    name: str
    suffixes: frozenset[str]
    parser: str
    sniff: Sniffer | None = None
    carries: bool = False
    pictures: bool = False

    def load(self) -> Callable[..., Document]:
        """The parser, imported now if it was not before."""
        module, _, function = self.parser.partition(":")
        parser: Callable[..., Document] = getattr(import_module(module), function)
        return parser

    def parse(self, data: bytes, name: str, limits: Limits, ocr: PageReader | None = None) -> Document:
        """The document that the parser makes of a file."""
        more: dict[str, object] = {"inner": _inner(limits)} if self.carries else {}
        if self.pictures:
            more["ocr"] = ocr
        return self.load()(data, name, limits, **more)


def _is_pdf(data: bytes, suffix: str) -> bool:
    # A PDF may have up to 1 KiB of other bytes before its mark; text that quotes one is no PDF.
    return data.startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in data[:1024])


def _zip_holds(*marks: bytes, suffixes: frozenset[str] = frozenset()) -> Sniffer:
    """Recognises a zip archive by the names of its members; by the suffix where they cannot be found."""

    def sniff(data: bytes, suffix: str) -> bool:
        if not data.startswith(_ZIP) or suffix in _ARCHIVES:
            return False
        # The first members and the directory at the end name the parts.
        names = data[:4096] + data[-_DIRECTORY_BYTES:]
        known = [mark for mark in _ZIP_MARKS if mark in names]
        return any(mark in names for mark in marks) if known else suffix in suffixes

    return sniff


def _ole_holds(stream: str) -> Sniffer:
    """Recognises a compound file (OLE) by the name of its main stream."""
    name = stream.encode("utf-16-le")
    return lambda data, suffix: data.startswith(_OLE) and name in data


def _is_rtf(data: bytes, suffix: str) -> bool:
    return data.startswith(b"{\\rtf")


def _is_encrypted_office(data: bytes, suffix: str) -> bool:
    return data.startswith(_OLE) and _ENCRYPTED in data


def _is_binary_workbook(data: bytes, suffix: str) -> bool:
    return data.startswith(_ZIP) and b"xl/workbook.bin" in data[:4096] + data[-_DIRECTORY_BYTES:]


def _is_armoured(data: bytes, suffix: str) -> bool:
    return data[:400].lstrip().startswith(b"-----BEGIN PGP")


_ARCHIVES = frozenset({".zip"})
_DIRECTORY_BYTES = 1 << 18
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_WORD_MARKS = (b"word/document", b"word/_rels")
_SLIDE_MARKS = (b"ppt/presentation.xml", b"ppt/_rels")
_SHEET_MARKS = (b"xl/workbook", b"xl/_rels")
_ODF_MARKS = (b"mimetypeapplication/vnd.oasis.opendocument", b"mimetypeapplication/vnd.sun.xml")
_BOOK_MARKS = (b"mimetypeapplication/epub+zip", b"META-INF/container.xml")
_ZIP_MARKS = (*_WORD_MARKS, *_SLIDE_MARKS, *_SHEET_MARKS, *_ODF_MARKS, *_BOOK_MARKS)

_DOCX = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_PPTX = frozenset({".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"})
_XLSX = frozenset({".xlsx", ".xlsm", ".xltx", ".xltm"})
_ODF = frozenset({".odt", ".ott", ".odp", ".otp", ".ods", ".ots", ".odm"})

_XML = frozenset({
    ".xml", ".docbook", ".dbk", ".jats", ".nxml", ".dita", ".ditamap", ".tei", ".opml", ".rss", ".atom",
})  # fmt: skip

FORMATS = (
    Format("pdf", frozenset({".pdf"}), "knarr.documents.pdf.parse:parse", _is_pdf, pictures=True),
    Format("docx", _DOCX, "knarr.documents.docx.parse:parse", _zip_holds(*_WORD_MARKS, suffixes=_DOCX)),
    Format("pgp", frozenset(), "knarr.documents.unread:refuse_armoured", _is_armoured),
    Format("xlsb", frozenset(), "knarr.documents.unread:refuse_binary_workbook", _is_binary_workbook),
    Format("pptx", _PPTX, "knarr.documents.slides.parse:parse", _zip_holds(*_SLIDE_MARKS, suffixes=_PPTX)),
    Format("xlsx", _XLSX, "knarr.documents.sheets.xlsx:parse", _zip_holds(*_SHEET_MARKS, suffixes=_XLSX)),
    Format("odf", _ODF, "knarr.documents.odf.parse:parse", _zip_holds(*_ODF_MARKS, suffixes=_ODF)),
    Format(
        "epub",
        frozenset({".epub"}),
        "knarr.documents.epub.parse:parse",
        _zip_holds(*_BOOK_MARKS, suffixes=frozenset({".epub"})),
    ),
    Format("encrypted", frozenset(), "knarr.documents.ole.container:refuse_encrypted", _is_encrypted_office),
    Format("doc", frozenset({".doc", ".dot"}), "knarr.documents.ole.word:parse", _ole_holds("WordDocument")),
    Format("xls", frozenset({".xls", ".xlt"}), "knarr.documents.sheets.xls:parse", _ole_holds("Workbook")),
    Format(
        "ppt",
        frozenset({".ppt", ".pps", ".pot"}),
        "knarr.documents.ole.slides:parse",
        _ole_holds("PowerPoint Document"),
    ),
    Format(
        "msg",
        frozenset({".msg"}),
        "knarr.documents.mail.msg:parse",
        _ole_holds("__properties_version1.0"),
        carries=True,
    ),
    Format("rtf", frozenset({".rtf"}), "knarr.documents.rtf.parse:parse", _is_rtf),
    Format("html", frozenset({".html", ".htm", ".xhtml"}), "knarr.documents.html.parse:parse"),
    Format(
        "markdown",
        frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd"}),
        "knarr.documents.markdown.parse:parse",
    ),
    Format("rst", frozenset({".rst", ".rest"}), "knarr.documents.rst.parse:parse"),
    Format("image", _IMAGES, "knarr.documents.image.parse:parse", pictures=True),
    Format("text", frozenset({".txt", ".text"}), "knarr.documents.text.parse:parse"),
    Format("csv", frozenset({".csv", ".tsv", ".tab"}), "knarr.documents.sheets.delimited:parse"),
    Format("flat odf", frozenset({".fodt", ".fods", ".fodp"}), "knarr.documents.odf.parse:parse_flat"),
    Format("fb2", frozenset({".fb2"}), "knarr.documents.epub.fiction_book:parse"),
    Format("eml", frozenset({".eml"}), "knarr.documents.mail.eml:parse", carries=True),
    Format("mbox", frozenset({".mbox", ".mbx"}), "knarr.documents.mail.eml:parse_mbox", carries=True),
    Format("calendar", frozenset({".ics"}), "knarr.documents.mail.calendar:parse"),
    Format("json", frozenset({".json"}), "knarr.documents.data.json_text:parse"),
    Format("json lines", frozenset({".jsonl", ".ndjson"}), "knarr.documents.data.json_text:parse_lines"),
    Format("notebook", frozenset({".ipynb"}), "knarr.documents.data.notebook:parse"),
    Format("asciidoc", frozenset({".adoc", ".asciidoc", ".asc"}), "knarr.documents.marked.asciidoc:parse"),
    Format("org", frozenset({".org"}), "knarr.documents.marked.org:parse"),
    Format("latex", frozenset({".tex", ".latex", ".ltx"}), "knarr.documents.tex.parse:parse"),
    Format("subtitles", frozenset({".srt", ".vtt"}), "knarr.documents.subtitles:parse"),
    Format(
        "xml",
        _XML,
        "knarr.documents.xml_docs.parse:parse",
    ),
)

SUFFIXES: frozenset[str] = frozenset().union(*(known.suffixes for known in FORMATS))
"""Suffixes (lower case, with the dot) that `parse` reads."""


def parse(
    data: bytes, name: str, *, limits: Limits = DEFAULT_LIMITS, ocr: PageReader | None = None
) -> Document:
    """Read one file. `name` is its file name; only suffix and stem matter. `ocr` reads pages without text.

    Raises DocumentError whose `status` says why the file gives no text: "empty", "unsupported",
    "limit", "corrupt", "encrypted" or "no_text".
    """
    if not data:
        raise DocumentError(f"{name}: the file is empty", "empty")
    if len(data) > limits.file_bytes:
        raise DocumentError(f"{name}: {len(data):,} bytes, the limit is {limits.file_bytes:,}", "limit")
    found = format_of(data, name)
    if found is None:
        suffix = _path(name).suffix.lower()
        raise DocumentError(f"{name}: {advice(data, suffix)}", "unsupported")
    try:
        document = found.parse(data, name, limits, ocr)
    except RecursionError as error:
        raise DocumentError(f"{name}: nested deeper than is read", "limit") from error
    document.tables = captioned(document)
    if not document.title:
        document.title = document.root.title = stem(name)
    return document


def _inner(limits: Limits) -> Callable[[bytes, str], Document] | None:
    """What reads a file inside of another one; None where it lies too deep."""
    if limits.depth <= 0:
        return None
    inside = replace(limits, depth=limits.depth - 1)
    return lambda data, name: parse(data, name, limits=inside)


def format_of(data: bytes, name: str) -> Format | None:
    """The format of a file, None if it is none of ours. The bytes count before the suffix, since files
    are often misnamed; a zip archive that no format claims is never text."""
    suffix = _path(name).suffix.lower()
    for known in FORMATS:
        if known.sniff is not None and known.sniff(data, suffix):
            return known
    if data.startswith((_ZIP, _OLE)):
        return None
    return next((known for known in FORMATS if suffix in known.suffixes), None)


def stem(name: str) -> str:
    """The file name without folder and suffix: a document's title when it has no other."""
    path = _path(name)
    return (path.stem if path.suffix.lower() in SUFFIXES else path.name) or "document"


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))
